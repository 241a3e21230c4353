package embedded

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/nats-io/nats.go"

	"hookline/embedded/block"
	"hookline/events"
	"hookline/expect"
)

// examined is what an examination gives: the sequences that were read, and the findings.
func examined(t testing.TB, s *Server) (seqs []uint64, list []Finding) {
	t.Helper()
	list, err := s.Stream().Examine(t.Context(), 1, 0, func(r events.Record) error {
		seqs = append(seqs, r.Seq)
		return nil
	})
	expect.OK(t, err)
	return seqs, list
}

// upTo are the sequences to n without some.
func upTo(n uint64, without ...uint64) (seqs []uint64) {
	for seq := uint64(1); seq <= n; seq++ {
		if !slices.Contains(without, seq) {
			seqs = append(seqs, seq)
		}
	}
	return seqs
}

func wantExamined(t testing.TB, s *Server, seqs []uint64, list ...Finding) {
	t.Helper()
	gotSeqs, gotList := examined(t, s)
	if !slices.Equal(gotSeqs, seqs) {
		t.Errorf("read %v, want %v", gotSeqs, seqs)
	}
	if !slices.Equal(gotList, list) {
		t.Errorf("found\n%+v, want\n%+v", gotList, list)
	}
}

// Damage in sealed blocks, in the newest one, and a block that is gone: each is named with its sequences, and
// everything else is read.
func TestExamineGoesOnBehindDamage(t *testing.T) {
	s := open(t, storeDir(t))
	fill(t, s, 75, 512<<10) // 15 records a block: 1-15, 16-30, 31-45, 46-60, 61-75
	msgs := s.opts.msgsDir()
	if names, err := block.Numbers(msgs); err != nil || len(names) < 5 {
		t.Fatalf("%v, %v", names, err)
	}
	for _, n := range []string{"2.blk", "4.blk"} {
		damageMiddle(t, filepath.Join(msgs, n))
	}
	expect.OK(t, os.Remove(filepath.Join(msgs, "3.blk")))
	seqs, list := examined(t, s)
	if len(list) != 3 {
		t.Fatalf("%+v", list)
	}
	a, gone, b := list[0], list[1], list[2]
	const why = "checksum does not match"
	if a.Kind != Damaged || a.Block != "2.blk" || a.Why != why || a.First != a.Last || a.Offset == 0 {
		t.Errorf("%+v", a)
	}
	if gone.Kind != Missing || gone.First != 31 || gone.Last != 45 || gone.Block != "" {
		t.Errorf("%+v", gone)
	}
	if b.Kind != Damaged || b.Block != "4.blk" || b.Why != why || b.First != b.Last || b.First <= gone.Last {
		t.Errorf("%+v", b)
	}
	if !slices.Equal(seqs, upTo(75, append(upTo(45)[30:], a.First, b.First)...)) {
		t.Errorf("read %v", seqs)
	}
	if !s.damaged.Load() {
		t.Error("the exit of this run would vouch for the blocks")
	}
}

// A block of which no record can be read hides none of those behind it.
func TestExamineUnreadableBlock(t *testing.T) {
	if testing.Short() {
		t.Skip("one goroutine, much work: nothing for the race detector")
	}
	s := open(t, storeDir(t))
	fill(t, s, 45, 512<<10)
	path := filepath.Join(s.opts.msgsDir(), "2.blk")
	b := expect.Value(os.ReadFile(path))(t)
	expect.OK(t, os.WriteFile(path, make([]byte, len(b)), 0o600))
	wantExamined(t, s, upTo(45, upTo(30)[15:]...), Finding{Kind: Damaged, First: 16, Last: 30, Block: "2.blk", Why: "zeros after the last record"})
	expect.OK(t, os.Remove(path))
	expect.OK(t, os.Mkdir(path, 0o700))
	wantExamined(t, s, upTo(45, upTo(30)[15:]...), Finding{Kind: Damaged, First: 16, Last: 30, Block: "2.blk", Why: "read 2.blk: not a regular file"})
	if err := s.Stream().Read(t.Context(), 1, 0, func(events.Record) error { return nil }); err == nil {
		t.Error("a reading that is no examination passed over a block")
	}
}

