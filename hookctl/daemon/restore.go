package daemon

import (
	"archive/tar"
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"time"

	"github.com/klauspost/compress/zstd"

	"hookline/hookctl/client"
	"hookline/hookctl/home"
	"hookline/hookctl/problem"
	"hookline/hookctl/verify"
)

// RestoreOptions say what is put where.
type RestoreOptions struct {
	File     string
	Home     string // must be empty or not there
	Log      *slog.Logger
	Progress func(done, of uint64) // bytes of the backup, read twice
}

// Restored is the outcome of `replay restore`.
type Restored struct {
	File    string        `json:"file"`
	Home    string        `json:"home"`
	Build   string        `json:"build"` // that made the backup
	Created time.Time     `json:"created"`
	Seq     uint64        `json:"seq"` // the backup's position
	Last    uint64        `json:"last"`
	Blobs   int           `json:"blobs"`
	Frames  int           `json:"frames"` // waiting in the spool; the next daemon takes them
	Verify  verify.Result `json:"verify"`
}

// Restore makes a home from a backup. The file is read to its end first and every digest compared; only then
// is it unpacked, beside the home, opened once and verified, and moved to its place as the last step. So a
// damaged backup, an interruption and a crash all leave no home behind. No daemon may serve the home.
func Restore(ctx context.Context, o RestoreOptions) (Restored, error) {
	if o.Log == nil {
		o.Log = slog.New(slog.DiscardHandler)
	}
	out := Restored{File: o.File, Home: o.Home}
	if err := emptyHome(ctx, o.Home); err != nil {
		return out, err
	}
	if real, err := filepath.EvalSymlinks(o.Home); err == nil { // a link to another disk stays one
		o.Home = real
	}
	m, err := checkBackup(ctx, o)
	if err != nil {
		return out, err
	}
	out.Build, out.Created, out.Seq = m.Build, m.Created, m.Seq
	if err := os.MkdirAll(filepath.Dir(o.Home), 0o700); err != nil {
		return out, err
	}
	beside, err := os.MkdirTemp(filepath.Dir(o.Home), "."+filepath.Base(o.Home)+".restore-*")
	if err != nil {
		return out, err
	}
	if err = out.into(ctx, o, m, beside); err == nil {
		err = place(beside, o.Home)
	}
	if err != nil {
		return out, errors.Join(err, os.RemoveAll(beside))
	}
	return out, nil
}

// emptyHome refuses a home that holds anything, and one whose daemon still runs though the folder went.
func emptyHome(ctx context.Context, home string) error {
	entries, err := os.ReadDir(home)
	if err != nil && !errors.Is(err, os.ErrNotExist) {
		return err
	}
	if len(entries) > 0 {
		return problem.New(http.StatusConflict, home+" is not empty", "restore into another folder with --home DIR, or move this one away first")
	}
	c, err := client.Connect(ctx, client.Options{Home: home, Mode: client.Running})
	if errors.Is(err, client.ErrNotRunning) {
		return nil
	}
	if err != nil {
		return err
	}
	return errors.Join(problem.New(http.StatusConflict, "a daemon still serves "+home, "`hookctl stop` ends it"), c.Close())
}

// place moves the finished home to where it belongs.
func place(from, dir string) error {
	if err := os.Remove(dir); err != nil && !errors.Is(err, os.ErrNotExist) { // an empty folder: a rename onto it fails on some systems
		return fmt.Errorf("replace the empty %s: %w", dir, err)
	}
	if err := os.Rename(from, dir); err != nil {
		return err
	}
	return home.SyncDir(filepath.Dir(dir))
}

// into unpacks, opens and verifies in a folder of its own.
func (out *Restored) into(ctx context.Context, o RestoreOptions, m Manifest, dir string) error {
	if err := unpack(ctx, o, m, dir); err != nil {
		return err
	}
	for _, f := range m.Files {
		switch path.Dir(f.Name) {
		case backupBlobs:
			out.Blobs++
		case backupSpool:
			out.Frames++
		}
	}
	tail := filepath.Join(dir, backupTail)
	d, err := Open(ctx, Options{Home: dir, Log: o.Log, unpacked: true})
	if err != nil {
		return err
	}
	err = out.fill(ctx, d, m, tail)
	return errors.Join(err, d.Close(context.WithoutCancel(ctx)), os.Remove(tail))
}

// fill appends what stood behind the sealed blocks and verifies everything.
func (out *Restored) fill(ctx context.Context, d *Daemon, m Manifest, tail string) error {
	if last, _ := d.stream.Last(); last != m.Sealed {
		return fmt.Errorf("the backup's blocks end at sequence %d, its manifest says %d", last, m.Sealed)
	}
	got, err := d.Import(ctx, tail, false, nil)
	if err != nil {
		return err
	}
	if got.Added != m.Events {
		return fmt.Errorf("%d of %d events were taken from the backup's tail", got.Added, m.Events)
	}
	last, id := d.stream.Last()
	if out.Last = last; m.ID != "" && id != m.ID {
		return fmt.Errorf("the restored log ends with event %s, the backup's with %s", id, m.ID)
	}
	out.Verify, err = d.Verify(ctx, nil)
	return err
}

// insideName is what may stand in a backup; everything else is refused, whatever the manifest says.
var insideName = regexp.MustCompile(`^(blocks/[1-9][0-9]*\.blk|tail\.ndjson|blobs/[0-9a-f]{64}\.zst|spool/[0-9A-HJKMNP-TV-Z]{26}\.frame)$`)

