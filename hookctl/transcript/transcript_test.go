package transcript

import (
	"cmp"
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"hookline/events"
	"hookline/expect"
)

func file(t *testing.T, lines ...string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "s-1.jsonl")
	write(t, path, strings.Join(lines, "\n"))
	return path
}

// says are the members of which a hook in short consists.
var says = map[string][]string{
	"SessionStart": {"source"}, "UserPromptSubmit": {"prompt"}, "Stop": {"last_assistant_message"},
	"PreToolUse": {"tool_use_id", "tool_name", "tool_input"}, "PostToolUse": {"tool_use_id", "tool_name", "tool_response"},
	"PostToolUseFailure": {"tool_use_id", "tool_name", "error"}, "PostToolBatch": {"tool_calls"},
	"SubagentStart": {"agent_id", "agent_type"}, "SubagentStop": {"agent_id", "agent_type", "last_assistant_message"},
	"PreCompact": {"trigger"}, "PostCompact": {"trigger", "compact_summary"},
}

// told is a hook in short: its name and what it says.
func told(h Hook) string {
	short := h.Name
	for _, name := range says[h.Name] {
		value := events.Member(h.Data, name)
		short += " " + cmp.Or(events.Text(value), string(value))
	}
	return short
}

func toldOf(hooks []Hook) []string {
	var list []string
	for _, h := range hooks {
		list = append(list, told(h))
	}
	return list
}

