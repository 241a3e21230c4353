// Package spool keeps the frames that no daemon has taken yet, a file each, and reads frames in the form in which they
// are spooled and handed from one process to the next. See [Spool] for the format.
package spool

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"time"

	"hookline/hookctl/home"
	"hookline/hookctl/safeopen"
	"hookline/hookctl/wire"
)

// Warn is the number of waiting frames above which the user is told: an hour of a busy session
// makes some 2,000, so this is a daemon that has not run for long. Nothing is refused above it.
const Warn = 10_000

// staleTemp is the age at which an unfinished write is taken for a crashed one.
const staleTemp = time.Hour

// Spool holds the frames that no daemon has taken yet, one file each:
//
//	<home>/spool/01KAJ3….frame      the frame's header as one line of JSON, "\n", the body, already redacted
//
// A frame is there whole or not at all (temporary file, fsync, rename, fsync of the folder). When
// the home cannot be written the frames go to another folder. Several processes may write at once;
// one, the daemon, takes them out.
type Spool struct {
	paths home.Paths
	disk  disk
}

// Entry is one waiting frame.
type Entry struct {
	ID   string
	Path string
}

// Open returns the spool of a home; nothing is made before the first Write.
func Open(p home.Paths) *Spool { return &Spool{paths: p, disk: files{}} }

// Write puts f into the spool and returns when it is on disk. The same id replaces the file. The
// error names what failed in every place.
func (s *Spool) Write(f wire.Frame) error {
	err := s.disk.MakeDir(s.paths.Spool, s.makeHome)
	if err == nil {
		err = s.write(s.paths.Spool, f)
	}
	if err == nil {
		return nil
	}
	if errors.Is(err, home.ErrForeign) { // no daemon of this user will look here
		return fmt.Errorf("spool frame %s: %w", f.ID, err)
	}
	for _, dir := range s.paths.Fallbacks {
		next := s.disk.MakeDir(dir, func() error { return home.FallbackDir(dir) })
		if next == nil {
			next = s.write(dir, f)
		}
		if next == nil {
			return nil
		}
		err = fmt.Errorf("%w; in the next place: %w", err, next)
	}
	return fmt.Errorf("spool frame %s: %w", f.ID, err)
}

// makeHome makes the folder in the home, which it checks first.
func (s *Spool) makeHome() error {
	if err := s.paths.Check(); err != nil {
		return err
	}
	return home.PrivateDir(s.paths.Spool)
}

func (s *Spool) write(dir string, f wire.Frame) (err error) {
	f.Sum = sumOf(f)
	temp := filepath.Join(dir, "."+f.ID+"."+strconv.Itoa(os.Getpid())+".tmp")
	if err = s.disk.WriteFile(temp, append(f.Header(), '\n'), f.Body); err == nil {
		err = s.disk.Rename(temp, filepath.Join(dir, f.ID+".frame"))
	}
	if err != nil {
		return errors.Join(err, s.disk.Remove(temp))
	}
	return s.disk.SyncDir(dir)
}

// List returns the waiting frames of all places, oldest first (by id; ids of one millisecond in any
// order). What a crashed writer left behind is put into quarantine.
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
			} else if info, err := os.Lstat(path); err == nil && strings.HasSuffix(name, ".tmp") && time.Since(info.ModTime()) > staleTemp {
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
	file, err := safeopen.Open(safeopen.Own, e.Path)
	if err != nil {
		return wire.Frame{}, err
	}
	defer file.Close()
	in := &keeper{from: file}
	f, err := ReadFrame(in)
	switch {
	case in.err != nil:
		err = in.err
	case err == nil && f.ID != e.ID:
		err = fmt.Errorf("%w: file %s holds frame %s", ErrFrame, e.ID, f.ID)
	case err == nil && f.Sum != "" && f.Sum != sumOf(f):
		err = fmt.Errorf("%w: file %s is not what was written", ErrFrame, e.ID)
	}
	return f, err
}

// keeper keeps the error of a read, which is none of the content.
type keeper struct {
	from io.Reader
	err  error
}

func (k *keeper) Read(p []byte) (int, error) {
	n, err := k.from.Read(p)
	if err != nil && !errors.Is(err, io.EOF) {
		k.err = err
	}
	return n, err
}

// sumOf returns the digest of a frame as it is spooled: its header without the sum, and its body.
func sumOf(f wire.Frame) string {
	f.Sum = ""
	h := sha256.New()
	h.Write(f.Header())
	h.Write(f.Body)
	return hex.EncodeToString(h.Sum(nil)[:16])
}

// Remove drops a frame that the daemon has taken. A frame that comes back after a crash is found to
// be known by its id.
func (s *Spool) Remove(e Entry) error { return s.disk.Remove(e.Path) }

// Quarantine sets an unreadable file aside, into the folder "quarantine" beside it. It is never
// deleted: the frame may be the only copy.
func (s *Spool) Quarantine(e Entry) error {
	dir := filepath.Join(filepath.Dir(e.Path), "quarantine")
	if err := home.PrivateDir(dir); err != nil {
		return err
	}
	if err := s.disk.Rename(e.Path, filepath.Join(dir, filepath.Base(e.Path))); err != nil {
		return err
	}
	return s.disk.SyncDir(dir)
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

// disk is what the spool changes in the file system. Tests stop it between any two calls. Safe for concurrent use.
type disk interface {
	// MakeDir runs make, which makes dir.
	MakeDir(dir string, make func() error) error
	// WriteFile makes a file of mode 0600 and returns when its bytes are on disk.
	WriteFile(path string, parts ...[]byte) error
	Rename(from, to string) error
	// SyncDir makes renames in dir last.
	SyncDir(dir string) error
	// Remove is no error for a file that is not there.
	Remove(path string) error
}

// files is the file system, the [disk] of [Open].
type files struct{}

func (files) MakeDir(_ string, make func() error) error { return make() }

func (files) WriteFile(path string, parts ...[]byte) error {
	file, err := safeopen.Write(path, os.O_WRONLY|os.O_CREATE|os.O_TRUNC)
	if err != nil {
		return err
	}
	for _, p := range parts {
		if _, err := file.Write(p); err != nil {
			return errors.Join(err, file.Close())
		}
	}
	return errors.Join(file.Sync(), file.Close())
}

func (files) Rename(from, to string) error { return os.Rename(from, to) }

func (files) SyncDir(dir string) error { return safeopen.SyncDir(dir) }

func (files) Remove(path string) error {
	if err := os.Remove(path); !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	return nil
}
