package verbs

import (
	"fmt"
	"os"
	"path/filepath"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/cobra/doc"

	"hookline/hookctl/wire"
)

// manCmd is hidden: packagers call it. The pages carry no date of their own, so that the same build
// always writes the same bytes.
func (a *app) manCmd(root *cobra.Command) *cobra.Command {
	return &cobra.Command{
		Use: "man DIR", Short: "Write the man pages, one for each verb", Hidden: true,
		Example: "  hookctl man share/man/man1",
		Args:    exactly("a folder"),
		RunE: func(_ *cobra.Command, args []string) error {
			if err := os.MkdirAll(args[0], 0o755); err != nil {
				return err
			}
			epoch := time.Unix(0, 0).UTC()
			root.DisableAutoGenTag = true
			header := &doc.GenManHeader{Section: "1", Source: "hookline " + wire.Build, Manual: "hookline", Date: &epoch}
			if err := doc.GenManTree(root, header, args[0]); err != nil {
				return fmt.Errorf("write man pages: %w", err)
			}
			pages, err := filepath.Glob(filepath.Join(args[0], "hookctl*.1"))
			if err != nil {
				return err
			}
			if a.json {
				return a.printJSON(map[string]any{"dir": args[0], "pages": len(pages)})
			}
			a.printf("%s: %s\n", args[0], plural(len(pages), "page"))
			return nil
		},
	}
}