// Each line gives the hooks that the client would have sent; those of a session's start are made with the first.
func TestHooks(t *testing.T) {
	r := NewReader("/t/0189aaaa-0000-4000-8000-000000000003.jsonl")
	for _, c := range []struct {
		what, line string
		want       []string
	}{
		{"a prompt", `{"type":"user","uuid":"u1","message":{"content":"fix it"}}`, []string{"SessionStart startup", "UserPromptSubmit fix it"}},
		{"the same line again", `{"type":"user","uuid":"u1","message":{"content":"fix it"}}`, nil},
		{"an outcome without its call", `{"type":"user","message":{"content":[{"type":"tool_result","tool_use_id":"t0","content":"a"}]}}`, []string{`PostToolUse t0 "" a`}},
		{"a call beside words", `{"type":"assistant","message":{"content":[{"type":"text","text":"Let me see."},{"type":"tool_use","id":"t1","name":"Bash","input":{"command":"ls"}}]}}`,
			[]string{`PreToolUse t1 Bash {"command":"ls"}`}},
		{"the client's own answer goes before the message's", `{"type":"user","toolUseResult":{"stdout":"a b"},"message":{"content":[{"type":"tool_result","tool_use_id":"t1","content":"a"}]}}`,
			[]string{`PostToolUse t1 Bash {"stdout":"a b"}`}},
		{"a call without input", `{"type": "assistant", "message": {"content": [{"type": "tool_use", "id": "t2", "name": "Bash"}]}}`, []string{`PreToolUse t2 Bash {}`}},
		{"an error in parts", `{"type":"user","message":{"content":[{"type":"tool_result","tool_use_id":"t2","content":[{"type":"text","text":"exit 1"}],"is_error":true}]}}`,
			[]string{`PostToolUseFailure t2 Bash exit 1`}},
		{"a call that will be refused", `{"type":"assistant","message":{"id":"m","content":[{"type":"tool_use","id":"t3","name":"Bash","input":{}}]}}`, []string{`PreToolUse t3 Bash {}`}},
		{"a refusal", `{"type":"user","message":{"content":[{"type":"tool_result","tool_use_id":"t3","is_error":true,"content":"The user doesn't want to proceed with this tool use. the user said:\nuse make"}]}}`, nil},
		{"the last words of a turn", `{"type":"assistant","uuid":"a9","message":{"id":"n","content":[{"type":"text","text":"Done."}]}}`,
			[]string{`PostToolBatch [{"tool_name":"Bash","tool_input":{},"tool_use_id":"t3","tool_response":"The user doesn't want to proceed with this tool use. the user said:\nuse make"}]`}},
		{"words of the client", `{"type":"user","isMeta":true,"message":{"content":"fix it"}}`, nil},
		{"a command that the client carries out", `{"type":"user","message":{"content":"<command-name>/model</command-name>"}}`, nil},
		{"a compaction that the user asked for", `{"type":"user","message":{"content":"/compact keep the paths"}}`, nil},
		{"a command that is a prompt", `{"type":"user","message":{"content":"<command-message>review is running</command-message>\n<command-name>/review</command-name>\n<command-args>42</command-args>"}}`,
			[]string{"Stop Done.", "UserPromptSubmit /review 42"}},
		{"words that an interruption cut", `{"type":"assistant","message":{"content":[{"type":"text","text":"I will"}]}}`, nil},
		{"an interruption", `{"type":"user","message":{"content":[{"type":"text","text":"[Request interrupted by user]"}]}}`, nil},
		{"a prompt with a picture, written while the model worked", `{"type":"attachment","attachment":{"type":"queued_command","prompt":[{"type":"image"},{"type":"text","text":"faster"}]}}`,
			[]string{"UserPromptSubmit faster"}},
		{"an error of the API", `{"type":"assistant","isApiErrorMessage":true,"message":{"content":[{"type":"text","text":"API Error"}]}}`, nil},
		{"a subagent of an old client", `{"type":"user","isSidechain":true,"message":{"content":"fix it"}}`, nil},
		{"a compaction", `{"type":"system","subtype":"compact_boundary","compactMetadata":{"trigger":"manual"}}`, []string{"PreCompact manual"}},
		{"its summary", `{"type":"user","isCompactSummary":true,"message":{"content":"we did it"}}`,
			[]string{`SubagentStop compact-db80f502 "" we did it`, "SessionStart compact", "PostCompact manual we did it"}},
		{"a compaction without a summary", `{"type":"system","subtype":"compact_boundary"}`, []string{"PreCompact auto"}},
		{"a prompt after it", `{"type":"user","message":{"content":"go on"}}`, []string{"SessionStart compact", `PostCompact auto ""`, "UserPromptSubmit go on"}},
		{"a prompt like one before", `{"type":"user","uuid":"u2","message":{"content":"fix it"}}`, []string{"UserPromptSubmit fix it"}},
		{"nothing", `{"type":"user","message":{"content":" \n"}}`, nil},
		{"what a continued session begins with", `{"type":"user","message":{"content":"This session is being continued from a previous conversation that ran out of context."}}`, nil},
		{"a form nobody knows", `{"type":"user","message":{"content":7}}`, nil},
		{"progress of a subagent", `{"type":"progress","data":{"message":{"type":"user","message":{"content":"fix it"}}}}`, nil},
		{"an entry nobody knows", `{"type":"hologram"}`, nil},
		{"a request that the client keeps", `{"type":"api-request-blob","message":{"role":"user","content":"fix it"}}`, nil},
		{"what the session cost", `{"type":"cost-state","totalCostUSD":0.1}`, nil},
		{"a torn line", `{"type":"user","mess`, nil},
	} {
		if got := toldOf(r.Hooks([]byte(c.line))); !slices.Equal(got, c.want) {
			t.Errorf("%s: %q, want %q", c.what, got, c.want)
		}
	}
	if got := r.End(); len(got) != 0 {
		t.Errorf("at the end: %q", toldOf(got))
	}
	want := Counts{Lines: 32, Used: 26, Other: 3, Copies: 1, Torn: 1, Unknown: map[string]int{"hologram": 1}}
	if !reflect.DeepEqual(*r.Counts, want) {
		t.Errorf("%+v, want %+v", r.Counts, want)
	}
}

// Lines that name no session, in a file that names none, are of nobody: they are counted and left out.
func TestLinesWithoutASession(t *testing.T) {
	line := []byte(`{"type":"user","timestamp":"2025-06-01T10:00:00Z","message":{"role":"user","content":"fix it"}}`)
	r := NewReader("/peers/fixture.jsonl")
	if got := r.Hooks(line); len(got) != 0 || r.Counts.Unknown["user without sessionId"] != 1 {
		t.Errorf("%q, %+v", toldOf(got), r.Counts)
	}
	if got := NewReader("/peers/043f0af5-5aa7-4b39-b2c2-93a6fd9d6c01.jsonl").Hooks(line); len(got) == 0 {
		t.Error("the file's name is not taken")
	}
}

