package daemon

import (
	"os"
	"slices"
	"sync"
	"time"

	"hookline/events"
	"hookline/hookctl/facts"
	"hookline/hookctl/requirements"
)

// gateFiles remembers the rules of work trees for as long as their files look as they did. The zero
// value is ready.
type gateFiles struct {
	mu    sync.Mutex
	by    map[string]*loadedRules
	sizes facts.Sizes
}

type loadedRules struct {
	rules    requirements.Rules
	adopted  bool // the user's own file exists
	marks    [3]fileMark
	recorded bool // its problems are in the log
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

// of gives the rules of a work tree.
func (g *gateFiles) of(root, home string, now time.Time) *loadedRules {
	o := requirements.Options{Home: home, Root: root}
	global, project, local := o.Paths()
	marks := [3]fileMark{markFile(global, now), markFile(project, now), markFile(local, now)} // before the reading: a change meanwhile is seen next time
	g.mu.Lock()
	defer g.mu.Unlock()
	old := g.by[root]
	if old != nil && slices.EqualFunc(old.marks[:], marks[:], fileMark.same) {
		return old
	}
	next := &loadedRules{rules: requirements.Load(o), adopted: marks[0].info != nil, marks: marks}
	if old != nil && slices.Equal(old.rules.Problems, next.rules.Problems) {
		next.recorded = old.recorded
	}
	if g.by == nil || len(g.by) >= maxRoots {
		g.by = map[string]*loadedRules{}
	}
	g.by[root] = next
	return next
}

// maxProblems bounds what one reading of a configuration puts into the log.
const maxProblems = 16

// news are the problems that the log does not have yet. The caller holds the order of the log.
func (g *gateFiles) news(root string) []events.GateConfigInvalid {
	g.mu.Lock()
	defer g.mu.Unlock()
	l := g.by[root]
	if l == nil || l.recorded {
		return nil
	}
	l.recorded = true
	var out []events.GateConfigInvalid
	for _, p := range l.rules.Invalid() {
		if len(out) < maxProblems {
			out = append(out, events.GateConfigInvalid{File: p.File, Line: p.Line, Column: p.Column, Requirement: p.Requirement, Message: p.Message})
		}
	}
	return out
}
