package cmdline

import (
	"errors"
	"fmt"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"hookline/hookctl/problem"
)

// Exactly wants as many arguments as there are names, and names the one that is missing.
func Exactly(names ...string) cobra.PositionalArgs { return Between(len(names), names...) }

// Between wants at least the first few of the named arguments and no more than all.
func Between(least int, names ...string) cobra.PositionalArgs {
	return func(cmd *cobra.Command, args []string) error {
		switch {
		case len(args) < least:
			return misused(cmd, "missing argument: "+names[len(args)])
		case len(args) > len(names):
			return misused(cmd, fmt.Sprintf("unexpected argument %q", args[len(names)]))
		}
		return nil
	}
}

// AtLeast wants one argument or more, each the same thing.
func AtLeast(name string) cobra.PositionalArgs {
	return func(cmd *cobra.Command, args []string) error {
		if len(args) > 0 {
			return nil
		}
		return Exactly(name)(cmd, args)
	}
}

// misused is a usage error of a verb, with its help as the hint.
func misused(cmd *cobra.Command, message string) *problem.Error {
	return problem.Faultf("%s", message).Advise("`" + cmd.CommandPath() + " --help` shows how it is called")
}

// flagError adds a hint to cobra's error about one flag: the flag that was probably meant, else the help.
// After a word that is no verb, the word is what is wrong.
func flagError(cmd *cobra.Command, err error) error {
	if cmd.HasSubCommands() && cmd.Flags().NArg() > 0 {
		return noSuchVerb(cmd, cmd.Flags().Args())
	}

	var own *problem.Error // of a value that is none of the choices
	if errors.As(err, &own) {
		return own
	}
	f := misused(cmd, err.Error())
	var unknown *pflag.NotExistError
	if errors.As(err, &unknown) {
		var names []string
		cmd.Flags().VisitAll(func(f *pflag.Flag) { names = append(names, f.Name) })
		f = f.Meant(unknown.GetSpecifiedName(), names, "`--%s`")
	}
	return f
}

// noSuchVerb refuses a word that is no verb of cmd, with the nearest one.
func noSuchVerb(cmd *cobra.Command, args []string) error {
	if len(args) == 0 {
		return nil
	}

	cmd.SuggestionsMinimumDistance = 2
	return problem.Faultf("unknown command %q for %q", args[0], cmd.CommandPath()).Advise("`"+cmd.CommandPath()+" --help` lists them").
		Meant(args[0], cmd.SuggestionsFor(args[0]), "`"+cmd.CommandPath()+" %s`")
}
