package gates

import (
	"slices"
	"time"
)

// Hooks are the settings below `hooks`.
type Hooks struct {
	SessionStart struct {
		InjectContext bool   // false also switches the carry-over off
		InjectionMode string // auto, compact, standard, rich; rich is standard
		CustomHeader  string
		CarryOver     struct {
			Enabled bool
			Window  time.Duration // the greatest age of a satisfaction that is carried
			Scopes  []Scope
		}
	}
	Stop       StopHook
	SessionEnd struct {
		ClearSessionState bool
	}
	SessionLearning struct {
		Enabled      bool
		PromptOnStop bool
		MinToolUses  int // the prompt comes from that many on
	}
	PermissionRequest struct {
		AutoDenyDangerous bool
	}
}

// StopHook is what the end of a turn is held to.
type StopHook struct {
	VerifyRequirements bool
	VerifyScopes       []Scope
}

// Verifies reports whether a requirement is asked for at the end of a turn: one of the scopes, and one that is
// asked for nowhere else.
func (s StopHook) Verifies(q Requirement) bool {
	return q.StopOnly || slices.Contains(s.VerifyScopes, q.Scope)
}

// hooksOf decodes the section `hooks`, whose values are what their schema wants.
func hooksOf(n *node) Hooks {
	var h Hooks
	start := n.get("session_start")
	h.SessionStart.InjectContext = start.truthOf("inject_context", true)
	h.SessionStart.InjectionMode = start.textOf("injection_mode", "auto")
	h.SessionStart.CustomHeader = start.textOf("custom_header", "")
	carry := start.get("carry_over")
	h.SessionStart.CarryOver.Enabled = carry.truthOf("enabled", true)
	h.SessionStart.CarryOver.Window = carry.secondsOf("window_seconds", 300*time.Second)
	h.SessionStart.CarryOver.Scopes = scopes(carry.textsOf("scopes", string(SessionScope)))

	stop := n.get("stop")
	h.Stop.VerifyRequirements = stop.truthOf("verify_requirements", true)
	h.Stop.VerifyScopes = scopes(stop.textsOf("verify_scopes", string(SessionScope)))
	h.SessionEnd.ClearSessionState = n.get("session_end").truthOf("clear_session_state", false)

	learning := n.get("session_learning")
	h.SessionLearning.Enabled = learning.truthOf("enabled", false)
	h.SessionLearning.PromptOnStop = learning.truthOf("prompt_on_stop", true)
	h.SessionLearning.MinToolUses = int(learning.numberOf("min_tool_uses", 5))
	h.PermissionRequest.AutoDenyDangerous = n.get("permission_request").truthOf("auto_deny_dangerous", true)
	return h
}

func scopes(texts []string) []Scope {
	list := make([]Scope, len(texts))
	for i, text := range texts {
		list[i] = Scope(text)
	}
	return list
}

// Compact reports whether a session that starts for the given reason is told the compact status: as configured, else
// after a compaction.
func (h Hooks) Compact(source string) bool {
	mode := h.SessionStart.InjectionMode
	return mode == "compact" || mode == "auto" && source == "compact"
}
