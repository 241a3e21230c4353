// Package spool keeps the frames that no daemon has taken yet, a file each, and reads frames in the form in which they
// are spooled and handed from one process to the next. See [Spool] for the format.
package spool

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"time"

	"hookline/hookctl/home"
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
	disk  Disk
}

// Entry is one waiting frame.
type Entry struct {
	ID   string
	Path string
}

// Open is the spool of a home; nothing is made before the first Write.
func Open(p home.Paths) *Spool { return OpenOn(p, Files{}) }

// OpenOn is the spool of a home that changes it by disk.
func OpenOn(p home.Paths, disk Disk) *Spool { return &Spool{paths: p, disk: disk} }

// Write puts f into the spool and returns when it is on disk. The same id replaces the file. The
// error names what failed in every place.
func (s *Spool) Write(f wire.Frame) error {
	err := s.disk.MakeDir(s.paths.Spool, func() error { return home.PrivateDir(s.paths.Spool) })
	if err == nil {
		err = s.write(s.paths.Spool, f)
	}
	if err == nil {
		return nil
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

// List is the waiting frames of all places, oldest first (by id; ids of one millisecond in any
// order). What a crashed writer left behind is put into quarantine.
func (s *Spool) List() ([]Entry, error) {
	var frames []Entry
	var failed []error
	for _, dir := range s.paths.Spools() {
		entries, err := os.ReadDir(dir)
		if err != nil && !errors.Is(err, fs.ErrNotExist) && !errors.Is(err, syscall.ENOTDIR) {
			failed = append(failed, err)
		}
		for _, e := range entries {
			path := filepath.Join(dir, e.Name())
			if id, ok := strings.CutSuffix(e.Name(), ".frame"); ok {
				frames = append(frames, Entry{id, path})
			} else if info, err := e.Info(); err == nil && strings.HasSuffix(path, ".tmp") && time.Since(info.ModTime()) > staleTemp {
				failed = append(failed, s.Quarantine(Entry{Path: path}))
			}
		}
	}
	slices.SortFunc(frames, func(a, b Entry) int { return cmp.Or(cmp.Compare(a.ID, b.ID), cmp.Compare(a.Path, b.Path)) })
	return frames, errors.Join(failed...)
}

// Waiting counts frames up to a bound, at the cost of a look at two or three folders: more than most are
// most+1.
func (s *Spool) Waiting(most int) int {
	n := 0
	for _, dir := range s.paths.Spools() {
		f, err := os.Open(dir)
		if err != nil {
			continue
		}
		names, _ := f.Readdirnames(most + 8) // a quarantine folder and writes under way may be among them
		f.Close()
		for _, name := range names {
			if strings.HasSuffix(name, ".frame") {
				n++
			}
		}
	}
	return min(n, most+1)
}

// Count is the number of waiting frames; folders that cannot be read count nothing.
func (s *Spool) Count() int {
	frames, _ := s.List()
	return len(frames)
}

// Read is the frame of a file. An error that is not fs.ErrNotExist means that the file will never
// be readable, or not now: see [Spool.Quarantine] for the first.
func (s *Spool) Read(e Entry) (wire.Frame, error) {
	file, err := os.Open(e.Path)
	if err != nil {
		return wire.Frame{}, err
	}
	defer file.Close()
	f, err := ReadFrame(file)
	if err == nil && f.ID != e.ID {
		err = fmt.Errorf("%w: file %s holds frame %s", ErrFrame, e.ID, f.ID)
	}
	if err == nil && f.Sum != "" && f.Sum != sumOf(f) {
		err = fmt.Errorf("%w: file %s is not what was written", ErrFrame, e.ID)
	}
	return f, err
}

// sumOf is the digest of a frame as it is spooled: its header without the sum, and its body.
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
		entries, _ := os.ReadDir(filepath.Join(dir, "quarantine")) // usually there is none
		n += len(entries)
	}
	return n
}

// Disk is what the spool changes in the file system. Tests stop it between any two calls. Safe for concurrent use.
type Disk interface {
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

// Files is the file system, the [Disk] of [Open].
type Files struct{}

// MakeDir implements [Disk].
func (Files) MakeDir(_ string, make func() error) error { return make() }

// WriteFile implements [Disk].
func (Files) WriteFile(path string, parts ...[]byte) error {
	file, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_TRUNC, 0o600)
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

// Rename implements [Disk].
func (Files) Rename(from, to string) error { return os.Rename(from, to) }

// SyncDir implements [Disk].
func (Files) SyncDir(dir string) error { return home.SyncDir(dir) }

// Remove implements [Disk].
func (Files) Remove(path string) error {
	if err := os.Remove(path); !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	return nil
}
