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

// memory is a log.
type memory []events.Record

func (m *memory) add(session, typ, data string) {
	var call struct {
		ID string `json:"tool_use_id"`
	}
	_ = json.Unmarshal([]byte(data), &call) // data of a test
	n := uint64(len(*m) + 1)
	*m = append(*m, events.NewRecord(n, events.Envelope{ID: fmt.Sprintf("01K%023d", n), Type: typ, Version: 1, Time: time.UnixMilli(int64(n) * 1000),
		Session: session, Project: "p-" + session, ToolUseID: call.ID, Data: json.RawMessage(data)}))
}

func (m *memory) log(_ context.Context, from uint64, each func(events.Record) error) error {
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

func (m *memory) prompt(session, text string) {
	b, _ := json.Marshal(map[string]string{"prompt": text})
	m.add(session, events.TypePromptSubmitted, string(b))
}

// opened is the index of a folder, up to date with the log.
func opened(t *testing.T, dir string, m *memory) *Index {
	t.Helper()
	x := expect.Value(Open(t.Context(), dir))(t)
	t.Cleanup(func() { _ = x.Close() }) // again, where the test did
	expect.OK(t, x.Update(t.Context(), m.log, nil))
	return x
}

func found(t *testing.T, x *Index, q find.Query) []uint64 {
	t.Helper()
	q.Limit = 20
	matches := expect.Value(x.Search(t.Context(), q))(t)
	var seqs []uint64
	for _, m := range matches {
		seqs = append(seqs, m.Seq)
	}
	return seqs
}

func wantFound(t *testing.T, x *Index, q find.Query, want ...uint64) {
	t.Helper()
	if got := found(t, x, q); !slices.Equal(got, want) {
		t.Errorf("%+v: found %v, want %v", q, got, want)
	}
}

func words(w ...string) find.Query { return find.Query{Words: w} }

// sample is a log of two sessions.
func sample() *memory {
	m := &memory{}
	m.prompt("a", "Fix the retry of the client")                                                                                                       // 1
	m.add("a", events.TypeToolRequested, `{"tool_use_id":"t1","tool_name":"Bash","tool_input":{"command":"go test ./retry"}}`)                         // 2
	m.add("a", events.TypeToolFailed, `{"tool_use_id":"t1","tool_name":"Bash","tool_input":{"command":"go test ./retry"},"error":"undefined: Retry"}`) // 3
	m.add("a", events.TypeToolRequested, `{"tool_use_id":"t2","tool_name":"Read","tool_input":{"file_path":"/src/retry.go"}}`)                         // 4
	m.prompt("b", "Write the changelog")                                                                                                               // 5
	return m
}

func TestSearch(t *testing.T) {
	x := opened(t, t.TempDir(), sample())
	wantFound(t, x, words("retry"), 3, 1, 4)
	wantFound(t, x, words("RETRY", "client"), 1)
	wantFound(t, x, words("test", "undefined"), 3) // the request's own document is gone
	wantFound(t, x, words("change*"), 5)
	wantFound(t, x, words("change"))
	wantFound(t, x, words("the changelog"), 5)
	wantFound(t, x, find.Query{Error: "undefined"}, 3)
	wantFound(t, x, find.Query{Command: "retry"}, 3)
	wantFound(t, x, find.Query{File: "retry.go"}, 4)
	wantFound(t, x, find.Query{Words: []string{"retry"}, Types: []string{"tool.*"}}, 3, 4)
	wantFound(t, x, find.Query{Words: []string{"retry"}, Tools: []string{"Read"}}, 4)
	wantFound(t, x, find.Query{Words: []string{"the"}, Sessions: []string{"b"}}, 5)
	wantFound(t, x, find.Query{Words: []string{"the"}, Projects: []string{"p-a"}}, 1)
	wantFound(t, x, find.Query{Words: []string{"the"}, From: 2}, 5)
	wantFound(t, x, find.Query{Words: []string{"the"}, Until: 5000}, 1)
	wantFound(t, x, find.Query{Sessions: []string{"a"}}, 4, 3, 1)
	wantFound(t, x, find.Query{Words: []string{"the"}, Sessions: []string{"nobody"}})
}

// A query is text: nothing in it means anything to the engine.
func TestSearchHostile(t *testing.T) {
	x := opened(t, t.TempDir(), sample())
	for _, s := range []string{`retry" OR "changelog`, "retry NOT client", "prompt : retry", "NEAR(retry client)", `'; DROP TABLE doc; --`, "^retry", "-retry", "{", "*", "\x00", `"`, "a AND", strings.Repeat("x ", 5000)} {
		_ = found(t, x, words(s)) // no error
	}
	wantFound(t, x, words(`retry" OR "changelog`))
	wantFound(t, x, words("retry"), 3, 1, 4)
}

func TestUpdateGoesOn(t *testing.T) {
	dir, m := t.TempDir(), sample()
	expect.OK(t, opened(t, dir, m).Close())
	m.add("a", events.TypeToolSucceeded, `{"tool_use_id":"t2","tool_name":"Read","tool_input":{"file_path":"/src/retry.go"},"tool_response":"package client"}`) // 6
	x := opened(t, dir, m)
	wantFound(t, x, find.Query{File: "retry.go"}, 6) // in place of its request
	s, err := x.Size(t.Context())
	if err != nil || s.Docs != 4 {
		t.Errorf("%+v %v", s, err)
	}
}

func TestDeletedAndRetracted(t *testing.T) {
	m := sample()
	m.add("a", events.TypeSessionDeleted, `{}`)
	m.prompt("a", "retry once more") // 7: it began anew
	m.add("", events.TypeRecordRetracted, `{"target":"`+(*m)[4].ID+`","reason":"wrong"}`)
	x := opened(t, t.TempDir(), m)
	wantFound(t, x, words("retry"), 7)
	wantFound(t, x, words("changelog"))
}

func TestMadeAnew(t *testing.T) {
	for name, spoil := range map[string]func(t *testing.T, path string, m *memory){
		"no database": func(t *testing.T, path string, _ *memory) {
			write(t, path, "this is no database, but long enough for a header")
		},
		"cut off": func(t *testing.T, path string, _ *memory) {
			expect.OK(t, os.Truncate(path, 5000))
		},
		"overwritten": func(t *testing.T, path string, _ *memory) {
			b := expect.Value(os.ReadFile(path))(t)
			for i := 4096; i < len(b); i++ {
				b[i] = 0xAA
			}
			write(t, path, string(b))
		},
		"shorter log": func(_ *testing.T, _ string, m *memory) { *m = (*m)[:3] },
		"another log": func(_ *testing.T, _ string, m *memory) { (*m)[4].ID = "01KOTHER" },
		"older format": func(t *testing.T, path string, m *memory) {
			x := opened(t, filepath.Dir(path), m)
			expect.Value(x.db.Exec("PRAGMA user_version = 0"))(t)
			expect.OK(t, x.Close())
		},
	} {
		t.Run(name, func(t *testing.T) {
			dir, m := t.TempDir(), sample()
			expect.OK(t, opened(t, dir, m).Close())
			spoil(t, filepath.Join(dir, "words.db"), m)
			wantFound(t, opened(t, dir, m), words("client"), 1)
		})
	}
}

func write(t *testing.T, path, content string) {
	t.Helper()
	expect.OK(t, os.WriteFile(path, []byte(content), 0o600))
}

func TestTwoAtOnce(t *testing.T) {
	dir, m := t.TempDir(), sample()
	var wg sync.WaitGroup
	for range 4 {
		wg.Go(func() {
			x, err := Open(t.Context(), dir)
			if err != nil {
				t.Error(err)
				return
			}
			defer x.Close()
			if err := x.Update(t.Context(), m.log, nil); err != nil {
				t.Error(err)
			}
			if got, err := x.Search(t.Context(), find.Query{Words: []string{"client"}, Limit: 5}); err != nil || len(got) != 1 {
				t.Errorf("%v %v", got, err)
			}
		})
	}
	wg.Wait()
}
