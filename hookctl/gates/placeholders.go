package gates

import (
	"regexp"
	"slices"
	"strconv"
)

// placeholders are the names that a text may have in braces.
var placeholders = []string{"auto_resolve_skill", "base_branch", "block_threshold", "branch", "committed", "project_dir",
	"req_name", "satisfied_by_skill", "session_id", "staged", "summary", "total", "unstaged", "value", "warn_threshold"}

// braces is Python's replacement field, with what stands before it: after $ and @ it is a shell's or git's own
// (${HOME}, HEAD@{1}). {{x}} is the text {x}. A conversion or a format, {value:,.1f}, is not applied.
var braces = regexp.MustCompile(`([$@])?\{\{([^{}]*)\}\}|([$@])?\{([A-Za-z_][A-Za-z0-9_]*)(?:![rsa])?(?::[^{}]*)?\}`)

// Placeholders fills the fields of a text. Those of the requirement itself are known, the rest is taken from values
// and is "" where it is not there; a value that has braces in it is not filled again. A name that is no placeholder
// stays as it is written: it may be part of an address or of a command.
func Placeholders(text string, q Requirement, values map[string]string) string {
	return braces.ReplaceAllStringFunc(text, func(all string) string {
		m := braces.FindStringSubmatch(all)
		switch {
		case m[1] != "" || m[3] != "":
			return all
		case m[4] == "":
			return "{" + m[2] + "}"
		case !slices.Contains(placeholders, m[4]):
			return all
		}
		return value(m[4], q, values)
	})
}

func value(name string, q Requirement, values map[string]string) string {
	if v, ok := values[name]; ok {
		return v
	}
	switch name {
	case "auto_resolve_skill":
		return q.AutoResolveSkill
	case "satisfied_by_skill":
		return q.SatisfiedBySkill
	case "req_name":
		return q.Name
	case "total":
		return values["value"]
	case "block_threshold":
		return Number(q.Thresholds.Block)
	case "warn_threshold":
		if q.Thresholds.HasWarn {
			return Number(q.Thresholds.Warn)
		}
	}
	return ""
}

// Number is a figure without a needless fraction: 400, 0.5.
func Number(f float64) string { return strconv.FormatFloat(f, 'f', -1, 64) }
