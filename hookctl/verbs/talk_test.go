package verbs

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/pmezard/go-difflib/difflib"
	"mvdan.cc/sh/v3/shell"

	"hookline/events"
	"hookline/expect"
	"hookline/hookctl/api"
	"hookline/hookctl/client"
	"hookline/hookctl/facts"
	"hookline/hookctl/home"
	"hookline/hookctl/verbs/env"
	"hookline/projector/identity"
	"hookline/projector/project"
	"hookline/projector/session"
)

// A talk is a file of testdata/talks: command lines, and exactly what each of them prints. It is read
// from above:
//
//	# …                 a remark
//	: WORD …            what is so from here on; the words are those of talk.set
//	$ hookctl …         one command line, with quotes as in a shell; its stdout follows, then
//	! …                 a line of its stderr
//	= N                 its exit code, where that is not 0
//
// $HOME stands for the home of the test, $SOCKET for the daemon's socket, \e for the escape character. -update writes what is printed
// now: read it before it is kept.
func TestTalks(t *testing.T) {
	files, err := filepath.Glob(filepath.Join("testdata", "talks", "*.txt"))
	if err != nil || len(files) == 0 {
		t.Fatalf("%d talks, %v", len(files), err)
	}
	for _, file := range files {
		t.Run(strings.TrimSuffix(filepath.Base(file), ".txt"), func(t *testing.T) { (&talk{t: t}).run(file) })
	}
}

func (k *talk) run(file string) {
	t := k.t
	text := expect.Value(os.ReadFile(file))(t)
	var got strings.Builder
	for line := range strings.Lines(string(text)) {
		line = strings.TrimSuffix(line, "\n")
		switch {
		case strings.HasPrefix(line, "# ") || line == "" && k.said == 0:
			got.WriteString(line + "\n")
		case strings.HasPrefix(line, ": "):
			got.WriteString(line + "\n")
			if args := words(t, line[2:]); k.also == nil || !k.also(args) {
				k.set(args)
			}
		case strings.HasPrefix(line, "$ hookctl"):
			got.WriteString(line + "\n" + k.say(words(t, line[len("$ hookctl"):])))
		}
	}
	if *update {
		expect.OK(t, os.WriteFile(file, []byte(got.String()), 0o644))
		return
	}
	differs(t, string(text), got.String())
}

// differs shows the lines that are others.
func differs(t *testing.T, want, got string) {
	t.Helper()
	text, err := difflib.GetUnifiedDiffString(difflib.UnifiedDiff{A: difflib.SplitLines(want), B: difflib.SplitLines(got), Context: 3})
	if text != "" || err != nil {
		t.Errorf("%v\n%s", err, text)
	}
}

// talk is one conversation that goes on.
type talk struct {
	t    *testing.T
	b    *bench
	f    *fakeBackend
	said int

	also  func(args []string) bool // changes the world by words that are not those of set; false: it does not know them
	names []string                 // what differs from run to run, each before the name that stands for it
}

// worlds are what a talk may begin with.
var worlds = map[string]func(*testing.T) (*bench, *fakeBackend){
	"peopled": peopled, // three sessions here, one elsewhere
	"healthy": healthy, // hooks installed, nothing wrong
	"sample": func(t *testing.T) (*bench, *fakeBackend) { // events of every family
		f := newFake()
		f.events = sampleEvents()
		return newBench(t, f), f
	},
	"empty": func(t *testing.T) (*bench, *fakeBackend) { // a daemon that has recorded nothing
		f := newFake()
		f.status.Seq, f.status.Hooks, f.status.LiveSessions = 0, map[string]api.HookCount{}, 0
		return newBench(t, f), f
	},
	"snapshots": func(t *testing.T) (*bench, *fakeBackend) { // peopled, and two sessions have snapshots
		b, f := peopled(t)
		for i, id := range []string{sessionB, sessionA} {
			s := f.cells[identity.Name][id].(identity.State)
			s.TimestampMS += int64(i+1) * 600_000
			s.Persisted, s.PersistedAtMS = true, s.TimestampMS
			f.cells[identity.Name][id] = s
			s.Snapshots = []identity.Snapshot{{AtMS: s.TimestampMS, IC: s.LastIC, R: s.Integration, C: s.Consciousness}}
			f.cells[identity.Name][id] = s
			f.cells[identity.PointerName][identity.TimeKey(s.TimestampMS, id)] = identity.Pointer{Session: id, AtMS: s.TimestampMS}
		}
		f.cells[identity.PointerName][identity.TimeKey(noon.UnixMilli(), "99999999-x")] = identity.Pointer{Session: "99999999-x", AtMS: noon.UnixMilli()}
		f.cells[identity.PointerName][identity.PointerKey(hereID)] = identity.Pointer{Session: sessionA}
		b.env["CLAUDE_PID"] = "1" // nobody's client
		return b, f
	},
	"hostile": hostile, // what others wrote tries to command the terminal
	"none": func(t *testing.T) (*bench, *fakeBackend) { // neither a daemon nor a store
		f := newFake()
		b := newBench(t, f)
		t.Setenv("HOOKLINE_HOME", b.Home())
		t.Setenv("HOOKLINE_SOCKET", filepath.Join(t.TempDir(), "s"))
		b.Connect = func(ctx context.Context, n env.Need) (*client.Client, error) {
			if n == env.Started {
				return nil, client.Advised(fmt.Errorf("start hookd: %w", home.ErrBackoff))
			}
			return b.Dial(ctx, n)
		}
		return b, f
	},
}

