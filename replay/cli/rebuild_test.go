package cli

import (
	"context"
	"strings"
	"testing"

	"hookline/hookctl/client"
)

func TestRebuildMends(t *testing.T) {
	lie(t, recorded(t))
	heading := "identity  snapshot  identity.v5." + ended + "\n  ~ state.last_ic  0.11 → 0.9614\n"
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

func TestRebuildDropsStrangers(t *testing.T) {
	falsify(t, recorded(t), "snapshot", "identity.v5.nobody", func([]byte) []byte { return []byte(`{"seq":3,"state":{}}`) })
	out := replay(t, 0, "rebuild").stdout.String()
	if want := "identity  snapshot  identity.v5.nobody\n  - (cell)  {\"seq\":3,\"state\":{}} → (absent)\n"; !strings.Contains(out, want) {
		t.Errorf("%q is not in\n%s", want, out)
	}
	replay(t, 0, "verify")
}

func TestRebuildCancelledLeavesTheOld(t *testing.T) {
	lie(t, recorded(t))
	ctx, cancel := context.WithCancel(t.Context())
	r := newRun()
	r.connect = func(ctx context.Context) (backend, error) {
		h, err := r.dial(ctx)
		cancel()
		return h, err
	}
	equal(t, r.main(ctx, []string{"rebuild"}), 130, "exit")
	equal(t, r.stderr.String(), "replay: interrupted; the old cells stay, unless all of them had just been switched\n", "stderr")
	if out := replay(t, 1, "verify").stdout.String(); !strings.Contains(out, "got 0.11\n") {
		t.Error(out)
	}
}

func TestRebuildWords(t *testing.T) {
	newHome(t)
	h := &canned{lines: []string{`{"result":{"projection":"","dry_run":true,"seq":1204,"changed":[],"took_ms":1500}}`}}
	equal(t, newRun().on(h).do(t, 0, "rebuild", "--dry-run").stdout.String(), "folded all projections up to sequence 1,204 in 1.5 s: nothing would change\n", "stdout")
	newRun().on(h).do(t, 0, "rebuild", "--projection", "gate")
	equal(t, strings.Join(h.asked, "\n"), "POST /v1/rebuild?dry_run=1\nPOST /v1/rebuild?projection=gate", "requests")
}

func TestRebuildUnknownProjection(t *testing.T) {
	recorded(t)
	r := replay(t, 1, "rebuild", "--projection", "identiy")
	equal(t, r.stderr.String(), "replay: error: no projection is called \"identiy\"\nreplay: hint: did you mean identity?\n", "stderr")
}
