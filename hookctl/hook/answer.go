package hook

import (
	"encoding/json"
	"strings"

	"hookline/events/wording"
)

// The answer leaves through the channel that reaches the model, or the user, for that hook.

// Answer is what goes back to the client.
type Answer struct {
	Stdout []byte
	Stderr []byte
	Exit   int
}

// hookOutput is the client's JSON answer of a hook.
type hookOutput struct {
	Decision      string          `json:"decision,omitempty"`      // "block": the turn goes on
	Reason        string          `json:"reason,omitempty"`        // of that, for the model
	SystemMessage string          `json:"systemMessage,omitempty"` // the user sees it, the model does not
	Specific      *specificOutput `json:"hookSpecificOutput,omitempty"`
}

type specificOutput struct {
	HookEventName            string              `json:"hookEventName"`
	Decision                 *permissionDecision `json:"decision,omitempty"`           // of PermissionRequest alone
	PermissionDecision       string              `json:"permissionDecision,omitempty"` // "deny": the call is not made, whatever the allow lists say
	PermissionDecisionReason string              `json:"permissionDecisionReason,omitempty"`
	AdditionalContext        string              `json:"additionalContext,omitempty"`
}

// permissionDecision answers the client's question for permission; without one the user is asked.
type permissionDecision struct {
	Behavior string `json:"behavior"` // "deny"
	Message  string `json:"message"`  // for the model
}

// takesContext lists the hooks whose additionalContext reaches the model without forcing another
// turn (Stop and SubagentStop force one; PreCompact would change the summary).
var takesContext = map[string]bool{"SessionStart": true, "UserPromptSubmit": true, "UserPromptExpansion": true, "PreToolUse": true,
	"PostToolUse": true, "PostToolUseFailure": true, "PostToolBatch": true, "SubagentStart": true}

// silent lists the hooks whose output must stay empty: it would show in the next request.
var silent = map[string]bool{"PreCompact": true, "PostCompact": true, "WorktreeCreate": true, "MessageDisplay": true}

// JSON returns the answer of `hook`: context for the model, a message for the user, nothing when there
// is nothing to say.
func JSON(hook, context, message string) Answer {
	out := hookOutput{SystemMessage: message}
	if context != "" && takesContext[hook] {
		out.Specific = &specificOutput{HookEventName: hook, AdditionalContext: context}
	}
	if silent[hook] || (out.SystemMessage == "" && out.Specific == nil) {
		return Answer{}
	}
	return encoded(out)
}

// refusal returns the answer that denies a call or has a turn go on. The reason is outside of the budgets, and nothing else
// is said to the model.
func refusal(hook string, v Verdict, message string) Answer {
	out := hookOutput{SystemMessage: message}
	if v.Deny != "" && hook == "PermissionRequest" {
		out.Specific = &specificOutput{HookEventName: hook, Decision: &permissionDecision{Behavior: "deny", Message: v.Deny}}
	} else if v.Deny != "" {
		out.Specific = &specificOutput{HookEventName: hook, PermissionDecision: "deny", PermissionDecisionReason: v.Deny}
	} else {
		out.Decision, out.Reason = "block", v.Block
	}
	return encoded(out)
}

// encoded returns the answer as the client reads it. What is told was stored, and came from anybody: its hidden characters go.
func encoded(out hookOutput) Answer {
	out.SystemMessage, out.Reason = wording.Visible(out.SystemMessage), wording.Visible(out.Reason)
	if s := out.Specific; s != nil {
		s.AdditionalContext, s.PermissionDecisionReason = wording.Visible(s.AdditionalContext), wording.Visible(s.PermissionDecisionReason)
		if s.Decision != nil {
			s.Decision.Message = wording.Visible(s.Decision.Message)
		}
	}
	b, err := json.Marshal(out)
	if err != nil {
		return Answer{}
	}
	return Answer{Stdout: append(b, '\n')}
}

// Plain returns the answer of an identity verb: stdout for the agent, stderr for the user.
func Plain(stdout, stderr string, exit int) Answer {
	a := Answer{Exit: exit}
	stdout, stderr = wording.Visible(stdout), wording.Visible(stderr)
	if stdout != "" {
		a.Stdout = []byte(stdout + "\n")
	}
	if stderr != "" {
		a.Stderr = []byte(stderr + "\n")
	}
	return a
}

// Corrupted returns ERR-SESSION-01's message with its recovery. At a session's start exit 2 shows it to the user and blocks
// nothing (EC-SESSION-10); the client drops stdout then, and prompts bring the identity back to the model.
func Corrupted(damage string) string {
	return "Database corruption detected in session identity store: " + damage +
		"\nRun \"hookctl repair --cf session_identity\" or restore from backup"
}

// verbAnswer returns the answer of one of S0's five commands.
// Exit 1, the client's word for a warning, says at a start and at an end
// that an identity could not be taken as it was.
func verbAnswer(in Input, model []Item, warnings []string, exit int, damage string) Answer {
	var lines []string
	for _, it := range model {
		lines = append(lines, it.Text)
	}
	text := strings.Join(lines, "\n")

	switch {
	case in.Call.Verb == VerbBrief && in.Call.AsHook:
		return JSON("PreToolUse", text, "")
	case in.Call.Verb == VerbBrief:
		return Plain(text, "", 0)
	case in.Call.Verb == VerbRestore && damage != "": // ERR-SESSION-01
		return Plain(text, Corrupted(damage), 2)
	}
	if in.Call.Verb != VerbRestore && in.Call.Verb != VerbPersist {
		exit = 0
	}
	return Plain(text, strings.Join(warnings, "\n"), exit)
}
