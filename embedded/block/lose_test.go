package block

import (
	"testing"

	"hookline/expect"
)

// seqOf publishes a message and gives its sequence.
func seqOf(r *real, m, size int) uint64 {
	r.t.Helper()
	return expect.Value(r.js.PublishMsg(r.t.Context(), message(m, size)))(r.t).Sequence
}

// The linked server counts on behind sequences that were given up, also after its next start, and has no message there.
// Without any block they are a block of their own, and the server begins behind them; so it does after a message so large
// that the first block never gets one.
func TestServerCountsBehindTheLost(t *testing.T) {
	for name, c := range map[string]struct {
		before, size int
		lost         Range
		first        uint64 // that the server shows
	}{
		"behind messages":       {10, 100, Range{11, 13}, 1},
		"at the beginning":      {0, 100, Range{1, 269}, 270},
		"before a large record": {0, 7 << 20, Range{1, 269}, 270},
	} {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			if c.before > 0 {
				dir = store(t, c.before, 200, 20<<20)
			}
			expect.OK(t, Lose(msgsOf(dir), stream, c.lost))
			for _, want := range []uint64{c.lost.Last + 1, c.lost.Last + 2} {
				r := serve(t, dir, 20<<20)
				expect.EqualNow(t, seqOf(r, int(want), c.size), want, "the next message is")
				info, err := r.stream.Info(t.Context())
				if err != nil || info.State.FirstSeq != c.first || info.State.LastSeq != want || info.State.Msgs != want-Count([]Range{c.lost}) {
					t.Errorf("state %+v, %v", info.State, err)
				}
				expect.Equal(t, r.get(c.lost.Last), "", "the server's message at a lost sequence")
				r.stop()
			}
			if rep := mustCheck(t, msgsOf(dir)); !rep.Sound() {
				t.Errorf("%+v", rep)
			}
		})
	}
}
