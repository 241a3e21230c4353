package verbs

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"time"

	"golang.org/x/term"

	"hookline/hookctl/config"
	"hookline/hookctl/facts"
	"hookline/hookctl/wire"
)

// app is one run of a verb: its flags and every way to the outside.
type app struct {
	in       io.Reader
	out, err io.Writer
	getenv   func(string) string
	now      func() time.Time
	zone     *time.Location
	cwd      string // "" when it is gone
	self     string // this executable, links resolved
	terminal bool   // stdout
	asks     bool   // stdin is a terminal: there is someone to answer
	columns  int    // of the terminal; 0 without one

	connect func(ctx context.Context, need need) (house, error)
	pause   func(ctx context.Context, d time.Duration) error // returns early, with the context's error, when it ends
	alive   func(pid int) bool
	place   func(dir string) facts.Place
	look    func(name string) (string, error) // exec.LookPath

	json      bool
	colorFlag string
	ran       bool // the command line was understood and its verb has begun
	paint     palette
	conf      config.Config
}

// newApp is the app on the real world.
func newApp() *app {
	cwd, _ := os.Getwd()
	self, err := os.Executable()
	if err == nil {
		if real, bad := filepath.EvalSymlinks(self); bad == nil {
			self = real
		}
	}
	columns, _, _ := term.GetSize(int(os.Stdout.Fd()))
	a := &app{
		in: os.Stdin, out: os.Stdout, err: os.Stderr, getenv: os.Getenv, now: time.Now, zone: time.Local, cwd: cwd, self: self,
		terminal: term.IsTerminal(int(os.Stdout.Fd())), asks: term.IsTerminal(int(os.Stdin.Fd())), columns: columns,
		pause: sleep, alive: func(pid int) bool { return facts.Probe(pid).Alive },
		place: facts.New(facts.Options{}).Place, look: lookPath,
	}
	a.connect = a.dial
	return a
}

// settle reads the configuration and decides about colour, once the flags are known.
func (a *app) settle() error {
	flags := map[string]string{}
	if a.colorFlag != "" {
		flags["color"] = a.colorFlag
	}
	a.conf = config.Load(config.Options{Getenv: a.getenv, Dir: a.projectDir(), Flags: flags})
	for _, p := range a.conf.Problems {
		if p.Key == "color" && p.File == "" && a.colorFlag != "" {
			return &fault{message: p.Error(), hint: p.Hint}
		}
	}
	switch a.conf.Values.Color {
	case "always":
		a.paint.on = true
	case "never":
		a.paint.on = false
	default:
		a.paint.on = a.rich()
	}
	if a.json {
		a.paint.on = false
	}
	return nil
}

// rich tells whether stdout is a person's terminal: colour and progress have a place there.
func (a *app) rich() bool {
	return a.terminal && a.getenv("NO_COLOR") == "" && a.getenv("CI") == "" && a.getenv("TERM") != "dumb"
}

// projectDir is where the project's files are: the client's launch directory, else this one.
func (a *app) projectDir() string {
	if dir := a.getenv("CLAUDE_PROJECT_DIR"); filepath.IsAbs(dir) {
		return dir
	}
	return a.cwd
}

func (a *app) home() string {
	home, _ := wire.Home(a.getenv)
	return home
}

// printf writes to stdout. A reader that went away (`hookctl tail | head`) ends the process by
// SIGPIPE, so errors need no handling here.
func (a *app) printf(format string, args ...any) { _, _ = fmt.Fprintf(a.out, format, args...) }

// complain writes to stderr; where that is gone nobody can be told.
func (a *app) complain(format string, args ...any) { _, _ = fmt.Fprintf(a.err, format, args...) }

// sayError prints an error and, on a line of its own, what can be done.
func (a *app) sayError(message, hint string) {
	a.complain("hookctl: error: %s\n", oneLine(message))
	if hint != "" {
		a.complain("hookctl: hint: %s\n", oneLine(hint))
	}
}

// printJSON writes one object on one line.
func (a *app) printJSON(v any) error {
	enc := json.NewEncoder(a.out)
	enc.SetEscapeHTML(false)
	return enc.Encode(v)
}

// confirm asks a question that only "y" or "yes" answers. Without anybody to ask it refuses, and
// with yes it does not ask.
func (a *app) confirm(question string, yes bool) error {
	switch {
	case yes:
		return nil
	case !a.asks:
		return &fault{message: question + ": there is no terminal to ask", hint: "--yes answers for you"}
	}
	a.complain("%s [y/N] ", question)
	line, _ := bufio.NewReader(a.in).ReadString('\n')
	switch strings.ToLower(strings.TrimSpace(line)) {
	case "y", "yes":
		return nil
	}
	return &fault{message: "nothing was done"}
}

// sleep waits for d or for the end of ctx.
func sleep(ctx context.Context, d time.Duration) error {
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-ctx.Done():
		return ctx.Err()
	case <-t.C:
		return nil
	}
}
