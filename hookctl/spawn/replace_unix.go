//go:build unix

package spawn

import (
	"fmt"
	"os"
	"syscall"
)

// Replace makes this process the newer daemon: same pid, same stdio, same spawn lock. The store is
// closed and its lock released.
func Replace(hookd, after string) error {
	env := append(os.Environ(), "HOOKLINE_AFTER="+after)
	if err := syscall.Exec(hookd, []string{hookd, "serve"}, env); err != nil {
		return fmt.Errorf("hand over to %s: %w", hookd, err)
	}
	return nil
}
