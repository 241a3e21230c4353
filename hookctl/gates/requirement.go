package gates

import "fmt"

// requirement decodes one merged entry, whose values are what their schema wants. False: it is left out.
func (l *loader) requirement(name string, n *node, where place) (Requirement, bool) {
	limits := n.get("thresholds")
	q := Requirement{
		Name: name, File: where.file, Line: where.line, Column: where.column,

		Enabled:          n.truthOf("enabled", false),
		Type:             n.textOf("type", Blocking),
		Scope:            n.textOf("scope", SessionScope),
		Message:          n.textOf("message", ""),
		ShortMessage:     n.textOf("short_message", ""),
		Checklist:        n.textsOf("checklist"),
		AutoResolveSkill: n.textOf("auto_resolve_skill", ""),
		SatisfiedBySkill: n.textOf("satisfied_by_skill", ""),
		StopOnly:         n.truthOf("stop_only", false),
		ReplanTTL:        n.secondsOf("replan_ttl", 0),

		GuardType:         n.textOf("guard_type", ""),
		ProtectedBranches: n.textsOf("protected_branches", "master", "main"),

		CacheTTL:    n.secondsOf("cache_ttl", DefaultCacheTTL),
		ApprovalTTL: n.secondsOf("approval_ttl", DefaultApprovalTTL),
		Base:        n.textOf("base", ""),
		Thresholds:  Thresholds{Block: limits.numberOf("block", 0), Warn: limits.numberOf("warn", 0), HasWarn: limits.get("warn") != nil},
	}
	switch {
	case q.Type == Guard && q.GuardType == "":
		l.drop(where, name, fmt.Sprintf("Guard requirement '%s' must have 'guard_type' field", name), "the guards are protected_branch, single_session, dirty_tree")
	case q.Type == Dynamic && n.get("calculator") == nil:
		l.drop(where, name, fmt.Sprintf("Dynamic requirement '%s' missing required 'calculator' field", name), "write calculator: "+BranchSizeCalculator)
	case q.Type == Dynamic && limits.get("block") == nil:
		l.drop(where, name, fmt.Sprintf("Dynamic requirement '%s' missing required 'thresholds.block' field", name), "write thresholds: {block: 400}")
	case q.Type == Dynamic:
		q.Message = n.textOf("blocking_message", "")
	}

	if tools := n.get("trigger_tools"); tools != nil {
		q.Triggers = l.triggers(name, tools)
	} else {
		for _, tool := range defaultTools {
			q.Triggers = append(q.Triggers, Trigger{Tool: tool})
		}
	}
	return q, !l.out[name]
}

// UnknownBase says that the size of the branch cannot be measured from the configured base.
func (q Requirement) UnknownBase() string {
	return fmt.Sprintf("requirement '%s' lets everything pass: its base '%s' does not exist in this repository", q.Name, q.Base)
}
