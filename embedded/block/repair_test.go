package block

import (
	"bytes"
	"errors"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"testing"

	"hookline/expect"
)

// harm is something that happened to a store of four blocks, and what it costs.
type harm struct {
	name    string
	archive string                   // "": none, "sealed": of the sealed blocks, "all": of the newest one too
	do      func(in func(int) place) // in gives the block of a number
	o       Options

	lost     []Range
	torn     []Range
	restored []string
	aside    []string
	unnamed  []Range // gone as well, and nothing tells
}

// place is a block's file.
type place struct {
	t    *testing.T
	path string
}

func (p place) bytes() []byte { return read1(p.t, p.path) }

func (p place) remove() { _ = os.RemoveAll(p.path) }

// put writes another file under the name: the archive's link keeps the old one.
func (p place) put(b []byte) {
	p.remove()
	write1(p.t, p.path, b)
}

// swap puts the blocks under each other's names.
func swap(a, b place) {
	was := a.bytes()
	a.put(b.bytes())
	b.put(was)
}

// firstRecords are the bytes of the first n records.
func firstRecords(b []byte, n int) []byte {
	end := 0
	for range n {
		r, _ := frame(b[end:])
		end += len(r.b)
	}
	return b[:end]
}

// Whatever is damaged or gone costs what it hit and no more, comes back where the archive has it, and is found once; the
// linked server serves the rest.
func TestHarm(t *testing.T) {
	origin := store(t, n, size, small)
	var of []Range // the blocks' sequences
	for _, b := range mustCheck(t, msgsOf(origin)).Blocks {
		of = append(of, Range{b.First, b.Last})
	}
	first, second, third, fourth := of[0], of[1], of[2], of[3]
	one := []Range{{second.First, second.First}}
	garbage := func(p place) { p.put(bytes.Repeat([]byte("x"), len(p.bytes()))) }

	for _, h := range []harm{
		{name: "nothing", do: func(func(int) place) {}, o: Options{Vouched: n}},

		{name: "overwritten", archive: "sealed", do: func(in func(int) place) { b := in(2).bytes(); clear(b[5000:8000]); in(2).put(b) }, restored: []string{"2.blk"}},
		{name: "cut at a record", archive: "sealed", do: func(in func(int) place) { in(2).put(firstRecords(in(2).bytes(), 1)) }, restored: []string{"2.blk"}},
		{name: "a folder", archive: "sealed", do: func(in func(int) place) { in(2).remove(); _ = os.Mkdir(in(2).path, 0o700) }, restored: []string{"2.blk"}, aside: []string{"2.blk.unreadable"}},
		{name: "exchanged", archive: "sealed", do: func(in func(int) place) { swap(in(1), in(2)) }, restored: []string{"1.blk", "2.blk"}, aside: []string{"1.blk.unreadable", "2.blk.unreadable"}},
		{name: "exchanged with the newest", archive: "sealed", do: func(in func(int) place) { swap(in(3), in(4)) }, restored: []string{"3.blk"},
			aside: []string{"3.blk.unreadable", "4.blk.unreadable"}, unnamed: []Range{fourth}},
		{name: "the first ones missing", archive: "all", do: func(in func(int) place) { in(1).remove(); in(2).remove() }, restored: []string{"1.blk", "2.blk"}},
		{name: "a gap that the archive has too", archive: "sealed", do: func(in func(int) place) {
			b := in(2).bytes()
			b = append(bytes.Clone(firstRecords(b, 3)), b[len(firstRecords(b, 10)):]...)
			write1(in(2).t, in(2).path, b)
		}, lost: []Range{{second.First + 3, second.First + 9}}},

		{name: "all of it, but what the archive has", archive: "sealed", do: func(in func(int) place) {
			garbage(in(1))
			garbage(in(2))
			garbage(in(3))
			in(4).remove()
		}, o: Options{Vouched: n}, restored: []string{"1.blk", "2.blk", "3.blk"}, lost: []Range{fourth}, aside: []string{"1.blk.unreadable", "2.blk.unreadable", "3.blk.unreadable"}},

		{name: "missing, no archive", do: func(in func(int) place) { in(2).remove() }, lost: []Range{second}},
		{name: "the first missing", do: func(in func(int) place) { in(1).remove() }, lost: []Range{first}},
		{name: "first record", do: func(in func(int) place) { b := in(2).bytes(); copy(b[300:], "XXXXXXXX"); in(2).put(b) }, lost: one},
		{name: "zeros at a sealed end", do: func(in func(int) place) { b := in(2).bytes(); clear(b[len(b)-1500:]); in(2).put(b) },
			lost: []Range{{second.Last - 1, second.Last}}},
		{name: "a sector of zeros", do: func(in func(int) place) {
			b := in(3).bytes()
			clear(b[len(firstRecords(b, 8)) : len(firstRecords(b, 11))+1])
			in(3).put(b)
		},
			lost: []Range{{third.First + 8, third.First + 11}}},
		{name: "a record twice", do: func(in func(int) place) { b := in(2).bytes(); in(2).put(append(b, firstRecords(b, 1)...)) }},

		{name: "stray copies", do: func(in func(int) place) { in(5).put(in(2).bytes()); in(9).put(in(3).bytes()) }, aside: []string{"5.blk.unreadable", "9.blk.unreadable"}},
		{name: "the newest renamed", do: func(in func(int) place) { in(7).put(in(4).bytes()); in(4).remove() }, lost: []Range{fourth}, aside: []string{"7.blk.unreadable"}},

		{name: "torn", do: func(in func(int) place) { b := in(4).bytes(); in(4).put(b[:len(b)-10]) }, torn: []Range{{n, n}}},
		{name: "torn, vouched for", do: func(in func(int) place) { b := in(4).bytes(); in(4).put(b[:len(b)-1500]) }, o: Options{Vouched: n}, lost: []Range{{n - 1, n}}},
		{name: "the newest missing", do: func(in func(int) place) { in(4).remove() }, o: Options{Vouched: n}, lost: []Range{fourth}},
	} {
		t.Run(h.name, func(t *testing.T) { h.judge(t, duplicate(t, origin)) })
	}
}

