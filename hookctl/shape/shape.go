// Package shape tells what a verb prints with --json: which fields, of which type, and when one is
// absent. All of it is read from the Go type that is printed, so the page docs/json.md, the verb
// `json` and the tests that look at real output cannot tell different things.
//
// A field is what encoding/json makes of a struct's: its name and whether it is left out when empty
// come from the tag json, its meaning from the tag jsonschema_description, as with the events; the tag
// jsonschema:"format=date-time" makes a string a time, jsonschema:"nullable" says that a list may be
// null. Where a type writes itself (MarshalJSON), its
// method JSONSchemaAlias gives a struct of the same form.
package shape

import (
	"reflect"
	"slices"
	"strings"
)

// Output is what one verb prints with --json.
type Output struct {
	Verb  string       // behind the program's name, as "session list"; a flag behind it, as "events show --raw", is a variant
	Of    reflect.Type // one object of it; nil for a verb that prints no JSON, or none of ours
	Lines bool         // one object a line, perhaps none; else exactly one object
	Note  string       // what the fields do not say, in Markdown without links
	Exit  string       // what the exit code means, where it says more than that of every verb
}

// Object is a struct with a section of its own, since several verbs print it.
type Object struct {
	Name string // in lower case, a heading of the page
	Of   reflect.Type
	Doc  string // a sentence without its full stop
	Told bool   // by the page of the other program
}

// Page is what one program prints.
type Page struct {
	Program  string
	First    bool     // its part begins the page docs/json.md
	Rules    []string // what holds for every verb, in Markdown without links
	Outputs  []Output
	Objects  []Object
	Examples func(verb string) string // a command line and what it printed; "" for none
}

// Field is one member of an object.
type Field struct {
	Path   string `json:"path" jsonschema_description:"a.b is b in the object a, a[] an element of an array, a.* a value of an object with any names"`
	Type   string `json:"type" jsonschema_description:"in words, as array of string; what is not said to be null never is"`
	Absent string `json:"absent,omitempty" jsonschema_description:"when the field is left out: if empty, if 0, if false or if none"`
	Doc    string `json:"meaning" jsonschema_description:"unit and range included"`

	of member
}

// For finds the output of a command line: that of the verb, or of its variant with one of the flags.
func (p Page) For(args []string) (Output, bool) {
	var best Output
	words := slices.DeleteFunc(slices.Clone(args), func(a string) bool { return strings.HasPrefix(a, "-") })
	for _, o := range p.Outputs {
		verb, flags := o.words()
		given := !slices.ContainsFunc(flags, func(f string) bool { return !slices.Contains(args, f) })
		if given && len(verb) <= len(words) && slices.Equal(verb, words[:len(verb)]) && len(o.Verb) > len(best.Verb) {
			best = o
		}
	}
	return best, best.Verb != ""
}

// words are those of the verb, and of the flag of a variant with its value.
func (o Output) words() (verb, flag []string) {
	all := strings.Fields(o.Verb)
	i := slices.IndexFunc(all, func(w string) bool { return strings.HasPrefix(w, "-") })
	if i < 0 {
		return all, nil
	}
	return all[:i], all[i:]
}

// Named are the outputs of a verb: its own and those of its variants.
func (p Page) Named(verb string) []Output {
	return slices.DeleteFunc(slices.Clone(p.Outputs), func(o Output) bool {
		words, _ := o.words()
		return strings.Join(words, " ") != verb
	})
}

// Of is the type S, as a literal has it.
func Of[S any]() reflect.Type { return reflect.TypeFor[S]() }
