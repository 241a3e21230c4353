package block

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/nats-io/nats-server/v2/server"
	"github.com/nats-io/nats.go"

	"hookline/expect"
)

var update = flag.Bool("update", false, "make the golden block of the linked server version anew")

// Blocks of released server versions, one folder each, are read for good: a store outlives its server.
func TestGolden(t *testing.T) {
	if *update {
		makeGolden(t)
	}
	paths, err := filepath.Glob("testdata/*/1.blk")
	if err != nil || len(paths) == 0 {
		t.Fatalf("no golden blocks, %v", err)
	}
	for _, path := range paths {
		want := string(read1(t, filepath.Join(filepath.Dir(path), "records.txt")))
		expect.Equal(t, listing(t, path), want, path)
	}
	if rep := mustCheck(t, "testdata/2.15.2"); len(rep.Blocks) != 1 || rep.Blocks[0].Records != 11 || rep.Last != 8 || !rep.Sound() {
		t.Errorf("report %+v", rep)
	}
}

// makeGolden makes a block with every kind of record.
func makeGolden(t *testing.T) {
	dir := t.TempDir()
	r := serve(t, dir, small)
	for i := 1; i <= 6; i++ {
		r.publish(message(i, 60))
	}
	r.publish(&nats.Msg{Subject: "ev.p.s.plain", Data: []byte("no headers")})
	r.publish(&nats.Msg{Subject: "ev.p.s.empty"})
	for _, seq := range []uint64{2, 3} {
		expect.OK(t, r.stream.DeleteMsg(t.Context(), seq))
	}
	expect.OK(t, r.stream.SecureDeleteMsg(t.Context(), 5))
	r.stop()
	to := filepath.Join("testdata", server.VERSION)
	expect.OK(t, os.MkdirAll(to, 0o755))
	path := filepath.Join(to, "1.blk")
	write1(t, path, read1(t, filepath.Join(msgsOf(dir), "1.blk")))
	write1(t, filepath.Join(to, "records.txt"), []byte(listing(t, path)))
}

// listing prints the records of a block, one a line.
func listing(t *testing.T, path string) string {
	t.Helper()
	var b strings.Builder
	expect.OK(t, Read(path, stream, func(r Record) error {
		kind := "message"
		switch {
		case r.Tombstone:
			kind = "tombstone"
		case r.Erased:
			kind = "erased"
		}
		_, err := fmt.Fprintf(&b, "%d %s %s %q %q %q\n", r.Seq, kind, r.Time.Format(time.RFC3339Nano), r.Subject, r.Header, r.Data)
		return err
	}))
	return b.String()
}
