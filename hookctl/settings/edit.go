package settings

import (
	"bytes"
	"encoding/json"
	"slices"
	"strings"

	"github.com/tailscale/hujson"
)

// A slot is the white space and comments around a member or an element. That after the last one is nil unless a comma follows it.
type slot struct{ before, after *hujson.Extra }

// slotsOf returns the slots of an object or an array in order, and what stands before its closing sign.
func slotsOf(v *hujson.Value) (slots []slot, end *hujson.Extra) {
	switch t := v.Value.(type) {
	case *hujson.Object:
		for i := range t.Members {
			slots = append(slots, slot{&t.Members[i].Name.BeforeExtra, &t.Members[i].Value.AfterExtra})
		}
		return slots, &t.AfterExtra
	case *hujson.Array:
		for i := range t.Elements {
			slots = append(slots, slot{&t.Elements[i].BeforeExtra, &t.Elements[i].AfterExtra})
		}
		return slots, &t.AfterExtra
	}
	return nil, nil
}

// commented reports whether there is a comment among the items of a container (one inside an item does not count).
func commented(v *hujson.Value) bool {
	slots, end := slotsOf(v)
	return hasComment(*end) || slices.ContainsFunc(slots, func(s slot) bool { return hasComment(*s.before) || hasComment(*s.after) })
}

func hasComment(extra hujson.Extra) bool { return len(bytes.TrimSpace(extra)) > 0 }

// endsInLineComment reports whether text after this, white space and comments, would be part of a comment.
func endsInLineComment(extra hujson.Extra) bool {
	for {
		_, comment, found := bytes.Cut(extra, []byte("/"))
		if !found {
			return false
		}
		end := "*/"
		if comment[0] == '/' {
			end = "\n"
		}
		if _, extra, found = bytes.Cut(comment[1:], []byte(end)); !found {
			return true
		}
	}
}

// comments returns the beginning of an extra, up to the last comment.
func comments(extra hujson.Extra) hujson.Extra {
	return bytes.TrimRight(extra, " \t\r\n")
}

// cut removes those items of a container for which gone is true, each with the white space before it. Comments beside them
// stay. With everything gone and no comment left, white space goes too.
func (d *document) cut(v *hujson.Value, gone func(i int) bool) {
	slots, end := slotsOf(v)
	if len(slots) == 0 {
		return
	}
	trailing := *slots[len(slots)-1].after != nil
	var loose hujson.Extra // comments of items that went, for what comes next
	before := func(next *hujson.Extra) {
		if endsInLineComment(loose) && !bytes.HasPrefix(bytes.TrimLeft(*next, " \t\r"), []byte("\n")) {
			loose = append(loose, d.nl...)
		}
		*next = slices.Concat(loose, *next)
		loose = nil
	}

	var last *slot
	for i, s := range slots {
		if gone(i) {
			loose = slices.Concat(loose, comments(*s.before), comments(*s.after))
			continue
		}
		before(s.before)
		last = &slots[i]
	}
	switch {
	case last != nil && !trailing:
		loose = slices.Concat(*last.after, loose)
		*last.after = nil
	case last != nil && *last.after == nil:
		*last.after = hujson.Extra{}
	}
	before(end)
	if last == nil && !hasComment(*end) {
		*end = nil
	}

	switch t := v.Value.(type) {
	case *hujson.Object:
		t.Members = kept(t.Members, gone)
	case *hujson.Array:
		t.Elements = kept(t.Elements, gone)
	}
}

// kept returns the items for which gone is false.
func kept[T any](list []T, gone func(i int) bool) []T {
	var left []T
	for i, item := range list {
		if !gone(i) {
			left = append(left, item)
		}
	}
	return left
}

// cutOurs cuts our entries out. A container that this leaves empty is cut out as well, unless it has a comment in it.
func (d *document) cutOurs() []byte {
	hooks := d.root.Find("/hooks")
	if hooks == nil {
		return d.pack()
	}
	events := d.events()
	empty := make([]bool, len(events))
	for i := range events {
		ev := &events[i]
		name, entries := nameOf(*ev), elements(ev.Value, "")
		had := len(entries)
		whole := make([]bool, had)
		for j, v := range entries {
			if whole[j] = onlyOurs(name, v); !whole[j] && len(handlersOf(v)) > 0 {
				handlers := handlersOf(v)
				d.cut(v.Find("/hooks"), func(k int) bool { _, ours := asEntry(name, v, handlers[k]); return ours })
			}
		}
		empty[i] = had > 0 && !slices.Contains(whole, false) && !commentedMember(*ev)
		if !empty[i] {
			d.cut(&ev.Value, func(j int) bool { return whole[j] })
		}
	}

	root := d.root.Value.(*hujson.Object)
	at := slices.IndexFunc(root.Members, func(m hujson.ObjectMember) bool { return nameOf(m) == "hooks" })
	if len(empty) > 0 && !slices.Contains(empty, false) && !commentedMember(root.Members[at]) {
		d.cut(&d.root, func(i int) bool { return i == at })
	} else {
		d.cut(hooks, func(i int) bool { return empty[i] })
	}
	return d.pack()
}

