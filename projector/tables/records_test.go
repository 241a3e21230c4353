package tables_test

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"hash/fnv"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"hookline/events"
	"hookline/expect"
	"hookline/projector"
)

// The recorded log that the tests fold: the session of the demo, and events of every kind with every field set, in several
// sessions, projects and branches.

// firstID is the id of the mixed records' first session; the golden join gives up its project.
const (
	demoProject  = "d0e1a2b3c4d5"
	firstProject = "1f3a90c2b7de"
	otherProject = "77aa90c2b7de"
)

// recordedLog returns the same records in every run. A kind of event that testdata/kinds.txt does not name comes last, in a
// session and a project of its own, so that the states of all others stay as they were before there was this kind.
func recordedLog(t testing.TB) []events.Record {
	t.Helper()

	var log []events.Record
	addAt := func(seq uint64, env events.Envelope) {
		env.ID = idAt(seq)
		env.Time = time.Date(2026, 11, 21, 8, 0, 0, 0, time.UTC).Add(time.Duration(seq) * 37 * time.Second)
		log = append(log, events.NewRecord(seq, env))
	}
	add := func(env events.Envelope) { addAt(uint64(len(log)+1), env) }

	for _, env := range demoSession(t) {
		add(env)
	}
	named, newer := goldenRecords(t)
	for round := range 5 {
		for _, env := range mixed(t, round, named, uint64(len(log))) {
			add(env)
		}
	}
	for _, env := range workSessions(t) {
		add(env)
	}
	slices.SortFunc(newer, func(a, b events.Envelope) int { return cmp.Compare(seqOfNewer(a.Type), seqOfNewer(b.Type)) })
	for _, env := range newer {
		env.Session, env.Project, env.Branch = "session of "+env.Type, "project of "+env.Type, "main"
		addAt(seqOfNewer(env.Type), env)
	}
	return log
}

// seqOfNewer returns the sequence of the record of a newer kind. It follows from the kind alone, so that neither another kind
// nor another line of testdata/work.ndjson changes the states that it folds into.
func seqOfNewer(typ string) uint64 {
	h := fnv.New32a()
	h.Write([]byte(typ))
	return 1_000_000 + uint64(h.Sum32()%1_000_000)
}

func idAt(seq uint64) string { return fmt.Sprintf("id-%06d", seq) }

// demoSession returns the hooks of the demo as they are recorded.
func demoSession(t testing.TB) []events.Envelope {
	t.Helper()

	var list []events.Envelope
	requests := map[string]string{} // id of the request's event by the id of the call
	hooks := expect.Value(os.ReadFile("../../demo/session.ndjson"))(t)
	for line := range bytes.Lines(hooks) {
		var hook struct {
			SessionID     string `json:"session_id"`
			HookEventName string `json:"hook_event_name"`
			ToolUseID     string `json:"tool_use_id"`
			AgentID       string `json:"agent_id"`
		}
		expect.OK(t, json.Unmarshal(line, &hook))

		kind := events.OfHook(hook.HookEventName)
		env := events.Envelope{
			Type: kind.Type, Version: kind.Version(), Hook: hook.HookEventName, Client: events.ClaudeCode,
			Session: hook.SessionID, Project: demoProject, Worktree: "/home/dev/app", Branch: "main", Phase: "SESSION_RUNNING",
			ToolUseID: hook.ToolUseID, AgentID: hook.AgentID, Correlation: hook.SessionID,
			Causation: requests[hook.ToolUseID], Data: bytes.TrimSpace(line),
		}
		if kind.Type == events.TypeToolRequested {
			requests[hook.ToolUseID] = idAt(uint64(len(list) + 1))
		}
		list = append(list, env)
	}
	return list
}

// workSessions returns the records of testdata/work.ndjson.
func workSessions(t testing.TB) []events.Envelope {
	t.Helper()

	var list []events.Envelope
	file := expect.Value(os.ReadFile("testdata/work.ndjson"))(t)
	for line := range bytes.Lines(file) {
		line = bytes.TrimSpace(line)
		if len(line) == 0 || line[0] == '#' {
			continue
		}
		env := events.Envelope{Session: "work-1", Project: "work", Branch: "main", Worktree: "/w"}
		if err := json.Unmarshal(line, &env); err != nil {
			t.Fatalf("testdata/work.ndjson: %v: %s", err, line)
		}

		kind, known := events.Lookup(env.Type)
		if !known {
			t.Fatalf("testdata/work.ndjson names %q, and the catalog has no such kind of event", env.Type)
		}
		env.Version, env.Hook = kind.Version(), kind.Hook
		list = append(list, env)
	}
	return list
}

