package cli

import (
	"github.com/spf13/cobra"

	"hookline/projector"
)

// completeScope offers the projections where the argument at that place is one.
func completeScope(place int) cobra.CompletionFunc {
	return func(cmd *cobra.Command, args []string, word string) ([]string, cobra.ShellCompDirective) {
		if len(args) != place {
			return nil, cobra.ShellCompDirectiveNoFileComp
		}
		return completeProjection(cmd, args, word)
	}
}

func completeProjection(*cobra.Command, []string, string) ([]string, cobra.ShellCompDirective) {
	var names []string
	for _, t := range projector.Tables() {
		names = append(names, t.Name())
	}
	return names, cobra.ShellCompDirectiveNoFileComp
}
