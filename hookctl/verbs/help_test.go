package verbs

import (
	"encoding/json"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/spf13/cobra"

	"hookline/expect"
	"hookline/hookctl/cmdline"
)

func walk(c *cobra.Command, f func(*cobra.Command)) {
	f(c)
	for _, sub := range c.Commands() {
		walk(sub, f)
	}
}

// TestHelpOfEveryVerb: --help works, says what the verb does and shows an example that calls it.
func TestHelpOfEveryVerb(t *testing.T) {
	b := newBench(t, nil)
	walk(commandTree(b.Env, Searcher{}), func(c *cobra.Command) {
		if c.Short == "" || strings.HasSuffix(c.Short, ".") {
			t.Errorf("%s: short text %q", c.CommandPath(), c.Short)
		}
		if !strings.Contains(c.Example, c.CommandPath()) {
			t.Errorf("%s: its example does not call it: %q", c.CommandPath(), c.Example)
		}
		args := append(strings.Fields(c.CommandPath())[1:], "--help")
		if c.Name() == "help" {
			args = []string{"help", "help"}
		}
		out := b.must(args...)
		contains(t, out, "Examples:", "Usage:")
		if c.HasParent() && c.Flags().Lookup("json") == nil && c.InheritedFlags().Lookup("json") == nil {
			t.Errorf("%s has no --json", c.CommandPath())
		}
		for line := range strings.Lines(out) {
			if w := cmdline.Width(strings.TrimRight(line, "\n")); w > 80 && !strings.HasPrefix(line, "  "+c.CommandPath()) { // but an example may be longer
				t.Errorf("%s: help is %d columns wide: %q", c.CommandPath(), w, line)
			}
		}
	})
}

// TestNoDestructiveHint: a hint names what to look at, never a whole command that removes something.
func TestNoDestructiveHint(t *testing.T) {
	files := expect.Value(filepath.Glob("*.go"))(t)
	files = append(files, expect.Value(filepath.Glob("*/*.go"))(t)...)
	for _, name := range files {
		text := expect.Value(os.ReadFile(name))(t)
		for _, word := range []string{"rm -", "kill ", "--purge`", "session delete`", "rmdir"} {
			if strings.Contains(string(text), word) && !strings.HasSuffix(name, "_test.go") {
				t.Errorf("%s contains %q", name, word)
			}
		}
	}
}

// TestClientVerbs: what the client calls is handed to the thin client, whatever flags it has.
func TestClientVerbs(t *testing.T) {
	t.Setenv("HOOKLINE_DISABLED", "1") // a hook does nothing then
	b := newBench(t, nil)
	for _, args := range []string{"hook Stop", "hook", "consciousness brief --hook", "consciousness check-identity --auto-dream --later-flag", "session persist-identity"} {
		if code, out, errs := b.run(strings.Fields(args)...); code != 0 || out != "" || errs != "" {
			t.Errorf("%s: exit %d, %q, %q", args, code, out, errs)
		}
	}
	contains(t, b.must("hook", "--help"), "hookctl hook PreToolUse < hook.json")
}

// TestSchemas: every output belongs to a verb, and every schema can be printed.
func TestSchemas(t *testing.T) {
	b := newBench(t, nil)
	for verb := range outputs() {
		c, rest, err := commandTree(b.Env, Searcher{}).Find(strings.Fields(verb))
		if err != nil || len(rest) > 0 || c.HasSubCommands() {
			t.Errorf("%s is no verb", verb)
		}
		contains(t, b.must(append([]string{"schema"}, strings.Fields(verb)...)...), `"$schema": "https://json-schema.org/draft/2020-12/schema"`, `"title": "hookctl `+verb+`"`)
	}
	contains(t, b.must("schema"), "\nstatus\n", "\nsession list\n")
	contains(t, b.must("schema", "session", "list"), `"description": "one object a line, perhaps none; this is the schema of a line"`)
}

// TestOutputsAreDescribed: a field without a description is blank in the schema.
func TestOutputsAreDescribed(t *testing.T) {
	for verb, output := range outputs() {
		described(t, verb, reflect.TypeOf(output), map[reflect.Type]bool{})
	}
}

// described fails for each field of ours below a type that has no description.
func described(t *testing.T, path string, typ reflect.Type, seen map[reflect.Type]bool) {
	t.Helper()
	switch typ.Kind() {
	case reflect.Pointer, reflect.Slice, reflect.Map:
		described(t, path, typ.Elem(), seen)
		return
	case reflect.Struct:
	default:
		return
	}
	writesItself := reflect.PointerTo(typ).Implements(reflect.TypeFor[json.Marshaler]())
	if seen[typ] || writesItself || !strings.HasPrefix(typ.PkgPath(), "hookline/") {
		return
	}
	seen[typ] = true

	for f := range typ.Fields() {
		if !f.IsExported() || f.Tag.Get("json") == "-" {
			continue
		}
		if !f.Anonymous && f.Tag.Get("jsonschema_description") == "" {
			t.Errorf("%s: the field %s.%s has no jsonschema_description", path, typ, f.Name)
		}
		described(t, path, f.Type, seen)
	}
}

// withoutOutput are the verbs that print no JSON of ours: they answer the client or another program, edit, or show a screen.
var withoutOutput = []string{
	"completion", "config edit", "consciousness brief", "consciousness check-identity", "consciousness inject-context",
	"events schema", "hook", "log", "man", "mcp", "otel", "req schema", "schema", "session persist-identity",
	"session restore-identity", "top",
}

// TestEveryVerbHasItsOutput: no verb prints JSON that has no schema.
func TestEveryVerbHasItsOutput(t *testing.T) {
	b := newBench(t, nil)
	all := outputs()
	var without []string
	walk(commandTree(b.Env, Searcher{}), func(c *cobra.Command) {
		if c.HasSubCommands() || !c.Runnable() {
			return
		}
		_, verb, _ := strings.Cut(c.CommandPath(), " ")
		if _, known := all[verb]; known {
			return
		}
		without = append(without, verb)
		if !slices.Contains(withoutOutput, verb) {
			t.Errorf("the verb %q has no line in the table Outputs of its package below hookctl/verbs", verb)
		}
	})
	for _, verb := range withoutOutput {
		if !slices.Contains(without, verb) {
			t.Errorf("%q is in the list of verbs without output, and is none", verb)
		}
	}
}