// What was deleted or wiped on request is told apart from what is missing.
func TestExamineErased(t *testing.T) {
	s := open(t, storeDir(t))
	add(t, s, 1, 60)
	for _, seq := range []uint64{1, 7, 8, 20, 21, 60} {
		expect.OK(t, s.stream.handle.SecureDeleteMsg(t.Context(), seq))
	}
	wantExamined(t, s, upTo(60, 1, 7, 8, 20, 21, 60), Finding{Kind: Erased, First: 1, Last: 1}, Finding{Kind: Erased, First: 7, Last: 8},
		Finding{Kind: Erased, First: 20, Last: 21}, Finding{Kind: Erased, First: 60, Last: 60})
}

// What an opening cut out stays told apart from both.
func TestExamineCut(t *testing.T) {
	s := filled(t, 45, 512<<10)
	dir := s.opts.Dir
	expect.OK(t, block.RemoveMarker(dir))
	damageMiddle(t, filepath.Join(s.opts.msgsDir(), "2.blk"))
	s = open(t, dir)
	lost := s.Report().Found.Lost
	if len(lost) != 1 || lost[0].First != lost[0].Last {
		t.Fatalf("%+v", lost)
	}
	wantExamined(t, s, upTo(45, lost[0].First), Finding{Kind: Cut, First: lost[0].First, Last: lost[0].Last})
}

// publish puts a message of foreign making into the log.
func publish(t testing.TB, s *Server, subject, id, typ, encoding, data string) {
	t.Helper()
	m := message{subject: subject, id: id, typ: typ, time: "2026-11-21T08:00:00Z", encoding: encoding, data: []byte(data)}
	var msg *nats.Msg = m.natsMsg()
	expect.Value(s.js.PublishMsg(t.Context(), msg))(t)
	expect.OK(t, s.stream.loadLast(t.Context()))
}

// Records whose checksum is right and which are not what this package writes: read what can be read, name all.
func TestExamineStrangers(t *testing.T) {
	s := open(t, storeDir(t))
	add(t, s, 1, 40)
	publish(t, s, "ev.p.s.tool.requested", "id-41", "turn.stopped", "", "{}\n{}")
	publish(t, s, "ev.p.s.tool.requested", "id-42", "tool.requested", "zstd", "no frame")
	publish(t, s, "ev.p.s.tool", "id-43", "tool.requested", "", "{}\n{}")
	publish(t, s, "ev.p.s.later.kind", "id-44", "later.kind", "", "{}\n{}")
	seqs, list := examined(t, s)
	if !slices.Equal(seqs, upTo(44, 42, 43)) {
		t.Errorf("read %v", seqs)
	}
	if len(list) != 2 {
		t.Fatalf("%+v", list)
	}
	for i, why := range []string{"unreadable payload: ", `unreadable payload: subject "ev.p.s.tool"`} {
		seq := uint64(42 + i)
		if f := list[i]; f.Kind != Unreadable || f.First != seq || f.Last != seq || !strings.HasPrefix(f.Why, why) {
			t.Errorf("%+v, want %d: %s", f, seq, why)
		}
	}
}

// What is lent is overwritten, and says the same while it is lent; what is given is the caller's for good.
func TestLentRecords(t *testing.T) {
	s := open(t, storeDir(t))
	add(t, s, 1, 3000)
	var kept []events.Record
	expect.OK(t, s.Stream().Read(t.Context(), 1, 0, func(r events.Record) error { kept = append(kept, r); return nil }))
	next := 0
	lend := func(r events.Record) error {
		want := event(r.Seq)
		if string(r.Data) != string(want.Data) || string(r.Event.(*events.ToolRequested).ToolInput) == "" || r.ID != want.ID {
			t.Errorf("sequence %d is %s", r.Seq, r.Data)
		}
		clear(r.Data) // as the next chunk would
		next++
		return nil
	}
	for range 3 {
		expect.OK(t, s.Stream().ReadLent(t.Context(), 1, 0, lend))
	}
	expect.Equal(t, next, 9000, "records")
	for i, r := range kept {
		expect.EqualNow(t, string(r.Data), string(event(uint64(i+1)).Data), "sequence", r.Seq, "now")
	}
}
