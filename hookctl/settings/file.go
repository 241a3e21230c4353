package settings

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/pmezard/go-difflib/difflib"

	"hookline/hookctl/problem"
	"hookline/hookctl/safeopen"
)

const (
	// backupSuffix is added to the name of the settings file.
	backupSuffix = ".hookline-backup"
	// maxSize bounds what is read. Real files have kilobytes.
	maxSize = 16 << 20
	// maxAttempts bounds how often an edit is done again because the file changed meanwhile. The
	// client writes it when the user changes a setting: twice in a row is rare already.
	maxAttempts = 8
)

// content is a file's bytes; nil: there is none.
type content []byte

func (c content) equal(o content) bool { return (c == nil) == (o == nil) && bytes.Equal(c, o) }

// A change is the outcome of a plan: the file's next content and what is reported about it.
type change struct {
	next           content
	removed, added int
	foreign        []string
	save           bool // the content of now is an original: back it up
	spent          bool // the backup equals next: drop it
}

// edit reads the file and its backup, plans and writes, again if the file changed meanwhile.
func (o Options) edit(plan func(doc *document, cur, saved content) (change, error)) (Result, error) {
	path := o.Path()
	if path == "" {
		return Result{}, problem.Faultf("the folder of the %s settings is not known", o.Scope)
	}
	for range maxAttempts {
		saved, err := read(path + backupSuffix)
		if err != nil {
			return Result{}, err
		}
		t, err := resolve(path)
		if err != nil {
			return Result{}, err
		}
		cur, err := read(t.path)
		if err != nil {
			return Result{}, err
		}
		doc, err := parse(path, cur)
		if err != nil {
			return Result{}, err
		}
		ch, err := plan(doc, cur, saved)
		if err != nil {
			return Result{}, err
		}

		res := Result{Path: path, Changed: !cur.equal(ch.next), Removed: ch.removed, Added: ch.added, Foreign: ch.foreign}
		if ch.save {
			res.Backup = path + backupSuffix
		}
		if o.DryRun {
			res.Diff, err = diff(path, cur, ch.next)
			return res, err
		}
		if !res.Changed {
			return res, nil
		}
		if err := o.write(t, cur, ch); !errors.Is(err, errChanged) {
			return res, err
		}
	}
	return Result{}, problem.Faultf("another program keeps writing %s", path).Advise("close the program that is writing it and try again")
}

// errChanged is a file that is no longer what the edit began with.
var errChanged = errors.New("file changed meanwhile")

// write saves the original, then replaces the file. If that fails the backup is taken back, so
// that the next attempt saves what it really replaces. The backup may hold keys, so no other user can read it.
func (o Options) write(t target, cur content, ch change) error {
	if t.info != nil && t.info.Mode().Perm()&0o222 == 0 { // its owner's wish; a rename needs no permission on the file itself
		return problem.Faultf("%s is read-only", t.path).Advise("make the file writable and try again")
	}
	if err := os.MkdirAll(filepath.Dir(t.path), 0o700); err != nil {
		return err
	}
	backup := o.Path() + backupSuffix
	if ch.save {
		if err := safeopen.Replace(backup, cur); err != nil {
			return fmt.Errorf("save the backup: %w", err)
		}
	}
	err := t.replace(cur, ch.next, o.beforeRename)
	if ch.save && err != nil || ch.spent && err == nil {
		_ = os.Remove(backup) // a leftover equals the file and does no harm
	}
	if err != nil {
		return err
	}

	if ch.next == nil {
		_ = os.Remove(filepath.Dir(t.path)) // where it is empty now, install has probably made it
		return nil
	}
	return safeopen.SyncDir(filepath.Dir(t.path))
}

// A target is the file that is really replaced: the settings file, or what it links to.
type target struct {
	path string
	info fs.FileInfo // nil: no file yet
}

// resolve follows symbolic links. One that leads to nothing is refused.
func resolve(path string) (target, error) {
	if _, err := os.Lstat(path); errors.Is(err, fs.ErrNotExist) {
		return target{path: path}, nil
	}
	real, err := filepath.EvalSymlinks(path)
	if err != nil {
		return target{}, problem.Because(err).Advise("a symbolic link that leads to no file: point it to one")
	}
	info, err := os.Stat(real)
	return target{real, info}, err
}

// replace puts next in the place of cur, or removes the file. It returns errChanged, with
// nothing done, if the file is no longer cur.
func (t target) replace(cur, next content, beforeRename func()) error {
	temp := ""
	if next != nil {
		var err error
		if temp, err = safeopen.Beside(t.path, next, t.info, 0o600); err != nil {
			return problem.Because(err).Advise("check the permissions of the folder and the space left; nothing was changed")
		}
		defer func() { _ = os.Remove(temp) }() // gone already after the rename
	}
	if beforeRename != nil {
		beforeRename()
	}
	now, err := read(t.path)
	switch {
	case err != nil:
		return err
	case !now.equal(cur):
		return errChanged
	case next != nil:
		return os.Rename(temp, t.path)
	}
	return os.Remove(t.path)
}

// read returns a file's content; absence is no error.
func read(path string) (content, error) {
	data, err := safeopen.ReadFile(safeopen.Foreign, path, maxSize)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil, nil
	case err != nil:
		return nil, fmt.Errorf("read the settings: %w", err)
	}
	return append(content{}, data...), nil // an empty file is there, too
}

// diff returns the change as a unified diff.
func diff(path string, cur, next content) (string, error) {
	if cur.equal(next) {
		return "", nil
	}
	d := difflib.UnifiedDiff{A: lines(cur), B: lines(next), FromFile: path, ToFile: path, Context: 3}
	if cur == nil {
		d.FromFile = os.DevNull
	}
	if next == nil {
		d.ToFile = os.DevNull
	}
	return difflib.GetUnifiedDiffString(d)
}

// lines splits after line ends; a last line without one says so, as diff does.
func lines(data []byte) []string {
	list := strings.SplitAfter(string(data), "\n")
	last := len(list) - 1
	if list[last] == "" {
		return list[:last]
	}
	list[last] += "\n\\ No newline at end of file\n"
	return list
}
