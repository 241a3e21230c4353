package transcript

import (
	"context"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"hookline/events"
	"hookline/expect"
	"hookline/hookctl/redact"
)

// memory is a log in memory.
type memory struct{ list []events.Envelope }

func (m *memory) Last() (uint64, string) { return uint64(len(m.list)), "" }

func (m *memory) ReadRaw(_ context.Context, from, to uint64, fn func(events.Record) error) error {
	for i, env := range m.list[from-1 : to] {
		if err := fn(events.Record{Seq: from + uint64(i), Envelope: env}); err != nil {
			return err
		}
	}
	return nil
}

func (m *memory) into(now time.Time) Into {
	clean := redact.New()
	return Into{Log: m, Now: now, Put: func([]byte) (string, error) { return "sha256:" + strings.Repeat("0", 64), nil },
		Redactor: func(string) *redact.Redactor { return clean.Remembering(redact.NewMemory()) },
		Clean:    func(text string) string { return text },
		Place: func(_ context.Context, dir string) Place {
			out := Place{Project: "p1", Worktree: dir}
			if len(m.of("project.seen")) == 0 {
				out.Seen = []events.Event{&events.ProjectSeen{Path: dir}}
			}
			return out
		},
		Gone: func(_ context.Context, id, _ string) bool { return id == "gone" },
		Append: func(_ context.Context, envs []events.Envelope) (int, error) {
			m.list = append(m.list, envs...)
			return len(envs), nil
		}}
}

func (m *memory) of(kind string) (list []events.Envelope) {
	for _, env := range m.list {
		if env.Type == kind {
			list = append(list, env)
		}
	}
	return list
}

func mustImport(t *testing.T, into Into, paths ...string) Imported {
	t.Helper()
	return expect.Value(Import(t.Context(), into, paths, false, nil))(t)
}

var from = time.Date(2026, 3, 1, 9, 0, 0, 0, time.UTC)

// Of both eras everything comes in, in the order of time, each session with its start and end; again adds nothing.
func TestImport(t *testing.T) {
	for _, modern := range []bool{false, true} {
		was := transcripts(t, modern, 2, 7, 5)
		m := &memory{}
		into := m.into(from.AddDate(1, 0, 0))
		got := mustImport(t, into, was.dir)
		if got.Files != was.files || got.Lines != was.lines || got.Bytes != was.bytes || got.Sessions != len(was.sessions) || got.New != len(was.sessions) || got.Copies != was.copies {
			t.Errorf("%+v of %+v", got, was)
		}
		for kind, want := range map[string]int{"tool.requested": was.calls, "prompt.submitted": was.prompts, "compaction.started": was.compact,
			"session.started": len(was.sessions) + was.compact, "session.ended": len(was.sessions), "identity.persisted": len(was.sessions),
			"subagent.started": was.agents, "subagent.stopped": was.agents + was.compact, "project.seen": 1} {
			expect.Equal(t, len(m.of(kind)), want, kind)
		}
		expect.Equal(t, len(m.of("tool.succeeded"))+len(m.of("tool.failed")), was.calls, "outcomes")
		m.check(t)

		if again := mustImport(t, into, was.dir); again.Added != 0 || again.Events != 0 || again.Known != got.Hooks || again.New != 0 {
			t.Errorf("again: %+v", again)
		}
	}
}

// check holds every event to what is promised of it.
func (m *memory) check(t *testing.T) {
	t.Helper()
	ids, last := map[string]bool{}, map[string]time.Time{}
	for _, env := range m.list {
		at, ok := events.IDTime(env.ID)
		if ids[env.ID] || !ok || at != env.Time.UnixMilli() || !env.Imported || env.Session == "" || env.Project != "p1" || env.Time.Before(last[env.Session]) {
			t.Fatalf("%+v", env)
		}
		ids[env.ID] = true
		last[env.Session] = env.Time
	}
}

