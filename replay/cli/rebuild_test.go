package cli

import (
	"context"
	"testing"

	"hookline/expect"
	"hookline/hookctl/client"
)

func TestRebuildMends(t *testing.T) {
	lie(t, recorded(t))
	heading := "identity  snapshot  identity.v7." + ended + "\n  state.last_ic  0.11 → 0.9614\n"
	dry := told(t, "rebuild", "--projection", "identity", "--dry-run")
	expect.Equal(t, plainTimes(dry), heading+"\nfolded projection identity up to sequence 11 in T: 1 field of 1 cell would change\n", "dry run")
	replay(t, 1, "verify") // it was dry
	expect.Equal(t, plainTimes(told(t, "rebuild", "--projection", "identity")), heading+"\nrebuilt projection identity up to sequence 11 in T: 1 field of 1 cell changed\n", "rebuild")
	replay(t, 0, "verify")
	expect.Equal(t, plainTimes(told(t, "rebuild", "--projection", "identity")), "rebuilt projection identity up to sequence 12 in T: nothing changed\n", "again")
}

func TestRebuildCancelledLeavesTheOld(t *testing.T) {
	lie(t, recorded(t))
	ctx, cancel := context.WithCancel(t.Context())
	r := newRun()
	dial := r.connect
	r.connect = func(ctx context.Context) (*client.Client, error) {
		h, err := dial(ctx)
		cancel()
		return h, err
	}
	expect.Equal(t, r.main(ctx, []string{"rebuild"}), 130, "exit")
	expect.Equal(t, r.stderr.String(), "replay: interrupted\n", "stderr")
	holds(t, replay(t, 1, "verify").stdout.String(), "got 0.11\n")
}

// A pointer belongs to the projection that derives it, whatever its key begins with.
func TestPointersHaveTheirProjection(t *testing.T) {
	home := recorded(t)
	falsify(t, home, "latest", "identity.elsewhere", func([]byte) []byte { return []byte(live) })
	want := "latest  latest  identity.elsewhere\n  (cell)  " + live + " → (absent)\n"
	holds(t, told(t, "rebuild", "--projection", "latest"), want)
	replay(t, 0, "verify")
}
