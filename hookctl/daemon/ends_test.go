//go:build unix

package daemon

import (
	"fmt"
	"os/exec"
	"slices"
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
	open []openCall
}

// openCall is a call without an end.
type openCall struct{ command, id string }

// hook sends one hook: name and members as JSON text behind a comma.
func (s *staged) hook(event, members string) {
	s.t.Helper()
	body := []byte(fmt.Sprintf(`{"hook_event_name":%q,"session_id":%q,"cwd":"/project","permission_mode":"default"%s}`, event, s.id, members))
	s.at = s.at.Add(time.Second)
	f := wire.Frame{ID: wire.NewID(s.at.UnixMilli()), Args: []string{"hook", event}, Time: s.at.UnixMilli(), Complete: true, Size: int64(len(body)), Body: body, Env: map[string]string{}}
	if s.pid != 0 {
		f.Env["CLAUDE_PID"] = strconv.Itoa(s.pid)
	}
	expect.Value(s.d.Take(s.t.Context(), f))(s.t)
}

// call returns a call's members without its id, and the id; the same command is the same call while it is open.
func (s *staged) call(command string) (members, id string) {
	members = fmt.Sprintf(`,"tool_name":"Bash","tool_input":{"command":%q}`, command)
	if kind, ok := strings.CutPrefix(command, "agent "); ok {
		members = fmt.Sprintf(`,"tool_name":"Agent","tool_input":{"subagent_type":%q,"prompt":"look"}`, kind)
	}
	for _, o := range s.open {
		if o.command == command {
			return members, o.id
		}
	}
	s.n++
	id = fmt.Sprintf(`,"tool_use_id":"toolu_%s_%d"`, s.id, s.n)
	s.open = append(s.open, openCall{command, id})
	return members, id
}

// shapes has the hook of each word, and its members; %s is what the word is about.
var shapes = map[string][2]string{
	"start":      {"SessionStart", `,"source":"%s"`},
	"prompt":     {"UserPromptSubmit", `,"prompt":"do it%s"`},
	"stop":       {"Stop", `,"stop_hook_active":false,"last_assistant_message":"done%s","background_tasks":[]`},
	"background": {"Stop", `,"stop_hook_active":false,"background_tasks":[{"id":"a1","type":"%s","status":"running"}]`},
	"agent":      {"SubagentStart", `,"agent_id":"a1","agent_type":"%s"`},
	"agentdone":  {"SubagentStop", `,"agent_id":"a1","agent_type":"%s","stop_hook_active":false`},
	"agentask":   {"PermissionRequest", `,"agent_id":"a1","tool_name":"Bash","tool_input":{"command":"%s"}`},
	"end":        {"SessionEnd", `,"reason":"%s"`},
	"compact":    {"PreCompact", `,"trigger":"%s"`},
}

// ofCalls has the hook of each word about a call, and the members beside the call's.
var ofCalls = map[string][2]string{
	"pre":         {"PreToolUse"},
	"denied":      {"PermissionDenied", `,"reason":"Classifier"`},
	"ok":          {"PostToolUse", `,"tool_response":{"stdout":"x"}`},
	"bad":         {"PostToolUseFailure", `,"error":"Exit code 3","is_interrupt":false`},
	"interrupted": {"PostToolUseFailure", `,"error":"Exit code 3","is_interrupt":true`},
}

func (s *staged) play(word string) {
	s.t.Helper()
	kind, about, _ := strings.Cut(word, ":")
	if c, ok := ofCalls[kind]; ok {
		call, id := s.call(about)
		s.hook(c[0], call+id+c[1])
		if strings.HasPrefix(c[0], "Post") {
			s.open = slices.DeleteFunc(s.open, func(o openCall) bool { return o.command == about })
		}
		return
	}
	switch kind {
	case "ask":
		call, _ := s.call(about)
		s.hook("PermissionRequest", call)
		s.hook("Notification", `,"notification_type":"permission_prompt","message":"Claude needs your permission"`)
		return
	case "batch":
		var calls []string
		for _, o := range s.open {
			call, id := s.call(o.command)
			calls = append(calls, "{"+strings.TrimPrefix(call+id, ",")+`,"tool_response":"The user doesn't want to proceed"}`)
		}
		s.open = nil
		s.hook("PostToolBatch", `,"tool_calls":[`+strings.Join(calls, ",")+`]`)
		return
	case "fail":
		kind, words, _ := strings.Cut(about, "/")
		s.hook("StopFailure", fmt.Sprintf(`,"error":%q,"last_assistant_message":%q`, kind, words))
		return
	}

	shape, ok := shapes[kind]
	if !ok {
		s.t.Fatalf("no such word: %s", word)
	}
	s.hook(shape[0], fmt.Sprintf(shape[1], about))
	if kind == "compact" {
		s.play("start:compact")
		s.hook("PostCompact", fmt.Sprintf(`,"trigger":%q,"compact_summary":"x"`, about))
	}
}

