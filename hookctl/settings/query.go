package settings

import (
	"slices"

	"github.com/tailscale/hujson"
)

// entries returns our handlers in the order of the file.
func (d *document) entries() []entry {
	var list []entry
	for _, ev := range d.events {
		for _, v := range ev.entries.Elements {
			for _, h := range handlersOf(v).Elements {
				if x := decode(h); isOurs(x) {
					list = append(list, asEntry(ev.name, matcherOf(v), x.(map[string]any)))
				}
			}
		}
	}
	return list
}

func matcherOf(v hujson.Value) any {
	m, _ := decode(v).(map[string]any)
	return m["matcher"]
}

// handlers counts our handlers.
func (d *document) handlers() int { return len(d.entries()) }

// holds tells whether the file's handlers of ours are exactly the wanted entries, each alone
// in its entry and with the same meaning; spelling and order do not matter.
func (d *document) holds(want []entry) bool {
	if d.handlers() != len(want) {
		return false
	}
	for _, w := range want {
		ev := d.event(w.event)
		if ev == nil || !slices.ContainsFunc(ev.entries.Elements, w.same) {
			return false
		}
	}
	return true
}

// foreign returns the events of these entries that have handlers, or anything else, not ours.
func (d *document) foreign(list []entry) []string {
	var names []string
	for _, group := range byEvent(list) {
		if ev := d.event(group[0].event); ev != nil && ev.foreign() > 0 {
			names = append(names, ev.name)
		}
	}
	return names
}

// foreign counts the handlers of an event that are not ours; an entry of a shape that we do
// not know counts as one.
func (ev event) foreign() int {
	count := 0
	for _, v := range ev.entries.Elements {
		list := handlersOf(v).Elements
		if len(list) == 0 {
			count++
		}
		for _, h := range list {
			if !isOurs(decode(h)) {
				count++
			}
		}
	}
	return count
}

// handlersOf returns the handlers of an entry; none if it has another shape.
func handlersOf(v hujson.Value) *hujson.Array {
	obj, _ := v.Value.(*hujson.Object)
	if at := memberAt(obj, "hooks"); at >= 0 {
		if list, ok := obj.Members[at].Value.Value.(*hujson.Array); ok {
			return list
		}
	}
	return &hujson.Array{}
}

// memberAt returns where an object has the member of that name, -1 if nowhere; nil has none.
func memberAt(obj *hujson.Object, name string) int {
	if obj == nil {
		return -1
	}
	return slices.IndexFunc(obj.Members, func(m hujson.ObjectMember) bool { return text(m.Name) == name })
}