func (h harm) judge(t *testing.T, dir string) {
	msgs, o := msgsOf(dir), h.o
	o.Stream = stream
	if h.archive != "" {
		o.Archive = filepath.Join(t.TempDir(), "archive")
		expect.OK(t, Archive(msgs, o.Archive, h.archive == "sealed"))
	}
	h.do(func(i int) place { return place{t, filepath.Join(msgs, string(rune('0'+i))+suffix)} })

	lacking := expect.Value(Lacking(o.Archive, msgs))(t)
	expect.OK(t, Restore(o.Archive, msgs, lacking))
	rep, err := Check(msgs, o)
	expect.OK(t, err)
	f, err := Repair(msgs, o, rep)
	f.Restored = append(lacking, f.Restored...)
	if want := (Fixed{Lost: h.lost, Torn: h.torn, Restored: h.restored, SetAside: h.aside}); err != nil || !reflect.DeepEqual(f, want) {
		t.Fatalf("fixed %+v, %v, want %+v, report %+v", f, err, want, rep.Damage)
	}
	if _, err := os.Stat(filepath.Join(msgs, indexFile)); (err == nil) != (rep.Sound() && lacking == nil) {
		t.Errorf("index.db: %v", err)
	}
	var missing []uint64
	for _, r := range slices.Concat(h.lost, h.torn, h.unnamed) {
		for seq := r.First; seq <= r.Last; seq++ {
			missing = append(missing, seq)
		}
	}
	for range 2 { // the second time after a server
		if rep, err := Check(msgs, Options{Stream: stream, Vouched: h.o.Vouched}); err != nil || !rep.Sound() || !reflect.DeepEqual(rep.Cut, h.lost) {
			t.Errorf("after that: %+v, %v", rep, err)
		}
		kept(t, dir, missing)
	}
}

// The archive never brings an erased message back.
func TestRepairKeepsErasure(t *testing.T) {
	dir, archive := archived(t)
	r := serve(t, dir, small)
	expect.OK(t, r.stream.SecureDeleteMsg(t.Context(), 3))
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

// A block that the system refuses to open is neither damage nor set aside. A link to itself is refused to everybody, root
// included.
func TestRefusedBlock(t *testing.T) {
	dir := store(t, n, size, small)
	path := filepath.Join(msgsOf(dir), "2.blk")
	sound := mustCheck(t, msgsOf(dir))
	found := sound
	found.Damage = []Damage{{Block: "2.blk", FirstSeq: sound.Blocks[1].First, LastSeq: sound.Blocks[1].Last, Why: whySum}}
	expect.OK(t, os.Rename(path, path+".kept"))
	if err := os.Symlink(path, path); err != nil {
		t.Skip(err)
	}

	if rep, err := Check(msgsOf(dir), Options{Stream: stream}); !errors.Is(err, ErrDenied) || len(rep.Damage) > 0 {
		t.Errorf("check: %v, report %+v", err, rep)
	}
	if f, err := Repair(msgsOf(dir), Options{Stream: stream}, found); !errors.Is(err, ErrDenied) || len(f.SetAside) > 0 {
		t.Errorf("repair: %v, fixed %+v", err, f)
	}

	expect.OK(t, os.Rename(path+".kept", path))
	kept(t, dir, nil)
}
