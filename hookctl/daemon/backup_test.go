//go:build unix

package daemon

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"path/filepath"
	"sync"
	"testing"

	"hookline/events"
	"hookline/expect"
	"hookline/hookctl/api"
	"hookline/replay/carry"
)

// A backup that is taken while eight sessions work restores to a clean store that has every event which was
// acknowledged before it began, and nothing that is not in the log.
func TestBackupUnderLoad(t *testing.T) {
	d := open(t, thick(t, 90)) // two sealed blocks
	defer shut(t, d)
	var mu sync.Mutex
	var acked []string
	enough := make(chan struct{})
	ctx, stop := context.WithCancel(t.Context())
	var writers sync.WaitGroup
	for w := range 8 {
		writers.Go(func() {
			for i := 0; ctx.Err() == nil; i++ {
				f := bashOf(fmt.Sprint("s-", w), i)
				if _, err := d.Take(context.Background(), f); err != nil {
					t.Error(err)
					return
				}
				mu.Lock()
				if acked = append(acked, f.ID); len(acked) == 400 {
					close(enough)
				}
				mu.Unlock()
			}
		})
	}
	<-enough
	file := filepath.Join(t.TempDir(), "b.backup")
	b, err := api.Backup.Run(t.Context(), surface(d), api.BackupRequest{File: file}, noProgress)
	stop()
	writers.Wait()
	if err != nil || b.Blocks < 2 || b.Seq < 400 || b.Blobs != 0 {
		t.Fatalf("%+v %v", b, err)
	}
	info, err := os.Stat(file)
	if err != nil || info.Mode().Perm() != 0o600 || info.Size() != b.Bytes {
		t.Errorf("%v %v", info.Mode(), err)
	}
	home := filepath.Join(t.TempDir(), "restored")
	r := expect.Value(Restore(t.Context(), carry.RestoreOptions{File: file, Home: home}))(t)
	got := open(t, home)
	defer shut(t, got)
	if !r.Verify.Clean || r.Seq != b.Seq || r.Last != b.Seq {
		t.Errorf("%+v", r)
	}
	have := map[string]events.Record{}
	for _, rec := range logOf(t, got) {
		have[rec.ID] = rec
	}
	for _, id := range acked[:400] {
		if have[id].ID == "" {
			t.Fatalf("%s was acknowledged before and is not restored", id)
		}
	}
	for _, rec := range logOf(t, d) {
		if was, ok := have[rec.ID]; ok != (rec.Seq <= b.Seq) || ok && (was.Seq != rec.Seq || !bytes.Equal(was.Data, rec.Data)) {
			t.Fatalf("sequence %d: restored %v, as %d", rec.Seq, ok, was.Seq)
		}
	}
	mustVerify(t, got)
}
