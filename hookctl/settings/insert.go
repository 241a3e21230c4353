package settings

import (
	"bytes"
	"strings"

	"github.com/tailscale/hujson"
)

// insert returns the file with the entries after what each event has already. New events go
// after the others, in the order of the entries.
func (d *document) insert(list []entry) []byte {
	return d.edited(func(next *document) { next.put(list) })
}

func (d *document) put(list []entry) {
	s := d.style()
	root := s.level(d.root, level{multi: true})
	if d.hooks == nil {
		s.add(d.root, root, "", s.member(hooksNode(list), root))
		return
	}

	hooks := s.level(d.hooks, root)
	var fresh []string
	for _, m := range hooksNode(list).value.(object) {
		ev := d.event(m.name)
		if ev == nil {
			fresh = append(fresh, s.member(m, hooks))
			continue
		}
		lv := s.level(ev.entries, hooks)
		var texts []string
		for _, node := range m.value.(array) {
			texts = append(texts, s.render(node, lv))
		}
		s.add(ev.entries, lv, hooks.indent, texts...)
	}
	s.add(d.hooks, hooks, root.indent, fresh...)
}

// event returns the member of that name, nil if there is none.
func (d *document) event(name string) *event {
	for i := range d.events {
		if d.events[i].name == name {
			return &d.events[i]
		}
	}
	return nil
}

// byEvent groups entries, keeping the order in which events come first.
func byEvent(list []entry) [][]entry {
	var groups [][]entry
	at := map[string]int{}
	for _, x := range list {
		i, ok := at[x.event]
		if !ok {
			i = len(groups)
			at[x.event] = i
			groups = append(groups, nil)
		}
		groups[i] = append(groups[i], x)
	}
	return groups
}

// hooksNode returns the "hooks" member that holds the entries.
func hooksNode(list []entry) member {
	var events object
	for _, group := range byEvent(list) {
		var nodes array
		for _, x := range group {
			nodes = append(nodes, x.node())
		}
		events = append(events, member{group[0].event, nodes})
	}
	return member{"hooks", events}
}

// A style is how the file is written, so that what we add looks the same.
type style struct {
	nl    string // line end
	unit  string // one level of indentation
	space string // after a colon, and after a comma on one line
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
	if len(d.root.Members) == 0 {
		return s
	}
	first := d.root.Members[0]
	if lv := levelOf(first.Name.BeforeExtra); lv.multi {
		s.unit = lv.indent
	}
	if gap := first.Value.BeforeExtra; len(gap) == 0 || gap[0] == '/' {
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
func (s style) level(of hujson.ValueTrimmed, parent level) level {
	if list := gapsOf(of); len(list) > 0 {
		lv := levelOf(*list[len(list)-1].before)
		if !lv.multi {
			lv.indent = parent.indent + s.unit // in case a comment forces a line
		}
		return lv
	}
	return level{multi: parent.multi, indent: parent.indent + s.unit}
}

func levelOf(before hujson.Extra) level {
	at := bytes.LastIndexByte(before, '\n')
	if at < 0 {
		return level{}
	}
	line := before[at+1:]
	return level{multi: true, indent: string(line[:len(line)-len(bytes.TrimLeft(line, " \t"))])}
}

// add puts rendered items behind those of a container. closing is the indentation of the line
// with its closing sign, used where the container had nothing in it.
func (s style) add(to hujson.ValueTrimmed, lv level, closing string, texts ...string) {
	if len(texts) == 0 {
		return
	}
	list := gapsOf(to)
	end := endOf(to)
	comments := bytes.TrimRight(*end, " \t\r\n")
	rest := (*end)[len(comments):]
	if endsInLineComment(comments) {
		lv.multi = true // on the same line it would be part of the comment
	}

	between := s.space
	if lv.multi {
		between = s.nl + lv.indent
	}
	first := between
	trailing := len(list) > 0 && *list[len(list)-1].after != nil
	if len(list) == 0 {
		rest = nil
		if lv.multi {
			rest = []byte(s.nl + closing)
		} else {
			first = ""
		}
	}

	texts[0] = string(comments) + first + texts[0]
	for i := range texts[1:] {
		texts[i+1] = between + texts[i+1]
	}
	appendTo(to, strings.Join(texts, ","))
	*end = rest
	if trailing {
		setTrailing(to, true)
	}
}
