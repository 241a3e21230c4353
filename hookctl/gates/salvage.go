package gates

import (
	"bytes"
	"errors"
	"regexp"
	"strings"
)

// layer reads one file. Where it is no YAML, what can be told apart by its indentation is read piece by piece, so
// that one stray quote does not open every gate.
func (l *loader) layer(path string, data []byte) *node {
	data = bytes.TrimPrefix(data, []byte("\ufeff")) // Windows editors begin a file with it
	root, err := parse(path, data, l.duplicate)
	if err != nil {
		return l.clean(path, l.salvage(path, data, err))
	}
	return l.clean(path, root)
}

func (l *loader) duplicate(at place, message string) { l.warn(at, "", message, "remove one of them") }

var (
	topKey   = regexp.MustCompile(`^["']?[A-Za-z_<][\w.\- ]*["']?\s*:(\s|$)`)
	entryKey = regexp.MustCompile(`^\s+["']?[^\s"'#:-][^:]*["']?\s*:(\s|$)`)
)

// piece is a run of lines that means something by itself: a top-level key, or one entry of `requirements`.
type piece struct {
	name        string
	first, last int  // lines, from 0, last excluded
	entry       bool // it stands under `requirements`
}

// maxSalvage bounds what salvage parses in all, in bytes: each piece is parsed in a file of the same length. A broken
// file of 20 KiB with 100 requirements is half of it.
const maxSalvage = 4 << 20

// salvage parses the pieces of a broken file, each with all other lines blank so that places stay true. What cannot
// be parsed alone is left out and named; the file's own error is told only when every piece is fine by itself.
func (l *loader) salvage(path string, data []byte, cause error) *node {
	lines := strings.Split(string(data), "\n")
	pieces := split(lines)
	if len(pieces)*len(data) > maxSalvage {
		l.fault(path, "", cause)
		return nil
	}
	var root *node
	broken := 0
	for _, p := range pieces {
		n, err := parse(path, p.alone(lines), nil)
		if err == nil && n != nil && n.kind != "dict" {
			err = &fault{n.at, "no `key: value`"}
		}
		if err != nil {
			broken++
			l.fault(path, p.name, err)
			continue
		}
		root = merge(root, n)
	}
	if broken == 0 {
		l.fault(path, "", cause)
	}
	return root
}

// fault is the problem of a piece that is no YAML.
func (l *loader) fault(path, name string, err error) {
	p := Problem{File: path, Requirement: name, Message: err.Error()}
	var f *fault
	if errors.As(err, &f) {
		p.Line, p.Column = f.at.line, f.at.column
	}
	p.Hint = "this part is left out until it is valid YAML"
	l.add(p)
}

// split cuts a file at its top-level keys, and `requirements` at its entries.
func split(lines []string) (pieces []piece) {
	inside, indent := false, 0
	for i, line := range lines {
		trimmed := strings.TrimLeft(line, " ")
		deep := len(line) - len(trimmed)
		switch {
		case strings.TrimSpace(line) == "" || strings.HasPrefix(trimmed, "#"):
		case deep == 0 && topKey.MatchString(line):
			inside, indent = strings.HasPrefix(line, "requirements:") && blankAfter(line), 0
			if !inside {
				pieces = append(pieces, piece{first: i, last: i + 1})
			}
			continue
		case deep == 0 && inside:
			pieces = append(pieces, piece{first: i, last: i + 1}) // a stray line; the entries go on behind it
			continue
		case inside && (indent == 0 || deep <= indent) && entryKey.MatchString(line):
			indent = deep
			name := strings.Trim(strings.TrimSpace(line[:strings.Index(line, ":")]), `"'`)
			pieces = append(pieces, piece{name: name, first: i, last: i + 1, entry: true})
			continue
		}
		if n := len(pieces) - 1; n >= 0 && pieces[n].last == i {
			pieces[n].last = i + 1
		}
	}
	return pieces
}

// blankAfter says whether a line has nothing but a remark behind its key.
func blankAfter(line string) bool {
	_, rest, _ := strings.Cut(line, ":")
	rest = strings.TrimSpace(rest)
	return rest == "" || strings.HasPrefix(rest, "#")
}

// alone is the file with every line blank but the piece's, and `requirements:` in the line above an entry.
func (p piece) alone(lines []string) []byte {
	above := strings.Repeat("\n", p.first)
	if p.entry { // which stands below the line of `requirements:`
		above = above[1:] + "requirements:\n"
	}
	return []byte(above + strings.Join(lines[p.first:p.last], "\n") + "\n")
}
