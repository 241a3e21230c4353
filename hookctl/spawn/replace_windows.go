package spawn

import (
	"fmt"
	"os"
	"os/exec"
)

// Replace starts the newer daemon and leaves: there is no exec on this platform.
func Replace(hookd, after string) error {
	cmd := exec.Command(hookd, "serve")
	cmd.Env = append(os.Environ(), "HOOKLINE_AFTER="+after)
	if err := cmd.Start(); err != nil {
		return fmt.Errorf("hand over to %s: %w", hookd, err)
	}
	return cmd.Process.Release()
}
