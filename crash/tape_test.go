//go:build linux

package crash

import (
	"encoding/json"
	"errors"
	"maps"
	"math/rand/v2"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"sync"
	"syscall"
	"testing"
	"time"

	"hookline/expect"
	"hookline/hookctl/wire"
)

// op is one change of a ramdisk as its tape has it.
type op struct {
	kind opKind
	node *node
	at   int    // of opWrite the offset, of opSize the size, of opTime the time
	data []byte // of opWrite
	name string // of opName: in the folder node; to is what it means from then on, nil for nothing
	to   *node
	time int64 // nanoseconds
}

type opKind int

const (
	opWrite opKind = iota
	opSize
	opTime
	opName
	opSync // of a file or a folder
)

// note writes a change to the tape. The caller holds r.mu.
func (r *ramdisk) note(o op) {
	if r.taping {
		o.time = now()
		r.tape = append(r.tape, o)
	}
}

// taped is how long the tape is.
func (r *ramdisk) taped() int {
	r.mu.Lock()
	defer r.mu.Unlock()
	return len(r.tape)
}

// leftAt is what a power cut behind the changes of a tape leaves, with a share of what was not synced.
func leftAt(tape []op, share float64) *node {
	r := newRamdisk(nil)
	again := map[*node]*node{}
	play := func(n *node) *node {
		if n == nil || again[n] != nil {
			return again[n]
		}
		if n.parent == nil && n.entries != nil {
			again[n] = r.root
			return r.root
		}
		again[n] = r.fresh(n.mode)
		again[n].target = n.target
		return again[n]
	}
	for _, o := range tape {
		n := play(o.node)
		switch o.kind {
		case opWrite:
			n.write(o.data, o.at)
		case opSize:
			n.resize(o.at)
		case opName:
			r.set(n, o.name, play(o.to))
		case opSync:
			if n.entries != nil {
				_ = r.syncDir(n) // nothing is refused
			} else {
				n.flush(maps.Clone(n.dirty))
			}
		}
		if o.kind != opSync {
			n.mtime = o.time
		}
		if o.kind == opTime {
			n.mtime = int64(o.at)
		}
	}
	r.cut(share)
	return <-r.left
}

// export makes real files of a tree; a file with two names keeps them.
func (n *node) export(path string, seen map[*node]string) error {
	first, again := seen[n]
	seen[n] = path
	switch {
	case again:
		return os.Link(first, path)
	case n.target != "":
		return os.Symlink(n.target, path)
	case n.mode&syscall.S_IFMT == syscall.S_IFREG:
		at := time.Unix(0, n.mtime)
		return errors.Join(os.WriteFile(path, n.now, os.FileMode(n.mode&0o777)), os.Chtimes(path, at, at))
	case n.entries == nil: // a socket: nobody listens there any more
		return nil
	}
	if err := os.Mkdir(path, os.FileMode(n.mode&0o777)); err != nil {
		return err
	}
	for _, name := range slices.Sorted(maps.Keys(n.entries)) {
		if err := n.entries[name].export(filepath.Join(path, name), seen); err != nil {
			return err
		}
	}
	return nil
}

// blockEnds are the places of a tape at which the log begins a new block behind another.
func blockEnds(tape []op) (ends []int) {
	block := regexp.MustCompile(`/EVENTS/msgs/\d+\.blk$`)
	for i, o := range tape {
		if o.kind == opName && o.to != nil && o.name != "1.blk" && block.MatchString(filepath.Join(o.node.path(), o.name)) {
			ends = append(ends, i)
		}
	}
	return ends
}

// fatFrame is a frame whose event takes a twentieth of a block: many strings, each too short to be kept beside the log.
func (h *home) fatFrame(call string) (wire.Frame, error) {
	f := h.frame(call, 0)
	parts := make([]string, 40)
	for i := range parts {
		parts[i] = noiseOf(14 << 10)
	}
	var body map[string]any
	if err := json.Unmarshal(f.Body, &body); err != nil {
		return f, err
	}
	body["tool_response"] = map[string]any{"parts": parts}
	var err error
	f.Body, err = json.Marshal(body)
	f.Size = int64(len(f.Body))
	return f, err
}

// recording is one run of a daemon under load: each change of its disk, and where on the tape each promise was made.
type recording struct {
	tape     []op
	ends     []int
	promised map[string]int
}

