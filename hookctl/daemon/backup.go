package daemon

import (
	"archive/tar"
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"path"
	"path/filepath"
	"strings"
	"time"

	"github.com/klauspost/compress/zstd"

	"hookline/embedded"
	"hookline/embedded/block"
	"hookline/hookctl/export"
	"hookline/hookctl/home"
	"hookline/hookctl/problem"
	"hookline/hookctl/wire"
)

// A backup is one file, a tar in a zstd stream:
//
//	blocks/<n>.blk      the sealed blocks of the log, as they are
//	tail.ndjson         the events behind them, up to the position; an export without blobs
//	blobs/<sha256>.zst  the large contents, as they are
//	spool/<id>.frame    frames that no daemon had taken yet
//	manifest.json       last: the position, and size and SHA-256 of every file before it
//
// A file without its manifest is one that was cut off, and is refused whole.

// BackupFormat is the number of the form above.
const BackupFormat = 1

// Names inside a backup.
const (
	backupBlocks   = "blocks"
	backupTail     = "tail.ndjson"
	backupBlobs    = "blobs"
	backupSpool    = "spool"
	backupManifest = "manifest.json"
)

// logName is the stream's name, part of the blocks' checksums, and logMsgs where its blocks lie in a store
// (package embedded, "What lies on disk").
const logName = "EVENTS"

var logMsgs = filepath.Join("jetstream", "$G", "streams", logName, "msgs")

// Manifest is the last file of a backup.
type Manifest struct {
	Format  int          `json:"hookline_backup"`
	Build   string       `json:"build"`
	Created time.Time    `json:"created"`
	Seq     uint64       `json:"seq"` // the position: every event up to here is in it
	ID      string       `json:"id"`  // of the event there
	Sealed  uint64       `json:"sealed"`
	Events  uint64       `json:"events"` // in the tail
	Files   []BackupFile `json:"files"`
}

// BackupFile is one file of a backup.
type BackupFile struct {
	Name   string `json:"name"`
	Size   int64  `json:"size"`
	SHA256 string `json:"sha256"`
}

// BackedUp is the outcome of `replay backup`.
type BackedUp struct {
	File   string `json:"file"`
	Bytes  int64  `json:"bytes"`
	Seq    uint64 `json:"seq"`
	ID     string `json:"id"`
	Blocks int    `json:"blocks"` // sealed blocks
	Events uint64 `json:"events"` // behind them
	Blobs  int    `json:"blobs"`
	Frames int    `json:"frames"` // from the spool
	SHA256 string `json:"sha256"` // of the file
}

func (d *Daemon) handleBackup(w http.ResponseWriter, r *http.Request) error {
	file := r.URL.Query().Get("file")
	if !filepath.IsAbs(file) {
		return problem.New(http.StatusBadRequest, fmt.Sprintf("file: %q is no absolute path", file), "")
	}
	return d.long(w, r, func(ctx context.Context, progress func(uint64)) (any, error) { return d.Backup(ctx, file, progress) })
}

