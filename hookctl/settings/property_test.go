package settings

import (
	"encoding/json"
	"fmt"
	"reflect"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"hookline/expect"
)

// writer makes a random settings file: random values in a random, but valid, layout.
type writer struct {
	t     *rapid.T
	b     strings.Builder
	nl    string
	unit  string
	style string // "lines", "minified" or "wild"
}

func (w *writer) oneOf(choices ...string) string {
	return rapid.SampledFrom(choices).Draw(w.t, "choice")
}

// gap writes what may stand between two signs.
func (w *writer) gap(depth int) {
	switch w.style {
	case "lines":
		w.b.WriteString(w.nl + strings.Repeat(w.unit, depth))
	case "wild":
		w.b.WriteString(w.oneOf("", " ", "\t", w.nl, w.nl+"   ", " // c ]}, \""+w.nl, "/* [{ , \" */", "//"+w.nl+" ", w.nl+w.nl))
	}
}

func (w *writer) list(open, end string, n, depth int, each func(int)) {
	w.b.WriteString(open)
	for i := range n {
		w.gap(depth + 1)
		each(i)
		if w.style == "wild" {
			w.gap(depth + 1)
		}
		if i < n-1 || (w.style == "wild" && rapid.Bool().Draw(w.t, "trailing comma")) {
			w.b.WriteString(",")
		}
	}
	if n > 0 || w.style == "wild" {
		w.gap(depth)
	}
	w.b.WriteString(end)
}

func (w *writer) name(s string) {
	w.b.WriteString(`"` + s + `"`)
	if w.style == "wild" {
		w.gap(0)
	}
	w.b.WriteString(":")
	if w.style == "lines" {
		w.b.WriteString(" ")
	} else {
		w.gap(0)
	}
}

func (w *writer) scalar() {
	w.b.WriteString(w.oneOf(`1`, `-2.5e3`, `true`, `null`, `"x"`, `"a \" ] // b"`, `"hookctl hook Stop"`, `"\u00e4日"`))
}

func (w *writer) value(depth int) {
	n := rapid.IntRange(0, 3).Draw(w.t, "size")
	switch kind := w.oneOf("scalar", "object", "array"); {
	case kind == "scalar" || depth > 4:
		w.scalar()
	case kind == "object":
		w.list("{", "}", n, depth, func(i int) { w.name(fmt.Sprint("k", i)); w.value(depth + 1) })
	default:
		w.list("[", "]", n, depth, func(int) { w.value(depth + 1) })
	}
}

// foreignEntry writes an entry of an event, mostly of the usual shape.
func (w *writer) foreignEntry(depth int) {
	if w.oneOf("usual", "usual", "odd") == "odd" {
		w.value(depth)
		return
	}
	w.list("{", "}", 2, depth, func(i int) {
		if i == 0 {
			w.name("matcher")
			w.scalar()
			return
		}
		w.name("hooks")
		w.list("[", "]", rapid.IntRange(0, 3).Draw(w.t, "handlers"), depth+1, func(int) { w.handler(depth + 2) })
	})
}

func (w *writer) handler(depth int) {
	w.list("{", "}", 2, depth, func(i int) {
		w.name([]string{"type", "command"}[i])
		w.b.WriteString([]string{`"command"`, w.oneOf(`"say"`, `"hookctl status"`, `"/x/hookctl"`, `7`)}[i])
	})
}

// hooks writes the "hooks" member; full leaves no container empty.
func (w *writer) hooks(depth int, full bool) {
	events := rapid.SliceOfNDistinct(rapid.SampledFrom([]string{"Stop", "PreToolUse", "SessionStart", "Mine", "St\\u006fpFailure"}), 0, 4, rapid.ID).Draw(w.t, "events")
	least := 0
	if full {
		events = append(events, "Notification")
		least = 1
	}
	w.list("{", "}", len(events), depth, func(i int) {
		w.name(events[i])
		w.list("[", "]", rapid.IntRange(least, 3).Draw(w.t, "entries"), depth+1, func(int) { w.foreignEntry(depth + 2) })
	})
}

