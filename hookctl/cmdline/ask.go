package cmdline

import (
	"bufio"
	"context"
	"strings"

	"hookline/hookctl/problem"
)

// Confirm asks a question that only "y" or "yes" answers. Without a terminal to ask it refuses, and with
// yes it does not ask.
func (c *Console) Confirm(ctx context.Context, question string, yes bool) error {
	switch {
	case yes:
		return nil
	case !c.Asks:
		return problem.Faultf("%s: there is no terminal to ask", strings.TrimSuffix(question, "?")).Advise("--yes answers for you")
	}
	c.Complain("%s [y/N] ", question)
	line := Await(ctx, func() string {
		line, _ := bufio.NewReader(c.In).ReadString('\n') // the last line of a pipe may lack its end, which is no error here
		return strings.ToLower(strings.TrimSpace(line))
	})
	if ctx.Err() != nil {
		c.Complain("\n")
		return Silent(ExitInterrupted)
	}
	if line != "y" && line != "yes" {
		return problem.Faultf("nothing was done")
	}
	return nil
}

// Await runs f, which reads stdin, and gives up on it when ctx ends, with the zero value: a read cannot be interrupted, and
// its goroutine ends with the process.
func Await[T any](ctx context.Context, f func() T) (v T) {
	done := make(chan T, 1)
	go func() { done <- f() }()
	select {
	case v = <-done:
	case <-ctx.Done():
	}
	return v
}
