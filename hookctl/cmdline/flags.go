package cmdline

import (
	"context"
	"fmt"
	"reflect"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"hookline/hookctl/problem"
)

// Flags adds a flag to cmd for each field with the tag `help` of the struct that to points to, and of those embedded in
// it; what the field has is the flag's default. Its name is the field's in lower case, or what the tag `flag` says: a name, a comma and a letter. Of
// a list the tag `sep:","` makes one flag take several values; without it the flag is repeated. Values that the tag
// `choices` names are the only ones; the shell offers them, those of the tag `offers`, or what offer has for the field's name.
func Flags(cmd *cobra.Command, to any, offer map[string]cobra.CompletionFunc) {
	all := reflect.ValueOf(to).Elem()
	for _, field := range reflect.VisibleFields(all.Type()) {
		help := field.Tag.Get("help")
		if help == "" {
			continue
		}

		name, letter, _ := strings.Cut(field.Tag.Get("flag"), ",")
		if name == "" {
			name = strings.ToLower(field.Name)
		}
		value := all.FieldByIndex(field.Index).Addr().Interface()
		words := strings.Fields(field.Tag.Get("offers"))
		if only := strings.Fields(field.Tag.Get("choices")); len(only) > 0 {
			words = only
			value = &choice{name, value.(*string), only}
		}
		add(cmd.Flags(), value, name, letter, help, field.Tag.Get("sep") != "")
		switch {
		case len(words) > 0:
			Choices(cmd, name, words...)
		case offer[field.Name] != nil:
			_ = cmd.RegisterFlagCompletionFunc(name, offer[field.Name]) // fails only for a flag that is not there
		case fileFlag.MatchString(help):
			_ = cmd.RegisterFlagCompletionFunc(name, cobra.FixedCompletions(nil, cobra.ShellCompDirectiveDefault)) // the same
		}
	}
}

// choice is the value of a flag that is one of some words.
type choice struct {
	name  string
	is    *string
	words []string
}

// String gives the value as it is typed.
func (c *choice) String() string { return *c.is }

// Set reads the value.
func (c *choice) Set(s string) error {
	if !slices.Contains(c.words, s) {
		last := len(c.words) - 1
		return problem.Faultf("there is no %s %q", c.name, s).Advise("--" + c.name + " takes " + strings.Join(c.words[:last], ", ") + " or " + c.words[last])
	}
	*c.is = s
	return nil
}

// Type names the value in help.
func (c *choice) Type() string { return "string" }

// Verb makes cmd a command whose function gets the context and the arguments once the flags (structs as of [Flags], with
// what offer has for their fields) are known. Without Args a command that is one word takes none.
func Verb(cmd *cobra.Command, offer map[string]cobra.CompletionFunc, run func(ctx context.Context, args []string) error, flags ...any) *cobra.Command {
	for _, f := range flags {
		Flags(cmd, f, offer)
	}
	if cmd.Args == nil && !strings.Contains(cmd.Use, " ") {
		cmd.Args = Exactly()
	}
	if fileArgument.MatchString(cmd.Use) {
		cmd.CompletionOptions.SetDefaultShellCompDirective(cobra.ShellCompDirectiveDefault)
	}
	cmd.RunE = func(cmd *cobra.Command, args []string) error { return run(cmd.Context(), args) }
	return cmd
}

func add(fl *pflag.FlagSet, to any, name, letter, help string, several bool) {
	switch p := to.(type) {
	case pflag.Value:
		fl.VarP(p, name, letter, help)
	case *string:
		fl.StringVarP(p, name, letter, *p, help)
	case *bool:
		fl.BoolVarP(p, name, letter, *p, help)
	case *float64:
		fl.Float64VarP(p, name, letter, *p, help)
	case *[]float64:
		fl.Float64SliceVarP(p, name, letter, *p, help)
		fl.Lookup(name).DefValue = "" // help would show an empty list
	case *[]string:
		if several {
			fl.StringSliceVarP(p, name, letter, *p, help)
		} else {
			fl.StringArrayVarP(p, name, letter, *p, help)
		}
	default:
		panic(fmt.Sprintf("a flag cannot be a %T", to))
	}
}
