package shape

import (
	"bytes"
	"encoding/json"
	"fmt"
	"reflect"
	"slices"
	"strings"
)

// Markdown is the program's part of the page docs/json.md.
func (p Page) Markdown() string {
	var b strings.Builder
	if p.First {
		b.WriteString("# What --json prints\n\n<!-- Made by: make docs -->\n\n## What holds for every verb\n\n")
		for _, r := range p.Rules {
			b.WriteString("- " + r + "\n")
		}
		b.WriteString("\n")
	}
	p.index(&b)
	told := map[reflect.Type]string{}
	for _, o := range p.Outputs {
		if o.Of == nil {
			continue
		}
		fmt.Fprintf(&b, "### %s %s\n\n", p.Program, o.Verb)
		p.output(&b, o, told[o.Of])
		if told[o.Of] == "" {
			told[o.Of] = p.Program + " " + o.Verb
		}
	}
	first := true
	for _, o := range p.Objects {
		if o.Told {
			continue
		}
		if first {
			fmt.Fprintf(&b, "## Objects in what %s prints\n\n", p.Program)
			first = false
		}
		fmt.Fprintf(&b, "### %s\n\n%s.\n\n", o.Name, o.Doc)
		p.table(&b, o.Of)
	}
	return strings.TrimRight(b.String(), "\n") + "\n"
}

// index lists the verbs with what they print.
func (p Page) index(b *strings.Builder) {
	fmt.Fprintf(b, "## Verbs of %s\n\n| verb | prints |\n|---|---|\n", p.Program)
	for _, o := range p.Outputs {
		name := p.Program + " " + o.Verb
		if o.Of == nil {
			fmt.Fprintf(b, "| `%s` | %s |\n", name, o.Note)
			continue
		}
		fmt.Fprintf(b, "| [`%s`](%s) | %s |\n", name, anchor(name), o.Form())
	}
	b.WriteString("\n")
}

// Form is how many objects a verb prints, in words.
func (o Output) Form() string {
	switch {
	case o.Of == nil:
		return "no object of ours"
	case o.Lines:
		return "one object a line"
	}
	return "one object"
}

// output is the section of a verb; as is the verb before that prints the same, "" for none.
func (p Page) output(b *strings.Builder, o Output, as string) {
	form, table := o.Form(), true
	switch name := p.named(plain(o.Of)); {
	case name != "":
		form, table = form+", "+link(name), false
	case as != "":
		form, table = form+", as of "+link(as), false
	}
	form = strings.ToUpper(form[:1]) + form[1:] + "."
	b.WriteString(strings.Join(slices.DeleteFunc([]string{form, o.Note, o.exit()}, func(s string) bool { return s == "" }), " ") + "\n\n")
	if table {
		p.table(b, o.Of)
	}
	if e := p.Example(o.Verb); e != "" {
		b.WriteString("```console\n" + e + "```\n\n")
	}
}

// exit is a sentence about the exit code, "" where there is nothing to add.
func (o Output) exit() string {
	if o.Exit == "" {
		return ""
	}
	return "Exit code: " + o.Exit + "."
}

func link(name string) string { return "[" + name + "](" + anchor(name) + ")" }

// anchor is the address of a heading in the page.
func anchor(heading string) string { return "#" + strings.ReplaceAll(heading, " ", "-") }

func (p Page) table(b *strings.Builder, t reflect.Type) {
	b.WriteString("| field | type | absent | meaning |\n|---|---|---|---|\n")
	for _, f := range p.Fields(t) {
		fmt.Fprintf(b, "| `%s` | %s | %s | %s |\n", f.Path, p.member(f.of, link), f.Absent, strings.ReplaceAll(f.Doc, "|", "\\|"))
	}
	b.WriteString("\n")
}

// Text is what a terminal shows of a verb with its variants, or of an object; wrap sets a label and the
// text behind it. false: there is no such verb.
func (p Page) Text(name string, wrap func(label, text string) string) (string, bool) {
	var parts []string
	for _, o := range p.Named(name) {
		head := strings.Join(strings.Fields(fmt.Sprintf("%s %s --json: %s. %s %s", p.Program, o.Verb, o.Form(), o.Note, o.exit())), " ")
		parts = append(parts, p.text(wrap("", head), o.Of, p.Example(o.Verb), wrap))
	}
	for _, x := range p.Objects {
		if x.Name == name && len(parts) == 0 {
			parts = append(parts, p.text(wrap("", x.Name+": "+x.Doc+"."), x.Of, "", wrap))
		}
	}
	return strings.Join(parts, "\n"), len(parts) > 0
}

func (p Page) text(head string, of reflect.Type, example string, wrap func(label, text string) string) string {
	var b strings.Builder
	b.WriteString(head + "\n")
	if of == nil {
		return b.String()
	}
	b.WriteString("\n")
	for _, f := range p.Fields(of) {
		kind := f.Type
		if f.Absent != "" {
			kind += ", absent " + f.Absent
		}
		fmt.Fprintf(&b, "  %s  (%s)\n%s\n", f.Path, kind, wrap("      ", f.Doc))
	}
	if example != "" {
		b.WriteString("\n  " + strings.ReplaceAll(strings.TrimSuffix(example, "\n"), "\n", "\n  ") + "\n")
	}
	return b.String()
}

// exampleColumns is how wide a line of an example may be before it is folded.
const exampleColumns = 100

// Example is a verb's: the command line, and behind it what it printed, folded for reading.
func (p Page) Example(verb string) string {
	if p.Examples == nil {
		return ""
	}
	command, printed, ok := strings.Cut(p.Examples(verb), "\n")
	if !ok {
		return ""
	}
	out := "$ " + command + "\n"
	for line := range strings.Lines(printed) {
		out += fold([]byte(strings.TrimSpace(line)), "") + "\n"
	}
	return out
}

// fold writes an object or array with a line for each member where it is too wide for one.
func fold(value []byte, indent string) string {
	if len(indent)+len(value) <= exampleColumns || value[0] != '{' && value[0] != '[' {
		return string(value)
	}
	d := json.NewDecoder(bytes.NewReader(value))
	open, _ := d.Token()
	var parts []string
	for d.More() {
		part := ""
		if open == json.Delim('{') {
			key, _ := d.Token()
			part = fmt.Sprintf("%q: ", key)
		}
		var v json.RawMessage
		if d.Decode(&v) != nil {
			return string(value) // no JSON: as it is
		}
		parts = append(parts, indent+"  "+part+fold(v, indent+"  "))
	}
	return string(value[:1]) + "\n" + strings.Join(parts, ",\n") + "\n" + indent + string(value[len(value)-1:])
}
