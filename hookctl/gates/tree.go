package gates

// place is where something is written, from 1.
type place struct {
	file         string
	line, column int
}

// node is a YAML value with its place. kind has Python's name, for the messages have them too: NoneType, bool, int,
// float, str, list, dict.
type node struct {
	at     place
	kind   string
	text   string // of a scalar, as written (a string: its value)
	number float64
	truth  bool
	items  []*node
	keys   []string
	fields map[string]*node
	keyAt  map[string]place
	size   int // values in it, aliases counted each time
}

// get is a mapping's value; nil without one.
func (n *node) get(key string) *node {
	if n == nil {
		return nil
	}
	return n.fields[key]
}

func (n *node) set(key string, at place, value *node) {
	if _, ok := n.fields[key]; !ok {
		n.keys = append(n.keys, key)
	}
	n.fields[key], n.keyAt[key] = value, at
}

func newMapping(at place) *node {
	return &node{at: at, kind: "dict", fields: map[string]*node{}, keyAt: map[string]place{}}
}

// drop removes a key.
func (n *node) drop(key string) {
	delete(n.fields, key)
	delete(n.keyAt, key)
	for i, k := range n.keys {
		if k == key {
			n.keys = append(n.keys[:i:i], n.keys[i+1:]...)
			return
		}
	}
}

// copy is a mapping that can be changed without changing the other; the values are shared.
func (n *node) copy() *node {
	out := newMapping(n.at)
	for _, key := range n.keys {
		out.set(key, n.keyAt[key], n.fields[key])
	}
	return out
}

// inherit takes the keys of YAML's merge key, `<<: *anchor`, that are not there.
func (n *node) inherit(from *node) {
	for _, item := range from.items {
		n.inherit(item)
	}
	for _, key := range from.keys {
		if _, ok := n.fields[key]; !ok {
			n.set(key, place{file: n.at.file}, from.fields[key])
			n.keyAt[key] = place{file: n.at.file, column: n.at.column} // line 0: a later key of the same name is no repetition
		}
	}
}

// merge lays over on base: mappings key by key, everything else whole. Neither is changed.
func merge(base, over *node) *node {
	switch {
	case base == nil:
		return over
	case over == nil:
		return base
	case base.kind != "dict" || over.kind != "dict":
		return over
	}
	out := newMapping(over.at)
	for _, key := range base.keys {
		out.set(key, base.keyAt[key], base.fields[key])
	}
	for _, key := range over.keys {
		out.set(key, over.keyAt[key], merge(base.fields[key], over.fields[key]))
	}
	return out
}
