package hook

import (
	"encoding/json"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"hookline/events"
	"hookline/expect"
	"hookline/hookctl/wire"
)

const (
	frameID = "01KAJ3V2V00000000000000001"
	frameMS = 1795249595123 // 2026-11-21T08:26:35.123Z
)

// frameOf is a frame of these arguments with this input, read whole.
func frameOf(args, body string) wire.Frame {
	return wire.Frame{ID: frameID, Args: strings.Fields(args), Cwd: "/p", Time: frameMS, Env: map[string]string{}, Complete: true,
		Size: int64(len(body)), Body: []byte(body)}
}

func decode(args, body string) Input { return Decode(frameOf(args, body), []byte(body), 0) }

func TestParseCall(t *testing.T) {
	for _, c := range []struct {
		args string
		want Call
	}{
		{"hook", Call{Verb: "hook"}},
		{"hook Stop", Call{Verb: "hook", Hook: "Stop"}},
		{"consciousness brief --hook", Call{Verb: "consciousness brief", Hook: "PreToolUse", AsHook: true}},
		{"consciousness check-identity --auto-dream", Call{Verb: "consciousness check-identity", Hook: "PostToolUse", AutoDream: true}},
		{"session persist-identity", Call{Verb: "session persist-identity", Hook: "SessionEnd"}},
		{"session list", Call{Verb: "session list"}},
		{"", Call{}},
	} {
		expect.Equal(t, ParseCall(strings.Fields(c.args)), c.want, c.args)
	}
}

func TestDecodeTakes(t *testing.T) {
	for _, c := range []struct {
		name, args, body           string
		typ, hook, session, notice string
	}{
		{"the body's name wins", "hook Stop", `{"hook_event_name":"PreToolUse","session_id":"s"}`, "tool.requested", "PreToolUse", "s", ""},
		{"the argument stands in", "hook Stop", `{"session_id":"s"}`, "turn.stopped", "Stop", "s", ""},
		{"unknown hook", "hook", `{"hook_event_name":"Brandnew","session_id":"s"}`, "hook.unrecognized", "Brandnew", "s", ""},
		{"byte order mark and blanks", "hook Stop", "\ufeff {\"session_id\":\"s\"} \n", "turn.stopped", "Stop", "s", ""},
		{"no session", "hook Stop", `{}`, "turn.stopped", "Stop", "", "no session id"},
	} {
		in := decode(c.args, c.body)
		if in.Refused != nil || in.Kind.Type != c.typ || in.Name() != c.hook || in.Session != c.session || in.Note() != c.notice || len(in.Warnings) != 0 {
			t.Errorf("%s: %q %q %q %q %q %+v", c.name, in.Kind.Type, in.Name(), in.Session, in.Note(), in.Warnings, in.Refused)
		}
		if in.Frame != frameID || in.Cwd != "/p" || !in.Time.Equal(time.Date(2026, 11, 21, 8, 26, 35, 123e6, time.UTC)) {
			t.Errorf("%s: %s %s %s", c.name, in.Frame, in.Cwd, in.Time)
		}
	}
}

func TestDecodeSessionOfTheEnvironment(t *testing.T) {
	for body, want := range map[string]string{`{}`: "env-1", `{"session_id":"own"}`: "own"} {
		f := frameOf("hook Stop", body)
		f.Env["CLAUDE_CODE_SESSION_ID"] = "env-1"
		in := Decode(f, f.Body, 0)
		expect.Equal(t, in.Session+in.Note(), want)
	}
}

// EC-SESSION-12: a session id above 100 characters is cut, with a warning.
func TestEC_SESSION_12_LongSessionIsCut(t *testing.T) {
	for _, c := range []struct {
		given string
		runes int
		note  string
	}{
		{strings.Repeat("x", 100), 100, ""},
		{strings.Repeat("x", 101), 100, "session id of 101 characters cut to 100"},
		{strings.Repeat("é", 101), 100, "session id of 101 characters cut to 100"},
	} {
		in := decode("hook Stop", `{"session_id":"`+c.given+`"}`)
		if utf8.RuneCountInString(in.Session) != c.runes || !strings.HasPrefix(c.given, in.Session) || in.Note() != c.note {
			t.Errorf("%d characters: %d, %q", len(c.given), utf8.RuneCountInString(in.Session), in.Note())
		}
		if cut := c.note != ""; cut != (len(in.Warnings) == 1) || cut && in.Warnings[0] != "session_id exceeds 100 characters and was truncated" {
			t.Errorf("%q", in.Warnings)
		}
	}
}

// A hook that lost its content on the way is recorded with its ids.
func TestDecodeLost(t *testing.T) {
	f := frameOf("hook PreToolUse", `{"session_id":"s-1","tool_use_id":"toolu_01"}`)
	f.Lost, f.Size = true, 4711
	in := Decode(f, f.Body, 0)
	want := events.HookRefused{Reason: "lost", Size: 4711, Given: "PreToolUse", ToolUseID: "toolu_01"}
	if in.Refused == nil || *in.Refused != want || in.Session != "s-1" || in.Kind.Type != "hook.refused" || !json.Valid(in.Data) {
		t.Errorf("%+v %+v", in, in.Refused)
	}
}

