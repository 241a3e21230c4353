package index

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"hookline/events"
	"hookline/expect"
	"hookline/hookctl/find"
)

// memoryLog is a log in memory.
type memoryLog []events.Record

func (m *memoryLog) add(session, typ, data string) {
	n := uint64(len(*m) + 1)
	*m = append(*m, events.NewRecord(n, events.Envelope{
		ID:        fmt.Sprintf("01K%023d", n),
		Type:      typ,
		Version:   1,
		Time:      time.UnixMilli(int64(n) * 1000),
		Session:   session,
		Project:   "p-" + session,
		ToolUseID: events.MemberText(json.RawMessage(data), "tool_use_id"),
		Data:      json.RawMessage(data),
	}))
}

func (m *memoryLog) addPrompt(session, text string) {
	b, _ := json.Marshal(map[string]string{"prompt": text}) // never fails
	m.add(session, events.TypePromptSubmitted, string(b))
}

func (m *memoryLog) read(_ context.Context, from uint64, each func(events.Record) error) error {
	for _, r := range *m {
		if r.Seq < from {
			continue
		}
		if err := each(r); err != nil {
			return err
		}
	}
	return nil
}

// openUpdated opens the index in a folder and brings it up to date with the log.
func openUpdated(t *testing.T, dir string, m *memoryLog) *Index {
	t.Helper()
	x := expect.Value(Open(t.Context(), dir))(t)
	t.Cleanup(func() { _ = x.Close() }) // a second time in some tests
	expect.OK(t, x.Update(t.Context(), m.read, nil))
	return x
}

// search returns the sequences of a query's matches.
func search(t *testing.T, x *Index, q find.Query) []uint64 {
	t.Helper()
	q.Limit = 20
	matches := expect.Value(x.Search(t.Context(), q))(t)
	var seqs []uint64
	for _, m := range matches {
		seqs = append(seqs, m.Seq)
	}
	return seqs
}

func expectMatches(t *testing.T, x *Index, q find.Query, want ...uint64) {
	t.Helper()
	if got := search(t, x, q); !slices.Equal(got, want) {
		t.Errorf("matches of %+v = events %v, want %v", q, got, want)
	}
}

func words(w ...string) find.Query { return find.Query{Words: w} }

// sampleLog returns five events of two sessions.
func sampleLog() *memoryLog {
	m := &memoryLog{}
	m.addPrompt("a", "Fix the retry of the client") // 1
	m.add("a", events.TypeToolRequested,            // 2
		`{"tool_use_id":"t1","tool_name":"Bash","tool_input":{"command":"go test ./retry"}}`)
	m.add("a", events.TypeToolFailed, // 3
		`{"tool_use_id":"t1","tool_name":"Bash","tool_input":{"command":"go test ./retry"},"error":"undefined: Retry"}`)
	m.add("a", events.TypeToolRequested, // 4
		`{"tool_use_id":"t2","tool_name":"Read","tool_input":{"file_path":"/src/retry.go"}}`)
	m.addPrompt("b", "Write the changelog") // 5
	return m
}

func TestSearch(t *testing.T) {
	x := openUpdated(t, t.TempDir(), sampleLog())
	expectMatches(t, x, words("retry"), 3, 1, 4)
	expectMatches(t, x, words("RETRY", "client"), 1)
	expectMatches(t, x, words("test", "undefined"), 3) // the outcome replaces the request, event 2
	expectMatches(t, x, words("change*"), 5)
	expectMatches(t, x, words("change"))
	expectMatches(t, x, words("the changelog"), 5)
	expectMatches(t, x, find.Query{Error: "undefined"}, 3)
	expectMatches(t, x, find.Query{Command: "retry"}, 3)
	expectMatches(t, x, find.Query{File: "retry.go"}, 4)
	expectMatches(t, x, find.Query{Words: []string{"retry"}, Types: []string{"tool.*"}}, 3, 4)
	expectMatches(t, x, find.Query{Words: []string{"retry"}, Tools: []string{"Read"}}, 4)
	expectMatches(t, x, find.Query{Words: []string{"the"}, Sessions: []string{"b"}}, 5)
	expectMatches(t, x, find.Query{Words: []string{"the"}, Sessions: []string{"nobody"}})
	expectMatches(t, x, find.Query{Words: []string{"the"}, Projects: []string{"p-a"}}, 1)
	expectMatches(t, x, find.Query{Words: []string{"the"}, From: 2}, 5)
	expectMatches(t, x, find.Query{Words: []string{"the"}, Until: 5000}, 1)
	expectMatches(t, x, find.Query{Sessions: []string{"a"}}, 4, 3, 1)
}

