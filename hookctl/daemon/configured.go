package daemon

import (
	"os"
	"slices"
	"sync/atomic"

	"hookline/events"
	"hookline/hookctl/config"
	"hookline/hookctl/gates"
	"hookline/hookctl/redact"
)

// What configuration files say counts as they are now: a change holds from the next hook on. Looking costs some stats.
// Files are looked at and read without a lock: those of one project must not hold up the others.

// maxRoots bounds the folders whose configuration is remembered.
const maxRoots = 256

// watchedFiles has files as they looked before they were read, so that a change while they are read is seen next time.
type watchedFiles struct {
	names []string
	marks []fileMark
}

// fileMark is how a file looked; the zero value stands for no file.
type fileMark struct {
	size    int64
	changed int64 // Unix nanoseconds
}

func markOf(name string) fileMark {
	info, err := os.Stat(name)
	if name == "" || err != nil {
		return fileMark{}
	}
	return fileMark{info.Size(), info.ModTime().UnixNano()}
}

func (w *watchedFiles) add(name string) {
	w.names = append(w.names, name)
	w.marks = append(w.marks, markOf(name))
}

// unchanged reports whether all files look as they did.
func (w *watchedFiles) unchanged() bool {
	for i, name := range w.names {
		if markOf(name) != w.marks[i] {
			return false
		}
	}
	return true
}

// projectConfig is what configuration files say of the project that a client was launched in.
type projectConfig struct {
	config.Config
	files    watchedFiles
	redactor *redact.Redactor // with what redact_extra of the project adds
	off      bool             // the user's configuration says that nothing of it is recorded
}

// configured returns what configuration files say of a folder that a client was launched in.
func (d *Daemon) configured(launch string) *projectConfig {
	if known, ok := d.projects.Get(launch); ok && known.files.unchanged() {
		return known
	}

	o := config.Options{Getenv: os.Getenv, Dir: launch}
	next := &projectConfig{redactor: d.redactor}
	for _, name := range config.Paths(o) {
		next.files.add(name)
	}
	next.Config = config.Load(o)
	next.off = !config.Load(config.Options{Getenv: os.Getenv}).Values.Records(launch)
	user, added := config.Patterns(os.Getenv, launch)
	for _, p := range d.opts.Redact {
		if !slices.Contains(user, p) {
			user = append(user, p)
		}
	}
	if len(user) > len(d.opts.Redact) || len(added) > 0 {
		next.redactor = d.redactor.With(redact.Extra{User: redact.Compile(user), Project: redact.Compile(added)})
	}
	d.projects.Put(launch, next)
	return next
}

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
func (d *Daemon) rulesOf(o gates.Options) *gateRules {
	old, known := d.rules.Get(o.Root)
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
	d.rules.Put(o.Root, next)
	return next
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