// record has a new store grow over the ends of so many blocks.
func record(t *testing.T, bin string, blocks int) recording {
	t.Helper()
	d := mountRamdisk(t)
	d.taping = true
	h, l := newHome(t, bin, filepath.Join(d.at, "state")), newLedger()
	h.second = filepath.Join(d.at, "second")
	expect.OK(t, os.Mkdir(h.second, 0o700))
	made := map[string]int{}
	var mu sync.Mutex
	l.heard = func(call string) {
		mu.Lock()
		defer mu.Unlock()
		made[call] = d.taped()
	}

	h.up(t)
	w := h.load(l, 2000)
	sealed := func() int {
		list, _ := filepath.Glob(filepath.Join(h.state, "store", "jetstream", "$G", "streams", "EVENTS", "msgs", "*.blk"))
		return len(list) - 1
	}
	deadline := time.Now().Add(time.Duration(blocks) * within)
	for sealed() < blocks {
		call := l.next()
		f := expect.Value(h.fatFrame(call))(t)
		if _, err := wire.Do(time.Now().Add(3*time.Second), h.door(), "PostToolUse", f); err == nil { // on a busy machine one may be late
			l.promise(call, byDaemon)
		}
		if time.Now().After(deadline) {
			t.Fatalf("%d of %d blocks are full", sealed(), blocks)
		}
	}
	_, err := w.stop()
	if err = errors.Join(err, h.quiet()); err != nil {
		t.Fatal(err)
	}
	h.kill(t)
	if err := syscall.Unmount(d.at, syscall.MNT_DETACH); err != nil { // the next recording needs the memory
		t.Fatal(err)
	}

	d.mu.Lock()
	defer d.mu.Unlock()
	rec := recording{tape: d.tape, ends: blockEnds(d.tape), promised: made}
	if len(rec.ends) < blocks || len(made) == 0 {
		t.Fatalf("%d ends of blocks, %d promises", len(rec.ends), len(made))
	}
	return rec
}

// cutAt holds what a cut behind the first changes leaves against what was promised until then.
func (rec recording) cutAt(t *testing.T, bin string, at int, share float64) error {
	t.Helper()
	root := leftAt(rec.tape[:at], share)
	h, l := newHome(t, bin, ""), newLedger()
	disk := filepath.Join(h.root, "disk")
	defer func() {
		h.killAll()
		_ = os.RemoveAll(disk) // else the end of the test does
	}()
	if err := root.export(disk, map[*node]string{}); err != nil {
		return err
	}
	h.state, h.second = filepath.Join(disk, "state"), filepath.Join(disk, "second")
	if err := os.MkdirAll(h.second, 0o700); err != nil {
		return err
	}
	for call, when := range rec.promised {
		if when <= at {
			l.promise(call, byDaemon)
		}
	}
	h.up(t)
	r := newReading()
	r.torn = true
	return r.check(h, l)
}

// control proves that the check objects when a disk does not keep what was synced.
func (rec recording) control(t *testing.T, bin string) {
	t.Helper()
	lying := recording{promised: maps.Clone(rec.promised)}
	lying.tape = slices.DeleteFunc(slices.Clone(rec.tape), func(o op) bool { return o.kind == opSync && o.node.entries == nil })
	for call := range lying.promised { // the tape is shorter than it was
		lying.promised[call] = 0
	}
	if err := lying.cutAt(t, bin, len(lying.tape), 0); err == nil {
		t.Fatal("a disk that keeps nothing loses nothing: the method proves nothing")
	}
}

// TestTape: of one recorded run, the power is cut at many places around the ends of blocks. What was promised before the
// cut is in the log, once, when its spool is taken.
func TestTape(t *testing.T) {
	t.Parallel()
	bin := need(t, oldBuild)
	if !inNamespace(t, false) {
		return
	}
	blocks, each := 2, 3
	ends, cuts := 0, 0
	for range times(1, 11) {
		if long() {
			blocks, each = 6, 16
		}
		rec := record(t, bin, blocks)
		rec.control(t, bin)
		for _, end := range rec.ends {
			for range each {
				at := min(max(1, end-40+rand.IntN(120)), len(rec.tape))
				share := someShare()
				if err := rec.cutAt(t, bin, at, share); err != nil {
					t.Fatalf("cut at %d of %d that leaves %.2f of what was not synced, a block ends at %d: %v", at, len(rec.tape), share, end, err)
				}
				cuts++
			}
			ends++
		}
		t.Logf("%d cuts around %d ends of blocks; the newest tape: %d changes, %d promises", cuts, ends, len(rec.tape), len(rec.promised))
	}
}