// hostile is peopled by sessions and projects whose every text holds what a terminal would act upon.
func hostile(t *testing.T) (*bench, *fakeBackend) {
	const bad = "\x1b]0;owned\x07\x1b[2J\u202e\u009b31m\nfoo\tbar"
	b, f := peopled(t)
	s := f.cells[session.Name][sessionA].(session.State)
	s.Model, s.Models, s.Branch, s.Worktree, s.Cwd, s.Source, s.Transcript, s.EndReason = bad, []string{bad}, bad, bad, bad, bad, bad, bad
	s.Tools = map[string]int{bad: 2}
	f.cells[session.Name] = map[string]any{sessionA: s}
	p := f.cells[project.Name][hereID].(project.State)
	p.Name, p.Remote, p.Paths, p.Joined, p.RootCommit = bad, bad, []string{bad}, []string{bad}, bad
	f.cells[project.Name] = map[string]any{hereID: p}
	f.status.Warnings, f.status.Damage, f.status.Version = []string{bad}, []string{bad}, bad
	f.status.SecondInstalls, f.status.UnknownTypes = map[string]int{bad: 1}, map[string]int{bad: 1}
	f.status.Hooks = map[string]api.HookCount{bad: {Last: noon, Count: 1}}
	quoted := expect.Value(json.Marshal(bad))(t)
	f.events = []events.Record{record(1, "future."+bad, sessionA, `{"words":`+string(quoted)+`}`),
		record(2, events.TypePromptSubmitted, sessionA, `{"prompt":`+string(quoted)+`}`),
		record(3, events.TypeToolFailed, sessionA, `{"tool_name":`+string(quoted)+`,"error":`+string(quoted)+`}`)}
	f.events[2].Branch, f.events[2].Worktree, f.events[2].AgentID = bad, bad, bad
	return b, f
}

