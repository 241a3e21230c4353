package settings

import (
	"bytes"
)

// original returns what the file was, or would be, without our entries; the package comment
// says how it is found. It need not have existed.
func (d *document) original(saved backup) content {
	list := d.entries()
	cur := d.bytes(d.body)
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
	left := d.strip(was)
	if rest, err := parse(d.path, left); err == nil && !saved.exists && rest.isBlank() {
		return content{}
	}
	return content{exists: true, data: left}
}

// isBlank tells whether the file holds an empty object and not even a comment.
func (d *document) isBlank() bool {
	return string(bytes.Join(bytes.Fields(d.body), nil)) == "{}"
}

// strip cuts our entries out. A container that this leaves empty is cut out as well, unless
// it has a comment in it or the file had it before (was; nil: unknown, so it is taken for ours).
func (d *document) strip(was *document) []byte {
	if d.hooks == nil {
		return d.bytes(d.body)
	}
	var e edits
	var gone []int
	for i, ev := range d.events {
		ours := ev.cutHandlers(d, &e)
		made := was == nil || was.event(ev.name) == nil
		if made && ev.array.emptiedBy(ours) && !d.commented(d.hooks.items[i], ev.array) {
			gone = append(gone, i)
			continue
		}
		ev.array.cut(&e, d, ours)
	}
	made := was == nil || was.hooks == nil
	if at := d.rootIndex(); made && d.hooks.emptiedBy(gone) && !d.commented(d.root.items[at], *d.hooks) {
		d.root.cut(&e, d, []int{at})
	} else {
		d.hooks.cut(&e, d, gone)
	}
	return d.bytes(e.apply(d.body))
}

// emptiedBy tells whether these are all the items of a container, and at least one.
func (c container) emptiedBy(gone []int) bool { return len(gone) > 0 && len(gone) == len(c.items) }

// commented tells whether a member has a comment of its own: before its value, which is the
// container, or among the container's items.
func (d *document) commented(member item, c container) bool {
	label := d.body[skipString(d.body, member.start)+1 : c.start]
	return len(bytes.Trim(label, ": \t\r\n")) > 0 || c.commented(d.body)
}

// rootIndex returns which member of the settings "hooks" is.
func (d *document) rootIndex() int {
	for i, it := range d.root.items {
		if it.end == d.hooks.end {
			return i
		}
	}
	return -1 // outline has found it, so it is there
}

// cutHandlers cuts our handlers out of entries that have foreign ones too, and returns the
// entries that have only ours.
func (ev event) cutHandlers(d *document, e *edits) (whole []int) {
	for i, v := range ev.entries {
		list, arr := handlersOf(v)
		var ours []int
		for j, h := range list {
			if isOurs(decode(h)) {
				ours = append(ours, j)
			}
		}
		switch {
		case len(ours) == 0:
		case len(ours) == len(list):
			whole = append(whole, i)
		default:
			arr.cut(e, d, ours)
		}
	}
	return whole
}

// cut removes items with the white space before them and one comma each. Comments beside them
// stay. With everything gone and no comment left, white space goes too.
func (c container) cut(e *edits, d *document, gone []int) {
	if len(gone) == len(c.items) && !c.commented(d.body) {
		if len(gone) > 0 {
			e.replace(c.start+1, c.end-1, "")
		}
		return
	}
	kept := -1
	next := 0
	for i, it := range c.items {
		if next >= len(gone) || gone[next] != i {
			kept = i
			continue
		}
		next++
		e.replace(it.cutFrom(d), it.end, "")
		if i < len(c.items)-1 || c.trailing {
			e.replace(it.comma(), it.comma()+1, "")
		} else if kept >= 0 {
			comma := c.items[kept].comma()
			e.replace(comma, comma+1, "")
		}
	}
}

// cutFrom returns where the white space before an item begins. A line comment there keeps its
// line end, unless one follows the item and takes its place.
func (i item) cutFrom(d *document) int {
	text := bytes.TrimRight(i.before, " \t\r\n")
	from := i.start - len(i.before) + len(text)
	if !endsInLineComment(text) {
		return from
	}
	rest := bytes.TrimLeft(d.body[i.end:], " \t\r,")
	if bytes.HasPrefix(rest, []byte("\n")) {
		return from
	}
	return from + bytes.IndexByte(i.before[len(text):], '\n') + 1
}

// commented tells whether there is a comment among the items of a container (one inside
// an item does not count).
func (c container) commented(body []byte) bool {
	extra := bytes.Clone(c.after)
	for _, it := range c.items {
		extra = append(append(extra, it.before...), it.after...)
	}
	if len(c.items) == 0 {
		extra = body[c.start+1 : c.end-1]
	}
	return len(bytes.TrimSpace(extra)) > 0
}
