package block

import (
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"hookline/expect"
)

// Messages go off the end, over the borders of blocks, and the server goes on with their sequences.
func TestCutEnd(t *testing.T) {
	for _, cut := range []int{0, 1, 2, n / 2, n - 1, n} {
		t.Run(fmt.Sprint(cut), func(t *testing.T) {
			dir, archive := archived(t)
			var asked uint64
			got, last, err := CutEnd(msgsOf(dir), archive, stream, func(newest Record) int {
				asked = newest.Seq
				return cut
			})
			if err != nil || got != cut || last != uint64(n-cut) || asked != n {
				t.Fatalf("cut %d, last %d, asked for %d, %v", got, last, asked, err)
			}
			rep := mustCheck(t, msgsOf(dir))
			if len(rep.Damage)+len(rep.Holes) != 0 {
				t.Errorf("report %+v", rep)
			}
			if _, err := Archive(msgsOf(dir), archive, false); err != nil {
				t.Error(err)
			}
			if cut == n { // without a message the server does not know where to go on; its owner removes such blocks
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
			m := message(n+1, size)
			if ack, err := r.js.PublishMsg(t.Context(), m); err != nil || ack.Sequence != uint64(n-cut+1) {
				t.Errorf("the next message: %+v, %v", ack, err)
			}
		})
	}
}

// A log without a message has nothing to cut, and nobody is asked.
func TestCutEndOfNothing(t *testing.T) {
	dir := t.TempDir()
	never := func(Record) int { t.Error("asked"); return 1 }
	if got, last, err := CutEnd(dir, dir, stream, never); err != nil || got != 0 || last != 0 {
		t.Errorf("%d, %d, %v", got, last, err)
	}
	expect.OK(t, os.WriteFile(filepath.Join(dir, "1.blk"), nil, 0o600))
	if got, last, err := CutEnd(dir, dir, stream, never); err != nil || got != 0 || last != 0 {
		t.Errorf("%d, %d, %v", got, last, err)
	}
}
