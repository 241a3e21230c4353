// Package doctor has `hookctl doctor`: checks from the hooks to the log, each with what to do.
package doctor

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"hookline/hookctl/api"
	"hookline/hookctl/client"
	"hookline/hookctl/cmdline"
	"hookline/hookctl/home"
	"hookline/hookctl/problem"
	"hookline/hookctl/redact"
	"hookline/hookctl/safeopen"
	"hookline/hookctl/verbs/command"
	"hookline/hookctl/verbs/env"
	"hookline/hookctl/verbs/lifecycle"
	"hookline/hookctl/verbs/show"
	"hookline/hookctl/wire"
)

// Command returns the command that checks everything.
func Command(e *env.Env) *cobra.Command {
	return command.Verb(e, env.Running, command.Text{
		Use:   "doctor",
		Short: "Check everything from the hooks to the log, and say what to do",
		Long: "Check everything from the hooks to the log, and say what to do. At the end a test event is sent through\n" +
			"every stage. --fix starts the daemon, closes the home to others, renews outdated hooks and\n" +
			"drains the spool. Exits 1 when a check failed; warnings do not count.",
		Example: "  hookctl doctor --fix\n" +
			"  hookctl doctor --gaps\n" +
			"  hookctl doctor --redaction prompt.txt",
	}, &verb{})
}

// Outputs has the types of what the verbs of this package print with --json.
var Outputs = cmdline.Outputs{
	"doctor": cmdline.Either{Report{}, redact.Finding{}, gapsJSON{}},
}

// Results of a check.
const (
	OK   = "ok"
	Warn = "warn"
	Fail = "fail"
)

// Check is one thing that doctor looked at.
type Check struct {
	Name   string `json:"name" jsonschema_description:"of the check"`
	Result string `json:"result" jsonschema_description:"ok, warn or fail"`
	Words  string `json:"words" jsonschema_description:"what was found"`
	Do     string `json:"do,omitempty" jsonschema_description:"what a person can do"`
	Fixed  bool   `json:"fixed,omitempty" jsonschema_description:"--fix has done something"`
}

// Report is what `doctor --json` prints.
type Report struct {
	OK     bool    `json:"ok" jsonschema_description:"no check failed; warnings do not count"`
	Checks []Check `json:"checks" jsonschema_description:"in the order they were made"`
}

type verb struct {
	Fix       bool   `help:"mend what can be mended"`
	Gaps      bool   `help:"only compare the client's transcripts with the log: which hooks never came"`
	Redaction string `help:"only show what would be redacted in this file (- for stdin)"`
}

func (f *verb) Run(ctx context.Context, e *env.Env, _ []string) error {
	switch {
	case f.Redaction != "":
		return redaction(e, f.Redaction)
	case f.Gaps:
		return gaps(ctx, e)
	}
	x := &examiner{Env: e, fix: f.Fix, paths: e.Files()}
	if err := x.run(ctx); err != nil {
		return err
	}
	ok := !slices.ContainsFunc(x.checks, func(c Check) bool { return c.Result == Fail })
	return e.Verdict(Report{OK: ok, Checks: x.checks}, ok, func() {
		t := e.Table("", "", "")
		t.Prose = true
		tones := map[string]string{"ok": "good", "fix": "good", "warn": "warn", "FAIL": "bad"}
		t.Color = func(_, v string) string { return e.Paint.Toned(tones[strings.TrimSpace(v)], v) }
		marks := map[string]string{OK: "ok", Warn: "warn", Fail: "FAIL"}
		counts := map[string]int{}
		for _, c := range x.checks {
			counts[c.Result]++
			mark := marks[c.Result]
			if c.Fixed {
				mark = "fix"
			}
			t.Row(mark, c.Name, c.Words)
			if c.Do != "" {
				t.Row("", "", "→ "+c.Do)
			}
		}
		t.Print()
		e.Printf("\n%d ok, %s, %s\n", counts[OK], cmdline.Plural(counts[Warn], "warning"), cmdline.Plural(counts[Fail], "failure"))
	})
}

// examiner is one run of doctor. Checks that need the daemon are left out without one.
type examiner struct {
	*env.Env
	fix    bool
	paths  home.Paths
	status api.Status // of the daemon, with the hooks of the whole log
	checks []Check    // made so far
	name   string     // of the one that is being made
}

func (x *examiner) pass(format string, args ...any) {
	x.checks = append(x.checks, Check{Name: x.name, Result: OK, Words: fmt.Sprintf(format, args...)})
}

