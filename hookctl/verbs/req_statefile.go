package verbs

import (
	"encoding/json"
	"math"
	"strings"
	"time"

	"hookline/events"
	"hookline/projector/gate"
)

// The files of the requirements framework: <git common dir>/requirements/<branch>.json, a branch's gates,
// and ~/.claude/sessions.json, the registry. Times are whole seconds since 1970; sessions are named by
// eight characters, in old files by their whole ids.

const stateVersion = "1.0"

type stateFile struct {
	Version      string               `json:"version"`
	Branch       string               `json:"branch"`
	Project      string               `json:"project"`
	CreatedAt    int64                `json:"created_at,omitempty"`
	UpdatedAt    int64                `json:"updated_at,omitempty"`
	Requirements map[string]stateGate `json:"requirements"`
}

type stateGate struct {
	Scope    string                `json:"scope,omitempty"`
	Sessions map[string]stateEntry `json:"sessions,omitempty"`
	stateEntry
}

type stateEntry struct {
	Triggered   bool            `json:"triggered,omitempty"`
	TriggeredAt *float64        `json:"triggered_at,omitempty"`
	Satisfied   bool            `json:"satisfied,omitempty"`
	SatisfiedAt *float64        `json:"satisfied_at,omitempty"`
	SatisfiedBy string          `json:"satisfied_by,omitempty"`
	Metadata    json.RawMessage `json:"metadata,omitempty"`
	ExpiresAt   *float64        `json:"expires_at,omitempty"`
}

type registryFile struct {
	Version  string                   `json:"version"`
	Sessions map[string]registryEntry `json:"sessions"`
}

type registryEntry struct {
	PID        int     `json:"pid"`
	PPID       int     `json:"ppid"`
	ProjectDir string  `json:"project_dir"`
	Branch     string  `json:"branch"`
	StartedAt  float64 `json:"started_at"`
	LastActive float64 `json:"last_active"`
}

// entries are what a file says, in order. full gives the whole id behind eight characters, "" where it is
// not known: the short form then stays the key.
func (s stateFile) entries(full func(short string) string) []events.GateImportedEntry {
	var list []events.GateImportedEntry
	for _, name := range sortedKeys(s.Requirements) {
		g := s.Requirements[name]
		if e, ok := g.stateEntry.imported(name, g.Scope, ""); ok {
			list = append(list, e)
		}
		for _, id := range sortedKeys(merged(g.Sessions, full)) {
			if e, ok := merged(g.Sessions, full)[id].imported(name, g.Scope, id); ok {
				list = append(list, e)
			}
		}
	}
	return list
}

// merged gives each session one entry under the best id there is; of two satisfactions the newer wins.
func merged(in map[string]stateEntry, full func(string) string) map[string]stateEntry {
	ids := map[string]string{} // eight characters → key
	for _, id := range sortedKeys(in) {
		short := events.Alias(id)
		switch {
		case len(id) > len(short):
			ids[short] = id
		case ids[short] == "":
			ids[short] = short
		}
	}
	for short, id := range ids {
		if known := full(short); id == short && known != "" {
			ids[short] = known
		}
	}
	out := map[string]stateEntry{}
	for _, id := range sortedKeys(in) {
		key, e := ids[events.Alias(id)], in[id]
		if old, ok := out[key]; ok {
			e = newerOf(old, e)
		}
		out[key] = e
	}
	return out
}

func newerOf(a, b stateEntry) stateEntry {
	if moment(b.SatisfiedAt).After(moment(a.SatisfiedAt)) {
		a, b = b, a
	}
	if !a.Triggered && b.Triggered {
		a.Triggered, a.TriggeredAt = true, b.TriggeredAt
	}
	return a
}

// imported is an entry as an event says it; false when it says nothing.
func (e stateEntry) imported(name, scope, session string) (events.GateImportedEntry, bool) {
	out := events.GateImportedEntry{Name: name, Scope: scope, Session: session}
	if e.Satisfied {
		out.SatisfiedAt, out.SatisfiedBy, out.ExpiresAt = rfc(dateOf(e.SatisfiedAt)), e.SatisfiedBy, rfc(moment(e.ExpiresAt))
		if out.SatisfiedBy == "" {
			out.SatisfiedBy = "import"
		}
		if string(e.Metadata) != "null" && string(e.Metadata) != "{}" {
			out.Metadata = e.Metadata
		}
	}
	if e.Triggered {
		out.TriggeredAt = rfc(dateOf(e.TriggeredAt))
	}
	return out, e.Satisfied || e.Triggered
}

// moment is a time in seconds since 1970; none and what is out of range is the zero time.
func moment(seconds *float64) time.Time {
	if seconds == nil || !(*seconds > 0 && *seconds < 1e11) {
		return time.Time{}
	}
	whole, part := math.Modf(*seconds)
	return time.Unix(int64(whole), int64(part*1e9)).UTC()
}

// dateOf is a moment that a file may leave out.
func dateOf(seconds *float64) time.Time {
	if t := moment(seconds); !t.IsZero() {
		return t
	}
	return gate.Unknown
}

// exported is a branch's state in the file's shape.
func exported(branch, project string, s gate.State) stateFile {
	out := stateFile{Version: stateVersion, Branch: branch, Project: project, Requirements: map[string]stateGate{}}
	for name, g := range s.Gates {
		sg := stateGate{Scope: g.Scope, stateEntry: out.entry(g.Branch)}
		for _, id := range sortedKeys(g.Sessions) {
			e := out.entry(g.Sessions[id])
			if !e.Satisfied && !e.Triggered {
				continue
			}
			if sg.Sessions == nil {
				sg.Sessions = map[string]stateEntry{}
			}
			short := events.Alias(id)
			if old, ok := sg.Sessions[short]; ok {
				e = newerOf(old, e)
			}
			sg.Sessions[short] = e
		}
		if sg.Satisfied || sg.Triggered || len(sg.Sessions) > 0 {
			out.Requirements[name] = sg
		}
	}
	return out
}

// entry is an entry in the file's shape; it widens the file's span of time.
func (f *stateFile) entry(e gate.Entry) stateEntry {
	var out stateEntry
	if m := e.Satisfied; m != nil {
		out.Satisfied, out.SatisfiedAt, out.SatisfiedBy, out.Metadata = true, f.second(*m), m.By, m.Metadata
		if !m.Expires.IsZero() {
			s := float64(m.Expires.Unix())
			out.ExpiresAt = &s
		}
	}
	if m := e.Triggered; m != nil {
		out.Triggered, out.TriggeredAt = true, f.second(*m)
	}
	return out
}

// second is a mark's time, which counts for the file's; nil where it is not known.
func (f *stateFile) second(m gate.Mark) *float64 {
	if !m.Dated() {
		return nil
	}
	n := m.At.Unix()
	if f.CreatedAt == 0 || n < f.CreatedAt {
		f.CreatedAt = n
	}
	f.UpdatedAt = max(f.UpdatedAt, n)
	s := float64(n)
	return &s
}

// stateName is the framework's name of a branch's file. Branches that it cannot tell apart share it.
func stateName(branch string) string {
	return strings.Map(func(r rune) rune {
		switch {
		case r == '/' || r == '\\':
			return '-'
		case r == '-' || r == '_' || r >= '0' && r <= '9' || r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r > 127:
			return r
		}
		return '_'
	}, branch) + ".json"
}
