package versions

import (
	"maps"
	"slices"
	"strings"

	"hookline/events"
)

// Bounds of what is kept of a content that is known in parts.
const (
	maxLines = 200_000 // that are kept by their number
	maxLoose = 20      // texts whose place is unknown, the newest
)

// content is what is known of a file at a moment.
type content struct {
	known Known
	text  string // with Whole

	// With Parts: lines by their number, counted from 1 as all lines of the file are, and texts whose place is unknown.
	lines map[int]string
	total int // lines of the file, the empty one behind the last "\n" counted; 0 where that is unknown
	loose []string
}

func wholeOf(text string) content { return content{known: Whole, text: text} }

// looseOf returns a content of which only a text is known, not its place.
func looseOf(text string) content {
	if text == "" {
		return content{known: Nothing}
	}
	return content{known: Parts, loose: []string{text}}
}

// same reports whether two contents are known as a whole and are the same, but for what a redaction replaced in one of them.
func (c content) same(other content) bool {
	return c.known == Whole && other.known == Whole && sameText(c.text, other.text)
}

// agrees reports whether a text can be the content as far as that is known in parts.
func (c content) agrees(text string) bool {
	switch c.known {
	case Nothing:
		return true
	case Whole:
		return sameText(c.text, text)
	case Absent:
		return false
	}

	lines := strings.Split(text, "\n")
	if c.total != 0 && c.total != len(lines) {
		return false
	}
	for number, line := range c.lines {
		if number > len(lines) || !sameText(lines[number-1], line) {
			return false
		}
	}
	for _, loose := range c.loose {
		if !strings.Contains(text, loose) {
			return false
		}
	}
	return true
}

// lineCount returns the number of lines, 0 where it is unknown.
func (c content) lineCount() int {
	switch {
	case c.known == Whole:
		return countLines(c.text)
	case c.known == Parts && c.total > 0:
		last, is := c.lines[c.total]
		switch {
		case is && last == "":
			return c.total - 1
		case is:
			return c.total
		}
	}
	return 0
}

// countLines returns the number of lines of a text; the text behind the last "\n" is one where there is some.
func countLines(text string) int {
	n := strings.Count(text, "\n")
	if text != "" && !strings.HasSuffix(text, "\n") {
		n++
	}
	return n
}

// pieces returns what is known in parts, the lines in runs.
func (c content) pieces() []Part {
	if c.known != Parts {
		return nil
	}

	var list []Part
	for _, run := range c.runs() {
		list = append(list, Part{Line: run.from, Text: strings.Join(run.lines, "\n")})
	}
	for _, text := range c.loose {
		list = append(list, Part{Text: text})
	}
	return list
}

// run is known lines side by side.
type run struct {
	from  int
	lines []string
}

// runs returns the known lines in their order.
func (c content) runs() []run {
	var list []run
	for _, number := range slices.Sorted(maps.Keys(c.lines)) {
		last := len(list) - 1
		if last < 0 || list[last].from+len(list[last].lines) != number {
			list = append(list, run{from: number})
			last++
		}
		list[last].lines = append(list[last].lines, c.lines[number])
	}
	return list
}

// withLines returns the content with lines that were read from a file of so many lines. It returns false where they
// contradict what is known: then only the lines are known.
func (c content) withLines(from int, lines []string, total int) (content, bool) {
	next := content{known: Parts, lines: map[int]string{}, total: total}
	agrees := c.known == Parts || c.known == Nothing
	if c.known == Parts {
		agrees = c.total == 0 || c.total == total
		for i, line := range lines {
			had, is := c.lines[from+i]
			agrees = agrees && (!is || sameText(had, line))
		}
	}
	if agrees {
		maps.Copy(next.lines, c.lines)
		next.loose = c.loose
	}

	for i, line := range lines {
		if len(next.lines) < maxLines {
			next.lines[from+i] = line
		}
	}
	if len(next.lines) == total {
		return wholeOf(strings.Join(next.runs()[0].lines, "\n")), agrees
	}
	return next, agrees
}

// holds reports whether a content that is known as a whole has these lines at this place, and so many in all.
func (c content) holds(from int, lines []string, total int) bool {
	all := strings.Split(c.text, "\n")
	if len(all) != total || from < 1 || from-1+len(lines) > len(all) {
		return false
	}
	for i, line := range lines {
		if !sameText(all[from-1+i], line) {
			return false
		}
	}
	return true
}

