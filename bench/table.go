package main

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"text/tabwriter"
	"time"
)

// goal is a bound and the side of it that is good.
type goal struct {
	limit   float64
	atLeast bool
	unit    string // "" for a ratio
}

func atMost(limit float64, unit string) goal { return goal{limit: limit, unit: unit} }
func atLeast(limit float64, unit string) goal {
	return goal{limit: limit, atLeast: true, unit: unit}
}

func (g goal) met(v float64) bool {
	if g.atLeast {
		return v >= g.limit
	}
	return v <= g.limit
}

// String is the goal as the table shows it, such as "≤ 10 ms".
func (g goal) String() string {
	sign := "≤"
	if g.atLeast {
		sign = "≥"
	}
	return strings.TrimSpace(fmt.Sprintf("%s %g %s", sign, g.limit, g.unit))
}

// figure is one measured value.
type figure struct {
	number int
	what   string
	goal   goal
	value  float64
	note   string // what stands behind the value: medians, counts
}

func (f figure) verdict() string {
	if f.goal.met(f.value) {
		return "OK"
	}
	return "MISS"
}

// measured is the value with its unit: three significant digits, whole numbers from 100 on.
func (f figure) measured() string {
	format := "%.3g %s"
	if f.value >= 100 {
		format = "%.0f %s"
	}
	return strings.TrimSpace(fmt.Sprintf(format, f.value, f.goal.unit))
}

func (f figure) line() string {
	return fmt.Sprintf("%2d %-4s %s: %s (goal %s): %s", f.number, f.verdict(), f.what, f.measured(), f.goal, f.note)
}

// report is a whole run.
type report struct {
	machine  string
	command  string
	hooks    string
	date     time.Time
	took     time.Duration
	fsync    time.Duration
	fsyncErr error
	figures  []figure
	failed   []error
}

func (r *report) sort() {
	slices.SortStableFunc(r.figures, func(a, b figure) int { return a.number - b.number })
}

// head are the lines above the table.
func (r *report) head() []string {
	disk := "unknown: " + fmt.Sprint(r.fsyncErr)
	if r.fsyncErr == nil {
		disk = ms(r.fsync)
	}
	return []string{
		"date: " + r.date.Format("2006-01-02") + ", " + r.took.Round(time.Second).String(),
		"command: " + r.command,
		"machine: " + r.machine,
		"disk: 2 KiB written and synced in " + disk + " (median)",
		"hooks: " + r.hooks,
	}
}

// print writes the table for a terminal.
func (r *report) print(out io.Writer) error {
	for _, line := range r.head() {
		fmt.Fprintln(out, line)
	}
	fmt.Fprintln(out)
	w := tabwriter.NewWriter(out, 0, 0, 2, ' ', 0)
	fmt.Fprintln(w, "#\tmeasure\tgoal\tmeasured\t\tdetails")
	for _, f := range r.figures {
		fmt.Fprintf(w, "%d\t%s\t%s\t%s\t%s\t%s\n", f.number, f.what, f.goal, f.measured(), f.verdict(), f.note)
	}
	err := w.Flush()
	for _, failure := range r.failed {
		fmt.Fprintln(out, "failed:", failure)
	}
	return err
}

// verdict is an error for a measure that could not be taken and, when asked for, for a missed goal.
func (r *report) verdict(check bool) error {
	if len(r.failed) > 0 {
		return errors.Join(r.failed...)
	}
	missed := 0
	for _, f := range r.figures {
		if !f.goal.met(f.value) {
			missed++
		}
	}
	if check && missed > 0 {
		return fmt.Errorf("%d of %d goals missed", missed, len(r.figures))
	}
	return nil
}

