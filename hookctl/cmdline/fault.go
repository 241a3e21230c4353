package cmdline

import (
	"context"
	"errors"
	"fmt"
	"io/fs"

	"hookline/hookctl/problem"
)

// Exit codes beside 0 and 1.
const (
	ExitDamaged     = 2   // the log is damaged
	ExitInterrupted = 130 // 128 + SIGINT, as shells count
)

// Silent ends a command with an exit code when everything has been said.
type Silent int

// Error is for a log; it is not printed.
func (s Silent) Error() string { return fmt.Sprintf("exit %d", int(s)) }

// Report prints the error of a verb and gives the exit code for it. An interrupt is printed where it is the error, and
// its exit code is 130.
func (c *Console) Report(ctx context.Context, err error) int {
	var quiet Silent
	var f *problem.Error
	switch {
	case err == nil:
		return 0
	case errors.As(err, &quiet):
		return int(quiet)
	case ctx.Err() != nil && !errors.As(err, &f):
		c.Say("interrupted")
		return ExitInterrupted
	}

	f = problem.Of(err)
	hint := f.Hint
	if hint == "" && errors.Is(err, fs.ErrPermission) {
		hint = "run it as the user who owns that"
	}
	c.Fail(f.Message, hint)
	return max(1, f.Exit)
}
