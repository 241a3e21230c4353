package tables_test

import (
	"bytes"
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"hookline/expect"
	"hookline/projector"
	"hookline/projector/tables"
)

var update = flag.Bool("update", false, "write the golden states of a new projection, or of one with a raised version")

// golden are the states of one projection after the recorded log.
type golden struct {
	Version int                        `json:"version"`
	Cells   map[string]json.RawMessage `json:"cells"` // {"seq":…,"state":…} by key
}

// TestGoldenStates folds the recorded log and compares the states of every projection with its golden file. A fold that makes
// another state of the same records means something else: then the version must be raised, or the stores of users keep the
// cells that the fold before has made.
func TestGoldenStates(t *testing.T) {
	states := foldAll(t, tables.All())
	for _, table := range tables.All() {
		t.Run(table.Name(), func(t *testing.T) { compareStates(t, table.Name(), states[table.Name()]) })
	}
}

// foldAll folds the recorded log, and returns the states by projection.
func foldAll(t *testing.T, all []*projector.Table) map[string]golden {
	t.Helper()

	log := recordedLog(t)
	everything := source(log).Only([]projector.Selector{{}})
	v := expect.Value(projector.FoldLog(context.Background(), everything, projector.FoldOptions{Tables: all, To: log[len(log)-1].Seq}))(t)

	states := map[string]golden{}
	err := v.Read(context.Background(), func(r projector.Reader) error {
		for _, table := range all {
			g := golden{Version: table.Version(), Cells: map[string]json.RawMessage{}}
			keys, err := r.Keys(table.Name())
			if err != nil {
				return err
			}
			for _, key := range keys {
				state, seq, _ := r.Raw(table.Name(), key)
				g.Cells[key] = fmt.Appendf(nil, `{"seq":%d,"state":%s}`, seq, state)
			}
			states[table.Name()] = g
		}
		return nil
	})
	expect.OK(t, err)
	return states
}

// compareStates holds one projection to its golden file. Cells that the file does not have are those of a kind of event that
// is new, and change no state that users have.
func compareStates(t *testing.T, name string, got golden) {
	path := filepath.Join("testdata", "states", name+".json")
	file, err := os.ReadFile(path)
	if err != nil && !*update {
		t.Fatalf("read the golden states: %v (go test ./projector/tables -run TestGoldenStates -update)", err)
	}
	want := golden{Version: got.Version}
	if err == nil {
		expect.OK(t, json.Unmarshal(file, &want))
	}

	differences := difference(want, got)
	switch {
	case len(differences) > 0 && got.Version == want.Version:
		t.Fatalf("raise Version of projection %s: its states differ from those of version %d, and stores keep the cells of this version.\n"+
			"Then write the new states: go test ./projector/tables -run TestGoldenStates -update\n%s", name, want.Version, firstOf(differences))
	case got.Version < want.Version:
		t.Fatalf("Version of projection %s = %d, and the golden states are of version %d: a version is never used again", name, got.Version, want.Version)
	case *update:
		writeStates(t, path, got)
	case got.Version != want.Version:
		t.Fatalf("the golden states of projection %s are of version %d, not %d: go test ./projector/tables -run TestGoldenStates -update", name, want.Version, got.Version)
	case len(want.Cells) != len(got.Cells):
		t.Fatalf("projection %s has %d cells, %d of them golden: go test ./projector/tables -run TestGoldenStates -update", name, len(got.Cells), len(want.Cells))
	}
}

// difference compares the golden cells with those that were folded, field by field.
func difference(want, got golden) []projector.Diff {
	var list []projector.Diff
	for _, key := range slices.Sorted(maps.Keys(want.Cells)) {
		if !bytes.Equal(want.Cells[key], got.Cells[key]) {
			list = append(list, projector.Explain(projector.Diff{Key: key}, want.Cells[key], got.Cells[key])...)
		}
	}
	return list
}

// firstOf returns the first differences as lines.
func firstOf(list []projector.Diff) string {
	const shown = 5
	var text bytes.Buffer
	for _, d := range list[:min(shown, len(list))] {
		fmt.Fprintf(&text, "%s: %s = %s, want %s\n", d.Key, d.Field, d.Got, d.Want)
	}
	if len(list) > shown {
		fmt.Fprintf(&text, "and %d fields more\n", len(list)-shown)
	}
	return text.String()
}

// writeStates writes a golden file: a cell a line.
func writeStates(t *testing.T, path string, g golden) {
	t.Helper()

	var text bytes.Buffer
	fmt.Fprintf(&text, "{\"version\": %d, \"cells\": {", g.Version)
	for i, key := range slices.Sorted(maps.Keys(g.Cells)) {
		if i > 0 {
			text.WriteByte(',')
		}
		fmt.Fprintf(&text, "\n%s: %s", expect.Value(json.Marshal(key))(t), g.Cells[key])
	}
	text.WriteString("\n}}\n")
	expect.OK(t, os.MkdirAll(filepath.Dir(path), 0o755))
	expect.OK(t, os.WriteFile(path, text.Bytes(), 0o644))
}
