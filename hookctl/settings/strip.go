package settings

import (
	"bytes"

	"github.com/tailscale/hujson"
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
	left := d.edited(func(next *document) { next.cutOurs(was) })
	if rest, err := parse(d.path, left); err == nil && !saved.exists && string(bytes.Join(bytes.Fields(rest.body), nil)) == "{}" { // not even a comment
		return content{}
	}
	return content{exists: true, data: left}
}

// cutOurs cuts our entries out. A container that this leaves empty is cut out as well, unless
// it has a comment in it or the file had it before (was; nil: unknown, so it is taken for ours).
func (d *document) cutOurs(was *document) {
	if d.hooks == nil {
		return
	}
	var gone []int
	for i, ev := range d.events {
		ours := ev.cutHandlers()
		made := was == nil || was.event(ev.name) == nil
		if made && isAll(ours, ev.entries) && !commentedMember(d.hooks.Members[i]) {
			gone = append(gone, i)
			continue
		}
		cut(ev.entries, ours)
	}

	at := memberAt(d.root, "hooks")
	made := was == nil || was.hooks == nil
	if made && isAll(gone, d.hooks) && !commentedMember(d.root.Members[at]) {
		cut(d.root, []int{at})
	} else {
		cut(d.hooks, gone)
	}
}

// isAll tells whether these are all the items of a container, and at least one.
func isAll(gone []int, of hujson.ValueTrimmed) bool {
	return len(gone) > 0 && len(gone) == len(gapsOf(of))
}

// commentedMember tells whether a member has a comment of its own: before its value, which is a
// container, or among the container's items.
func commentedMember(m hujson.ObjectMember) bool {
	return hasComment(m.Name.AfterExtra) || hasComment(m.Value.BeforeExtra) || commented(m.Value.Value)
}

// cutHandlers cuts our handlers out of entries that have foreign ones too, and returns the
// entries that have only ours.
func (ev event) cutHandlers() (whole []int) {
	for i, v := range ev.entries.Elements {
		list := handlersOf(v)
		var ours []int
		for j, h := range list.Elements {
			if isOurs(decode(h)) {
				ours = append(ours, j)
			}
		}
		if isAll(ours, list) {
			whole = append(whole, i)
		} else {
			cut(list, ours)
		}
	}
	return whole
}
