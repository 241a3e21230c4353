// Bench measures hookline against its goals and prints one table: every measure, its goal, and OK or MISS; how each is
// taken stands in docs/benchmarks.md. Whole processes are timed from fork to exit, against an empty Go program that runs
// in turn with them (A B A B), so that a busy machine slows both. Everything happens in a folder that is removed at the
// end.
//
//	go run ./bench                             all measures but the long ones, in about nine minutes
//	go run ./bench -quick                      fewer repetitions, in about 90 seconds
//	go run ./bench -hooks 'recorded/*.ndjson'  with other recorded hooks than the demo's session
//	go run ./bench -million                    and with logs of one and of six million events: half an hour and 12 GB more
//	go run ./bench -only 6,19                  single measures
//	go run ./bench -bin FOLDER                 other binaries than those in bin, such as those of an older version
//	go run ./bench -against FOLDER -only 22    the tool hook paired with that of another build
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
	"slices"
	"strconv"
	"strings"
	"syscall"
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
	quick, million            bool
	hooks, bin, only, against string
	command                   string // what to type for such a run, without file names of this machine
}

func parse(args []string, errw io.Writer) (options, error) {
	o := options{command: "go run ./bench"}
	fs := flag.NewFlagSet("bench", flag.ContinueOnError)
	fs.SetOutput(errw)
	fs.BoolVar(&o.quick, "quick", false, "fewer repetitions")
	fs.BoolVar(&o.million, "million", false, "the measures of logs of a million events and more too")
	fs.StringVar(&o.hooks, "hooks", filepath.Join("demo", "session.ndjson"), "NDJSON `files` (a glob) with recorded hook input, one object a line")
	fs.StringVar(&o.bin, "bin", "bin", "`folder` with hookctl, hookd and replay")
	fs.StringVar(&o.only, "only", "", "`numbers` of the measures to take, such as 1,2,6")
	fs.StringVar(&o.against, "against", "", "`folder` with the binaries of the build before, for measure 22")
	err := fs.Parse(args)
	if err == nil && fs.NArg() > 0 {
		err = fmt.Errorf("unexpected argument %q", fs.Arg(0))
	}
	values := map[string]string{"hooks": " FILES", "bin": " FOLDER", "against": " FOLDER", "only": " " + o.only}
	fs.Visit(func(f *flag.Flag) { o.command += " -" + f.Name + values[f.Name] })
	return o, err
}

// wants tells whether a measure is asked for.
func (o options) wants(m measure) bool {
	if o.only == "" {
		return !m.long || o.million
	}
	return slices.Contains(strings.Split(o.only, ","), strconv.Itoa(m.number))
}

// bench is one run: the binaries under test, a folder for everything, and the hooks to play.
type bench struct {
	ctx      context.Context // of the run
	quick    bool
	temp     string // removed at the end
	bin      string // hookctl, hookd, replay
	against  string // those of the build before, "" for none
	hooks    []call
	progress io.Writer
	homes    []*home
	played   *home    // see [bench.session]
	long     *longLog // the log of 100,000 events, made when it is first asked for
}

func run(ctx context.Context, args []string, out, errw io.Writer) (err error) {
	o, err := parse(args, errw)
	if err != nil {
		return err
	}
	defer caught(&err)
	calls, source := loadHooks(o.hooks)
	b := &bench{ctx: ctx, quick: o.quick, temp: must(os.MkdirTemp("", "hookline-bench-")), bin: must(filepath.Abs(o.bin)), hooks: calls, progress: errw}
	defer func() { err = errors.Join(err, b.close()) }()
	if o.against != "" {
		b.against = must(filepath.Abs(o.against))
	}

	// The empty program is built with the flags of a release.
	src := filepath.Join(b.temp, "empty.go")
	check(os.WriteFile(src, []byte("package main\n\nfunc main() {}\n"), 0o600))
	check(exec.CommandContext(ctx, "go", "build", "-trimpath", "-ldflags", "-s -w", "-o", filepath.Join(b.temp, "empty"), src).Run())

	fmt.Fprint(out, b.head(o.command, source))
	for _, m := range table {
		if !o.wants(m) {
			continue
		}
		readings, failed := b.measure(m)
		if failed != nil {
			err = errors.Join(err, fmt.Errorf("measure %d: %w", m.number, failed))
		}
		fmt.Fprint(out, m.lines(readings))
	}
	return err
}

// stopped is the panic by which a measure ends early.
type stopped struct{ err error }

// check ends a measure that has met an error. Only the goroutine of [bench.measure] may call it.
func check(err error) {
	if err != nil {
		panic(stopped{err})
	}
}

func must[T any](v T, err error) T {
	check(err)
	return v
}

// caught turns the panic of check into an error.
func caught(err *error) {
	if p := recover(); p != nil {
		s, ok := p.(stopped)
		if !ok {
			panic(p)
		}
		*err = errors.Join(*err, s.err)
	}
}

func (b *bench) measure(m measure) (readings []reading, err error) {
	defer caught(&err)
	return m.take(b), nil
}

// close ends the daemons that still run and removes the folder.
func (b *bench) close() error {
	b.ctx = context.Background()
	for _, h := range b.homes {
		_ = h.program("hookctl", "stop").command(b.ctx).Run()
	}
	return os.RemoveAll(b.temp)
}

// reps is the number of repetitions: n, or fewer in a quick run.
func (b *bench) reps(n int) int {
	if b.quick {
		return max(2, n/3)
	}
	return n
}
