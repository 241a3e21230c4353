package hook

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"hookline/events"
	"hookline/events/wording"
	"hookline/hookctl/wire"
)

// Limits of what is taken for a hook.
const (
	MaxDepth   = 1000 // levels of nesting; encoding/json itself stops at 10,000, and a record wraps the data once more
	MaxSession = 100  // characters of a session id (EC-SESSION-12)
	headBytes  = 4096 // of refused input that are kept
)

// Decode turns a frame with its redacted body into an Input. It never fails: what is no hook becomes
// a refused one, with the reason.
func Decode(f wire.Frame, body []byte, redacted int) Input {
	in := Input{Call: ParseCall(f.Args), Frame: f.ID, Time: time.UnixMilli(f.Time).UTC(), Cwd: f.Cwd, Redacted: redacted}
	if f.Note != "" {
		in.note(f.Note)
	}
	if f.Lost {
		return in.lost(f, body)
	}
	if !utf8.Valid(body) {
		body = bytes.ToValidUTF8(body, []byte("\uFFFD"))
		in.note("bytes that are no UTF-8 were replaced by U+FFFD")
	}
	body = bytes.TrimSpace(bytes.TrimPrefix(bytes.TrimSpace(body), []byte("\ufeff")))
	if len(body) == 0 && in.Call.Verb != VerbHook && in.Call.Hook != "" {
		body, in.Uncalled = []byte(defaults[in.Call.Hook]), true // a person or a script called the verb without a hook
	}
	whole, reason := oneObject(f, body)
	switch {
	case reason == "":
		return in.decoded(f, whole)
	case in.Call.Verb == VerbHook && in.Call.Hook != "SessionStart" || in.Call.Hook == "":
		return in.refused(f, body, reason)
	}
	return in.defaulted(f, body, reason)
}

// defaulted returns the input of an identity verb or a session's start whose input is no hook: it has defaults, with a
// warning (EC-SESSION-08, ERR-SESSION-07), and what came instead, which is recorded too.
func (in Input) defaulted(f wire.Frame, body []byte, reason string) Input {
	bad := in.refused(f, body, reason)
	in.note("input refused: " + reason)
	warning := "Invalid hook input JSON, using defaults"
	if in.Call.Verb == VerbHook {
		warning += ": " + refusalWords(reason)
	}
	in.Warnings = append(in.Warnings, warning)
	in.Found, in.instead = append(in.Found, bad.Refused), &bad
	return in.decoded(f, []byte(defaults[in.Call.Hook]))
}

// defaults is what is assumed of each hook of the identity verbs without input.
var defaults = map[string]string{"PreToolUse": `{}`, "PostToolUse": `{}`, "UserPromptSubmit": `{}`, "SessionStart": `{"source":"startup"}`,
	"SessionEnd": `{"reason":"other"}`}

// Defaulted reports whether there was no input to read, so that the session has to be found by the process.
func (in Input) Defaulted() bool { return in.Uncalled || in.instead != nil || in.Refused != nil }

// By returns the input of a session that the caller was found to belong to.
func (in Input) By(session string) Input {
	in.Session = wording.Chars(session, MaxSession)
	if in.instead != nil {
		bad := *in.instead
		bad.Session, in.instead = in.Session, &bad
	}
	in.Notes = append(slices.DeleteFunc(slices.Clone(in.Notes), func(n string) bool { return n == noSession }), "session of the calling process")
	return in
}

// Nameless returns what is recorded of an input whose session is not known: what came, not the hook that was assumed, which
// would be an event of no session.
func (in Input) Nameless() Input {
	in.Warnings = append(in.Warnings, NoSession)
	if in.instead == nil {
		return in
	}
	bad := *in.instead
	bad.Warnings = in.Warnings
	return bad
}

// NoSession is the warning where no session is known.
const NoSession = "no session is known here: CLAUDE_CODE_SESSION_ID is not set, and no live session of this project belongs to the calling process"

// noSession is the note of it.
const noSession = "no session id"

// oneObject returns a body without white space between its parts, since the log keeps meaning and not layout, or says why it
// is no hook.
func oneObject(f wire.Frame, body []byte) (whole []byte, reason string) {
	switch {
	case len(body) == 0 && !f.Complete:
		return nil, "no_stdin"
	case len(body) == 0:
		return nil, "empty"
	case f.Size > int64(len(f.Body)) && len(f.Body) > 0:
		return nil, "too_large"
	case depth(body) > MaxDepth:
		return nil, "too_deep"
	}
	var out bytes.Buffer
	out.Grow(len(body))
	switch err := json.Compact(&out, body); {
	case err != nil && !f.Complete && (body[0] == '{' || body[0] == '['):
		return nil, "truncated"
	case err != nil:
		return nil, "invalid_json"
	case out.Bytes()[0] != '{':
		return nil, "not_an_object"
	}
	return out.Bytes(), ""
}

