package cmdline

import "fmt"

// Exit codes beside 0 and 1.
const (
	ExitDamaged     = 2   // the log is damaged
	ExitInterrupted = 130 // 128 + SIGINT, as shells count
)

// Fault is an error with advice and an exit code.
type Fault struct {
	Message string
	Hint    string
	Exit    int // 0 stands for 1
	Cause   error
}

// Error gives the message.
func (f *Fault) Error() string { return f.Message }

// Unwrap gives the cause.
func (f *Fault) Unwrap() error { return f.Cause }

// Silent ends a command with an exit code when everything has been said.
type Silent int

// Error is for a log; nobody sees it.
func (s Silent) Error() string { return fmt.Sprintf("exit %d", int(s)) }
