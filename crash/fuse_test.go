//go:build linux

package crash

import (
	"bytes"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"syscall"
	"testing"
	"time"

	"github.com/hanwen/go-fuse/v2/fuse"

	"hookline/expect"
)

func now() int64 { return time.Now().UnixNano() }

// mounted is a [ramdisk] in the file system.
type mounted struct {
	fuse.RawFileSystem
	*ramdisk
	at string
}

// mountRamdisk mounts an empty one, in a mount namespace of the test's own.
func mountRamdisk(t *testing.T) *mounted {
	t.Helper()
	dir := expect.Value(os.MkdirTemp("", "hlf"))(t)
	at := filepath.Join(dir, "disk")
	expect.OK(t, os.Mkdir(at, 0o700))
	t.Cleanup(func() {
		_ = syscall.Unmount(at, syscall.MNT_DETACH)
		if err := os.RemoveAll(dir); err != nil {
			t.Error(err)
		}
	})
	return mountOf(t, at, newRamdisk(nil))
}

func mountOf(t *testing.T, at string, r *ramdisk) *mounted {
	t.Helper()
	m := &mounted{RawFileSystem: fuse.NewDefaultRawFileSystem(), ramdisk: r, at: at}
	server, err := fuse.NewServer(m, m.at, &fuse.MountOptions{DirectMountStrict: true, FsName: "ramdisk", Name: "ramdisk", MaxWrite: 1 << 17, DisableReadDirPlus: true})
	if err != nil {
		cannot(t, "no FUSE here: %v", err)
	}
	go server.Serve() // ends with the mount
	if err := server.WaitMount(); err != nil {
		cannot(t, "no FUSE here: %v", err)
	}
	return m
}

// restart mounts what a power cut has left; no process may use the disk.
func (m *mounted) restart(t *testing.T) *mounted {
	t.Helper()
	expect.OK(t, syscall.Unmount(m.at, syscall.MNT_DETACH))
	return mountOf(t, m.at, newRamdisk(<-m.left))
}

// keep is how long the kernel may believe what it was told: nobody else changes anything.
const keep = 3600

func (m *mounted) fill(n *node, out *fuse.Attr) {
	*out = fuse.Attr{Ino: n.id, Mode: n.mode, Nlink: max(n.links, 1), Size: uint64(len(n.now)), Blocks: uint64(len(n.now)+511) / 512, Blksize: pageSize,
		Mtime: uint64(n.mtime / 1e9), Mtimensec: uint32(n.mtime % 1e9), Ctime: uint64(n.mtime / 1e9), Ctimensec: uint32(n.mtime % 1e9)}
	out.Owner = fuse.Owner{Uid: uint32(os.Getuid()), Gid: uint32(os.Getgid())}
	if n.target != "" {
		out.Size = uint64(len(n.target))
	}
}

func (m *mounted) entry(n *node, out *fuse.EntryOut) {
	out.NodeId, out.EntryValid, out.AttrValid = n.id, keep, keep
	m.fill(n, &out.Attr)
}

// String implements [fuse.RawFileSystem], as do the methods below.
func (m *mounted) String() string { return "ramdisk" }

func (m *mounted) Lookup(_ <-chan struct{}, in *fuse.InHeader, name string, out *fuse.EntryOut) fuse.Status {
	m.mu.Lock()
	defer m.mu.Unlock()
	n := m.nodes[in.NodeId].entries[name]
	if n == nil {
		return fuse.ENOENT
	}
	m.entry(n, out)
	return fuse.OK
}

func (m *mounted) GetAttr(_ <-chan struct{}, in *fuse.GetAttrIn, out *fuse.AttrOut) fuse.Status {
	m.mu.Lock()
	defer m.mu.Unlock()
	out.AttrValid = keep
	m.fill(m.nodes[in.NodeId], &out.Attr)
	return fuse.OK
}

func (m *mounted) SetAttr(_ <-chan struct{}, in *fuse.SetAttrIn, out *fuse.AttrOut) fuse.Status {
	m.mu.Lock()
	defer m.mu.Unlock()
	n := m.nodes[in.NodeId]
	if size, ok := in.GetSize(); ok {
		if errno := m.may("truncate", n.path()); errno != 0 {
			return fuse.Status(errno)
		}
		n.resize(int(size))
		m.note(op{kind: opSize, node: n, at: int(size)})
	}
	if mode, ok := in.GetMode(); ok {
		n.mode = n.mode&syscall.S_IFMT | mode&0o7777
	}
	if at, ok := in.GetMTime(); ok {
		n.mtime = at.UnixNano()
		m.note(op{kind: opTime, node: n, at: int(n.mtime)})
	}
	out.AttrValid = keep
	m.fill(n, &out.Attr)
	return fuse.OK
}

