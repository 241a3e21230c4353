//go:build linux

package conversations

import (
	"encoding/json"
	"fmt"
	"math"
	"os"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"syscall"

	"github.com/rogpeppe/go-internal/testscript"
)

// The words of the scripts, beside testscript's own. What a word prints is the next `stdout`.
//
//	hook [flags] EVENT [INPUT]       hookctl hook EVENT; flags and INPUT are told in call_test.go
//	verb [flags] NOUN VERB [INPUT]   the same for the identity verbs
//	brief SESSION WANT               consciousness brief, asked until it is warm
//	frame [flags] EVENT INPUT        a frame made by hand, to the daemon or into the spool (frame_test.go)
//	get PATH | post PATH [FILE]      a request to the daemon
//	browse FILE PATH                 a request to the page whose link `page --json` wrote into FILE, as the browser that opened it
//	wake SESSION                     prompts until one finds a daemon
//	waitfor up|gone|build V|spool N|below N|event N PATTERN [k=v…]
//	count N PATTERN [k=v…]           events of the log; k is a path like data.reason, v the value as text
//	event PATTERN [k=v…]             prints the newest such event
//	types [PATTERN]                  prints the type of each event, one a line
//	field PATH WANT                  a value of the JSON last printed; `! field PATH` wants none
//	context WANT…                    the additionalContext last printed, a line an argument
//	message TEXT                     the systemMessage last printed contains it; `! message` wants none.
//	                                 Neither is wanted of a hook that was late (call_test.go)
//	cell PROJECTION KEY              prints the state of a cell
//	latest SESSION                   the project's pointer names it, "" for none
//	timeindex SESSION…               the sessions of the temporal index, in order
//	observe SESSION IC [C]           sets vector and phases so that continuity is IC, consciousness C
//	signal NAME | crash | end        to the daemon: a signal; SIGKILL; an orderly end
//	damage STREAM                    overwrites the middle of its blocks, while no daemon runs
//	verify                           folds the log again: no hole, no difference
//	jsoneq FILE FILE                 two files hold the same JSON
//	raw FILE                         the event last printed gives back the JSON of a file
//	make KIND ARGS FILE              a payload too large or too odd for a script (payload_test.go)
//	private TEXT…                    no file below the home holds it
//	flood N SESSION | spool N SESSION  N frames of tools, always the same, to the daemon or into the spool
//	pid                              keeps the daemon's pid in $PID
//	environ PID                      prints a process's environment
//	secret NAME PART PART N          a secret of N random characters behind the parts, in $NAME
//	newer                            builds a later release into $NEWER
//	calls N SESSION | paired         N tool calls in a row; each request stands before its outcome in the log
//	doctor PATTERN                   hookctl doctor says it, whatever it finds beside
//	screen COLUMNS PROGRAM…           prints what a program shows on a terminal of that width (Linux)
//	fits COLUMNS… FILE               runs each line of FILE, COMMAND => PATTERN, on terminals of these widths (Linux)
//	tmpfs DIR SIZE | readonly DIR | writable DIR | fill DIR  mounts, only where mounts_linux_test.go runs the script
var commands = map[string]func(*testscript.TestScript, bool, []string){
	"hook": cmdHook, "verb": cmdHook, "brief": cmdBrief, "frame": cmdFrame, "make": cmdMake,
	"post": cmdPost, "waitfor": cmdWaitfor, "observe": cmdObserve, "signal": cmdSignal, "damage": cmdDamage,
	"count": cmdCount, "event": cmdEvent, "types": cmdTypes, "raw": cmdRaw, "jsoneq": cmdJSONeq, "field": cmdField,
	"context": cmdContext, "message": cmdMessage, "latest": cmdLatest, "timeindex": cmdTimeindex,
	"flood": cmdFlood, "spool": cmdSpool, "calls": cmdCalls, "paired": cmdPaired, "newer": cmdNewer, "doctor": cmdDoctor,
	"pid": cmdPid, "environ": cmdEnviron, "secret": cmdSecret, "private": cmdPrivate,
	"tmpfs": cmdTmpfs, "readonly": cmdReadonly, "writable": cmdWritable, "fill": cmdFill, "screen": cmdScreen, "fits": cmdFits,
	"wake":   plain(func(h home, args ...string) ([]byte, error) { return nil, h.wake(args[0]) }),
	"browse": cmdBrowse,
	"cell": plain(func(h home, args ...string) ([]byte, error) {
		return h.ask("GET", "/v1/cells/"+args[0]+"/"+args[1], "")
	}),
	"get":    plain(func(h home, args ...string) ([]byte, error) { return h.ask("GET", args[0], "") }),
	"crash":  plain(func(h home, _ ...string) ([]byte, error) { return nil, h.crash() }),
	"end":    plain(func(h home, _ ...string) ([]byte, error) { return nil, h.stop() }),
	"verify": plain(func(h home, _ ...string) ([]byte, error) { return nil, h.verify() }),
}

// passed are the variables that a script hands to the programs; an empty one is unset.
var passed = []string{"PATH", "HOME", "TMPDIR", "HOOKLINE_SECOND", "HOOKLINE_HOME", "HOOKLINE_SOCKET", "HOOKLINE_DISABLED", "HOOKLINE_IDLE_EXIT", "XDG_STATE_HOME",
	"XDG_RUNTIME_DIR", "XDG_CONFIG_HOME", "CLAUDE_CODE_SESSION_ID", "CLAUDE_PID", "CLAUDE_PROJECT_DIR"}

