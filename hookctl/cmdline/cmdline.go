// Package cmdline is what the command lines hookctl and replay share: how a command meets the world,
// what an error looks like, and how text is made fit for a terminal. It has no verb and no daemon.
//
// # Rules
//
//   - Results go to stdout, words about trouble to stderr: `NAME: error: …` and, on a line of its own,
//     `NAME: hint: …`. An error is a [problem.Error] or gets its hint from the command line; a [Silent] one was
//     printed before.
//   - What a terminal would act upon is dropped where text is written, by [Show]. Text that others wrote (the log, a
//     file, an argument) goes through [OneLine], [Clean] or [IndentJSON] where it must stay on its line.
//   - Colour is for terminals only, and [Palette] is the only place that makes it. NO_COLOR, CI,
//     TERM=dumb, pipes and --json have none; --color and the configuration have the last word.
package cmdline

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

// Console is every way of one command to the outside, and the flags that all commands have. A test
// makes one of buffers.
type Console struct {
	Name     string // of the program
	In       io.Reader
	Out, Err io.Writer
	Getenv   func(string) string
	Now      func() time.Time
	Zone     *time.Location
	Cwd      string                                           // "" when it is gone
	Terminal bool                                             // stdout is a terminal
	Watched  bool                                             // stderr is one, too
	Asks     bool                                             // stdin is one: there is someone to answer
	Columns  int                                              // of the terminal; 0 without one
	Pause    func(ctx context.Context, d time.Duration) error // returns early, with the context's error, when it ends

	JSON  bool   // --json
	Color string // --color, "" when it is not given
	Paint Palette
}

// New is the console of this process.
func New(name string) Console {
	cwd, _ := os.Getwd()
	columns, _, _ := term.GetSize(int(os.Stdout.Fd())) // 0 without a terminal
	return Console{Name: name, In: os.Stdin, Out: os.Stdout, Err: os.Stderr, Getenv: os.Getenv, Now: time.Now, Zone: time.Local, Cwd: cwd,
		Terminal: isTerminal(os.Stdout), Watched: isTerminal(os.Stderr), Asks: isTerminal(os.Stdin), Columns: columns, Pause: pause}
}

func isTerminal(f *os.File) bool { return term.IsTerminal(int(f.Fd())) }

// Settle reads the configuration and decides about colour, once the flags are known.
func (c *Console) Settle() config.Config {
	flags := map[string]string{}
	if c.Color != "" {
		flags["color"] = c.Color
	}
	conf := config.Load(config.Options{Getenv: c.Getenv, Dir: c.ProjectDir(), Flags: flags})
	color := conf.Values.Color
	c.Paint.On = !c.JSON && (color == "always" || color == "auto" && c.Rich())
	return conf
}

// Rich reports whether stdout is a person's terminal: colour has a place there.
func (c *Console) Rich() bool {
	return c.Terminal && c.Getenv("NO_COLOR") == "" && c.Getenv("CI") == "" && c.Getenv("TERM") != "dumb"
}

// ProjectDir is where the project's files are: the client's launch directory, else this one.
func (c *Console) ProjectDir() string {
	if dir := c.Getenv("CLAUDE_PROJECT_DIR"); filepath.IsAbs(dir) {
		return dir
	}
	return c.Cwd
}

// Home is the folder with the recorder's state.
func (c *Console) Home() string {
	home, _ := wire.Home(c.Getenv)
	return home
}

// Printf writes to stdout; on a terminal a line that is wider is wrapped. A reader that went away (`hookctl tail | head`)
// ends the process by SIGPIPE; every other error is returned by [Console.Execute].
func (c *Console) Printf(format string, args ...any) {
	c.Verbatim(Wrap(fmt.Sprintf(format, args...), c.Columns))
}

// Verbatim writes to stdout what must keep its lines as they are: JSON, a file's text.
func (c *Console) Verbatim(text string) { _, _ = io.WriteString(c.Out, Show(text)) }

// Complain writes to stderr; an error of that is ignored.
func (c *Console) Complain(format string, args ...any) {
	_, _ = io.WriteString(c.Err, Show(fmt.Sprintf(format, args...)))
}

// Say writes a sentence to stderr, after the program's name.
func (c *Console) Say(line string) {
	columns := 0
	if c.Watched {
		columns = c.Columns
	}
	c.Complain("%s\n", Hang(c.Name+": ", OneLine(line), columns))
}

// Fail prints an error and, on a line of its own, what can be done.
func (c *Console) Fail(message, hint string) {
	c.Say("error: " + message)
	if hint != "" {
		c.Say("hint: " + hint)
	}
}

// PrintJSON writes one object on one line.
func (c *Console) PrintJSON(v any) error {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(v); err != nil {
		return err
	}
	return c.PrintRaw(b.Bytes())
}

// Result prints what a verb has done: v with --json, else the words.
func (c *Console) Result(v any, format string, args ...any) error {
	if c.JSON {
		return c.PrintJSON(v)
	}
	c.Printf(format, args...)
	return nil
}

// Verdict prints v with --json, else by words, and ends the program with exit code 1 where something is wrong.
func (c *Console) Verdict(v any, ok bool, words func()) error {
	if c.JSON {
		if err := c.PrintJSON(v); err != nil {
			return err
		}
	} else {
		words()
	}
	if !ok {
		return Silent(1)
	}
	return nil
}

// PrintEach writes the objects of a list, each on a line of its own.
func PrintEach[T any](c *Console, list []T) error {
	for _, v := range list {
		if err := c.PrintJSON(v); err != nil {
			return err
		}
	}
	return nil
}

// PrintRaw writes one object as the daemon gave it: a newer one may have fields that this build does
// not know. On a terminal no character of it acts.
func (c *Console) PrintRaw(object []byte) error {
	text := plain.Replace(string(bytes.TrimSpace(object)))
	if c.Terminal {
		text = TerminalJSON(text)
	}
	_, err := io.WriteString(c.Out, text+"\n")
	return err
}

// pause waits for d or for the end of ctx.
func pause(ctx context.Context, d time.Duration) error {
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-ctx.Done():
		return ctx.Err()
	case <-t.C:
		return nil
	}
}
