package block

import (
	"bytes"
	"path/filepath"
	"reflect"
	"testing"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"hookline/expect"
)

// The linked server's files are read whole: with and without headers, empty, large, deleted, erased, purged, over several
// blocks. An update of the server that changes the format fails here first.
func TestLinkedServerFormat(t *testing.T) {
	dir := t.TempDir()
	r := serve(t, dir, 20<<20) // blocks of 4 MiB
	want := map[uint64]string{}
	add := func(m *nats.Msg) {
		t.Helper()
		r.publish(m)
		want[uint64(len(want)+1)] = text(m.Subject, m.Header.Get("Nats-Msg-Id"), m.Data)
	}
	add(message(1, 60))
	add(&nats.Msg{Subject: "ev.p.s.plain", Data: []byte("no headers")})
	add(&nats.Msg{Subject: "ev.p.s.empty"})
	add(message(4, 3<<20))
	for i := 5; i <= 40; i++ {
		add(message(i, 260_000))
	}
	for _, seq := range []uint64{7, 8} {
		expect.OK(t, r.stream.DeleteMsg(t.Context(), seq))
	}
	expect.OK(t, r.stream.SecureDeleteMsg(t.Context(), 9))
	expect.OK(t, r.stream.Purge(t.Context(), jetstream.WithPurgeSubject("ev.p.s.plain")))
	r.stop()

	rep := mustCheck(t, msgsOf(dir))
	if !rep.Sound() || len(rep.Blocks) < 3 || rep.Last != 40 || !reflect.DeepEqual(Join(rep.Erased...), []Range{{2, 2}, {7, 9}}) {
		t.Fatalf("report %+v", rep)
	}
	delete(want, 9)
	for _, b := range rep.Blocks {
		expect.OK(t, Read(filepath.Join(msgsOf(dir), b.Name), stream, func(rec Record) error {
			if rec.Tombstone || rec.Erased {
				return nil
			}
			head, err := nats.DecodeHeadersMsg(rec.Header)
			if got := text(rec.Subject, head.Get("Nats-Msg-Id"), rec.Data); got != want[rec.Seq] || rec.Header != nil && err != nil || rec.Time.IsZero() {
				t.Errorf("%d is %s, want %s", rec.Seq, got, want[rec.Seq])
			}
			delete(want, rec.Seq)
			return nil
		}))
	}
	expect.Equal(t, len(want), 0, "messages that were not read")
}

// The reader gives out ranges and stops; it allocates per subject, not per record.
func TestReadFrom(t *testing.T) {
	dir := store(t, 300, 200, 20<<20)
	path := filepath.Join(msgsOf(dir), "1.blk")
	var seqs []uint64
	err := ReadFrom(path, stream, 17, 20, func(r Record) error {
		seqs = append(seqs, r.Seq)
		if !bytes.HasPrefix(r.Header, []byte("NATS/1.0\r\n")) {
			t.Errorf("header %q", r.Header)
		}
		return nil
	})
	if want := []uint64{17, 18, 19, 20}; err != nil || !reflect.DeepEqual(seqs, want) {
		t.Errorf("read %v, %v, want %v", seqs, err, want)
	}
	n := testing.AllocsPerRun(5, func() {
		expect.OK(t, Read(path, stream, func(Record) error { return nil }))
	})
	if n > 60 {
		t.Errorf("%v allocations for 300 records", n)
	}
}
