//go:build train

package main

import (
	_ "embed" // the texts
	"encoding/hex"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"strings"
)

// texts are files, outputs and prose of our own making in what people's tools work on, separated
// by lines of "%%".
//
//go:embed corpus.txt
var texts string

// corpus makes hook payloads up.
type corpus struct {
	rnd   *rand.Rand
	texts []string
}

func newCorpus(seed uint64) *corpus {
	return &corpus{rnd: rand.New(rand.NewPCG(seed, seed)), texts: strings.Split(texts, "\n%%\n")}
}

func (c *corpus) pick(from ...string) string { return from[c.rnd.IntN(len(from))] }

func (c *corpus) hex(n int) string {
	b := make([]byte, (n+1)/2)
	for i := range b {
		b[i] = byte(c.rnd.Uint32())
	}
	return hex.EncodeToString(b)[:n]
}

func (c *corpus) uuid() string {
	return fmt.Sprintf("%s-%s-4%s-a%s-%s", c.hex(8), c.hex(4), c.hex(3), c.hex(3), c.hex(12))
}

func (c *corpus) toolUse() string {
	const letters = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789"
	b := make([]byte, 22)
	for i := range b {
		b[i] = letters[c.rnd.IntN(len(letters))]
	}
	return "toolu_01" + string(b)
}

// lines is a run of at most n lines of one of the texts.
func (c *corpus) lines(n int) string {
	all := strings.SplitAfter(c.pick(c.texts...), "\n")
	at := c.rnd.IntN(len(all))
	return strings.Join(all[at:min(len(all), at+1+c.rnd.IntN(n))], "")
}

// quoted is text as it stands inside a JSON string.
func quoted(text string) string {
	var b strings.Builder
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false) // the client does not escape < and > either
	if err := enc.Encode(text); err != nil {
		panic(err)
	}
	return strings.TrimSuffix(b.String(), "\n")
}

func (c *corpus) file() string {
	return c.pick("/home/user/projects/app", "/home/user/src/service", "/Users/dev/code/web") + "/" +
		c.pick("src/", "lib/", "internal/", "test/", "tests/", "docs/", "app/", "assets/js/", "config/", "") +
		c.pick("index", "main", "server", "app", "user", "config", "README", "session_live", "store_test") +
		c.pick(".ts", ".tsx", ".go", ".py", ".rs", ".ex", ".exs", ".md", ".js", ".json", ".yaml")
}

// frame is the common beginning of a hook's JSON, and the envelope's line before it.
func (c *corpus) frame(hook, toolUse string) string {
	session, cwd := c.uuid(), c.pick("/home/user/projects/app", "/home/user/src/service", "/Users/dev/code/web")
	line := `{"worktree":"` + cwd + `","branch":"` + c.pick("main", "master", "feature/"+c.hex(6)) + `","phase":"SESSION_RUNNING","hook":"` + hook + `"`
	if toolUse != "" {
		line += `,"tool_use_id":"` + toolUse + `"`
	}
	if strings.HasPrefix(hook, "PostToolUse") {
		line += `,"causation":"01K` + strings.ToUpper(c.hex(23)) + `"`
	}
	return line + "}\n" + `{"session_id":"` + session + `","transcript_path":"/home/user/.claude/projects/` + strings.ReplaceAll(cwd, "/", "-") + "/" +
		session + `.jsonl","cwd":"` + cwd + `","prompt_id":"` + c.uuid() + `","permission_mode":"` +
		c.pick("acceptEdits", "default", "bypassPermissions", "plan") + `","effort":{"level":"` + c.pick("medium", "high", "low") +
		`"},"hook_event_name":"` + hook + `"`
}