// placeOf is where a backup's file belongs below a home. Blocks go to the archive, from which the store
// takes up a log that is not there.
func placeOf(home, name string) string {
	dir, base := path.Split(name)
	switch path.Clean(dir) {
	case backupBlocks:
		return filepath.Join(home, "store", "archive", base)
	case backupBlobs:
		return filepath.Join(home, "store", "blobs", base)
	case backupSpool:
		return filepath.Join(home, "spool", base)
	}
	return filepath.Join(home, base)
}

// checkBackup reads the whole file and compares every size and digest with the manifest.
func checkBackup(ctx context.Context, o RestoreOptions) (Manifest, error) {
	var m Manifest
	var text []byte
	found := map[string]BackupFile{}
	err := eachFile(ctx, o, 0, func(h *tar.Header, r io.Reader) error {
		if h.Name == backupManifest {
			var err error
			text, err = io.ReadAll(io.LimitReader(r, 256<<20))
			return err
		}
		sum := sha256.New()
		n, err := io.Copy(sum, r)
		found[h.Name] = BackupFile{Name: h.Name, Size: n, SHA256: hex.EncodeToString(sum.Sum(nil))}
		return err
	})
	if err != nil {
		return m, badBackup(o.File, err)
	}
	if text == nil {
		return m, badBackup(o.File, errors.New("its manifest is missing: the file is cut off, or no backup"))
	}
	if err := json.NewDecoder(bytes.NewReader(text)).Decode(&m); err != nil {
		return m, badBackup(o.File, fmt.Errorf("manifest: %w", err))
	}
	if m.Format > BackupFormat {
		return m, problem.New(http.StatusBadRequest, fmt.Sprintf("%s has format %d, this build reads up to %d", o.File, m.Format, BackupFormat), "use the build that made it ("+m.Build+"), or a newer one")
	}
	for _, want := range m.Files {
		if !insideName.MatchString(want.Name) {
			return m, badBackup(o.File, fmt.Errorf("%q is no file of a backup", want.Name))
		}
		if got := found[want.Name]; got != want {
			return m, badBackup(o.File, fmt.Errorf("%s has %d bytes and digest %.12s, the manifest says %d and %.12s", want.Name, got.Size, got.SHA256, want.Size, want.SHA256))
		}
		delete(found, want.Name)
	}
	if len(found) > 0 || m.Format < 1 {
		return m, badBackup(o.File, errors.New("it holds files that its manifest does not name"))
	}
	return m, nil
}

func badBackup(file string, err error) error {
	if errors.Is(err, context.Canceled) {
		return err
	}
	return problem.New(http.StatusBadRequest, fmt.Sprintf("%s is damaged: %v; nothing was restored", file, err), "take an older backup; `replay import` reads exports")
}

// unpack writes the files to their places and compares them once more.
func unpack(ctx context.Context, o RestoreOptions, m Manifest, home string) error {
	want := map[string]BackupFile{}
	for _, f := range m.Files {
		want[f.Name] = f
	}
	return eachFile(ctx, o, 1, func(h *tar.Header, r io.Reader) error {
		f, ok := want[h.Name]
		if !ok {
			return nil
		}
		return unpackFile(r, f, placeOf(home, h.Name))
	})
}

func unpackFile(r io.Reader, f BackupFile, to string) error {
	if err := os.MkdirAll(filepath.Dir(to), 0o700); err != nil {
		return err
	}
	out, err := os.OpenFile(to, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return err
	}
	sum := sha256.New()
	n, err := io.Copy(io.MultiWriter(out, sum), r)
	err = errors.Join(err, out.Sync(), out.Close())
	if err == nil && (n != f.Size || hex.EncodeToString(sum.Sum(nil)) != f.SHA256) {
		err = fmt.Errorf("%s changed while it was restored", f.Name)
	}
	return err
}

// eachFile reads the backup's files in order; round 0 is the first reading of two.
func eachFile(ctx context.Context, o RestoreOptions, round uint64, fn func(*tar.Header, io.Reader) error) error {
	file, err := os.Open(o.File)
	if err != nil {
		return err
	}
	defer file.Close()
	info, err := file.Stat()
	if err != nil {
		return err
	}
	size := uint64(max(info.Size(), 0))
	r := &reading{r: file, ctx: ctx, told: func(n uint64) {
		if o.Progress != nil {
			o.Progress(round*size+n, 2*size)
		}
	}}
	unpacked, err := zstd.NewReader(r, zstd.WithDecoderConcurrency(1), zstd.WithDecoderMaxWindow(128<<20))
	if err != nil {
		return err
	}
	defer unpacked.Close()
	in := tar.NewReader(unpacked)
	for {
		h, err := in.Next()
		if errors.Is(err, io.EOF) {
			_, err = io.Copy(io.Discard, unpacked) // the stream's checksum stands at its end
			return err
		}
		if err != nil {
			return err
		}
		if err := fn(h, in); err != nil {
			return err
		}
	}
}

// reading counts and can be interrupted.
type reading struct {
	r    io.Reader
	ctx  context.Context
	told func(uint64)
	n    uint64
}

// Read implements [io.Reader].
func (r *reading) Read(b []byte) (int, error) {
	if err := r.ctx.Err(); err != nil {
		return 0, err
	}
	n, err := r.r.Read(b)
	r.n += uint64(n)
	r.told(r.n)
	return n, err
}
