// Bench measures hookline against its goals and prints one table: every measure, its goal, and OK or MISS; how each is
// taken stands in docs/benchmarks.md. Whole processes are timed from fork to exit, against an empty Go program that runs
// in turn with them (A B A B), so that a busy machine slows both. Everything happens in a folder that is removed at the
// end. The programs are those of `make build`, in bin. The first measure that cannot be taken ends the run.
//
//	go run ./bench                             all measures but the long ones, in about nine minutes
//	go run ./bench -only 6,19                  single measures, also the long ones: 16, 19, 22 and 24
//	go run ./bench -hooks 'recorded/*.ndjson'  with other recorded hooks than the demo's session
//	go run ./bench -against FOLDER -only 22    the tool hook paired with that of another build
package main

import (
	"context"
	"flag"
	"fmt"
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
	hooks := flag.String("hooks", filepath.Join("demo", "session.ndjson"), "NDJSON `files` (a glob) with recorded hook input, one object a line")
	only := flag.String("only", "", "`numbers` of the measures to take, such as 1,2,6")
	against := flag.String("against", "", "`folder` with the binaries of the build before, for measure 22")
	flag.Parse()

	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	err := run(&bench{ctx: ctx, against: *against}, *hooks, *only)
	stop()
	if err != nil {
		fmt.Fprintln(os.Stderr, "bench: error:", err)
		os.Exit(1)
	}
}

// wants reports whether -only, or a run without it, takes a measure.
func wants(only string, number int) bool {
	if only == "" {
		return !slices.Contains(long, number)
	}
	return slices.Contains(strings.Split(only, ","), strconv.Itoa(number))
}

// bench is one run: the binaries under test, a folder for everything, and the hooks to play.
type bench struct {
	ctx     context.Context // of the run
	temp    string          // removed at the end
	bin     string          // hookctl, hookd, replay
	against string          // those of the build before
	hooks   []call
	homes   []*home
	long    *longLog // the log of 100,000 events, made when it is first asked for
}

func run(b *bench, hooks, only string) (err error) {
	defer func() {
		p := recover()
		s, ok := p.(stopped)
		if p != nil && !ok {
			panic(p)
		}
		err = s.err
	}()
	b.hooks = loadHooks(hooks)
	b.bin = must(filepath.Abs("bin"))
	b.temp = must(os.MkdirTemp("", "hookline-bench-"))
	defer os.RemoveAll(b.temp)
	defer b.stopAll()

	// The empty program is built with the flags of a release.
	src := filepath.Join(b.temp, "empty.go")
	check(os.WriteFile(src, []byte("package main\n\nfunc main() {}\n"), 0o600))
	check(exec.CommandContext(b.ctx, "go", "build", "-trimpath", "-ldflags", "-s -w", "-o", filepath.Join(b.temp, "empty"), src).Run())

	fmt.Print("| # | measure | goal | measured | |\n|---|---|---|---|---|\n")
	for i, m := range table {
		if !wants(only, i+1) {
			continue
		}
		for n, v := range m.take(b) {
			fmt.Printf("| %d | %s\n", i+1, m.rows[n].line(v))
		}
		b.stopAll()
	}
	return nil
}

// stopAll ends the daemons of all homes, also after the run was interrupted.
func (b *bench) stopAll() {
	for _, h := range b.homes {
		stop := exec.Command(filepath.Join(h.bin, "hookctl"), "stop")
		stop.Env = h.env
		_ = stop.Run()
	}
}

// stopped is the panic by which a run ends early.
type stopped struct{ err error }

// check ends the run when there is an error. Only the goroutine of [run] may call it.
func check(err error) {
	if err != nil {
		panic(stopped{err})
	}
}

func must[T any](v T, err error) T {
	check(err)
	return v
}
