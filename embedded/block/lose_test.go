package block

import (
	"fmt"
	"testing"

	"hookline/expect"
)

// seqOf publishes a message and gives its sequence.
func seqOf(r *real, m int) uint64 {
	r.t.Helper()
	ack := expect.Value(r.js.PublishMsg(r.t.Context(), message(m, 100)))(r.t)
	return ack.Sequence
}

// The linked server counts on behind sequences that were given up, also after its next start, and has no message there.
func TestServerCountsBehindTheLost(t *testing.T) {
	dir := store(t, 10, 200, 20<<20)
	expect.OK(t, Lose(msgsOf(dir), stream, Range{11, 13}))
	for _, want := range []uint64{14, 15} {
		r := serve(t, dir, 20<<20)
		expect.EqualNow(t, seqOf(r, int(want)), want, "the next message is")
		info, err := r.stream.Info(t.Context())
		if err != nil || info.State.FirstSeq != 1 || info.State.NumDeleted != 3 || info.State.Msgs != want-3 {
			t.Errorf("state %+v, %v", info.State, err)
		}
		for seq := uint64(11); seq <= 13; seq++ {
			if _, err := r.stream.GetMsg(t.Context(), seq); err == nil {
				t.Errorf("the server has a message at %d", seq)
			}
		}
		r.stop()
	}
	if rep := mustCheck(t, msgsOf(dir)); len(rep.Damage)+len(rep.Holes) != 0 || rep.Blocks[0].Last != 15 {
		t.Errorf("%+v", rep)
	}
}

// Without any block the lost sequences are a block of their own, and the server begins behind them; so it does after a
// message so large that the first block never gets one.
func TestServerBeginsBehindTheLost(t *testing.T) {
	for _, size := range []int{100, 7 << 20} {
		t.Run(fmt.Sprint(size), func(t *testing.T) {
			dir := t.TempDir()
			expect.OK(t, Lose(msgsOf(dir), stream, Range{1, 269}))
			for _, want := range []uint64{270, 271} {
				r := serve(t, dir, 20<<20)
				ack, err := r.js.PublishMsg(t.Context(), message(int(want), size))
				if err != nil || ack.Sequence != want {
					t.Fatalf("the next message is %+v, %v, want %d", ack, err, want)
				}
				info, err := r.stream.Info(t.Context())
				if err != nil || info.State.FirstSeq != 270 || info.State.LastSeq != want || info.State.Msgs != want-269 {
					t.Errorf("state %+v, %v", info.State, err)
				}
				r.stop()
			}
			if rep := mustCheck(t, msgsOf(dir)); len(rep.Damage)+len(rep.Holes) != 0 {
				t.Errorf("%+v", rep)
			}
		})
	}
}
