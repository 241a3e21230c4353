package main

import (
	"fmt"
	"math/rand/v2"
	"strings"
)

// The shape of the generated session, after recorded ones: about 350 hooks, half of them below 1 KB,
// a tenth above 10 KB (an Edit carries the whole original file), one failure in thirty calls, one
// subagent, one compaction.
const (
	turns        = 6
	callsPerTurn = 26
	failEvery    = 30
)

// story makes up one session. The same numbers give the same session, but for its id.
type story struct {
	rnd     *rand.Rand
	session string
	prompt  string
	agent   string
	calls   []call
	n       int
}

// generate makes up the hooks of one session, in order.
func generate() []call {
	s := &story{rnd: rand.New(rand.NewPCG(1, 2)), session: newSession()}
	s.add(payload{HookEventName: "SessionStart", Source: "startup", Model: "claude-opus-4-5"})
	for turn := range turns {
		s.prompt = fmt.Sprintf("8a6f1c%02d-77d2-4c0b-9c55-2b1a90d3e4f7", turn)
		s.add(payload{HookEventName: "UserPromptSubmit", Prompt: prompts[turn%len(prompts)]})
		for i := range callsPerTurn {
			s.tool(tools[(turn*7+i)%len(tools)])
		}
		switch turn {
		case 2:
			s.subagent()
		case 4:
			s.add(payload{HookEventName: "PreCompact", Trigger: "auto"})
			s.add(payload{HookEventName: "SessionStart", Source: "compact", Model: "claude-opus-4-5"})
		}
		no := false
		s.add(payload{HookEventName: "Stop", StopHookActive: &no, LastMessage: "The table is written and its tests pass; the next step is the reader."})
	}
	s.add(payload{HookEventName: "SessionEnd", Reason: "prompt_input_exit"})
	return s.calls
}

var prompts = []string{
	"The benchmark's table loses the unit of a ratio. Find out why, write a test that shows it, and fix it.",
	"Now read the recorded hooks from several files, in order of their names.",
	"Look through the whole program for processes that may stay behind, in a subagent please.",
	"Run all tests with the race detector.",
	"Write the explanation of each measure into the documentation.",
	"Commit it with a message that says why.",
}

// tools is the mixture of calls of a turn.
var tools = []string{"Read", "Bash", "Edit", "Grep", "Bash", "Read", "Edit", "TodoWrite", "Bash", "Glob", "Write"}

// add appends a hook with what all have in common.
func (s *story) add(p payload) {
	p.SessionID, p.Cwd, p.PermissionMode = s.session, "/home/dev/app", "acceptEdits"
	p.TranscriptPath = "/home/dev/.claude/projects/-home-dev-app/" + s.session + ".jsonl"
	p.PromptID, p.AgentID = s.prompt, s.agent
	if s.agent != "" {
		p.AgentType = "general-purpose"
	}
	s.calls = append(s.calls, call{p.HookEventName, p.encode()})
}

// tool adds a call's PreToolUse and its outcome.
func (s *story) tool(name string) {
	s.n++
	in, out := s.content(name)
	id := toolUseID(s.n)
	s.add(payload{HookEventName: "PreToolUse", ToolName: name, ToolInput: in, ToolUseID: id})
	if s.n%failEvery == 0 {
		s.add(payload{HookEventName: "PostToolUseFailure", ToolName: name, ToolInput: in, ToolUseID: id, DurationMS: 200 + s.rnd.IntN(900),
			Error: "Exit code 1\n" + s.excerpt(600)})
		return
	}
	s.add(payload{HookEventName: "PostToolUse", ToolName: name, ToolInput: in, ToolResponse: out, ToolUseID: id, DurationMS: 3 + s.rnd.IntN(2000)})
}

// subagent adds an Agent call with calls of its own inside.
func (s *story) subagent() {
	s.n++
	in, id := object{"description", "Find leftover processes", "prompt", prompts[2], "subagent_type", "general-purpose"}, toolUseID(s.n)
	s.add(payload{HookEventName: "PreToolUse", ToolName: "Agent", ToolInput: in, ToolUseID: id})
	s.agent = "a6f3e1b2c4d5e6f70"
	s.add(payload{HookEventName: "SubagentStart"})
	for _, name := range []string{"Grep", "Read", "Read", "Bash"} {
		s.tool(name)
	}
	no := false
	s.add(payload{HookEventName: "SubagentStop", StopHookActive: &no, LastMessage: "Every process is waited for; home.go kills by pid what does not end."})
	s.agent = ""
	s.add(payload{HookEventName: "PostToolUse", ToolName: "Agent", ToolInput: in, ToolUseID: id, DurationMS: 31_000,
		ToolResponse: object{"status", "completed", "content", []any{object{"type", "text", "text", s.excerpt(900)}}, "totalTokens", 20_412}})
}

// content is the input and the response of one call, in the tool's own shape.
func (s *story) content(tool string) (in, out object) {
	names := sourceNames()
	name := names[s.rnd.IntN(len(names))]
	file, text := "/home/dev/app/bench/"+name, sourceOf(name)
	switch tool {
	case "Read":
		return object{"file_path", file}, object{"type", "text", "file", object{"filePath", file, "content", text, "numLines", strings.Count(text, "\n"), "startLine", 1}}
	case "Edit":
		old := s.excerpt(250)
		change := strings.ReplaceAll(old, "err", "failure")
		return object{"file_path", file, "old_string", old, "new_string", change, "replace_all", false},
			object{"filePath", file, "oldString", old, "newString", change, "originalFile", text, "structuredPatch", []any{}, "userModified", false}
	case "Write":
		part := s.excerpt(1500)
		return object{"file_path", file, "content", part}, object{"type", "create", "filePath", file, "content", part, "structuredPatch", []any{}}
	case "Grep":
		return object{"pattern", "func .*home", "path", "/home/dev/app", "output_mode", "content"}, object{"mode", "content", "numFiles", 0, "content", s.excerpt(500)}
	case "Glob":
		return object{"pattern", "**/*.go"}, object{"filenames", names, "durationMs", s.rnd.IntN(40), "numFiles", len(names), "truncated", false}
	case "TodoWrite":
		return object{"todos", []any{object{"content", "Write the test", "status", "completed"}, object{"content", "Fix the table", "status", "in_progress"}}}, object{"newTodos", 2}
	}
	command := []string{"go test ./bench", "git diff --stat", "go vet ./...", "ls -la bench"}[s.rnd.IntN(4)]
	return object{"command", command, "description", "Check the change"},
		object{"stdout", s.excerpt(100 + s.rnd.IntN(1400)), "stderr", "", "interrupted", false, "isImage", false}
}

// excerpt is some text of about n bytes from the sources, from line to line.
func (s *story) excerpt(n int) string {
	names := sourceNames()
	text := sourceOf(names[s.rnd.IntN(len(names))])
	if len(text) <= n {
		return text
	}
	from := s.rnd.IntN(len(text) - n)
	part := text[from : from+n]
	if i := strings.IndexByte(part, '\n'); i >= 0 && i < len(part)/2 {
		part = part[i+1:]
	}
	return strings.ToValidUTF8(part, "")
}
