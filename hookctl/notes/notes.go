// Package notes is the ledger as files: citations of places in a project's files, NOTES.md and beads as views that are
// written from the ledger and read back (S3). The files belong to the user; only a marked block of them is ours.
package notes

import (
	"errors"
	"fmt"
	"io/fs"
	"path"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"

	"hookline/events"
	"hookline/events/wording"
	"hookline/hookctl/safeopen"
)

// Root is what stands for the top of the work tree in a citation.
const Root = "${PROJECT_ROOT}/"

// maxFile bounds a file that is read.
const maxFile = 16 << 20

// maxQuote bounds a quote that is taken from a file, in characters.
const maxQuote = 200

var (
	place    = regexp.MustCompile(`^\$\{PROJECT_ROOT\}/(.+):(\d{1,7})(?:-(\d{1,7}))?$`)
	citation = regexp.MustCompile("(?:`([^`\n]+)`[ \t]+)?\\[(\\$\\{PROJECT_ROOT\\}/[^]\n]*)\\]")
)

// ParseCitation reads ${PROJECT_ROOT}/path:line[-line], or `quote` [${PROJECT_ROOT}/path:line[-line]] (S3 "Path
// Requirements"). A path that is relative, absolute or leaves the project is refused, and one without a line.
func ParseCitation(text string) (events.Citation, error) {
	quote := ""
	if m := citation.FindStringSubmatch(text); m != nil && strings.TrimSpace(m[0]) == strings.TrimSpace(text) {
		quote, text = m[1], m[2]
	}
	m := place.FindStringSubmatch(text)
	if m == nil {
		return events.Citation{}, fmt.Errorf("%q is no citation: %spath:line or %spath:line-line is wanted", text, Root, Root)
	}
	if clean := path.Clean(m[1]); clean != m[1] || clean == ".." || strings.HasPrefix(clean, "../") || strings.HasPrefix(clean, "/") {
		return events.Citation{}, fmt.Errorf("%q is no citation: its path is not plain", text)
	}

	c := events.Citation{Path: Root + m[1], Quote: quote}
	c.Line, _ = strconv.Atoi(m[2])
	if m[3] != "" {
		c.End, _ = strconv.Atoi(m[3])
	}
	if c.Line < 1 || c.End != 0 && c.End < c.Line {
		return events.Citation{}, fmt.Errorf("%q is no citation: lines count from 1 and a range goes up", text)
	}
	return c, nil
}

// What can be wrong with a citation.
var (
	errOutside = errors.New("the file is outside of the project")
	errNoFile  = errors.New("there is no such file")
	errNoLine  = errors.New("the file has no such line")
	errQuote   = errors.New("the quote is not there")
)

// Cited gives the lines that a citation means, of a file below root; the error says in what it is wrong.
func Cited(root string, c events.Citation) (string, error) {
	lines, err := linesOf(root, strings.TrimPrefix(c.Path, Root))
	if err != nil {
		return "", err
	}
	last := max(c.Line, c.End)
	if c.Line < 1 || last > len(lines) {
		return "", fmt.Errorf("%w: it has %d", errNoLine, len(lines))
	}
	text := strings.Join(lines[c.Line-1:last], "\n")
	if c.Quote != "" && !strings.Contains(wording.Flat(text), wording.Flat(c.Quote)) {
		return text, errQuote
	}
	return text, nil
}

// Quoted is a citation with the text of its first line as the quote, where it has none.
func Quoted(root string, c events.Citation) (events.Citation, error) {
	text, err := Cited(root, c)
	if err == nil && c.Quote == "" {
		first, _, _ := strings.Cut(text, "\n")
		c.Quote = strings.TrimSuffix(wording.Short(first, maxQuote), "…")
	}
	return c, err
}

// linesOf reads a file below root, links followed as long as they stay there.
func linesOf(root, name string) ([]string, error) {
	file, err := filepath.EvalSymlinks(filepath.Join(root, filepath.FromSlash(name)))
	if errors.Is(err, fs.ErrNotExist) {
		return nil, errNoFile
	}
	if err != nil {
		return nil, err
	}
	top, err := filepath.EvalSymlinks(root)
	if err != nil {
		return nil, err
	}
	if file != top && !strings.HasPrefix(file, strings.TrimSuffix(top, string(filepath.Separator))+string(filepath.Separator)) {
		return nil, errOutside
	}

	data, err := safeopen.ReadFile(safeopen.Foreign, file, maxFile)
	if err != nil {
		return nil, err
	}
	return strings.Split(strings.ReplaceAll(strings.TrimSuffix(string(data), "\n"), "\r\n", "\n"), "\n"), nil
}
