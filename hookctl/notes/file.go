package notes

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"strings"

	"hookline/hookctl/safeopen"
)

// The marks around what is ours in a file; in YAML as a comment.
const (
	beginMark = "hookline:begin"
	endMark   = "hookline:end"
)

// maxTries bounds how often an edit begins again because the file changed meanwhile.
const maxTries = 8

// errBusy is a file that changes faster than it can be edited.
var errBusy = errors.New("the file keeps changing: close the program that is writing it")

// Update replaces a file by what next makes of it, nil for a file that is not there, and tells whether it changed. It
// begins again when another process has written meanwhile. A link and another user's file are refused.
func Update(path string, next func(old []byte) ([]byte, error)) (bool, error) {
	for range maxTries {
		old, err := readOwn(path)
		if err != nil {
			return false, err
		}
		data, err := next(old)
		if err != nil || old != nil && bytes.Equal(old, data) {
			return false, err
		}
		done, err := replace(path, old, data)
		if done || err != nil {
			return done, err
		}
	}
	return false, errBusy
}

// readOwn reads the file, nil where there is none.
func readOwn(path string) ([]byte, error) {
	data, err := safeopen.ReadFile(safeopen.Own, path, maxFile)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil, nil
	case err != nil:
		return nil, err
	case data == nil:
		data = []byte{}
	}
	return data, nil
}

// replace puts data in the place of old by a rename; false when the file is no longer old.
func replace(path string, old, data []byte) (bool, error) {
	info, err := os.Lstat(path)
	if err != nil {
		info = nil
	} else if info.Mode().Perm()&0o200 == 0 {
		return false, &fs.PathError{Op: "write", Path: path, Err: fs.ErrPermission}
	}

	temp, err := safeopen.Beside(path, data, info, 0o644) // a new one belongs to the repository like its other files
	if err != nil {
		return false, err
	}
	defer os.Remove(temp) // gone already after the rename

	now, err := readOwn(path)
	if err != nil || (now == nil) != (old == nil) || !bytes.Equal(now, old) {
		return false, err
	}
	return true, os.Rename(temp, path)
}

// putBlock replaces the marked block of a text, or appends it. What is outside of it stays byte for byte; the block has the
// text's own line ends.
func putBlock(old []byte, block string, open, end string) ([]byte, error) {
	text := string(old)
	newline := "\n"
	if first, _, found := strings.Cut(text, "\n"); found && strings.HasSuffix(first, "\r") {
		newline = "\r\n"
	}
	block = strings.ReplaceAll(strings.TrimSuffix(block, "\n"), "\n", newline)
	from, to, err := findBlock(text)
	if err != nil {
		return nil, err
	}
	block = open + newline + block + newline + end
	if from >= 0 {
		return []byte(text[:from] + block + text[to:]), nil
	}

	switch {
	case text == "":
	case !strings.HasSuffix(text, "\n"):
		text += newline + newline
	default:
		text += newline
	}
	return []byte(text + block + newline), nil
}

// findBlock gives where the block begins and ends, from the first mark's line to the end of the last's without its line
// end; -1 for none. Marks that are no pair are an error.
func findBlock(text string) (from, to int, err error) {
	from, to = -1, -1
	at := 0
	for number, line := range strings.SplitAfter(text, "\n") {
		bare := strings.TrimRight(line, "\r\n")
		switch isMark(bare) {
		case beginMark:
			if from >= 0 {
				return 0, 0, fmt.Errorf("line %d: a second %s", number+1, beginMark)
			}
			from = at
		case endMark:
			if from < 0 || to >= 0 {
				return 0, 0, fmt.Errorf("line %d: %s without a %s", number+1, endMark, beginMark)
			}
			to = at + len(bare)
		}
		at += len(line)
	}
	if from >= 0 && to < 0 {
		return 0, 0, fmt.Errorf("%s without a %s", beginMark, endMark)
	}
	return from, to, nil
}

// isMark tells which mark a line is, "" for none.
func isMark(line string) string {
	line = strings.TrimPrefix(strings.TrimPrefix(line, "\ufeff"), "<!-- ")
	line = strings.TrimPrefix(line, "# ")
	for _, mark := range []string{beginMark, endMark} {
		rest, found := strings.CutPrefix(line, mark)
		if found && (rest == "" || strings.HasPrefix(rest, " ")) {
			return mark
		}
	}
	return ""
}
