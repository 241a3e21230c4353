package cmdline

import (
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"hookline/hookctl/spelling"
)

// What is wrong with the words of a command line is said here and nowhere else: the library's errors
// about flags and arguments are turned into what is wanted, with the verb's own example.

// Exactly wants as many arguments as there are names, and says which one is missing.
func Exactly(names ...string) cobra.PositionalArgs { return Between(len(names), names...) }

// Between wants at least the first few of the named arguments and no more than all.
func Between(least int, names ...string) cobra.PositionalArgs {
	return func(cmd *cobra.Command, args []string) error {
		switch {
		case len(args) < least:
			return misused(cmd, fmt.Sprintf("`%s` wants %s", cmd.CommandPath(), names[len(args)]))
		case len(args) > len(names):
			return misused(cmd, fmt.Sprintf("`%s` does not know what to do with %q", cmd.CommandPath(), args[len(names)]))
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

// misused is a usage error of a verb. Its hint is the verb's first example, or the one with the flag that
// is named; of a verb that asks before it removes something only where its help is.
func misused(cmd *cobra.Command, message string, flag ...string) error {
	f := &Fault{Message: message, Hint: "`" + cmd.CommandPath() + " --help` shows how it is called"}
	for line := range strings.Lines(cmd.Example) {
		line = strings.TrimSpace(line)
		fits := !slices.ContainsFunc(flag, func(name string) bool { return !slices.Contains(strings.Fields(line), name) })
		if fits && strings.HasPrefix(line, cmd.CommandPath()) && cmd.Flags().Lookup("yes") == nil {
			f.Hint = "for example `" + line + "`"
			break
		}
	}
	return f
}

// plainWords makes every verb below c, and c itself, say its usage errors in our words.
func plainWords(c *cobra.Command) {
	if judge := c.Args; judge != nil {
		c.Args = func(cmd *cobra.Command, args []string) error { return argumentError(cmd, args, judge(cmd, args)) }
	}
	before := c.PreRunE
	c.PreRunE = func(cmd *cobra.Command, args []string) error {
		if err := flagGroups(cmd); err != nil || before == nil {
			return err
		}
		return before(cmd, args)
	}
	for _, sub := range c.Commands() {
		plainWords(sub)
	}
}

// argumentError names the argument that is missing, or the one too many, by the words of the usage line.
func argumentError(cmd *cobra.Command, args []string, err error) error {
	var f *Fault
	if err == nil || errors.As(err, &f) {
		return err
	}
	use, _, _ := strings.Cut(strings.NewReplacer("[", "", "]", "", "...", "").Replace(cmd.Use), " -") // flags follow
	names := strings.Fields(use)[1:]
	return Between(min(len(args)+1, len(names)), names...)(cmd, args)
}

// The library's notes at the flags of a group: the names of the whole group, in one string.
const (
	excludeNote = "cobra_annotation_mutually_exclusive"
	oneOfNote   = "cobra_annotation_one_required"
)

// flagGroups judges flags that are wanted, and those that exclude each other or of which one is wanted.
func flagGroups(cmd *cobra.Command) error {
	for _, name := range flagNames(cmd) {
		f := cmd.Flags().Lookup(name)
		for _, group := range f.Annotations[excludeNote] {
			if given := given(cmd, group); len(given) > 1 {
				return misused(cmd, strings.Join(given, " and ")+" exclude each other")
			}
		}
		for _, group := range f.Annotations[oneOfNote] {
			if len(given(cmd, group)) == 0 {
				return misused(cmd, "`"+cmd.CommandPath()+"` wants "+strings.Join(dashed(group), " or "))
			}
		}
		if slices.Equal(f.Annotations[cobra.BashCompOneRequiredFlag], []string{"true"}) && !f.Changed {
			return misused(cmd, fmt.Sprintf("`%s` wants --%s: %s", cmd.CommandPath(), name, f.Usage))
		}
	}
	return nil
}

func dashed(group string) []string {
	names := strings.Fields(group)
	for i := range names {
		names[i] = "--" + names[i]
	}
	return names
}

// given are those flags of a group that the command line has.
func given(cmd *cobra.Command, group string) []string {
	return slices.DeleteFunc(dashed(group), func(name string) bool { return !cmd.Flags().Changed(name[2:]) })
}

func flagNames(cmd *cobra.Command) []string {
	var names []string
	flags := cmd.Flags()
	flags.AddFlagSet(cmd.InheritedFlags())
	for line := range strings.Lines(flags.FlagUsages()) {
		if m := flagWord.FindStringSubmatch(line); m != nil {
			names = append(names, m[1])
		}
	}
	return names
}

// flagWord finds a flag's long name.
var flagWord = regexp.MustCompile(`--([a-z0-9][a-z0-9-]*)`)

// flagError turns an error about one flag into what is wanted.
func flagError(cmd *cobra.Command, err error) error {
	var value interface{ GetValue() string }
	var named interface {
		GetSpecifiedName() string
		GetSpecifiedShortnames() string
	}
	switch {
	case errors.As(err, &value):
		return wrongValue(cmd, err.Error(), value.GetValue())
	case errors.As(err, &named):
		name, f := "--"+named.GetSpecifiedName(), cmd.Flag(named.GetSpecifiedName())
		if named.GetSpecifiedShortnames() != "" {
			name, f = "-"+named.GetSpecifiedName()[:1], cmd.Flags().ShorthandLookup(named.GetSpecifiedName()[:1])
		}
		if f != nil {
			return misused(cmd, name+" wants a value: "+f.Usage, name)
		}
		return noSuchFlag(cmd, name)
	}
	return misused(cmd, err.Error())
}

// wrongValue says what a flag takes. The flag is the one that the library's message names last, behind
// the value.
func wrongValue(cmd *cobra.Command, message, value string) error {
	all := flagWord.FindAllStringSubmatch(strings.TrimPrefix(message, fmt.Sprintf("invalid argument %q", value)), 1)
	if len(all) == 0 {
		return misused(cmd, message)
	}
	name, wants := all[0][1], "another value"
	f := cmd.Flag(name)
	if f == nil {
		return misused(cmd, message)
	}
	switch f.Value.Type() {
	case "int", "int64", "uint", "uint64":
		wants = "a whole number"
	case "float64":
		wants = "a number"
	case "bool":
		wants = "true or false"
	case "duration":
		wants = "a duration, as 10m"
	}
	dashes := "--"
	if len(name) == 1 {
		dashes = "-"
	}
	return misused(cmd, fmt.Sprintf("%s%s wants %s, not %q", dashes, name, wants, value), dashes+name)
}

func noSuchFlag(cmd *cobra.Command, name string) error {
	f := &Fault{Message: fmt.Sprintf("`%s` has no flag %s", cmd.CommandPath(), name), Hint: "`" + cmd.CommandPath() + " --help` lists them"}
	if near := spelling.Nearest(strings.TrimLeft(name, "-"), flagNames(cmd)); near != "" {
		f.Hint = "did you mean `--" + near + "`?"
	}
	return f
}

// noSuchVerb refuses a word that is no verb of cmd, with the nearest one.
func noSuchVerb(cmd *cobra.Command, args []string) error {
	if len(args) == 0 {
		return nil
	}
	f := &Fault{Message: fmt.Sprintf("`%s` has no verb %q", cmd.CommandPath(), args[0]), Hint: "`" + cmd.CommandPath() + " --help` lists them"}
	cmd.SuggestionsMinimumDistance = 2
	if near := cmd.SuggestionsFor(args[0]); len(near) > 0 {
		for i := range near {
			near[i] = "`" + cmd.CommandPath() + " " + near[i] + "`"
		}
		f.Hint = "did you mean " + strings.Join(near, " or ") + "?"
	}
	return f
}
