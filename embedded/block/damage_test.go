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
// of every 7th byte.
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
		if bit%56 != (bit/56)%8 {
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

// Records that were moved are put in order again, and one that is there twice counts once; nothing is lost.
func TestDisorder(t *testing.T) {
	const n, size = 5, 60
	origin := store(t, n, size, small)
	whole := read1(t, filepath.Join(msgsOf(origin), "1.blk"))
	of := func(order ...int) (b []byte) {
		for _, i := range order {
			b = append(b, whole[i*len(whole)/n:(i+1)*len(whole)/n]...)
		}
		return b
	}
	for _, bad := range [][]byte{of(0, 2, 1, 3, 4), of(0, 1, 2, 2, 3, 4), of(1, 0, 2, 3, 4), of(0, 1, 2, 4, 3), of(0, 1, 2, 3, 4, 1)} {
		judged := duplicate(t, origin)
		write1(t, filepath.Join(msgsOf(judged), "1.blk"), bad)
		if rep := mustCheck(t, msgsOf(judged)); len(rep.Damage) == 0 || rep.Damage[len(rep.Damage)-1].Why != whyOrder {
			t.Errorf("report %+v", rep)
		}
		if f := mustRepair(t, msgsOf(judged), ""); len(f.Lost)+len(f.Torn) != 0 {
			t.Errorf("fixed %+v", f)
		}
		if got := read1(t, filepath.Join(msgsOf(judged), "1.blk")); !bytes.Equal(got, whole) {
			t.Error("the block is not as it was")
		}
		if missing := served(t, judged, n, size); len(missing) > 0 {
			t.Errorf("the server lacks %v", missing)
		}
	}
}

// Several wounds of any kind in one block: what comes out is read without damage and has every record that was good.
func TestRandomDamage(t *testing.T) {
	whole := read1(t, filepath.Join(msgsOf(store(t, 30, 90, small)), "1.blk"))
	rng := rand.New(rand.NewPCG(1, 2))
	for round := range 300 {
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
	s := newScanner(b, newHasher(stream, 1))
	for p, ok := s.next(); ok; p, ok = s.next() {
		if p.why != "" {
			damaged = true
		} else if p.message() && !p.erased {
			seqs[p.seq], last = true, max(last, p.seq)
		}
	}
	return seqs, last, damaged
}

// A block made to waste time, a large record at every byte, is given up in bounded time.
func TestHostileBlock(t *testing.T) {
	b := make([]byte, 8<<20)
	for at := 0; at+headLen < len(b); at += headLen {
		le.PutUint32(b[at:], uint32(len(b)-at))
		le.PutUint64(b[at+4:], uint64(at+1))
	}
	s := newScanner(b, newHasher(stream, 1))
	p, ok := s.next()
	if !ok || p.why != whySum || p.end != len(b) || s.budget > 0 {
		t.Errorf("piece %q to %d, budget %d", p.why, p.end, s.budget)
	}
}

// Bytes overwritten beyond mending cost the record they are in, no other, and its sequence is not given again.
func TestOverwrittenByte(t *testing.T) {
	const n, size = 5, 60
	origin := store(t, n, size, small)
	whole := read1(t, filepath.Join(msgsOf(origin), "1.blk"))
	length := len(whole) / n
	for at := range len(whole) {
		bad := bytes.Clone(whole)
		bad[at] ^= 0xff
		judged := t.TempDir()
		msgs := msgsOf(judged)
		if at%11 == 0 {
			judged = duplicate(t, origin)
			msgs = msgsOf(judged)
		} else if err := os.MkdirAll(msgs, 0o700); err != nil {
			t.Fatal(err)
		}
		path := filepath.Join(msgs, "1.blk")
		write1(t, path, bad)
		hit := uint64(at/length + 1)
		f := mustRepair(t, msgs, "")
		gone := append(f.Lost, f.Torn...)
		if len(gone) > 0 && !reflect.DeepEqual(gone, []Range{{hit, hit}}) || len(gone) != 1 {
			t.Fatalf("byte %d: fixed %+v", at, f)
		}
		if rep := mustCheck(t, msgs); len(rep.Damage)+len(rep.Holes) != 0 {
			t.Fatalf("byte %d: after repair %+v", at, rep)
		}
		if at%11 != 0 {
			continue
		}
		missing := served(t, judged, n, size)
		if len(missing) > 1 || len(missing) != len(f.Lost) || len(missing) == 1 && missing[0] != hit {
			t.Fatalf("byte %d: the server lacks %v, fixed %+v", at, missing, f)
		}
	}
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
		if want := whole[:start]; !bytes.Equal(read1(t, path), want) || f.Trimmed != int64(end-start) {
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
	for _, zeros := range []int{1, 29, 30, 4096} { // what a power cut leaves
		judged := duplicate(t, origin)
		path := filepath.Join(msgsOf(judged), "1.blk")
		write1(t, path, append(bytes.Clone(whole), make([]byte, zeros)...))
		if f := mustRepair(t, msgsOf(judged), ""); len(f.Lost) != 0 || f.Trimmed != int64(zeros) {
			t.Fatalf("%d zeros: fixed %+v", zeros, f)
		}
		if !bytes.Equal(read1(t, path), whole) || len(served(t, judged, n, size)) != 0 {
			t.Fatalf("%d zeros: not whole", zeros)
		}
	}
}

// A sector of zeros over several records costs just those; one erased record stands for all.
func TestLostSector(t *testing.T) {
	const n, size = 100, 900
	origin := store(t, n, size, small)
	for _, name := range []string{"1.blk", "2.blk", "3.blk"} {
		judged := duplicate(t, origin)
		path := filepath.Join(msgsOf(judged), name)
		bad := read1(t, path)
		clear(bad[8192 : 8192+4096])
		write1(t, path, bad)
		f := mustRepair(t, msgsOf(judged), "")
		if len(f.Lost) != 1 || f.Lost[0].Last-f.Lost[0].First > 5 {
			t.Fatalf("%s: fixed %+v", name, f)
		}
		if rep := mustCheck(t, msgsOf(judged)); len(rep.Damage)+len(rep.Holes) != 0 {
			t.Fatalf("%s: after repair %+v", name, rep)
		}
		var want []uint64
		for seq := f.Lost[0].First; seq <= f.Lost[0].Last; seq++ {
			want = append(want, seq)
		}
		if missing := served(t, judged, n, size); !reflect.DeepEqual(missing, want) {
			t.Fatalf("%s: the server lacks %v, want %v", name, missing, want)
		}
	}
}

// A sealed block that begins or ends damaged: the neighbouring blocks tell what is lost, also when they were not asked for.
func TestDamageAtEdges(t *testing.T) {
	const n, size = 100, 900
	origin := store(t, n, size, small)
	blocks := mustCheck(t, msgsOf(origin)).Blocks
	second := blocks[1]
	for _, c := range []struct {
		name string
		harm func(b []byte) []byte
		want []Range
	}{
		{"first record", func(b []byte) []byte { copy(b[300:], "XXXXXXXX"); return b }, []Range{{second.First, second.First}}},
		{"first head", func(b []byte) []byte { clear(b[:22]); return b }, []Range{{second.First, second.First}}},
		{"last record", func(b []byte) []byte { copy(b[len(b)-200:], "XXXXXXXX"); return b }, []Range{{second.Last, second.Last}}},
		{"cut", func(b []byte) []byte { return b[:len(b)-1500] }, []Range{{second.Last - 1, second.Last}}},
		{"zeros", func(b []byte) []byte { clear(b[len(b)-1500:]); return b }, []Range{{second.Last - 1, second.Last}}},
		{"garbage", func(b []byte) []byte { return bytes.Repeat([]byte("x"), len(b)) }, []Range{{second.First, second.Last}}},
	} {
		judged := duplicate(t, origin)
		path := filepath.Join(msgsOf(judged), second.Name)
		write1(t, path, c.harm(read1(t, path)))
		o := Options{Stream: stream, Only: func(name string) bool { return name == second.Name }}
		rep, err := Check(msgsOf(judged), o)
		if err != nil {
			t.Fatal(err)
		}
		f, err := Repair(msgsOf(judged), o, rep)
		if err != nil || !reflect.DeepEqual(f.Lost, c.want) {
			t.Errorf("%s: fixed %+v, %v, want %v", c.name, f, err, c.want)
		}
		if rep := mustCheck(t, msgsOf(judged)); len(rep.Damage)+len(rep.Holes) != 0 {
			t.Errorf("%s: after repair %+v", c.name, rep)
		}
		if missing := served(t, judged, n, size); len(missing) != int(c.want[0].Last-c.want[0].First+1) {
			t.Errorf("%s: the server lacks %v", c.name, missing)
		}
	}
}
