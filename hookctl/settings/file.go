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

// A file is one settings file.
type file struct {
	path         string
	beforeRename func() // runs just before the last look at the file; tests write it there
}

func settingsFile(o Options) *file { return &file{path: o.Path(), beforeRename: func() {}} }

// content is a file's bytes, or that there is none.
type content struct {
	exists bool
	data   []byte
}

func (c content) equal(o content) bool { return c.exists == o.exists && bytes.Equal(c.data, o.data) }

// A backup is what was saved before our first edit.
type backup struct{ content }

// document returns the backup parsed, nil if it is of no use: absent, malformed or with
// entries of ours in it.
func (b backup) document() *document {
	if !b.exists {
		return nil
	}
	d, err := parse("", b.data)
	if err != nil || len(d.entries()) > 0 {
		return nil
	}
	return d
}

// A change is the outcome of a plan: the file's next content and what to tell about it.
type change struct {
	next           content
	removed, added int
	foreign        []string
	save           bool // the content of now is an original: back it up
	spent          bool // the backup equals next: drop it
}

// edit reads the file, plans and writes, again if the file changed meanwhile. What says in an error what that was for.
func (f *file) edit(what string, dry bool, plan func(*document, content, backup) (change, error)) (res Result, err error) {
	defer func() {
		if err != nil {
			res, err = Result{}, fmt.Errorf("%s: %w", what, err)
		}
	}()
	for range maxAttempts {
		saved, err := f.readBackup()
		if err != nil {
			return Result{}, err
		}
		t, err := resolve(f.path)
		if err != nil {
			return Result{}, err
		}
		cur, err := read(t.path)
		if err != nil {
			return Result{}, err
		}
		doc, err := parse(f.path, cur.data)
		if err != nil {
			return Result{}, err
		}
		ch, err := plan(doc, cur, saved)
		if err != nil {
			return Result{}, err
		}
		res := f.result(cur, ch)
		if dry {
			res.Diff, err = diff(f.path, cur, ch.next)
			return res, err
		}
		if !res.Changed {
			return res, nil
		}
		if err := f.write(t, cur, ch); !errors.Is(err, errChanged) {
			return res, err
		}
	}
	return Result{}, &FileError{"replace", f.path, ErrBusy, "close the program that is writing it and try again"}
}

func (f *file) result(cur content, ch change) Result {
	res := Result{
		Path: f.path, Changed: !cur.equal(ch.next),
		Removed: ch.removed, Added: ch.added, Foreign: ch.foreign,
	}
	if ch.save {
		res.Backup = f.path + backupSuffix
	}
	return res
}

// write saves the original, then replaces the file. If that fails the backup is taken back, so
// that the next attempt saves what it really replaces.
func (f *file) write(t target, cur content, ch change) error {
	if err := t.prepare(cur); err != nil {
		return err
	}
	if ch.save {
		if err := f.saveBackup(cur.data); err != nil {
			return err
		}
	}
	err := t.replace(cur, ch.next, f.beforeRename)
	replaced := err == nil || errors.Is(err, errNotSynced)
	if (ch.save && !replaced) || (ch.spent && replaced) {
		_ = os.Remove(f.path + backupSuffix) // a leftover equals the file and does no harm
	}
	if err == nil && !ch.next.exists {
		_ = os.Remove(filepath.Dir(f.path)) // where it is empty now, install has probably made it
	}
	return err
}

func (f *file) readBackup() (backup, error) {
	c, err := read(f.path + backupSuffix)
	return backup{c}, err
}

// saveBackup writes the original beside the settings file, or beside the link to it. It may
// hold keys, so no other user can read it. A backup that is there already is of a file that our
// entries went from by another hand: it is kept as ".old", in the place of an older one.
func (f *file) saveBackup(data []byte) error {
	if err := os.Rename(f.path+backupSuffix, f.path+backupSuffix+".old"); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return &FileError{"keep the older backup of", f.path, err, ""}
	}
	t := target{path: f.path + backupSuffix, mode: 0o600}
	return t.replace(content{}, content{exists: true, data: data}, func() {})
}

// read returns a file's content; absence is no error.
func read(path string) (content, error) {
	data, err := safeopen.ReadFile(safeopen.Foreign, path, maxSize)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return content{}, nil
	case errors.Is(err, fs.ErrPermission):
		return content{}, &FileError{"read", path, err, "let yourself read it, for example by `chmod u+r` and its path; nothing was changed"}
	case err != nil:
		return content{}, &FileError{"read", path, err, ""}
	}
	return content{exists: true, data: data}, nil
}

// diff returns the change as a unified diff.
func diff(path string, cur, next content) (string, error) {
	if cur.equal(next) {
		return "", nil
	}
	d := difflib.UnifiedDiff{A: lines(cur.data), B: lines(next.data), FromFile: path, ToFile: path, Context: 3}
	if !cur.exists {
		d.FromFile = os.DevNull
	}
	if !next.exists {
		d.ToFile = os.DevNull
	}
	text, err := difflib.GetUnifiedDiffString(d)
	if err != nil {
		return "", fmt.Errorf("diff of %s: %w", filepath.Base(path), err)
	}
	return text, nil
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