// A call that a rule or a hook denied did not run: it is in the batch alone, as when it was recorded live, and no failure.
func TestHooksOfADeniedCall(t *testing.T) {
	for _, c := range []struct{ more, text string }{
		{`"toolDenialKind":"hook",`, "**Blocked**: a force push"},
		{`"toolDenialKind":"rule",`, "This command requires approval"},
		{`"toolDenialKind":"interrupted",`, "[Tool call interrupted: the session ended before this call's result was recorded]"},
		{"", "PreToolUse:Bash hook error: PLAN-FIRST"},
	} {
		r := NewReader("/t/0189aaaa-0000-4000-8000-000000000003.jsonl")
		r.Hooks([]byte(`{"type":"assistant","uuid":"u1","message":{"id":"m","content":[{"type":"tool_use","id":"t3","name":"Bash","input":{}}]}}`))
		outcome := r.Hooks([]byte(`{"type":"user","uuid":"u2",` + c.more + `"message":{"content":[{"type":"tool_result","tool_use_id":"t3","is_error":true,"content":"` + c.text + `"}]}}`))
		if got, want := toldOf(append(outcome, r.End()...)), []string{`PostToolBatch [{"tool_name":"Bash","tool_input":{},"tool_use_id":"t3","tool_response":"` + c.text + `"}]`}; !slices.Equal(got, want) {
			t.Errorf("%q, want %q", got, want)
		}
	}
}

// A subagent's file has its place: the session, the id, the type; what it was told is no prompt of the user.
func TestHooksOfSubagent(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "0189aaaa-0000-4000-8000-000000000001", "subagents", "workflows")
	path := filepath.Join(dir, "agent-a1.jsonl")
	write(t, path, "")
	write(t, filepath.Join(dir, "agent-a1.meta.json"), `{"agentType":"Explore"}`)
	r := NewReader(path)
	got := r.Hooks([]byte(`{"type":"user","sessionId":"another","isSidechain":true,"message":{"content":"look around"}}`))
	got = append(got, r.Hooks([]byte(`{"type":"assistant","isSidechain":true,"message":{"content":[{"type":"tool_use","id":"t1","name":"Read","input":{}}]}}`))...)
	got = append(got, r.Hooks([]byte(`{"type":"assistant","isSidechain":true,"message":{"content":[{"type":"text","text":"All is well."}]}}`))...)
	got = append(got, r.End()...)
	if want := []string{`SubagentStart a1 Explore`, `PreToolUse t1 Read {}`, `SubagentStop a1 Explore All is well.`}; !slices.Equal(toldOf(got), want) {
		t.Errorf("%q, want %q", toldOf(got), want)
	}
	for _, h := range got {
		if h.Session != "0189aaaa-0000-4000-8000-000000000001" || h.Agent != "a1" {
			t.Errorf("%s: session %q, agent %q", h.Name, h.Session, h.Agent)
		}
	}
	expect.Equal(t, len(NewReader(path).End()), 0, "a subagent that did nothing has hooks")
}

// A copy of a line has the id of the line, and a session that begins with copies is a fork.
func TestHooksOfCopies(t *testing.T) {
	const call = `{"type":"assistant","uuid":"u1","timestamp":"2026-02-11T20:36:45.618Z","message":{"content":[{"type":"tool_use","id":"t1","name":"Read","input":{}}]}}`
	const outcome = `{"type":"user","uuid":"u2","timestamp":"2026-02-11T20:36:46Z","message":{"content":[{"type":"tool_result","tool_use_id":"t1","content":"a"}]}}`
	one, two := NewReader("/one/0189aaaa-0000-4000-8000-000000000001.jsonl"), NewReader("/two.jsonl")
	a, b := one.Hooks([]byte(call)), two.Hooks([]byte(strings.Replace(call, `"uuid"`, `"sessionKind":"bg","sessionId":"s-2","uuid"`, 1)))
	if len(a) != 2 || len(b) != 2 || a[1].ID != b[1].ID || a[0].ID != b[0].ID || b[1].Session != "s-2" {
		t.Errorf("%+v, %+v", a, b)
	}
	fork := NewReader("/fork/0189aaaa-0000-4000-8000-000000000002.jsonl")
	fork.Seen["u1"] = true
	if got := fork.Hooks([]byte(call)); len(got) != 0 {
		t.Errorf("%q", toldOf(got))
	}
	if got, want := toldOf(fork.Hooks([]byte(outcome))), []string{"SessionStart fork", `PostToolUse t1 Read a`}; !slices.Equal(got, want) {
		t.Errorf("%q, want %q", got, want)
	}
}

