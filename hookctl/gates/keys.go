package gates

import (
	"fmt"
	"slices"
	"strings"

	"github.com/pmezard/go-difflib/difflib"
)

// section is what may stand in one mapping of the file.
type section struct {
	known []string            // acted on
	inert []string            // the framework's, and nothing here acts on them
	below map[string]*section // mappings inside; "" is the section of every key
}

var triggerSection = &section{known: []string{"tool", "command_pattern"}}

var requirementSection = &section{
	known: []string{"enabled", "type", "scope", "trigger_tools", "message", "short_message", "description", "checklist",
		"auto_resolve_skill", "satisfied_by_skill", "guard_type", "protected_branches", "calculator", "thresholds",
		"cache_ttl", "approval_ttl", "blocking_message", "base", "stop_only", "replan_ttl"},
	inert: []string{"adr_path", "deprecated", "deprecated_message", "evidence"},
	below: map[string]*section{"thresholds": {known: []string{"warn", "block"}}, "trigger_tools": triggerSection},
}

var hooksSection = &section{
	known: []string{"session_start", "stop", "session_end", "session_learning", "permission_request"},
	inert: []string{"agent_teams", "lazy_dev", "obsidian", "plan_enter", "prompt_submit", "wip_tracking"},
	below: map[string]*section{
		"session_start": {known: []string{"inject_context", "injection_mode", "custom_header", "carry_over"}, inert: []string{"briefing_format"},
			below: map[string]*section{"carry_over": {known: []string{"enabled", "window_seconds", "scopes"}}}},
		"stop":               {known: []string{"verify_requirements", "verify_scopes"}},
		"session_end":        {known: []string{"clear_session_state"}},
		"session_learning":   {known: []string{"enabled", "prompt_on_stop", "min_tool_uses"}},
		"permission_request": {known: []string{"auto_deny_dangerous"}},
	},
}

// messageSection is a message file; see messagefiles.go.
var messageSection = &section{
	known: []string{"version", "blocking_message", "short_message"},
	inert: []string{"success_message", "header", "action_label", "fallback_text"},
}

var topSection = &section{
	known: []string{"version", "enabled", "inherit", "requirements", "hooks"},
	inert: []string{"budgets", "console", "debug", "logging", "strict_preflight", "workflow"},
	below: map[string]*section{"hooks": hooksSection, "requirements": {below: map[string]*section{"": requirementSection}}},
}

// keys warns of every key of a layer that nothing reads, and notes those of the framework that nothing here acts on.
func (l *loader) keys(s *section, n *node, path, requirement string) {
	for _, item := range n.items { // the triggers
		if item.kind == "dict" {
			l.keys(s, item, path, requirement)
		}
	}
	for _, key := range n.keys {
		below := s.below[key]
		switch {
		case len(s.known) == 0: // the names are the user's
			below, requirement = s.below[""], key
		case slices.Contains(s.inert, key):
			l.notes = append(l.notes, at(n.keyAt[key], requirement, fmt.Sprintf("key '%s' is known and not acted on", path+key), ""))
		case !slices.Contains(s.known, key):
			l.warn(n.keyAt[key], requirement, fmt.Sprintf("unknown key '%s'", path+key), keyHint(key, s))
		}
		if below != nil && n.fields[key] != nil {
			l.keys(below, n.fields[key], path+key+".", requirement)
		}
	}
}

func keyHint(key string, s *section) string {
	hint := "the keys here are " + strings.Join(s.known, ", ")
	if near := nearest(key, s.known); near != "" {
		return fmt.Sprintf("did you mean '%s'? %s", near, hint)
	}
	return hint
}

// DidYouMean is the requirement whose name is most like the given one; "" when none is much like it.
func (r Rules) DidYouMean(name string) string { return nearest(name, r.Order) }

// nearest is the word with the best ratio of equal parts, at least .6: the cutoff of the framework (Python's
// difflib.get_close_matches). The first wins a tie.
func nearest(name string, words []string) string {
	const cutoff, longest = .6, 100
	if len(name) > longest {
		return ""
	}
	best, word := cutoff, ""
	letters := strings.Split(name, "")
	for _, w := range words {
		if len(w) > longest {
			continue
		}
		ratio := difflib.NewMatcher(strings.Split(w, ""), letters).Ratio()
		if ratio > best || ratio == best && word == "" {
			best, word = ratio, w
		}
	}
	return word
}
