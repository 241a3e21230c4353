package cli

import (
	"fmt"

	"github.com/spf13/cobra"

	"hookline/projector"
)

func (a *app) completionCmd(root *cobra.Command) *cobra.Command {
	return &cobra.Command{
		Use:       "completion bash|zsh|fish",
		Short:     "Print the completion script for a shell",
		Example:   "  source <(replay completion bash)\n  replay completion fish > ~/.config/fish/completions/replay.fish",
		Args:      cobra.MatchAll(cobra.ExactArgs(1), cobra.OnlyValidArgs),
		ValidArgs: []string{"bash", "zsh", "fish"},
		RunE: func(_ *cobra.Command, args []string) error {
			switch args[0] {
			case "bash":
				return root.GenBashCompletionV2(a.out, true)
			case "zsh":
				return root.GenZshCompletion(a.out)
			case "fish":
				return root.GenFishCompletion(a.out, true)
			}
			return fmt.Errorf("there is no completion for %s", args[0])
		},
	}
}

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
