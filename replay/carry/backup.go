package carry

import (
	"archive/tar"
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/klauspost/compress/zstd"

	"hookline/embedded"
	"hookline/embedded/block"
	"hookline/hookctl/api"
	"hookline/hookctl/problem"
	"hookline/hookctl/spool"
)

// BackupFormat is the number of the form above.
const BackupFormat = 1

// Names inside a backup.
const (
	blocksDir    = "blocks"
	tailName     = "tail.ndjson"
	blobsDir     = "blobs"
	spoolDir     = "spool"
	manifestName = "manifest.json"
)

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

// BackupStore is what a backup is made of. A daemon may go on writing to it.
type BackupStore struct {
	Home  string // folder of all state
	Log   *embedded.Stream
	Blobs *embedded.Blobs
	Spool *spool.Spool
	Tail  Origin // of the events after the sealed blocks; its build and time stand in the manifest too
}

// Backup writes the store into a new file, while hooks go on being recorded: everything up to the position
// at which it begins is in it, whatever comes later is not. progress, which may be nil, is called with
// the sequence that has been written.
func Backup(ctx context.Context, s BackupStore, file string, progress func(uint64)) (api.BackedUp, error) {
	if progress == nil {
		progress = func(uint64) {}
	}
	if s.inHome(filepath.Dir(file)) {
		return api.BackedUp{}, problem.Bad("%s is inside of the home that it would be a backup of", file).Advise("choose a place outside of " + s.Home + ", best on another disk")
	}
	var done api.BackedUp
	size, err := Create(file, func(to io.Writer) (err error) {
		done, err = s.write(ctx, to, progress)
		return err
	})
	done.File, done.Bytes = file, size
	return done, err
}

// inHome reports whether a folder is the home or one in it, whatever links lead there.
func (s BackupStore) inHome(dir string) bool {
	home, err := filepath.EvalSymlinks(s.Home)
	if err != nil {
		return false
	}
	dir, err = filepath.EvalSymlinks(dir)
	return err == nil && strings.HasPrefix(dir+string(filepath.Separator), home+string(filepath.Separator))
}

// write gathers first (links and the tail in a folder of its own, on the store's file system) and writes
// then. A folder that a killed one left is removed: there is one backup at a time.
func (s BackupStore) write(ctx context.Context, to io.Writer, progress func(uint64)) (api.BackedUp, error) {
	left, _ := filepath.Glob(filepath.Join(s.Home, "backup-*.tmp"))
	for _, dir := range left {
		_ = os.RemoveAll(dir)
	}
	dir, err := os.MkdirTemp(s.Home, "backup-*.tmp")
	if err != nil {
		return api.BackedUp{}, err
	}
	defer os.RemoveAll(dir)
	m, sealed, err := s.gather(ctx, dir)
	if err != nil {
		return api.BackedUp{}, err
	}
	sum := sha256.New()
	packed, err := zstd.NewWriter(io.MultiWriter(to, sum), zstd.WithEncoderConcurrency(1), zstd.WithWindowSize(8<<20))
	if err != nil {
		return api.BackedUp{}, err
	}
	b := bundle{tar: tar.NewWriter(packed), manifest: m}
	err = b.all(ctx, s, dir, sealed, progress)
	err = cmp.Or(err, b.tar.Close(), packed.Close())
	b.done.Seq, b.done.ID, b.done.Events, b.done.SHA256 = m.Seq, m.ID, m.Events, hex.EncodeToString(sum.Sum(nil))
	return b.done, err
}

// gather links the sealed blocks, then takes the position, then writes what stands between the two. The links may
// hold the beginning of a decision that is being written: its end is waited for, so that the position is not before it.
func (s BackupStore) gather(ctx context.Context, dir string) (Manifest, []block.Info, error) {
	m := Manifest{Format: BackupFormat, Build: s.Tail.Build, Created: s.Tail.Created}
	links := filepath.Join(dir, blocksDir)
	msgs, stream := embedded.Blocks(filepath.Join(s.Home, "store"))
	if err := block.Archive(msgs, links, true); err != nil {
		return m, nil, sealedTrouble(err)
	}
	found, err := block.Check(links, block.Options{Stream: stream})
	if err != nil {
		return m, nil, err
	}
	if len(found.Damage) > 0 {
		return m, nil, sealedTrouble(fmt.Errorf("%s: %s", found.Damage[0].Block, found.Damage[0].Why))
	}
	m.Sealed = found.Last
	if m.Seq, m.ID, err = s.Log.Settled(ctx); err != nil {
		return m, nil, err
	}
	if m.Seq < m.Sealed {
		return m, nil, fmt.Errorf("the sealed blocks end at sequence %d, the log at %d", m.Sealed, m.Seq)
	}
	_, err = Create(filepath.Join(dir, tailName), func(tail io.Writer) (err error) {
		m.Events, err = s.Tail.Write(ctx, tail, Portion{First: m.Sealed + 1, Last: m.Seq})
		return err
	})
	return m, found.Blocks, err
}

// sealedTrouble explains a block that cannot go into a backup.
func sealedTrouble(err error) error {
	return fmt.Errorf("%w: a sealed block is not sound, so nothing was backed up: %w; `replay repair` mends what can be mended", embedded.ErrLogDamaged, err)
}
