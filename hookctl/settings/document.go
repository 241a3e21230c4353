package settings

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"
	"unicode/utf8"

	"github.com/tailscale/hujson"
)

// maxDepth bounds nesting, since the parser calls itself once a level. Real files need six.
const maxDepth = 1000

var bom = []byte("\xef\xbb\xbf")

// A document is a settings file, parsed: a tree that holds every byte of it.
type document struct {
	path   string
	body   []byte // without the byte order mark; with an object added if there was no value
	bom    bool
	tree   hujson.Value   // whose text is the body and a line end
	root   *hujson.Object // the tree's
	hooks  *hujson.Object // nil: no such member
	events []event        // the members of hooks, in order

	disabled bool   // disableAllHooks is true
	plugin   string // the id of our own plugin, where the file switches it on
}

// An event is one member of "hooks".
type event struct {
	name    string
	entries *hujson.Array
}

// parse reads a settings file. No bytes at all, white space or comments alone are an empty
// object yet to be written.
func parse(path string, data []byte) (*document, error) {
	d := &document{path: path, body: data}
	if bytes.HasPrefix(data, bom) {
		d.bom, d.body = true, data[len(bom):]
	}
	if at := tooDeep(d.body); at >= 0 {
		return nil, d.errorAt(at, fmt.Sprintf("nested more than %d levels deep", maxDepth))
	}
	root, err := parseValue(d.body)
	if err != nil {
		body := d.withObject()
		var again error
		if root, again = parseValue(body); again != nil {
			return nil, d.syntaxError(err)
		}
		d.body = body
	}
	d.tree = root
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
		return nil, &FileError{Op: "read", Path: path, Err: fmt.Errorf("nested more than %d levels deep", maxDepth)}
	}
	return hujson.Standardize(c.data)
}

// edited returns the bytes of the file after change was made to a tree of its own. It is parsed
// once more: the parser's Clone loses commas behind last items.
func (d *document) edited(change func(next *document)) []byte {
	next, _ := parse(d.path, d.body) // which was parsed before
	change(next)
	text := next.tree.Pack()
	return d.bytes(text[:len(text)-1])
}

// parseValue adds a line end because the parser wants a last line comment to have one. It
// parses a copy: what it returns aliases its input.
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
	obj, ok := d.tree.Value.(*hujson.Object)
	if !ok {
		return d.errorAt(d.tree.StartOffset, "settings are not an object")
	}
	d.root = obj
	for _, m := range obj.Members {
		switch text(m.Name) {
		case "disableAllHooks":
			d.disabled = decode(m.Value) == true
		case "enabledPlugins":
			d.plugin = pluginOf(m.Value)
		}
	}
	hooks, err := d.only(obj, "hooks")
	if err != nil || hooks == nil {
		return err
	}
	return d.outlineHooks(*hooks)
}

func (d *document) outlineHooks(hooks hujson.Value) error {
	members, ok := hooks.Value.(*hujson.Object)
	if !ok {
		return d.errorAt(hooks.StartOffset, `"hooks" is not an object`)
	}
	d.hooks = members
	seen := map[string]bool{}
	for _, m := range members.Members {
		name := text(m.Name)
		arr, ok := m.Value.Value.(*hujson.Array)
		if !ok {
			return d.errorAt(m.Value.StartOffset, fmt.Sprintf("hooks of %s are not an array", name))
		}
		if seen[name] {
			return d.errorAt(m.Name.StartOffset, fmt.Sprintf("hooks of %s are given twice", name))
		}
		seen[name] = true
		if err := d.checkEntries(arr); err != nil {
			return err
		}
		d.events = append(d.events, event{name, arr})
	}
	return nil
}

// checkEntries refuses an entry that names its handlers twice: the client would take the last,
// and an edit of the other would go unseen.
func (d *document) checkEntries(arr *hujson.Array) error {
	for _, e := range arr.Elements {
		if obj, ok := e.Value.(*hujson.Object); ok {
			if _, err := d.only(obj, "hooks"); err != nil {
				return err
			}
		}
	}
	return nil
}

// only returns the value of a member, nil if there is none, and an error if there are two.
func (d *document) only(obj *hujson.Object, name string) (*hujson.Value, error) {
	var found *hujson.Value
	for i := range obj.Members {
		m := &obj.Members[i]
		if text(m.Name) != name {
			continue
		}
		if found != nil {
			return nil, d.errorAt(m.Name.StartOffset, fmt.Sprintf("%q is given twice", name))
		}
		found = &m.Value
	}
	return found, nil
}

// bytes puts the byte order mark back.
func (d *document) bytes(body []byte) []byte {
	if d.bom {
		return append(bytes.Clone(bom), body...)
	}
	return body
}

// syntaxError takes the place out of the parser's text, which has no other way to tell it.
func (d *document) syntaxError(err error) error {
	var line, column int
	msg := err.Error()
	if _, scan := fmt.Sscanf(msg, "hujson: line %d, column %d:", &line, &column); scan != nil {
		return &SyntaxError{Path: d.path, Line: 1, Column: 1, Msg: msg}
	}
	_, msg, _ = strings.Cut(msg, fmt.Sprintf("column %d: ", column))
	at := 0
	for ; line > 1; line-- {
		next := bytes.IndexByte(d.body[at:], '\n')
		if next < 0 { // the line end that parseValue added
			return d.errorAt(len(d.body), msg)
		}
		at += next + 1
	}
	return d.errorAt(min(at+column-1, len(d.body)), msg)
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

// decode returns a value as encoding/json would; of a repeated member the last, like the client.
func decode(v hujson.Value) any {
	switch t := v.Value.(type) {
	case *hujson.Object:
		m := make(map[string]any, len(t.Members))
		for _, x := range t.Members {
			m[text(x.Name)] = decode(x.Value)
		}
		return m
	case *hujson.Array:
		list := make([]any, 0, len(t.Elements))
		for _, x := range t.Elements {
			list = append(list, decode(x))
		}
		return list
	case hujson.Literal:
		var x any
		if json.Unmarshal(t, &x) == nil {
			return x
		}
		return string(t) // a number beyond float64
	}
	return nil
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