// commentedMember reports whether a member has a comment of its own: before its value, which is a
// container, or among the container's items.
func commentedMember(m hujson.ObjectMember) bool {
	return hasComment(m.Name.AfterExtra) || hasComment(m.Value.BeforeExtra) || commented(&m.Value)
}

// original returns what the file was, or would be, without our entries; the package comment
// says how it is found. It need not have existed. The document is used up.
func (d *document) original(saved content) content {
	list := d.entries()
	cur := d.pack()
	if len(list) == 0 {
		return cur
	}
	if saved != nil {
		was, err := parse(d.path, saved)
		if err == nil && len(was.entries()) == 0 && bytes.Equal(was.insert(list), cur) {
			return saved
		}
	}
	empty, _ := parse(d.path, nil) // no text is always understood
	if bytes.Equal(empty.insert(list), cur) {
		return nil
	}

	left := d.cutOurs()
	rest := bytes.Join(bytes.Fields(bytes.TrimPrefix(left, bom)), nil)
	if saved == nil && string(rest) == "{}" { // not even a comment
		return nil
	}
	return left
}

// insert puts the entries after what each event has already and returns the file. New events go after the others, in the
// order of the entries.
func (d *document) insert(list []entry) []byte {
	s := d.style()
	root := s.level(&d.root, level{multi: true})
	if d.root.Find("/hooks") == nil {
		s.add(&d.root, root, "", "hooks", struct{}{})
	}
	hooks := d.root.Find("/hooks")
	inner := s.level(hooks, root) // of before, so that the order of the entries does not matter
	_, end := slotsOf(hooks)
	fresh := level{multi: inner.multi || endsInLineComment(comments(*end)), indent: inner.indent}
	for _, e := range list {
		event := hooks.Find("/" + e.event)
		if event == nil {
			s.add(hooks, fresh, root.indent, e.event, []node{e.node()})
			continue
		}
		s.add(event, s.level(event, inner), inner.indent, "", e.node())
	}
	return d.pack()
}

// A style is how the file is written, so that what is added looks the same.
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

// style reads the first member: its indentation, and the space after its colon. Without one it is two spaces, as the client
// writes.
func (d *document) style() style {
	s := style{nl: d.nl, unit: "  ", space: " "}
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

// level follows the last item of a container, since new ones come after it; an empty one is
// written like its parent, one step in.
func (s style) level(of *hujson.Value, parent level) level {
	inner := level{multi: parent.multi, indent: parent.indent + s.unit}
	slots, _ := slotsOf(of)
	if len(slots) == 0 {
		return inner
	}
	lv := levelOf(*slots[len(slots)-1].before)
	if !lv.multi {
		lv.indent = inner.indent // in case a comment forces a line
	}
	return lv
}

func levelOf(before hujson.Extra) level {
	at := bytes.LastIndexByte(before, '\n')
	if at < 0 {
		return level{}
	}
	line := before[at+1:]
	return level{multi: true, indent: string(line[:len(line)-len(bytes.TrimLeft(line, " \t"))])}
}

// add puts a value after the items of a container; in an object it gets the name. closing is the indentation of the line
// with the closing sign, used where the container had nothing in it.
func (s style) add(to *hujson.Value, lv level, closing, name string, value any) {
	slots, end := slotsOf(to)
	before := comments(*end)
	rest := (*end)[len(before):]
	lv.multi = lv.multi || endsInLineComment(before) // on the same line it would be part of the comment
	between := s.space
	if lv.multi {
		between = s.nl + lv.indent
	}
	if len(slots) == 0 {
		rest = nil
		if lv.multi {
			rest = hujson.Extra(s.nl + closing)
		} else {
			between = ""
		}
	}

	item := s.render(value, lv)
	if len(slots) > 0 && *slots[len(slots)-1].after != nil {
		item.AfterExtra = hujson.Extra{} // a comma follows, as it did
	}
	*end = rest
	before = append(bytes.Clone(before), between...)
	switch t := to.Value.(type) {
	case *hujson.Object:
		item.BeforeExtra = hujson.Extra(s.space)
		t.Members = append(t.Members, hujson.ObjectMember{Name: hujson.Value{BeforeExtra: before, Value: hujson.String(name)}, Value: item})
	case *hujson.Array:
		item.BeforeExtra = before
		t.Elements = append(t.Elements, item)
	}
}

// render makes a value of the file whose first sign stands on a line of that level.
func (s style) render(v any, lv level) hujson.Value {
	text, _ := json.Marshal(v) // strings and numbers always encode
	if lv.multi {
		text, _ = json.MarshalIndent(v, lv.indent, s.unit)
		text = []byte(strings.ReplaceAll(string(text), "\n", s.nl))
	}
	value, _ := hujson.Parse(text) // which is JSON
	return value
}
