package hook

import (
	"fmt"
	"regexp"
	"slices"
	"strings"

	"hookline/events"
	"hookline/projector/identity"
)

// After is what the projections say once the frame's events are folded.
type After struct {
	Identity identity.State
	Born     bool
	Restored *events.IdentityRestored // of this frame, nil for other hooks than SessionStart
	Dream    bool                     // this frame triggers a dream
	DreamErr error                    // it should have, and could not
	Warned   bool                     // the user was told of the low IC already
	Damage   string                   // what happened to the log, to be told once
	Mended   bool                     // the fold had to repair the identity; a warning says how
	Verdict  Verdict                  // of the gates
}

// briefed are the tools before which the brief is given: they change the work.
var briefed = regexp.MustCompile(`^(Edit|MultiEdit|Write|NotebookEdit|mcp__(plugin_[^_]+_)?context-graph__.*)$`)

// sections is the table of everything that can be told. A capability adds its line here.
var sections = []func(Input, After) Section{
	identitySection,
	gatesSection,
}

// Render gives the answer to a frame.
func Render(in Input, a After) Answer {
	if in.Call.Verb != VerbHook && in.Call.Hook != "" {
		return verbAnswer(in, a)
	}
	if in.Starts() && a.Damage != "" {
		return damagedStart(in, a)
	}
	if in.Refused != nil {
		return refusedAnswer(in, a)
	}
	if a.Verdict.Refuses() {
		return refusal(in.Name(), a.Verdict, userMessage(in, a))
	}
	return JSON(in.Name(), told(in, a), userMessage(in, a))
}

// Refusal is the answer to a hook that another install sent first: the refusal, or nothing.
func Refusal(in Input, v Verdict) Answer {
	if !v.Refuses() {
		return Answer{}
	}
	return refusal(in.Name(), v, "")
}

// told is what the model is told.
func told(in Input, a After) string {
	var all []Section
	for _, f := range sections {
		all = append(all, f(in, a))
	}
	return Compose(in.Name(), all)
}

// damagedStart is the start of a session after the log was damaged (EC-SESSION-10, ERR-SESSION-01): exit 2
// shows stderr to the user and holds up nothing; the client drops stdout then, and prompts bring the
// identity back to the model.
func damagedStart(in Input, a After) Answer {
	damage := a.Damage
	a.Damage = ""
	out := JSON(in.Name(), told(in, a), userMessage(in, a))
	out.Exit, out.Stderr = 2, []byte(Corrupted(damage)+"\n")
	return out
}

// Corrupted is ERR-SESSION-01's message with its recovery.
func Corrupted(damage string) string {
	return "Database corruption detected in session identity store: " + damage +
		"\nRun \"hookctl repair --cf session_identity\" or restore from backup"
}

// identitySection is S0's part of every hook's answer.
func identitySection(in Input, a After) Section {
	s := Section{Name: "identity"}
	if text := identityText(in, a); text != "" {
		s.Items = []Item{{Text: text, Event: in.Frame}}
	}
	return s
}

func identityText(in Input, a After) string {
	if in.Starts() {
		return startLine(in, a)
	}
	switch e := in.Event.(type) {
	case *events.PromptSubmitted:
		if !a.Born {
			return identity.ColdContext
		}
		return a.Identity.Context()
	case *events.ToolRequested:
		if in.Call.Verb == VerbHook && !briefed.MatchString(e.ToolName) {
			return ""
		}
		return Brief(a)
	}
	return ""
}

// Brief is the line of the hot path.
func Brief(a After) string {
	if !a.Born {
		return identity.ColdBrief
	}
	return a.Identity.Brief()
}

// startLine greets the session by what its identity starts from.
func startLine(in Input, a After) string {
	if a.Restored == nil {
		return ""
	}
	switch a.Restored.Outcome {
	case "restored", "resumed", "continued":
		return identity.RestoredLine(a.Restored.Previous, a.Identity.LastIC)
	case "fresh":
		return identity.FreshLine
	}
	return identity.NewLine
}

// userMessage is what the user can act on, once per cause.
func userMessage(in Input, a After) string {
	msgs := make([]string, 0, 2)
	for _, w := range in.Warnings {
		msgs = append(msgs, "hookline: "+w)
	}
	if a.Restored != nil && a.Restored.Outcome == "not_found" {
		msgs = append(msgs, "hookline: "+NotFound(in.Session))
	}
	if a.Verdict.Message != "" {
		msgs = append(msgs, a.Verdict.Message)
	}
	if w := icWarning(in, a); w != "" && (!a.Warned || a.DreamErr != nil) {
		msgs = append(msgs, "hookline: "+w)
	}
	return strings.Join(msgs, "\n")
}

// NotFound is ERR-SESSION-03's message.
func NotFound(session string) string {
	return fmt.Sprintf("Session %s not found, initializing new session", events.Shown(session))
}

// icWarning follows a tool's outcome (S0 US-SESSION-03).
func icWarning(in Input, a After) string {
	switch in.Event.(type) {
	case *events.ToolSucceeded, *events.ToolFailed:
	default:
		return ""
	}
	if !a.Born {
		return ""
	}
	if a.DreamErr != nil {
		return fmt.Sprintf("Dream trigger failed: %v. IC remains at %.2f", a.DreamErr, a.Identity.LastIC)
	}
	return identity.Notice(a.Identity.LastIC, a.Dream)
}

// verbAnswer is the answer of one of S0's five commands. The brief has no room for warnings, and its
// hook no reader.
func verbAnswer(in Input, a After) Answer {
	warnings := in.Warnings
	say := func(stdout string, more ...string) Answer {
		all := slices.DeleteFunc(slices.Concat(warnings, more), func(w string) bool { return w == "" })
		return Plain(stdout, strings.Join(all, "\n"), 0)
	}
	switch in.Call.Verb {
	case VerbBrief:
		if in.Call.AsHook {
			return JSON("PreToolUse", Brief(a), "")
		}
		return Plain(Brief(a), "", 0)
	case VerbInject:
		if !a.Born {
			return say(identity.ColdContext)
		}
		return say(a.Identity.Context())
	case VerbCheck:
		return say("", icWarning(in, a))
	case VerbRestore:
		return mendedExit(restoreAnswer(in, a, say), a)
	}
	return mendedExit(say(""), a)
}

func restoreAnswer(in Input, a After, say func(string, ...string) Answer) Answer {
	if a.Damage != "" { // ERR-SESSION-01: at a session's start exit 2 shows the words and blocks nothing
		return Plain(startLine(in, a), Corrupted(a.Damage), 2)
	}
	if a.Restored != nil && a.Restored.Outcome == "not_found" {
		return say(startLine(in, a), NotFound(in.Session))
	}
	return say(startLine(in, a))
}

// mendedExit is exit 1, the client's word for a warning, where an identity could not be taken as it was
// (ERR-SESSION-08, ERR-SESSION-09).
func mendedExit(answer Answer, a After) Answer {
	if a.Mended && answer.Exit == 0 {
		answer.Exit = 1
	}
	return answer
}

// refusedAnswer never blocks: exit 0, and the user is told on the channel that reaches him. A session is
// greeted although its start could not be read.
func refusedAnswer(in Input, a After) Answer {
	return JSON(in.Name(), identityText(in, a), userMessage(in, a))
}
