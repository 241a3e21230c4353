package block

import (
	"bytes"
	"errors"
	"os"
	"path/filepath"
	"reflect"
	"syscall"
	"testing"
)

// Sealed blocks that are damaged, gone, empty, shortened or no files come back from the archive whole.
func TestRepairFromArchive(t *testing.T) {
	second := func(dir string) string { return filepath.Join(msgsOf(dir), "2.blk") }
	for name, harm := range map[string]func(t *testing.T, path string, b []byte){
		"overwritten": func(t *testing.T, path string, b []byte) {
			copy(b[5000:], bytes.Repeat([]byte("x"), 3000))
			write1(t, path, b)
		},
		"missing":           func(*testing.T, string, []byte) {},
		"empty":             func(t *testing.T, path string, _ []byte) { write1(t, path, nil) },
		"cut in a record":   func(t *testing.T, path string, b []byte) { write1(t, path, b[:len(b)/2]) },
		"cut at a record":   func(t *testing.T, path string, b []byte) { r, _ := frame(b); write1(t, path, r.b) },
		"a folder":          func(t *testing.T, path string, _ []byte) { _ = os.Mkdir(path, 0o700) },
		"other stream's":    func(t *testing.T, path string, b []byte) { write1(t, path, bytes.Repeat(b[4:], 1)) },
		"larger than 64 MB": func(t *testing.T, path string, _ []byte) { write1(t, path, nil); _ = os.Truncate(path, maxBlock+1) },
	} {
		t.Run(name, func(t *testing.T) {
			dir, archive := archived(t)
			b := read1(t, second(dir))
			if err := os.Remove(second(dir)); err != nil { // or the harm would reach the linked archive
				t.Fatal(err)
			}
			harm(t, second(dir), b)
			f := mustRepair(t, msgsOf(dir), archive)
			if !reflect.DeepEqual(f.Restored, []string{"2.blk"}) || len(f.Lost) != 0 {
				t.Errorf("fixed %+v", f)
			}
			kept(t, dir, nil)
		})
	}
}

// Blocks missing at the ends are known by the archive only. The newest one comes back too when it was archived.
func TestMissingAtTheEnds(t *testing.T) {
	for _, names := range [][]string{{"1.blk"}, {"1.blk", "2.blk"}, {"4.blk"}, {"3.blk", "4.blk"}, {"1.blk", "2.blk", "3.blk", "4.blk"}} {
		for _, empty := range []bool{false, true} {
			dir, archive := archived(t)
			if _, err := Archive(msgsOf(dir), archive, false); err != nil {
				t.Fatal(err)
			}
			for _, name := range names {
				_ = os.Remove(filepath.Join(msgsOf(dir), name))
				if empty {
					write1(t, filepath.Join(msgsOf(dir), name), nil)
				}
			}
			o := Options{Stream: stream, RepairFrom: archive, Only: func(string) bool { return false }}
			rep, err := Check(msgsOf(dir), o)
			if err != nil || len(rep.Holes) != 1 {
				t.Fatalf("%v: report %+v, %v", names, rep, err)
			}
			f, err := Repair(msgsOf(dir), o, rep)
			if err != nil || !reflect.DeepEqual(f.Restored, names) || len(f.Lost) != 0 {
				t.Errorf("%v: fixed %+v, %v", names, f, err)
			}
			kept(t, dir, nil)
		}
	}
}

// Without an archive a missing middle block costs its messages and no others, and a folder in a block's place is set aside:
// the server would delete the stream.
func TestRepairWithoutArchive(t *testing.T) {
	for _, folder := range []bool{false, true} {
		dir := store(t, n, size, small)
		second := mustCheck(t, msgsOf(dir)).Blocks[1]
		path := filepath.Join(msgsOf(dir), second.Name)
		if err := os.Remove(path); err != nil {
			t.Fatal(err)
		}
		if folder {
			if err := os.Mkdir(path, 0o700); err != nil {
				t.Fatal(err)
			}
		}
		f := mustRepair(t, msgsOf(dir), "")
		if want := []Range{{second.First, second.Last}}; !reflect.DeepEqual(f.Lost, want) || (len(f.SetAside) == 1) != folder {
			t.Errorf("fixed %+v, want lost %v", f, want)
		}
		var gone []uint64
		for seq := second.First; seq <= second.Last; seq++ {
			gone = append(gone, seq)
		}
		for range 2 { // the second time after a server
			if rep := mustCheck(t, msgsOf(dir)); len(rep.Holes) != 0 {
				t.Errorf("the loss is found again: holes %v", rep.Holes)
			}
			kept(t, dir, gone)
		}
	}
}

