package show

import (
	"bytes"
	"context"
	"fmt"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"

	"golang.org/x/term"

	"hookline/hookctl/cmdline"
	"hookline/hookctl/verbs/env"
)

// Paged runs print. On a terminal, what is longer than the screen goes through $PAGER, without one through less; an empty
// $PAGER, or cat, means none.
func Paged(ctx context.Context, e *env.Env, print func()) error {
	if !e.Terminal {
		print()
		return nil
	}
	var text bytes.Buffer
	out := e.Out
	e.Out = &text
	print()
	e.Out = out

	pager := []string{"less"}
	if own, set := os.LookupEnv("PAGER"); set {
		pager = strings.Fields(own)
	}
	_, rows, err := term.GetSize(int(os.Stdout.Fd()))
	short := err != nil || bytes.Count(text.Bytes(), []byte("\n")) < rows
	if !short && len(pager) > 0 && pager[0] != "cat" && e.Getenv("TERM") != "dumb" {
		cmd := exec.CommandContext(ctx, pager[0], pager[1:]...)
		cmd.Stdin = bytes.NewReader(text.Bytes())
		cmd.Stdout, cmd.Stderr = os.Stdout, os.Stderr
		cmd.Env = append([]string{"LESS=FRX"}, os.Environ()...) // the user's own LESS, after it, wins
		if _ = cmd.Run(); cmd.ProcessState != nil {             // else it is not there
			return nil
		}
	}
	_, err = out.Write(text.Bytes())
	return err
}

// Linked returns a text that a terminal opens a file of this machine by; as it is without a path. All that a terminal could
// act upon is escaped in the link.
func Linked(e *env.Env, path, text string) string {
	if !filepath.IsAbs(path) || !e.Rich() {
		return text
	}
	host, _ := os.Hostname() // without it the terminal asks about no other machine
	to := url.URL{Scheme: "file", Host: host, Path: filepath.ToSlash(path)}
	return cmdline.Link(to.String(), text)
}

// Tilde shows a path below the user's home as a shell writes it.
func Tilde(e *env.Env, path string) string {
	below, ok := strings.CutPrefix(path, e.Getenv("HOME")+"/")
	if !ok || e.Getenv("HOME") == "" {
		return path
	}
	return "~/" + below
}

// Fields prints the lines of a description, each a name with its value; nothing for an empty text or a count of zero.
func Fields(e *env.Env, pairs ...any) {
	for pair := range slices.Chunk(pairs, 2) {
		if pair[1] != "" && pair[1] != 0 {
			e.Printf("  %s  %s\n", e.Paint.Faint(cmdline.Pad(fmt.Sprint(pair[0]), 12)), cmdline.OneLine(fmt.Sprint(pair[1])))
		}
	}
}