func FuzzHooks(f *testing.F) {
	f.Add(`{"type":"user","message":{"content":"fix it"}}`, `{"type":"assistant","message":{"content":[{"type":"tool_use","id":"t1","name":"Bash","input":{}}]}}`)
	f.Add(`{"type":"system","subtype":"compact_boundary"}`, `{"type":"user","isCompactSummary":true,"message":{"content":[{"type":"text","text":"x"}]}}`)
	f.Fuzz(func(t *testing.T, a, b string) {
		r := NewReader("/t/0189aaaa-0000-4000-8000-000000000003.jsonl")
		r.Batches = true
		hooks := append(r.Hooks([]byte(a)), r.Hooks([]byte(b))...)
		for _, h := range append(hooks, r.End()...) {
			if !json.Valid(h.Data) {
				t.Errorf("%s: %s", h.Name, h.Data)
			}
		}
		sum := r.Counts.Used + r.Counts.Other + r.Counts.Copies + r.Counts.Torn
		for _, n := range r.Counts.Unknown {
			sum += n
		}
		expect.Equal(t, sum, r.Counts.Lines, "lines that are counted")
	})
}

func write(t *testing.T, path, text string) {
	t.Helper()
	expect.OK(t, os.MkdirAll(filepath.Dir(path), 0o700))
	expect.OK(t, os.WriteFile(path, []byte(text), 0o600))
}

func TestRead(t *testing.T) {
	path := file(t, "a", "no JSON", "b")
	var got []string
	expect.OK(t, Read(path, func(text []byte) error { got = append(got, string(text)); return nil }))
	expect.Equal(t, strings.Join(got, "|"), "a|no JSON|b", "lines")

	enough := errors.New("enough")
	if err := Read(path, func([]byte) error { return enough }); !errors.Is(err, enough) {
		t.Error(err)
	}
	if err := Read(filepath.Dir(path), nil); err == nil || !strings.HasSuffix(err.Error(), ": is a directory") {
		t.Error(err)
	}
}

// The files of folders are found by session: a session before its copies, subagents with their session in both places
// where clients keep them, and none of what the client keeps for itself.
func TestSessions(t *testing.T) {
	const a, b, c = "0189aaaa-0000-4000-8000-00000000000a", "0189aaaa-0000-4000-8000-00000000000b", "0189aaaa-0000-4000-8000-00000000000c"
	dir := t.TempDir()
	at := func(name ...string) string { return filepath.Join(append([]string{dir}, name...)...) }
	write(t, at(a+".jsonl"), `{"type":"user","uuid":"u1","sessionId":"`+a+`","sessionKind":"bg"}`)
	write(t, at(b+".jsonl"), `{"type":"user","uuid":"u1","sessionId":"`+b+`"}`)
	write(t, at("agent-old.jsonl"), `{"type":"user","uuid":"u2","sessionId":"`+b+`"}`)
	write(t, at(a, "subagents", "agent-1.jsonl"), "")
	write(t, at(a, "subagents", "workflows", "wf_1", "agent-2.jsonl"), "")
	write(t, at(a, "subagents", "workflows", "wf_1", "journal.jsonl"), "")
	write(t, at(a, "subagents", "agent-acompact-1.jsonl"), "")
	write(t, at(c, "subagents", "agent-3.jsonl"), "")
	write(t, at("notes.txt"), "")
	list, problems := Sessions([]string{dir, at(b + ".jsonl"), at("none")})
	if len(problems) != 1 || !strings.Contains(problems[0], "none") {
		t.Errorf("%q", problems)
	}
	var got []string
	for _, s := range list {
		got = append(got, strings.TrimPrefix(s.ID, "0189aaaa-0000-4000-8000-00000000000")+" "+strings.TrimPrefix(s.Main, dir)+" "+strings.ReplaceAll(strings.Join(s.Agents, " "), dir, ""))
	}
	want := []string{"c  /" + c + "/subagents/agent-3.jsonl", "b /" + b + ".jsonl /agent-old.jsonl",
		"a /" + a + ".jsonl /" + a + "/subagents/agent-1.jsonl /" + a + "/subagents/workflows/wf_1/agent-2.jsonl"}
	if !slices.Equal(got, want) {
		t.Errorf("%q, want %q", got, want)
	}
}
