package hook

import (
	"encoding/json"
	"fmt"
	"strings"
	"unicode"
)

// The composer: every answer is put together from sections, in one order, within one budget, and
// leaves through the channel that reaches the model for that hook.

// Budgets in tokens (DECISIONS "budget of what we inject").
const (
	budgetStart  = 1500
	budgetPrompt = 120 // 60 for identity and phase, 60 for what is new
	budgetTool   = 20
	budgetOther  = 200
	maxChars     = 9500 // the client replaces output above 10,000 characters by a preview
)

// Item is one thing to tell; it is told whole or left out.
type Item struct {
	Text  string
	Event string // id of the event it comes from
}

// Section is a kind of things to tell. Sections stand in the order of their Rank; where the budget
// does not hold all, items of the highest Rank go first, the last item of a section before the
// one above it.
type Section struct {
	Name  string
	Rank  int // 0 identity · 1 goal and phase · 2 handoff · 3 blockers · 4 decisions · 5 files · 6 functions · 7 gates · 8 the rest
	Items []Item
}

// Answer is what goes back to the client.
type Answer struct {
	Stdout []byte
	Stderr []byte
	Exit   int
}

// Tokens estimates conservatively: bytes / 3.5, rounded up.
func Tokens(s string) int { return (2*len(s) + 6) / 7 }

func budgetOf(hook string) int {
	switch hook {
	case "SessionStart":
		return budgetStart
	case "UserPromptSubmit":
		return budgetPrompt
	case "PreToolUse":
		return budgetTool
	}
	return budgetOther
}

// Compose joins the sections' items by newlines within the hook's budget. What does not fit is left
// out whole, and the last line says how many and how to see them.
func Compose(hook string, sections []Section) string {
	items := inOrder(sections)
	left := 0
	for {
		s := joined(items, left)
		if Tokens(s) <= budgetOf(hook) && len(s) <= maxChars || len(items) == 0 {
			return s
		}
		items = items[:len(items)-1]
		left++
	}
}

func inOrder(sections []Section) []Item {
	var items []Item
	for rank := 0; rank <= 8; rank++ {
		for _, s := range sections {
			if s.Rank == rank {
				items = append(items, s.Items...)
			}
		}
	}
	return items
}

func joined(items []Item, left int) string {
	lines := make([]string, 0, len(items)+1)
	for _, it := range items {
		lines = append(lines, it.Text)
	}
	if left > 0 && len(items) > 0 {
		lines = append(lines, fmt.Sprintf("(%d more: hookctl context status)", left))
	}
	return strings.Join(lines, "\n")
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

// JSON is the answer of `hook`: context for the model, a message for the user, nothing when there
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

// refusal is the answer that denies a call or has a turn go on. Its reason stands outside the budgets
// and alone: nothing else competes with it.
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

// encoded is the answer as the client reads it. What is told was stored, and came from anybody: control characters go.
func encoded(out hookOutput) Answer {
	out.SystemMessage, out.Reason = plain(out.SystemMessage), plain(out.Reason)
	if s := out.Specific; s != nil {
		s.AdditionalContext, s.PermissionDecisionReason = plain(s.AdditionalContext), plain(s.PermissionDecisionReason)
		if s.Decision != nil {
			s.Decision.Message = plain(s.Decision.Message)
		}
	}
	b, err := json.Marshal(out)
	if err != nil {
		return Answer{}
	}
	return Answer{Stdout: append(b, '\n')}
}

// plain is a text without control characters but the ends of lines and tabs.
func plain(text string) string {
	return strings.Map(func(r rune) rune {
		if unicode.IsControl(r) && r != '\n' && r != '\t' {
			return -1
		}
		return r
	}, text)
}

// Plain is the answer of an identity verb: stdout for the agent, stderr for the user.
func Plain(stdout, stderr string, exit int) Answer {
	a := Answer{Exit: exit}
	stdout, stderr = plain(stdout), plain(stderr)
	if stdout != "" {
		a.Stdout = []byte(stdout + "\n")
	}
	if stderr != "" {
		a.Stderr = []byte(stderr + "\n")
	}
	return a
}
