// Bench measures hookline against its goals and prints one table: every measure, its goal, and OK or MISS; how each is
// taken stands in docs/benchmarks.md. Whole processes are timed from fork to exit, against an empty Go program that runs
// in turn with them (A B A B), so that a busy machine slows both. Everything happens in a folder that is removed at the
// end. The programs are those of `make build`, in bin.
//
//	go run ./bench                             all measures but the long ones, in about nine minutes
//	go run ./bench -only 6,19                  single measures, also the long ones: 16, 19, 22 and 24
//	go run ./bench -hooks 'recorded/*.ndjson'  with other recorded hooks than the demo's session
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

// options are the command line.
type options struct{ hooks, only, against string }

func main() {
	var o options
	flag.StringVar(&o.hooks, "hooks", filepath.Join("demo", "session.ndjson"), "NDJSON `files` (a glob) with recorded hook input, one object a line")
	flag.StringVar(&o.only, "only", "", "`numbers` of the measures to take, such as 1,2,6")
	flag.StringVar(&o.against, "against", "", "`folder` with the binaries of the build before, for measure 22")
	flag.Parse()

	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	err := run(ctx, o, os.Stdout)
	stop()
	if err != nil {
		fmt.Fprintln(os.Stderr, "bench: error:", err)
		os.Exit(1)
	}
}

// wants reports whether a measure is asked for.
func (o options) wants(number int) bool {
	if o.only == "" {
		return !slices.Contains(long, number)
	}
	return slices.Contains(strings.Split(o.only, ","), strconv.Itoa(number))
}

// bench is one run: the binaries under test, a folder for everything, and the hooks to play.
type bench struct {
	ctx     context.Context // of the run
	temp    string          // removed at the end
	bin     string          // hookctl, hookd, replay
	against string          // those of the build before, "" for none
	hooks   []call
	homes   []*home
	played  *home    // see [bench.session]
	long    *longLog // the log of 100,000 events, made when it is first asked for
}

func run(ctx context.Context, o options, out io.Writer) (err error) {
	defer caught(&err)
	b := &bench{ctx: ctx, temp: must(os.MkdirTemp("", "hookline-bench-")), bin: must(filepath.Abs("bin")), hooks: loadHooks(o.hooks)}
	defer func() { err = errors.Join(err, b.close()) }()
	if o.against != "" {
		b.against = must(filepath.Abs(o.against))
	}

	// The empty program is built with the flags of a release.
	src := filepath.Join(b.temp, "empty.go")
	check(os.WriteFile(src, []byte("package main\n\nfunc main() {}\n"), 0o600))
	check(exec.CommandContext(ctx, "go", "build", "-trimpath", "-ldflags", "-s -w", "-o", filepath.Join(b.temp, "empty"), src).Run())

	fmt.Fprint(out, "| # | measure | goal | measured | |\n|---|---|---|---|---|\n")
	for i, m := range table {
		if !o.wants(i + 1) {
			continue
		}
		values, failed := b.measure(m)
		if failed != nil {
			err = errors.Join(err, fmt.Errorf("measure %d: %w", i+1, failed))
		}
		for n, v := range values {
			fmt.Fprintf(out, "| %d | %s\n", i+1, m.rows[n].line(v))
		}
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

// measure returns a value for each row of a measure, none when it could not be taken.
func (b *bench) measure(m measure) (values []float64, err error) {
	defer caught(&err)
	return m.take(b), nil
}

// close ends the daemons that still run and removes the folder.
func (b *bench) close() error {
	b.ctx = context.Background()
	for _, h := range b.homes {
		_ = h.command("hookctl", "stop").Run()
	}
	return os.RemoveAll(b.temp)
}
