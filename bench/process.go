package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"math"
	"os/exec"
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
	wall           time.Duration // fork to exit
	cpu            time.Duration // user and system
	stdout, stderr []byte
}

func (p program) command(ctx context.Context) *exec.Cmd {
	cmd := exec.CommandContext(ctx, p.path, p.args...)
	cmd.Env = p.env
	cmd.Dir = p.dir
	return cmd
}

// run runs a process to its end. Another exit than 0 is an error.
func (p program) run(ctx context.Context) (outcome, error) {
	cmd := p.command(ctx)
	var stdout, stderr bytes.Buffer
	cmd.Stdin = bytes.NewReader(p.stdin)
	cmd.Stdout = &stdout
	cmd.Stderr = &stderr

	begin := time.Now()
	err := cmd.Run()
	o := outcome{wall: time.Since(begin), stdout: stdout.Bytes(), stderr: stderr.Bytes()}
	if err != nil {
		return o, fmt.Errorf("%q: %w, stdout %q, stderr %q", p.args, err, o.stdout, o.stderr)
	}
	o.cpu = cmd.ProcessState.UserTime() + cmd.ProcessState.SystemTime()
	return o, nil
}

// hook runs the process of a hook. The answer of a hook in trouble is exit 0 too, so any words about it are an error.
func (p program) hook(ctx context.Context) (outcome, error) {
	o, err := p.run(ctx)
	if err == nil && (len(o.stderr) > 0 || bytes.Contains(o.stdout, []byte(`"systemMessage":"hookline:`))) {
		err = fmt.Errorf("%q: after %s stdout %q, stderr %q", p.args, o.wall, o.stdout, o.stderr)
	}
	return o, err
}

// timed returns the wall time of a hook.
func (p program) timed(ctx context.Context) (time.Duration, error) {
	o, err := p.hook(ctx)
	return o.wall, err
}

// repeat runs f n times behind one that does not count, and returns the times it gives.
func repeat(n int, f func(round int) (time.Duration, error)) ([]time.Duration, error) {
	var took []time.Duration
	for i := range n + 1 {
		d, err := f(i)
		if err != nil {
			return nil, err
		}
		if i > 0 {
			took = append(took, d)
		}
	}
	return took, nil
}

// pairs are times of two things that were run in turn.
type pairs struct{ a, b []time.Duration }

// take runs a and b in turn, n times after warm rounds that do not count. The argument is the number of the round,
// warm ones included.
func take(warm, n int, a, b func(round int) (time.Duration, error)) (pairs, error) {
	var p pairs
	for i := range warm + n {
		x, err := a(i)
		if err != nil {
			return p, err
		}
		y, err := b(i)
		if err != nil {
			return p, err
		}
		if i >= warm {
			p.a = append(p.a, x)
			p.b = append(p.b, y)
		}
	}
	return p, nil
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
func until(ctx context.Context, limit time.Duration, what string, done func() bool) error {
	deadline := time.Now().Add(limit)
	for !done() {
		if time.Now().After(deadline) {
			return errors.New("waited in vain for " + what)
		}
		if err := rest(ctx, 5*time.Millisecond); err != nil {
			return err
		}
	}
	return nil
}

func rest(ctx context.Context, d time.Duration) error {
	select {
	case <-ctx.Done():
		return ctx.Err()
	case <-time.After(d):
		return nil
	}
}