// Backup writes the store into a new file, while hooks go on being recorded: everything up to the position
// at which it begins is in it, whatever comes later is not. progress tells which sequence has been written; nil for nobody.
func (d *Daemon) Backup(ctx context.Context, file string, progress func(uint64)) (BackedUp, error) {
	if progress == nil {
		progress = func(uint64) {}
	}
	if !d.carrying.TryLock() {
		return BackedUp{}, errBusy()
	}
	defer d.carrying.Unlock()
	if d.inHome(filepath.Dir(file)) {
		return BackedUp{}, problem.New(http.StatusBadRequest, file+" is inside of the home that it would be a backup of", "choose a place outside of "+d.opts.Home+", best on another disk")
	}
	out, err := os.OpenFile(file, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if errors.Is(err, os.ErrExist) {
		return BackedUp{}, problem.New(http.StatusConflict, file+" exists", "a backup overwrites nothing: choose another name")
	}
	if err != nil {
		return BackedUp{}, problem.New(http.StatusBadRequest, err.Error(), "")
	}
	done, err := d.backup(ctx, out, progress)
	err = cmp.Or(err, out.Sync(), out.Close())
	if err == nil {
		err = home.SyncDir(filepath.Dir(file))
	}
	if err != nil {
		return done, errors.Join(fmt.Errorf("backup: %w", err), os.Remove(file))
	}
	done.File = file
	return done, nil
}

// inHome tells whether a folder is the home or one in it, whatever links lead there.
func (d *Daemon) inHome(dir string) bool {
	home, err := os.Stat(d.opts.Home)
	real, e := filepath.EvalSymlinks(dir)
	for err == nil && e == nil {
		if st, err := os.Stat(real); err == nil && os.SameFile(st, home) {
			return true
		}
		up := filepath.Dir(real)
		if up == real {
			break
		}
		real = up
	}
	return false
}

// backup gathers first (links and the tail in a folder of its own, on the store's file system) and writes
// then. A folder that a killed one left is removed: there is one backup at a time.
func (d *Daemon) backup(ctx context.Context, to io.Writer, progress func(uint64)) (BackedUp, error) {
	left, _ := filepath.Glob(filepath.Join(d.opts.Home, "backup-*.tmp"))
	for _, dir := range left {
		_ = os.RemoveAll(dir)
	}
	dir, err := os.MkdirTemp(d.opts.Home, "backup-*.tmp")
	if err != nil {
		return BackedUp{}, err
	}
	defer os.RemoveAll(dir)
	m, sealed, err := d.gather(ctx, dir)
	if err != nil {
		return BackedUp{}, err
	}
	sum := sha256.New()
	packed, err := zstd.NewWriter(io.MultiWriter(to, sum), zstd.WithEncoderConcurrency(1), zstd.WithWindowSize(8<<20))
	if err != nil {
		return BackedUp{}, err
	}
	b := bundle{tar: tar.NewWriter(packed), manifest: m}
	err = b.all(ctx, d, dir, sealed, progress)
	err = cmp.Or(err, b.tar.Close(), packed.Close())
	b.done.Seq, b.done.ID, b.done.Events, b.done.SHA256 = m.Seq, m.ID, m.Events, hex.EncodeToString(sum.Sum(nil))
	if f, ok := to.(*os.File); ok {
		b.done.Bytes, _ = f.Seek(0, io.SeekCurrent)
	}
	return b.done, err
}

// gather links the sealed blocks, then takes the position, then writes what stands between the two. The links may
// hold the beginning of a decision that is being written: its end is waited for, so that the position is not before it.
func (d *Daemon) gather(ctx context.Context, dir string) (Manifest, []block.Info, error) {
	m := Manifest{Format: BackupFormat, Build: wire.Build, Created: d.opts.Now().UTC().Truncate(time.Second)}
	links := filepath.Join(dir, backupBlocks)
	if _, err := block.Archive(filepath.Join(d.opts.Home, "store", logMsgs), links, true); err != nil {
		return m, nil, d.sealedTrouble(err)
	}
	found, err := block.Check(links, block.Options{Stream: logName})
	if err != nil {
		return m, nil, err
	}
	if len(found.Damage) > 0 {
		return m, nil, d.sealedTrouble(fmt.Errorf("%s: %s", found.Damage[0].Block, found.Damage[0].Why))
	}
	for _, b := range found.Blocks {
		m.Sealed = max(m.Sealed, b.Last)
	}
	if m.Seq, m.ID, err = d.stream.Settled(ctx); err != nil {
		return m, nil, err
	}
	if m.Seq < m.Sealed {
		return m, nil, fmt.Errorf("the sealed blocks end at sequence %d, the log at %d", m.Sealed, m.Seq)
	}
	tail, err := os.OpenFile(filepath.Join(dir, backupTail), os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return m, nil, err
	}
	count := &counting{w: tail}
	err = d.toExport().Write(ctx, count, export.Portion{First: m.Sealed + 1, Last: m.Seq})
	m.Events = count.events()
	return m, found.Blocks, errors.Join(err, tail.Close())
}

// sealedTrouble explains a block that cannot go into a backup.
func (d *Daemon) sealedTrouble(err error) error {
	return fmt.Errorf("%w: a sealed block is not sound, so nothing was backed up: %w; `replay repair` mends what can be mended", embedded.ErrLogDamaged, err)
}

// counting counts the lines that go through it.
type counting struct {
	w     io.Writer
	lines uint64
}

// Write implements [io.Writer].
func (c *counting) Write(b []byte) (int, error) {
	c.lines += uint64(strings.Count(string(b), "\n"))
	return c.w.Write(b)
}

// events is the number of lines without header and trailer.
func (c *counting) events() uint64 { return c.lines - min(c.lines, 2) }

// bundle writes the files of one backup.
type bundle struct {
	tar      *tar.Writer
	manifest Manifest
	done     BackedUp
}

func (b *bundle) all(ctx context.Context, d *Daemon, dir string, sealed []block.Info, progress func(uint64)) error {
	for _, s := range sealed {
		if err := b.file(ctx, path.Join(backupBlocks, s.Name), filepath.Join(dir, backupBlocks, s.Name)); err != nil {
			return err
		}
		b.done.Blocks++
		progress(s.Last)
	}
	if err := b.file(ctx, backupTail, filepath.Join(dir, backupTail)); err != nil {
		return err
	}
	progress(b.manifest.Seq)
	err := d.ground.Blobs().Walk(ctx, func(digest string, _ int64) error {
		name := strings.TrimPrefix(digest, "sha256:") + ".zst"
		b.done.Blobs++
		return b.file(ctx, path.Join(backupBlobs, name), filepath.Join(d.opts.Home, "store", "blobs", name))
	})
	if err != nil {
		return err
	}
	if err := b.frames(ctx, d); err != nil {
		return err
	}
	return b.end()
}

// frames takes what waits in the spool. A frame that the daemon takes meanwhile is behind the position or
// in the tail; one that is in both counts once by its id.
func (b *bundle) frames(ctx context.Context, d *Daemon) error {
	waiting, err := d.spool.List()
	if err != nil {
		return err
	}
	for _, f := range waiting {
		err := b.file(ctx, path.Join(backupSpool, f.ID+".frame"), f.Path)
		if errors.Is(err, os.ErrNotExist) {
			continue
		}
		if err != nil {
			return err
		}
		b.done.Frames++
	}
	return nil
}

// file adds one file and its digest. Its size is fixed when it is opened: none of them grows.
func (b *bundle) file(ctx context.Context, name, from string) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	f, err := os.Open(from)
	if err != nil {
		return err
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return err
	}
	sum := sha256.New()
	if err := b.tar.WriteHeader(b.header(name, info.Size())); err != nil {
		return err
	}
	if _, err := io.CopyN(io.MultiWriter(b.tar, sum), f, info.Size()); err != nil {
		return fmt.Errorf("%s: %w", name, err)
	}
	b.manifest.Files = append(b.manifest.Files, BackupFile{Name: name, Size: info.Size(), SHA256: hex.EncodeToString(sum.Sum(nil))})
	return nil
}

// header says nothing about the machine: no owner, one time.
func (b *bundle) header(name string, size int64) *tar.Header {
	return &tar.Header{Typeflag: tar.TypeReg, Name: name, Size: size, Mode: 0o600, ModTime: b.manifest.Created, Format: tar.FormatPAX}
}

func (b *bundle) end() error {
	text, err := json.MarshalIndent(b.manifest, "", "  ")
	if err != nil {
		return err
	}
	if err := b.tar.WriteHeader(b.header(backupManifest, int64(len(text)))); err != nil {
		return err
	}
	_, err = b.tar.Write(text)
	return err
}
