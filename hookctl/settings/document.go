package settings

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"unicode/utf8"

	"github.com/tailscale/hujson"
)

// maxDepth bounds nesting, since the parser calls itself once a level. Real files need six.
const maxDepth = 1000

var bom = []byte("\xef\xbb\xbf")

// A document is a settings file, parsed. What it holds are offsets into its bytes.
type document struct {
	path   string
	body   []byte // without the byte order mark; with an object added if there was no value
	bom    bool
	root   hujson.Value  // an object
	hooks  *hujson.Value // an object; nil: no such member
	events []event       // the members of hooks, in order

	disabled bool   // disableAllHooks is true
	plugin   string // the id of our own plugin, where the file switches it on
}

// An event is one member of "hooks".
type event struct {
	name    string
	member  hujson.ObjectMember
	entries []hujson.Value
}

// parse reads a settings file. No bytes at all, white space or comments alone are an empty
// object yet to be written.
func parse(path string, data []byte) (*document, error) {
	d := &document{path: path, body: data}
	if bytes.HasPrefix(data, bom) {
		d.bom, d.body = true, data[len(bom):]
	}
	if at := tooDeep(d.body); at >= 0 {
		return nil, d.errorAt(at, tooDeepMessage)
	}
	var err error
	if d.root, err = parseValue(d.body); err != nil {
		body := d.withObject()
		root, again := parseValue(body)
		if again != nil {
			return nil, d.syntaxError(err)
		}
		d.body, d.root = body, root
	}
	if err := d.outline(); err != nil {
		return nil, err
	}
	return d, nil
}

// Plain is a settings file as JSON, without its comments; a file that is too large or nested too deep is an error, as the
// parser's stack would overflow at it. There is nothing of a file that is not there.
func Plain(path string) ([]byte, error) {
	c, err := read(path)
	if err != nil || !c.exists {
		return nil, err
	}
	if tooDeep(c.data) >= 0 {
		return nil, &FileError{Op: "read", Path: path, Err: errors.New(tooDeepMessage)}
	}
	return hujson.Standardize(c.data)
}

var tooDeepMessage = fmt.Sprintf("nested more than %d levels deep", maxDepth)

// tooDeep returns the offset at which nesting passes maxDepth, or -1. Brackets in strings and comments count too.
func tooDeep(body []byte) int {
	depth := 0
	for i, b := range body {
		switch b {
		case '{', '[':
			if depth++; depth > maxDepth {
				return i
			}
		case '}', ']':
			depth--
		}
	}
	return -1
}

// parseValue adds a line end because the parser wants a last line comment to have one.
func parseValue(body []byte) (hujson.Value, error) {
	return hujson.Parse(append(bytes.Clone(body), '\n'))
}

// withObject returns the body with an empty object after it.
func (d *document) withObject() []byte {
	nl := newline(d.body)
	out := bytes.Clone(d.body)
	if len(out) > 0 && !bytes.HasSuffix(out, []byte("\n")) {
		out = append(out, nl...)
	}
	return append(append(out, "{}"...), nl...)
}

// outline finds what we edit and refuses a shape that we, or the client, would misread.
func (d *document) outline() error {
	if _, ok := d.root.Value.(*hujson.Object); !ok {
		return d.errorAt(d.root.StartOffset, "settings are not an object")
	}
	if v := valueOf(d.root, "disableAllHooks"); v != nil {
		_ = decode(*v, &d.disabled) // the client takes nothing else for true
	}
	if v := valueOf(d.root, "enabledPlugins"); v != nil {
		d.plugin = pluginOf(*v)
	}
	if err := d.once(d.root, "hooks"); err != nil {
		return err
	}
	if d.hooks = valueOf(d.root, "hooks"); d.hooks == nil {
		return nil
	}
	hooks, ok := d.hooks.Value.(*hujson.Object)
	if !ok {
		return d.errorAt(d.hooks.StartOffset, `"hooks" is not an object`)
	}

	seen := map[string]bool{}
	for _, m := range hooks.Members {
		name := text(m.Name)
		arr, ok := m.Value.Value.(*hujson.Array)
		if !ok {
			return d.errorAt(m.Value.StartOffset, fmt.Sprintf("hooks of %s are not an array", name))
		}
		if seen[name] {
			return d.errorAt(m.Name.StartOffset, fmt.Sprintf("hooks of %s are given twice", name))
		}
		seen[name] = true
		for _, e := range arr.Elements {
			if err := d.once(e, "hooks"); err != nil {
				return err
			}
		}
		d.events = append(d.events, event{name, m, arr.Elements})
	}
	return nil
}

