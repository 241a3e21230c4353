package shape_test

import (
	"encoding/json"
	"fmt"
	"reflect"
	"strings"
	"testing"
	"time"

	"hookline/hookctl/shape"
)

type inner struct {
	N int `json:"n" jsonschema_description:"how many"`
}

type base struct {
	Name  string `json:"name,omitempty" jsonschema_description:"of the base"`
	Count int    `json:"count,omitempty" jsonschema_description:"hidden by the outer one"`
}

type odd struct{}

func (odd) MarshalJSON() ([]byte, error) { return []byte(`{"n":1}`), nil }

func (odd) JSONSchemaAlias() any { return inner{} }

type whole struct {
	base
	Count  int              `json:"count" jsonschema_description:"always"`
	OK     bool             `json:"ok,omitempty" jsonschema_description:"it is"`
	At     time.Time        `json:"at,omitzero" jsonschema_description:"when"`
	Since  string           `json:"since" jsonschema:"format=date-time" jsonschema_description:"empty: never"`
	PID    *int             `json:"pid" jsonschema_description:"null: none"`
	Ended  *time.Time       `json:"ended,omitempty" jsonschema_description:"when"`
	List   []inner          `json:"list" jsonschema_description:"some"`
	By     map[string]inner `json:"by,omitempty" jsonschema_description:"by name"`
	Pair   [2]float64       `json:"pair" jsonschema_description:"two"`
	Raw    json.RawMessage  `json:"raw" jsonschema_description:"whatever"`
	Odd    odd              `json:"odd" jsonschema_description:"writes itself"`
	Shared shared           `json:"shared" jsonschema_description:"told elsewhere"`
	Maybe  []string         `json:"maybe" jsonschema:"nullable" jsonschema_description:"some, or null"`
	None   string           `json:"-"`
}

type shared struct {
	S string `json:"s" jsonschema_description:"text"`
}

const good = `{"name":"a","count":0,"ok":true,"at":"2026-11-21T08:00:00Z","since":"","pid":null,"list":[{"n":1}],"by":{"x":{"n":2}},` +
	`"pair":[1,2.5],"raw":null,"odd":{"n":1},"shared":{"s":"t"},"maybe":null}`

func page() shape.Page {
	return shape.Page{Program: "prog", First: true, Rules: []string{"One rule."},
		Outputs: []shape.Output{
			{Verb: "show", Of: shape.Of[whole](), Exit: "3 on Sundays"},
			{Verb: "show --again", Of: shape.Of[whole](), Lines: true, Note: "Some words."},
			{Verb: "show one", Of: shape.Of[shared]()},
			{Verb: "text", Note: "Text."}},
		Objects: []shape.Object{{Name: "shared thing", Of: shape.Of[shared](), Doc: "A thing"}},
		Examples: func(verb string) string {
			return map[string]string{"show": "prog show --json\n" + good + "\n", "show --again": "prog show --again --json\n" + good + "\n" + good + "\n",
				"show one": "prog show one --json | jq 'del(.s)'\n{}\n"}[verb]
		}}
}

func TestFields(t *testing.T) {
	var got strings.Builder
	for _, f := range page().Fields(shape.Of[whole]()) {
		fmt.Fprintf(&got, "%s: %s, %s, %s\n", f.Path, f.Type, f.Absent, f.Doc)
	}
	const want = `name: string, if empty, of the base
count: integer, , always
ok: boolean, if false, it is
at: time, if none, when
since: time, , empty: never
pid: integer or null, , null: none
ended: time, if none, when
list: array of object, , some
list[].n: integer, , how many
by: object of object, if empty, by name
by.*.n: integer, , how many
pair: array of 2 number, , two
raw: any, , whatever
odd: object, , writes itself
odd.n: integer, , how many
shared: shared thing, , told elsewhere
maybe: array of string or null, , some, or null
`
	if got.String() != want {
		t.Errorf("got\n%s\nwant\n%s", &got, want)
	}
}

func TestCheck(t *testing.T) {
	if err := shape.Check(shape.Of[whole](), []byte(good), true); err != nil {
		t.Error(err)
	}
	for _, c := range []struct{ old, new, want string }{
		{`"count":0,`, ``, "count: missing"},
		{`"count":0`, `"count":"0"`, "count: 0 is no integer"},
		{`"count":0`, `"count":1.5`, "count: 1.5 is no integer"},
		{`"count":0`, `"count":0,"more":1`, "more: not a field of it"},
		{`"name":"a"`, `"name":null`, "name: null, though it is left out when there is none"},
		{`"name":"a"`, `"name":1`, "name: 1 is no string"},
		{`"ok":true`, `"ok":1`, "ok: 1 is no boolean"},
		{`08:00:00Z`, `08:00:00+01:00`, "at: 2026-11-21T08:00:00+01:00 is no time in UTC"},
		{`"since":""`, `"since":"noon"`, "since: noon is no time in UTC"},
		{`"list":[{"n":1}]`, `"list":null`, "list: null"},
		{`"list":[{"n":1}]`, `"list":{}`, "list: map[] is no array of the right length"},
		{`{"n":2}`, `{"n":null}`, "by.x.n: null"},
		{`{"x":{"n":2}}`, `[]`, "by: [] is no object"},
		{`[1,2.5]`, `[1]`, "pair: [1] is no array of the right length"},
		{`[1,2.5]`, `[1,"2"]`, "pair[1]: 2 is no number"},
		{`"odd":{"n":1}`, `"odd":1`, "odd: 1 is no object"},
		{`{"name"`, `{name`, "not JSON: invalid character 'n' looking for beginning of object key string"},
	} {
		err := shape.Check(shape.Of[whole](), []byte(strings.Replace(good, c.old, c.new, 1)), true)
		if err == nil || err.Error() != c.want {
			t.Errorf("%s instead of %s: %v, want %s", c.new, c.old, err, c.want)
		}
	}
	if err := shape.Check(shape.Of[whole](), []byte(`{"count":1}`), false); err != nil {
		t.Errorf("a part: %v", err)
	}
}