// A sealed block that ends too early, at a record, leaves a hole before a block whose number follows: it is closed there.
func TestRepairOfShortenedBlock(t *testing.T) {
	dir := store(t, n, size, small)
	second := mustCheck(t, msgsOf(dir)).Blocks[1]
	b := read1(t, filepath.Join(msgsOf(dir), second.Name))
	r, _ := frame(b)
	write1(t, filepath.Join(msgsOf(dir), second.Name), r.b)
	f := mustRepair(t, msgsOf(dir), "")
	if want := []Range{{second.First + 1, second.Last}}; !reflect.DeepEqual(f.Lost, want) {
		t.Errorf("fixed %+v, want lost %v", f, want)
	}
	if rep := mustCheck(t, msgsOf(dir)); len(rep.Damage)+len(rep.Holes) != 0 || len(rep.Blocks) != 4 {
		t.Errorf("%+v", rep)
	}
	var gone []uint64
	for seq := second.First + 1; seq <= second.Last; seq++ {
		gone = append(gone, seq)
	}
	kept(t, dir, gone)
}

// The first block is gone, or has no bytes any more, and nothing but the marker of the last exit says that it was there.
func TestLostHead(t *testing.T) {
	for _, empty := range []bool{false, true} {
		dir := store(t, n, size, small)
		first := mustCheck(t, msgsOf(dir)).Blocks[0]
		o := Options{Stream: stream, Only: func(string) bool { return false }, Began: 1}
		if rep, err := Check(msgsOf(dir), o); err != nil || len(rep.Holes) != 0 {
			t.Fatalf("%+v, %v", rep, err)
		}
		if err := os.Remove(filepath.Join(msgsOf(dir), first.Name)); err != nil {
			t.Fatal(err)
		}
		if empty {
			write1(t, filepath.Join(msgsOf(dir), first.Name), nil)
		}
		rep, err := Check(msgsOf(dir), o)
		if want := []Range{{1, first.Last}}; err != nil || !reflect.DeepEqual(rep.Holes, want) {
			t.Fatalf("holes %v, want %v, %v", rep.Holes, want, err)
		}
		f, err := Repair(msgsOf(dir), o, rep)
		if err != nil || !reflect.DeepEqual(f.Lost, rep.Holes) {
			t.Errorf("fixed %+v, %v", f, err)
		}
		var gone []uint64
		for seq := uint64(1); seq <= first.Last; seq++ {
			gone = append(gone, seq)
		}
		for range 2 {
			kept(t, dir, gone)
			if rep, err = Check(msgsOf(dir), o); err != nil || len(rep.Damage)+len(rep.Holes) != 0 {
				t.Errorf("found again: %+v, %v", rep, err)
			}
		}
	}
}

// A sealed block that has lost all its bytes is a hole though its neighbours are vouched for.
func TestEmptiedBlock(t *testing.T) {
	dir := store(t, n, size, small)
	second := mustCheck(t, msgsOf(dir)).Blocks[1]
	write1(t, filepath.Join(msgsOf(dir), second.Name), nil)
	o := Options{Stream: stream, Only: func(name string) bool { return name == second.Name }}
	rep, err := Check(msgsOf(dir), o)
	if want := []Range{{second.First, second.Last}}; err != nil || !reflect.DeepEqual(rep.Holes, want) {
		t.Errorf("holes %v, want %v, %v", rep.Holes, want, err)
	}
}

