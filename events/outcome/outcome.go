// Package outcome judges how a shell's command line went, by what it printed and by its exit status.
//
// The client reports the exit status of a whole line. Behind a pipe without pipefail, `;`, `|| true` or `&` it says nothing of a
// check before that: `go test ./... | tail` exits with 0 whatever the tests did. So a check (tests, build, lint, types) is judged
// by its own output, in this order:
//
//	a summary that only a failing check prints     failed, whatever the status
//	an exit status that is not hidden              ok or failed
//	a summary that only a passing check prints     ok
//	a line of a failure, which others print, too   failed
//	nothing of these                               unknown
//
// What tools print is a table with a row for each ([tools]). A command that is no check is judged by its exit status alone, and is
// unknown where that is hidden.
//
// Everything is bounded: of a long output the first and the last 32 KiB are looked at, and an expression sees single lines that
// hold a given text.
package outcome

import (
	"regexp"
	"slices"
	"strings"

	"hookline/events"
)

// Status is how a command went.
type Status string

// Status of a command.
const (
	OK      Status = "ok"
	Failed  Status = "failed"
	Unknown Status = "unknown" // nothing says it
)

// Result is what a command's own output and exit status say about it.
type Result struct {
	Status  Status
	Counts  string   // what its checks counted, summed over all blocks, as "143 passed, 2 failed, 3 ignored"; "" where none
	Telling string   // the line that says what failed: the assertion, the first compiler error, the cause; "" where nothing failed or nothing says so
	Own     []Own    // what the output shows of each command of the line
	Runs    []Status // how each command of the line went, as far as it can be said by itself
	Hidden  bool     // the exit status says nothing of the check, or of the command where none checks
}

// Own is what an output shows of one command of its line by marks that no other command of the line prints.
type Own struct {
	Status Status
	Behind string // of one that passed: what was printed behind its summary
}

// Of judges a command line by its commands as [events.Runs] reads them, whether the client called it failed, and its output: what
// it printed, or the client's text of an error, which begins with "Exit code N".
func Of(line string, runs []events.Run, failed bool, output string) Result {
	code, text := exitCode(output)
	if code > 0 {
		failed = true
	}
	in := reading{
		runs:    runs,
		failed:  failed,
		code:    code,
		text:    window(text),
		cut:     len(text) > 2*half || strings.Contains(text, events.Gap),
		endless: strings.HasSuffix(text, events.Gap),
	}

	in.checks = checksOf(runs)
	each := in.each()
	result := in.check(each)
	if len(in.checks) == 0 {
		result = in.plain()
	}
	result.Runs = each
	result.Own = in.own()
	return result
}

// each returns how each command of the line went. Of a line that failed nobody can say which of those it was whose status is not
// hidden.
func (in reading) each() []Status {
	var list []Status
	for _, run := range in.runs {
		status := Unknown
		if !run.Hidden && !inBackground(in.text) {
			status = OK
			if in.failed {
				status = Failed
			}
		}
		list = append(list, status)
	}
	for _, c := range in.checks {
		if !inBackground(in.text) {
			list[c.at] = in.judgeOne(c)
		}
	}
	return list
}

// reading is a command line with its output.
type reading struct {
	runs   []events.Run
	checks []check

	failed  bool   // the client called it failed
	code    int    // exit status, -1 where the output does not name it
	text    string // what of the output is looked at
	cut     bool   // the middle of the output is not among it
	endless bool   // the end of the output is not among it
}

// check is one command that checks something, with what its pipe does to its output.
type check struct {
	events.Run
	at      int // among the commands
	rows    []*tool
	filters []events.Run // commands that its output goes through
}

// checksOf returns the commands that check something.
func checksOf(runs []events.Run) []check {
	var list []check
	for i, run := range runs {
		if run.Check == "" {
			continue
		}
		c := check{Run: run, at: i, rows: rowsOf(run)}
		for at := i; runs[at].Piped && at+1 < len(runs); at++ {
			c.filters = append(c.filters, runs[at+1])
		}
		list = append(list, c)
	}
	return list
}

