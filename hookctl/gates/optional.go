package gates

import (
	"fmt"
	"slices"
	"strings"
	"time"
)

// maxSeconds is a century: what is above is a mistake, and would overflow a time.Duration.
const maxSeconds = 100 * 365 * 24 * 3600

// optional reads the keys of a mapping that have a default. A malformed value counts as the default and is a problem.
type optional struct {
	l           *loader
	n           *node
	label       string // names a key in a message: hooks.stop.%s
	requirement string
	warning     bool // the problem is a warning
}

// value is what a key has; nil where it has none that is well formed.
func (o optional) value(key, want, otherwise string, good func(*node) bool) *node {
	v := o.n.get(key)
	if v == nil || v.kind == "NoneType" {
		return nil
	}
	if good(v) {
		return v
	}
	p := at(v.at, o.requirement, fmt.Sprintf(o.label, key)+" must be "+want+", got "+v.kind, "it counts as "+otherwise)
	p.Warning = o.warning
	o.l.add(p)
	return nil
}

func (o optional) truth(key string, otherwise bool) bool {
	v := o.value(key, "bool", fmt.Sprint(otherwise), func(v *node) bool { return v.kind == "bool" })
	if v == nil {
		return otherwise
	}
	return v.truth
}

func (o optional) text(key string) string {
	v := o.value(key, "str", "not set", func(v *node) bool { return v.kind == "str" })
	if v == nil {
		return ""
	}
	return v.text
}

func (o optional) number(key, want string, otherwise float64) float64 {
	v := o.value(key, want, fmt.Sprint(otherwise), func(v *node) bool {
		return (v.kind == "int" || v.kind == "float") && v.number >= 0 && v.number <= maxSeconds
	})
	if v == nil {
		return otherwise
	}
	return v.number
}

func (o optional) seconds(key, want string, otherwise time.Duration) time.Duration {
	return time.Duration(o.number(key, want, otherwise.Seconds()) * float64(time.Second))
}

// mode is the form of the status at a session's start. An unknown one is standard.
func (o optional) mode(key string) string {
	modes := []string{"auto", "compact", "standard", "rich"}
	v := o.n.get(key)
	switch {
	case v == nil || v.kind == "NoneType":
		return "auto"
	case v.kind == "str" && slices.Contains(modes, v.text):
		return v.text
	}
	o.l.warn(v.at, "", fmt.Sprintf(o.label, key)+" must be one of: "+strings.Join(modes, ", "), "it counts as standard")
	return "standard"
}

func (o optional) scopes(key string) []Scope {
	v := o.value(key, "a list", "[session]", func(v *node) bool { return v.kind == "list" })
	if v == nil {
		return []Scope{SessionScope}
	}
	all := []Scope{BranchScope, PermanentScope, SessionScope, SingleUse}
	list := []Scope{}
	for _, item := range v.items {
		if scope := Scope(item.text); slices.Contains(all, scope) {
			list = append(list, scope)
			continue
		}
		o.l.invalid(item.at, "", fmt.Sprintf(o.label, key)+" must contain only: branch, permanent, session, single_use", "this entry is left out")
	}
	return list
}