// Blocks that lie under each other's names cannot be read there. The archive gives them back; what it does not have is set
// aside whole, and is found under its right name.
func TestExchangedBlocks(t *testing.T) {
	for _, pair := range [][2]string{{"1.blk", "2.blk"}, {"3.blk", "4.blk"}} {
		dir, archive := archived(t)
		one, other := filepath.Join(msgsOf(dir), pair[0]), filepath.Join(msgsOf(dir), pair[1])
		was := map[string][]byte{one: read1(t, one), other: read1(t, other)}
		for from, to := range map[string]string{one: other, other: one} {
			if err := os.Remove(to); err != nil {
				t.Fatal(err)
			}
			write1(t, to, was[from])
		}
		f := mustRepair(t, msgsOf(dir), archive)
		if pair[0] == "1.blk" {
			if !reflect.DeepEqual(f.Restored, []string{"1.blk", "2.blk"}) || len(f.Lost) != 0 {
				t.Errorf("%v: fixed %+v", pair, f)
			}
			kept(t, dir, nil)
			continue
		}
		if !reflect.DeepEqual(f.Restored, []string{"3.blk"}) || !reflect.DeepEqual(f.SetAside, []string{"3.blk.unreadable", "4.blk.unreadable"}) {
			t.Errorf("%v: fixed %+v", pair, f)
		}
		if got := read1(t, one+".unreadable"); !reflect.DeepEqual(got, was[other]) {
			t.Error("the newest block is not set aside as it was")
		}
	}
}

// A block whose middle is gone, as when a server has cut it off and gone on, loses that by name, once, though the archive
// has the same file: sequences that lie in its gap are not in it.
func TestGapWithinBlock(t *testing.T) {
	dir, archive := archived(t)
	path := filepath.Join(msgsOf(dir), "2.blk")
	was, b := mustCheck(t, msgsOf(dir)).Blocks[1], read1(t, path)
	var out []byte
	for seq := was.First; len(b) > 0; seq++ {
		r, ok := frame(b)
		if !ok {
			t.Fatal("not a record")
		}
		if b = b[len(r.b):]; seq < was.First+3 || seq > was.First+9 {
			out = append(out, r.b...)
		}
	}
	for _, at := range []string{path, filepath.Join(archive, "2.blk")} {
		if err := os.Remove(at); err != nil {
			t.Fatal(err)
		}
		write1(t, at, out)
	}
	f := mustRepair(t, msgsOf(dir), archive)
	if !reflect.DeepEqual(f.Lost, []Range{{was.First + 3, was.First + 9}}) || len(f.Restored) != 0 {
		t.Errorf("fixed %+v", f)
	}
	if rep := mustCheck(t, msgsOf(dir)); len(rep.Holes)+len(rep.Damage) != 0 {
		t.Errorf("found again: %+v", rep)
	}
	var missing []uint64
	for seq := was.First + 3; seq <= was.First+9; seq++ {
		missing = append(missing, seq)
	}
	kept(t, dir, missing)
}

// A stray copy of a block behind the newest one has cost no sequence. It is set aside, and nothing comes in its place.
func TestStrayCopyOfBlock(t *testing.T) {
	for _, names := range [][]string{{"5.blk"}, {"9.blk"}, {"5.blk", "6.blk"}} {
		dir := store(t, n, size, small)
		for _, name := range names {
			write1(t, filepath.Join(msgsOf(dir), name), read1(t, filepath.Join(msgsOf(dir), "2.blk")))
		}
		f := mustRepair(t, msgsOf(dir), "")
		var aside []string
		for _, name := range names {
			aside = append(aside, name+".unreadable")
			if _, err := os.Stat(filepath.Join(msgsOf(dir), name)); !errors.Is(err, os.ErrNotExist) {
				t.Errorf("%s is still there: %v", name, err)
			}
		}
		write1(t, filepath.Join(msgsOf(dir), names[0]), read1(t, filepath.Join(msgsOf(dir), "3.blk")))
		if f := mustRepair(t, msgsOf(dir), ""); !reflect.DeepEqual(f.SetAside, []string{names[0] + ".unreadable.2"}) {
			t.Errorf("the next stray copy: fixed %+v", f)
		}
		if got := read1(t, filepath.Join(msgsOf(dir), names[0]+".unreadable")); !reflect.DeepEqual(got, read1(t, filepath.Join(msgsOf(dir), "2.blk"))) {
			t.Error("the first one was overwritten")
		}
		if len(f.Lost)+len(f.Torn) != 0 || !reflect.DeepEqual(f.SetAside, aside) {
			t.Errorf("%v: fixed %+v", names, f)
		}
		kept(t, dir, nil)
	}
}