// payload is one stored payload.
func (c *corpus) payload() []byte {
	id := c.toolUse()
	tail := `,"tool_use_id":"` + id + `"`
	duration := fmt.Sprintf(`,"duration_ms":%d}`, c.rnd.IntN(3000))
	call := func(tool, input string) string { return `,"tool_name":"` + tool + `","tool_input":{` + input + `}` }
	bash := call("Bash", `"command":`+quoted(c.command())+`,"description":"`+c.pick("Run tests", "Check git status", "List files", "Show recent commits", "Build project", "Stage and commit")+`"`)
	switch n := c.rnd.IntN(100); {
	case n < 20:
		return []byte(c.frame("PreToolUse", id) + bash + tail + "}")
	case n < 40:
		return []byte(c.frame("PostToolUse", id) + bash + `,"tool_response":{"stdout":` + quoted(strings.TrimSpace(c.lines(40))) +
			`,"stderr":"","interrupted":false,"isImage":false,"noOutputExpected":false}` + tail + duration)
	case n < 50:
		return []byte(c.frame("PreToolUse", id) + call("Read", `"file_path":"`+c.file()+`"`) + tail + "}")
	case n < 60:
		return []byte(c.frame("PostToolUse", id) + c.read() + tail + duration)
	case n < 68:
		return []byte(c.frame("PreToolUse", id) + call("Edit", c.edit()) + tail + "}")
	case n < 78:
		return []byte(c.frame("PostToolUse", id) + c.edited() + tail + duration)
	case n < 82:
		return []byte(c.frame("PostToolUse", id) + c.written() + tail + duration)
	case n < 88:
		return []byte(c.frame("PostToolUse", id) + c.searched() + tail + duration)
	case n < 91:
		return []byte(c.frame("PostToolUseFailure", id) + bash + tail + `,"error":` + quoted("Exit code 1\n"+c.lines(20)) + `,"is_interrupt":false` + duration)
	}
	return []byte(c.rare(id))
}

func (c *corpus) command() string {
	return c.pick("git status", "git diff --stat", "git log --oneline -10", "go test ./... 2>&1 | tail -20", "npm test", "npm run build",
		"cargo test", "pytest -q", "mix test", "ls -la", "make test", "cat "+c.file(), "cd /home/user/projects/app && git add -A && git commit -m \"fix: "+c.hex(6)+"\"",
		"grep -rn \"TODO\" src/ | head -20", "find . -name \"*.go\" -type f | head")
}

func (c *corpus) edit() string {
	return `"file_path":"` + c.file() + `","old_string":` + quoted(c.lines(6)) + `,"new_string":` + quoted(c.lines(8)) + `,"replace_all":false`
}

func (c *corpus) read() string {
	f, text := c.file(), c.lines(80)
	n := strings.Count(text, "\n")
	return fmt.Sprintf(`,"tool_name":"Read","tool_input":{"file_path":"%s"},"tool_response":{"type":"text","file":{"filePath":"%s","content":%s,"numLines":%d,"startLine":1,"totalLines":%d}}`,
		f, f, quoted(text), n, n)
}

func (c *corpus) edited() string {
	f, from, to, before := c.file(), c.lines(5), c.lines(6), c.lines(60)
	patch := ""
	for _, l := range strings.Split(strings.TrimSpace(before), "\n")[:1] {
		patch += quoted(" "+l) + ","
	}
	for _, l := range strings.Split(strings.TrimSpace(from), "\n") {
		patch += quoted("-"+l) + ","
	}
	for _, l := range strings.Split(strings.TrimSpace(to), "\n") {
		patch += quoted("+"+l) + ","
	}
	return fmt.Sprintf(`,"tool_name":"Edit","tool_input":{"replace_all":false,"file_path":"%s","old_string":%s,"new_string":%s},"tool_response":{"filePath":"%s","oldString":%s,"newString":%s,"originalFile":%s,"structuredPatch":[{"oldStart":%d,"oldLines":%d,"newStart":%d,"newLines":%d,"lines":[%s]}],"userModified":false,"replaceAll":false}`,
		f, quoted(from), quoted(to), f, quoted(from), quoted(to), quoted(before), c.rnd.IntN(90), 6, c.rnd.IntN(90), 7, strings.TrimSuffix(patch, ","))
}

func (c *corpus) written() string {
	f, text := c.file(), quoted(c.lines(90))
	return fmt.Sprintf(`,"tool_name":"Write","tool_input":{"file_path":"%s","content":%s},"tool_response":{"type":"create","filePath":"%s","content":%s,"structuredPatch":[],"originalFile":null,"userModified":false}`,
		f, text, f, text)
}

func (c *corpus) searched() string {
	f, g := c.file(), c.file()
	return c.pick(
		`,"tool_name":"Grep","tool_input":{"pattern":"func New","path":"/home/user/projects/app","output_mode":"content","glob":"*.go","-n":true},"tool_response":{"mode":"content","numFiles":0,"filenames":[],"content":"`+f+`:12:func New","numLines":1}`,
		`,"tool_name":"Grep","tool_input":{"pattern":"config","path":"/home/user/projects/app","output_mode":"files_with_matches"},"tool_response":{"mode":"files_with_matches","filenames":["`+f+`","`+g+`"],"numFiles":2}`,
		`,"tool_name":"Glob","tool_input":{"pattern":"**/*.ts"},"tool_response":{"filenames":["`+f+`","`+g+`"],"durationMs":12,"numFiles":2,"truncated":false}`)
}

