package mend

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"hookline/embedded"
	"hookline/embedded/block"
	"hookline/events"
	"hookline/expect"
	"hookline/hookctl/redact"
	"hookline/replay/carry"
	"hookline/replay/check"
)

// The real transcripts of two sessions can be read, line by line.
func TestRepairReadsRealTranscripts(t *testing.T) {
	files, err := filepath.Glob(os.Getenv("HOOKLINE_TRANSCRIPTS"))
	if err != nil || len(files) == 0 {
		t.Skip("HOOKLINE_TRANSCRIPTS names none")
	}
	ground, err := embedded.Open(t.Context(), embedded.Options{Dir: t.TempDir()})
	expect.OK(t, err)
	defer func() { _ = ground.Close(context.Background()) }()
	st := RepairStore{Log: ground.Stream(), Blobs: ground.Blobs(), Clean: func(s string) string { return s },
		Into: carry.Into{Redact: redact.New().JSON, Append: func(ctx context.Context, envs []events.Envelope) (int, error) {
			receipts, err := ground.Stream().Append(ctx, envs...)
			return len(receipts), err
		}}}
	for _, file := range files {
		id := strings.TrimSuffix(filepath.Base(file), ".jsonl")
		b := &rebuilder{st: st, windows: []check.Window{{Range: block.Range{First: 1, Last: 9}, To: time.Now()}}}
		b.known = map[string]map[string]bool{id: {}}
		if err := b.file(t.Context(), file); err != nil || len(b.made) < 100 {
			t.Fatalf("%s: %d events, %v", file, len(b.made), err)
		}
		n := map[string]int{}
		for _, env := range b.made {
			n[env.Type]++
		}
		if n["tool.requested"] < 50 || n["prompt.submitted"] < 1 || n["tool.succeeded"]+n["tool.failed"] < 50 {
			t.Errorf("%s: %v", file, n)
		}
		if added, err := b.append(t.Context()); err != nil || added != len(b.made) {
			t.Errorf("%d of %d, %v", added, len(b.made), err)
		}
	}
	if found, err := ground.Stream().Examine(t.Context(), 1, 0, func(events.Record) error { return nil }); err != nil || len(found) > 0 {
		t.Errorf("%+v, %v", found, err)
	}
}
