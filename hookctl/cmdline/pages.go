package cmdline

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
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
		RunE: func(_ *cobra.Command, args []string) error {
			dir := args[0]
			if err := os.MkdirAll(dir, 0o755); err != nil {
				return err
			}
			epoch := time.Unix(0, 0).UTC()
			root.DisableAutoGenTag = true
			header := &doc.GenManHeader{Section: "1", Source: "hookline " + wire.Build, Manual: "hookline", Date: &epoch}
			if err := doc.GenManTree(root, header, dir); err != nil {
				return fmt.Errorf("write man pages: %w", err)
			}

			pages, err := filepath.Glob(filepath.Join(dir, c.Name+"*.1"))
			for _, page := range pages {
				text, bad := os.ReadFile(page) //nolint:forbidigo // a page that was just written
				before, links, _ := strings.Cut(string(text), seeAlso)
				err = errors.Join(err, bad, os.WriteFile(page, []byte(before+sections+seeAlso+links), 0o644)) //nolint:forbidigo // the same
			}
			return err
		},
	}
}

// seeAlso begins the last section of a page.
const seeAlso = ".SH SEE ALSO\n"

// sections are what every page has besides what the library writes.
const sections = `.SH EXIT STATUS
.TP
0
done; a hook also when it could not be recorded
.TP
1
trouble, or a command line that is wrong
.TP
2
the log is damaged
.TP
130
interrupted
.SH FILES
.TP
~/.local/state/hookline
the store, the spool, keys and hookd.log
.TP
~/.config/hookline/config.yaml
the user's configuration; .claude/hookline.yaml and .claude/hookline.local.yaml are a project's
.TP
~/.claude/settings.json
the client's settings, with the hooks that hookctl install writes
.SH ENVIRONMENT
.TP
HOOKLINE_HOME
another folder for all state; ~/ at its beginning is HOME
.TP
HOOKLINE_SOCKET
another path for the daemon's socket
.TP
HOOKLINE_DISABLED
1: every hook ends at once and records nothing
.TP
HOOKLINE_FSYNC, HOOKLINE_IDLE_EXIT, HOOKLINE_FLUSH_INTERVAL, HOOKLINE_LOG_LEVEL, HOOKLINE_COLOR
override the configuration's key of that name
.TP
NO_COLOR, CI
no colour and no progress bar
`

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
