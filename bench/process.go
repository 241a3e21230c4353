package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
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
	cpu    time.Duration // user and system, by wait4
	ended  time.Time
	stdout []byte
	stderr []byte
	exit   int
}

// pipeRoom is what a pipe takes without a reader on every platform; more needs a goroutine.
const pipeRoom = 4 << 10

// run runs a process to its end. Its streams are pipes, as those of a hook are; output must fit a
// pipe (64 KiB), which the answers of hooks do.
func (p program) run(ctx context.Context) (outcome, error) {
	var o outcome
	in, feed, err := os.Pipe()
	if err != nil {
		return o, err
	}
	outR, outW, err := os.Pipe()
	if err != nil {
		return o, errors.Join(err, in.Close(), feed.Close())
	}
	errR, errW, err := os.Pipe()
	if err != nil {
		return o, errors.Join(err, in.Close(), feed.Close(), outR.Close(), outW.Close())
	}
	defer outR.Close()
	defer errR.Close()
	if len(p.stdin) <= pipeRoom {
		_, err = feed.Write(p.stdin)
		feed.Close()
	}
	begin := time.Now()
	var proc *os.Process
	if err == nil {
		proc, err = os.StartProcess(p.path, append([]string{p.path}, p.args...), &os.ProcAttr{Dir: p.dir, Env: p.env, Files: []*os.File{in, outW, errW}})
	}
	for _, f := range []*os.File{in, outW, errW} {
		f.Close()
	}
	if err != nil {
		feed.Close()
		return o, err
	}
	if len(p.stdin) > pipeRoom {
		go func() { // ends with the process, whose death breaks the pipe
			_, _ = feed.Write(p.stdin)
			feed.Close()
		}()
	}
	unwatch := context.AfterFunc(ctx, func() { _ = proc.Kill() })
	state, err := proc.Wait()
	o.ended = time.Now()
	o.wall = o.ended.Sub(begin)
	unwatch()
	if err != nil {
		return o, err
	}
	o.exit, o.cpu = state.ExitCode(), state.UserTime()+state.SystemTime()
	o.stdout, o.stderr = drain(outR), drain(errR)
	return o, ctx.Err()
}

// drain reads what a process left in a pipe. A child of it may hold the pipe open, so it does not
// wait for the end but takes what is there.
func drain(r *os.File) []byte {
	var b bytes.Buffer
	if r.SetReadDeadline(time.Now().Add(50*time.Millisecond)) != nil {
		return nil
	}
	_, _ = io.Copy(&b, r)
	return b.Bytes()
}

// ok is an error for a hook that did not do its work: the answer of a hook in trouble is exit 0 as
// well, so its words are looked at.
func (o outcome) ok() error {
	if o.exit != 0 || len(o.stderr) > 0 || bytes.Contains(o.stdout, []byte(`"systemMessage":"hookline:`)) {
		return fmt.Errorf("exit %d after %s, stdout %q, stderr %q", o.exit, o.wall, o.stdout, o.stderr)
	}
	return nil
}

// timed runs p and gives its wall time; an answer that shows trouble is an error.
func (p program) timed(ctx context.Context) (time.Duration, error) {
	o, err := p.run(ctx)
	return o.wall, errors.Join(err, o.ok())
}
