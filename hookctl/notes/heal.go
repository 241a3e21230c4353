package notes

import (
	"bytes"
	"errors"
	"fmt"
	"strings"

	"hookline/projector/ledger"
)

// Damage is what is wrong with NOTES.md, "" for nothing; an error means that it cannot be repaired.
func Damage(file string) (string, error) {
	data, err := readOwn(file)
	damage := damageOf(data)
	if err == nil && damage != "" && len(bytes.TrimSpace(data)) > 0 {
		err = fmt.Errorf("%s: %s; %w", file, damage, errMarks)
	}
	return damage, err
}

func damageOf(data []byte) string {
	_, _, err := findBlock(string(data))
	switch {
	case data == nil:
		return "missing"
	case len(bytes.TrimSpace(data)) == 0:
		return "empty"
	case err != nil:
		return err.Error()
	}
	return ""
}

// errMarks is damage that only the user can mend: what belongs to the block is not known.
var errMarks = errors.New("its marks are no pair: mend them by hand")

// Heal writes a missing or empty NOTES.md anew, in this order: from the ledger, with the user's own text as committed
// has it; as committed; from a template. It gives the one that served.
func Heal(file string, s ledger.State, now Active, committed []byte) (from string, err error) {
	_, err = Update(file, func(old []byte) ([]byte, error) {
		switch {
		case damageOf(old) == "":
			return old, nil
		case len(bytes.TrimSpace(old)) > 0:
			return nil, errMarks
		}
		if damageOf(committed) != "" {
			committed = nil
		}
		switch {
		case len(s.Entries) > 0:
			from = "log"
		case committed != nil:
			from = "git"
			return committed, nil
		default:
			from = "template"
			return Markdown([]byte("# Notes\n"), s, now)
		}
		return Markdown(committed, s, now)
	})
	return from, err
}

// Sections are the headings of a document, those of single decisions apart.
func Sections(data []byte) []string {
	list := []string{}
	for _, line := range strings.Split(string(data), "\n") {
		if m := heading.FindStringSubmatch(strings.TrimRight(line, "\r")); m != nil && headOfOne.FindStringSubmatch(m[1]) == nil {
			list = append(list, m[1])
		}
	}
	return list
}

// BlockLines gives the first and last line of the marked block, 0 where there is none.
func BlockLines(data []byte) (first, last int) {
	from, to, err := findBlock(string(data))
	if err != nil || from < 0 {
		return 0, 0
	}
	first = 1 + bytes.Count(data[:from], []byte("\n"))
	return first, first + bytes.Count(data[from:to], []byte("\n"))
}
