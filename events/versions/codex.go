package versions

import (
	"slices"
	"strings"

	"hookline/events"
)

// takePatch takes in a patch of any number of files, as Codex makes it.
func (h *History) takePatch(r events.Record, c call) []Version {
	var list []Version
	for _, p := range events.Patch(c.Input, c.Cwd) {
		if !h.means(c.Cwd, p.Path) {
			continue
		}
		switch p.Kind {
		case "add":
			next := wholeOf(p.Added)
			if c.lost {
				next = content{known: Nothing}
			}
			list = append(list, h.wrote(r, h.become(step{how: Written, record: r, next: next}))...)
		case "delete":
			list = append(list, h.deleted(r, "")...)
		case "update":
			list = append(list, h.takeUpdate(r, c, p)...)
		}
	}
	return list
}

// takeUpdate takes in that a patch changed a file, and perhaps moved it here.
func (h *History) takeUpdate(r events.Record, c call, p events.Patched) []Version {
	switch {
	case c.lost:
		return h.unknown(r, gone)
	case p.From != "":
		return h.unknown(r, "moved here from "+events.InFolder(c.Cwd, p.From)+", whose versions have its content")
	}

	s := step{how: Written, record: r, next: looseOf(strings.TrimSuffix(p.Added, "\n"))}
	var list []Version
	if h.now.known == Whole {
		text, ok := changed(h.now.text, p.Changes)
		if ok {
			s.next = wholeOf(text)
			s.unseen = true
		} else {
			list = append(list, h.before(step{how: Outside, record: r, next: content{known: Nothing}}))
		}
	}
	return append(list, h.wrote(r, h.become(s))...)
}

// chunk is one place that a patch changes.
type chunk struct {
	context string // a line before the place, "" for none
	old     []string
	text    []string
	atEnd   bool
}

// chunksOf reads the lines of a patch for one file.
func chunksOf(changes string) []chunk {
	var list []chunk
	for line := range strings.Lines(changes) {
		line = strings.TrimRight(line, "\r\n")
		if context, begins := strings.CutPrefix(line, "@@"); begins {
			list = append(list, chunk{context: strings.TrimSpace(context)})
			continue
		}
		if len(list) == 0 {
			list = append(list, chunk{})
		}

		last := &list[len(list)-1]
		switch {
		case line == "*** End of File":
			last.atEnd = true
		case line == "":
			last.old = append(last.old, "")
			last.text = append(last.text, "")
		case line[0] == ' ':
			last.old = append(last.old, line[1:])
			last.text = append(last.text, line[1:])
		case line[0] == '-':
			last.old = append(last.old, line[1:])
		case line[0] == '+':
			last.text = append(last.text, line[1:])
		}
	}
	return list
}

// changed returns a text with a patch applied, and false where its lines do not stand in the text as they are, or where
// it does not say where they belong. Codex ends each file with a line end.
func changed(text, changes string) (string, bool) {
	lines := strings.Split(strings.TrimSuffix(text, "\n"), "\n")
	at := 0
	for _, c := range chunksOf(changes) {
		if c.context != "" {
			isContext := func(line string) bool { return strings.TrimSpace(line) == c.context }
			found := slices.IndexFunc(lines[at:], isContext)
			if found < 0 {
				return "", false
			}
			at += found + 1
		}

		place := indexOf(lines, c.old, at)
		if c.atEnd {
			place = len(lines) - len(c.old)
			if place < at || !slices.Equal(lines[place:], c.old) {
				return "", false
			}
		}
		if place < 0 {
			return "", false
		}
		lines = slices.Replace(slices.Clone(lines), place, place+len(c.old), c.text...)
		at = place + len(c.text)
	}
	return strings.Join(lines, "\n") + "\n", true
}

// indexOf returns the place of lines among others from a place on, -1 where they are not there or are none.
func indexOf(lines, part []string, from int) int {
	if len(part) == 0 {
		return -1
	}
	for i := from; i+len(part) <= len(lines); i++ {
		if slices.Equal(lines[i:i+len(part)], part) {
			return i
		}
	}
	return -1
}