// replaced returns the content, known in parts, after an edit of it. Where the place of the old text is not among the known
// lines, the lines' numbers are unknown afterwards; what is left is the new text.
func (c content) replaced(old, text string, all bool) content {
	if all || old == "" {
		return looseOf(text)
	}
	for _, run := range c.runs() {
		whole := strings.Join(run.lines, "\n")
		if strings.Count(whole, old) != 1 {
			continue
		}
		return c.withRun(run, strings.Split(strings.Replace(whole, old, text, 1), "\n"))
	}

	next := looseOf(text)
	for i, loose := range c.loose {
		if strings.Count(loose, old) == 1 {
			next = content{known: Parts, loose: slices.Clone(c.loose)}
			next.loose[i] = strings.Replace(loose, old, text, 1)
			return next
		}
	}
	return next
}

// withRun returns the content with other lines in the place of a run; those behind it move.
func (c content) withRun(r run, lines []string) content {
	moved := len(lines) - len(r.lines)
	next := content{known: Parts, lines: map[int]string{}, loose: c.loose}
	if c.total > 0 {
		next.total = c.total + moved
	}
	for number, line := range c.lines {
		switch {
		case number < r.from:
			next.lines[number] = line
		case number >= r.from+len(r.lines):
			next.lines[number+moved] = line
		}
	}
	for i, line := range lines {
		next.lines[r.from+i] = line
	}
	return next
}

// hasMarkers reports whether a content has the marker of a redaction.
func (c content) hasMarkers() bool {
	if strings.Contains(c.text, marker) || slices.ContainsFunc(c.loose, containsMarker) {
		return true
	}
	for _, line := range c.lines {
		if containsMarker(line) {
			return true
		}
	}
	return false
}

// marker begins what stands in the place of a secret: [REDACTED:kind].
const marker = "[REDACTED:"

func containsMarker(text string) bool { return strings.Contains(text, marker) }

// maxMarkers bounds the markers of two texts that are compared.
const maxMarkers = 1000

// sameText reports whether two texts are the same, but for secrets that were replaced in one of them: rules of redaction
// change, and some look at what stands around a secret.
func sameText(a, b string) bool {
	if a == b {
		return true
	}
	if strings.Count(a, marker) < strings.Count(b, marker) {
		a, b = b, a
	}
	n := strings.Count(a, marker)
	if n == 0 || n > maxMarkers {
		return false
	}
	return fits(a, b)
}

// fits reports whether a text is another one in which each marker stands for anything within a line.
func fits(pattern, text string) bool {
	first, rest, _ := strings.Cut(pattern, marker)
	text, ok := strings.CutPrefix(text, first)
	if !ok {
		return false
	}
	for {
		_, rest, ok = strings.Cut(rest, "]")
		if !ok {
			return false
		}

		literal, after, more := strings.Cut(rest, marker)
		if !more {
			secret, ends := strings.CutSuffix(text, literal)
			return ends && !strings.Contains(secret, "\n")
		}
		at := strings.Index(text, literal)
		if at < 0 || strings.Contains(text[:at], "\n") {
			return false
		}
		text = text[at+len(literal):]
		rest = after
	}
}

// countTo returns how many lines another content has that this one has not, and the other way round; false where that
// is unknown. Where both are known they are compared, else the client's own difference is counted.
func (c content) countTo(next content, patch []hunk) (added, removed int, known bool) {
	isKnown := func(c content) bool { return c.known == Whole || c.known == Absent }
	if isKnown(c) && isKnown(next) {
		added, removed = countLinesOnlyIn(c.text, next.text)
		return added, removed, true
	}
	for _, h := range patch {
		for _, line := range h.Lines {
			switch {
			case strings.HasPrefix(line, "+"):
				added++
			case strings.HasPrefix(line, "-"):
				removed++
			}
		}
	}
	return added, removed, len(patch) > 0
}

// countLinesOnlyIn returns the number of lines that one text has and the other has not. A line that only moved is in both.
func countLinesOnlyIn(before, after string) (added, removed int) {
	counts := map[string]int{}
	for line := range strings.Lines(after) {
		counts[line]++
	}
	for line := range strings.Lines(before) {
		counts[line]--
	}
	for _, n := range counts {
		added += max(0, n)
		removed += max(0, -n)
	}
	return added, removed
}

// maxKept bounds the contents that are kept for a restored one, in bytes.
const maxKept = 64 << 20

// store keeps contents by their digest, the newest: a restored content stands in an earlier record.
type store struct {
	texts map[string]string
	order []string
	size  int
}

// keep keeps a content that is known as a whole.
func (s *store) keep(c content) {
	if c.known != Whole || len(c.text) > maxKept {
		return
	}
	digest := events.Digest([]byte(c.text))
	if _, is := s.texts[digest]; is {
		return
	}
	if s.texts == nil {
		s.texts = map[string]string{}
	}
	s.texts[digest] = c.text
	s.order = append(s.order, digest)
	s.size += len(c.text)

	for s.size > maxKept {
		s.size -= len(s.texts[s.order[0]])
		delete(s.texts, s.order[0])
		s.order = s.order[1:]
	}
}