// goldenRecords returns the golden record of every kind of event: those of the kinds that testdata/kinds.txt names, in its
// order, and those of newer kinds.
func goldenRecords(t testing.TB) (named, newer []events.Envelope) {
	t.Helper()

	kinds := strings.Fields(string(expect.Value(os.ReadFile("testdata/kinds.txt"))(t)))
	read := func(kind events.Kind) events.Envelope {
		name := kind.Type
		if kind.Version() > 1 {
			name = fmt.Sprintf("%s.v%d", name, kind.Version())
		}
		file := expect.Value(os.ReadFile(filepath.Join("../../events/testdata/golden", name+".json")))(t)
		var r events.Record
		expect.OK(t, json.Unmarshal(file, &r))
		return r.Envelope
	}

	for _, name := range kinds {
		kind, known := events.Lookup(name)
		if !known {
			t.Fatalf("testdata/kinds.txt names %q, and the catalog has no such kind of event", name)
		}
		named = append(named, read(kind))
	}
	for _, kind := range events.Catalog() {
		if !slices.Contains(kinds, kind.Type) {
			newer = append(newer, read(kind))
		}
	}
	return named, newer
}

// mixed returns the golden records in an order of the round's own. The first two rounds are one session each, each in a
// project; in the others sessions, projects and branches meet. Deletions come in the last round alone. last is the sequence
// of the record before.
func mixed(t testing.TB, round int, golden []events.Envelope, last uint64) []events.Envelope {
	t.Helper()

	place := func(env events.Envelope) uint32 {
		h := fnv.New32a()
		fmt.Fprintf(h, "%s in round %d", env.Type, round)
		return h.Sum32()
	}
	list := slices.Clone(golden)
	slices.SortFunc(list, func(a, b events.Envelope) int { return int(int64(place(a)) - int64(place(b))) })
	if round < 4 {
		list = slices.DeleteFunc(list, func(env events.Envelope) bool { return env.Type == events.TypeSessionDeleted })
	}

	for i := range list {
		env := &list[i]
		h := place(*env) / 8
		switch round {
		case 0:
			env.Session, env.Project, env.Branch = "s-1", firstProject, "main"
		case 1:
			env.Session, env.Project, env.Branch = "s-2", otherProject, "feature/x"
		case 2:
			env.Session, env.Project, env.Branch = "s-1", otherProject, []string{"main", "feature/x", ""}[h%3]
		default:
			env.Session = []string{"s-1", "s-2", "s-3", "s.4/*", ""}[h%5]
			env.Project = []string{firstProject, otherProject, ""}[h%3]
			env.Branch = []string{"main", "feature/x", ""}[h%2]
		}

		ephemeral := round == 3 && h%4 == 0
		if env.Facts != nil {
			facts := *env.Facts
			facts.Ephemeral = ephemeral
			env.Facts = &facts
		}
		if round != 1 { // only in the second round a subagent does it all
			env.AgentID = ""
			env.Data = changed(t, env.Data, "agent_id", nil)
		}
	}

	refer := func(typ, member string, to uint64) {
		at := slices.IndexFunc(list, func(env events.Envelope) bool { return env.Type == typ })
		list[at].Data = changed(t, list[at].Data, member, idAt(to))
	}
	added := slices.IndexFunc(list, func(env events.Envelope) bool { return env.Type == events.TypeLedgerEntryAdded })
	refer(events.TypeLedgerEntryClosed, "entry", last+1+uint64(added))
	refer(events.TypeRecordRetracted, "target", last+uint64(10*round))
	return list
}

// changed returns data with another value of a member, or without the member where the value is nil.
func changed(t testing.TB, data json.RawMessage, member string, value any) json.RawMessage {
	t.Helper()

	var members map[string]json.RawMessage
	expect.OK(t, json.Unmarshal(data, &members))
	if members[member] == nil {
		return data
	}
	delete(members, member)
	if value != nil {
		members[member] = expect.Value(json.Marshal(value))(t)
	}
	return expect.Value(json.Marshal(members))(t)
}

// source returns a log that is read from memory.
func source(log []events.Record) projector.SelectiveSource {
	return func(_ context.Context, from, to uint64, want []projector.Selector, fn func(events.Record) error) error {
		for _, r := range log {
			if r.Seq < from || to > 0 && r.Seq > to {
				continue
			}
			meant := func(s projector.Selector) bool { return s.Match(r.Session, r.Project, r.Type) }
			if !slices.ContainsFunc(want, meant) {
				continue
			}
			if err := fn(r); err != nil {
				return err
			}
		}
		return nil
	}
}
