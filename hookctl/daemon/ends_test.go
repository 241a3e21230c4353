//go:build unix

package daemon

import (
	"encoding/json"
	"fmt"
	"os/exec"
	"strconv"
	"strings"
	"testing"
	"time"

	"hookline/expect"
	"hookline/hookctl/wire"
	"hookline/projector/session"
)

// staged plays the hooks of one session: words as "pre:make", each one hook of the client in the shape that it sends.
type staged struct {
	t    *testing.T
	d    *Daemon
	id   string
	pid  int
	at   time.Time
	n    int
	open []map[string]any
}

func (s *staged) hook(event string, members map[string]any) {
	s.t.Helper()
	m := map[string]any{"hook_event_name": event, "session_id": s.id, "cwd": "/project", "permission_mode": "default"}
	for k, v := range members {
		m[k] = v
	}
	body := expect.Value(json.Marshal(m))(s.t)
	s.at = s.at.Add(time.Second)
	f := wire.Frame{ID: wire.NewID(s.at.UnixMilli()), Args: []string{"hook", event}, Time: s.at.UnixMilli(), Complete: true, Size: int64(len(body)), Body: body, Env: map[string]string{}}
	if s.pid != 0 {
		f.Env["CLAUDE_PID"] = strconv.Itoa(s.pid)
	}
	expect.Value(s.d.Take(s.t.Context(), f))(s.t)
}

// call is a call's members; the same command is the same call while it is open.
func (s *staged) call(command string) map[string]any {
	for _, c := range s.open {
		if c["command"] == command {
			return c["call"].(map[string]any)
		}
	}
	s.n++
	call := map[string]any{"tool_name": "Bash", "tool_use_id": fmt.Sprintf("toolu_%s_%d", s.id, s.n), "tool_input": map[string]any{"command": command}}
	if kind, ok := strings.CutPrefix(command, "agent "); ok {
		call["tool_name"] = "Agent"
		call["tool_input"] = map[string]any{"subagent_type": kind, "prompt": "look"}
	}
	s.open = append(s.open, map[string]any{"command": command, "call": call})
	return call
}

func (s *staged) done(command string) {
	for i, c := range s.open {
		if c["command"] == command {
			s.open = append(s.open[:i], s.open[i+1:]...)
			return
		}
	}
}

func with(m map[string]any, more ...any) map[string]any {
	out := map[string]any{}
	for k, v := range m {
		out[k] = v
	}
	for i := 0; i < len(more); i += 2 {
		out[more[i].(string)] = more[i+1]
	}
	return out
}

func (s *staged) play(word string) {
	s.t.Helper()
	kind, about, _ := strings.Cut(word, ":")
	switch kind {
	case "start":
		s.hook("SessionStart", map[string]any{"source": about})
	case "prompt":
		s.hook("UserPromptSubmit", map[string]any{"prompt": "do it"})
	case "pre":
		s.hook("PreToolUse", s.call(about))
	case "ask":
		call := with(s.call(about))
		delete(call, "tool_use_id")
		s.hook("PermissionRequest", call)
		s.hook("Notification", map[string]any{"notification_type": "permission_prompt", "message": "Claude needs your permission"})
	case "denied":
		s.hook("PermissionDenied", with(s.call(about), "reason", "Classifier"))
	case "ok":
		s.hook("PostToolUse", with(s.call(about), "tool_response", map[string]any{"stdout": "x"}))
		s.done(about)
	case "bad", "interrupted":
		s.hook("PostToolUseFailure", with(s.call(about), "error", "Exit code 3", "is_interrupt", kind == "interrupted"))
		s.done(about)
	case "batch":
		var calls []map[string]any
		for _, c := range s.open {
			calls = append(calls, with(c["call"].(map[string]any), "tool_response", "The user doesn't want to proceed"))
		}
		s.open = nil
		s.hook("PostToolBatch", map[string]any{"tool_calls": calls})
	case "stop":
		s.hook("Stop", map[string]any{"stop_hook_active": false, "last_assistant_message": "done", "background_tasks": []any{}})
	case "background":
		s.hook("Stop", map[string]any{"stop_hook_active": false, "background_tasks": []any{map[string]any{"id": "a1", "type": about, "status": "running"}}})
	case "agent":
		s.hook("SubagentStart", map[string]any{"agent_id": "a1", "agent_type": about})
	case "agentdone":
		s.hook("SubagentStop", map[string]any{"agent_id": "a1", "agent_type": about, "stop_hook_active": false})
	case "agentask":
		s.hook("PermissionRequest", map[string]any{"agent_id": "a1", "tool_name": "Bash", "tool_input": map[string]any{"command": about}})
	case "fail":
		error, words, _ := strings.Cut(about, "/")
		s.hook("StopFailure", map[string]any{"error": error, "last_assistant_message": words})
	case "compact":
		s.hook("PreCompact", map[string]any{"trigger": about})
		s.hook("SessionStart", map[string]any{"source": "compact"})
		s.hook("PostCompact", map[string]any{"trigger": about, "compact_summary": "x"})
	case "end":
		s.hook("SessionEnd", map[string]any{"reason": about})
	default:
		s.t.Fatalf("no such word: %s", word)
	}
}

