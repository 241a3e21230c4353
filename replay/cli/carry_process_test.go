//go:build unix

package cli

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"hookline/expect"
	"hookline/hookctl/wire"
	"hookline/replay/check"
	"hookline/replay/mend"
)

// send gives one hook to the running daemon.
func send(t *testing.T, body string) {
	t.Helper()
	at := time.Now().UnixMilli()
	f := wire.Frame{ID: wire.NewID(at), Args: []string{"hook"}, Time: at, Complete: true, Size: int64(len(body)), Body: []byte(body)}
	expect.Value(wire.Do(time.Now().Add(30*time.Second), wire.Socket(os.Getenv), "", f))(t)
}

func decoded[T any](t *testing.T, out string) (v T) {
	t.Helper()
	if err := json.Unmarshal([]byte(out), &v); err != nil {
		t.Fatalf("%v in %s", err, out)
	}
	return v
}

// A sealed block is spoilt under a running daemon: repair ends it, opens the store anew and fetches what was lost.
func TestRepairBesideTheDaemon(t *testing.T) {
	if testing.Short() {
		t.Skip("builds two programs")
	}
	newHome(t)
	bin, export := t.TempDir(), filepath.Join(t.TempDir(), "log.ndjson.zst")
	build(t, bin, "hookline/hookctl/hookd", "hookline/replay")
	serve(t, filepath.Join(bin, "hookd"))
	for i := range 16 { // 11 MiB in the log: one sealed block
		send(t, fmt.Sprintf(`{"hook_event_name":"UserPromptSubmit","session_id":"s-1","prompt_id":"p%d","prompt":%q}`, i, random(i, 900<<10)))
	}
	// 16 prompts, daemon.started, and twice what the model was told: before and after its identity is known.
	if out := process(t, bin, 0, "export", "-o", export); !strings.Contains(out, ": 19 events, 0 blobs, ") {
		t.Error(out)
	}

	path := filepath.Join(os.Getenv("HOOKLINE_HOME"), "store", "jetstream", "$G", "streams", "EVENTS", "msgs", "1.blk")
	f := expect.Value(os.OpenFile(path, os.O_RDWR, 0))(t)
	expect.Value(f.WriteAt([]byte("spoilt beyond mending"), 3<<20))(t)
	f.Close()
	plan := decoded[mend.Repaired](t, process(t, bin, 2, "repair", "--dry-run", "--json"))
	if len(plan.Damage) != 1 || plan.PID == os.Getpid() {
		t.Fatalf("%+v", plan)
	}
	r := decoded[mend.Repaired](t, process(t, bin, 0, "repair", "--yes", "--json", "--from", export))
	if len(r.Damage) != 0 || r.LostN != 1 || r.Fetched != 1 || r.Added != 1 || r.NotHad != 0 {
		t.Fatalf("%+v", r)
	}
	v := decoded[check.Verdict](t, process(t, bin, 0, "verify", "--json")) // the hole stays, and is said; an event names it
	if v.Holes != 1 || len(v.Known) != 1 || len(v.New) != 0 || len(v.Diffs) != 0 {
		t.Errorf("%+v", v)
	}
}

// random is text that hardly compresses.
func random(seed, n int) string {
	const letters = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz 0123456789"
	b, x := make([]byte, n), uint64(seed)*2654435761+1
	for i := range b {
		x ^= x << 13
		x ^= x >> 7
		x ^= x << 17
		b[i] = letters[x%uint64(len(letters))]
	}
	return string(b)
}
