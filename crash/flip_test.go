//go:build linux

package crash

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"hookline/expect"
)

// Where a hit lands.
const (
	inBlock   = "block"
	inIndex   = "index"
	inMeta    = "meta"
	inBucket  = "bucket"
	inBlob    = "blob"
	inArchive = "archive"
	inSpool   = "spool"
)

// files lists what belongs to a place.
func (h *home) files(t *testing.T, place string) []string {
	t.Helper()
	var list []string
	log := filepath.Join("jetstream", "$G", "streams", "EVENTS")
	err := filepath.WalkDir(h.state, func(path string, e fs.DirEntry, err error) error {
		if err != nil || e.IsDir() {
			return err
		}
		in := func(part string) bool { return strings.Contains(path, part) }
		is := map[string]bool{
			inBlock: in(filepath.Join(log, "msgs")) && strings.HasSuffix(path, ".blk"),
			inIndex: in(filepath.Join(log, "msgs", "index.db")), inMeta: in(filepath.Join(log, "meta.")),
			inBucket: in("KV_"), inBlob: in("/blobs/"), inArchive: in("/archive/"), inSpool: strings.HasSuffix(path, ".frame"),
		}
		if info, err := e.Info(); err == nil && info.Size() > 0 && is[place] {
			list = append(list, path)
		}
		return nil
	})
	if err != nil || len(list) == 0 {
		t.Fatalf("no files for %s: %v", place, err)
	}
	slices.Sort(list)
	return list
}

// hit is one break: a bit flipped, bytes wiped, a file cut or taken away.
type hit struct {
	place, how string
	file       string
	at         int64
	crashed    bool // the store looks as after kill -9: no marker of a clean exit
	apart      bool // the archive is of copies
}

func (x hit) String() string {
	return fmt.Sprintf("%s: %s %s at %d, crashed %v, archive of copies %v", x.place, x.how, filepath.Base(x.file), x.at, x.crashed, x.apart)
}

const (
	flipped   = "flip"
	smeared   = "smear" // zeros over a few bytes: more than one bit, which can be found again
	truncated = "truncate"
	deleted   = "delete"
)

// smear is shorter than any record, so it hits two at most.
const smear = 16

// strike breaks a file at a random place, not through its links: other names keep the bytes, but for
// a block whose archive is of links, which share them by nature.
func (x *hit) strike(t *testing.T, h *home) {
	t.Helper()
	files := h.files(t, x.place)
	x.file = files[rand.IntN(len(files))]
	data, err := os.ReadFile(x.file)
	expect.OK(t, err)
	x.at = rand.Int64N(int64(len(data)))
	switch x.how {
	case flipped:
		err = writeInPlace(x.file, x.at, []byte{data[x.at] ^ 1<<rand.IntN(8)})
	case smeared:
		err = writeInPlace(x.file, x.at, make([]byte, min(smear, int64(len(data))-x.at)))
	case truncated:
		err = os.Truncate(x.file, x.at)
	case deleted:
		err = os.Remove(x.file)
	}
	if x.crashed {
		err = errors.Join(err, os.Remove(filepath.Join(h.state, "store", "clean.json")))
	}
	expect.OK(t, err)
}

func writeInPlace(path string, at int64, b []byte) error {
	file, err := os.OpenFile(path, os.O_WRONLY, 0)
	if err != nil {
		return err
	}
	_, err = file.WriteAt(b, at)
	return errors.Join(err, file.Close())
}

// hits are the trials: two thirds are single bits, most of them in the log's blocks.
func hits() (list []hit) {
	add := func(n int, place, how string) {
		for range n {
			i := len(list) // an archive of links is the log's own blocks: a hit in it alone needs copies
			list = append(list, hit{place: place, how: how, crashed: i%2 == 1, apart: place == inArchive || i/2%2 == 1})
		}
	}
	for _, place := range []string{inBlock, inBlock, inBlock, inBucket, inIndex, inMeta, inBlob, inArchive, inSpool} {
		add(times(1, 24), place, flipped)
	}
	add(times(1, 24), inBlock, smeared)
	for _, place := range []string{inBlock, inBucket, inIndex, inMeta, inBlob, inArchive, inSpool} {
		add(times(1, 4), place, truncated)
		add(times(1, 4), place, deleted)
	}
	return list
}

// One bit, or a whole file: what is damaged is seen or harmless, the rest can be read, a flipped bit costs
// at most the event that it hit, and nothing where the archive has it.
func TestBitFlips(t *testing.T) {
	t.Parallel()
	o := newOriginal(t, need(t, oldBuild))
	var group sync.WaitGroup
	turn := make(chan struct{}, 3)
	for i, x := range hits() {
		turn <- struct{}{}
		group.Go(func() {
			defer func() { <-turn }()
			t.Run(fmt.Sprintf("%03d-%s-%s", i, x.place, x.how), func(t *testing.T) { o.trial(t, x) })
		})
	}
	group.Wait()
}

func (o *original) trial(t *testing.T, x hit) {
	h := o.copy(t, x.apart)
	x.strike(t, h)
	seen, said := h.verifyOffline(t)
	p := h.serve(t)
	err := eventually(within, func() error {
		_, err := h.status()
		if err != nil && !p.alive() {
			return nil
		}
		return err
	})
	if _, down := h.status(); err != nil || down != nil {
		t.Fatalf("%v: the daemon does not start: %v\n%s", x, err, h.lastWords())
	}
	f := o.compare(t, h)
	seen = seen || f.told
	switch v, err := h.verify(); {
	case err != nil:
		t.Errorf("%v: verify: %v", x, err)
	case v.Exit == 1:
		t.Errorf("%v: the buckets were not folded anew: %.1000s", x, fmt.Sprintf("%+v", v.Diffs))
	case v.Exit == 2:
		seen = true
	}
	o.judge(t, x, f, seen, said)
}

