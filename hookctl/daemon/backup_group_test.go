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
	d := open(t, reviewHome(t))
	defer shut(t, d)
	k, _ := events.Lookup(events.TypePromptSubmitted)
	r := rand.NewChaCha8([32]byte{1})
	for range 6 { // 2 MiB each, in 16 events: a block ends within one of them
		group := make([]events.Envelope, 16)
		for i := range group {
			text := make([]byte, 96<<10)
			_, _ = r.Read(text)
			now := d.opts.Now().UTC()
			group[i] = events.Envelope{ID: wire.NewID(now.UnixMilli()), Type: k.Type, Version: k.Version(), Time: now, Session: "s-1", Correlation: "s-1",
				Data: []byte(fmt.Sprintf(`{"session_id":"s-1","hook_event_name":"UserPromptSubmit","prompt":%q}`, base64.StdEncoding.EncodeToString(text)))}
		}
		d.mu.Lock()
		_, err := d.append(t.Context(), group, &origin{})
		d.mu.Unlock()
		if err != nil {
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
