package settings

import (
	"bytes"
	"encoding/json"
	"slices"
	"strings"

	"github.com/tailscale/hujson"
)

// An edit puts a text in the place of the bytes from one offset of the body up to another.
type edit struct {
	from, to int
	text     string
	line     bool // it takes away the end of a line comment's line
}

// edited returns the file with the edits made. They do not overlap; those at one place stay in their order.
func (d *document) edited(list []edit) []byte {
	slices.SortStableFunc(list, func(a, b edit) int { return a.from - b.from })
	var out []byte
	if d.bom {
		out = append(out, bom...)
	}
	at, comment := 0, -1 // where a line comment waits for the end of its line
	keep := func(text []byte) {
		if next := bytes.TrimLeft(text, " \t\r"); comment >= 0 && len(next) > 0 {
			if next[0] != '\n' {
				out = slices.Insert(out, comment, []byte(newline(d.body))...)
			}
			comment = -1
		}
		out = append(out, text...)
	}
	for _, e := range list {
		keep(d.body[at:e.from])
		keep([]byte(e.text))
		if at = e.to; e.line {
			comment = len(out)
		}
	}
	keep(d.body[at:])
	return out
}

// A container is an object or an array of the file by its offsets.
type container struct {
	items    []item
	rest     int  // behind the last item and its comma
	end      int  // of its closing sign
	trailing bool // a comma follows the last item
}

// An item is a member or an element.
type item struct {
	from       int // behind the sign before it: the opening sign or a comma
	start, end int // of the item itself
	comma      int // of the comma behind it; end, where there is none
}

func containerOf(v hujson.Value) container {
	c := container{rest: v.StartOffset + 1, end: v.EndOffset - 1}
	add := func(first, last hujson.Value) {
		next := item{c.rest, first.StartOffset, last.EndOffset, last.EndOffset + len(last.AfterExtra)}
		c.trailing = last.AfterExtra != nil // of the last item, by the parser's rule
		c.items, c.rest = append(c.items, next), next.comma+1
	}
	switch t := v.Value.(type) {
	case *hujson.Object:
		for _, m := range t.Members {
			add(m.Name, m.Value)
		}
	case *hujson.Array:
		for _, e := range t.Elements {
			add(e, e)
		}
	}
	if len(c.items) > 0 && !c.trailing {
		c.rest--
	}
	return c
}

// commented tells whether there is a comment among the items of a container (one inside
// an item does not count).
func (d *document) commented(c container) bool {
	for _, i := range c.items {
		if hasComment(d.body[i.from:i.start]) || hasComment(d.body[i.end:i.comma]) {
			return true
		}
	}
	return hasComment(d.body[c.rest:c.end])
}

func hasComment(extra []byte) bool { return len(bytes.TrimSpace(extra)) > 0 }

// endsInLineComment tells whether text after this, white space and comments, would be part of a comment. A block comment
// with // in its last line is taken for one, which costs no more than a line end.
func endsInLineComment(extra []byte) bool {
	return bytes.Contains(extra[bytes.LastIndexByte(extra, '\n')+1:], []byte("//"))
}

// cut removes items with the white space before them and one comma each. Comments beside them
// stay. With everything gone and no comment left, white space goes too.
func (d *document) cut(v hujson.Value, gone []int) []edit {
	c := containerOf(v)
	if isAll(gone, len(c.items)) && !d.commented(c) {
		return []edit{{from: c.items[0].from, to: c.end}}
	}
	tail := len(c.items) // from here on all go, and no comma follows them
	for !c.trailing && slices.Contains(gone, tail-1) {
		tail--
	}
	var list []edit
	for _, i := range gone {
		it := c.items[i]
		comments := bytes.TrimRight(d.body[it.from:it.start], " \t\r\n")
		switch {
		case i < tail:
			list = append(list, edit{from: it.comma, to: it.comma + 1})
		case i > 0:
			list = append(list, edit{from: it.from - 1, to: it.from})
		}
		list = append(list, edit{from: it.from + len(comments), to: it.end, line: endsInLineComment(comments)})
	}
	return list
}

// isAll tells whether these are all the items of a container, and at least one.
func isAll(gone []int, items int) bool { return len(gone) > 0 && len(gone) == items }

// cutOurs cuts our entries out. A container that this leaves empty is cut out as well, unless
// it has a comment in it or the file had it before (was; nil: unknown, so it is taken for ours).
func (d *document) cutOurs(was *document) []byte {
	if d.hooks == nil {
		return d.edited(nil)
	}
	var list []edit
	var gone []int
	for i, ev := range d.events {
		inside, ours := d.cutHandlers(ev)
		made := was == nil || was.event(ev.name) == nil
		if made && isAll(ours, len(ev.entries)) && !d.commentedMember(ev.member) {
			gone = append(gone, i)
			continue
		}
		list = slices.Concat(list, inside, d.cut(ev.member.Value, ours))
	}

	at := memberAt(d.root, "hooks")
	made := was == nil || was.hooks == nil
	if made && isAll(gone, len(d.events)) && !d.commentedMember(d.root.Value.(*hujson.Object).Members[at]) {
		return d.edited(d.cut(d.root, []int{at}))
	}
	return d.edited(append(list, d.cut(*d.hooks, gone)...))
}