// once refuses an object that has a member twice: the client would take the last, and an edit of the other would go
// unseen.
func (d *document) once(v hujson.Value, name string) error {
	obj, ok := v.Value.(*hujson.Object)
	if !ok {
		return nil
	}
	found := false
	for _, m := range obj.Members {
		if text(m.Name) != name {
			continue
		}
		if found {
			return d.errorAt(m.Name.StartOffset, fmt.Sprintf("%q is given twice", name))
		}
		found = true
	}
	return nil
}

// event returns the member of hooks of that name, nil if there is none.
func (d *document) event(name string) *event {
	i := slices.IndexFunc(d.events, func(ev event) bool { return ev.name == name })
	if i < 0 {
		return nil
	}
	return &d.events[i]
}

// entries returns our handlers in the order of the file.
func (d *document) entries() []entry {
	var list []entry
	for _, ev := range d.events {
		for _, v := range ev.entries {
			for _, h := range handlersOf(v) {
				if e, ours := asEntry(ev.name, v, h); ours {
					list = append(list, e)
				}
			}
		}
	}
	return list
}

// holds tells whether the file's handlers of ours are exactly the wanted entries, each alone
// in its entry and with the same meaning; spelling and order do not matter.
func (d *document) holds(want []entry) bool {
	if len(d.entries()) != len(want) {
		return false
	}
	for _, w := range want {
		ev := d.event(w.event)
		if ev == nil || !slices.ContainsFunc(ev.entries, w.same) {
			return false
		}
	}
	return true
}

// foreign returns the events of these entries that have handlers, or anything else, not ours.
func (d *document) foreign(list []entry) []string {
	var names []string
	for _, e := range list {
		ev := d.event(e.event)
		if ev != nil && ev.foreign() > 0 && !slices.Contains(names, e.event) {
			names = append(names, e.event)
		}
	}
	return names
}

// foreign counts the handlers of an event that are not ours; an entry of a shape that we do
// not know counts as one.
func (ev event) foreign() int {
	count := 0
	for _, v := range ev.entries {
		list := handlersOf(v)
		if len(list) == 0 {
			count++
		}
		for _, h := range list {
			if _, ours := asEntry(ev.name, v, h); !ours {
				count++
			}
		}
	}
	return count
}

// handlersOf returns the handlers of an entry; none if it has another shape.
func handlersOf(v hujson.Value) []hujson.Value {
	list := valueOf(v, "hooks")
	if list == nil {
		return nil
	}
	arr, ok := list.Value.(*hujson.Array)
	if !ok {
		return nil
	}
	return arr.Elements
}

// valueOf returns the value of an object's member, nil if it has none of that name or is no object.
func valueOf(v hujson.Value, name string) *hujson.Value {
	at := memberAt(v, name)
	if at < 0 {
		return nil
	}
	return &v.Value.(*hujson.Object).Members[at].Value
}

// memberAt returns where an object has the member of that name, -1 if nowhere.
func memberAt(v hujson.Value, name string) int {
	obj, ok := v.Value.(*hujson.Object)
	if !ok {
		return -1
	}
	return slices.IndexFunc(obj.Members, func(m hujson.ObjectMember) bool { return text(m.Name) == name })
}

// syntaxError takes the place out of the parser's text, which has no other way to tell it.
func (d *document) syntaxError(err error) error {
	var line, column int
	if _, scan := fmt.Sscanf(err.Error(), "hujson: line %d, column %d:", &line, &column); scan != nil {
		return &SyntaxError{Path: d.path, Line: 1, Column: 1, Msg: err.Error()}
	}
	_, msg, _ := bytes.Cut([]byte(err.Error()), fmt.Appendf(nil, "column %d: ", column))
	at, parsed := 0, append(bytes.Clone(d.body), '\n')
	for ; line > 1; line-- {
		at += bytes.IndexByte(parsed[at:], '\n') + 1
	}
	return d.errorAt(min(at+column-1, len(d.body)), string(msg))
}

func (d *document) errorAt(offset int, msg string) error {
	before := d.body[:offset]
	lineStart := bytes.LastIndexByte(before, '\n') + 1
	return &SyntaxError{
		Path: d.path, Msg: msg,
		Line:   1 + bytes.Count(before, []byte("\n")),
		Column: 1 + utf8.RuneCount(before[lineStart:]),
	}
}

// decode reads a value as encoding/json does; of a repeated member the last, like the client.
func decode(v hujson.Value, to any) error {
	v = v.Clone()
	v.Standardize()
	return json.Unmarshal(v.Pack(), to)
}

// text returns a string's value. Nearly all names are spelt without escapes, and unescaping
// each member's name of a large file would take longer than parsing it.
func text(v hujson.Value) string {
	lit, _ := v.Value.(hujson.Literal)
	if len(lit) >= 2 && lit[0] == '"' && bytes.IndexByte(lit, '\\') < 0 {
		return string(lit[1 : len(lit)-1])
	}
	return lit.String()
}
