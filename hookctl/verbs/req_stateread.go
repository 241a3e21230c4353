package verbs

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"

	"hookline/events"
	"hookline/hookctl/facts"
)

// Reading the framework's files. They were written by other programs and by hand: what is malformed is named by its
// key and left out alone.

// fileReader decodes one file and gathers what is left out.
type fileReader struct{ skipped []string }

func (r *fileReader) skip(key, format string, args ...any) {
	r.skipped = append(r.skipped, key+": "+fmt.Sprintf(format, args...))
}

// object is a JSON object's members; the error says what it is instead.
func object(data []byte) (map[string]json.RawMessage, error) {
	var m map[string]json.RawMessage
	err := json.Unmarshal(data, &m)
	var syntax *json.SyntaxError
	switch {
	case errors.As(err, &syntax):
		return nil, fmt.Errorf("not readable: line %d: %w", 1+strings.Count(string(data[:min(int(syntax.Offset), len(data))]), "\n"), err)
	case err != nil || m == nil:
		return nil, fmt.Errorf("must be an object, got %s", kindOf(data))
	}
	return m, nil
}

// kindOf names a JSON value.
func kindOf(data json.RawMessage) string {
	switch text := strings.TrimSpace(string(data)); {
	case text == "" || text == "null":
		return "null"
	case text[0] == '{':
		return "an object"
	case text[0] == '[':
		return "a list"
	case text[0] == '"':
		return "a text"
	case text == "true" || text == "false":
		return "a bool"
	}
	return "a number"
}

// value decodes one member; one that is not there or null stays the zero value. false: it does not fit.
func value[T any](m map[string]json.RawMessage, key string, into *T) bool {
	data, ok := m[key]
	return !ok || json.Unmarshal(data, into) == nil
}

// misfit is the first of the keys whose value did not fit; "" when all did.
func misfit(m map[string]json.RawMessage, keys []string, fits ...bool) string {
	for i, ok := range fits {
		if !ok {
			return keys[i] + " does not fit: it is " + kindOf(m[keys[i]])
		}
	}
	return ""
}

// header reads what every file of the framework has. The error says why it is none.
func header(data []byte, into *stateFile) (map[string]json.RawMessage, error) {
	m, err := object(data)
	if err != nil {
		return nil, err
	}
	switch fits := value(m, "version", &into.Version); {
	case !fits:
		return nil, fmt.Errorf("version %s is not %q", m["version"], stateVersion)
	case into.Version != stateVersion:
		return nil, fmt.Errorf("version %q is not %q", into.Version, stateVersion)
	}
	return m, nil
}

// state decodes a branch's file; the error says why it is none.
func (r *fileReader) state(data []byte) (stateFile, error) {
	s := stateFile{Requirements: map[string]stateGate{}}
	m, err := header(data, &s)
	if err != nil {
		return s, err
	}
	if !value(m, "branch", &s.Branch) || s.Branch == "" {
		return s, errors.New("it names no branch")
	}
	if len(m["requirements"]) == 0 {
		return s, nil
	}
	list, err := object(m["requirements"])
	if err != nil {
		return s, fmt.Errorf("requirements %w", err)
	}
	for _, name := range sortedKeys(list) {
		if g, ok := r.gate("requirements."+name, list[name]); ok {
			s.Requirements[name] = g
		}
	}
	return s, nil
}

// scopes are those that the framework has; none is the one that the configuration gives.
var scopes = []string{"", events.GateScopeSession, events.GateScopeBranch, events.GateScopePermanent, events.GateScopeSingleUse}

func (r *fileReader) gate(key string, data []byte) (stateGate, bool) {
	var g stateGate
	m, err := object(data)
	if err != nil {
		r.skip(key, "%s", err)
		return g, false
	}
	if !value(m, "scope", &g.Scope) || !slices.Contains(scopes, g.Scope) {
		r.skip(key, "scope %s is none of session, branch, permanent, single_use", strings.TrimSpace(string(m["scope"])))
		return g, false
	}
	var ok bool
	if g.stateEntry, ok = r.entry(key, m); !ok {
		return g, false
	}
	if kindOf(m["sessions"]) == "null" {
		return g, true
	}
	sessions, err := object(m["sessions"])
	if err != nil {
		r.skip(key+".sessions", "%s", err)
		return g, true
	}
	g.Sessions = map[string]stateEntry{}
	for _, id := range sortedKeys(sessions) {
		at := key + ".sessions." + id
		fields, err := object(sessions[id])
		if err != nil {
			r.skip(at, "%s", err)
			continue
		}
		if e, ok := r.entry(at, fields); ok {
			g.Sessions[id] = e
		}
	}
	return g, true
}

var entryKeys = []string{"triggered", "triggered_at", "satisfied", "satisfied_at", "satisfied_by", "expires_at", "metadata"}

func (r *fileReader) entry(key string, m map[string]json.RawMessage) (stateEntry, bool) {
	var e stateEntry
	meta := map[string]json.RawMessage{}
	bad := misfit(m, entryKeys, value(m, "triggered", &e.Triggered), value(m, "triggered_at", &e.TriggeredAt), value(m, "satisfied", &e.Satisfied),
		value(m, "satisfied_at", &e.SatisfiedAt), value(m, "satisfied_by", &e.SatisfiedBy), value(m, "expires_at", &e.ExpiresAt), value(m, "metadata", &meta))
	if bad != "" {
		r.skip(key, "%s", bad)
		return stateEntry{}, false
	}
	if len(meta) > 0 {
		e.Metadata = m["metadata"]
	}
	return e, true
}

var registryKeys = []string{"ppid", "project_dir", "branch", "started_at", "last_active"}

// registry are the sessions of a registry file, long ids cut to eight characters; of two forms of one session the
// last active wins.
func (r *fileReader) registry(data []byte) ([]events.GateImportedSession, error) {
	var s stateFile
	m, err := header(data, &s)
	if err != nil {
		return nil, err
	}
	sessions, err := object(m["sessions"])
	if err != nil {
		return nil, fmt.Errorf("sessions %w", err)
	}
	byID := map[string]registryEntry{}
	for _, id := range sortedKeys(sessions) {
		key := "sessions." + id
		fields, err := object(sessions[id])
		if err != nil {
			r.skip(key, "%s", err)
			continue
		}
		var e registryEntry
		if bad := misfit(fields, registryKeys, value(fields, "ppid", &e.PPID), value(fields, "project_dir", &e.ProjectDir), value(fields, "branch", &e.Branch),
			value(fields, "started_at", &e.StartedAt), value(fields, "last_active", &e.LastActive)); bad != "" {
			r.skip(key, "%s", bad)
			continue
		}
		short := events.Alias(id)
		if old, ok := byID[short]; !ok || e.LastActive > old.LastActive {
			byID[short] = e
		}
	}
	var list []events.GateImportedSession
	for _, id := range sortedKeys(byID) {
		e := byID[id]
		in := events.GateImportedSession{Session: id, PID: e.PPID, ProjectDir: e.ProjectDir, Branch: e.Branch,
			StartedAt: rfc(moment(&e.StartedAt)), LastActive: rfc(moment(&e.LastActive))}
		if p := facts.Probe(e.PPID); p.Alive {
			in.PIDStart = p.Start
		}
		list = append(list, in)
	}
	return list, nil
}
