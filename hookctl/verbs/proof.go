package verbs

import (
	"github.com/spf13/cobra"

	"hookline/hookctl/cmdline"
)

type proofJSON struct {
	Files int `json:"files" jsonschema_description:"that a verb takes"`
}

// proofCmd is a verb of the proof that two files are enough.
func (a *app) proofCmd() *cobra.Command {
	return &cobra.Command{
		Use: "proof", Short: "Show how many files a verb takes", Args: cmdline.Exactly(),
		Example: "  hookctl proof",
		Long:    "Show how many files a verb takes: its own and the tree.",
		RunE: func(*cobra.Command, []string) error {
			if a.JSON {
				return a.PrintJSON(proofJSON{Files: 2})
			}
			a.Printf("2 files\n")
			return nil
		},
	}
}
