//go:build linux

package conversations

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/rogpeppe/go-internal/testscript"
)

// within is how long a condition is waited for; it is met in milliseconds on an idle machine.
const within = 30 * time.Second

// eventually polls until ok has no objection; the last one is the error.
func eventually(ok func() error) error {
	deadline := time.Now().Add(within)
	for pause := time.Millisecond; ; pause = min(2*pause, 50*time.Millisecond) {
		err := ok()
		if err == nil || time.Now().After(deadline) {
			return err
		}
		time.Sleep(pause)
	}
}

// newest waits for an event of a pattern whose fields have the values asked for, and gives the newest one.
func (h home) newest(pattern string, wants ...string) (r record, err error) {
	err = eventually(func() error {
		found, err := matching(h, pattern, wants)
		if err == nil && len(found) == 0 {
			return fmt.Errorf("no event %s %s", pattern, strings.Join(wants, " "))
		}
		if err == nil {
			r = found[len(found)-1]
		}
		return err
	})
	return r, err
}

// cmdWaitfor polls one condition.
func cmdWaitfor(ts *testscript.TestScript, _ bool, args []string) {
	h := homeOf(ts)
	switch args[0] {
	case "up":
		ts.Check(h.up())
	case "gone":
		ts.Check(h.gone())
	case "build":
		ts.Check(h.answers(args[1]))
	case "spool":
		ts.Check(h.spools(args[1]))
	case "below":
		limit := number(ts, args[1])
		ts.Check(eventually(func() error {
			if n := len(spooled(h.state())); n >= limit {
				return fmt.Errorf("%d frames in the spool", n)
			}
			return nil
		}))
	case "event":
		ts.Check(eventually(func() error {
			found, err := matching(h, args[2], args[3:])
			if err != nil {
				return err
			}
			return wantCount(strings.Join(args[2:], " "), args[1], len(found))
		}))
	default:
		ts.Fatalf("waitfor: unknown condition %q", args[0])
	}
}

// number is a whole number among a word's arguments.
func number(ts *testscript.TestScript, text string) int {
	n, err := strconv.Atoi(text)
	ts.Check(err)
	return n
}

func wantCount(what, want string, got int) error {
	if strconv.Itoa(got) != want {
		return fmt.Errorf("%d %s instead of %s", got, what, want)
	}
	return nil
}

// matching lists the events of a pattern whose fields have the values asked for.
func matching(h home, pattern string, wants []string) ([]record, error) {
	all, err := h.events(pattern)
	if err != nil {
		return nil, err
	}
	var found []record
	for _, r := range all {
		lacks := slices.ContainsFunc(wants, func(w string) bool {
			name, want, _ := strings.Cut(w, "=")
			got, _ := at(r.fields, name)
			return got != want
		})
		if !lacks {
			found = append(found, r)
		}
	}
	return found, nil
}