// Nothing in a query has a meaning to the engine.
func TestSearchHostile(t *testing.T) {
	x := openUpdated(t, t.TempDir(), sampleLog())
	for _, s := range []string{
		`retry" OR "changelog`, "retry NOT client", "prompt : retry", "NEAR(retry client)", `'; DROP TABLE doc; --`,
		"^retry", "-retry", "{", "*", "\x00", `"`, "a AND", strings.Repeat("x ", 5000),
	} {
		_ = search(t, x, words(s)) // fails the test on an error of the engine
	}
	expectMatches(t, x, words(`retry" OR "changelog`))
	expectMatches(t, x, words("retry"), 3, 1, 4)
}

func TestUpdateContinues(t *testing.T) {
	dir := t.TempDir()
	m := sampleLog()
	expect.OK(t, openUpdated(t, dir, m).Close())

	m.add("a", events.TypeToolSucceeded, // 6
		`{"tool_use_id":"t2","tool_name":"Read","tool_input":{"file_path":"/src/retry.go"},"tool_response":"package client"}`)
	x := openUpdated(t, dir, m)
	expectMatches(t, x, find.Query{File: "retry.go"}, 6) // in place of its request, event 4
	size := expect.Value(x.Size(t.Context()))(t)
	expect.Equal(t, size.Docs, 4, "number of documents")
}

func TestDeletedAndRetracted(t *testing.T) {
	m := sampleLog()
	m.add("a", events.TypeSessionDeleted, `{}`)
	m.addPrompt("a", "retry once more") // 7: after the deletion, so it is found
	m.add("", events.TypeRecordRetracted, `{"target":"`+(*m)[4].ID+`","reason":"wrong"}`)

	x := openUpdated(t, t.TempDir(), m)
	expectMatches(t, x, words("retry"), 7)
	expectMatches(t, x, words("changelog"))
}

// An index that is damaged or does not fit the log is built again.
func TestRebuild(t *testing.T) {
	for name, spoil := range map[string]func(t *testing.T, path string, m *memoryLog){
		"no database": func(t *testing.T, path string, _ *memoryLog) {
			writeFile(t, path, "this is no database, but long enough for a header")
		},
		"cut off": func(t *testing.T, path string, _ *memoryLog) {
			expect.OK(t, os.Truncate(path, 5000))
		},
		"overwritten": func(t *testing.T, path string, _ *memoryLog) {
			b := expect.Value(os.ReadFile(path))(t)
			for i := 4096; i < len(b); i++ {
				b[i] = 0xAA
			}
			writeFile(t, path, string(b))
		},
		"shorter log": func(_ *testing.T, _ string, m *memoryLog) {
			*m = (*m)[:3]
		},
		"another log": func(_ *testing.T, _ string, m *memoryLog) {
			(*m)[4].ID = "01KOTHER"
		},
		"older format": func(t *testing.T, path string, m *memoryLog) {
			x := openUpdated(t, filepath.Dir(path), m)
			expect.Value(x.db.Exec("PRAGMA user_version = 0"))(t)
			expect.OK(t, x.Close())
		},
	} {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			m := sampleLog()
			expect.OK(t, openUpdated(t, dir, m).Close())

			spoil(t, filepath.Join(dir, "words.db"), m)
			expectMatches(t, openUpdated(t, dir, m), words("client"), 1)
		})
	}
}

func writeFile(t *testing.T, path, content string) {
	t.Helper()
	expect.OK(t, os.WriteFile(path, []byte(content), 0o600))
}

func TestTwoAtOnce(t *testing.T) {
	dir := t.TempDir()
	m := sampleLog()
	var wg sync.WaitGroup
	for range 4 {
		wg.Go(func() {
			x, err := Open(t.Context(), dir)
			if err != nil {
				t.Errorf("Open beside others = %v", err)
				return
			}
			defer x.Close()

			if err := x.Update(t.Context(), m.read, nil); err != nil {
				t.Errorf("Update beside others = %v", err)
			}
			got, err := x.Search(t.Context(), find.Query{Words: []string{"client"}, Limit: 5})
			if err != nil {
				t.Errorf("Search beside others = %v", err)
			}
			expect.Equal(t, len(got), 1, "number of matches beside others")
		})
	}
	wg.Wait()
}
