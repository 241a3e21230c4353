//go:build unix

package daemon

import (
	"encoding/base64"
	"fmt"
	"math/rand/v2"
	"path/filepath"
	"testing"

	"hookline/events"
	"hookline/hookctl/wire"
)

// The sealed blocks of a backup may end within the events of one decision; the rest of them stands in its tail.
func TestBackupEndsWithinADecision(t *testing.T) {
	d := open(t, newHome(t))
	defer shut(t, d)
	for range 6 { // 2 MiB each, in 16 events: a block ends within one of them
		if err := appendDecision(t, d, 96<<10); err != nil {
			t.Fatal(err)
		}
	}
	want := logOf(t, d)
	file := filepath.Join(t.TempDir(), "b.backup")
	b, err := d.Backup(t.Context(), file, nil)
	if err != nil || b.Blocks == 0 || (b.Seq-b.Events-(uint64(len(want))-96))%16 == 0 {
		t.Fatalf("%+v %v: no block ends within a decision", b, err)
	}
	got, house := restored(t, file)
	defer shut(t, house)
	if !got.Verify.Clean || got.Last != b.Seq || len(logOf(t, house)) != len(want) {
		t.Errorf("%+v", got)
	}
	mustVerify(t, house)
}

// appendDecision appends 16 events that belong together, each with so many bytes that do not compress.
func appendDecision(t *testing.T, d *Daemon, size int) error {
	k, _ := events.Lookup(events.TypePromptSubmitted)
	group := make([]events.Envelope, 16)
	for i := range group {
		now := d.opts.Now().UTC()
		r := rand.NewChaCha8([32]byte{byte(i), byte(now.Nanosecond()), byte(now.Nanosecond() >> 8)})
		text := make([]byte, size)
		_, _ = r.Read(text)
		group[i] = events.Envelope{ID: wire.NewID(now.UnixMilli()), Type: k.Type, Version: k.Version(), Time: now, Session: "s-1", Correlation: "s-1",
			Data: []byte(fmt.Sprintf(`{"session_id":"s-1","hook_event_name":"UserPromptSubmit","prompt":%q}`, base64.StdEncoding.EncodeToString(text)))}
	}
	if _, err := d.stream.AppendGroup(t.Context(), group...); err != nil {
		return err
	}
	_, err := d.rec.Import(t.Context(), group[:1]) // folds what the log has
	return err
}

// A backup that begins while a decision is written has all of it or nothing.
func TestBackupBesideADecision(t *testing.T) {
	d := open(t, newHome(t))
	defer shut(t, d)
	written := make(chan error, 1)
	go func() {
		var err error
		for n := 0; n < 3 && err == nil; n++ { // 16 MiB each: every one seals two blocks
			err = appendDecision(t, d, 1<<20)
		}
		written <- err
	}()
	file := filepath.Join(t.TempDir(), "b.backup")
	if b, err := d.Backup(t.Context(), file, nil); err != nil || b.Seq%16 != 0 {
		t.Fatalf("%+v %v", b, err)
	}
	if err := <-written; err != nil {
		t.Fatal(err)
	}
	got, house := restored(t, file)
	defer shut(t, house)
	if !got.Verify.Clean || got.Last != got.Seq {
		t.Errorf("%+v", got)
	}
}
