package cmdline

import (
	"regexp"

	"github.com/spf13/cobra"
)

// Choices has the shell complete a flag of cmd from a fixed list.
func Choices(cmd *cobra.Command, flag string, values ...string) {
	_ = cmd.RegisterFlagCompletionFunc(flag, cobra.FixedCompletions(values, cobra.ShellCompDirectiveNoFileComp)) // fails only for a flag that is not there
}

// Words of a usage line and of a flag's text that mean a file; for all else the shell offers no files.
var (
	fileArgument = regexp.MustCompile(`\b(FILE|DIR|PATH)\b`)
	fileFlag     = regexp.MustCompile(`\b(file|files|folder|path|export)\b`)
)
