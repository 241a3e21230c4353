package gates

import (
	"fmt"
	"slices"
	"strings"
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

// settings reads one section of hooks; what is malformed keeps its default.
type settings struct {
	l    *loader
	path string
	n    *node
}

func (l *loader) hooks(n *node) Hooks {
	var h Hooks
	s := settings{l, "hooks.session_start", n.get("session_start")}
	h.SessionStart.InjectContext = s.truth("inject_context", true)
	h.SessionStart.InjectionMode = s.mode("injection_mode")
	h.SessionStart.CustomHeader = s.text("custom_header")
	carry := settings{l, "hooks.session_start.carry_over", s.n.get("carry_over")}
	h.SessionStart.CarryOver.Enabled = carry.truth("enabled", true)
	h.SessionStart.CarryOver.Window = time.Duration(carry.number("window_seconds", 300) * float64(time.Second))
	h.SessionStart.CarryOver.Scopes = carry.scopes("scopes")
	s = settings{l, "hooks.stop", n.get("stop")}
	h.Stop.VerifyRequirements = s.truth("verify_requirements", true)
	h.Stop.VerifyScopes = s.scopes("verify_scopes")
	s = settings{l, "hooks.session_end", n.get("session_end")}
	h.SessionEnd.ClearSessionState = s.truth("clear_session_state", false)
	s = settings{l, "hooks.session_learning", n.get("session_learning")}
	h.SessionLearning.Enabled = s.truth("enabled", false)
	h.SessionLearning.PromptOnStop = s.truth("prompt_on_stop", true)
	h.SessionLearning.MinToolUses = int(s.number("min_tool_uses", 5))
	s = settings{l, "hooks.permission_request", n.get("permission_request")}
	h.PermissionRequest.AutoDenyDangerous = s.truth("auto_deny_dangerous", true)
	return h
}

func (s settings) wrong(v *node, key, want, otherwise string) {
	s.l.invalid(v.at, "", fmt.Sprintf("%s.%s must be %s, got %s", s.path, key, want, v.kind), "it counts as "+otherwise)
}

func (s settings) truth(key string, otherwise bool) bool {
	v := s.n.get(key)
	if v == nil || v.kind == "NoneType" {
		return otherwise
	}
	if v.kind != "bool" {
		s.wrong(v, key, "bool", fmt.Sprint(otherwise))
		return otherwise
	}
	return v.truth
}

func (s settings) number(key string, otherwise float64) float64 {
	v := s.n.get(key)
	if v == nil || v.kind == "NoneType" {
		return otherwise
	}
	if v.kind != "int" && v.kind != "float" || !(v.number >= 0 && v.number <= maxSeconds) {
		s.wrong(v, key, "a positive number", fmt.Sprint(otherwise))
		return otherwise
	}
	return v.number
}

func (s settings) text(key string) string {
	v := s.n.get(key)
	if v == nil || v.kind == "NoneType" {
		return ""
	}
	if v.kind != "str" {
		s.wrong(v, key, "str", "not set")
		return ""
	}
	return v.text
}

// mode is the form of the status at a session's start. An unknown one is standard.
func (s settings) mode(key string) string {
	v, modes := s.n.get(key), []string{"auto", "compact", "standard", "rich"}
	switch {
	case v == nil || v.kind == "NoneType":
		return "auto"
	case v.kind == "str" && slices.Contains(modes, v.text):
		return v.text
	}
	s.l.warn(v.at, "", fmt.Sprintf("%s.%s must be one of: %s", s.path, key, strings.Join(modes, ", ")), "it counts as standard")
	return "standard"
}

func (s settings) scopes(key string) []Scope {
	v := s.n.get(key)
	if v == nil || v.kind == "NoneType" {
		return []Scope{SessionScope}
	}
	if v.kind != "list" {
		s.wrong(v, key, "a list", "[session]")
		return []Scope{SessionScope}
	}
	all := []Scope{BranchScope, PermanentScope, SessionScope, SingleUse}
	list := []Scope{}
	for _, item := range v.items {
		if scope := Scope(item.text); slices.Contains(all, scope) {
			list = append(list, scope)
			continue
		}
		s.l.invalid(item.at, "", fmt.Sprintf("%s.%s must contain only: branch, permanent, session, single_use", s.path, key), "this entry is left out")
	}
	return list
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
