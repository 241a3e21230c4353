package daemon

import (
	"os"
	"slices"
	"sync/atomic"

	"hookline/events"
	"hookline/hookctl/gates"
)

// gateRules are the rules of a work tree.
type gateRules struct {
	gates.Rules
	files    watchedFiles
	adopted  bool        // the user's own file exists
	wasOn    bool        // an earlier reading had the gates on
	recorded atomic.Bool // its problems are in the log
}

// rulesOf returns the rules of a work tree. The message files that are read are watched from then on; a change of their folder
// shows that a missing one was made.
func (gr *gateReader) rulesOf(o gates.Options) *gateRules {
	old, known := gr.rules.Get(o.Root)
	if known && old.files.unchanged() {
		return old
	}

	next := &gateRules{}
	for _, name := range o.Watched() {
		next.files.add(name)
	}
	next.adopted = o.Home != "" && next.files.marks[0] != fileMark{}
	o.Read = func(name string) ([]byte, error) {
		if _, err := os.Stat(name); err == nil && !slices.Contains(next.files.names, name) {
			next.files.add(name)
		}
		return gates.ReadFile(name)
	}
	next.Rules = gates.Load(o)
	if known {
		next.wasOn = old.wasOn || old.Off() == ""
		next.recorded.Store(old.recorded.Load() && slices.Equal(old.Problems, next.Problems))
	}
	gr.rules.Put(o.Root, next)
	return next
}

// problemsRecorded remembers that the log has what is wrong with the rules of a work tree.
func (gr *gateReader) problemsRecorded(root string) {
	if rules, ok := gr.rules.Get(root); ok {
		rules.recorded.Store(true)
	}
}

// maxProblems bounds what one reading of a configuration puts into the log.
const maxProblems = 16

// news returns the problems that the log does not have yet.
func (l *gateRules) news() []events.GateConfigInvalid {
	if l.recorded.Load() {
		return nil
	}
	var out []events.GateConfigInvalid
	for _, p := range l.Invalid() {
		if len(out) < maxProblems {
			out = append(out, events.GateConfigInvalid{File: p.File, Line: p.Line, Column: p.Column, Requirement: p.Requirement, Message: p.Message})
		}
	}
	return out
}
