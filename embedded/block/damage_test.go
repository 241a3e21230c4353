package block

import (
	"bytes"
	"math/rand/v2"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"testing"
)

// served asks a real server on the store for the messages 1 to n, and returns which differ from what was published.
func served(t *testing.T, store string, n, size int) (missing []uint64) {
	t.Helper()
	r := serve(t, store, small)
	defer r.stop()
	for seq := uint64(1); seq <= uint64(n); seq++ {
		switch got := r.get(seq); got {
		case expected(int(seq), size):
		case "":
			missing = append(missing, seq)
		default:
			t.Errorf("message %d is %s", seq, got)
		}
	}
	return missing
}

// inMemory checks and repairs a block that is the only one of its stream, and gives its content then.
func inMemory(t *testing.T, b []byte) ([]byte, Report, Fixed) {
	t.Helper()
	msgs := t.TempDir()
	path := filepath.Join(msgs, "1.blk")
	write1(t, path, b)
	rep := mustCheck(t, msgs)
	fixed, err := Repair(msgs, Options{Stream: stream}, rep)
	if err != nil {
		t.Fatalf("%v, report %+v", err, rep)
	}
	out, err := os.ReadFile(path)
	if err != nil && len(fixed.SetAside) == 0 {
		t.Fatal(err)
	}
	return out, rep, fixed
}

// One flipped bit anywhere in a block is seen, and costs the event that it is in and no other. The server judges one bit
// of every 35th byte.
func TestOneFlippedBit(t *testing.T) {
	const n, size = 5, 60
	origin := store(t, n, size, small)
	whole := read1(t, filepath.Join(msgsOf(origin), "1.blk"))
	length := len(whole) / n
	for bit := range 8 * len(whole) {
		bad := bytes.Clone(whole)
		bad[bit/8] ^= 1 << (bit % 8)
		hit := []Range{{uint64(bit/8/length + 1), uint64(bit/8/length + 1)}}
		_, rep, fixed := inMemory(t, bad)
		if len(rep.Damage) != 1 || !reflect.DeepEqual(append(fixed.Lost, fixed.Torn...), hit) {
			t.Fatalf("bit %d: report %+v, fixed %+v", bit, rep, fixed)
		}
		if bit%280 != (bit/280)%8 {
			continue
		}
		judged := duplicate(t, origin)
		write1(t, filepath.Join(msgsOf(judged), "1.blk"), bad)
		mustRepair(t, msgsOf(judged), "")
		if missing := served(t, judged, n, size); len(missing) != 1 || missing[0] != hit[0].First {
			t.Fatalf("bit %d: the server lacks %v", bit, missing)
		}
	}
}

// Several wounds of any kind in one block: what comes out is read without damage and has every record that was good.
func TestRandomDamage(t *testing.T) {
	whole := read1(t, filepath.Join(msgsOf(store(t, 30, 90, small)), "1.blk"))
	rng := rand.New(rand.NewPCG(1, 2))
	for round := range 200 {
		b := bytes.Clone(whole)
		for range 1 + rng.IntN(6) {
			at := rng.IntN(len(b))
			switch rng.IntN(4) {
			case 0:
				b[at] ^= 1 << rng.IntN(8)
			case 1:
				b[at] = byte(rng.IntN(256))
			case 2:
				b = slices.Delete(b, at, min(len(b), at+rng.IntN(300)))
			case 3:
				b = slices.Insert(b, at, b[:rng.IntN(len(b))]...)
			}
		}
		good, _, _ := listSeqs(b)
		out, rep, fixed := inMemory(t, b)
		after, last, damaged := listSeqs(out)
		for seq := range good {
			if !after[seq] {
				t.Fatalf("round %d: message %d was good and is gone; report %+v, fixed %+v", round, seq, rep, fixed)
			}
		}
		if damaged || last > 30 {
			t.Fatalf("round %d: damaged %v, last %d", round, damaged, last)
		}
	}
}

// listSeqs reads the sequences of a block's messages.
func listSeqs(b []byte) (seqs map[uint64]bool, last uint64, damaged bool) {
	seqs = make(map[uint64]bool)
	for p := range pieces(b, newHasher(stream, "1.blk")) {
		if p.why != "" {
			damaged = true
		} else if p.message() && !p.erased {
			seqs[p.seq], last = true, max(last, p.seq)
		}
	}
	return seqs, last, damaged
}

// A record cut anywhere goes, the others stay, and the server goes on behind them.
func TestTornTail(t *testing.T) {
	const n, size = 4, 60
	origin := store(t, n, size, small)
	whole := read1(t, filepath.Join(msgsOf(origin), "1.blk"))
	start := len(whole) / n * (n - 1)
	for end := start; end < len(whole); end++ {
		judged := duplicate(t, origin)
		path := filepath.Join(msgsOf(judged), "1.blk")
		write1(t, path, whole[:end])
		f := mustRepair(t, msgsOf(judged), "")
		if want := whole[:start]; !bytes.Equal(read1(t, path), want) {
			t.Fatalf("cut at %d: fixed %+v", end, f)
		}
		if end > start && (len(f.Lost) != 0 || !reflect.DeepEqual(f.Torn, []Range{{n, n}})) {
			t.Fatalf("cut at %d: lost %v, torn %v", end, f.Lost, f.Torn)
		}
		if end%9 == 0 {
			if missing := served(t, judged, n, size); !reflect.DeepEqual(missing, []uint64{n}) {
				t.Fatalf("cut at %d: the server lacks %v", end, missing)
			}
		}
	}
}