// verifyOffline is `replay verify` without a daemon: whether it saw damage, and what it said.
func (h *home) verifyOffline(t *testing.T) (bool, string) {
	t.Helper()
	cmd := h.command(t.Context(), "replay", "verify", "--json")
	out := expect.Value(finished(cmd))(t)
	if out.exit > 2 {
		t.Errorf("replay verify: exit %d: %s", out.exit, out.said)
	}
	return out.exit == 2, out.said
}

// found is how a broken home compares with the original.
type found struct {
	lost, altered []uint64 // sequences
	told          bool     // an event or a quarantine tells of damage
	blobsLost     []string // events that are there and whose blob cannot be read
	blobsAltered  []string
	framesLost    []string
	framesAltered []string
}

func (o *original) compare(t *testing.T, h *home) found {
	t.Helper()
	expect.OK(t, o.drained(h))
	list, err := h.rows(1)
	if err != nil {
		t.Fatalf("the rest of the log cannot be read: %v", err)
	}
	var f found
	there := map[string]row{} // by id: after a lost end the server gives its sequences to new events
	calls := map[string]row{}
	for _, r := range list {
		there[r.ID] = r
		if r.Type == "log.damaged" || r.Type == "hook.refused" {
			f.told = true
		}
		if r.Type == "tool.succeeded" {
			calls[r.Call] = r
		}
	}
	for _, r := range o.rows {
		switch got, ok := there[r.ID]; {
		case !ok:
			f.lost = append(f.lost, r.Seq)
		case !bytes.Equal(got.raw, r.raw):
			f.altered = append(f.altered, r.Seq)
		}
	}
	o.compareBlobs(h, there, &f)
	o.compareFrames(h, calls, &f)
	return f
}

// drained waits until the waiting frames were taken or set aside.
func (o *original) drained(h *home) error {
	return eventually(within, func() error {
		s, err := h.status()
		if err == nil && s.Spool > 0 {
			err = fmt.Errorf("%d frames wait", s.Spool)
		}
		return err
	})
}

func (o *original) compareBlobs(h *home, there map[string]row, f *found) {
	for id, want := range o.blobs {
		if _, ok := there[id]; !ok {
			continue
		}
		raw, err := h.ask("GET", "/v1/events/"+id+"?raw=1")
		switch {
		case err != nil:
			f.blobsLost = append(f.blobsLost, id)
		case digestOf(raw) != want:
			f.blobsAltered = append(f.blobsAltered, id)
		}
	}
}

func (o *original) compareFrames(h *home, calls map[string]row, f *found) {
	for call, want := range o.waiting {
		r, ok := calls[call]
		if !ok {
			f.framesLost = append(f.framesLost, call)
			continue
		}
		raw, err := h.ask("GET", fmt.Sprintf("/v1/events/%d?raw=1", r.Seq))
		if err != nil || digestOf(bytes.TrimSpace(raw)) != want && !sameJSON(raw, want) {
			f.framesAltered = append(f.framesAltered, call)
		}
	}
	quarantined, _ := filepath.Glob(filepath.Join(h.paths().Spool, "quarantine", "*"))
	f.told = f.told || len(quarantined) > 0
}

// sameJSON compares after writing the value as the client did.
func sameJSON(raw []byte, want string) bool {
	var v map[string]any
	if json.Unmarshal(raw, &v) != nil {
		return false
	}
	again, err := json.Marshal(v)
	return err == nil && digestOf(again) == want
}

// judge holds what was found against what is promised.
func (o *original) judge(t *testing.T, x hit, f found, seen bool, said string) {
	t.Helper()
	gone := len(f.lost) + len(f.blobsLost) + len(f.framesLost)
	if len(f.altered)+len(f.blobsAltered)+len(f.framesAltered) > 0 {
		t.Errorf("%v: altered and taken for good: events %v, blobs of %v, frames %v", x, f.altered, f.blobsAltered, f.framesAltered)
	}
	if gone > 0 && !seen && !(x.how == deleted && x.place == inSpool) { // a frame whose file is gone is not known to have been
		t.Errorf("%v: lost without a word: events %v, blobs of %v, frames %v; verify: %s", x, f.lost, f.blobsLost, f.framesLost, said)
	}
	switch {
	case x.place != inBlock && len(f.lost) > 0:
		t.Errorf("%v: events %v are lost", x, f.lost)
	case x.how == flipped && len(f.lost) > 1 || x.how == smeared && len(f.lost) > 2:
		t.Errorf("%v: it cost %d events", x, len(f.lost))
	case x.place == inBlock && len(f.lost) > 0 && o.archived(x):
		t.Errorf("%v: the archive has events %v, and they were not restored", x, f.lost)
	}
	if x.place != inBlob && len(f.blobsLost) > 0 || len(f.blobsLost) > 1 {
		t.Errorf("%v: blobs of %v are lost", x, f.blobsLost)
	}
	if x.place != inSpool && len(f.framesLost) > 0 || len(f.framesLost) > 1 {
		t.Errorf("%v: frames %v are lost", x, f.framesLost)
	}
	t.Logf("%v: seen %v, %d lost", x, seen, gone)
}

// archived tells that the archive has the block's whole content, as a file of its own.
func (o *original) archived(x hit) bool {
	_, err := os.Stat(filepath.Join(o.state, "store", "archive", filepath.Base(x.file)))
	return err == nil && (x.apart || x.how == deleted)
}
