package carry

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
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"regexp"

	"github.com/klauspost/compress/zstd"

	"hookline/hookctl/problem"
)

// insideName is what may stand in a backup; everything else is refused, whatever the manifest says.
var insideName = regexp.MustCompile(`^(blocks/[1-9][0-9]*\.blk|tail\.ndjson|blobs/[0-9a-f]{64}\.zst|spool/[0-9A-HJKMNP-TV-Z]{26}\.frame)$`)

// places are the folders of a home that a backup's files belong to, by their folder in the backup. Blocks go to the archive,
// from which the store takes up a log that is not there.
var places = map[string]string{blocksDir: "store/archive", blobsDir: "store/blobs", spoolDir: "spool", ".": ""}

// maxManifest bounds a manifest in bytes: a file has some 140 in it.
const maxManifest = 64 << 20

// unpack writes the files to their places below a home and compares every size and digest with the manifest, which comes
// last: what it left there may be damaged as long as it has not returned.
func unpack(ctx context.Context, o RestoreOptions, home string) (Manifest, error) {
	var m Manifest
	var text []byte // of the manifest
	found := map[string]BackupFile{}
	err := eachFile(ctx, o, func(h *tar.Header, r io.Reader) error {
		switch {
		case h.Name == manifestName && h.Size > maxManifest:
			return fmt.Errorf("its manifest says that it has %d bytes", h.Size)
		case h.Name == manifestName:
			var err error
			text, err = io.ReadAll(r)
			return err
		case !insideName.MatchString(h.Name):
			return fmt.Errorf("%q is no file of a backup", h.Name)
		}
		f, err := unpackFile(r, h.Name, filepath.Join(home, places[path.Dir(h.Name)], path.Base(h.Name)))
		found[h.Name] = f
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
		return m, problem.Bad("%s has format %d, this build reads up to %d", o.File, m.Format, BackupFormat).Advise("use the build that made it (" + m.Build + "), or a newer one")
	}
	for _, want := range m.Files {
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
	var disk *fs.PathError
	if errors.Is(err, context.Canceled) || errors.As(err, &disk) && disk.Path != file {
		return err
	}
	return problem.Bad("%s is damaged: %v; nothing was restored", file, err).Advise("take an older backup; `replay import` reads exports")
}

// unpackFile writes one file and returns its size and digest.
func unpackFile(r io.Reader, name, to string) (BackupFile, error) {
	f := BackupFile{Name: name}
	if err := os.MkdirAll(filepath.Dir(to), 0o700); err != nil {
		return f, err
	}
	out, err := os.OpenFile(to, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600) //nolint:forbidigo // O_EXCL makes it
	if err != nil {
		return f, err
	}
	sum := sha256.New()
	f.Size, err = io.Copy(io.MultiWriter(out, sum), r)
	f.SHA256 = hex.EncodeToString(sum.Sum(nil))
	return f, errors.Join(err, out.Sync(), out.Close())
}

// eachFile reads the backup's files in order.
func eachFile(ctx context.Context, o RestoreOptions, fn func(*tar.Header, io.Reader) error) error {
	file, err := os.Open(o.File) //nolint:forbidigo // the user names it, and may name a pipe
	if err != nil {
		return err
	}
	defer file.Close()
	info, err := file.Stat()
	if err != nil {
		return err
	}

	r := &reading{r: file, ctx: ctx, size: uint64(max(info.Size(), 0)), progress: o.Progress}
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

// reading counts the bytes that are read, and can be interrupted.
type reading struct {
	r        io.Reader
	ctx      context.Context
	progress func(done, of uint64) // may be nil
	n, size  uint64
}

// Read implements [io.Reader].
func (r *reading) Read(b []byte) (int, error) {
	if err := r.ctx.Err(); err != nil {
		return 0, err
	}
	n, err := r.r.Read(b)
	r.n += uint64(n)
	if r.progress != nil {
		r.progress(r.n, r.size)
	}
	return n, err
}
