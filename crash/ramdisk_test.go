//go:build linux

package crash

import (
	"errors"
	"maps"
	"math/rand/v2"
	"path/filepath"
	"regexp"
	"sync"
	"syscall"
)

// ramdisk is a file system in memory that keeps apart what programs see and what a disk would have. It is mounted by
// FUSE (fuse_test.go).
//
//   - What was written or renamed is on the disk when its file or its folder was fsynced, and not before; a file's fsync
//     says nothing of its name.
//   - A refused fsync is Linux's: the pages are dropped, each handle that was open is told once, the next fsync
//     succeeds and brings nothing to the disk.
//   - A power cut leaves what the disk has, and of the rest some pages and the beginning of the renames, or all, or none.
//
// Safe for concurrent use.
type ramdisk struct {
	mu      sync.Mutex
	nodes   map[uint64]*node
	handles map[uint64]*handle
	lastID  uint64
	root    *node
	changes []change // of folders, in order
	lastSeq uint64

	refusal *refusal
	ops     int        // changes that programs have asked for
	cutAt   int        // the power is cut before this one, 0 never
	onCut   func()     // called then
	left    chan *node // gets the root of what the cut leaves
	tape    []op       // every change, where taping
	taping  bool
}

// refusal is a rule of what fails.
type refusal struct {
	op    string // of [opNames]
	path  *regexp.Regexp
	errno syscall.Errno
	hits  int
}

// opNames are what can be refused.
var opNames = []string{"write", "fsync", "create", "open", "rename", "link", "unlink", "mkdir", "truncate", "readdir", "read"}

const pageSize = 4096

// node is a file, a folder or a link.
type node struct {
	id     uint64
	mode   uint32
	links  uint32
	mtime  int64 // nanoseconds
	parent *node // where it was last given a name
	name   string
	target string // of a link

	now   []byte // as programs see it
	disk  []byte // as the disk has it
	dirty map[int]struct{}
	lost  map[int]struct{} // pages of which the kernel's memory shows what the disk has refused

	failures uint64 // refused fsyncs
	told     bool   // somebody was told of the newest

	entries map[string]*node // of a folder, as programs see it
	stable  map[string]*node // and as the disk has it
	synced  uint64           // the newest change that stable has
}

// handle is an open file or folder.
type handle struct {
	node  *node
	seen  uint64 // failures that it was told of
	names []string
}

// change is one name of a folder that was given or, without a node, taken.
type change struct {
	seq  uint64
	dir  *node
	name string
	to   *node
}

func newRamdisk(root *node) *ramdisk {
	r := &ramdisk{nodes: map[uint64]*node{}, handles: map[uint64]*handle{}, left: make(chan *node, 1)}
	if root == nil {
		root = &node{mode: syscall.S_IFDIR | 0o700, entries: map[string]*node{}, stable: map[string]*node{}}
	}
	r.root = root
	r.adopt(root)
	return r
}

// adopt numbers a tree; the root is number 1.
func (r *ramdisk) adopt(n *node) {
	r.lastID++
	n.id = r.lastID
	r.nodes[n.id] = n
	for name, child := range n.entries {
		child.parent, child.name = n, name
		if child.id == 0 || r.nodes[child.id] != child {
			r.adopt(child)
		}
	}
}

// fresh makes a node.
func (r *ramdisk) fresh(mode uint32) *node {
	r.lastID++
	n := &node{id: r.lastID, mode: mode, mtime: now(), dirty: map[int]struct{}{}, lost: map[int]struct{}{}}
	if mode&syscall.S_IFDIR != 0 {
		n.entries, n.stable = map[string]*node{}, map[string]*node{}
	}
	r.nodes[n.id] = n
	return n
}

func (n *node) path() string {
	if n.parent == nil {
		return "/"
	}
	return filepath.Join(n.parent.path(), n.name)
}

// errPower is what every call gets after the cut.
const errPower = syscall.EIO

// may tells whether an operation on a path is done; what it changes is counted. The caller holds r.mu.
func (r *ramdisk) may(op, path string) syscall.Errno {
	if r.root == nil {
		return errPower
	}
	if op != "read" && op != "readdir" && op != "open" {
		r.ops++
		if r.ops == r.cutAt {
			r.cut(someShare())
			return errPower
		}
	}
	if f := r.refusal; f != nil && f.op == op && f.path.MatchString(path) {
		f.hits++
		return f.errno
	}
	return 0
}

// set gives or takes a name. The caller holds r.mu.
func (r *ramdisk) set(dir *node, name string, to *node) {
	if old := dir.entries[name]; old != nil && old != to {
		old.links--
	}
	if to == nil {
		delete(dir.entries, name)
	} else {
		dir.entries[name] = to
		to.parent, to.name = dir, name
	}
	dir.mtime = now()
	r.lastSeq++
	r.changes = append(r.changes, change{r.lastSeq, dir, name, to})
	r.note(op{kind: opName, node: dir, name: name, to: to})
}

// write puts data at an offset. The caller holds r.mu.
func (n *node) write(data []byte, at int) {
	n.resize(max(len(n.now), at+len(data)))
	copy(n.now[at:], data)
	n.touch(at, at+len(data))
}

