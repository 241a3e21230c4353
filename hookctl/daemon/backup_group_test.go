//go:build unix

package daemon

import (
	"path/filepath"
	"testing"

	"hookline/events"
	"hookline/expect"
)

// The sealed blocks of a backup may end within the events of one decision; the rest of them stands in its tail.
func TestBackupEndsWithinADecision(t *testing.T) {
	d := opened(t)
	for range 6 { // 2 MiB each, in 16 events: a block ends within one of them
		expect.OK(t, appendDecision(t, d, 96<<10))
	}
	want := logOf(t, d)
	file := filepath.Join(t.TempDir(), "b.backup")
	b, err := d.Backup(t.Context(), file, nil)
	if err != nil || b.Blocks == 0 || (b.Seq-b.Events-(uint64(len(want))-96))%16 == 0 {
		t.Fatalf("%+v %v: no block ends within a decision", b, err)
	}
	got, back := restored(t, file)
	defer shut(t, back)
	if !got.Verify.Clean || got.Last != b.Seq || len(logOf(t, back)) != len(want) {
		t.Errorf("%+v", got)
	}
	mustVerify(t, back)
}

// appendDecision appends 16 events that belong together, each with so many bytes that do not compress.
func appendDecision(t *testing.T, d *Daemon, size int) error {
	group := make([]events.Envelope, 16)
	for i := range group {
		group[i] = fat("s-1", i, size)
	}
	if _, err := d.stream.AppendGroup(t.Context(), group...); err != nil {
		return err
	}
	_, err := d.rec.Import(t.Context(), group[:1]) // folds what the log has
	return err
}
