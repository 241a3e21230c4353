package daemon

import (
	"os"
	"slices"
	"sync"
	"time"

	"hookline/events"
	"hookline/hookctl/facts"
	"hookline/hookctl/gates"
)

// gateFiles remembers the rules of work trees for as long as their files look as they did. The zero
// value is ready.
type gateFiles struct {
	mu    sync.Mutex
	by    map[string]*loadedRules
	sizes facts.Sizes
}

type loadedRules struct {
	rules    gates.Rules
	adopted  bool // the user's own file exists
	watched  []string
	marks    []fileMark // of what is watched, as it looked before it was read
	recorded bool       // its problems are in the log
	wasOn    bool       // an earlier reading had the gates on
}

// fileMark is how a file looked. Equal stat data proves equal content only once the modification is
// older than the coarsest clock of a file system, 2 s.
type fileMark struct {
	info    os.FileInfo // nil: there was none
	settled bool
}

const settleTime = 2 * time.Second

func markFile(name string, now time.Time) fileMark {
	info, err := os.Stat(name)
	if name == "" || err != nil {
		return fileMark{settled: true}
	}
	return fileMark{info: info, settled: now.Sub(info.ModTime()) > settleTime}
}

func (m fileMark) same(o fileMark) bool {
	if m.info == nil || o.info == nil {
		return m.info == nil && o.info == nil
	}
	return m.settled && os.SameFile(m.info, o.info) && m.info.Size() == o.info.Size() && m.info.ModTime().Equal(o.info.ModTime())
}

// maxRoots bounds the work trees whose rules are remembered.
const maxRoots = 256

// of gives the rules of a work tree. The files are looked at and read without the lock: those of one work tree must not
// hold up the others.
func (g *gateFiles) of(o gates.Options, now time.Time) *loadedRules {
	root := o.Root

	g.mu.Lock()
	old := g.by[root]
	g.mu.Unlock()
	if old != nil && old.asBefore(now) {
		return old
	}
	next := loadRules(o, now)
	g.mu.Lock()
	defer g.mu.Unlock()
	if old = g.by[root]; old != nil {
		next.wasOn = old.wasOn || old.rules.Off() == ""
	}
	if old != nil && slices.Equal(old.rules.Problems, next.rules.Problems) {
		next.recorded = old.recorded
	}
	keep(&g.by, maxRoots, root, next)
	return next
}

func (l *loadedRules) asBefore(now time.Time) bool {
	for i, name := range l.watched {
		if !l.marks[i].same(markFile(name, now)) {
			return false
		}
	}
	return true
}

// loadRules reads the rules and remembers how their files looked before that: a change meanwhile is seen next time.
func loadRules(o gates.Options, now time.Time) *loadedRules {
	l := &loadedRules{}
	for _, name := range append(o.Watched(), o.MessageDirs()...) {
		l.watch(name, now)
	}
	l.adopted = o.Home != "" && l.marks[0].info != nil
	o.FS = watcher{into: l, now: now}
	l.rules = gates.Load(o)
	return l
}

func (l *loadedRules) watch(name string, now time.Time) {
	l.watched, l.marks = append(l.watched, name), append(l.marks, markFile(name, now))
}

// watcher is the disk. The message files that are read are watched from then on; of those that are not there their
// folder tells.
type watcher struct {
	gates.Disk
	into *loadedRules
	now  time.Time
}

func (w watcher) ReadFile(name string) ([]byte, error) {
	if !slices.Contains(w.into.watched, name) {
		if mark := markFile(name, w.now); mark.info != nil {
			w.into.watched, w.into.marks = append(w.into.watched, name), append(w.into.marks, mark)
		}
	}
	return w.Disk.ReadFile(name)
}

// maxProblems bounds what one reading of a configuration puts into the log.
const maxProblems = 16

// news are the problems that the log does not have yet.
func (g *gateFiles) news(root string) []events.GateConfigInvalid {
	g.mu.Lock()
	defer g.mu.Unlock()
	l := g.by[root]
	if l == nil || l.recorded {
		return nil
	}

	var out []events.GateConfigInvalid
	for _, p := range l.rules.Invalid() {
		if len(out) < maxProblems {
			out = append(out, events.GateConfigInvalid{File: p.File, Line: p.Line, Column: p.Column, Requirement: p.Requirement, Message: p.Message})
		}
	}
	return out
}

// recorded keeps that the log has the problems of a work tree.
func (g *gateFiles) recorded(root string) {
	g.mu.Lock()
	defer g.mu.Unlock()
	if l := g.by[root]; l != nil {
		l.recorded = true
	}
}
