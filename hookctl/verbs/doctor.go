package verbs

import (
	"errors"
	"fmt"

	"github.com/spf13/cobra"

	"hookline/hookctl/client"
	"hookline/hookctl/cmdline"
	"hookline/hookctl/home"
	"hookline/hookctl/problem"
)

// Results of a check.
const (
	resultOK   = "ok"
	resultWarn = "warn"
	resultFail = "fail"
)

// check is one thing that doctor looked at.
type check struct {
	Name   string `json:"name" jsonschema_description:"of the check"`
	Result string `json:"result" jsonschema_description:"ok, warn or fail"`
	Words  string `json:"words" jsonschema_description:"what was found"`
	Do     string `json:"do,omitempty" jsonschema_description:"what a person can do"`
	Fixed  bool   `json:"fixed,omitempty" jsonschema_description:"--fix has done something"`
}

func passed(name, format string, args ...any) check {
	return check{Name: name, Result: resultOK, Words: fmt.Sprintf(format, args...)}
}

func warned(name, words, do string) check {
	return check{Name: name, Result: resultWarn, Words: words, Do: do}
}

func failed(name, words, do string) check {
	return check{Name: name, Result: resultFail, Words: words, Do: do}
}

func fixed(name, words string) check {
	return check{Name: name, Result: resultOK, Words: words, Fixed: true}
}

// doctorJSON is what `doctor --json` prints.
type doctorJSON struct {
	OK     bool    `json:"ok" jsonschema_description:"no check failed; warnings do not count"`
	Checks []check `json:"checks" jsonschema_description:"in the order they were made"`
}

func (a *app) doctorCmd() *cobra.Command {
	var f struct {
		Fix       bool   `help:"mend what can be mended"`
		Gaps      bool   `help:"only compare the client's transcripts with the log: which hooks never came"`
		Redaction string `help:"only show what would be redacted in this file (- for stdin)"`
	}
	return a.verb(needNothing, &cobra.Command{
		Use:   "doctor",
		Short: "Check everything from the hooks to the log, and say what to do",
		Long: "Check everything from the hooks to the log, and say what to do. At the end a test event is sent through\n" +
			"every stage. --fix starts the daemon, closes the home to others, renews outdated hooks and\n" +
			"drains the spool. Exits 1 when a check failed; warnings do not count.",
		Example: "  hookctl doctor --fix\n  hookctl doctor --gaps\n  hookctl doctor --redaction prompt.txt",
	}, func([]string) error {
		switch {
		case f.Redaction != "":
			return a.redaction(f.Redaction)
		case f.Gaps:
			return a.gaps()
		}
		x := &examiner{app: a.under(a.ctx), fix: f.Fix, paths: home.PathsOf(a.Home(), a.Getenv)}
		checks, err := x.run()
		if err != nil {
			return err
		}
		out := doctorJSON{OK: true, Checks: checks}
		for _, c := range checks {
			out.OK = out.OK && c.Result != resultFail
		}
		return a.Verdict(out, out.OK, func() { a.printChecks(checks) })
	}, &f)
}

// examiner is one run of doctor. Checks that need the daemon are left out without one.
type examiner struct {
	*app
	fix    bool
	paths  home.Paths
	status client.Status // of the daemon
	stuck  bool          // the home is not there and cannot be made
	full   bool          // the full profile is installed somewhere
	hooked bool          // any profile is
}

// run makes all checks: first what needs no daemon, and would explain why there is none.
func (x *examiner) run() ([]check, error) {
	var all []check
	for _, f := range []func() []check{x.hooks, x.switchedOff, x.program, x.configuration, x.permissions, x.fileSystem, x.space, x.lastStart} {
		all = append(all, f()...)
	}
	up, err := x.daemon()
	if err != nil {
		return nil, err
	}
	all = append(all, up...)
	if x.backend == nil {
		return append(all, x.waiting()...), nil
	}
	defer x.backend.Close()
	for _, f := range []func() []check{x.spool, x.clock, x.kinds, x.installs, x.unknown, x.damage, x.canary} {
		all = append(all, f()...)
	}
	return all, x.ctx.Err()
}

// daemon looks for the daemon, and with --fix starts it.
func (x *examiner) daemon() ([]check, error) {
	const name = "daemon"
	h, err := x.connect(x.ctx, needRunning)
	started := false
	if errors.Is(err, errDown) && x.fix {
		if h, err = x.connect(x.ctx, needStarted); err != nil {
			return []check{failed(name, "it could not be started: "+err.Error(), hintOf(err, "its log is "+x.paths.Log))}, nil
		}
		started = true
	}
	if errors.Is(err, errDown) {
		return x.down(), nil
	}
	if err == nil {
		if err = h.Get(x.ctx, "/v1/status", nil, &x.status); err != nil {
			h.Close()
		}
	}
	if err != nil {
		if x.ctx.Err() != nil {
			return nil, x.ctx.Err()
		}
		return x.mute(err), nil
	}
	x.backend = h
	words := fmt.Sprintf("version %s, pid %d, up %s", x.status.Version, pidOf(x.status), span(seconds(x.status.UptimeS)))
	if started {
		return []check{fixed(name, "started, "+words)}, nil
	}
	return append([]check{passed(name, "%s", words)}, x.sameVersion()...), nil
}

// down says why no daemon runs, each cause once: who holds the store, or that there is no place for it.
func (x *examiner) down() []check {
	if x.stuck {
		return []check{warned("daemon", "no daemon is running", "it starts once the home can be made")}
	}
	if held := x.lock(); len(held) > 0 {
		return held
	}
	return []check{warned("daemon", "no daemon is running", "the next hook starts it; so does `hookctl start`")}
}

// mute is the finding about a daemon that is there and does not answer as it should.
func (x *examiner) mute(err error) []check {
	words := "it does not answer: " + err.Error()
	var f *problem.Error
	if errors.As(err, &f) {
		words = f.Message
	}
	return []check{failed("daemon", words, hintOf(err, "`hookctl restart` ends it and starts another"))}
}

// hintOf is the advice that an error has of its own, else another.
func hintOf(err error, other string) string {
	var f *problem.Error
	var hinted interface{ Hint() string }
	switch {
	case errors.As(err, &f) && f.Hint != "":
		return f.Hint
	case errors.As(err, &hinted) && hinted.Hint() != "":
		return hinted.Hint()
	}
	return other
}

func (a *app) printChecks(checks []check) {
	wide := 0
	for _, c := range checks {
		wide = max(wide, cmdline.Width(c.Name))
	}
	counts := map[string]int{}
	for _, c := range checks {
		counts[c.Result]++
		mark := a.Paint.Good("ok  ")
		switch {
		case c.Fixed:
			mark = a.Paint.Good("fix ")
		case c.Result == resultWarn:
			mark = a.Paint.Warn("warn")
		case c.Result == resultFail:
			mark = a.Paint.Bad("FAIL")
		}
		a.Printf("%s  %s  %s\n", mark, cmdline.Pad(c.Name, wide), cmdline.OneLine(c.Words))
		if c.Do != "" {
			a.Printf("      %s  → %s\n", cmdline.Pad("", wide), cmdline.OneLine(c.Do))
		}
	}
	a.Printf("\n%d ok, %s, %s\n", counts[resultOK], cmdline.Plural(counts[resultWarn], "warning"), cmdline.Plural(counts[resultFail], "failure"))
}
