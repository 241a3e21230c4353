package cmdline

import (
	"regexp"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// Choices has the shell complete a flag of cmd from a fixed list.
func Choices(cmd *cobra.Command, flag string, values ...string) {
	_ = cmd.RegisterFlagCompletionFunc(flag, cobra.FixedCompletions(values, cobra.ShellCompDirectiveNoFileComp)) // fails only for a flag that is not there
}

// Which words of a usage line and of a flag's text say that a file is meant.
var (
	fileArgument = regexp.MustCompile(`\b(FILE|DIR|PATH)\b`)
	fileFlag     = regexp.MustCompile(`\b(file|files|folder|path|export)\b`)
)

// namesNoFiles keeps the shell from offering the files of the current folder where a verb takes none, which is what
// it does for want of a better answer.
func namesNoFiles(cmd *cobra.Command) {
	if cmd.ValidArgsFunction == nil && len(cmd.ValidArgs) == 0 && !cmd.HasSubCommands() && !fileArgument.MatchString(cmd.Use) {
		cmd.ValidArgsFunction = cobra.NoFileCompletions
	}
	cmd.LocalFlags().VisitAll(func(f *pflag.Flag) {
		if _, known := cmd.GetFlagCompletionFunc(f.Name); !known && !fileFlag.MatchString(f.Usage) {
			_ = cmd.RegisterFlagCompletionFunc(f.Name, cobra.NoFileCompletions)
		}
	})
	for _, c := range cmd.Commands() {
		namesNoFiles(c)
	}
}
