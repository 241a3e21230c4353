// Bench measures hookline against its goals and prints one table: every measure, its goal, and OK or
// MISS. Whole processes are timed from fork to exit, against an empty Go program that runs in turn
// with them (A B A B), so that a busy machine slows both. Everything happens in a folder that is
// removed at the end, and every process it starts is ended by its pid.
//
//	go run ./bench                             all measures, at most six minutes
//	go run ./bench -quick                      fewer repetitions, at most 90 seconds
//	go run ./bench -hooks 'recorded/*.ndjson'  with recorded hooks in place of a generated session
//	go run ./bench -million                    and a log of a million events: ten minutes and 4 GB more
//	go run ./bench -only 6 -cpuprofile f.prof  one measure, with a profile of this process
//	go run ./bench -write docs/benchmarks.md   writes the table into the documentation
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"
	"runtime/pprof"
	"strconv"
	"strings"
	"syscall"
	"time"
)

// The bounds of a run, without the time to build.
const (
	fullLimit  = 6 * time.Minute
	quickLimit = 90 * time.Second

	millionLimit = 20 * time.Minute // on top of both
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	if err := run(ctx, os.Args[1:], os.Stdout, os.Stderr); err != nil {
		if !errors.Is(err, flag.ErrHelp) {
			fmt.Fprintln(os.Stderr, "bench: error:", err)
		}
		stop()
		os.Exit(1)
	}
}

// options are the command line.
type options struct {
	quick   bool
	check   bool
	million bool
	hooks   string
	bin     string
	dir     string
	write   string
	only    string
	profile string
}

func parse(args []string, errw io.Writer) (options, error) {
	var o options
	fs := flag.NewFlagSet("bench", flag.ContinueOnError)
	fs.SetOutput(errw)
	fs.BoolVar(&o.quick, "quick", false, "fewer repetitions, for CI")
	fs.BoolVar(&o.check, "check", false, "exit 1 when a goal is missed")
	fs.BoolVar(&o.million, "million", false, "measure 16 too, on a log of a million events")
	fs.StringVar(&o.hooks, "hooks", "", "NDJSON `files` (a glob) with recorded hook input, one object a line; default: a generated session")
	fs.StringVar(&o.bin, "bin", "", "`folder` with hookctl, hookd and replay; default: they are built")
	fs.StringVar(&o.dir, "dir", "", "`folder` on the disk to measure; default: the temporary one")
	fs.StringVar(&o.write, "write", "", "Markdown `file` to write the table to")
	fs.StringVar(&o.only, "only", "", "`numbers` of the measures to take, such as 1,2,6")
	fs.StringVar(&o.profile, "cpuprofile", "", "`file` for a CPU profile of this process (measures 6, 7, 10 and 12 run in it)")
	err := fs.Parse(args)
	if err == nil && fs.NArg() > 0 {
		err = fmt.Errorf("unexpected argument %q", fs.Arg(0))
	}
	return o, err
}

// numbers reads -only: which measures to take.
func (o options) numbers() (map[int]bool, error) {
	out := map[int]bool{}
	if o.only == "" {
		for n := 1; n <= lastMeasure; n++ {
			out[n] = n != millionMeasure || o.million
		}
		return out, nil
	}
	for _, s := range strings.Split(o.only, ",") {
		n, err := strconv.Atoi(strings.TrimSpace(s))
		if err != nil || n < 1 || n > lastMeasure {
			return nil, fmt.Errorf("-only: %q is no measure from 1 to %d", s, lastMeasure)
		}
		out[n] = true
	}
	return out, nil
}

func run(ctx context.Context, args []string, out, errw io.Writer) (err error) {
	o, err := parse(args, errw)
	if err != nil {
		return err
	}
	only, err := o.numbers()
	if err != nil {
		return err
	}
	b, err := open(ctx, o, errw)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, b.close()) }()
	if o.profile != "" {
		stop, err := profile(o.profile)
		if err != nil {
			return err
		}
		defer stop()
	}
	limit := fullLimit
	if o.quick {
		limit = quickLimit
	}
	if only[millionMeasure] {
		limit += millionLimit
	}
	bounded, cancel := context.WithTimeout(ctx, limit)
	defer cancel()
	rep := b.measure(bounded, only)
	if err := rep.print(out); err != nil {
		return err
	}
	if o.write != "" {
		if err := os.WriteFile(o.write, rep.markdown(), 0o644); err != nil {
			return err
		}
	}
	return rep.verdict(o.check)
}

func profile(path string) (stop func(), err error) {
	f, err := os.Create(path)
	if err != nil {
		return nil, err
	}
	if err := pprof.StartCPUProfile(f); err != nil {
		return nil, errors.Join(err, f.Close())
	}
	return func() { pprof.StopCPUProfile(); f.Close() }, nil
}
