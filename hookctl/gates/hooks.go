package gates

import (
	"slices"
	"time"
)

// Hooks are the settings below `hooks`, from its sections.
type Hooks struct {
	// session_start
	InjectContext bool   // false also switches the carry-over off
	InjectionMode string // auto, compact, standard, rich; rich is standard
	CustomHeader  string
	CarryOver     bool
	CarryWindow   time.Duration // the greatest age of a satisfaction that is carried
	CarryScopes   []Scope

	// stop: what the end of a turn is held to
	VerifyRequirements bool
	VerifyScopes       []Scope

	ClearSessionState bool // session_end

	// session_learning
	Learning     bool
	PromptOnStop bool
	MinToolUses  int // the prompt comes from that many on

	AutoDenyDangerous bool // permission_request
}

// Verifies reports whether a requirement is asked for at the end of a turn: one of the scopes, and one that is
// asked for nowhere else.
func (h Hooks) Verifies(q Requirement) bool {
	return q.StopOnly || slices.Contains(h.VerifyScopes, q.Scope)
}

// hooksOf decodes the section `hooks`, whose values are what their schema wants.
func hooksOf(n *node) Hooks {
	start := n.get("session_start")
	carry := start.get("carry_over")
	stop := n.get("stop")
	learning := n.get("session_learning")
	return Hooks{
		InjectContext: start.truthOf("inject_context", true),
		InjectionMode: start.textOf("injection_mode", "auto"),
		CustomHeader:  start.textOf("custom_header", ""),
		CarryOver:     carry.truthOf("enabled", true),
		CarryWindow:   carry.secondsOf("window_seconds", 300*time.Second),
		CarryScopes:   carry.textsOf("scopes", SessionScope),

		VerifyRequirements: stop.truthOf("verify_requirements", true),
		VerifyScopes:       stop.textsOf("verify_scopes", SessionScope),

		ClearSessionState: n.get("session_end").truthOf("clear_session_state", false),

		Learning:     learning.truthOf("enabled", false),
		PromptOnStop: learning.truthOf("prompt_on_stop", true),
		MinToolUses:  int(learning.numberOf("min_tool_uses", 5)),

		AutoDenyDangerous: n.get("permission_request").truthOf("auto_deny_dangerous", true),
	}
}

// Compact reports whether a session that starts for the given reason is told the compact status: as configured, else
// after a compaction.
func (h Hooks) Compact(source string) bool {
	return h.InjectionMode == "compact" || h.InjectionMode == "auto" && source == "compact"
}
