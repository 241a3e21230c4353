package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"math"
	"os/exec"
	"regexp"
	"slices"
	"time"
)

// program is one process to run.
type program struct {
	path  string
	args  []string
	env   []string
	dir   string
	stdin []byte
}

// outcome is a process that ended.
type outcome struct {
	wall   time.Duration // fork to exit
	cpu    time.Duration // user and system
	stdout []byte
}

func (p program) command(ctx context.Context) *exec.Cmd {
	cmd := exec.CommandContext(ctx, p.path, p.args...)
	cmd.Env = p.env
	cmd.Dir = p.dir
	return cmd
}

// trouble is what a hook says of trouble of ours; a warning about the identity (an edit repeated a hundred times has one) is none.
var trouble = regexp.MustCompile(`"systemMessage":"hookline: (?:[^I]|I[^C])`)

// run runs a process to its end. An exit other than 0 is an error, and of a hook any words about trouble: it exits 0 then
// too.
func (p program) run(ctx context.Context) (outcome, error) {
	cmd := p.command(ctx)
	var stdout, stderr bytes.Buffer
	cmd.Stdin = bytes.NewReader(p.stdin)
	cmd.Stdout = &stdout
	cmd.Stderr = &stderr

	begin := time.Now()
	err := cmd.Run()
	o := outcome{wall: time.Since(begin), stdout: stdout.Bytes()}
	if err == nil {
		o.cpu = cmd.ProcessState.UserTime() + cmd.ProcessState.SystemTime()
		if p.stdin != nil && (stderr.Len() > 0 || trouble.Match(o.stdout)) {
			err = errors.New("trouble")
		}
	}
	if err != nil {
		err = fmt.Errorf("%q: %w after %s, stdout %q, stderr %q", p.args, err, o.wall, o.stdout, stderr.Bytes())
	}
	return o, err
}

// repeat runs f n times behind one that does not count, and returns the times it gives.
func repeat(n int, f func(round int) time.Duration) []time.Duration {
	took := []time.Duration{}
	for i := range n + 1 {
		took = append(took, f(i))
	}
	return took[1:]
}

// pairs are times of two things that were run in turn.
type pairs struct{ a, b []time.Duration }

// take runs a and b in turn, n times after warm rounds that do not count.
func take(warm, n int, a, b func() time.Duration) pairs {
	var p pairs
	for range warm + n {
		p.a = append(p.a, a())
		p.b = append(p.b, b())
	}
	return pairs{p.a[warm:], p.b[warm:]}
}

// ratio is the median of the paired ratios a/b.
func (p pairs) ratio() float64 {
	out := make([]float64, len(p.a))
	for i := range p.a {
		out[i] = float64(p.a[i]) / float64(p.b[i])
	}
	return median(out)
}

// note gives the times behind the ratio.
func (p pairs) note(a, b string) string {
	return fmt.Sprintf("%s %s (p90 %s), %s %s (p90 %s), %d pairs",
		a, ms(median(p.a)), ms(quantile(p.a, .9)), b, ms(median(p.b)), ms(quantile(p.b, .9)), len(p.a))
}

// quantile is the smallest value that a share q of the values does not exceed (nearest rank).
func quantile[T ~int64 | ~float64](values []T, q float64) T {
	if len(values) == 0 {
		return 0
	}
	sorted := slices.Sorted(slices.Values(values))
	rank := int(math.Ceil(q * float64(len(sorted))))
	return sorted[max(rank, 1)-1]
}

func median[T ~int64 | ~float64](values []T) T { return quantile(values, .5) }

// times is a reading of the median in milliseconds; its note begins with the p90 and the maximum.
func times(took []time.Duration, note string) reading {
	return reading{inMS(median(took)), fmt.Sprintf("p90 %s, max %s, %d times%s", ms(quantile(took, .9)), ms(quantile(took, 1)), len(took), note)}
}

// ms prints a time in milliseconds with a sensible number of places.
func ms(d time.Duration) string {
	places := 0
	if v := inMS(d); v < 1 {
		places = 3
	} else if v < 20 {
		places = 2
	}
	return fmt.Sprintf("%.*f ms", places, inMS(d))
}

func inMS(d time.Duration) float64 { return float64(d) / float64(time.Millisecond) }

// until polls a condition.
func until(ctx context.Context, limit time.Duration, what string, done func() bool) {
	deadline := time.Now().Add(limit)
	for !done() {
		if time.Now().After(deadline) {
			check(errors.New("waited in vain for " + what))
		}
		rest(ctx, 5*time.Millisecond)
	}
}

func rest(ctx context.Context, d time.Duration) {
	select {
	case <-ctx.Done():
		check(ctx.Err())
	case <-time.After(d):
	}
}
