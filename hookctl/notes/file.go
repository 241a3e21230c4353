package notes

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"regexp"
	"strings"

	"hookline/hookctl/safeopen"
)

// The marks around what is ours in a file; in YAML as a comment.
const (
	beginMark = "hookline:begin"
	endMark   = "hookline:end"
)

// mark finds a line that is a mark.
var mark = regexp.MustCompile(`^\x{FEFF}?(?:<!-- |# )?(` + beginMark + `|` + endMark + `)(?: .*)?$`)

// errBusy is a file that another process writes.
var errBusy = errors.New("the file was changed meanwhile: call it again")

// Update replaces a file by what next makes of it, nil for a file that is not there, and says whether it changed. A link,
// another user's file, and one that another process has written meanwhile are refused.
func Update(path string, next func(old []byte) ([]byte, error)) (bool, error) {
	old, err := readOwn(path)
	if err != nil {
		return false, err
	}
	data, err := next(old)
	if err != nil || old != nil && bytes.Equal(old, data) {
		return false, err
	}

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
	if err == nil && ((now == nil) != (old == nil) || !bytes.Equal(now, old)) {
		err = errBusy
	}
	if err != nil {
		return false, err
	}
	return true, os.Rename(temp, path)
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

// putBlock replaces the marked block of a text, or appends it. What is outside of it stays byte for byte.
func putBlock(old []byte, block string, open, end string) ([]byte, error) {
	text := string(old)
	from, to, err := findBlock(text)
	if err != nil {
		return nil, err
	}
	block = open + "\n" + strings.TrimSuffix(block, "\n") + "\n" + end
	if from >= 0 {
		return []byte(text[:from] + block + text[to:]), nil
	}

	if text != "" {
		text = strings.TrimSuffix(text, "\n") + "\n\n"
	}
	return []byte(text + block + "\n"), nil
}

// findBlock gives where the block begins and ends, from the first mark's line to the end of the last's without its line
// end; -1 for none. Marks that are no pair are an error.
func findBlock(text string) (from, to int, err error) {
	from, to = -1, -1
	at := 0
	for number, line := range strings.SplitAfter(text, "\n") {
		bare := strings.TrimRight(line, "\r\n")
		found := mark.FindStringSubmatch(bare)
		switch {
		case found == nil:
		case found[1] == beginMark:
			if from >= 0 {
				return 0, 0, fmt.Errorf("line %d: a second %s", number+1, beginMark)
			}
			from = at
		default:
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
