package carry

import (
	"bytes"
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"hookline/events"
	"hookline/expect"
	"hookline/hookctl/problem"
	"hookline/hookctl/redact"
)

// target is a log in memory that takes events in.
type target struct {
	log   []events.Envelope
	blobs map[string]bool
	fail  error // of the next append
}

func (h *target) Last() (uint64, string) { return uint64(len(h.log)), "" }

func (h *target) FindIDs(_ context.Context, from uint64, ids map[string]struct{}) (map[string]uint64, error) {
	found := map[string]uint64{}
	for i, env := range h.log[from-1:] {
		if _, ok := ids[env.ID]; ok {
			found[env.ID] = from + uint64(i)
		}
	}
	return found, nil
}

func (h *target) Has(digest string) bool { return h.blobs[digest] }

func (h *target) Put(content []byte) (string, error) {
	h.blobs[string(content)] = true
	return "", nil
}

func (h *target) append(_ context.Context, envs []events.Envelope) (int, error) {
	if h.fail != nil {
		return 0, h.fail
	}
	h.log = append(h.log, envs...)
	return len(envs), nil
}

func (h *target) into() Into {
	return Into{Log: h, Blobs: h, Redact: redact.New().JSON, Append: h.append}
}

// writtenFile is a file with events of the numbers given.
func writtenFile(t *testing.T, numbers ...int) (path string, text []byte) {
	t.Helper()
	var list []Item
	for _, n := range numbers {
		list = append(list, event(uint64(n), "{}"))
	}
	text = written(t, list...)
	path = filepath.Join(t.TempDir(), "log.ndjson")
	expect.OK(t, os.WriteFile(path, text, 0o600))
	return path, text
}

// Each event counts once, whether the log has it or the file has it twice; a dry run appends nothing.
func TestFile(t *testing.T) {
	h := &target{blobs: map[string]bool{}}
	path, _ := writtenFile(t, 1, 2, 2, 3)
	for _, c := range []struct {
		o            ImportOptions
		added, known uint64
		log          int
	}{
		{ImportOptions{Dry: true}, 3, 1, 0},
		{ImportOptions{Skip: func(r events.Record) bool { return r.Seq == 3 }}, 2, 1, 2},
		{ImportOptions{}, 1, 3, 3},
		{ImportOptions{}, 0, 4, 3},
	} {
		got, err := Import(t.Context(), path, h.into(), c.o, nil)
		if err != nil || got.Events != 4 || got.Added != c.added || got.Known != c.known || len(h.log) != c.log || got.Seq != uint64(c.log) || got.Build != "0.1.0" {
			t.Errorf("%+v, %d in the log, %v", got, len(h.log), err)
		}
	}
}

// Of a file that is cut off nothing is taken, or what stands before the trouble.
func TestPartial(t *testing.T) {
	path, text := writtenFile(t, 1, 2, 3)
	expect.OK(t, os.WriteFile(path, text[:bytes.LastIndex(text[:len(text)-1], []byte("\n"))+1], 0o600))
	h := &target{}
	_, err := Import(t.Context(), path, h.into(), ImportOptions{}, nil)
	var p *problem.Error
	if !errors.As(err, &p) || !strings.HasSuffix(p.Message, "the export is cut off after line 4; nothing was imported") || p.Hint != "--partial takes the 3 events before that" || len(h.log) != 0 {
		t.Errorf("%v, %d in the log", err, len(h.log))
	}
	got, err := Import(t.Context(), path, h.into(), ImportOptions{Partial: true}, nil)
	if err != nil || got.Added != 3 || len(h.log) != 3 || !strings.HasSuffix(got.Problem, "the export is cut off after line 4") {
		t.Errorf("%+v, %v", got, err)
	}
}

// What the log refuses is an error, and nothing of it counts as added.
func TestRefusedExports(t *testing.T) {
	path, _ := writtenFile(t, 1, 2)
	full := errors.New("no space left")
	if got, err := Import(t.Context(), path, (&target{fail: full}).into(), ImportOptions{}, nil); !errors.Is(err, full) || got.Added != 0 {
		t.Errorf("%+v, %v", got, err)
	}
}
