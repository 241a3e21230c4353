package transcript

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"hookline/expect"
)

// written is what files of transcripts hold.
type written struct {
	dir      string
	sessions []string // ids
	files    int
	lines    int
	bytes    int64
	calls    int // requests, of subagents too
	prompts  int
	compact  int
	agents   int
	copies   int // lines of a session that went on in the background
}

// chat writes the files, as clients of two eras do: 2.0.76 to 2.1.63 with subagents beside their session's file and the
// progress of every hook; and 2.1.205 on with subagents in a folder of their session, and a session that went on
// in the background.
type chat struct {
	written
	t      *testing.T
	modern bool
	id     string
	now    time.Time
	count  int
	text   []string // of the file that is being made
}

// transcripts writes sessions with so many turns of so many calls each; a compaction comes after every third turn.
func transcripts(t *testing.T, modern bool, sessions, turns, calls int) written {
	t.Helper()
	c := &chat{t: t, modern: modern, written: written{dir: filepath.Join(t.TempDir(), "-gone-p")}}
	var first []string
	for i := range sessions {
		c.begin(i)
		c.text = append(c.text, `{"type":"file-history-snapshot","snapshot":{}}`)
		for turn := range turns {
			c.turn(turn, calls)
			if turn%3 == 2 {
				c.compact++
				c.line("system", `"subtype":"compact_boundary","compactMetadata":{"trigger":"auto"}`)
				c.line("user", `"isCompactSummary":true,"message":{"content":"It went on."}`)
			}
		}
		if modern {
			c.text = append(c.text, `{"type":"ai-title","sessionId":"`+c.id+`"}`, `{"type":"entry-of-tomorrow"}`)
		}
		if first == nil {
			first = c.text
		}
		c.save(c.id+".jsonl", `{"type":"user","mess`)
		c.agent()
	}
	if !modern {
		return c.written
	}

	c.now = from.Add(20 * time.Hour)
	old := c.sessions[0]
	c.begin(sessions)
	for _, l := range first {
		if strings.Contains(l, `"uuid"`) {
			c.copies++
			c.text = append(c.text, strings.Replace(strings.ReplaceAll(l, old, c.id), "{", `{"sessionKind":"bg",`, 1))
		}
	}
	c.turn(0, calls)
	c.save(c.id+".jsonl", "")
	c.text = []string{`{"type":"ai-title","sessionId":"0189aaaa-0000-4000-8000-0000000000ff"}`}
	c.save("0189aaaa-0000-4000-8000-0000000000ff.jsonl", "")
	return c.written
}

func (c *chat) begin(i int) {
	c.id, c.text = fmt.Sprintf("0189aaaa-0000-4000-8000-%012d", i), nil
	c.now = from.Add(time.Duration(i) * 24 * time.Hour)
	c.sessions = append(c.sessions, c.id)
}

// line adds a line of the conversation.
func (c *chat) line(kind, more string) {
	c.count++
	c.now = c.now.Add(time.Second)
	c.text = append(c.text, fmt.Sprintf(`{"type":"%s","uuid":"u%d","sessionId":"%s","timestamp":"%s","cwd":"/gone/p","version":"2.1.39","gitBranch":"main",%s}`,
		kind, c.count, c.id, c.now.Format(time.RFC3339), more))
}

func (c *chat) turn(n, calls int) {
	c.prompts++
	c.line("user", fmt.Sprintf(`"permissionMode":"acceptEdits","message":{"content":"Make part %d work"}`, n))
	for i := range calls {
		c.call(i, `"isSidechain":false`)
	}
	c.line("assistant", fmt.Sprintf(`"message":{"id":"m%d","content":[{"type":"text","text":"Part %d works."}]}`, c.count, n))
}

// call adds a request and its outcome; each fourth one fails.
func (c *chat) call(n int, of string) {
	c.calls++
	id := fmt.Sprintf("t%d", c.calls)
	c.line("assistant", of+fmt.Sprintf(`,"message":{"id":"m%s","content":[{"type":"tool_use","id":"%s","name":"Bash","input":{"command":"go test ./part%d"}}]}`, id, id, n))
	if !c.modern {
		c.line("progress", of+`,"data":{"type":"hook_progress","hookEvent":"PostToolUse"}`)
	}
	c.line("user", of+fmt.Sprintf(`,"message":{"content":[{"type":"tool_result","tool_use_id":"%s","content":"Exit code","is_error":%t}]}`, id, n%4 == 3))
}

// agent writes the file of a subagent, and what the client keeps beside it.
func (c *chat) agent() {
	c.agents++
	c.text = nil
	c.now = c.now.Add(-time.Minute)
	name := fmt.Sprintf("agent-a%d", c.agents)
	of := fmt.Sprintf(`"isSidechain":true,"agentId":"a%d"`, c.agents)
	c.line("user", of+`,"message":{"content":"Look around"}`)
	c.call(0, of)
	if !c.modern {
		c.save(name+".jsonl", "")
		return
	}
	c.save(filepath.Join(c.id, "subagents", name+".jsonl"), "")
	write(c.t, filepath.Join(c.dir, c.id, "subagents", name+".meta.json"), `{"agentType":"Explore"}`)
}

// save writes the lines, and a torn one at their end.
func (c *chat) save(name, torn string) {
	path := filepath.Join(c.dir, name)
	write(c.t, path, strings.Join(c.text, "\n")+"\n"+torn)
	c.files++
	c.lines += len(c.text)
	if torn != "" {
		c.lines++
	}
	info, err := os.Stat(path)
	expect.OK(c.t, err)
	c.bytes += info.Size()
}