// What a block under a wrong name behind the newest one has cost is what its heads name and nothing before it has.
func TestNewestBlockRenamed(t *testing.T) {
	dir := store(t, n, size, small)
	from, to := filepath.Join(msgsOf(dir), "4.blk"), filepath.Join(msgsOf(dir), "7.blk")
	was := mustCheck(t, msgsOf(dir)).Blocks[3]
	if err := os.Rename(from, to); err != nil {
		t.Fatal(err)
	}
	f := mustRepair(t, msgsOf(dir), "")
	if !reflect.DeepEqual(f.Lost, []Range{{was.First, was.Last}}) || !reflect.DeepEqual(f.SetAside, []string{"7.blk.unreadable"}) {
		t.Errorf("fixed %+v, want %d to %d lost", f, was.First, was.Last)
	}
}

// A lost block that somebody brings back by hand, where its stand-in is, is whole again.
func TestBlockBroughtBack(t *testing.T) {
	dir := store(t, n, size, small)
	path := filepath.Join(msgsOf(dir), "2.blk")
	b := read1(t, path)
	if err := os.Remove(path); err != nil {
		t.Fatal(err)
	}
	mustRepair(t, msgsOf(dir), "")
	served(t, dir, n, size)
	write1(t, path, b)
	if err := os.Remove(filepath.Join(msgsOf(dir), indexFile)); err != nil {
		t.Fatal(err)
	}
	kept(t, dir, nil)
}

// The newest block with no bytes, as a crash while the server begins one leaves it, is no damage.
func TestEmptyNewestBlock(t *testing.T) {
	dir := store(t, n, size, small)
	write1(t, filepath.Join(msgsOf(dir), "5.blk"), nil)
	if rep := mustCheck(t, msgsOf(dir)); len(rep.Damage)+len(rep.Holes) != 0 || len(rep.Blocks) != 5 {
		t.Fatalf("report %+v", rep)
	}
	kept(t, dir, nil)
}

// A newest block that lost all its bytes is restored when it was archived.
func TestNewestBlockEmptied(t *testing.T) {
	dir, archive := archived(t)
	if _, err := Archive(msgsOf(dir), archive, false); err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(msgsOf(dir), "4.blk")
	_ = os.Remove(path)
	write1(t, path, nil)
	if restored, err := Restore(archive, msgsOf(dir)); err != nil || !reflect.DeepEqual(restored, []string{"4.blk"}) {
		t.Errorf("restored %v, %v", restored, err)
	}
	kept(t, dir, nil)
}

// The archive never brings an erased message back.
func TestRepairKeepsErasure(t *testing.T) {
	dir, archive := archived(t)
	r := serve(t, dir, small)
	if err := r.stream.SecureDeleteMsg(t.Context(), 3); err != nil {
		t.Fatal(err)
	}
	r.stop()
	path := filepath.Join(msgsOf(dir), "1.blk")
	bad := read1(t, path)
	copy(bad[9000:], "XXXXXXXX")
	write1(t, path, bad)
	f := mustRepair(t, msgsOf(dir), archive)
	if len(f.Restored) != 0 || len(f.Lost) != 1 || bytes.Contains(read1(t, path), []byte("id-000003")) {
		t.Errorf("fixed %+v", f)
	}
	kept(t, dir, []uint64{3, f.Lost[0].First})
}

// Ranges are told apart by the reader.
func TestErasedRange(t *testing.T) {
	sum := newHasher(stream, 1)
	for lost, length := range map[Range]int{{7, 7}: 30, {7, 9}: 46} {
		b := sum.erased(lost, 1)
		r, ok := frame(b)
		if !ok || !sum.good(r) || len(b) != length || !r.erased || r.first() != lost.First || r.seq != lost.Last {
			t.Errorf("%v: %d bytes, %+v", lost, len(b), r)
		}
	}
}

