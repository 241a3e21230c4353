package verbs

import (
	"context"
	"errors"
	"fmt"

	"github.com/spf13/cobra"

	"hookline/hookctl/daemon"
)

// Results of a check.
const (
	resultOK   = "ok"
	resultWarn = "warn"
	resultFail = "fail"
)

// check is one thing that doctor looked at.
type check struct {
	Name   string `json:"name"`
	Result string `json:"result"` // ok, warn or fail
	Words  string `json:"words"`
	Do     string `json:"do,omitempty"`    // what a person can do
	Fixed  bool   `json:"fixed,omitempty"` // --fix has done something
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
	OK     bool    `json:"ok"` // no check failed; warnings do not count
	Checks []check `json:"checks"`
}

func (a *app) doctorCmd() *cobra.Command {
	var fix bool
	var redaction string
	cmd := &cobra.Command{
		Use: "doctor", Short: "Check everything from the hooks to the log, and say what to do",
		Long: "Check everything from the hooks to the log, and say what to do. At the end a canary event goes in and is\n" +
			"read back at every station. --fix starts the daemon, closes the home to others, renews outdated hooks and\n" +
			"drains the spool. Exits 1 when a check failed; warnings do not count.",
		Example: "  hookctl doctor --fix\n  hookctl doctor --redaction prompt.txt",
		Args:    cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if redaction != "" {
				return a.redaction(redaction)
			}
			return a.doctor(cmd.Context(), fix)
		},
	}
	cmd.Flags().BoolVar(&fix, "fix", false, "mend what can be mended")
	cmd.Flags().StringVar(&redaction, "redaction", "", "only show what would be redacted in this file (- for stdin)")
	return cmd
}

// examiner is one run of doctor. Checks that need the daemon are left out without one.
type examiner struct {
	*app
	fix    bool
	paths  daemon.Paths
	house  house  // nil when the daemon is down
	status Status // of the daemon
	full   bool   // the full profile is installed somewhere
	hooked bool   // any profile is
}

func (a *app) doctor(ctx context.Context, fix bool) error {
	x := &examiner{app: a, fix: fix, paths: daemon.PathsOf(a.home(), a.getenv)}
	checks, err := x.run(ctx)
	if err != nil {
		return err
	}
	out := doctorJSON{OK: true, Checks: checks}
	for _, c := range checks {
		out.OK = out.OK && c.Result != resultFail
	}
	if a.json {
		err = a.printJSON(out)
	} else {
		a.printChecks(checks)
	}
	if err == nil && !out.OK {
		return silent(1)
	}
	return err
}

// run makes all checks: first what needs no daemon, and would explain why there is none.
func (x *examiner) run(ctx context.Context) ([]check, error) {
	var all []check
	for _, f := range []func() []check{x.hooks, x.program, x.configuration, x.permissions, x.ground, x.space, x.lastStart} {
		all = append(all, f()...)
	}
	up, err := x.daemon(ctx)
	if err != nil {
		return nil, err
	}
	all = append(all, up...)
	if x.house == nil {
		return append(all, x.waiting()...), nil
	}
	defer x.house.Close()
	for _, f := range []func(context.Context) []check{x.spool, x.clock, x.kinds, x.installs, x.unknown, x.damage, x.canary} {
		all = append(all, f(ctx)...)
	}
	return all, ctx.Err()
}

// daemon looks for the daemon, and with --fix starts it.
func (x *examiner) daemon(ctx context.Context) ([]check, error) {
	const name = "daemon"
	h, err := x.connect(ctx, needRunning)
	started := false
	if errors.Is(err, errDown) && x.fix {
		if h, err = x.connect(ctx, needStarted); err != nil {
			return []check{failed(name, "it could not be started: "+err.Error(), "its log is "+x.paths.Log)}, nil
		}
		started = true
	}
	if errors.Is(err, errDown) {
		return append(x.lock(), warned(name, "no daemon is running", "the next hook starts it; so does `hookctl start`")), nil
	}
	if err == nil {
		if err = h.Get(ctx, "/v1/status", nil, &x.status); err != nil {
			h.Close()
		}
	}
	if err != nil {
		if ctx.Err() != nil {
			return nil, ctx.Err()
		}
		return append(x.lock(), failed(name, "it does not answer: "+err.Error(), "`hookctl restart` ends it and starts another")), nil
	}
	x.house = h
	words := fmt.Sprintf("version %s, pid %d, up %s", x.status.Version, pidOf(x.status), span(seconds(x.status.UptimeS)))
	if started {
		return []check{fixed(name, "started, "+words)}, nil
	}
	return append([]check{passed(name, "%s", words)}, x.sameVersion()...), nil
}

func (a *app) printChecks(checks []check) {
	wide := 0
	for _, c := range checks {
		wide = max(wide, width(c.Name))
	}
	counts := map[string]int{}
	for _, c := range checks {
		counts[c.Result]++
		mark := a.paint.good("ok  ")
		switch {
		case c.Fixed:
			mark = a.paint.good("fix ")
		case c.Result == resultWarn:
			mark = a.paint.warn("warn")
		case c.Result == resultFail:
			mark = a.paint.bad("FAIL")
		}
		a.printf("%s  %s  %s\n", mark, pad(c.Name, wide), oneLine(c.Words))
		if c.Do != "" {
			a.printf("      %s  → %s\n", pad("", wide), oneLine(c.Do))
		}
	}
	a.printf("\n%d ok, %s, %s\n", counts[resultOK], plural(counts[resultWarn], "warning"), plural(counts[resultFail], "failure"))
}
