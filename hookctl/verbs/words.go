package verbs

import (
	"errors"
	"fmt"

	"github.com/spf13/cobra"
)

// exactly wants as many arguments as there are names, and says which one is missing.
func exactly(names ...string) cobra.PositionalArgs {
	return func(cmd *cobra.Command, args []string) error {
		f := &fault{hint: "`" + cmd.CommandPath() + " --help` shows an example"}
		switch {
		case len(args) < len(names):
			f.message = fmt.Sprintf("`%s` wants %s", cmd.CommandPath(), names[len(args)])
		case len(args) > len(names):
			f.message = fmt.Sprintf("`%s` does not know what to do with %q", cmd.CommandPath(), args[len(names)])
		default:
			return nil
		}
		return f
	}
}

// plural is "1 secret", "2 secrets".
func plural(n int, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	return fmt.Sprintf("%d %ss", n, noun)
}

// bytesOf is a size as people read it, in units of 1024.
func bytesOf(n uint64) string {
	const unit = 1024
	if n < unit {
		return fmt.Sprintf("%d B", n)
	}
	value, names := float64(n)/unit, "KMGTPE"
	i := 0
	for ; value >= unit && i < len(names)-1; i++ {
		value /= unit
	}
	return fmt.Sprintf("%.1f %ciB", value, names[i])
}

// errFound ends a stream that has given what was looked for.
var errFound = errors.New("found")