// A clean store is left alone, index.db too; a repaired one has none.
func TestRepairAndIndex(t *testing.T) {
	dir := store(t, n, size, small)
	index := filepath.Join(msgsOf(dir), "index.db")
	before := read1(t, index)
	if f := mustRepair(t, msgsOf(dir), ""); len(f.Lost)+len(f.Restored)+len(f.SetAside) > 0 || f.Trimmed != 0 || !bytes.Equal(before, read1(t, index)) {
		t.Errorf("clean: fixed %+v", f)
	}
	path := filepath.Join(msgsOf(dir), "3.blk")
	bad := read1(t, path)
	bad[100] ^= 4
	write1(t, path, bad)
	if f := mustRepair(t, msgsOf(dir), ""); len(f.Lost) != 1 {
		t.Errorf("damaged: fixed %+v", f)
	}
	if _, err := os.Stat(index); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("index.db: %v", err)
	}
}

// Blocks of other kinds are refused by name.
func TestRefused(t *testing.T) {
	dir := store(t, 3, 60, small)
	path := filepath.Join(msgsOf(dir), "1.blk")
	whole := read1(t, path)
	never := func(Record) error { return errors.New("called") }
	write1(t, path, append([]byte("cmp\x01\x80\x10"), whole...))
	if err := Read(path, stream, never); !errors.Is(err, ErrCompressed) {
		t.Errorf("compressed: %v", err)
	}
	if _, err := Check(msgsOf(dir), Options{Stream: stream}); !errors.Is(err, ErrCompressed) {
		t.Errorf("compressed: %v", err)
	}
	write1(t, path, whole)
	write1(t, filepath.Join(msgsOf(dir), "1.key"), []byte("key"))
	if err := Read(path, stream, never); !errors.Is(err, ErrEncrypted) {
		t.Errorf("encrypted: %v", err)
	}
	for _, name := range []string{"index.db", "01.blk", "x.blk", "1.blk.tmp", "-1.blk"} {
		if err := Read(filepath.Join(msgsOf(dir), name), stream, never); !errors.Is(err, ErrName) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// Trouble of the reader's own is told from trouble of the file, which is damage.
func TestDenied(t *testing.T) {
	for err, want := range map[error]bool{
		&os.PathError{Op: "open", Path: "1.blk", Err: syscall.EACCES}: true,
		&os.PathError{Op: "open", Path: "1.blk", Err: syscall.EMFILE}: true,
		&os.PathError{Op: "open", Path: "1.blk", Err: syscall.ENFILE}: true,
		&os.PathError{Op: "read", Path: "1.blk", Err: syscall.ENOMEM}: true,
		&os.PathError{Op: "read", Path: "1.blk", Err: syscall.EIO}:    true,
		&os.PathError{Op: "read", Path: "1.blk", Err: syscall.ENOSPC}: true,
		&os.PathError{Op: "open", Path: "1.blk", Err: syscall.ENOENT}: false,
		ErrTooLarge: false,
	} {
		if got := errors.Is(denied(err), ErrDenied); got != want || !errors.Is(denied(err), err) {
			t.Errorf("%v: denied %v, want %v", err, got, want)
		}
	}
}

// A block that the system refuses to open is neither damage nor set aside. A link to itself is refused to everybody, root
// included.
func TestRefusedBlock(t *testing.T) {
	dir := store(t, n, size, small)
	path := filepath.Join(msgsOf(dir), "2.blk")
	sound := mustCheck(t, msgsOf(dir))
	found := sound
	found.Damage = []Damage{{Block: "2.blk", FirstSeq: sound.Blocks[1].First, LastSeq: sound.Blocks[1].Last, Why: whySum}}
	if err := os.Rename(path, path+".kept"); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(path, path); err != nil {
		t.Skip(err)
	}

	if rep, err := Check(msgsOf(dir), Options{Stream: stream}); !errors.Is(err, ErrDenied) || len(rep.Damage) > 0 {
		t.Errorf("check: %v, report %+v", err, rep)
	}
	if f, err := Repair(msgsOf(dir), Options{Stream: stream}, found); !errors.Is(err, ErrDenied) || len(f.SetAside) > 0 {
		t.Errorf("repair: %v, fixed %+v", err, f)
	}

	if err := os.Rename(path+".kept", path); err != nil {
		t.Fatal(err)
	}
	kept(t, dir, nil)
}