const loops = "compact:auto pre:a ok:a batch compact:auto pre:b ok:b batch compact:auto "

// ends are staged sessions with the reason for which they ended; the reason that stands there first is what happened, behind
// a slash what the hooks allow to be said where that is less. "process" is one whose process is gone, "nobody" one of whose
// process nothing is known, and that is silent for long.
var ends = []struct{ play, want string }{
	// Print runs, and sessions that the user left.
	{"start:startup prompt stop end:other", "clean"},
	{"start:startup prompt pre:a ok:a batch stop end:other", "clean"},
	{"start:startup prompt pre:a bad:a batch stop end:other", "clean"},
	{"start:startup prompt pre:a pre:b ok:b ok:a batch stop end:other", "clean"},
	{"start:startup prompt stop prompt stop end:prompt_input_exit", "clean"},
	{"start:startup end:prompt_input_exit", "clean"},
	{"start:startup end:other", "clean"},
	{"start:startup prompt stop end:logout", "clean"},
	{"start:startup prompt stop end:clear", "clean"},
	{"start:startup prompt stop end:resume", "clean"},
	{"start:clear prompt stop end:other", "clean"},
	{"start:resume prompt stop end:other", "clean"},
	{"start:startup prompt pre:a interrupted:a end:prompt_input_exit", "clean"},
	{"start:startup prompt pre:a ask:a end:prompt_input_exit", "clean"},
	{"start:startup prompt pre:a end:prompt_input_exit", "clean"},
	{"start:startup prompt pre:a ask:a ok:a batch stop end:other", "clean"},
	{"start:startup prompt pre:a ask:a batch stop end:other", "clean"},
	{"start:startup prompt pre:a ask:a prompt stop end:other", "clean"},
	{"start:startup prompt pre:a denied:a batch stop end:other", "clean"},
	{"start:startup prompt compact:manual prompt stop end:other", "clean"},
	{"start:startup prompt compact:auto pre:a ok:a batch stop end:other", "clean"},
	{"start:startup prompt " + loops + "stop end:other", "clean"},
	{"start:startup prompt fail:overloaded prompt stop end:other", "clean"},
	{"start:startup prompt fail:overloaded end:clear", "clean"},
	{"start:startup prompt pre:agent~x agent:x agentdone:x ok:agent~x batch stop end:other", "clean"},
	{"start:startup prompt pre:agent~x agent:x ok:agent~x batch background:subagent agentdone:x prompt stop end:other", "clean"},
	{"start:startup prompt background:shell end:prompt_input_exit", "clean"},
	{"start:startup prompt background:shell end:other", "clean"},
	// Late hooks: those that the client does not wait for may come behind the end.
	{"start:startup prompt stop end:other agentdone:x process", "clean"},
	{"start:startup prompt pre:a ok:a batch stop end:prompt_input_exit ok:a process", "clean"},
	{"start:startup prompt end:other fail:rate_limit process", "limit"},
	{"start:startup prompt end:other fail:server_error process", "api_error"},
	// Errors of the API.
	{"start:startup prompt fail:server_error end:other", "api_error"},
	{"start:startup prompt fail:overloaded end:other", "api_error"},
	{"start:startup prompt fail:authentication_failed end:prompt_input_exit", "api_error"},
	{"start:startup prompt fail:invalid_request end:other", "api_error"},
	{"start:startup prompt fail:max_output_tokens end:other", "api_error"},
	{"start:startup prompt fail:unknown/API~Error:~400~mock~bad end:other", "api_error"},
	{"start:startup prompt pre:a ok:a batch fail:server_error end:other", "api_error"},
	{"start:startup prompt fail:server_error process", "api_error"},
	{"start:startup prompt fail:server_error nobody", "api_error"},
	{"start:startup prompt " + loops + "fail:invalid_request end:other", "api_error"},
	{"start:startup prompt fail:server_error prompt fail:authentication_failed end:other", "api_error"},
	// Limits.
	{"start:startup prompt fail:rate_limit end:other", "limit"},
	{"start:startup prompt fail:billing_error end:other", "limit"},
	{"start:startup prompt pre:a ok:a batch fail:rate_limit end:prompt_input_exit", "limit"},
	{"start:startup prompt fail:rate_limit process", "limit"},
	{"start:startup prompt fail:unknown/You've~hit~your~limit end:other", "limit"},
	// Killed, gone, silent.
	{"start:startup prompt pre:a process", "killed"},
	{"start:startup prompt pre:a ok:a batch process", "killed"},
	{"start:startup prompt process", "killed"},
	{"start:startup prompt stop process", "killed"},
	{"start:startup prompt pre:a end:other", "killed"},
	{"start:startup prompt pre:a interrupted:a end:other", "killed/unknown"},
	{"start:startup prompt pre:agent~x agent:x end:other", "killed"},
	{"start:startup prompt pre:a ok:a batch end:other", "killed/unknown"},
	{"start:startup prompt compact:auto process", "killed"},
	{"start:resume prompt pre:a process", "killed"},
	{"start:startup prompt stop end:other start:resume prompt pre:a process", "killed"},
	{"start:startup prompt pre:a nobody", "silent"},
	{"start:startup prompt stop nobody", "silent"},
	// At a question.
	{"start:startup prompt pre:a ask:a end:other", "waiting_for_permission"},
	{"start:startup prompt pre:a ask:a process", "waiting_for_permission"},
	{"start:startup prompt pre:a ask:a nobody", "waiting_for_permission"},
	{"start:startup prompt pre:a ask:a ok:a pre:b ask:b process", "waiting_for_permission"},
	{"start:startup prompt pre:agent~x agent:x ok:agent~x background:subagent agentask:c process", "waiting_for_permission"},
	// In a compaction loop.
	{"start:startup prompt " + loops + "end:other", "compaction_loop"},
	{"start:startup prompt " + loops + "process", "compaction_loop"},
	{"start:startup prompt " + loops + "compact:auto nobody", "compaction_loop"},
}