// set changes the world.
func (k *talk) set(args []string) {
	word, rest := args[0], args[1:]
	if k.b == nil && word != "begin" {
		k.t.Fatalf("a talk begins with `begin`, not with %q", word)
	}
	switch word {
	case "begin": // NAME
		k.b, k.f = worlds[rest[0]](k.t)
	case "down": // the daemon ends
		k.b.handler = nil
	case "terminal": // COLUMNS: stdout is one
		k.b.Terminal = true
		k.number(rest[0], &k.b.Columns)
	case "pipe":
		k.b.Terminal, k.b.Columns = false, 0
	case "env": // NAME=VALUE
		name, value, _ := strings.Cut(rest[0], "=")
		k.b.env[name] = strings.ReplaceAll(value, "$HOME", k.b.env["HOME"])
	case "answer": // TEXT: what a person types, one line an argument
		k.b.Asks, k.b.In = true, strings.NewReader(strings.Join(rest, "\n")+"\n")
	case "stdin": // TEXT from a pipe
		k.b.Asks, k.b.In = false, strings.NewReader(strings.Join(rest, "\n")+"\n")
	case "file": // NAME LINE…: below the home
		write(k.t, k.below(rest[0]), strings.ReplaceAll(strings.Join(rest[1:], "\n")+"\n", "$HOME", k.b.env["HOME"]))
	case "edit": // NAME OLD NEW: of a file below the home
		edit(k.t, k.below(rest[0]), rest[1], rest[2])
	case "found": // [NAME]: the hookctl that PATH leads to, below the home
		k.b.Look = func(string) (string, error) {
			if len(rest) == 0 {
				return "", os.ErrNotExist
			}
			return k.below(rest[0]), nil
		}
	case "open": // DIR: below the home, others may look into it
		chmod(k.t, k.below(rest[0]), 0o755)
	case "elsewhere": // the working directory is of another project
		k.b.Place = func(string) facts.Place { return facts.Place{Dir: "/elsewhere"} }
	case "damaged": // TEXT
		k.f.status.Damage = append(k.f.status.Damage, rest...)
	case "warned": // TEXT
		k.f.status.Warnings = append(k.f.status.Warnings, rest...)
	case "unclean": // the daemon began after an unclean end
		k.f.status.CleanStart = false
	case "older": // VERSION PROTOCOL: of the daemon
		k.f.status.Version = rest[0]
		k.number(rest[1], &k.f.status.Protocol)
	case "twice": // BINARY N: a second install has sent so many hooks
		n := 0
		k.number(rest[1], &n)
		k.f.status.SecondInstalls[rest[0]] = n
	case "unknown": // NAME N: so many of the newest records are of a type that nobody knows
		n := 0
		k.number(rest[1], &n)
		k.f.status.UnknownTypes[rest[0]] = n
	case "waiting": // ID: a frame in the spool
		frame(k.t, k.b, rest[0])
		k.f.status.Spool++
	case "rebuilt": // LINE…: what the daemon answers to a rebuild
		k.f.rebuild = strings.Join(rest, "\n") + "\n"
	default:
		k.t.Fatalf("a talk does not know %q", word)
	}
}

// below is a place in the home.
func (k *talk) below(name string) string { return filepath.Join(k.b.env["HOME"], name) }

func (k *talk) number(text string, into *int) {
	expect.Value(fmt.Sscan(text, into))(k.t)
}

// say runs one command line and writes down what it said.
func (k *talk) say(args []string) string {
	if k.b == nil {
		k.t.Fatal("a talk begins with its backend")
	}
	k.said++
	k.b.Paint.On = false
	for i, arg := range args {
		args[i] = k.meant(arg)
	}
	code, out, errs := k.b.run(args...)
	var b strings.Builder
	b.WriteString(k.plain(out))
	if out != "" && !strings.HasSuffix(out, "\n") {
		b.WriteString("\n")
	}
	for line := range strings.Lines(errs) {
		b.WriteString("! " + k.plain(strings.TrimSuffix(line, "\n")) + "\n")
	}
	if code != 0 {
		fmt.Fprintf(&b, "= %d\n", code)
	}
	return b.String()
}

// meant puts back what the names in a word stand for.
func (k *talk) meant(word string) string {
	for i := 0; i < len(k.names); i += 2 {
		word = strings.ReplaceAll(word, k.names[i+1], k.names[i])
	}
	return word
}

// What differs from run to run in a talk with a daemon: ids of events, and when it took them, in which order.
var (
	ids   = regexp.MustCompile(`\b(01[0-9A-HJKMNP-TV-Z]{24}|[0-9a-f]{12})\b`)
	taken = regexp.MustCompile(`"(appended|seq)":("[^"]*"|[0-9]+)`)
)

// plain replaces what differs from run to run.
func (k *talk) plain(s string) string {
	if len(k.names) > 0 {
		s = strings.NewReplacer(k.names...).Replace(s)
		s = taken.ReplaceAllString(ids.ReplaceAllString(s, "$$ID"), `"$1":…`)
	}
	return strings.NewReplacer(home.PathsOf(k.b.Home(), k.b.Getenv).Socket, "$SOCKET", k.b.env["HOME"], "$HOME", "\x1b", `\e`).Replace(s)
}

// words splits a command line as a shell would; names of the talk stay.
func words(t *testing.T, line string) []string {
	t.Helper()
	names := func(name string) string { return strings.TrimPrefix("$"+name, "$IFS") } // blanks part words
	return expect.Value(shell.Fields(line, names))(t)
}