// A verb prints exactly one object, or any number of lines.
func TestOutputCheck(t *testing.T) {
	one, lines := shape.Output{Verb: "v", Of: shape.Of[shared]()}, shape.Output{Verb: "v", Of: shape.Of[shared](), Lines: true}
	const object = `{"s":"t"}` + "\n"
	for _, c := range []struct {
		o             shape.Output
		printed, want string
	}{
		{one, object, "<nil>"},
		{one, object + object, "v: 2 lines, want one object on one"},
		{one, "", "v, line 1: not JSON: EOF"},
		{lines, "", "<nil>"},
		{lines, object + object, "<nil>"},
		{lines, object + "{}\n", "v, line 2: s: missing"},
		{shape.Output{Verb: "v"}, "text", "<nil>"},
	} {
		if err := c.o.Check([]byte(c.printed)); fmt.Sprint(err) != c.want {
			t.Errorf("%q: %v, want %s", c.printed, err, c.want)
		}
	}
}

func TestFor(t *testing.T) {
	for args, want := range map[string]string{"show": "show", "show --json x": "show", "--json show one": "show one", "show x --again": "show --again",
		"text": "text", "other": "", "": ""} {
		if o, ok := page().For(strings.Fields(args)); o.Verb != want || ok != (want != "") {
			t.Errorf("%q: %q, want %q", args, o.Verb, want)
		}
	}
}

func TestMarkdown(t *testing.T) {
	got := page().Markdown()
	for _, want := range []string{"# What --json prints\n", "- One rule.\n", "| [`prog show --again`](#prog-show---again) | one object a line |\n", "| `prog text` | Text. |\n",
		"### prog show\n\nOne object. Exit code: 3 on Sundays.\n\n| field | type | absent | meaning |\n",
		"| `pid` | integer or null |  | null: none |\n", "| `shared` | [shared thing](#shared-thing) |  | told elsewhere |\n",
		"### prog show --again\n\nOne object a line, as of [prog show](#prog-show). Some words.\n\n```console\n$ prog show --again --json\n{\n  \"name\": \"a\",\n",
		"  \"list\": [{\"n\":1}],\n", "### prog show one\n\nOne object, [shared thing](#shared-thing).\n\n```console\n",
		"## Objects in what prog prints\n\n### shared thing\n\nA thing.\n\n| field |"} {
		if !strings.Contains(got, want) {
			t.Errorf("lacks %q:\n%s", want, got)
		}
	}
	if strings.Contains(got, "### prog text") {
		t.Error("a verb without an object has a section")
	}
}

func TestText(t *testing.T) {
	plain := func(label, text string) string { return label + text }
	got, ok := page().Text("shared thing", plain)
	if want := "shared thing: A thing.\n\n  s  (string)\n      text\n"; !ok || got != want {
		t.Errorf("%q", got)
	}
	got, ok = page().Text("show", plain)
	if !ok || !strings.HasPrefix(got, "prog show --json: one object. Exit code: 3 on Sundays.\n\n  name  (string, absent if empty)\n      of the base\n") ||
		!strings.Contains(got, "\nprog show --again --json: one object a line. Some words.\n") || !strings.Contains(got, "\n  $ prog show --json\n  {\n    \"name\": \"a\",\n") {
		t.Errorf("%q", got)
	}
	if got, ok := page().Text("other", plain); ok || got != "" {
		t.Errorf("%q", got)
	}
}

func TestFaults(t *testing.T) {
	verbs := []string{"show", "show one", "text"}
	if all := page().Faults(verbs); len(all) != 0 {
		t.Error(all)
	}
	p := page()
	p.Outputs = append(p.Outputs, shape.Output{Verb: "gone", Of: reflect.TypeFor[struct {
		A int `json:"a"`
	}]()}, shape.Output{Verb: "text x"})
	var got []string
	for _, err := range p.Faults(append(verbs, "new", "text x")) {
		got = append(got, err.Error())
	}
	want := "prog new: nothing is said of it|prog gone: no such verb|prog gone: a has no meaning|example of prog gone: there is none|prog text x: it does not say what is printed instead"
	if strings.Join(got, "|") != want {
		t.Errorf("got\n%s\nwant\n%s", strings.Join(got, "|"), want)
	}
}
