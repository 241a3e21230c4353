package block

import (
	"fmt"
	"testing"

	"hookline/expect"
)

// Messages go off the end, over the borders of blocks, and the server goes on with their sequences.
func TestCutEnd(t *testing.T) {
	for _, cut := range []int{0, 2, n / 2, n} {
		t.Run(fmt.Sprint(cut), func(t *testing.T) {
			dir, archive := archived(t)
			newest := expect.Value(Newest(msgsOf(dir), stream))(t)
			got, last, err := CutEnd(msgsOf(dir), archive, stream, newest.Seq-uint64(cut)+1)
			if err != nil || got != cut || last != uint64(n-cut) {
				t.Fatalf("cut %d, last %d, %v", got, last, err)
			}
			if rep := mustCheck(t, msgsOf(dir)); !rep.Sound() {
				t.Errorf("report %+v", rep)
			}
			expect.OK(t, Archive(msgsOf(dir), archive, false))
			if cut == n { // without a message the server does not know where to go on; its owner removes such blocks
				newest := expect.Value(Newest(msgsOf(dir), stream))(t)
				expect.Equal(t, newest.Seq, 0, "the newest message of none")
				return
			}
			r := serve(t, dir, small)
			for i := 1; i <= n; i++ {
				want := expected(i, size)
				if i > n-cut {
					want = ""
				}
				expect.EqualNow(t, r.get(uint64(i)), want, "message", i)
			}
			expect.Equal(t, seqOf(r, n+1, size), uint64(n-cut+1), "the next message")
		})
	}
}
