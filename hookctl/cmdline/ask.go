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
	line, _ := Await(ctx, func() (string, error) { return bufio.NewReader(c.In).ReadString('\n') })
	if ctx.Err() != nil {
		c.Complain("\n")
		return Silent(ExitInterrupted)
	}
	answer := strings.ToLower(strings.TrimSpace(line))
	if answer != "y" && answer != "yes" { // the last line of a pipe may lack its end, which is no error here
		return problem.Faultf("nothing was done")
	}
	return nil
}

// Await runs f, which reads stdin, and gives up on it when ctx ends: a read cannot be interrupted, and
// its goroutine ends with the process.
func Await[T any](ctx context.Context, f func() (T, error)) (T, error) {
	type outcome struct {
		v   T
		err error
	}
	done := make(chan outcome, 1)
	go func() {
		v, err := f()
		done <- outcome{v, err}
	}()
	select {
	case o := <-done:
		return o.v, o.err
	case <-ctx.Done():
		var none T
		return none, ctx.Err()
	}
}
