//go:build unix

package daemon

import (
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
	t   *testing.T
	d   *Daemon
	id  string
	pid int
	at  time.Time
}

const (
	call   = `,"tool_name":"Bash","tool_input":{"command":"$about"}`
	callID = `,"tool_use_id":"toolu_$id_$about"`
	agent  = `,"tool_name":"Agent","tool_input":{"subagent_type":"$about","prompt":"look"},"tool_use_id":"toolu_$id_agent"`
)

// shapes has the hook of each word, and its members; $about is what the word is about, $words what comes behind a slash.
var shapes = map[string][2]string{
	"start":       {"SessionStart", `,"source":"$about"`},
	"prompt":      {"UserPromptSubmit", `,"prompt":"do it"`},
	"stop":        {"Stop", `,"stop_hook_active":false,"last_assistant_message":"done","background_tasks":[]`},
	"fail":        {"StopFailure", `,"error":"$about","last_assistant_message":"$words"`},
	"background":  {"Stop", `,"stop_hook_active":false,"background_tasks":[{"id":"a1","type":"$about","status":"running"}]`},
	"callagent":   {"PreToolUse", agent},
	"agent":       {"SubagentStart", `,"agent_id":"a1","agent_type":"$about"`},
	"agentdone":   {"SubagentStop", `,"agent_id":"a1","agent_type":"$about","stop_hook_active":false`},
	"agentok":     {"PostToolUse", agent + `,"tool_response":{"stdout":"x"}`},
	"agentask":    {"PermissionRequest", `,"agent_id":"a1"` + call},
	"end":         {"SessionEnd", `,"reason":"$about"`},
	"compact":     {"PreCompact", `,"trigger":"$about"`},
	"compacted":   {"PostCompact", `,"trigger":"$about","compact_summary":"x"`},
	"pre":         {"PreToolUse", call + callID},
	"ask":         {"PermissionRequest", call},
	"asked":       {"Notification", `,"notification_type":"permission_prompt","message":"Claude needs your permission"`},
	"ok":          {"PostToolUse", call + callID + `,"tool_response":{"stdout":"x"}`},
	"interrupted": {"PostToolUseFailure", call + callID + `,"error":"Exit code 3","is_interrupt":true`},
	"batch":       {"PostToolBatch", `,"tool_calls":[]`},
	"refused":     {"PostToolBatch", `,"tool_calls":[{"tool_name":"Bash","tool_input":{"command":"$about"}` + callID + `,"tool_response":"The user doesn't want to proceed"}]`},
}

func (s *staged) play(word string) {
	s.t.Helper()
	kind, about, _ := strings.Cut(word, ":")
	about, words, _ := strings.Cut(about, "/")
	shape, ok := shapes[kind]
	if !ok {
		s.t.Fatalf("no such word: %s", word)
	}
	members := strings.NewReplacer("$about", about, "$words", words, "$id", s.id).Replace(shape[1])
	f := hookFrame(fmt.Sprintf(`{"hook_event_name":%q,"session_id":%q,"cwd":"/project","permission_mode":"default"%s}`, shape[0], s.id, members))
	s.at = s.at.Add(time.Second)
	f.Time = s.at.UnixMilli()
	f.ID, f.Args = wire.NewID(f.Time), []string{"hook", shape[0]}
	if s.pid != 0 {
		f.Env["CLAUDE_PID"] = strconv.Itoa(s.pid)
	}
	expect.Value(s.d.Take(s.t.Context(), f))(s.t)
}

const (
	compaction = "compact:auto start:compact compacted:auto "
	loops      = compaction + "pre:a ok:a batch " + compaction + "pre:b ok:b batch " + compaction
)

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
	{"start:startup prompt pre:a ask:a asked ok:a batch stop end:other", "clean"},
	{"start:startup prompt pre:a ask:a asked refused:a stop end:other", "clean"},
	{"start:startup prompt " + loops + "stop end:other", "clean"},
	{"start:startup prompt callagent:x agent:x agentdone:x agentok:x batch stop end:other", "clean"},
	{"start:startup prompt callagent:x agent:x agentok:x batch background:subagent agentdone:x prompt stop end:other", "clean"},
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
	{"start:startup prompt callagent:x agent:x end:other", "killed"},
	{"start:startup prompt pre:a ok:a batch end:other", "killed/unknown"},
	{"start:startup prompt pre:a nobody", "silent"},
	// At a question.
	{"start:startup prompt pre:a ask:a asked end:other", "waiting_for_permission"},
	{"start:startup prompt pre:a ask:a asked process", "waiting_for_permission"},
	{"start:startup prompt pre:a ask:a asked nobody", "waiting_for_permission"},
	{"start:startup prompt callagent:x agent:x agentok:x background:subagent agentask:c process", "waiting_for_permission"},
	// In a compaction loop.
	{"start:startup prompt " + loops + "end:other", "compaction_loop"},
	{"start:startup prompt " + loops + "process", "compaction_loop"},
	{"start:startup prompt " + loops + compaction + "nobody", "compaction_loop"},
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
	d.intake.reap(t.Context())

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
}
