// Package hook turns one frame of the client into events and into an answer. It is pure: what it
// must know of the world and of the past comes in as values.
//
//	Decode   frame and redacted body       → Input
//	decide   Input, World, Reader          → the events to append, the hook's own first
//	answer   Input, World, Reader after it → Answer, composed of items within a budget
//
// What the agent is told comes from the table of capabilities (capability.go), a file for each capability; compose.go keeps
// the budgets. To handle one more hook: a case in decide.go and one in the file of its answer.
package hook

import (
	"encoding/json"
	"time"

	"hookline/events"
	"hookline/events/wording"
)

// Verbs that can deliver a hook. VerbHook answers as the whole product; the others are the hook with
// only the identity section, on plain stdout.
const (
	VerbHook    = "hook"
	VerbBrief   = "consciousness brief"
	VerbCheck   = "consciousness check-identity"
	VerbInject  = "consciousness inject-context"
	VerbRestore = "session restore-identity"
	VerbPersist = "session persist-identity"
)

// Call is how the client called us: the verb, its flags and the hook it stands for.
type Call struct {
	Verb      string
	Hook      string // the client's hook name as given or implied by the verb; the body's wins
	Client    string // --client: the program that called; "" where it is not said
	AutoDream bool   // check-identity --auto-dream
	AsHook    bool   // brief --hook: answer as JSON
}

// implied is the hook that each identity verb is installed for.
var implied = map[string]string{VerbBrief: "PreToolUse", VerbCheck: "PostToolUse", VerbInject: "UserPromptSubmit",
	VerbRestore: "SessionStart", VerbPersist: "SessionEnd"}

// ParseCall reads the command line of a hook verb.
func ParseCall(args []string) Call {
	var c Call
	words := make([]string, 0, 2)
	for i := 0; i < len(args); i++ {
		switch args[i] {
		case "--auto-dream":
			c.AutoDream = true
		case "--hook":
			c.AsHook = true
		case "--client":
			i++
			if i < len(args) {
				c.Client = wording.Chars(args[i], MaxSession)
			}
		default:
			words = append(words, args[i])
		}
	}
	if len(words) > 0 && words[0] == VerbHook {
		c.Verb = VerbHook
		if len(words) > 1 {
			c.Hook = words[1]
		}
		return c
	}
	if len(words) >= 2 {
		c.Verb = words[0] + " " + words[1]
	}
	c.Hook = implied[c.Verb]
	return c
}

// Input is a decoded frame.
type Input struct {
	Call     Call
	Frame    string // id of the frame, and of the hook's event
	Time     time.Time
	Captured time.Time // as the frame said, where that is not Time; the zero value otherwise
	Cwd      string
	Session  string // full id, at most 100 characters
	Kind     events.Kind
	Event    events.Event
	Hook     events.HookEvent // nil when the input was refused
	Refused  *events.HookRefused
	Data     json.RawMessage // as it will stand in the log
	Redacted int
	Found    []events.Event // derived events that decoding brought up
	Notes    []string       // what was odd; kept in the event
	Warnings []string       // what the user can do something about
	Uncalled bool           // a verb that a person or a script called, without a hook
	again    bool           // a start that is told with a later hook of its session
	instead  *Input         // what came where the hook is assumed; nil when the hook came
}

// Starts reports whether the answer greets a session, also one whose input could not be read.
func (in Input) Starts() bool {
	_, ok := in.Event.(*events.SessionStarted)
	return ok || in.Refused != nil && in.Call.Hook == "SessionStart"
}

// Name returns the client's name of the hook.
func (in Input) Name() string {
	if in.Hook != nil && in.Hook.Hook().HookEventName != "" {
		return in.Hook.Hook().HookEventName
	}
	return in.Call.Hook
}
