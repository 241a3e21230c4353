package main

import (
	"regexp"
	"slices"
	"strings"
)

// pathTitles begin the lines that name files.
var pathTitles = []string{"Edited", "Read", "Seen, not opened", "Changed on disk since their last Read or Edit", "Used in this project"}

// more is what stands behind a list of which some was left out.
var more = regexp.MustCompile(`\s*\(\d+ more[^()]*\)`)

// pathsTold returns the files that are named in lists of files.
func pathsTold(root, told string) []string {
	var paths []string
	for line := range strings.SplitSeq(told, "\n") {
		_, list, isList := titled(withoutMarks(line), pathTitles)
		if !isList {
			continue
		}
		for _, entry := range parts(more.ReplaceAllString(list, ""), ';') {
			for _, name := range unfolded(strings.TrimSpace(entry)) {
				name = strings.TrimPrefix(strings.TrimSuffix(name, "."), root+"/")
				if name != "" && !slices.Contains(paths, name) {
					paths = append(paths, name)
				}
			}
		}
	}
	return paths
}

// parts takes a list apart at a sign that stands in no braces. A comma before a blank is part of a name.
func parts(list string, sign byte) []string {
	var out []string
	depth, begin := 0, 0
	for i := range len(list) {
		switch list[i] {
		case '{':
			depth++
		case '}':
			depth--
		case sign:
			inName := sign == ',' && i+1 < len(list) && list[i+1] == ' '
			if depth == 0 && !inName {
				out = append(out, list[begin:i])
				begin = i + 1
			}
		}
	}
	return append(out, list[begin:])
}

// unfolded returns the paths of an entry: dir/{a,b/{c,d}} names three.
func unfolded(entry string) []string {
	open := strings.Index(entry, "{")
	if open < 0 || !strings.HasSuffix(entry, "}") {
		return []string{entry}
	}
	var paths []string
	for _, part := range parts(entry[open+1:len(entry)-1], ',') {
		for _, below := range unfolded(part) {
			paths = append(paths, entry[:open]+below)
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