func TestDecodeRefuses(t *testing.T) {
	for _, c := range []struct {
		name, body string
		complete   bool
		size       int64 // more than came
		reason     string
		warning    string
	}{
		{"nothing came", "", false, 0, "no_stdin", "hook Stop got no input, so there was nothing to record; `hookctl doctor` checks the hook entries"},
		{"empty", "", true, 0, "empty", "hook Stop got no input, so there was nothing to record; `hookctl doctor` checks the hook entries"},
		{"above the limit", `{"a":1}`, true, 100 << 20, "too_large", "the hook's input was above 64 MiB; its head was kept; recorded as hook.refused"},
		{"cut off", `{"session_id":"s","prompt":"x`, false, 0, "truncated", "the hook's JSON was cut off; recorded as hook.refused"},
		{"no JSON", `{session}`, true, 0, "invalid_json", "the hook's input was no JSON; recorded as hook.refused"},
		{"an array", `[{"session_id":"s"}]`, true, 0, "not_an_object", "the hook's input was no JSON object; recorded as hook.refused"},
	} {
		f := frameOf("hook Stop", c.body)
		f.Complete, f.Size = c.complete, f.Size+c.size
		f.Env["CLAUDE_CODE_SESSION_ID"] = "env-1"
		in := Decode(f, f.Body, 3)
		if in.Refused == nil || in.Refused.Reason != c.reason || in.Refused.Given != "Stop" {
			t.Errorf("%s: %+v", c.name, in.Refused)
			continue
		}
		if in.Hook != nil || in.Kind.Type != "hook.refused" || in.Session != "env-1" || in.Redacted != 3 || len(in.Warnings) != 1 || in.Warnings[0] != c.warning {
			t.Errorf("%s: %v %s %s %q", c.name, in.Hook, in.Kind.Type, in.Session, in.Warnings)
		}
		if len(in.Refused.Head) > 4096 || len(in.Refused.Digest) != len("sha256:")+64 || !json.Valid(in.Data) {
			t.Errorf("%s: head %d bytes, digest %q", c.name, len(in.Refused.Head), in.Refused.Digest)
		}
	}
}

// EC-SESSION-08: an identity verb without input goes on with defaults; start_test.go has what is no JSON.
func TestEC_SESSION_08_VerbsGoOnWithDefaults(t *testing.T) {
	for verb, data := range map[string]string{VerbBrief: `{}`, VerbCheck: `{}`, VerbInject: `{}`, VerbRestore: `{"source":"startup"}`, VerbPersist: `{"reason":"other"}`} {
		if in := decode(verb, ""); string(in.Data) != data || len(in.Warnings) != 0 || len(in.Found) != 0 {
			t.Errorf("%s: %s %q", verb, in.Data, in.Warnings)
		}
	}
}

// Whatever comes, Decode gives an event whose data is JSON and can be decoded again.
func FuzzDecode(f *testing.F) {
	for _, s := range []string{
		`{"session_id":"c68c8a51-e89d-45af-bd06-f5c764bc3b27","transcript_path":"/home/dev/.claude/projects/-p/x.jsonl","cwd":"/p","hook_event_name":"SessionStart","source":"startup","model":"claude-sonnet-4-5"}`,
		`{"session_id":"s","hook_event_name":"PreToolUse","tool_name":"Bash","tool_input":{"command":"go test ./..."},"tool_use_id":"toolu_01","permission_mode":"default"}`,
		`{"session_id":"s","hook_event_name":"PostToolUse","tool_name":"Edit","tool_input":{"file_path":"/p/a.go","old_string":"a","new_string":"b"},"tool_response":{"filePath":"/p/a.go","structuredPatch":[]},"tool_use_id":"toolu_01","duration_ms":12}`,
		`{"session_id":"s","hook_event_name":"PostToolUseFailure","tool_name":"Bash","error":"Exit code 1","is_interrupt":false}`,
		`{"session_id":"s","hook_event_name":"Stop","stop_hook_active":true,"background_tasks":[{"id":"b","type":"shell"}]}`,
		`{"hook_event_name":7,"session_id":["x"],"effort":"high"}`,
		"\ufeff{}", "[]", "", "{", "{\"a\":\"\\ud800\"}", "{\"a\":1}{\"b\":2}", "\xff\xfe", `{"session_id":"` + strings.Repeat("é", 120) + `"}`,
	} {
		f.Add([]byte(s), true, "hook Stop")
		f.Add([]byte(s), false, "session restore-identity")
	}
	none := past{}.reader(f)
	f.Fuzz(func(t *testing.T, body []byte, complete bool, args string) {
		frame := wire.Frame{ID: frameID, Args: strings.Fields(args), Time: frameMS, Complete: complete, Size: int64(len(body)), Body: body}
		in := Decode(frame, body, 0)
		if in.Event == nil || in.Kind.Type == "" || !json.Valid(in.Data) {
			t.Fatalf("%+v", in)
		}
		if utf8.RuneCountInString(in.Session) > MaxSession {
			t.Fatalf("session of %d characters", utf8.RuneCountInString(in.Session))
		}
		if (in.Refused == nil) != (in.Kind.Type != events.TypeHookRefused) {
			t.Fatalf("%s with refusal %+v", in.Kind.Type, in.Refused)
		}
		expect.EqualNow(t, events.Decode(in.Kind.Type, in.Kind.Version(), in.Data).Type(), in.Kind.Type, "reads back as")
		for i, env := range Decide(in, World{}, none) {
			if !json.Valid(env.Data) || env.Correlation != in.Session || (i == 0) != (env.ID == frameID) {
				t.Fatalf("%d: %+v", i, env)
			}
		}
		_, _ = Compose(in, Refuse(in, World{}, none), Tell(in, World{}, none, false), "")
	})
}