// depth counts levels of nesting outside of strings; it needs no valid JSON.
func depth(b []byte) int {
	deepest, level := 0, 0
	for i := 0; i < len(b); i++ {
		switch b[i] {
		case '{', '[':
			level++
			deepest = max(deepest, level)
		case '}', ']':
			level--
		case '"':
			i = events.StringEnd(b, i)
		}
	}
	return deepest
}

func (in Input) refused(f wire.Frame, body []byte, reason string) Input {
	head := body
	if len(head) > headBytes {
		head = bytes.ToValidUTF8(head[:headBytes], nil)
	}
	in = in.noHook(f.Env["CLAUDE_CODE_SESSION_ID"], &events.HookRefused{Reason: reason, Size: max(f.Size, int64(len(body))), Head: string(head),
		Digest: events.Digest(body), Given: in.Call.Hook})
	words := refusalWords(reason)
	if (reason == "no_stdin" || reason == "empty") && in.Call.Hook != "" {
		words = NoInput(in.Call.Hook)
	}
	in.Warnings = append(in.Warnings, words)
	return in
}

// lost returns the input of a hook whose content was lost on its way: all that is left are its ids.
func (in Input) lost(f wire.Frame, body []byte) Input {
	var ids struct {
		Session   string `json:"session_id"`
		ToolUseID string `json:"tool_use_id"`
	}
	_ = json.Unmarshal(body, &ids) // a frame that is damaged has none
	return in.noHook(ids.Session, &events.HookRefused{Reason: "lost", Size: f.Size, Given: in.Call.Hook, ToolUseID: ids.ToolUseID})
}

// noHook returns the input with the event that it was refused.
func (in Input) noHook(session string, e *events.HookRefused) Input {
	in.Refused, in.Event = e, e
	in.Kind, _ = events.Lookup(e.Type())
	in.Session = wording.Chars(session, MaxSession)
	in.Data, _ = json.Marshal(e) // a struct of strings and numbers cannot fail
	return in
}

// Lost reports whether the hook's content was lost on its way.
func (in Input) Lost() bool { return in.Refused != nil && in.Refused.Reason == "lost" }

// NoInput returns what the user is told when a hook came without input.
func NoInput(name string) string {
	return "hook " + name + " got no input, so there was nothing to record; `hookctl doctor` checks the hook entries"
}

func refusalWords(reason string) string {
	what := map[string]string{
		"no_stdin": "no hook JSON came on stdin; hook verbs are meant to be called by Claude Code", "empty": "the hook's input was empty",
		"too_large": "the hook's input was above 64 MiB; its head was kept", "too_deep": "the hook's JSON was nested too deep",
		"truncated": "the hook's JSON was cut off", "invalid_json": "the hook's input was no JSON", "not_an_object": "the hook's input was no JSON object",
	}[reason]
	return what + "; recorded as hook.refused"
}

// decoded types a valid object: by the name on the command line first, which is nearly always the
// body's, and once more where the body says another.
func (in Input) decoded(f wire.Frame, body []byte) Input {
	name := in.Call.Hook
	in.Data = body
	in = in.typed(name)
	if in.Hook != nil {
		if own := in.Hook.Hook().HookEventName; own != "" && own != name {
			name = own
			in = in.typed(name)
		}
		in.Hook.Hook().HookEventName = name
		in.chooseSession(cmp.Or(in.Hook.Hook().SessionID, f.Env["CLAUDE_CODE_SESSION_ID"]))
	}
	return in
}

func (in Input) typed(name string) Input {
	in.Kind = events.OfHook(name)
	in.Event = events.Decode(in.Kind.Type, in.Kind.Version(), in.Data)
	in.Hook, _ = in.Event.(events.HookEvent)
	return in
}

// chooseSession takes a session id, cut where it is too long.
func (in *Input) chooseSession(given string) {
	if given == "" {
		in.note(noSession)
	}
	in.Session = wording.Chars(given, MaxSession)
	if in.Session != given {
		in.note(fmt.Sprintf("session id of %d characters cut to %d", utf8.RuneCountInString(given), MaxSession))
		in.Warnings = append(in.Warnings, fmt.Sprintf("session_id exceeds %d characters and was truncated", MaxSession))
	}
}

func (in *Input) note(s string) { in.Notes = append(in.Notes, s) }

// Note joins what was odd about the frame.
func (in Input) Note() string { return strings.Join(in.Notes, "; ") }