// cutHandlers cuts our handlers out of entries that have foreign ones too, and returns the
// entries that have only ours.
func (d *document) cutHandlers(ev event) (list []edit, whole []int) {
	for i, v := range ev.entries {
		handlers := handlersOf(v)
		var ours []int
		for j, h := range handlers {
			if _, is := asEntry(ev.name, v, h); is {
				ours = append(ours, j)
			}
		}
		if isAll(ours, len(handlers)) {
			whole = append(whole, i)
		} else if len(ours) > 0 {
			list = append(list, d.cut(*valueOf(v, "hooks"), ours)...)
		}
	}
	return list, whole
}

// commentedMember tells whether a member has a comment of its own: before its value, which is a
// container, or among the container's items.
func (d *document) commentedMember(m hujson.ObjectMember) bool {
	return hasComment(m.Name.AfterExtra) || hasComment(m.Value.BeforeExtra) || d.commented(containerOf(m.Value))
}

// original returns what the file was, or would be, without our entries; the package comment
// says how it is found. It need not have existed.
func (d *document) original(saved backup) content {
	list := d.entries()
	cur := d.edited(nil)
	if len(list) == 0 {
		return content{exists: true, data: cur}
	}
	was := saved.document()
	if was != nil && bytes.Equal(was.insert(list), cur) {
		return content{exists: true, data: saved.data}
	}
	empty, _ := parse(d.path, nil) // no text is always understood
	if bytes.Equal(empty.insert(list), cur) {
		return content{}
	}
	left := d.cutOurs(was)
	if rest, err := parse(d.path, left); err == nil && !saved.exists && string(bytes.Join(bytes.Fields(rest.body), nil)) == "{}" { // not even a comment
		return content{}
	}
	return content{exists: true, data: left}
}

// insert returns the file with the entries after what each event has already. New events go
// after the others, in the order of the entries.
func (d *document) insert(list []entry) []byte {
	s := d.style()
	root := d.level(s, d.root, level{multi: true})
	if d.hooks == nil {
		next, _ := parse(d.path, d.edited(d.add(s, d.root, root, "", s.member("hooks", struct{}{}, root)))) // which is valid
		return next.insert(list)
	}

	hooks := d.level(s, *d.hooks, root)
	var all []edit
	var fresh []string
	for _, e := range list {
		if ev := d.event(e.event); ev != nil {
			lv := d.level(s, ev.member.Value, hooks)
			all = append(all, d.add(s, ev.member.Value, lv, hooks.indent, s.render(e.node(), lv))...)
		} else {
			fresh = append(fresh, s.member(e.event, []node{e.node()}, hooks))
		}
	}
	return d.edited(append(all, d.add(s, *d.hooks, hooks, root.indent, fresh...)...))
}

// A style is how the file is written, so that what we add looks the same.
type style struct {
	nl    string // line end
	unit  string // one level of indentation
	space string // after a member's colon, and after a comma on one line
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
	members := d.root.Value.(*hujson.Object).Members
	if len(members) == 0 {
		return s
	}
	if lv := levelOf(members[0].Name.BeforeExtra); lv.multi {
		s.unit = lv.indent
	}
	if gap := members[0].Value.BeforeExtra; len(gap) == 0 || gap[0] == '/' {
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
func (d *document) level(s style, of hujson.Value, parent level) level {
	inner := level{multi: parent.multi, indent: parent.indent + s.unit}
	if list := containerOf(of).items; len(list) > 0 {
		last := list[len(list)-1]
		lv := levelOf(d.body[last.from:last.start])
		if !lv.multi {
			lv.indent = inner.indent // in case a comment forces a line
		}
		return lv
	}
	return inner
}

func levelOf(before []byte) level {
	at := bytes.LastIndexByte(before, '\n')
	if at < 0 {
		return level{}
	}
	line := before[at+1:]
	return level{multi: true, indent: string(line[:len(line)-len(bytes.TrimLeft(line, " \t"))])}
}

// add puts rendered items behind those of a container. closing is the indentation of the line
// with its closing sign, used where the container had nothing in it.
func (d *document) add(s style, to hujson.Value, lv level, closing string, texts ...string) []edit {
	if len(texts) == 0 {
		return nil
	}
	c := containerOf(to)
	comments := bytes.TrimRight(d.body[c.rest:c.end], " \t\r\n")
	lv.multi = lv.multi || endsInLineComment(comments) // on the same line it would be part of the comment
	between := s.space
	if lv.multi {
		between = s.nl + lv.indent
	}
	text, at := between+strings.Join(texts, ","+between), c.rest+len(comments)
	switch {
	case len(c.items) == 0 && lv.multi:
		return []edit{{from: at, to: c.end, text: text + s.nl + closing}}
	case len(c.items) == 0:
		return []edit{{from: at, to: c.end, text: text[len(between):]}}
	case c.trailing:
		return []edit{{from: at, to: at, text: text + ","}}
	}
	last := c.items[len(c.items)-1].end
	return []edit{{from: last, to: last, text: ","}, {from: at, to: at, text: text}}
}

// render writes a value whose first sign stands on a line of that level.
func (s style) render(v any, lv level) string {
	if !lv.multi {
		text, _ := json.Marshal(v) // strings and numbers always encode
		return string(text)
	}
	text, _ := json.MarshalIndent(v, lv.indent, s.unit)
	return strings.ReplaceAll(string(text), "\n", s.nl)
}

func (s style) member(name string, value any, lv level) string {
	return string(hujson.String(name)) + ":" + s.space + s.render(value, lv)
}