// rare is one of the hooks that come once in a while.
func (c *corpus) rare(id string) string {
	agent := `,"tool_name":"` + c.pick("Agent", "Task") + `","tool_input":{"description":"Explore code","prompt":` + quoted(c.lines(20)) + `,"subagent_type":"general-purpose","run_in_background":false}`
	text := quoted(c.lines(12))
	return c.pick(
		c.frame("PreToolUse", id)+agent+`,"tool_use_id":"`+id+`"}`,
		c.frame("PostToolUse", id)+agent+`,"tool_response":{"status":"completed","prompt":`+text+`,"agentId":"a`+c.hex(16)+`","agentType":"general-purpose","content":[{"type":"text","text":`+text+`}],"resolvedModel":"claude-opus","totalDurationMs":32855,"totalTokens":43179,"totalToolUseCount":2,"usage":{"input_tokens":6,"cache_creation_input_tokens":20135,"cache_read_input_tokens":22041,"output_tokens":997,"server_tool_use":{"web_search_requests":0,"web_fetch_requests":0},"service_tier":"standard","cache_creation":{"ephemeral_1h_input_tokens":20135,"ephemeral_5m_input_tokens":0}}},"tool_use_id":"`+id+`"}`,
		c.frame("UserPromptSubmit", "")+`,"prompt":`+text+`}`,
		c.frame("Stop", "")+`,"stop_hook_active":false,"last_assistant_message":`+text+`,"background_tasks":[],"session_crons":[]}`,
		c.frame("SessionStart", "")+`,"source":"`+c.pick("startup", "resume", "clear", "compact")+`","model":"claude-opus"}`,
		c.frame("SubagentStop", "")+`,"agent_id":"a`+c.hex(16)+`","agent_type":"general-purpose","stop_hook_active":false,"agent_transcript_path":"/home/user/.claude/projects/-app/subagents/agent-a.jsonl","last_assistant_message":`+text+`,"background_tasks":[],"session_crons":[]}`,
		c.frame("PostToolUse", id)+`,"tool_name":"TodoWrite","tool_input":{"todos":[{"content":"Run the tests","status":"in_progress","activeForm":"Running the tests"},{"content":"Fix the bug","status":"pending","activeForm":"Fixing the bug"}]},"tool_response":{"oldTodos":[],"newTodos":[{"content":"Run the tests","status":"completed","activeForm":"Running the tests"}]},"tool_use_id":"`+id+`"}`,
		c.frame("PostToolUse", id)+`,"tool_name":"TaskOutput","tool_input":{"task_id":"b`+c.hex(6)+`","block":true,"timeout":120000},"tool_response":{"retrieval_status":"success","task":{"task_id":"b`+c.hex(6)+`","task_type":"local_bash","status":"completed","description":"Run tests","output":`+text+`,"exitCode":0}},"tool_use_id":"`+id+`"}`,
		c.frame("SessionEnd", "")+`,"reason":"prompt_input_exit"}`,
		c.frame("PermissionRequest", "")+`,"tool_name":"Bash","tool_input":{"command":"make","description":"Build"},"permission_suggestions":[{"type":"addDirectories","directories":["/home/user"],"destination":"session"},{"type":"setMode","mode":"acceptEdits","destination":"session"}]}`,
		c.frame("PostToolBatch", "")+`,"tool_calls":[{"tool_name":"Bash","tool_input":{"command":"ls","description":"List"},"tool_use_id":"`+id+`","tool_response":`+text+`},{"tool_name":"Read","tool_input":{"file_path":"`+c.file()+`"},"tool_use_id":"`+id+`","tool_response":"The file has been updated successfully. (file state is current in your context — no need to Read it back)"}]}`,
		c.frame("Notification", "")+`,"message":"Claude is waiting for your input","notification_type":"idle_prompt"}`,
		c.frame("PreCompact", "")+`,"trigger":"auto","custom_instructions":null}`)
}

// history is the dictionary's content: the texts, then payloads of every kind, the most frequent
// ones last, since near matches cost less.
func (c *corpus) history() []byte {
	var b strings.Builder
	for _, t := range c.texts {
		q := quoted(t)
		b.WriteString(q[1 : len(q)-1])
	}
	for range 12 {
		b.WriteString(c.rare(c.toolUse()))
	}
	for _, part := range []string{c.searched(), c.written(), c.edited(), c.read()} {
		id := c.toolUse()
		b.WriteString(c.frame("PostToolUse", id) + part + `,"tool_use_id":"` + id + `","duration_ms":12}`)
	}
	short := newCorpus(7)
	short.texts = []string{"ok\n"}
	for range 6 {
		b.Write(short.payload())
	}
	return []byte(b.String())
}