// add makes a node with a name.
func (m *mounted) add(op string, dir uint64, name string, mode uint32, out *fuse.EntryOut) (*node, fuse.Status) {
	parent := m.nodes[dir]
	if errno := m.may(op, filepath.Join(parent.path(), name)); errno != 0 {
		return nil, fuse.Status(errno)
	}
	if parent.entries[name] != nil {
		return nil, fuse.Status(syscall.EEXIST)
	}
	n := m.fresh(mode)
	n.links = 1
	m.set(parent, name, n)
	m.entry(n, out)
	return n, fuse.OK
}

func (m *mounted) Mkdir(_ <-chan struct{}, in *fuse.MkdirIn, name string, out *fuse.EntryOut) fuse.Status {
	m.mu.Lock()
	defer m.mu.Unlock()
	_, status := m.add("mkdir", in.NodeId, name, syscall.S_IFDIR|in.Mode&0o7777, out)
	return status
}

func (m *mounted) Mknod(_ <-chan struct{}, in *fuse.MknodIn, name string, out *fuse.EntryOut) fuse.Status {
	m.mu.Lock()
	defer m.mu.Unlock()
	_, status := m.add("create", in.NodeId, name, in.Mode, out)
	return status
}

func (m *mounted) Symlink(_ <-chan struct{}, in *fuse.InHeader, to, name string, out *fuse.EntryOut) fuse.Status {
	m.mu.Lock()
	defer m.mu.Unlock()
	n, status := m.add("link", in.NodeId, name, syscall.S_IFLNK|0o777, out)
	if status == fuse.OK {
		n.target = to
	}
	return status
}

func (m *mounted) Readlink(_ <-chan struct{}, in *fuse.InHeader) ([]byte, fuse.Status) {
	m.mu.Lock()
	defer m.mu.Unlock()
	return []byte(m.nodes[in.NodeId].target), fuse.OK
}

func (m *mounted) Create(_ <-chan struct{}, in *fuse.CreateIn, name string, out *fuse.CreateOut) fuse.Status {
	m.mu.Lock()
	defer m.mu.Unlock()
	n, status := m.add("create", in.NodeId, name, syscall.S_IFREG|in.Mode&0o7777, &out.EntryOut)
	if status == fuse.OK {
		out.OpenOut = fuse.OpenOut{Fh: m.open(n), OpenFlags: fuse.FOPEN_KEEP_CACHE}
	}
	return status
}

func (m *mounted) remove(dir uint64, name string) fuse.Status {
	m.mu.Lock()
	defer m.mu.Unlock()
	parent := m.nodes[dir]
	n := parent.entries[name]
	if n == nil {
		return fuse.ENOENT
	}
	if len(n.entries) > 0 {
		return fuse.Status(syscall.ENOTEMPTY)
	}
	if errno := m.may("unlink", n.path()); errno != 0 {
		return fuse.Status(errno)
	}
	n.links--
	delete(parent.entries, name) // counted once
	m.set(parent, name, nil)
	return fuse.OK
}

func (m *mounted) Unlink(_ <-chan struct{}, in *fuse.InHeader, name string) fuse.Status {
	return m.remove(in.NodeId, name)
}

func (m *mounted) Rmdir(_ <-chan struct{}, in *fuse.InHeader, name string) fuse.Status {
	return m.remove(in.NodeId, name)
}

func (m *mounted) Rename(_ <-chan struct{}, in *fuse.RenameIn, oldName, newName string) fuse.Status {
	m.mu.Lock()
	defer m.mu.Unlock()
	from, to := m.nodes[in.NodeId], m.nodes[in.Newdir]
	n := from.entries[oldName]
	if n == nil {
		return fuse.ENOENT
	}
	if errno := m.may("rename", filepath.Join(to.path(), newName)); errno != 0 {
		return fuse.Status(errno)
	}
	if to.entries[newName] == n { // two names of one file stay
		return fuse.OK
	}
	delete(from.entries, oldName)
	m.set(to, newName, n)
	m.set(from, oldName, nil)
	return fuse.OK
}

