//go:build linux

package crash

import (
	"crypto/sha256"
	"fmt"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"hookline/embedded"
	"hookline/events"
	"hookline/expect"
	"hookline/hookctl/wire"
)

// original is a whole home that was closed in order: two sealed blocks and a newest one, buckets, blobs,
// an archive, waiting frames. Each trial breaks a copy.
type original struct {
	*home
	rows    []row             // of the log
	blobs   map[string]string // digest of the raw hook, by event id, of the events with a blob
	waiting map[string]string // call to digest of its tool_response, of the frames in the spool
}

const (
	sealedEvents = 2100     // of 9 KiB compressed: two blocks of 8 MiB and a part of the third
	bigEvent     = 12 << 10 // below the size at which content becomes a blob
	blobContent  = 24 << 10 // above it
	manyBlobs    = 12
	manyWaiting  = 12
)

// newOriginal makes one: most of it by appending to the store, the rest by a daemon.
func newOriginal(t *testing.T, bin string) *original {
	t.Helper()
	o := &original{home: newHome(t, bin, ""), blobs: map[string]string{}, waiting: map[string]string{}}
	appendMany(t, o.paths().Store, sealedEvents, bigEvent)
	o.up(t)
	for i := range manyBlobs {
		f := o.frame(fmt.Sprintf("blob_%02d", i), blobContent)
		expect.Value(wire.Do(time.Now().Add(within), o.socket(), "PostToolUse", f))(t)
	}
	o.remember(t)
	o.stop(t)
	for i := range manyWaiting {
		call := fmt.Sprintf("waiting_%02d", i)
		f := o.frame(call, 2000)
		expect.OK(t, o.put(f))
		o.waiting[call] = digestOf(f.Body)
	}
	return o
}

// perSession is how many events in a row are of one session: an hour of a busy one makes some 2,000.
const perSession = 1000

// appendMany puts n events into a store, the way the daemon does, in batches.
func appendMany(t *testing.T, store string, n, size int) {
	t.Helper()
	s := expect.Value(embedded.Open(t.Context(), embedded.Options{Dir: store}))(t)
	at := time.Now().Add(-time.Hour).UTC().Truncate(time.Millisecond)
	var batch []events.Envelope
	for i := range n {
		at = at.Add(time.Millisecond)
		call := fmt.Sprintf("made_%07d", i)
		batch = append(batch, events.Envelope{ID: wire.NewID(at.UnixMilli()), Type: "tool.succeeded", Version: 1, Time: at,
			Session: fmt.Sprintf("session-%04d", i/perSession), Hook: "PostToolUse", ToolUseID: call, Data: payload(call, size)})
		if len(batch) == 500 || i == n-1 {
			appendBatch(t, s.Stream(), batch)
			batch = nil
		}
	}
	expect.OK(t, s.Close(t.Context()))
}

func appendBatch(t *testing.T, st *embedded.Stream, batch []events.Envelope) {
	t.Helper()
	receipts, err := st.Append(t.Context(), batch...)
	if err == nil {
		err = st.Sync(t.Context(), receipts[len(receipts)-1].Seq)
	}
	expect.OK(t, err)
}

func digestOf(b []byte) string { return fmt.Sprintf("%x", sha256.Sum256(b)) }

// remember reads everything that a trial is held against.
func (o *original) remember(t *testing.T) {
	t.Helper()
	var err error
	if o.rows, err = o.home.rows(1); err != nil {
		t.Fatal(err)
	}
	for _, r := range o.rows {
		if strings.HasPrefix(r.Call, "blob_") {
			raw := expect.Value(o.ask("GET", "/v1/events/"+r.ID+"?raw=1"))(t)
			o.blobs[r.ID] = digestOf(raw)
		}
	}
	if len(o.rows) < sealedEvents || len(o.blobs) != manyBlobs {
		t.Fatalf("%d events, %d with blobs", len(o.rows), len(o.blobs))
	}
}

// copy is a home of its own with the same files. Hard links between the log and its archive stay, unless
// apart says that the archive is to be of copies, as on a file system without links.
func (o *original) copy(t *testing.T, apart bool) *home {
	t.Helper()
	h := newHome(t, o.bin, "")
	if out, err := exec.Command("cp", "-a", o.state, h.state).CombinedOutput(); err != nil {
		t.Fatalf("cp: %v %s", err, out)
	}
	if !apart {
		return h
	}
	archive := filepath.Join(h.state, "store", "archive")
	if out, err := exec.Command("sh", "-c", `for f in "$0"/*; do cp "$f" "$f.new" && mv "$f.new" "$f"; done`, archive).CombinedOutput(); err != nil {
		t.Fatalf("copy the archive: %v %s", err, out)
	}
	return h
}
