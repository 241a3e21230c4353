package settings

import (
	"bytes"
	"strings"
)

// insert returns the file with the entries after what each event has already. New events go
// after the others, in the order of the entries.
func (d *document) insert(list []entry) []byte {
	var e edits
	s := d.style()
	root := s.level(d.root, level{multi: true})
	if d.hooks == nil {
		s.add(&e, d.body, d.root, root, "", []string{s.member(hooksNode(list), root)})
		return d.bytes(e.apply(d.body))
	}
	hooks := s.level(*d.hooks, root)
	var fresh []entry
	for _, group := range byEvent(list) {
		ev := d.event(group[0].event)
		if ev == nil {
			fresh = append(fresh, group...)
			continue
		}
		lv := s.level(ev.array, hooks)
		var texts []string
		for _, x := range group {
			texts = append(texts, s.render(x.node(), lv))
		}
		s.add(&e, d.body, ev.array, lv, hooks.indent, texts)
	}
	if len(fresh) > 0 {
		var texts []string
		for _, m := range hooksNode(fresh).value.(object) {
			texts = append(texts, s.member(m, hooks))
		}
		s.add(&e, d.body, *d.hooks, hooks, root.indent, texts)
	}
	return d.bytes(e.apply(d.body))
}

// event returns the member of that name, nil if there is none.
func (d *document) event(name string) *event {
	for i := range d.events {
		if d.events[i].name == name {
			return &d.events[i]
		}
	}
	return nil
}

// byEvent groups entries, keeping the order in which events come first.
func byEvent(list []entry) [][]entry {
	var groups [][]entry
	at := map[string]int{}
	for _, x := range list {
		i, ok := at[x.event]
		if !ok {
			i = len(groups)
			at[x.event] = i
			groups = append(groups, nil)
		}
		groups[i] = append(groups[i], x)
	}
	return groups
}

// hooksNode returns the "hooks" member that holds the entries.
func hooksNode(list []entry) member {
	var events object
	for _, group := range byEvent(list) {
		var nodes array
		for _, x := range group {
			nodes = append(nodes, x.node())
		}
		events = append(events, member{group[0].event, nodes})
	}
	return member{"hooks", events}
}

// A style is how the file is written, so that what we add looks the same.
type style struct {
	nl    string // line end
	unit  string // one level of indentation
	space string // after a colon, and after a comma on one line
}

// A level is how the items of one container are written.
type level struct {
	multi  bool   // each on a line of its own
	indent string // before each, if so
}

// style reads the first member: its indentation, and the space after its colon. An empty
// file tells nothing; it gets two spaces, as the client writes.
func (d *document) style() style {
	s := style{nl: newline(d.body), unit: "  ", space: " "}
	if len(d.root.items) == 0 {
		return s
	}
	first := d.root.items[0]
	if lv := levelOf(first); lv.multi {
		s.unit = lv.indent
	}
	name := skipString(d.body, first.start) + 1
	rest := d.body[name:first.end]
	if i := bytes.IndexByte(rest, ':'); i >= 0 && i+1 < len(rest) && !bytes.ContainsRune([]byte(" \t\r\n"), rune(rest[i+1])) {
		s.space = ""
	}
	return s
}

// newline returns the line end that the file uses first.
func newline(body []byte) string {
	if i := bytes.IndexByte(body, '\n'); i > 0 && body[i-1] == '\r' {
		return "\r\n"
	}
	return "\n"
}

// level follows the last item of a container, since new ones come after it; an empty one is
// written like its parent, one step in.
func (s style) level(c container, parent level) level {
	if n := len(c.items); n > 0 {
		lv := levelOf(c.items[n-1])
		if !lv.multi {
			lv.indent = parent.indent + s.unit // in case a comment forces a line
		}
		return lv
	}
	return level{multi: parent.multi, indent: parent.indent + s.unit}
}

func levelOf(i item) level {
	at := bytes.LastIndexByte(i.before, '\n')
	if at < 0 {
		return level{}
	}
	line := i.before[at+1:]
	return level{multi: true, indent: string(line[:len(line)-len(bytes.TrimLeft(line, " \t"))])}
}

// add puts rendered items behind those of a container. closing is the indentation of the line
// with its closing sign, used where the container had nothing in it.
func (s style) add(e *edits, body []byte, c container, lv level, closing string, texts []string) {
	tail := c.start + 1
	if n := len(c.items); n > 0 {
		tail = c.items[n-1].end
	}
	extra := body[tail : c.end-1]
	kept := bytes.TrimRight(extra, " \t\r\n")
	if endsInLineComment(kept) {
		lv.multi = true // on the same line it would be part of the comment
	}
	first, between, last := s.space, s.space, ""
	if lv.multi {
		first, between = s.nl+lv.indent, s.nl+lv.indent
	}
	at := tail + len(kept)
	to := at
	switch {
	case len(c.items) > 0 && c.trailing:
		last = ","
	case len(c.items) > 0:
		e.replace(tail, tail, ",")
	case lv.multi:
		to, last = c.end-1, s.nl+closing
	default:
		to, first = c.end-1, ""
	}
	e.replace(at, to, first+strings.Join(texts, ","+between)+last)
}