func (m *mounted) Link(_ <-chan struct{}, in *fuse.LinkIn, name string, out *fuse.EntryOut) fuse.Status {
	m.mu.Lock()
	defer m.mu.Unlock()
	dir, n := m.nodes[in.NodeId], m.nodes[in.Oldnodeid]
	if errno := m.may("link", filepath.Join(dir.path(), name)); errno != 0 {
		return fuse.Status(errno)
	}
	if dir.entries[name] != nil {
		return fuse.Status(syscall.EEXIST)
	}
	n.links++
	m.set(dir, name, n)
	m.entry(n, out)
	return fuse.OK
}

func (m *mounted) Open(_ <-chan struct{}, in *fuse.OpenIn, out *fuse.OpenOut) fuse.Status {
	m.mu.Lock()
	defer m.mu.Unlock()
	n := m.nodes[in.NodeId]
	if errno := m.may("open", n.path()); errno != 0 {
		return fuse.Status(errno)
	}
	*out = fuse.OpenOut{Fh: m.open(n), OpenFlags: fuse.FOPEN_KEEP_CACHE}
	return fuse.OK
}

func (m *mounted) Read(_ <-chan struct{}, in *fuse.ReadIn, buf []byte) (fuse.ReadResult, fuse.Status) {
	m.mu.Lock()
	defer m.mu.Unlock()
	n := m.handles[in.Fh].node
	if errno := m.may("read", n.path()); errno != 0 {
		return nil, fuse.Status(errno)
	}
	return fuse.ReadResultData(n.read(buf, int(in.Offset))), fuse.OK
}

func (m *mounted) Write(_ <-chan struct{}, in *fuse.WriteIn, data []byte) (uint32, fuse.Status) {
	m.mu.Lock()
	defer m.mu.Unlock()
	n := m.handles[in.Fh].node
	if errno := m.may("write", n.path()); errno != 0 {
		return 0, fuse.Status(errno)
	}
	n.write(data, int(in.Offset))
	m.note(op{kind: opWrite, node: n, at: int(in.Offset), data: bytes.Clone(data)})
	return uint32(len(data)), fuse.OK
}

func (m *mounted) Flush(<-chan struct{}, *fuse.FlushIn) fuse.Status { return fuse.OK }

func (m *mounted) Release(_ <-chan struct{}, in *fuse.ReleaseIn) { m.release(in.Fh) }

func (m *mounted) release(handle uint64) {
	m.mu.Lock()
	defer m.mu.Unlock()
	delete(m.handles, handle)
}

func (m *mounted) Fsync(_ <-chan struct{}, in *fuse.FsyncIn) fuse.Status {
	m.mu.Lock()
	defer m.mu.Unlock()
	return fuse.Status(m.sync(m.handles[in.Fh]))
}

func (m *mounted) OpenDir(_ <-chan struct{}, in *fuse.OpenIn, out *fuse.OpenOut) fuse.Status {
	m.mu.Lock()
	defer m.mu.Unlock()
	out.Fh = m.open(m.nodes[in.NodeId])
	return fuse.OK
}

func (m *mounted) ReadDir(_ <-chan struct{}, in *fuse.ReadIn, out *fuse.DirEntryList) fuse.Status {
	m.mu.Lock()
	defer m.mu.Unlock()
	h := m.handles[in.Fh]
	if errno := m.may("readdir", h.node.path()); errno != 0 {
		return fuse.Status(errno)
	}
	if in.Offset == 0 {
		h.names = slices.Sorted(maps.Keys(h.node.entries))
	}
	for i, name := range h.names[min(int(in.Offset), len(h.names)):] {
		mode := uint32(syscall.S_IFREG)
		if n := h.node.entries[name]; n != nil {
			mode = n.mode
		}
		if !out.AddDirEntry(fuse.DirEntry{Mode: mode, Name: name, Ino: 1, Off: in.Offset + uint64(i) + 1}) {
			break
		}
	}
	return fuse.OK
}

func (m *mounted) ReleaseDir(in *fuse.ReleaseIn) { m.release(in.Fh) }

func (m *mounted) FsyncDir(_ <-chan struct{}, in *fuse.FsyncIn) fuse.Status {
	m.mu.Lock()
	defer m.mu.Unlock()
	return fuse.Status(m.syncDir(m.handles[in.Fh].node))
}

func (m *mounted) StatFs(_ <-chan struct{}, _ *fuse.InHeader, out *fuse.StatfsOut) fuse.Status {
	*out = fuse.StatfsOut{Bsize: pageSize, Frsize: pageSize, Blocks: 1 << 20, Bfree: 1 << 19, Bavail: 1 << 19, Files: 1 << 20, Ffree: 1 << 19, NameLen: 255}
	return fuse.OK
}
