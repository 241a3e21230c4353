package versions

import (
	"strings"

	"hookline/events"
)

// hunk is one part of the difference that the client computed. In its lines each tab at the beginning of a line is two
// blanks, so the lines say whether a content fits, not what it is.
type hunk struct {
	OldStart int      `json:"oldStart"` // counted from 1
	OldLines int      `json:"oldLines"`
	Lines    []string `json:"lines"` // each behind " ", "-", "+" or "\"
}

// takeEdit takes in replacements in a file.
func (h *History) takeEdit(r events.Record, c call) []Version {
	if c.lost {
		return h.unknown(r, gone)
	}
	edit := editOf(r, c)

	var list []Version
	original := c.Response.Original
	if original == nil {
		original = c.Response.OriginalContents
	}
	if original != nil {
		list = h.found(r, *original)
	} else if h.now.known == Whole && !edit.fits(h.now.text) {
		list = append(list, h.before(step{how: Outside, record: r, next: content{known: Nothing}}))
	}

	since := h.last
	s := h.edited(r, edit)
	s.unseen = original == nil
	v := h.become(s)
	if v.Known == Parts && len(h.now.lines) > 0 { // of which the other lines are from earlier calls
		h.last = since
		return append(list, v)
	}
	return append(list, h.wrote(r, v)...)
}

// edited returns the step that an edit of the content now is.
func (h *History) edited(r events.Record, e edit) step {
	s := step{how: Written, record: r, patch: e.patch}
	switch h.now.known {
	case Whole:
		text, doubt, ok := e.apply(h.now.text)
		if !ok {
			s.next = content{known: Nothing}
			s.doubts = []string{"the client's own difference shows another result than the edit has"}
			return s
		}
		s.next = wholeOf(text)
		if doubt != "" {
			s.doubts = []string{doubt}
		}
	case Parts:
		s.next = h.now
		for _, one := range e.replacements {
			s.next = s.next.replaced(one.Old, one.New, one.All)
		}
	default:
		s.next = content{known: Nothing}
		for _, one := range e.replacements {
			if one.New != "" {
				s.next.known = Parts
				s.next.loose = append(s.next.loose, one.New)
			}
		}
	}
	if n := len(s.next.loose); n > maxLoose {
		s.next.loose = s.next.loose[n-maxLoose:]
	}
	return s
}

// edit is what one call replaced in a file.
type edit struct {
	replacements []events.Replacement
	patch        []hunk
}

// editOf reads an edit. The client's answer says what it really replaced: it compares quotes and escapes in its own way.
func editOf(r events.Record, c call) edit {
	e := edit{patch: c.Response.Patch}
	tool := "MultiEdit"
	if call, ok := r.Event.(*events.ToolSucceeded); ok {
		tool = call.ToolName
	}
	e.replacements = c.input.Replacements(tool)
	if tool == "Edit" && c.Response.OldString != nil && c.Response.NewString != nil {
		e.replacements = []events.Replacement{{
			Old: *c.Response.OldString,
			New: *c.Response.NewString,
			All: c.input.All || c.Response.All,
		}}
	}
	return e
}

// fits reports whether a text can be the file before the edit: it has the replaced texts, and the lines of the difference.
func (e edit) fits(text string) bool {
	if _, ok := e.replaced(text, plainly); !ok {
		return false
	}
	_, ok := patched(e.patch, text)
	return ok
}

// apply returns a text with the edit made; a doubt, "" for none; and false where the client's difference shows another
// result.
func (e edit) apply(text string) (after, doubt string, ok bool) {
	plain, applies := e.replaced(text, plainly)
	if !applies {
		return "", "", false
	}
	withLineEnds, _ := e.replaced(text, withLineEnd)
	if len(e.patch) == 0 {
		if plain != withLineEnds {
			doubt = "the record does not say whether the end of the removed line was removed too"
		}
		return withLineEnds, doubt, true
	}

	want, fits := patched(e.patch, text)
	if !fits {
		return "", "", false
	}
	marked := e.marksLastLine()
	for _, candidate := range []string{plain, withLineEnds} {
		shown := asShown(candidate)
		if shown == want || marked && strings.TrimSuffix(shown, "\n") == strings.TrimSuffix(want, "\n") {
			return candidate, "", true
		}
	}
	if marked || hasLeadingTab(text) || hasLeadingTab(plain) {
		return "", "", false
	}
	return want, "a part is known by the client's own difference alone", true // which is literal without tabs
}

// marksLastLine reports whether the difference says of a last line that it has no end.
func (e edit) marksLastLine() bool {
	for _, h := range e.patch {
		for _, line := range h.Lines {
			if strings.HasPrefix(line, "\\") {
				return true
			}
		}
	}
	return false
}

// manner is how the client replaces a text by nothing.
type manner bool

// The client removes the end of the line too, where that follows a removed text which does not have it.
const (
	plainly     manner = false
	withLineEnd manner = true
)

// replaced returns a text with the replacements made, and false where one of the old texts is not there.
func (e edit) replaced(text string, how manner) (string, bool) {
	for _, r := range e.replacements {
		if !strings.Contains(text, r.Old) {
			return "", false
		}
		old := r.Old
		if how == withLineEnd && r.New == "" && !strings.HasSuffix(old, "\n") && strings.Contains(text, old+"\n") {
			old += "\n"
		}
		n := 1
		if r.All {
			n = -1
		}
		text = strings.Replace(text, old, r.New, n)
	}
	return text, true
}

// patched returns a text, as the client shows it, with a difference applied, and false where the text does not have the
// lines that the difference names.
func patched(patch []hunk, text string) (string, bool) {
	lines := strings.Split(asShown(text), "\n")
	var out []string
	at := 0
	for _, h := range patch {
		from := h.OldStart - 1
		if h.OldLines == 0 {
			from = h.OldStart // behind that line
		}
		if from < at || from > len(lines) {
			return "", false
		}
		out = append(out, lines[at:from]...)
		at = from

		for _, line := range h.Lines {
			if line == "" {
				return "", false
			}
			shown := asShown(line[1:])
			switch line[0] {
			case ' ', '-':
				if at >= len(lines) || lines[at] != shown {
					return "", false
				}
				at++
			}
			if line[0] == ' ' || line[0] == '+' {
				out = append(out, shown)
			}
		}
	}
	return strings.Join(append(out, lines[at:]...), "\n"), true
}

// asShown returns a text as the client shows it in a difference: each tab at the beginning of a line is two blanks.
func asShown(text string) string {
	if !hasLeadingTab(text) {
		return text
	}
	var b strings.Builder
	b.Grow(len(text) + len(text)/8)
	atStart := true
	for i := range len(text) {
		switch {
		case atStart && text[i] == '\t':
			b.WriteString("  ")
			continue
		case text[i] == '\n':
			atStart = true
		default:
			atStart = false
		}
		b.WriteByte(text[i])
	}
	return b.String()
}

// hasLeadingTab reports whether a line of a text begins with a tab.
func hasLeadingTab(text string) bool {
	return strings.HasPrefix(text, "\t") || strings.Contains(text, "\n\t")
}
