package cli

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"time"

	"golang.org/x/term"

	"hookline/hookctl/config"
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
	terminal bool   // stdout and stderr
	asks     bool   // stdin is a terminal, too
	showsOut bool   // stdout is a terminal: no place for compressed bytes
	columns  int    // of the terminal; 0 without one

	connect func(ctx context.Context) (house, error)
	pause   func(ctx context.Context, d time.Duration) error // returns early, with the context's error, when it ends

	json      bool
	colorFlag string
	paint     palette
}

// newApp is the app on the real world.
func newApp() *app {
	cwd, _ := os.Getwd()
	a := &app{in: os.Stdin, out: os.Stdout, err: os.Stderr, getenv: os.Getenv, now: time.Now, zone: time.Local, cwd: cwd,
		terminal: term.IsTerminal(int(os.Stdout.Fd())) && term.IsTerminal(int(os.Stderr.Fd())), pause: sleep}
	a.asks, a.showsOut = a.terminal && term.IsTerminal(int(os.Stdin.Fd())), term.IsTerminal(int(os.Stdout.Fd()))
	if a.terminal {
		a.columns, _, _ = term.GetSize(int(os.Stdout.Fd()))
	}
	a.connect = a.dial
	return a
}

// settle decides about colour, once the flags are known. Other trouble in the configuration is no
// concern of recovery.
func (a *app) settle() error {
	flags := map[string]string{}
	if a.colorFlag != "" {
		flags["color"] = a.colorFlag
	}
	dir := a.cwd
	if launch := a.getenv("CLAUDE_PROJECT_DIR"); filepath.IsAbs(launch) {
		dir = launch
	}
	conf := config.Load(config.Options{Getenv: a.getenv, Dir: dir, Flags: flags})
	for _, p := range conf.Problems {
		if p.Key == "color" && p.File == "" && a.colorFlag != "" {
			return &fault{message: p.Error(), hint: p.Hint}
		}
	}
	switch conf.Values.Color {
	case "always":
		a.paint.on = !a.json
	case "never":
		a.paint.on = false
	default:
		a.paint.on = a.rich() && !a.json
	}
	return nil
}

// rich tells whether a person looks at a terminal: colour and progress have a place there.
func (a *app) rich() bool {
	return a.terminal && a.getenv("NO_COLOR") == "" && a.getenv("CI") == "" && a.getenv("TERM") != "dumb"
}

func (a *app) home() string {
	home, _ := wire.Home(a.getenv)
	return home
}

// printf writes to stdout. A reader that went away ends the process by SIGPIPE, so errors need no
// handling here.
func (a *app) printf(format string, args ...any) { fmt.Fprintf(a.out, format, args...) }

// printJSON writes one object on one line.
func (a *app) printJSON(v any) error {
	enc := json.NewEncoder(a.out)
	enc.SetEscapeHTML(false)
	return enc.Encode(v)
}

// printRaw writes one object as the daemon gave it: a newer one may have fields that this build does
// not know.
func (a *app) printRaw(object []byte) error {
	_, err := a.out.Write(append(bytes.TrimSpace(object), '\n'))
	return err
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
