package carry

import (
	"context"
	"errors"
	"os"
	"path"
	"path/filepath"
	"time"

	"hookline/hookctl/api"
	"hookline/hookctl/client"
	"hookline/hookctl/problem"
	"hookline/hookctl/safeopen"
)

// RestoreOptions say what is put where.
type RestoreOptions struct {
	File     string
	Home     string                // must be empty or not there
	Progress func(done, of uint64) // bytes of the backup
}

// Restored is the outcome of `replay restore`.
type Restored struct {
	File    string      `json:"file" jsonschema_description:"the backup, as it was named"`
	Home    string      `json:"home" jsonschema_description:"folder that was made"`
	Build   string      `json:"build" jsonschema_description:"version that made the backup"`
	Created time.Time   `json:"created" jsonschema_description:"when it was made"`
	Seq     uint64      `json:"seq" jsonschema_description:"the newest event in the backup"`
	Last    uint64      `json:"last" jsonschema_description:"the newest event of the restored log"`
	Blobs   int         `json:"blobs" jsonschema_description:"large contents"`
	Frames  int         `json:"frames" jsonschema_description:"waiting in the spool; the next daemon takes them"`
	Verify  api.Verdict `json:"verify" jsonschema_description:"of the restored store"`
}

// Unpacked is a home as it comes out of a backup: the blocks lie in its archive, from which a store takes up a log that is
// not there, and what stood after them in the tail, which is an export.
type Unpacked struct {
	Home     string
	Tail     string
	Manifest Manifest
}

// Take opens an unpacked home, takes its tail in, verifies everything and closes it. It returns the log's last sequence.
type Take func(ctx context.Context, u Unpacked) (last uint64, verdict api.Verdict, err error)

// Restore makes a home from a backup. The file is unpacked beside the home and every digest compared; then the store is
// opened once and verified, and moved to its place as the last step. So a damaged backup, an interruption and a crash all
// leave no home behind. No daemon may serve the home.
func Restore(ctx context.Context, o RestoreOptions, take Take) (Restored, error) {
	out := Restored{File: o.File, Home: o.Home}
	if err := emptyHome(ctx, o.Home); err != nil {
		return out, err
	}
	if real, err := filepath.EvalSymlinks(o.Home); err == nil { // a link to another disk stays one
		o.Home = real
	}
	if err := os.MkdirAll(filepath.Dir(o.Home), 0o700); err != nil {
		return out, err
	}
	beside, err := os.MkdirTemp(filepath.Dir(o.Home), "."+filepath.Base(o.Home)+".restore-*")
	if err != nil {
		return out, err
	}
	err = out.into(ctx, o, beside, take)
	if err == nil {
		err = os.Remove(o.Home) // an empty folder: a rename onto it fails on some systems
		if err == nil || errors.Is(err, os.ErrNotExist) {
			err = os.Rename(beside, o.Home)
		}
	}
	if err != nil {
		return out, errors.Join(err, os.RemoveAll(beside))
	}
	return out, safeopen.SyncDir(filepath.Dir(o.Home))
}

// emptyHome refuses a home that holds anything, and one whose daemon still runs though the folder went.
func emptyHome(ctx context.Context, home string) error {
	entries, err := os.ReadDir(home)
	if err != nil && !errors.Is(err, os.ErrNotExist) {
		return err
	}
	if len(entries) > 0 {
		return problem.Conflict("%s is not empty", home).Advise("restore into another folder with --home DIR, or move this one away first")
	}
	c, err := client.Connect(ctx, client.Options{Home: home})
	if errors.Is(err, client.ErrNotRunning) {
		return nil
	}
	if err != nil {
		return err
	}
	return errors.Join(problem.Conflict("a daemon still serves %s", home).Advise("`hookctl stop` ends it"), c.Close())
}

// into unpacks, opens and verifies in a folder of its own.
func (out *Restored) into(ctx context.Context, o RestoreOptions, dir string, take Take) error {
	m, err := unpack(ctx, o, dir)
	if err != nil {
		return err
	}
	out.Build, out.Created, out.Seq = m.Build, m.Created, m.Seq
	for _, f := range m.Files {
		switch path.Dir(f.Name) {
		case blobsDir:
			out.Blobs++
		case spoolDir:
			out.Frames++
		}
	}
	tail := filepath.Join(dir, tailName)
	out.Last, out.Verify, err = take(ctx, Unpacked{Home: dir, Tail: tail, Manifest: m})
	return errors.Join(err, os.Remove(tail))
}