// What hooks recorded and one of them did not is a gap, with what is known of its cause.
func TestGaps(t *testing.T) {
	dir := transcripts(t, true, 1, 4, 5).dir
	whole := &memory{}
	mustImport(t, whole.into(from.AddDate(1, 0, 0)), dir)
	var hooks []events.Envelope // as if they had been recorded when they happened
	for _, env := range whole.list {
		env.Imported = false
		env.Facts = nil
		hooks = append(hooks, env)
	}
	calls := (&memory{list: hooks}).of("tool.succeeded")
	call, end := calls[1], hooks[len(hooks)-1].Time
	lost := events.Envelope{ID: "lost", Type: "hook.refused", Version: 1, Time: call.Time, Session: call.Session, Data: []byte(`{"reason":"lost"}`)}
	for _, c := range []struct {
		name  string
		drop  func(events.Envelope) bool
		more  []events.Envelope
		want  int
		cause string
	}{
		{"none", func(events.Envelope) bool { return false }, nil, 0, ""},
		{"one", func(e events.Envelope) bool { return e.ID == call.ID }, nil, 1, CauseUnknown},
		{"one is lost", func(e events.Envelope) bool { return e.ID == call.ID }, []events.Envelope{lost}, 1, CauseLost},
		{"all outcomes", func(e events.Envelope) bool { return e.Type == call.Type }, nil, len(calls), CauseNotHooked},
		{"switched on late", func(e events.Envelope) bool { return e.Time.Before(end) }, nil, -1, CauseBefore},
	} {
		m := &memory{list: append(slices.DeleteFunc(slices.Clone(hooks), c.drop), c.more...)}
		got := expect.Value(Import(t.Context(), m.into(from.AddDate(1, 0, 0)), []string{dir}, true, nil))(t)
		if got.Missing != len(got.Gaps) || c.want >= 0 && got.Missing != c.want || c.want < 0 && got.Missing == 0 {
			t.Errorf("%s: %d missing, %d gaps, want %d", c.name, got.Missing, len(got.Gaps), c.want)
		}
		for _, g := range got.Gaps {
			if g.Cause != c.cause || c.want == 1 && (g.Session != call.Session || g.ToolUse != call.ToolUseID) {
				t.Errorf("%s: %+v", c.name, g)
			}
		}
	}
}

// What is taken at another time, in another order, or was cut off before, is the same in the end.
func TestImportInParts(t *testing.T) {
	was := transcripts(t, true, 2, 4, 6)
	dir := was.dir
	whole := &memory{}
	mustImport(t, whole.into(from.AddDate(1, 0, 0)), dir)

	parts := &memory{}
	main := filepath.Join(dir, was.sessions[1]+".jsonl")
	text := expect.Value(os.ReadFile(main))(t)
	expect.OK(t, os.WriteFile(main, text[:len(text)*2/3], 0o600))
	day := from.Add(25 * time.Hour) // the second session goes on, and is not ended
	if got := mustImport(t, parts.into(day), dir); got.Torn != 2 || len(parts.of("session.ended")) != 1 {
		t.Errorf("%+v, %d ended", got, len(parts.of("session.ended")))
	}
	expect.OK(t, os.WriteFile(main, text, 0o600))
	mustImport(t, parts.into(from.AddDate(1, 0, 0)), dir)
	if a, b := sorted(whole.list), sorted(parts.list); !slices.Equal(a, b) {
		t.Errorf("%d events, want %d: %q", len(b), len(a), slices.DeleteFunc(b, func(e string) bool { return slices.Contains(a, e) }))
	}
}

func sorted(list []events.Envelope) []string {
	var out []string
	for _, env := range list {
		out = append(out, env.ID+" "+env.Type+" "+string(env.Data))
	}
	slices.Sort(out)
	return out
}

