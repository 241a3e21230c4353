package projector_test

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"pgregory.net/rapid"

	"hookline/events"
	"hookline/expect"
	"hookline/projector"
	"hookline/projector/tables"
)

// goldens are events of every kind with every field set.
func goldens(t *testing.T) []events.Envelope {
	t.Helper()
	files := expect.Value(filepath.Glob(filepath.Join("..", "events", "testdata", "golden", "*.json")))(t)
	if len(files) < len(events.Catalog()) {
		t.Fatalf("%d golden records", len(files))
	}
	var out []events.Envelope
	for _, f := range files {
		var r events.Record
		b := expect.Value(os.ReadFile(f))(t)
		expect.OK(t, json.Unmarshal(b, &r))
		out = append(out, r.Envelope)
	}
	return out
}

// worldly draws a log of events of every kind in several sessions, projects and branches.
func worldly(t *rapid.T, kinds []events.Envelope) []events.Record {
	recs := make([]events.Record, rapid.IntRange(1, 60).Draw(t, "n"))
	for i := range recs {
		env := rapid.SampledFrom(kinds).Draw(t, "kind")
		env.ID, env.Time = fmt.Sprintf("id-%04d", i), time.UnixMilli(rapid.Int64Range(-5, 50).Draw(t, "ms")).UTC()
		env.Session = rapid.SampledFrom([]string{"s-1", "s.2/*", ""}).Draw(t, "session")
		env.Project = rapid.SampledFrom([]string{"1f3a90c2b7de", "p-2", ""}).Draw(t, "project") // the first is what the golden join gives up
		env.Branch = rapid.SampledFrom([]string{"main", "feature/x", ""}).Draw(t, "branch")
		if rapid.IntRange(0, 20).Draw(t, "future") == 0 {
			env.Type, env.Version = "future.happened", 9
		}
		recs[i] = events.NewRecord(uint64(i+1), env)
	}
	return recs
}

// partOf reads records in memory by their selectors alone, as the log does.
func partOf(recs []events.Record) projector.SelectiveSource {
	return func(ctx context.Context, from, to uint64, want []projector.Selector, fn func(events.Record) error) error {
		return logOf(recs)(ctx, from, to, func(r events.Record) error {
			if !slices.ContainsFunc(want, func(s projector.Selector) bool { return s.Match(r.Session, r.Project, r.Type) }) {
				return nil
			}
			return fn(r)
		})
	}
}

// cellsOf folds one projection from a source and gives its cells by key.
func cellsOf(t *rapid.T, table *projector.Table, source projector.Source, to uint64) map[string]string {
	v := expect.Value(projector.FoldLog(context.Background(), source, projector.FoldOptions{Tables: []*projector.Table{table}, To: to}))(t)
	out := map[string]string{}
	expect.OK(t, v.Read(context.Background(), func(r projector.Reader) error {
		keys, err := r.Keys(table.Name())
		for _, k := range keys {
			raw, seq, _ := r.Raw(table.Name(), k)
			out[k] = fmt.Sprint(seq, " ", string(raw))
		}
		return err
	}))
	return out
}

// Every cell that the whole log gives is given by the records that its key needs, and the projection by those
// that it needs.
func TestNeedsAreEnough(t *testing.T) {
	kinds := goldens(t)
	rapid.Check(t, func(t *rapid.T) {
		recs := worldly(t, kinds)
		to := uint64(len(recs))
		for _, table := range tables.All() {
			whole := cellsOf(t, table, logOf(recs), to)
			if got := cellsOf(t, table, partOf(recs).Only(table.Needs("")), to); fmt.Sprint(got) != fmt.Sprint(whole) {
				t.Fatalf("%s: %v, want %v", table.Name(), got, whole)
			}
			for key, want := range whole {
				if got := cellsOf(t, table, partOf(recs).Only(table.Needs(key)), to)[key]; got != want {
					t.Fatalf("%s %q by %+v:\n%s, want\n%s", table.Name(), key, table.Needs(key), got, want)
				}
			}
		}
	})
}