func (x *examiner) mended(words string) {
	x.checks = append(x.checks, Check{Name: x.name, Result: OK, Words: words, Fixed: true})
}

func (x *examiner) warn(words, do string) {
	x.checks = append(x.checks, Check{Name: x.name, Result: Warn, Words: words, Do: do})
}

func (x *examiner) fail(words, do string) {
	x.checks = append(x.checks, Check{Name: x.name, Result: Fail, Words: words, Do: do})
}

// run makes all checks: first what needs no daemon, and would explain why there is none.
func (x *examiner) run(ctx context.Context) error {
	x.hooks()
	x.switchedOff()
	x.program()
	x.configuration()
	if !x.permissions() {
		return nil
	}
	x.fileSystem()
	if free, total, err := x.Room(x.paths.Home); err == nil { // this platform reports it
		x.disk(lifecycle.JudgeRoom(uint64(free), uint64(total)))
	}
	x.lastStart()

	runs := x.daemon(ctx)
	x.spool(ctx, runs)
	if runs {
		x.kinds()
		x.installs()
		x.unknown()
		x.clock(ctx)
		x.damage(ctx)
		x.rebuilt(ctx)
		x.canary(ctx)
	}
	return ctx.Err()
}

// daemon reports whether the daemon answers, which --fix starts.
func (x *examiner) daemon(ctx context.Context) bool {
	x.name = "daemon"
	_, err := x.Answering(ctx)
	started := env.NotRunning(err) && x.fix
	if started {
		_, err = x.Started(ctx)
	}
	if err == nil {
		x.status, err = lifecycle.HookedStatus(ctx, x.Env)
	}
	busy := client.Busy(x.paths)
	switch {
	case env.NotRunning(err) && busy != nil:
		x.warn(busy.Message, busy.Hint)
		return false
	case env.NotRunning(err):
		x.warn("no daemon is running", "the next hook starts it; so does `hookctl start`")
		return false
	case err != nil:
		x.fail(err.Error(), show.Hint(err, "its log is "+x.paths.Log))
		return false
	}

	words := fmt.Sprintf("version %s, pid %d, up %s", x.status.Version, lifecycle.PID(x.status), show.Span(time.Duration(x.status.UptimeS*float64(time.Second))))
	if started {
		x.mended("started, " + words)
		return true
	}
	x.pass("%s", words)
	if x.status.Version != wire.Build {
		x.name = "version"
		x.warn("the daemon is "+x.status.Version+", this is "+wire.Build, "`hookctl restart` brings both to one version")
	}
	return true
}

// maxRedaction bounds the file that is looked at, as the daemon bounds a frame.
const maxRedaction = 64 << 20

// redaction shows what would be redacted in a file. Nothing of the file's content is printed.
func redaction(e *env.Env, path string) error {
	var text []byte
	var err error
	if path == "-" {
		text, err = io.ReadAll(io.LimitReader(e.In, maxRedaction))
	} else {
		text, err = safeopen.ReadFile(safeopen.User, path, maxRedaction)
	}
	if err != nil {
		return problem.Because(err).Advise("a file of text is read, or stdin with -")
	}
	found := findSecrets(e, text)
	t := e.Table("LINE", "BYTES", "KIND", "RULE")
	err = cmdline.PrintList(t, "nothing would be redacted", found, func(f redact.Finding) []string {
		return []string{strconv.Itoa(f.Line), fmt.Sprintf("%d–%d", f.Start, f.End), "[REDACTED:" + f.Kind + "]", f.Rule}
	})
	if len(found) > 0 && !e.JSON {
		e.Printf("\n%s would be redacted\n", cmdline.Plural(len(found), "secret"))
	}
	return err
}

// findSecrets is what the built-in rules and the configuration's own expressions find, by place.
func findSecrets(e *env.Env, text []byte) []redact.Finding {
	all := redact.New().Find(text)
	for _, expr := range e.Conf.Values.RedactExtra {
		for _, at := range regexp.MustCompile(expr).FindAllIndex(text, -1) { // compiled before, when the configuration was read
			if at[0] < at[1] {
				all = append(all, redact.Finding{Line: 1 + bytes.Count(text[:at[0]], []byte("\n")), Start: at[0], End: at[1], Kind: "custom", Rule: "redact_extra"})
			}
		}
	}
	slices.SortStableFunc(all, func(x, y redact.Finding) int { return x.Start - y.Start })
	return all
}