const loops = "compact:auto pre:a ok:a batch compact:auto pre:b ok:b batch compact:auto "

// ends are staged sessions with the reason for which they ended; the reason that stands there first is what happened, behind
// a slash what the hooks allow to be said where that is less. "process" is one whose process is gone, "nobody" one of whose
// process nothing is known, and that is silent for long.
var ends = []struct{ play, want string }{
	// Print runs, and sessions that the user left.
	{"start:startup prompt stop end:other", "clean"},
	{"start:startup end:prompt_input_exit", "clean"},
	{"start:startup prompt stop end:clear", "clean"},
	{"start:startup prompt pre:a interrupted:a end:prompt_input_exit", "clean"},
	{"start:startup prompt pre:a end:prompt_input_exit", "clean"},
	{"start:startup prompt pre:a ask:a ok:a batch stop end:other", "clean"},
	{"start:startup prompt pre:a ask:a batch stop end:other", "clean"},
	{"start:startup prompt " + loops + "stop end:other", "clean"},
	{"start:startup prompt pre:agent~x agent:x agentdone:x ok:agent~x batch stop end:other", "clean"},
	{"start:startup prompt pre:agent~x agent:x ok:agent~x batch background:subagent agentdone:x prompt stop end:other", "clean"},
	{"start:startup prompt background:shell end:prompt_input_exit", "clean"},
	// Late hooks: those that the client does not wait for may come behind the end.
	{"start:startup prompt stop end:other agentdone:x process", "clean"},
	// Errors of the API.
	{"start:startup prompt fail:server_error end:other", "api_error"},
	{"start:startup prompt fail:authentication_failed end:prompt_input_exit", "api_error"},
	{"start:startup prompt fail:invalid_request end:other", "api_error"},
	{"start:startup prompt fail:unknown/API~Error:~400~mock~bad end:other", "api_error"},
	{"start:startup prompt " + loops + "fail:invalid_request end:other", "api_error"},
	// Limits.
	{"start:startup prompt fail:rate_limit end:other", "limit"},
	{"start:startup prompt fail:rate_limit process", "limit"},
	{"start:startup prompt fail:unknown/You've~hit~your~limit end:other", "limit"},
	// Killed, gone, silent.
	{"start:startup prompt pre:a process", "killed"},
	{"start:startup prompt stop process", "killed"},
	{"start:startup prompt pre:a end:other", "killed"},
	{"start:startup prompt pre:agent~x agent:x end:other", "killed"},
	{"start:startup prompt pre:a ok:a batch end:other", "killed/unknown"},
	{"start:startup prompt pre:a nobody", "silent"},
	// At a question.
	{"start:startup prompt pre:a ask:a end:other", "waiting_for_permission"},
	{"start:startup prompt pre:a ask:a process", "waiting_for_permission"},
	{"start:startup prompt pre:a ask:a nobody", "waiting_for_permission"},
	{"start:startup prompt pre:agent~x agent:x ok:agent~x background:subagent agentask:c process", "waiting_for_permission"},
	// In a compaction loop.
	{"start:startup prompt " + loops + "end:other", "compaction_loop"},
	{"start:startup prompt " + loops + "process", "compaction_loop"},
	{"start:startup prompt " + loops + "compact:auto nobody", "compaction_loop"},
}

// TestEnds plays sessions to their ends, by hooks, and reads why they ended. None is said wrongly, and all but one are told.
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
	if told+1 < len(ends) {
		t.Errorf("%d of %d are told", told, len(ends))
	}
	t.Logf("%d of %d are told, the others are unknown", told, len(ends))
}
