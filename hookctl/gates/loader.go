package gates

import (
	"fmt"
	"slices"
)

// loader gathers what is wrong while the layers are read and the merged result is decoded.
type loader struct {
	fs       FS
	problems []Problem
	notes    []Problem
}

func (l *loader) add(p Problem) { l.problems = append(l.problems, p) }

func at(p place, requirement, message, hint string) Problem {
	return Problem{File: p.file, Line: p.line, Column: p.column, Requirement: requirement, Message: message, Hint: hint}
}

// invalid is the problem of a part that is left out.
func (l *loader) invalid(p place, requirement, message, hint string) {
	l.add(at(p, requirement, message, hint))
}

// warn is the problem of something that has no effect.
func (l *loader) warn(p place, requirement, message, hint string) {
	w := at(p, requirement, message, hint)
	w.Warning = true
	l.add(w)
}

// clean takes what is malformed out of one layer, so that it cannot hide what the other layers say. An empty layer
// is nil.
func (l *loader) clean(path string, root *node) *node {
	if root == nil || root.kind == "NoneType" {
		return nil
	}
	if root.kind != "dict" {
		l.invalid(root.at, "", "the file must be a mapping, got "+root.kind, "write `requirements:` and the names below it")
		return nil
	}
	out := root.copy()
	l.cleanMap(out, "requirements", func(name string, n *node, where place) bool {
		if n.kind != "dict" {
			l.invalid(where, name, fmt.Sprintf("Requirement '%s' must be a mapping, got %s", name, n.kind), "write its keys indented below its name")
			return false
		}
		return true
	})
	l.cleanMap(out, "hooks", func(name string, n *node, where place) bool {
		if n.kind != "dict" && n.kind != "NoneType" {
			l.invalid(where, "", fmt.Sprintf("hooks.%s must be a mapping, got %s", name, n.kind), "its settings keep their defaults")
		}
		return n.kind == "dict"
	})
	for _, key := range []string{"enabled", "inherit"} {
		if n := out.get(key); n != nil && n.kind != "bool" && n.kind != "int" {
			l.invalid(n.at, "", fmt.Sprintf("`%s` must be bool, got %s", key, n.kind), "it counts as true")
			out.drop(key)
		}
	}
	l.keys(document(), out, "", "")
	if len(out.keys) == 0 {
		return nil
	}
	return out
}

// cleanMap keeps those entries of a top-level mapping that keep says are well formed.
func (l *loader) cleanMap(root *node, key string, keep func(string, *node, place) bool) {
	n := root.get(key)
	switch {
	case n == nil:
		return
	case n.kind == "dict":
	case n.kind == "NoneType": // its entries are all commented out
		root.drop(key)
		return
	default:
		l.invalid(n.at, "", fmt.Sprintf("`%s` must be a mapping, got %s", key, n.kind), "this file's `"+key+"` are left out")
		root.drop(key)
		return
	}
	good := n.copy()
	for _, name := range slices.Clone(n.keys) {
		if !keep(name, n.fields[name], n.keyAt[name]) {
			good.drop(name)
		}
	}
	root.set(key, root.keyAt[key], good)
}

// truthy is a switch that is on unless it is said to be off.
func truthy(n *node) bool {
	switch {
	case n == nil:
		return true
	case n.kind == "int":
		return n.number != 0
	}
	return n.truth
}

// rules decodes the merged layers.
func (l *loader) rules(root *node) Rules {
	r := Rules{Enabled: truthy(root.get("enabled")), ByName: map[string]Requirement{}}
	if list := root.get("requirements"); list != nil {
		for _, name := range list.keys {
			if q, ok := l.requirement(name, list.fields[name], list.keyAt[name]); ok {
				r.ByName[name] = q
				r.Order = append(r.Order, name)
			}
		}
	}
	r.Hooks = l.hooks(root.get("hooks"))
	skills := map[string][]string{}
	for skill, names := range builtinSkills {
		skills[skill] = slices.Clone(names)
	}
	for _, q := range r.InOrder() {
		if s := q.SatisfiedBySkill; s != "" && !slices.Contains(skills[s], q.Name) {
			skills[s] = append(skills[s], q.Name)
		}
	}

	r.Skills = skills
	r.Problems, r.Notes = l.problems, l.notes
	return r
}