// TestEnds plays sessions to their ends, by hooks, and reads why they ended. None is said wrongly; of fifty at least 48 are told.
func TestEnds(t *testing.T) {
	gone := exec.Command("sleep", "60")
	expect.OK(t, gone.Start())
	defer func() { _ = gone.Process.Kill() }()
	c := &clock{at: time.Now()}
	d := openAt(t, newHome(t), c)
	defer shut(t, d)

	for i, e := range ends {
		s := &staged{t: t, d: d, id: fmt.Sprintf("s-%d", i), at: c.at}
		if strings.HasSuffix(e.play, "process") {
			s.pid = gone.Process.Pid
		}
		for word := range strings.FieldsSeq(e.play) {
			if word != "process" && word != "nobody" {
				s.play(strings.ReplaceAll(word, "~", " "))
			}
		}
	}
	settled(t, d)
	_ = gone.Process.Kill()
	_ = gone.Wait()
	c.at = c.at.Add(13 * time.Hour)
	d.reap(t.Context())

	told := 0
	for i, e := range ends {
		happened, allowed, _ := strings.Cut(e.want, "/")
		st := sessionState(t, d, fmt.Sprintf("s-%d", i)).Standing()
		switch st.Kind {
		case happened:
			told++
		case allowed:
		default:
			t.Errorf("%s: %s (%s), want %s", e.play, st.Kind, st.Words, e.want)
		}
		if st.Kind == session.APIError && !strings.Contains(st.Words, "API error ") {
			t.Errorf("%s: %s does not tell which", e.play, st.Words)
		}
	}
	if told*50 < len(ends)*48 {
		t.Errorf("%d of %d are told", told, len(ends))
	}
	t.Logf("%d of %d are told, the others are unknown", told, len(ends))
}
