// Bench measures hookline against its goals and prints the page docs/benchmarks.md: every measure, its goal, and OK or
// MISS. Whole processes are timed from fork to exit, against an empty Go program that runs in turn with them (A B A B),
// so that a busy machine slows both. Everything happens in a folder that is removed at the end.
//
//	go run ./bench > docs/benchmarks.md        all measures but the long ones, in about nine minutes
//	go run ./bench -quick                      fewer repetitions, in about 90 seconds
//	go run ./bench -hooks 'recorded/*.ndjson'  with other recorded hooks than the demo's session
//	go run ./bench -million                    and with logs of one and of six million events: half an hour and 12 GB more
//	go run ./bench -only 6,19                  single measures
//	go run ./bench -bin FOLDER                 with programs that are built already, such as those of an older version
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"time"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	err := run(ctx, os.Args[1:], os.Stdout, os.Stderr)
	stop()
	if err != nil {
		fmt.Fprintln(os.Stderr, "bench: error:", err)
		os.Exit(1)
	}
}

// options are the command line.
type options struct {
	quick, million   bool
	hooks, bin, only string
	command          string // what to type for such a run, without file names of this machine
}

func parse(args []string, errw io.Writer) (options, error) {
	o := options{command: "go run ./bench"}
	fs := flag.NewFlagSet("bench", flag.ContinueOnError)
	fs.SetOutput(errw)
	fs.BoolVar(&o.quick, "quick", false, "fewer repetitions")
	fs.BoolVar(&o.million, "million", false, "the measures of logs of a million events and more too")
	fs.StringVar(&o.hooks, "hooks", filepath.Join("demo", "session.ndjson"), "NDJSON `files` (a glob) with recorded hook input, one object a line")
	fs.StringVar(&o.bin, "bin", "", "`folder` with hookctl, hookd and replay; default: they are built")
	fs.StringVar(&o.only, "only", "", "`numbers` of the measures to take, such as 1,2,6")
	err := fs.Parse(args)
	if err == nil && fs.NArg() > 0 {
		err = fmt.Errorf("unexpected argument %q", fs.Arg(0))
	}
	values := map[string]string{"hooks": " FILES", "bin": " FOLDER", "only": " " + o.only}
	fs.Visit(func(f *flag.Flag) { o.command += " -" + f.Name + values[f.Name] })
	return o, err
}

// wanted returns the measures that are asked for, in the order of the table.
func (o options) wanted(all []measure) ([]measure, error) {
	asked := map[int]bool{}
	for _, m := range all {
		asked[m.number] = o.only == "" && (!m.long || o.million)
	}
	if o.only != "" {
		for _, s := range strings.Split(o.only, ",") {
			n, err := strconv.Atoi(strings.TrimSpace(s))
			_, known := asked[n]
			if err != nil || !known {
				return nil, fmt.Errorf("-only: %q is no measure from 1 to %d", s, len(all))
			}
			asked[n] = true
		}
	}
	var out []measure
	for _, m := range all {
		if asked[m.number] {
			out = append(out, m)
		}
	}
	return out, nil
}

// bench is one run: the binaries under test, a folder for everything, and the hooks to play.
type bench struct {
	quick    bool
	temp     string // removed at the end
	bin      string // hookctl, hookd, replay
	empty    string // a Go program whose main does nothing
	hooks    []call
	progress io.Writer
	homes    []*home
	played   *home    // see [bench.play]
	long     *longLog // the log of 100,000 events, made when it is first asked for
}

func run(ctx context.Context, args []string, out, errw io.Writer) (err error) {
	o, err := parse(args, errw)
	if err != nil {
		return err
	}
	measures, err := o.wanted(table)
	if err != nil {
		return err
	}
	calls, source, err := loadHooks(o.hooks)
	if err != nil {
		return err
	}
	temp, err := os.MkdirTemp("", "hookline-bench-")
	if err != nil {
		return err
	}
	b := &bench{quick: o.quick, temp: temp, hooks: calls, progress: errw}
	defer func() { err = errors.Join(err, b.close()) }()
	if err := b.build(ctx, o.bin); err != nil {
		return err
	}

	rep := &report{command: o.command, hooks: source, machine: machineLine(), date: time.Now().UTC()}
	if rep.fsync, err = fsyncTime(temp); err != nil {
		return err
	}
	for _, m := range measures {
		readings, err := m.take(b, ctx)
		b.say("%s", rep.add(m, readings, err))
	}
	rep.took = time.Since(rep.date)

	if _, err := out.Write(rep.markdown()); err != nil {
		return err
	}
	return errors.Join(rep.failed...)
}

// build compiles the programs with the flags of a release; the empty one gets the same.
func (b *bench) build(ctx context.Context, bin string) error {
	src := filepath.Join(b.temp, "empty.go")
	b.empty = filepath.Join(b.temp, "empty")
	if err := os.WriteFile(src, []byte("package main\n\nfunc main() {}\n"), 0o600); err != nil {
		return err
	}
	targets := map[string]string{b.empty: src}
	if bin == "" {
		b.bin = filepath.Join(b.temp, "bin")
		for _, pkg := range []string{"hookctl", "hookctl/hookd", "replay"} {
			targets[filepath.Join(b.bin, filepath.Base(pkg))] = "hookline/" + pkg
		}
	} else {
		var err error
		if b.bin, err = filepath.Abs(bin); err != nil {
			return err
		}
	}
	b.say("building")
	for to, what := range targets {
		cmd := exec.CommandContext(ctx, "go", "build", "-trimpath", "-ldflags", "-s -w", "-o", to, what)
		if text, err := cmd.CombinedOutput(); err != nil {
			return fmt.Errorf("build %s: %w\n%s", filepath.Base(to), err, text)
		}
	}
	return nil
}

// close ends the daemons that still run and removes the folder.
func (b *bench) close() error {
	for _, h := range b.homes {
		if err := h.stop(context.Background()); err != nil {
			b.say("%v", err)
		}
	}
	return os.RemoveAll(b.temp)
}

func (b *bench) say(format string, args ...any) { fmt.Fprintf(b.progress, format+"\n", args...) }

// reps is the number of repetitions: n, or fewer in a quick run.
func (b *bench) reps(n int) int {
	if b.quick {
		return max(2, n/3)
	}
	return n
}
