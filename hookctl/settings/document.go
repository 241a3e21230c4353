package settings

import (
	"bytes"
	"encoding/json"
	"slices"
	"strings"

	"github.com/tailscale/hujson"

	"hookline/hookctl/problem"
)

// maxDepth bounds nesting, since the parser calls itself once a level. Real files need six.
const maxDepth = 1000

var bom = []byte("\xef\xbb\xbf")

// A document is a settings file, parsed with its white space and comments.
type document struct {
	path string
	bom  bool
	nl   string       // line end that the file uses first
	root hujson.Value // an object
}

// parse reads a settings file. No bytes at all, or white space alone, are an empty object yet to be written.
func parse(path string, data []byte) (*document, error) {
	body, marked := bytes.CutPrefix(data, bom)
	d := &document{path: path, bom: marked, nl: newline(body)}
	if tooDeep(body) {
		return nil, d.refuse("nested more than 1000 levels deep")
	}

	if len(bytes.TrimSpace(body)) == 0 {
		body = slices.Concat(body, []byte("{}"+d.nl))
	}
	var err error
	if d.root, err = parseValue(body); err != nil {
		return nil, d.refuse(strings.TrimPrefix(err.Error(), "hujson: "))
	}
	return d, d.check()
}

// newline returns the line end that a file uses first.
func newline(body []byte) string {
	if i := bytes.IndexByte(body, '\n'); i > 0 && body[i-1] == '\r' {
		return "\r\n"
	}
	return "\n"
}

// parseValue parses a file whose last line comment may lack its line end, which the parser wants.
func parseValue(body []byte) (hujson.Value, error) {
	v, err := hujson.Parse(bytes.Clone(body))
	if err == nil {
		return v, nil
	}
	ended, again := hujson.Parse(append(bytes.Clone(body), '\n'))
	if again != nil {
		return v, err
	}
	ended.AfterExtra = ended.AfterExtra[:len(ended.AfterExtra)-1]
	return ended, nil
}

// tooDeep reports whether nesting passes maxDepth. Brackets in strings and comments count too.
func tooDeep(body []byte) bool {
	depth := 0
	for _, b := range body {
		switch b {
		case '{', '[':
			depth++
		case '}', ']':
			depth--
		}
		if depth > maxDepth {
			return true
		}
	}
	return false
}

func (d *document) refuse(why string) error {
	return problem.Faultf("%s: %s", d.path, why).Advise("nothing was changed; correct that file and try again")
}

// check refuses a shape that an edit, or the client, would misread. Of a member that is given twice the client takes
// the last, and an edit of the other would go unseen.
func (d *document) check() error {
	root, ok := d.root.Value.(*hujson.Object)
	if !ok {
		return d.refuse("settings are not an object")
	}
	given := 0
	for _, m := range root.Members {
		if nameOf(m) == "hooks" {
			given++
		}
	}
	if given > 1 {
		return d.refuse(`"hooks" is given twice`)
	}
	hooks := d.root.Find("/hooks")
	if hooks == nil {
		return nil
	}
	object, ok := hooks.Value.(*hujson.Object)
	if !ok {
		return d.refuse(`"hooks" is not an object`)
	}
	seen := map[string]bool{}
	for _, m := range object.Members {
		name := nameOf(m)
		switch {
		case seen[name]:
			return d.refuse("hooks of " + name + " are given twice")
		case m.Value.Value.Kind() != '[':
			return d.refuse("hooks of " + name + " are not an array")
		}
		seen[name] = true
	}
	return nil
}

func nameOf(m hujson.ObjectMember) string { return m.Name.Value.(hujson.Literal).String() }

// Plain is a settings file as JSON, without its comments; a file that is too large or nested too deep is an error, as the
// parser's stack would overflow at it. There is nothing of a file that is not there.
func Plain(path string) ([]byte, error) {
	c, err := read(path)
	if err != nil || c == nil {
		return nil, err
	}
	d, err := parse(path, c)
	if err != nil {
		return nil, err
	}
	d.root.Standardize()
	return d.root.Pack(), nil
}

// pack returns the file's bytes.
func (d *document) pack() []byte {
	if d.bom {
		return append(bytes.Clone(bom), d.root.Pack()...)
	}
	return d.root.Pack()
}

// events returns the members of "hooks", each an array of entries.
func (d *document) events() []hujson.ObjectMember {
	if hooks := d.root.Find("/hooks"); hooks != nil {
		return hooks.Value.(*hujson.Object).Members
	}
	return nil
}

// elements returns the items of the array at a place in a value; none if there is no array.
func elements(v hujson.Value, at string) []hujson.Value {
	if list := v.Find(at); list != nil {
		if array, ok := list.Value.(*hujson.Array); ok {
			return array.Elements
		}
	}
	return nil
}

// event returns the entries of an event of ours; none if the file does not name it.
func (d *document) event(name string) []hujson.Value { return elements(d.root, "/hooks/"+name) }

// entries returns our handlers in the order of the file.
func (d *document) entries() []entry {
	var list []entry
	for _, ev := range d.events() {
		for _, v := range elements(ev.Value, "") {
			for _, h := range handlersOf(v) {
				if e, ours := asEntry(nameOf(ev), v, h); ours {
					list = append(list, e)
				}
			}
		}
	}
	return list
}

// holds reports whether the file's handlers of ours are exactly the wanted entries, each alone
// in its entry and with the same meaning; spelling and order do not matter.
func (d *document) holds(want []entry) bool {
	if len(d.entries()) != len(want) {
		return false
	}
	for _, w := range want {
		if !slices.ContainsFunc(d.event(w.event), w.same) {
			return false
		}
	}
	return true
}

// foreign returns the events of these entries that have handlers, or anything else, not ours.
func (d *document) foreign(list []entry) []string {
	var names []string
	for _, e := range list {
		foreign := slices.ContainsFunc(d.event(e.event), func(v hujson.Value) bool { return !onlyOurs(e.event, v) })
		if foreign && !slices.Contains(names, e.event) {
			names = append(names, e.event)
		}
	}
	return names
}

// onlyOurs reports whether an entry has handlers, and all of them are ours. One of a shape that is not known has none.
func onlyOurs(event string, v hujson.Value) bool {
	list := handlersOf(v)
	return len(list) > 0 && !slices.ContainsFunc(list, func(h hujson.Value) bool { _, ours := asEntry(event, v, h); return !ours })
}

// handlersOf returns the handlers of an entry; none if it has another shape.
func handlersOf(v hujson.Value) []hujson.Value { return elements(v, "/hooks") }

// decode reads a value as encoding/json does; of a repeated member the last, like the client.
func decode(v hujson.Value, to any) error {
	v = v.Clone()
	v.Standardize()
	return json.Unmarshal(v.Pack(), to)
}
