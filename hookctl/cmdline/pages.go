package cmdline

import (
	"fmt"
	"os"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/cobra/doc"

	"hookline/hookctl/wire"
)

// ManCmd is a hidden verb: packagers call it. The pages carry no date of their own, so that the same
// build always writes the same bytes.
func (c *Console) ManCmd(root *cobra.Command) *cobra.Command {
	return &cobra.Command{
		Use: "man DIR", Short: "Write the man pages, one for each verb", Hidden: true,
		Example: "  " + c.Name + " man share/man/man1",
		Args:    Exactly("a folder"),
		RunE:    func(_ *cobra.Command, args []string) error { return c.writePages(root, args[0]) },
	}
}

func (c *Console) writePages(root *cobra.Command, dir string) error {
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return err
	}
	epoch := time.Unix(0, 0).UTC()
	root.DisableAutoGenTag = true
	header := &doc.GenManHeader{Section: "1", Source: "hookline " + wire.Build, Manual: "hookline", Date: &epoch}
	if err := doc.GenManTree(root, header, dir); err != nil {
		return fmt.Errorf("write man pages: %w", err)
	}
	return nil
}

// CompletionCmd prints what a shell needs to complete the program's words.
func (c *Console) CompletionCmd(root *cobra.Command) *cobra.Command {
	return &cobra.Command{
		Use: "completion bash|zsh|fish", Short: "Print a completion script for a shell",
		Long: "Print a completion script for a shell; see your shell's manual for where to install it. That for bash needs the package bash-completion.",
		Example: fmt.Sprintf("  %[1]s completion bash > ~/.local/share/bash-completion/completions/%[1]s\n"+
			"  %[1]s completion zsh > \"${fpath[1]}/_%[1]s\"\n  %[1]s completion fish > ~/.config/fish/completions/%[1]s.fish", c.Name),
		Args:      cobra.MatchAll(Exactly("a shell: bash, zsh or fish"), cobra.OnlyValidArgs),
		ValidArgs: []string{"bash", "zsh", "fish"},
		RunE: func(_ *cobra.Command, args []string) error {
			switch args[0] {
			case "bash":
				return root.GenBashCompletionV2(c.Out, true)
			case "zsh":
				return root.GenZshCompletion(c.Out)
			}
			return root.GenFishCompletion(c.Out, true)
		},
	}
}
