package main

import (
	"regexp"
	"slices"
	"strings"
)

// pathTitles begin the lines that name files.
var pathTitles = []string{"Edited", "Read", "Seen, not opened", "Changed on disk since you saw them", "Used in this project"}

// more is what stands behind a list of which some was left out, and what a path is said to be.
var more = regexp.MustCompile(`\s*\([^()]*\)`)

// pathsTold returns the files that are named in lists of files.
func pathsTold(told text) []string {
	var paths []string
	for _, line := range strings.Split(string(told), "\n") {
		_, list, isList := titled(withoutMarks(line), pathTitles)
		if !isList {
			continue
		}
		list = more.ReplaceAllString(list, "")
		for _, name := range strings.FieldsFunc(list, func(r rune) bool { return r == ';' || r == ',' }) {
			name = strings.TrimSuffix(strings.TrimSpace(name), ".")
			if name != "" && !slices.Contains(paths, name) {
				paths = append(paths, name)
			}
		}
	}
	return paths
}

// Marks before a line.
var (
	phaseMark = regexp.MustCompile(`^\[PHASE: \w+\] `)
	fromMark  = regexp.MustCompile(`^From (headless )?session \w+, [^.]* ago(, in \S+)?\. `)
)

// withoutMarks returns a line without what says where it comes from.
func withoutMarks(line string) string {
	return fromMark.ReplaceAllString(phaseMark.ReplaceAllString(line, ""), "")
}

// titled takes a line apart that begins with one of some titles.
func titled(line string, titles []string) (title, rest string, ok bool) {
	for _, t := range titles {
		if rest, ok := strings.CutPrefix(line, t+": "); ok {
			return t, rest, true
		}
	}
	return "", "", false
}
