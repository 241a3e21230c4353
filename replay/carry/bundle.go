package carry

import (
	"archive/tar"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path"
	"path/filepath"
	"strings"

	"hookline/embedded/block"
	"hookline/hookctl/api"
	"hookline/hookctl/safeopen"
)

// bundle is one backup that is being written.
type bundle struct {
	tar      *tar.Writer
	manifest Manifest
	done     api.BackedUp
}

// all writes the files of a backup, the manifest last.
func (b *bundle) all(ctx context.Context, s BackupStore, dir string, sealed []block.Info, progress func(uint64)) error {
	for _, blk := range sealed {
		if err := b.file(ctx, path.Join(blocksDir, blk.Name), filepath.Join(dir, blocksDir, blk.Name)); err != nil {
			return err
		}
		b.done.Blocks++
		progress(blk.Last)
	}
	if err := b.file(ctx, tailName, filepath.Join(dir, tailName)); err != nil {
		return err
	}
	progress(b.manifest.Seq)
	err := s.Blobs.Walk(ctx, func(digest string) error {
		name := strings.TrimPrefix(digest, "sha256:") + ".zst"
		b.done.Blobs++
		return b.file(ctx, path.Join(blobsDir, name), filepath.Join(s.Home, "store", "blobs", name))
	})
	if err != nil {
		return err
	}
	if err := b.frames(ctx, s); err != nil {
		return err
	}

	text, err := json.MarshalIndent(b.manifest, "", "  ")
	if err != nil {
		return err
	}
	if err := b.tar.WriteHeader(b.header(manifestName, int64(len(text)))); err != nil {
		return err
	}
	_, err = b.tar.Write(text)
	return err
}

// frames writes the frames that wait in the spool. One that the daemon takes meanwhile is after the position or
// in the tail; one that is in both counts once by its id.
func (b *bundle) frames(ctx context.Context, s BackupStore) error {
	waiting, err := s.Spool.List()
	if err != nil {
		return err
	}
	for _, f := range waiting {
		err := b.file(ctx, path.Join(spoolDir, f.ID+".frame"), f.Path)
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
	f, err := safeopen.Open(safeopen.User, from)
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
