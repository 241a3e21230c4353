package main

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"runtime"
	"strings"
	"time"
)

// goal is a bound and the side of it that is good.
type goal struct {
	limit   float64
	atLeast bool
	unit    string // "" for a ratio
}

func atMost(limit float64, unit string) goal  { return goal{limit, false, unit} }
func atLeast(limit float64, unit string) goal { return goal{limit, true, unit} }

func (g goal) verdict(v float64) string {
	if v == g.limit || (v > g.limit) == g.atLeast {
		return "OK"
	}
	return "MISS"
}

// String returns the goal as the table shows it, such as "≤ 10 ms".
func (g goal) String() string {
	sign := "≤"
	if g.atLeast {
		sign = "≥"
	}
	return strings.TrimSpace(fmt.Sprintf("%s %g %s", sign, g.limit, g.unit))
}

// show returns a value with its unit: three significant digits, whole numbers from 100 on.
func (g goal) show(v float64) string {
	format := "%.3g %s"
	if v >= 100 {
		format = "%.0f %s"
	}
	return strings.TrimSpace(fmt.Sprintf(format, v, g.unit))
}

// reading is one measured value and what stands behind it: medians, counts.
type reading struct {
	value float64
	note  string
}

// report is a whole run. A line is a row of the table: number, measure, goal, measured, verdict, details.
type report struct {
	machine, command, hooks string
	date                    time.Time
	took, fsync             time.Duration
	lines                   [][]string
	how                     []string
	failed                  []error
}

// add takes the readings of one measure, one for each of its rows, and returns what they say, for who waits.
func (r *report) add(m measure, readings []reading, err error) (said string) {
	r.how = append(r.how, fmt.Sprintf("%d. %s", m.number, m.how))
	if err != nil {
		err = fmt.Errorf("measure %d: %w", m.number, err)
		r.failed = append(r.failed, err)
		return err.Error()
	}
	for i, got := range readings {
		row := m.rows[i]
		line := []string{fmt.Sprint(m.number), row.what, row.goal.String(), row.goal.show(got.value), row.goal.verdict(got.value), got.note}
		r.lines = append(r.lines, line)
		said += strings.Join(line, "  ") + "\n"
	}
	return strings.TrimSpace(said)
}

const preface = `# Benchmarks

Written by ` + "`go run ./bench > docs/benchmarks.md`" + `; do not edit. ` + "`make bench`" + ` prints the same for your machine,
` + "`go run ./bench -quick`" + ` takes 90 seconds.

All figures are of one run. Whole processes are timed from fork to exit, and two that are compared run in turn (A B A B)
after a warm-up; the ratio is the median of the paired ratios, so that whatever slows the machine slows both. Times are
medians unless a quantile is named. The store lies on a disk, and a hook that is durable is on it when its process ends.

`

const afterword = `
The log of 100,000 events: the hooks of measure 4 are played, and what was recorded of them is appended again, in batches,
under other session ids and times; then replay rebuild folds it.
`

// markdown returns the content of docs/benchmarks.md.
func (r *report) markdown() []byte {
	var b bytes.Buffer
	b.WriteString(preface)
	fmt.Fprintf(&b, "- date: %s, %s\n- command: %s\n- machine: %s\n", r.date.Format(time.DateOnly), r.took.Round(time.Second), r.command, r.machine)
	fmt.Fprintf(&b, "- disk: 2 KiB written and synced in %s (median)\n- hooks: %s\n\n", ms(r.fsync), r.hooks)
	b.WriteString("| # | measure | goal | measured | | details |\n|---|---|---|---|---|---|\n")
	for _, line := range r.lines {
		fmt.Fprintf(&b, "| %s |\n", strings.Join(line, " | "))
	}
	for _, failure := range r.failed {
		fmt.Fprintf(&b, "\nNot measured: %s\n", strings.ReplaceAll(failure.Error(), "\n", " "))
	}
	fmt.Fprintf(&b, "\n## How each is taken\n\n%s\n%s", strings.Join(r.how, "\n"), afterword)
	return b.Bytes()
}

// machineLine says what the figures depend on; it names no host and no path. The load is that of the last minute
// before the run, where the system tells it: what else the machine was doing.
func machineLine() string {
	line := fmt.Sprintf("%d CPUs (GOMAXPROCS %d), %s/%s, %s", runtime.NumCPU(), runtime.GOMAXPROCS(0), runtime.GOOS, runtime.GOARCH, runtime.Version())
	if text, err := os.ReadFile("/proc/loadavg"); err == nil {
		load, _, _ := strings.Cut(string(text), " ")
		line += ", load " + load + " before the run"
	}
	return line
}

// fsyncTime is the median time to append 2 KiB to a file and bring it to disk: the floor under every durable hook.
func fsyncTime(dir string) (time.Duration, error) {
	f, err := os.CreateTemp(dir, "fsync-")
	if err != nil {
		return 0, err
	}
	defer f.Close()
	took, err := repeat(30, func(int) (time.Duration, error) {
		begin := time.Now()
		_, err := f.Write(make([]byte, 2<<10))
		err = errors.Join(err, f.Sync())
		return time.Since(begin), err
	})
	return median(took), err
}
