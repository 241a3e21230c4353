//go:build unix

package cli

import (
	"encoding/base64"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"hookline/expect"
	"hookline/hookctl/api"
)

// A sealed block is spoilt under a running daemon: repair ends it, opens the store anew and fetches what was lost.
func TestRepairBesideTheDaemon(t *testing.T) {
	if testing.Short() {
		t.Skip("builds three programs")
	}
	newHome(t)
	bin, export := t.TempDir(), filepath.Join(t.TempDir(), "log.ndjson.zst")
	out, err := exec.Command("go", "build", "-buildvcs=false", "-o", bin+string(filepath.Separator), "hookline/hookctl", "hookline/hookctl/hookd", "hookline/replay").CombinedOutput()
	if err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	run := func(exit int, input, program string, args ...string) []byte {
		t.Helper()
		cmd := exec.Command(filepath.Join(bin, program), args...)
		cmd.Stdin = strings.NewReader(input)
		out, _ := cmd.Output() // the exit code tells
		if got := cmd.ProcessState.ExitCode(); got != exit {
			t.Fatalf("%s %s: exit %d, want %d: %s", program, args, got, exit, out)
		}
		return out
	}
	run(0, "", "hookctl", "start")
	defer run(0, "", "hookctl", "stop")
	for i := range 16 { // 14 MiB in the log: one sealed block
		noise := make([]byte, 700<<10)
		_, _ = rand.NewChaCha8([32]byte{byte(i)}).Read(noise)
		run(0, fmt.Sprintf(`{"hook_event_name":"UserPromptSubmit","session_id":"s-1","prompt_id":"p%d","prompt":"%s"}`, i, base64.StdEncoding.EncodeToString(noise)), "hookctl", "hook", "UserPromptSubmit")
	}
	run(0, "", "replay", "export", "-o", export)
	path := filepath.Join(os.Getenv("HOOKLINE_HOME"), "store", "jetstream", "$G", "streams", "EVENTS", "msgs", "1.blk")
	f := expect.Value(os.OpenFile(path, os.O_RDWR, 0))(t)
	expect.Value(f.WriteAt([]byte("spoilt beyond mending"), 3<<20))(t)
	expect.OK(t, f.Close())

	var plan, r api.Repaired
	expect.OK(t, json.Unmarshal(run(2, "", "replay", "repair", "--dry-run", "--json"), &plan))
	if len(plan.Damage) != 1 || plan.PID == os.Getpid() {
		t.Fatalf("%+v", plan)
	}
	expect.OK(t, json.Unmarshal(run(0, "", "replay", "repair", "--yes", "--json", "--from", export), &r))
	if len(r.Damage) != 0 || r.LostN != 1 || r.Fetched != 1 || r.Added != 1 || r.NotHad != 0 {
		t.Fatalf("%+v", r)
	}
	var v api.Verdict // the hole stays, and is said; an event names it
	expect.OK(t, json.Unmarshal(run(0, "", "replay", "verify", "--json"), &v))
	if v.Holes != 1 || len(v.Known) != 1 || len(v.New) != 0 || len(v.Diffs) != 0 {
		t.Errorf("%+v", v)
	}
}
