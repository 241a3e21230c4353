//go:build linux

package conversations

import (
	"encoding/json"
	"flag"
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/rogpeppe/go-internal/testscript"

	"hookline/hookctl/wire"
)

// cmdHook starts hookctl as the client does. Before the event's name it takes flags:
//
//	-exit N        the exit code that is wanted, default 0
//	-env NAME=V    one more variable
//	-bin DIR       the hookctl of that folder
//	-held          stdin stays open behind its content
//	-null          stdin is /dev/null, a character device like a terminal
//
// stdin is the file behind "<", or an object of the members given as name=value (a value that is
// JSON is taken as such, hook_event_name comes from the event), else a pipe that ends at once. The call must end within the hook's
// own deadline, and [lateBy] for a busy machine.
func cmdHook(ts *testscript.TestScript, neg bool, args []string) {
	if neg {
		ts.Fatalf("unsupported: ! hook; use -exit")
	}
	var c call
	flags := flag.NewFlagSet("hook", flag.ContinueOnError)
	want := flags.Int("exit", 0, "")
	flags.StringVar(&c.bin, "bin", "", "")
	flags.BoolVar(&c.held, "held", false, "")
	flags.BoolVar(&c.null, "null", false, "")
	flags.Func("env", "", func(v string) error { c.env = append(c.env, v); return nil })
	ts.Check(flags.Parse(args))
	args, c.input = inputOf(ts, flags.Args())
	if len(args) == 1 || strings.HasPrefix(args[1], "-") {
		args = append([]string{"hook"}, args...)
	}
	c.args = args
	out, err := homeOf(ts).run(c)
	ts.Check(err)
	_, _ = ts.Stdout().Write([]byte(out.stdout)) // strings.Builders do not fail
	_, _ = ts.Stderr().Write([]byte(out.stderr))
	if out.exit != *want {
		ts.Fatalf("exit code %d instead of %d", out.exit, *want)
	}
	deadline := wire.Deadline(c.args, wire.Event(c.args, nil), ts.MkAbs("."))
	if out.took > deadline+lateBy {
		ts.Fatalf("it took %v, more than %v", out.took, deadline+lateBy)
	}
	ts.Setenv("LATE", strconv.FormatBool(out.stdout == "" && out.took > deadline*6/10))
}

// late tells that a busy machine left the last hook no time for the daemon's answer, which is 60 % of its deadline. It
// may say nothing then; what it brought is recorded all the same, and is waited for.
func late(ts *testscript.TestScript) bool {
	if ts.Getenv("LATE") != "true" {
		return false
	}
	ts.Check(homeOf(ts).spools("0"))
	return true
}

// cmdBrief wants the brief of a session. A busy machine may not answer within 60 ms, which gives the
// cold brief; a brief leaves no trace, so it is asked for again.
func cmdBrief(ts *testscript.TestScript, _ bool, args []string) {
	h := homeOf(ts)
	ts.Check(eventually(func() error {
		out, err := h.run(call{args: []string{"consciousness", "brief"}, env: []string{"CLAUDE_CODE_SESSION_ID=" + args[0]}})
		ts.Check(err)
		if out.exit != 0 || out.stderr != "" || out.took > 60*time.Millisecond+lateBy {
			ts.Fatalf("brief: %+v", out)
		}
		if out.stdout != args[1]+"\n" {
			err = fmt.Errorf("the brief is %q instead of %q", out.stdout, args[1])
			if out.stdout != "[C:? r=? IC=?]\n" {
				ts.Check(err)
			}
		}
		return err
	}))
}

// inputOf takes the input off the end of a word's arguments: a file, or members of an object.
func inputOf(ts *testscript.TestScript, args []string) (rest []string, input string) {
	if n := len(args); n > 2 && args[n-2] == "<" {
		return args[:n-2], ts.ReadFile(args[n-1])
	}
	members := map[string]any{}
	for len(args) > 0 && strings.Contains(args[len(args)-1], "=") {
		name, text, _ := strings.Cut(args[len(args)-1], "=")
		var v any = text
		if json.Valid([]byte(text)) {
			v = json.RawMessage(text)
		}
		members[name], args = v, args[:len(args)-1]
	}
	if len(members) == 0 {
		return args, ""
	}
	if len(args) == 1 {
		members["hook_event_name"] = args[0]
	}
	b, err := json.Marshal(members)
	ts.Check(err)
	return args, string(b)
}

// lateBy is what a busy machine may add to a hook's own deadline.
const lateBy = 10 * time.Second
