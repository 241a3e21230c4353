package cli

import (
	"context"
	"strings"
	"testing"

	"hookline/hookctl/client"
)

func TestRebuildMends(t *testing.T) {
	lie(t, recorded(t))
	heading := "identity  snapshot  identity.v5." + ended + "\n  state.last_ic  0.11 → 0.9614\n"
	dry := replay(t, 0, "rebuild", "--projection", "identity", "--dry-run").stdout.String()
	equal(t, plainTimes(dry), heading+"\nfolded projection identity up to sequence 11 in T: 1 field of 1 cell would change\n", "dry run")
	replay(t, 1, "verify") // it was dry
	var r client.Rebuilt
	replay(t, 0, "rebuild", "--projection", "identity", "--dry-run", "--json").decode(t, &r)
	if r.Projection != "identity" || !r.DryRun || r.Seq != 11 || len(r.Changed) != 1 || r.Changed[0].Field != "state.last_ic" || r.Changed[0].Want != "0.9614" || r.Changed[0].Got != "0.11" {
		t.Errorf("%+v", r)
	}
	equal(t, plainTimes(replay(t, 0, "rebuild", "--projection", "identity").stdout.String()), heading+"\nrebuilt projection identity up to sequence 11 in T: 1 field of 1 cell changed\n", "rebuild")
	replay(t, 0, "verify")
	equal(t, plainTimes(replay(t, 0, "rebuild", "--projection", "identity").stdout.String()), "rebuilt projection identity up to sequence 11 in T: nothing changed\n", "again")
}

func TestRebuildCancelledLeavesTheOld(t *testing.T) {
	lie(t, recorded(t))
	ctx, cancel := context.WithCancel(t.Context())
	r := newRun()
	dial := r.connect
	r.connect = func(ctx context.Context) (backend, error) {
		h, err := dial(ctx)
		cancel()
		return h, err
	}
	equal(t, r.main(ctx, []string{"rebuild"}), 130, "exit")
	equal(t, r.stderr.String(), "replay: interrupted; the old cells stay, unless all of them had just been switched\n", "stderr")
	if out := replay(t, 1, "verify").stdout.String(); !strings.Contains(out, "got 0.11\n") {
		t.Error(out)
	}
}

func TestRebuildUnknownProjection(t *testing.T) {
	recorded(t)
	r := replay(t, 1, "rebuild", "--projection", "identiy")
	equal(t, r.stderr.String(), "replay: error: no projection is called \"identiy\"\nreplay: hint: did you mean identity?\n", "stderr")
}