// plain judges a line without a check, by its exit status.
func (in reading) plain() Result {
	hidden := len(in.runs) > 0 && in.runs[0].Hidden
	result := Result{Status: OK, Hidden: hidden}
	switch {
	case in.failed:
		result.Status = Failed
		result.Telling = NamesError(in.text)
	case hidden || inBackground(in.text):
		result.Status = Unknown
	}
	return result
}

// check judges a line with checks, by the status of each command: of several checks the worst counts.
func (in reading) check(each []Status) Result {
	result := Result{Status: OK}
	for _, c := range in.checks {
		result.Hidden = result.Hidden || c.Hidden
		if each[c.at] == Failed || each[c.at] == Unknown && result.Status == OK {
			result.Status = each[c.at]
		}
	}

	result.Counts = in.counts()
	if result.Status == Failed {
		result.Telling = in.telling()
	}
	return result
}

// judgeOne judges one check of the line.
func (in reading) judgeOne(c check) Status {
	hidden := c.Hidden
	failed := in.failed
	if printed, ok := printedStatus(c.Run.Status, in.text); ok {
		hidden = false
		failed = printed != 0
	} else if failed && in.failedElsewhere() {
		hidden = true
		failed = false
	}

	switch {
	case failed || in.marked(c, strongMark):
		return Failed
	case !hidden || in.passed(c):
		return OK
	case in.marked(c, weakMark):
		return Failed
	}
	return Unknown
}

// looks are programs that end with a failure where they find nothing, or that are stopped by one which has seen enough.
var looks = []string{"grep", "egrep", "rg", "test", "[", "diff", "cmp", "head", "tail"}

// brokenPipe is the exit status of a program whose reader has gone, under pipefail.
const brokenPipe = 141

// failedElsewhere reports whether the line's failure is that of a look at its output: no check failed by that.
func (in reading) failedElsewhere() bool {
	last := in.runs[len(in.runs)-1]
	looked := last.Check == "" && slices.Contains(looks, last.Words[0]) && in.code <= 1
	allHidden := !slices.ContainsFunc(in.checks, func(c check) bool { return !c.Hidden })
	return looked && allHidden || in.code == brokenPipe
}

// exitForm is how clients begin the text of an error: Claude Code, Codex.
var exitForm = regexp.MustCompile(`^Exit code:? (\d{1,3})\b`)

// exitCode returns the exit status that an output begins with, and the rest; -1 where it does not.
func exitCode(output string) (code int, rest string) {
	if !strings.HasPrefix(output, "Exit code") {
		return -1, output
	}
	m := exitForm.FindStringSubmatch(output[:min(len(output), 20)])
	if m == nil {
		return -1, output
	}
	return readNumber(m[1]), output[len(m[0]):]
}

// background is what the client answers for a command that it left running.
const background = "Command running in background with ID"

func inBackground(text string) bool { return strings.HasPrefix(text, background) }

// printedStatus returns the exit status that an echo printed, by the text that it printed around it. A number alone must be the
// only one that has a line of its own.
func printedStatus(form, text string) (status int, ok bool) {
	before, after, announced := strings.Cut(form, "$?")
	if !announced || strings.Contains(after, "$") || strings.Contains(before, "$") {
		return 0, false
	}
	before, after = strings.TrimSpace(before), strings.TrimSpace(after)
	alone := before == "" && after == ""

	found := 0
	for line := range strings.Lines(text) {
		line = strings.TrimSpace(line)
		if !strings.HasPrefix(line, before) || !strings.HasSuffix(line, after) || len(line) < len(before)+len(after) {
			continue
		}
		digits := strings.TrimSpace(line[len(before) : len(line)-len(after)])
		if len(digits) > 0 && len(digits) <= 3 && strings.Trim(digits, "0123456789") == "" {
			status = readNumber(digits)
			found++
		}
	}
	return status, found == 1 || found > 1 && !alone
}

// readNumber reads a number without a sign; one above a million counts as that.
func readNumber(digits string) int {
	n := 0
	for _, d := range digits {
		n = min(n*10+int(d-'0'), 1_000_000)
	}
	return n
}
