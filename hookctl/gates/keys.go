package gates

import (
	"fmt"
	"strings"

	"github.com/invopop/jsonschema"

	"hookline/hookctl/problem"
)

// keys warns of every key of a mapping that its schema does not have, and notes those that nothing here acts on.
func (l *loader) keys(s *jsonschema.Schema, n *node, path, requirement string) {
	s = mapping(s)
	for _, item := range n.items { // the triggers
		l.keys(s, item, path, requirement)
	}
	named := s.Properties == nil // the keys are names that the user gave
	if named && s.AdditionalProperties == nil {
		return
	}

	for _, key := range n.keys {
		below := s.AdditionalProperties
		if named {
			requirement = key
		} else {
			below, _ = s.Properties.Get(key)
		}
		switch {
		case below == nil:
			l.warn(n.keyAt[key], requirement, fmt.Sprintf("unknown key '%s'", path+key), keyHint(key, s))
		case below.Description == notActedOn:
			l.notes = append(l.notes, at(n.keyAt[key], requirement, fmt.Sprintf("key '%s' is known and not acted on", path+key), ""))
		default:
			l.keys(below, n.fields[key], path+key+".", requirement)
		}
	}
}

func keyHint(key string, s *jsonschema.Schema) string {
	var known []string
	for p := s.Properties.Oldest(); p != nil; p = p.Next() {
		if p.Value.Description != notActedOn {
			known = append(known, p.Key)
		}
	}
	return hint(key, known, "the keys here are "+strings.Join(known, ", "))
}

// hint is what to write instead of a word that is none of those known.
func hint(word string, known []string, otherwise string) string {
	near := problem.Nearest(word, known)
	if near == "" {
		return otherwise
	}
	return strings.TrimSpace(fmt.Sprintf("did you mean '%s'? %s", near, otherwise))
}
