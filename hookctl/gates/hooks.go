package gates

import (
	"slices"
	"time"
)

// Hooks are the settings below `hooks`.
type Hooks struct {
	SessionStart struct {
		InjectContext bool   // false also switches the carry-over off
		InjectionMode string // auto, compact, standard, rich
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

// Verifies tells whether a requirement is asked for at the end of a turn: one of the scopes, and one that is
// asked for nowhere else.
func (s StopHook) Verifies(q Requirement) bool {
	return q.StopOnly || slices.Contains(s.VerifyScopes, q.Scope)
}

func (l *loader) hooks(n *node) Hooks {
	section := func(n *node, path string) optional {
		return optional{l: l, n: n, label: "hooks." + path + ".%s"}
	}
	var h Hooks
	start := section(n.get("session_start"), "session_start")
	h.SessionStart.InjectContext = start.truth("inject_context", true)
	h.SessionStart.InjectionMode = start.mode("injection_mode")
	h.SessionStart.CustomHeader = start.text("custom_header")
	carry := section(start.n.get("carry_over"), "session_start.carry_over")
	h.SessionStart.CarryOver.Enabled = carry.truth("enabled", true)
	h.SessionStart.CarryOver.Window = carry.seconds("window_seconds", "a positive number", 300*time.Second)
	h.SessionStart.CarryOver.Scopes = carry.scopes("scopes")
	stop := section(n.get("stop"), "stop")
	h.Stop.VerifyRequirements = stop.truth("verify_requirements", true)
	h.Stop.VerifyScopes = stop.scopes("verify_scopes")
	h.SessionEnd.ClearSessionState = section(n.get("session_end"), "session_end").truth("clear_session_state", false)
	learning := section(n.get("session_learning"), "session_learning")
	h.SessionLearning.Enabled = learning.truth("enabled", false)
	h.SessionLearning.PromptOnStop = learning.truth("prompt_on_stop", true)
	h.SessionLearning.MinToolUses = int(learning.number("min_tool_uses", "a positive number", 5))
	h.PermissionRequest.AutoDenyDangerous = section(n.get("permission_request"), "permission_request").truth("auto_deny_dangerous", true)
	return h
}

// Mode is the form of the status for a session that starts for the given reason: automatically compact after a
// compaction, standard on resume, else rich.
func (h Hooks) Mode(source string) string {
	switch mode := h.SessionStart.InjectionMode; {
	case mode != "auto":
		return mode
	case source == "compact":
		return "compact"
	case source == "resume":
		return "standard"
	}
	return "rich"
}