// homeOf is the home as the script's environment has it now.
func homeOf(ts *testscript.TestScript) home {
	h := home{env: map[string]string{}, dir: ts.MkAbs(".")}
	for _, name := range passed {
		h.env[name] = ts.Getenv(name)
	}
	return h
}

// plain makes a word of a function that prints or fails.
func plain(run func(h home, args ...string) ([]byte, error)) func(*testscript.TestScript, bool, []string) {
	return func(ts *testscript.TestScript, neg bool, args []string) {
		out, err := run(homeOf(ts), args...)
		if neg {
			if err == nil {
				ts.Fatalf("it did not fail: %s", out)
			}
			fmt.Fprintln(ts.Stderr(), err)
			return
		}
		ts.Check(err)
		_, err = ts.Stdout().Write(out)
		ts.Check(err)
	}
}

func cmdPost(ts *testscript.TestScript, neg bool, args []string) {
	body := ""
	if len(args) > 1 {
		body = ts.ReadFile(args[1])
	}
	plain(func(h home, _ ...string) ([]byte, error) { return h.ask("POST", args[0], body) })(ts, neg, nil)
}

// cmdLatest wants the only project's pointer in the bucket latest to name this session; of two projects it finds two.
func cmdLatest(ts *testscript.TestScript, _ bool, args []string) {
	if got := strings.Join(pointed(ts, "identity."), " "); got != args[0] {
		ts.Fatalf("latest is %q instead of %q", got, args[0])
	}
}

// cmdTimeindex wants the sessions of the temporal index in this order.
func cmdTimeindex(ts *testscript.TestScript, _ bool, args []string) {
	if got := pointed(ts, "t."); !slices.Equal(got, args) {
		ts.Fatalf("the temporal index is %q instead of %q", got, args)
	}
}

// pointed are the sessions that the cells of latest with a prefix name.
func pointed(ts *testscript.TestScript, prefix string) (sessions []string) {
	out, err := homeOf(ts).ask("GET", "/v1/cells/latest?prefix="+prefix, "")
	ts.Check(err)
	for line := range strings.Lines(string(out)) {
		var c struct{ State struct{ Session string } }
		ts.Check(json.Unmarshal([]byte(line), &c))
		sessions = append(sessions, c.State.Session)
	}
	return sessions
}

// cmdObserve sets the vector twice, so that it is compared with itself, and phases of which six are
// ahead and six behind by the angle that gives r = IC.
func cmdObserve(ts *testscript.TestScript, _ bool, args []string) {
	h := homeOf(ts)
	ic, err := strconv.ParseFloat(args[1], 64)
	ts.Check(err)
	angle := math.Acos((13*ic - 1) / 12)
	phases := []float64{0}
	for range 6 {
		phases = append(phases, angle, -angle)
	}
	data := map[string]any{"purpose_vector": []float64{1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1}, "kuramoto_phases": phases}
	if len(args) > 2 {
		data["consciousness"], err = strconv.ParseFloat(args[2], 64)
		ts.Check(err)
	}
	body, err := json.Marshal(map[string]any{"type": "identity.observed", "session": args[0], "data": data})
	ts.Check(err)
	for range 2 {
		_, err = h.ask("POST", "/v1/do/emit", string(body))
		ts.Check(err)
	}
}

func cmdSignal(ts *testscript.TestScript, _ bool, args []string) {
	signals := map[string]syscall.Signal{"STOP": syscall.SIGSTOP, "CONT": syscall.SIGCONT, "TERM": syscall.SIGTERM, "HUP": syscall.SIGHUP, "KILL": syscall.SIGKILL}
	sig, ok := signals[args[0]]
	if !ok {
		ts.Fatalf("unknown signal %q", args[0])
	}
	ts.Check(homeOf(ts).signal(sig))
}

// cmdNewer builds a later release and puts its folder into $NEWER.
func cmdNewer(ts *testscript.TestScript, _ bool, _ []string) {
	dir, err := newer()
	ts.Check(err)
	ts.Setenv("NEWER", dir)
}

// cmdDoctor: a home of a script has its own faults (no hooks installed), so the exit code says nothing.
func cmdDoctor(ts *testscript.TestScript, _ bool, args []string) {
	out, err := homeOf(ts).run(call{args: []string{"doctor"}})
	ts.Check(err)
	if !regexp.MustCompile(args[0]).MatchString(out.stdout) {
		ts.Fatalf("doctor does not say %q:\n%s%s", args[0], out.stdout, out.stderr)
	}
}

func cmdPid(ts *testscript.TestScript, _ bool, _ []string) {
	s, err := homeOf(ts).status()
	ts.Check(err)
	ts.Setenv("PID", strconv.Itoa(s.PID))
}

// cmdEnviron is Linux's.
func cmdEnviron(ts *testscript.TestScript, _ bool, args []string) {
	env, err := os.ReadFile("/proc/" + args[0] + "/environ")
	ts.Check(err)
	fmt.Fprintln(ts.Stdout(), strings.ReplaceAll(string(env), "\x00", "\n"))
}

// cmdSecret puts a secret together, so that no file of ours looks like a leak.
func cmdSecret(ts *testscript.TestScript, _ bool, args []string) {
	ts.Setenv(args[0], args[1]+args[2]+randomText(number(ts, args[3])))
}

// cmdPrivate reads every file below the home as it is; what is compressed is looked at through the
// daemon by the canary test.
func cmdPrivate(ts *testscript.TestScript, _ bool, args []string) {
	for _, text := range args {
		found, err := grep(homeOf(ts).state(), text)
		ts.Check(err)
		if found != "" {
			ts.Fatalf("%s holds %q", found, text)
		}
	}
}
