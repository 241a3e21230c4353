package hook

import (
	"fmt"
	"regexp"
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
	if in.Refused != nil {
		return refusedAnswer(in)
	}
	if in.Call.Verb != VerbHook {
		return verbAnswer(in, a)
	}
	if a.Verdict.Deny != "" || a.Verdict.Block != "" {
		return refusal(in.Name(), a.Verdict, userMessage(in, a))
	}
	var all []Section
	for _, f := range sections {
		all = append(all, f(in, a))
	}
	return JSON(in.Name(), Compose(in.Name(), all), userMessage(in, a))
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
	switch e := in.Event.(type) {
	case *events.SessionStarted:
		return startLine(in, a)
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
	if a.Damage != "" {
		msgs = append(msgs, "hookline: "+a.Damage)
	}
	if a.Restored != nil && a.Restored.Outcome == "not_found" {
		msgs = append(msgs, "hookline: "+NotFound(in.Session))
	}
	if a.Verdict.Message != "" {
		msgs = append(msgs, a.Verdict.Message)
	}
	if w := icWarning(in, a); w != "" && !a.Warned {
		msgs = append(msgs, "hookline: "+w)
	}
	return strings.Join(msgs, "\n")
}

// NotFound is ERR-SESSION-03's message.
func NotFound(session string) string {
	return fmt.Sprintf("Session %s not found, initializing new session", session)
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

// verbAnswer is the answer of one of S0's five commands.
func verbAnswer(in Input, a After) Answer {
	switch in.Call.Verb {
	case VerbBrief:
		if in.Call.AsHook {
			return JSON("PreToolUse", Brief(a), "")
		}
		return Plain(Brief(a), "", 0)
	case VerbInject:
		if !a.Born {
			return Plain(identity.ColdContext, "", 0)
		}
		return Plain(a.Identity.Context(), "", 0)
	case VerbCheck:
		return Plain("", icWarning(in, a), 0)
	case VerbRestore:
		warn := strings.Join(in.Warnings, "\n")
		if a.Restored != nil && a.Restored.Outcome == "not_found" {
			warn = NotFound(in.Session)
		}
		if a.Damage != "" { // ERR-SESSION-01: at a session's start exit 2 shows the words and blocks nothing
			return Plain(startLine(in, a), "Database corruption detected in session identity store: "+a.Damage+
				"\nRun \"hookctl repair --cf session_identity\" or restore from backup", 2)
		}
		return Plain(startLine(in, a), warn, 0)
	}
	return Plain("", strings.Join(in.Warnings, "\n"), 0)
}

// refusedAnswer never blocks: exit 0, and the user is told on the channel that reaches him.
func refusedAnswer(in Input) Answer {
	if len(in.Warnings) == 0 {
		return Answer{}
	}
	return JSON(in.Name(), "", "hookline: "+strings.Join(in.Warnings, "; "))
}