// resize cuts or lengthens what programs see.
func (n *node) resize(size int) {
	old := len(n.now)
	if size > cap(n.now) {
		n.now = append(make([]byte, 0, max(size, 2*cap(n.now))), n.now...)
	}
	n.now = n.now[:size]
	if size > old {
		clear(n.now[old:])
	}
	if size != old {
		n.touch(min(size, old), max(size, old))
	}
}

func (n *node) touch(from, to int) {
	n.mtime = now()
	for p := from / pageSize; p*pageSize < to || p == from/pageSize; p++ {
		n.dirty[p] = struct{}{}
		delete(n.lost, p)
	}
}

// flush brings some pages to the disk, and the size.
func (n *node) flush(pages map[int]struct{}) {
	n.disk = fit(n.disk, len(n.now))
	for p := range pages {
		if from := p * pageSize; from < len(n.now) {
			copy(n.disk[from:], n.now[from:min(from+pageSize, len(n.now))])
		}
		delete(n.dirty, p)
	}
}

func fit(b []byte, size int) []byte {
	if size <= len(b) {
		return b[:size]
	}
	return append(b, make([]byte, size-len(b))...)
}

// sync is an fsync of a file by a handle.
func (r *ramdisk) sync(h *handle) syscall.Errno {
	n := h.node
	errno := r.may("fsync", n.path())
	switch {
	case r.root == nil:
		return errno
	case errno != 0:
		maps.Copy(n.lost, n.dirty)
		clear(n.dirty)
		n.failures++
	default:
		r.note(op{kind: opSync, node: n})
		n.flush(maps.Clone(n.dirty))
	}
	if h.seen < n.failures { // errseq: each handle once
		h.seen, n.told = n.failures, true
		return errPower
	}
	return errno
}

// open makes a handle. A failure that nobody was told of is told to it, too.
func (r *ramdisk) open(n *node) uint64 {
	h := &handle{node: n, seen: n.failures}
	if n.failures > 0 && !n.told {
		h.seen--
	}
	r.lastID++
	r.handles[r.lastID] = h
	return r.lastID
}

// read is what a page has that is not in the kernel's memory any more: of one that the disk has refused, the disk's.
func (n *node) read(buf []byte, at int) []byte {
	if at >= len(n.now) {
		return nil
	}
	got := buf[:copy(buf, n.now[at:])]
	for p := range n.lost {
		for i := max(p*pageSize, at); i < min((p+1)*pageSize, at+len(got)); i++ {
			got[i-at] = 0
			if i < len(n.disk) {
				got[i-at] = n.disk[i]
			}
		}
	}
	return got
}

// syncDir is an fsync of a folder.
func (r *ramdisk) syncDir(n *node) syscall.Errno {
	if errno := r.may("fsync", n.path()); errno != 0 {
		return errno
	}
	r.note(op{kind: opSync, node: n})
	n.stable, n.synced = maps.Clone(n.entries), r.lastSeq
	if len(r.changes) > 10_000 { // those that are on the disk say nothing more
		kept := r.changes[:0]
		for _, c := range r.changes {
			if c.seq > c.dir.synced {
				kept = append(kept, c)
			}
		}
		r.changes = kept
	}
	return 0
}

// someShare is how much of what was not synced a power cut leaves: nothing, all, or a part of it.
func someShare() float64 { return []float64{0, 1, rand.Float64()}[rand.IntN(3)] }

// cut is the power cut. The caller holds r.mu.
func (r *ramdisk) cut(share float64) {
	if r.onCut != nil {
		r.onCut()
	}
	for _, c := range r.changes[:int(share*float64(len(r.changes)))] {
		switch {
		case c.seq <= c.dir.synced:
		case c.to == nil:
			delete(c.dir.stable, c.name)
		default:
			c.dir.stable[c.name] = c.to
		}
	}
	for _, n := range r.nodes {
		if n.entries != nil {
			continue
		}
		some := map[int]struct{}{}
		for p := range n.dirty {
			if rand.Float64() < share {
				some[p] = struct{}{}
			}
		}
		if len(some) > 0 {
			n.flush(some)
		}
	}
	r.left <- left(r.root, map[*node]*node{})
	r.root = nil
}

// left is a copy of what the disk has.
func left(n *node, seen map[*node]*node) *node {
	if c := seen[n]; c != nil {
		c.links++
		return c
	}
	c := &node{mode: n.mode, links: 1, mtime: n.mtime, target: n.target, dirty: map[int]struct{}{}, lost: map[int]struct{}{}}
	seen[n] = c
	c.now, c.disk = append([]byte(nil), n.disk...), append([]byte(nil), n.disk...)
	if n.entries == nil {
		return c
	}
	c.entries = map[string]*node{}
	for name, child := range n.stable {
		c.entries[name] = left(child, seen)
	}
	c.stable = maps.Clone(c.entries)
	return c
}

// refuse sets the rule of what fails from now on, nil for none, and tells how often the one before did.
func (r *ramdisk) refuse(f *refusal) (hits int) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.refusal != nil {
		hits = r.refusal.hits
	}
	r.refusal = f
	return hits
}

// cutIn has the power cut before one of the next changes.
func (r *ramdisk) cutIn(n int, onCut func()) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.cutAt, r.onCut = r.ops+n, onCut
}

// cutNow cuts the power unless it is cut already.
func (r *ramdisk) cutNow() error {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.root == nil {
		return errors.New("the power was cut before")
	}
	r.cut(someShare())
	return nil
}