// settingsText draws a file. full means that "hooks" and its events, if there, are not empty.
func settingsText(t *rapid.T, full bool) string {
	w := &writer{t: t}
	w.nl = w.oneOf("\n", "\r\n")
	w.unit = w.oneOf("  ", "    ", "\t", "")
	w.style = w.oneOf("lines", "minified", "wild")
	w.b.WriteString(w.oneOf("", "", "\xef\xbb\xbf"))
	if w.style == "wild" {
		w.gap(0)
	}
	n := rapid.IntRange(0, 4).Draw(t, "members")
	hooksAt := rapid.IntRange(-1, 3).Draw(t, "hooks at")
	if full {
		n = max(n, 1)
	}
	w.list("{", "}", n, 0, func(i int) {
		if i == hooksAt {
			w.name("hooks")
			w.hooks(1, full)
			return
		}
		w.name(fmt.Sprint("m", i))
		w.value(1)
	})
	w.b.WriteString(w.oneOf("", w.nl))
	return w.b.String()
}

// meaning returns a file's values with our entries, and what they leave empty, taken out.
func meaning(t *rapid.T, text string) map[string]any {
	root := expect.Value(parseValue([]byte(strings.TrimPrefix(text, "\xef\xbb\xbf"))))(t)
	var m map[string]any
	expect.OK(t, decode(root, &m))
	hooks, ok := m["hooks"].(map[string]any)
	if !ok {
		return m
	}
	for event, list := range hooks {
		var left []any
		for _, e := range list.([]any) {
			if data, _ := json.Marshal(e); !strings.Contains(string(data), testBinary) {
				left = append(left, e)
			}
		}
		hooks[event] = left
		if len(left) == 0 {
			delete(hooks, event)
		}
	}
	if len(hooks) == 0 {
		delete(m, "hooks")
	}
	return m
}

func TestPropertyThereAndBack(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		text := settingsText(rt, false)
		o := options(t)
		o.Scope = rapid.SampledFrom([]Scope{User, Local}).Draw(rt, "scope")
		o.Profile = rapid.SampledFrom([]Profile{Full, Identity}).Draw(rt, "profile")
		path := put(t, o, text)
		mustInstall(t, o)
		installed := get(t, path)
		if before, after := meaning(rt, text), meaning(rt, installed); !reflect.DeepEqual(before, after) {
			rt.Fatalf("foreign values changed:\n%s\n%s", text, installed)
		}
		if mustInstall(t, o).Changed || get(t, path) != installed {
			rt.Fatalf("second install changed\n%s", installed)
		}
		if mustUninstall(t, o); get(t, path) != text {
			rt.Fatalf("left\n%q, want\n%q", get(t, path), text)
		}
	})
}

// Cutting alone, with nothing to remember by, gives the bytes back wherever no container was empty.
func TestPropertyCuttingIsTheInverse(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		text := settingsText(rt, true)
		want := Options{Profile: rapid.SampledFrom([]Profile{Full, Identity}).Draw(rt, "profile")}.entries(testBinary)
		before := expect.Value(parse("", []byte(text)))(rt)
		after := expect.Value(parse("", before.insert(want)))(rt)
		expect.EqualNow(rt, string(after.cutOurs()), text, "left")
	})
}

// Ours anywhere among foreign entries, in any layout: what is left means the same without them.
func TestPropertyOnlyOursIsCut(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		text := settingsText(rt, false)
		// Some foreign handlers become ours.
		text = strings.Replace(text, `"say"`, `"`+testBinary+` hook Stop"`, rapid.IntRange(1, 3).Draw(rt, "ours"))
		doc, err := parse("", []byte(text))
		expect.OK(rt, err)
		foreign := func(d *document) (n int) {
			for _, ev := range d.events() {
				for _, v := range elements(ev.Value, "") {
					for _, h := range append(handlersOf(v), v) {
						if _, ours := asEntry("", v, h); !ours {
							n++
						}
					}
					if onlyOurs("", v) {
						n-- // the entry itself goes
					}
				}
			}
			return n
		}
		had := foreign(doc)

		cut := doc.cutOurs()
		left, err := parse("", cut)
		if err != nil || len(left.entries()) != 0 || foreign(left) != had {
			rt.Fatalf("%v, %d foreign handlers before\n%q\n%q", err, had, text, cut)
		}
	})
}
