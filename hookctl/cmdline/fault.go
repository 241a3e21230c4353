package cmdline

import "fmt"

// Exit codes beside 0 and 1.
const (
	ExitDamaged     = 2   // the log is damaged
	ExitInterrupted = 130 // 128 + SIGINT, as shells count
)

// Silent ends a command with an exit code when everything has been said.
type Silent int

// Error is for a log; it is not printed.
func (s Silent) Error() string { return fmt.Sprintf("exit %d", int(s)) }