// preface explains the table in the documentation.
const preface = `# Benchmarks

Written by ` + "`go run ./bench -write docs/benchmarks.md`" + `; do not edit. ` + "`make bench`" + ` prints the same table for your machine,
` + "`go run ./bench -quick`" + ` takes 90 seconds.

All figures are of one run. Whole processes are timed from fork to exit, and two that are compared run in turn (A B A B)
after a warm-up; the ratio is the median of the paired ratios, so that whatever slows the machine slows both. Times are
medians unless a quantile is named. The store lies on a disk, and a hook that is durable is on it when its process ends.

`

// markdown is the content of docs/benchmarks.md.
func (r *report) markdown() []byte {
	var b bytes.Buffer
	b.WriteString(preface)
	for _, line := range r.head() {
		fmt.Fprintf(&b, "- %s\n", line)
	}
	b.WriteString("\n| # | measure | goal | measured | | details |\n|---|---|---|---|---|---|\n")
	for _, f := range r.figures {
		fmt.Fprintf(&b, "| %d | %s | %s | %s | %s | %s |\n", f.number, f.what, f.goal, f.measured(), f.verdict(), f.note)
	}
	for _, failure := range r.failed {
		fmt.Fprintf(&b, "\nNot measured: %s\n", strings.ReplaceAll(failure.Error(), "\n", " "))
	}
	b.WriteString(afterword)
	return b.Bytes()
}

// afterword says how each measure is taken.
const afterword = `
## How each is taken

1. ` + "`hookctl consciousness brief`" + ` of a live session with the daemon running, against ` + "`func main() {}`" + ` built with the same flags.
2. ` + "`hookctl hook PostToolUse`" + ` with a test run's output, 2 KiB of JSON on stdin, each with its own tool call.
3. The same with a Write of 3 MB: the content stands in tool_input and again in tool_response. No two are alike, so no blob is shared.
4. Every hook of a session in its order, one process after the other, into an empty home.
5. 32 processes started at once, from the first fork to the last exit, over one alone before each burst.
6. The daemon's Take in this process (redact, decode, decide, append, fold, render, sync) against a bare JetStream publish of the
   same JSON to a server with the same options: first in JetStream's own durable mode, SyncAlways, then with an fsync that all who
   wait share, which is ours and which JetStream does not offer. Events per second, blocks in turn.
7. Verify (read, decode, fold, compare every cell) against an ordered consumer that discards what it gets, on a copy of the store.
8. ` + "`hookctl hook SessionStart`" + ` while no daemon runs: the time includes the start of hookd and the real answer. The page cache is warm.
9. Resident memory of a daemon that was started by a hook 10 s ago and has nothing to do; processor time after that.
10. Go's benchmark of the brief's formatting.
11. Bytes of all files below the store's folder after the daemon stopped in order, a file with several links counted once, over
    the bytes of the hooks' compact JSON of measure 4. The aim is 0.30. The goal is about recorded sessions (-hooks): the generated
    one has no content large enough to be stored once for all its uses, and comes out higher.
12. The redactor on a tool's output of 2 KB and on a Write of 3 MB (6 MB of JSON), source code both.
13. From the exit of a hook's process to its line in the output of ` + "`hookctl tail -f -o json`" + `.
14. An Edit that is asked for at every gate of a list, all of them open, on a branch with a long past.
15. ` + "`replay at SEQUENCE identity SESSION`" + ` of a session in the middle of the long log, whole process: without a daemon, and then with one.
16. With -million only. Starts are ` + "`hookctl start`" + `, the ids of the log forgotten (the server remembers them for two minutes); verify and rebuild
   are whole processes without a daemon, with the start and the stop of the store.
17. Every record of the long log's blocks read and compared with its checksum, in this process, as a start after a crash does with what nothing
    vouches for. The page cache is warm.
18. ` + "`hookctl start`" + ` at once after a kill -9 of the daemon while eight clients at a time send hooks; whoever comes first starts it.

The log of 100,000 events (7, 8, 9, 15, 17): the hooks of measure 4 are taken by a daemon in process, and what it recorded is appended again,
in batches, under other session ids and times; then a daemon folds it once and stops in order.
`
