package config

import (
	"fmt"
	"strings"

	"hookline/hookctl/problem"
)

// Problem is something that is wrong with the configuration, and where.
type Problem struct {
	File    string `json:"file,omitempty" jsonschema_description:"with the problem"`
	Line    int    `json:"line,omitempty" jsonschema_description:"from 1; absent when the whole file is meant"`
	Column  int    `json:"column,omitempty" jsonschema_description:"from 1"`
	Key     string `json:"key,omitempty" jsonschema_description:"that is meant"`
	Unknown bool   `json:"unknown,omitempty" jsonschema_description:"there is no such key"`
	Message string `json:"message" jsonschema_description:"what is wrong"`
	Hint    string `json:"hint,omitempty" jsonschema_description:"what to do"`
}

// Error is "file:line:column: message", with as much of the place as is known.
func (p Problem) Error() string {
	var at strings.Builder
	at.WriteString(p.File)
	for _, n := range []int{p.Line, p.Column} {
		if n > 0 {
			fmt.Fprintf(&at, ":%d", n)
		}
	}
	if at.Len() == 0 {
		return p.Message
	}
	return at.String() + ": " + p.Message
}

// Warning is the problem as one line for a verb that is about something else: where it is, what is wrong, and that work goes on.
func (p Problem) Warning() string {
	w := "configuration: " + p.Error()
	if p.Hint != "" {
		w += " (" + p.Hint + ")"
	}
	return w
}

// unknown is the problem of a key that does not exist.
func unknown(name string) Problem {
	all := make([]string, 0, len(keys))
	for _, k := range keys {
		all = append(all, k.Name)
	}
	f := problem.Faultf("unknown key %q", name).Advise("the keys are "+strings.Join(all, ", ")).Meant(strings.NewReplacer("-", "_", " ", "_").Replace(name), all, "%s")
	return Problem{Key: name, Unknown: true, Message: f.Message, Hint: f.Hint}
}
