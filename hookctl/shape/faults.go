package shape

import (
	"errors"
	"fmt"
	"slices"
	"strings"
)

// Faults are what a page lacks, for the program's tests: verbs are all that the program has. Every verb
// has an output and every output a verb; every field has a meaning; every output that is an object has
// an example, which calls the verb and is of the type.
func (p Page) Faults(verbs []string) []error {
	var all []error
	fault := func(format string, args ...any) { all = append(all, fmt.Errorf(format, args...)) }
	for _, v := range verbs {
		if len(p.Named(v)) == 0 {
			fault("%s %s: nothing is said of it", p.Program, v)
		}
	}
	for _, o := range p.Outputs {
		if words, _ := o.words(); !slices.Contains(verbs, strings.Join(words, " ")) {
			fault("%s %s: no such verb", p.Program, o.Verb)
		}
		if o.Of == nil {
			if o.Note == "" {
				fault("%s %s: it does not say what is printed instead", p.Program, o.Verb)
			}
			continue
		}
		for _, f := range p.Fields(o.Of) {
			if f.Doc == "" {
				fault("%s %s: %s has no meaning", p.Program, o.Verb, f.Path)
			}
		}
		if err := p.judge(o); err != nil {
			fault("example of %s %s: %w", p.Program, o.Verb, err)
		}
	}
	for _, x := range p.Objects {
		for _, f := range p.Fields(x.Of) {
			if f.Doc == "" {
				fault("%s: %s has no meaning", x.Name, f.Path)
			}
		}
	}
	return all
}

// judge compares an example with its output. One whose command line goes on behind jq shows a part.
func (p Page) judge(o Output) error {
	command, printed, ok := strings.Cut(p.Examples(o.Verb), "\n")
	if !ok || printed == "" {
		return errors.New("there is none")
	}
	call, filter, _ := strings.Cut(command, " | ")
	words := strings.Fields(call)
	if found, _ := p.For(words[1:]); words[0] != p.Program || found.Verb != o.Verb || !slices.Contains(words, "--json") {
		return fmt.Errorf("%q does not call it with --json", command)
	}
	if !strings.HasPrefix(filter, "jq ") {
		return o.Check([]byte(printed))
	}
	return Check(o.Of, []byte(printed), false)
}
