package settings

import "github.com/tailscale/hujson"

// entries returns our handlers in the order of the file.
func (d *document) entries() []entry {
	var list []entry
	for _, ev := range d.events {
		for _, v := range ev.entries {
			found, _ := handlersOf(v)
			for _, h := range found {
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
		if ev == nil || !anySame(w, ev.entries) {
			return false
		}
	}
	return true
}

func anySame(w entry, values []hujson.Value) bool {
	for _, v := range values {
		if w.same(v) {
			return true
		}
	}
	return false
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
	for _, v := range ev.entries {
		list, _ := handlersOf(v)
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

// handlersOf returns the handlers of an entry and where they are; none if it has another shape.
func handlersOf(v hujson.Value) ([]hujson.Value, container) {
	obj, ok := v.Value.(*hujson.Object)
	if !ok {
		return nil, container{}
	}
	for _, m := range obj.Members {
		if text(m.Name) != "hooks" {
			continue
		}
		if arr, ok := m.Value.Value.(*hujson.Array); ok {
			return arr.Elements, arrayContainer(m.Value, arr)
		}
	}
	return nil, container{}
}
