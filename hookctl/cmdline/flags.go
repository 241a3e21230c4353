package cmdline

import (
	"context"
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
// `choices` names, comma-separated, are the only ones, which the function that is returned checks once the flags are
// known; the shell offers them, those of the tag `offers`, or what offer has for the field's name.
func Flags(cmd *cobra.Command, to any, offer map[string]cobra.CompletionFunc) (check func() error) {
	check = func() error { return nil }
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
		value := all.FieldByIndex(field.Index)
		add(cmd.Flags(), value.Addr().Interface(), name, letter, help, field.Tag.Get("sep") != "")
		words := split(field.Tag.Get("offers"))
		if only := split(field.Tag.Get("choices")); len(only) > 0 {
			words = only
			check = both(check, func() error { return oneOf(name, value.String(), only) })
		}
		switch {
		case len(words) > 0:
			Choices(cmd, name, words...)
		case offer[field.Name] != nil:
			_ = cmd.RegisterFlagCompletionFunc(name, offer[field.Name]) // fails only for a flag that is not there
		case fileFlag.MatchString(help):
			_ = cmd.RegisterFlagCompletionFunc(name, cobra.FixedCompletions(nil, cobra.ShellCompDirectiveDefault)) // the same
		}
	}
	return check
}

// Verb makes cmd a command whose function gets the context and the arguments once the flags (structs as of [Flags], with
// what offer has for their fields) are known. Without Args a command that is one word takes none.
func Verb(cmd *cobra.Command, offer map[string]cobra.CompletionFunc, run func(ctx context.Context, args []string) error, flags ...any) *cobra.Command {
	check := func() error { return nil }
	for _, f := range flags {
		check = both(check, Flags(cmd, f, offer))
	}
	if cmd.Args == nil && !strings.Contains(cmd.Use, " ") {
		cmd.Args = Exactly()
	}
	if fileArgument.MatchString(cmd.Use) {
		cmd.CompletionOptions.SetDefaultShellCompDirective(cobra.ShellCompDirectiveDefault)
	}
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		if err := check(); err != nil {
			return err
		}
		return run(cmd.Context(), args)
	}
	return cmd
}

func split(list string) []string {
	return strings.FieldsFunc(list, func(r rune) bool { return r == ',' })
}

func both(x, y func() error) func() error {
	return func() error {
		if err := x(); err != nil {
			return err
		}
		return y()
	}
}

func add(fl *pflag.FlagSet, to any, name, letter, help string, several bool) {
	switch p := to.(type) {
	case pflag.Value:
		fl.VarP(p, name, letter, help)
	case *string:
		fl.StringVarP(p, name, letter, *p, help)
	case *bool:
		fl.BoolVarP(p, name, letter, *p, help)
	case *int:
		fl.IntVarP(p, name, letter, *p, help)
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
	}
}

// oneOf refuses a value that is not among the choices of a flag.
func oneOf(name, value string, choices []string) error {
	if slices.Contains(choices, value) {
		return nil
	}
	last := len(choices) - 1
	return problem.Faultf("there is no %s %q", name, value).Advise("--" + name + " takes " + strings.Join(choices[:last], ", ") + " or " + choices[last])
}
