package main

import (
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

// lines are the rows of a measure in the table; one that could not be taken has none.
func (m measure) lines(readings []reading) string {
	text := ""
	for i, got := range readings {
		r := m.rows[i]
		text += fmt.Sprintf("| %d | %s | %s | %s | %s | %s |\n", m.number, r.what, r.goal, r.goal.show(got.value), r.goal.verdict(got.value), got.note)
	}
	return text
}

// head says what the figures depend on, and begins the table. It names no host and no path. The load is that of the
// last minute before the run, where the system tells it; the time to bring 2 KiB to the disk is the floor under every
// durable hook.
func (b *bench) head(command, hooks string) string {
	load := ""
	if text, err := os.ReadFile("/proc/loadavg"); err == nil {
		one, _, _ := strings.Cut(string(text), " ")
		load = ", load " + one + " before the run"
	}
	f := must(os.CreateTemp(b.temp, "fsync-"))
	defer f.Close()
	synced := repeat(30, func(int) time.Duration {
		begin := time.Now()
		_, err := f.Write(make([]byte, 2<<10))
		check(err)
		check(f.Sync())
		return time.Since(begin)
	})
	return fmt.Sprintf("- date: %s\n- command: %s\n- machine: %d CPUs (GOMAXPROCS %d), %s/%s, %s%s\n- disk: 2 KiB written and synced in %s (median)\n- hooks: %s\n\n"+
		"| # | measure | goal | measured | | details |\n|---|---|---|---|---|---|\n",
		time.Now().UTC().Format(time.DateOnly), command, runtime.NumCPU(), runtime.GOMAXPROCS(0), runtime.GOOS, runtime.GOARCH, runtime.Version(),
		load, ms(median(synced)), hooks)
}
