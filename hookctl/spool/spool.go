// Package spool keeps the frames that no daemon has taken yet, a file each, and reads frames in the form in which they
// are spooled and handed from one process to the next. See [Spool] for the format.
package spool

import (
	"bytes"
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"time"

	"hookline/hookctl/home"
	"hookline/hookctl/safeopen"
	"hookline/hookctl/wire"
)

// staleTemp is the age at which an unfinished write is taken for a crashed one.
const staleTemp = time.Hour

// Spool holds the frames that no daemon has taken yet, one file each:
//
//	<home>/spool/01KAJ3….frame      the frame's header as one line of JSON, "\n", the body, already redacted
//
// A frame is there whole or not at all (temporary file, fsync, rename, fsync of the folder). When
// the home cannot be written the frames go to another folder. Several processes may write at once;
// one, the daemon, takes them out.
type Spool struct{ paths home.Paths }

// Entry is one waiting frame.
type Entry struct {
	ID   string
	Path string
}

// Open returns the spool of a home; nothing is made before the first Write.
func Open(p home.Paths) *Spool { return &Spool{p} }

// Write puts f into the spool and returns when it is on disk. The same id replaces the file. The
// error names what failed in every place.
func (s *Spool) Write(f wire.Frame) error {
	var failed error
	for _, dir := range s.paths.Spools() {
		err := s.writeIn(dir, f)
		if err == nil {
			return nil
		}
		if failed == nil {
			failed = err
		} else {
			failed = fmt.Errorf("%w; in the next place: %w", failed, err)
		}
		if dir == s.paths.Spool && errors.Is(err, home.ErrForeign) { // no daemon of this user will look in the others
			break
		}
	}
	return fmt.Errorf("spool frame %s: %w", f.ID, failed)
}

// writeIn makes one of the places, and a file in it.
func (s *Spool) writeIn(dir string, f wire.Frame) error {
	var err error
	if dir != s.paths.Spool {
		err = home.FallbackDir(dir)
	} else if err = s.paths.Check(); err == nil {
		err = home.PrivateDir(dir)
	}
	if err != nil {
		return err
	}

	f.Sum = sumOf(f)
	path := filepath.Join(dir, f.ID+".frame")
	temp, err := safeopen.Beside(path, append(append(f.Header(), '\n'), f.Body...), nil, 0o600)
	if err != nil {
		return err
	}
	if err := os.Rename(temp, path); err != nil {
		return errors.Join(err, os.Remove(temp))
	}
	return safeopen.SyncDir(dir)
}

// List returns the waiting frames of all places, oldest first (by id; ids of one millisecond in any
// order). What a crashed writer left is put into quarantine.
func (s *Spool) List() ([]Entry, error) {
	var frames []Entry
	var failed []error
	for _, dir := range s.paths.Spools() {
		names, err := s.names(dir, -1)
		if err != nil && !errors.Is(err, fs.ErrNotExist) && !errors.Is(err, syscall.ENOTDIR) {
			failed = append(failed, err)
		}
		for _, name := range names {
			path := filepath.Join(dir, name)
			if id, ok := strings.CutSuffix(name, ".frame"); ok {
				frames = append(frames, Entry{id, path})
			} else if info, err := os.Lstat(path); err == nil && strings.HasPrefix(name, ".") && time.Since(info.ModTime()) > staleTemp {
				failed = append(failed, s.Quarantine(Entry{Path: path}))
			}
		}
	}
	slices.SortFunc(frames, func(a, b Entry) int { return cmp.Or(cmp.Compare(a.ID, b.ID), cmp.Compare(a.Path, b.Path)) })
	return frames, errors.Join(failed...)
}

// names returns what lies in one of the places, at most that many (-1: all). A fallback that another user has made, or can
// write to, has nothing for us.
func (s *Spool) names(dir string, most int) ([]string, error) {
	if dir != s.paths.Spool && home.CheckFallback(dir) != nil {
		return nil, nil
	}
	if err := home.Private(dir); err != nil {
		return nil, err
	}
	return safeopen.ReadDir(safeopen.User, dir, most)
}

// Waiting counts frames up to a bound, at the cost of a look at a few folders: more than most are
// most+1.
func (s *Spool) Waiting(most int) int {
	n := 0
	for _, dir := range s.paths.Spools() {
		names, _ := s.names(dir, most+8) // a quarantine folder and writes under way may be among them
		for _, name := range names {
			if strings.HasSuffix(name, ".frame") {
				n++
			}
		}
	}
	return min(n, most+1)
}

// Count returns the number of waiting frames; folders that cannot be read count nothing.
func (s *Spool) Count() int {
	frames, _ := s.List()
	return len(frames)
}

// Read returns the frame of a file. [ErrFrame] means that it will never be readable, see [Spool.Quarantine]; so does
// [safeopen.ErrRefused], of what is no file of ours. Any other error is one of the file system: the frame may be whole.
func (s *Spool) Read(e Entry) (wire.Frame, error) {
	data, err := safeopen.ReadFile(safeopen.Own, e.Path, wire.Limit+mostHeader)
	if err != nil {
		return wire.Frame{}, err
	}
	f, err := ReadFrame(bytes.NewReader(data))
	switch {
	case err == nil && f.ID != e.ID:
		err = fmt.Errorf("%w: file %s holds frame %s", ErrFrame, e.ID, f.ID)
	case err == nil && f.Sum != "" && f.Sum != sumOf(f):
		err = fmt.Errorf("%w: file %s is not what was written", ErrFrame, e.ID)
	}
	return f, err
}

// mostHeader bounds a frame's header: some strings of 4 KiB, escaped.
const mostHeader = 1 << 20

// sumOf returns the digest of a frame as it is spooled: its header without the sum, and its body.
func sumOf(f wire.Frame) string {
	f.Sum = ""
	h := sha256.New()
	h.Write(f.Header())
	h.Write(f.Body)
	return hex.EncodeToString(h.Sum(nil)[:16])
}

// Remove drops a frame that the daemon has taken; one that is not there is no error. A frame that comes back after a crash is
// found to be known by its id.
func (s *Spool) Remove(e Entry) error {
	if err := os.Remove(e.Path); !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	return nil
}

// Quarantine sets an unreadable file aside, into the folder "quarantine" beside it. It is never
// deleted: the frame may be the only copy.
func (s *Spool) Quarantine(e Entry) error {
	dir := filepath.Join(filepath.Dir(e.Path), "quarantine")
	if err := home.PrivateDir(dir); err != nil {
		return err
	}
	if err := os.Rename(e.Path, filepath.Join(dir, filepath.Base(e.Path))); err != nil {
		return err
	}
	return safeopen.SyncDir(dir)
}

// Quarantined counts what was set aside.
func (s *Spool) Quarantined() int {
	n := 0
	for _, dir := range s.paths.Spools() {
		if names, _ := s.names(dir, -1); slices.Contains(names, "quarantine") {
			set, _ := safeopen.ReadDir(safeopen.Own, filepath.Join(dir, "quarantine"), -1) // what cannot be looked into counts nothing
			n += len(set)
		}
	}
	return n
}
