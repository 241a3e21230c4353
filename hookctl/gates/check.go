package gates

import (
	_ "embed" // the schema and the starter file
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"sync"

	"github.com/invopop/jsonschema"

	"hookline/hookctl/problem"
)

// Starter is a commented .claude/requirements.yaml that loads without problems: one gate is on, the rest are there
// to be switched on.
//
//go:embed starter.yaml
var Starter string

// Schema is the JSON Schema (2020-12) of a file, for editors. The loader checks a file by it.
//
//go:embed schema.json
var Schema string

// notActedOn is the description of a key of the framework that is known and has no effect.
const notActedOn = "known, and not acted on"

// document is the schema, decoded when the first file is read.
var document = sync.OnceValue(func() *jsonschema.Schema {
	var s jsonschema.Schema
	if err := json.Unmarshal([]byte(Schema), &s); err != nil {
		panic(err) // the file is embedded, and a test has read it
	}
	return &s
})

// lenient are the keys of a requirement whose malformed value costs the value alone; another one's takes the requirement
// out, as in the framework.
var lenient = setOf("short_message blocking_message base stop_only replan_ttl cache_ttl approval_ttl")

// loader gathers what is wrong while the layers are read and the merged result is decoded.
type loader struct {
	read     func(name string) ([]byte, error)
	problems []Problem
	notes    []Problem
	out      map[string]bool // requirements with a problem that takes them out
}

func at(p place, requirement, message, hint string) Problem {
	return Problem{File: p.file, Line: p.line, Column: p.column, Requirement: requirement, Message: message, Hint: hint}
}

// invalid records the problem of a part that is left out.
func (l *loader) invalid(p place, requirement, message, hint string) {
	l.problems = append(l.problems, at(p, requirement, message, hint))
}

// warn records the problem of something that has no effect.
func (l *loader) warn(p place, requirement, message, hint string) {
	l.invalid(p, requirement, message, hint)
	l.problems[len(l.problems)-1].Warning = true
}

// drop records the first problem of a requirement that is left out because of it.
func (l *loader) drop(p place, requirement, message, hint string) {
	if !l.out[requirement] {
		l.out[requirement] = true
		l.invalid(p, requirement, message, hint)
	}
}

// check returns what a schema allows of a mapping. It records what is not as it should be, and notes the keys that
// nothing here acts on. path is what stands before the mapping's keys, requirement the one that they are about.
func (l *loader) check(s *jsonschema.Schema, n *node, path, requirement string) *node {
	out := newMapping(n.at)
	for _, key := range n.keys {
		v, where := n.fields[key], n.keyAt[key]
		below, about := s.AdditionalProperties, key // the key is a name that the user gave
		if s.Properties != nil {
			below, _ = s.Properties.Get(key)
			about = requirement
		}
		switch {
		case below == nil:
			l.warn(where, about, fmt.Sprintf("unknown key '%s'", path+key), keyHint(key, s))
		case below.Description == notActedOn:
			l.notes = append(l.notes, at(where, about, fmt.Sprintf("key '%s' is known and not acted on", path+key), ""))
		case v.kind == "NoneType" && below.Type == "object": // its lines are all commented out
		case wants(below, v) != "":
			l.misfit(below, v, path+key, about)
		default:
			out.set(key, where, l.checkValue(below, v, path+key+".", about))
		}
	}
	return out
}

// checkValue returns what a schema allows in a mapping, or in the mappings of a list.
func (l *loader) checkValue(s *jsonschema.Schema, v *node, path, requirement string) *node {
	switch {
	case v.kind == "dict":
		return l.check(s, v, path, requirement)
	case s.Items == nil || s.Items.Properties == nil:
		return v
	}
	out := *v
	out.items = slices.Clone(v.items)
	for i, item := range v.items {
		if item.kind == "dict" {
			out.items[i] = l.check(s.Items, item, path, requirement)
		}
	}
	return &out
}

// misfit records a value that is not what its schema wants.
func (l *loader) misfit(s *jsonschema.Schema, v *node, path, requirement string) {
	name, key := path, ""
	if requirement != "" {
		name = fmt.Sprintf("Requirement '%s'", requirement)
		key = strings.TrimPrefix(strings.TrimPrefix(path, "requirements."+requirement), ".")
	}
	if key != "" {
		name += fmt.Sprintf(" field '%s'", key)
	}
	message := name + " must be " + wants(s, v)
	hint := ""
	if near := problem.Nearest(v.text, words(s)); near != "" {
		hint = fmt.Sprintf("did you mean '%s'?", near)
	}

	inRules := requirement != "" && key != "" && key != path // not in a message file
	switch {
	case inRules && lenient[key]:
		l.warn(v.at, requirement, message, hint)
	case inRules:
		l.drop(v.at, requirement, message, hint)
	default:
		l.invalid(v.at, requirement, message, hint)
	}
}

// wants returns what a value must be by its schema, in the framework's words; "" where it is that.
func wants(s *jsonschema.Schema, v *node) string {
	switch {
	case s.Type == "boolean" && v.kind != "bool":
		return "bool"
	case s.Type == "string" && v.kind != "str":
		return "str"
	case s.Type == "number" && (v.kind != "int" && v.kind != "float" || v.number < 0):
		return "a positive number"
	case s.Type == "array" && v.kind != "list":
		return "a list"
	case s.Type == "object" && v.kind != "dict":
		return "a mapping"
	case s.MinLength != nil && strings.TrimSpace(v.text) == "":
		return "a name"
	case s.Enum != nil && !slices.Contains(words(s), v.text):
		return "one of: " + strings.Join(words(s), ", ")
	}
	if s.Items == nil || s.Items.Type != "string" {
		return ""
	}
	for _, item := range v.items {
		if item.kind == "list" || item.kind == "dict" || item.kind == "NoneType" {
			return "a list of strings"
		}
		if s.Items.Enum != nil && !slices.Contains(words(s.Items), item.text) {
			return "a list of: " + strings.Join(words(s.Items), ", ")
		}
	}
	return ""
}

// words returns the texts that a schema allows, sorted.
func words(s *jsonschema.Schema) []string {
	var list []string
	for _, w := range s.Enum {
		list = append(list, fmt.Sprint(w))
	}
	slices.Sort(list)
	return list
}

// keyHint returns what to write instead of a key that is not known.
func keyHint(key string, s *jsonschema.Schema) string {
	var known []string
	for p := s.Properties.Oldest(); p != nil; p = p.Next() {
		if p.Value.Description != notActedOn {
			known = append(known, p.Key)
		}
	}
	text := "the keys here are " + strings.Join(known, ", ")
	if near := problem.Nearest(key, known); near != "" {
		text = fmt.Sprintf("did you mean '%s'? %s", near, text)
	}
	return text
}
