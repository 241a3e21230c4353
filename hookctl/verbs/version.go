package verbs

import (
	"fmt"
	"runtime"

	"github.com/spf13/cobra"

	"hookline/hookctl/wire"
)

func (a *app) versionCmd() *cobra.Command {
	return &cobra.Command{
		Use: "version", Short: "Print the version",
		Example: "  hookctl version\n  hookctl version --json | jq -r .version",
		Args:    cobra.NoArgs,
		RunE: func(*cobra.Command, []string) error {
			if a.json {
				return a.printJSON(map[string]any{"version": wire.Build, "protocol": wire.Protocol, "go": runtime.Version(),
					"os": runtime.GOOS, "arch": runtime.GOARCH})
			}
			a.printf("hookctl %s (protocol %d, %s, %s/%s)\n", wire.Build, wire.Protocol, runtime.Version(), runtime.GOOS, runtime.GOARCH)
			return nil
		},
	}
}

func (a *app) completionCmd(root *cobra.Command) *cobra.Command {
	return &cobra.Command{
		Use: "completion bash|zsh|fish", Short: "Print a completion script for a shell",
		Long:      "Print a completion script for a shell; its own documentation says where such files go.",
		Example:   "  hookctl completion bash > ~/.local/share/bash-completion/completions/hookctl\n  hookctl completion zsh > \"${fpath[1]}/_hookctl\"",
		Args:      exactly("a shell: bash, zsh or fish"),
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
			return &fault{message: fmt.Sprintf("there is no completion for %q", args[0]), hint: "one of bash, zsh, fish"}
		},
	}
}