// What hooks recorded is not taken again: calls by their id, prompts and the rest by their time, each for one; what
// they missed is.
func TestImportBesideLive(t *testing.T) {
	at := func(d time.Duration) string { return from.Add(d).Format(time.RFC3339Nano) }
	path := filepath.Join(t.TempDir(), "s-1.jsonl")
	lines := []string{
		`{"type":"user","uuid":"u1","sessionId":"s-1","timestamp":"` + at(0) + `","cwd":"/p","message":{"content":"go on"}}`,
		`{"type":"assistant","uuid":"u2","sessionId":"s-1","timestamp":"` + at(time.Second) + `","message":{"content":[{"type":"tool_use","id":"t1","name":"Read","input":{}}]}}`,
		`{"type":"user","uuid":"u3","sessionId":"s-1","timestamp":"` + at(2*time.Second) + `","message":{"content":[{"type":"tool_result","tool_use_id":"t1","content":"a"}]}}`,
		`{"type":"user","uuid":"u4","sessionId":"s-1","timestamp":"` + at(time.Hour) + `","message":{"content":"go on"}}`,
		`{"type":"user","uuid":"u5","sessionId":"s-1","timestamp":"` + at(time.Hour+time.Minute) + `","message":{"content":"go on"}}`,
		`{"type":"system","subtype":"compact_boundary","uuid":"u6","sessionId":"s-1","timestamp":"` + at(2*time.Hour) + `"}`,
		`{"type":"user","isCompactSummary":true,"uuid":"u7","sessionId":"s-1","timestamp":"` + at(2*time.Hour) + `","message":{"content":"it went on"}}`,
		`{"type":"assistant","uuid":"u8","sessionId":"s-1","timestamp":"` + at(3*time.Hour) + `","message":{"content":[{"type":"text","text":"Done."}]}}`,
	}
	write(t, path, strings.Join(lines, "\n"))
	m := &memory{}
	live := func(d time.Duration, hook, data string) {
		k := events.OfHook(hook)
		m.list = append(m.list, events.Envelope{ID: events.StableID(from.Add(d), hook+data), Type: k.Type, Version: k.Version(), Time: from.Add(d),
			Session: "s-1", Project: "p9", Worktree: "/w", Hook: hook, Data: []byte(data)})
	}
	live(time.Minute*30, "SessionStart", `{"source":"resume"}`) // hooks were installed then
	live(time.Hour+time.Second, "UserPromptSubmit", `{"prompt":"go on"}`)
	live(2*time.Hour-4*time.Minute, "PreCompact", `{"trigger":"auto"}`)
	live(2*time.Hour-time.Second, "SubagentStop", `{"agent_id":"x","agent_type":"","last_assistant_message":"it went on"}`)
	live(2*time.Hour, "SessionStart", `{"source":"compact"}`)
	live(2*time.Hour, "PostCompact", `{"trigger":"auto"}`)
	before := len(m.list)

	got := mustImport(t, m.into(from.AddDate(1, 0, 0)), path)
	var added []string
	for _, env := range m.list[before:] {
		added = append(added, env.Type+" "+env.Time.Sub(from).String()+" "+env.Project)
	}
	want := []string{"session.started 0s p9", "prompt.submitted 0s p9", "tool.requested 1s p9", "tool.succeeded 2s p9", "prompt.submitted 1h1m0s p9", "turn.stopped 3h0m0s p9"}
	if !slices.Equal(added, want) || got.Live != 5 || got.New != 0 {
		t.Errorf("%q, want %q; %+v", added, want, got)
	}
	expect.Equal(t, m.list[before+3].Causation, m.list[before+2].ID, "the outcome follows from")
	if again := mustImport(t, m.into(from.AddDate(1, 0, 0)), path); again.Added != 0 || again.Live != 5 {
		t.Errorf("again: %+v", again)
	}
}

// A deleted session stays so, secrets are replaced, a dry run changes nothing, a file that is none is named.
func TestImportRefuses(t *testing.T) {
	dir := t.TempDir()
	secret := "ghp" + "_" + strings.Repeat("aB3dE6gH9", 4)
	for name, text := range map[string]string{
		"gone.jsonl": `{"type":"user","uuid":"u1","sessionId":"gone","timestamp":"2026-03-01T09:00:00Z","message":{"content":"hello"}}`,
		"s-2.jsonl":  `{"type":"user","uuid":"u2","sessionId":"s-2","timestamp":"2026-03-01T09:00:00Z","message":{"content":"use ` + secret + `"}}`,
	} {
		write(t, filepath.Join(dir, name), text)
	}
	m := &memory{}
	into := m.into(from.AddDate(1, 0, 0))
	dry, err := Import(t.Context(), into, []string{dir, filepath.Join(dir, "none")}, true, nil)
	if err != nil || len(m.list) != 0 || !dry.DryRun || dry.Added != 2 || len(dry.Problems) != 1 {
		t.Errorf("%+v, %v", dry, err)
	}
	got := mustImport(t, into, dir)
	if got.Deleted != 1 || got.Redacted != 1 || got.Sessions != 2 || len(m.of("session.ended")) != 1 {
		t.Errorf("%+v", got)
	}
	for _, env := range m.list {
		if env.Session == "gone" || strings.Contains(string(env.Data), secret) {
			t.Errorf("%s: %s", env.Session, env.Data)
		}
	}
}
