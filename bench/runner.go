package main

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"time"
)

// lastMeasure is the highest number of a measure.
const lastMeasure = 18

// millionMeasure is taken only when it is asked for.
const millionMeasure = 16

// bench is one run: the binaries under test, a folder for everything, and the hooks to play.
type bench struct {
	quick    bool
	machine  string
	command  string // how this run was started, without machine paths
	temp     string // removed at the end
	hookctl  string
	hookd    string
	replay   string
	empty    string // a Go program whose main does nothing
	hooks    []call
	source   string // where the hooks come from, for the table
	progress io.Writer
	homes    []*home
	past     *history // the log of 100,000 events, made when it is first asked for
}

// theme is a group of measures that share their set-up.
type theme struct {
	numbers []int
	run     func(*bench, context.Context) ([]figure, error)
}

// themes in the order of the run. The long log is made first and used last: the server remembers
// ids for two minutes, and a daemon that starts in that time carries the memory of 100,000 of them,
// which no real day has.
var themes = []theme{
	{[]int{7, 8, 9, 15, 17}, (*bench).makeHistory},
	{[]int{1}, (*bench).brief},
	{[]int{2}, (*bench).postToolUse},
	{[]int{3}, (*bench).largeWrite},
	{[]int{4, 11}, (*bench).playSession},
	{[]int{5}, (*bench).atOnce},
	{[]int{6}, (*bench).ingest},
	{[]int{10}, (*bench).formatBrief},
	{[]int{12}, (*bench).redaction},
	{[]int{13}, (*bench).tailDelay},
	{[]int{14}, (*bench).gates},
	{[]int{18}, (*bench).killed},
	{[]int{7}, (*bench).verify},
	{[]int{8}, (*bench).coldStart},
	{[]int{9}, (*bench).idle},
	{[]int{15}, (*bench).pastState},
	{[]int{17}, (*bench).check},
	{[]int{millionMeasure}, (*bench).million},
}

// open prepares a run: the folder, the binaries, the hooks.
func open(ctx context.Context, o options, progress io.Writer) (*bench, error) {
	temp, err := os.MkdirTemp(o.dir, "hookline-bench-")
	if err != nil {
		return nil, err
	}
	b := &bench{quick: o.quick, machine: machineLine(), temp: temp, progress: progress, command: commandLine(o)}
	if b.temp, err = filepath.Abs(temp); err == nil {
		err = b.prepare(ctx, o)
	}
	if err != nil {
		os.RemoveAll(temp)
		return nil, err
	}
	return b, nil
}

// commandLine is what to type for such a run; file names of this machine are left out.
func commandLine(o options) string {
	words := []string{"go run ./bench"}
	if o.quick {
		words = append(words, "-quick")
	}
	if o.million {
		words = append(words, "-million")
	}
	if o.hooks != "" {
		words = append(words, "-hooks FILES")
	}
	if o.only != "" {
		words = append(words, "-only "+o.only)
	}
	return strings.Join(words, " ")
}

func (b *bench) prepare(ctx context.Context, o options) error {
	var err error
	if b.hooks, b.source, err = loadHooks(o.hooks); err != nil {
		return err
	}
	bin := filepath.Join(b.temp, "bin")
	b.empty = filepath.Join(bin, "empty")
	src := filepath.Join(b.temp, "empty.go")
	if err := os.WriteFile(src, []byte("package main\n\nfunc main() {}\n"), 0o600); err != nil {
		return err
	}
	b.say("building")
	if err := build(ctx, b.empty, src); err != nil {
		return err
	}
	if o.bin != "" {
		if bin, err = filepath.Abs(o.bin); err != nil {
			return err
		}
	} else {
		for _, pkg := range []string{"hookctl", "hookctl/hookd", "replay"} {
			if err := build(ctx, filepath.Join(bin, filepath.Base(pkg)), "hookline/"+pkg); err != nil {
				return err
			}
		}
	}
	b.hookctl, b.hookd, b.replay = filepath.Join(bin, "hookctl"), filepath.Join(bin, "hookd"), filepath.Join(bin, "replay")
	for _, path := range []string{b.hookctl, b.hookd, b.replay} {
		if _, err := os.Stat(path); err != nil {
			return err
		}
	}
	return nil
}

// build compiles one program with the flags of a release; the empty program gets the same.
func build(ctx context.Context, to, what string) error {
	cmd := exec.CommandContext(ctx, "go", "build", "-trimpath", "-ldflags", "-s -w", "-o", to, what)
	var text bytes.Buffer
	cmd.Stdout, cmd.Stderr = &text, &text
	if err := cmd.Run(); err != nil {
		return fmt.Errorf("build %s: %w\n%s", filepath.Base(to), err, text.Bytes())
	}
	return nil
}

// close ends what still runs and removes the folder.
func (b *bench) close() error {
	for _, h := range b.homes {
		h.stop()
	}
	return os.RemoveAll(b.temp)
}

func (b *bench) say(format string, args ...any) { fmt.Fprintf(b.progress, format+"\n", args...) }

// reps is the number of repetitions of a full or a quick run.
func (b *bench) reps(full, quick int) int {
	if b.quick {
		return quick
	}
	return full
}

// measure runs the themes that are asked for. A theme that fails is a row that says so.
func (b *bench) measure(ctx context.Context, only map[int]bool) *report {
	rep := &report{machine: b.machine, command: b.command, date: time.Now().UTC(), hooks: b.source}
	rep.fsync, rep.fsyncErr = fsyncTime(b.temp)
	for _, t := range themes {
		if !wanted(t.numbers, only) {
			continue
		}
		begin := time.Now()
		figures, err := t.run(b, ctx)
		if err != nil {
			rep.failed = append(rep.failed, fmt.Errorf("measure %d: %w", t.numbers[0], err))
			b.say("measure %v failed: %v", t.numbers, err)
		}
		for _, f := range figures {
			b.say("%s", f.line())
		}
		rep.figures = append(rep.figures, figures...)
		rep.took += time.Since(begin)
	}
	rep.sort()
	return rep
}

func wanted(numbers []int, only map[int]bool) bool {
	for _, n := range numbers {
		if only[n] {
			return true
		}
	}
	return false
}

// machineLine says what the figures depend on; it names no host and no path. The load is that of
// the last minute before the run, where the system tells it: what else the machine was doing.
func machineLine() string {
	line := fmt.Sprintf("%d CPUs (GOMAXPROCS %d), %s/%s, %s", runtime.NumCPU(), runtime.GOMAXPROCS(0), runtime.GOOS, runtime.GOARCH, runtime.Version())
	if text, err := os.ReadFile("/proc/loadavg"); err == nil {
		load, _, _ := strings.Cut(string(text), " ")
		line += ", load " + load + " before the run"
	}
	return line
}

// fsyncTime is the median time to append 2 KiB to a file and bring it to disk: the floor under every
// hook that is durable.
func fsyncTime(dir string) (time.Duration, error) {
	f, err := os.CreateTemp(dir, "fsync-")
	if err != nil {
		return 0, err
	}
	defer f.Close()
	var took []time.Duration
	for range 30 {
		begin := time.Now()
		if _, err := f.Write(make([]byte, 2<<10)); err != nil {
			return 0, err
		}
		if err := f.Sync(); err != nil {
			return 0, err
		}
		took = append(took, time.Since(begin))
	}
	return median(took), nil
}
