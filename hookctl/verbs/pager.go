package verbs

import (
	"bytes"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"strings"

	"golang.org/x/term"

	"hookline/hookctl/cmdline"
)

// paged runs print. On a terminal, what is longer than the screen goes through a pager: $PAGER, else less where it is;
// an empty $PAGER, or cat, means none.
func (a *app) paged(never bool, print func()) error {
	if !a.Terminal || never {
		print()
		return nil
	}
	var text bytes.Buffer
	out := a.Out
	a.Out = &text
	print()
	a.Out = out

	_, rows, err := term.GetSize(int(os.Stdout.Fd()))
	pager := a.pager()
	if err != nil || pager == nil || bytes.Count(text.Bytes(), []byte("\n")) < rows {
		_, err := out.Write(text.Bytes())
		return err
	}
	cmd := exec.CommandContext(a.ctx, pager[0], pager[1:]...)
	cmd.Stdin = &text
	cmd.Stdout, cmd.Stderr = os.Stdout, os.Stderr
	cmd.Env = os.Environ()
	if a.Getenv("LESS") == "" {
		cmd.Env = append(cmd.Env, "LESS=FRX")
	}
	if err := cmd.Run(); err != nil && cmd.ProcessState == nil { // it was not there
		_, err := out.Write(text.Bytes())
		return err
	}
	return nil
}

// pager is the command line of the user's pager, nil for none.
func (a *app) pager() []string {
	words := strings.Fields(a.Getenv("PAGER"))
	if _, set := os.LookupEnv("PAGER"); !set {
		words = []string{"less"}
	}
	if len(words) == 0 || words[0] == "cat" || a.Getenv("TERM") == "dumb" {
		return nil
	}
	path, err := a.look(words[0])
	if err != nil {
		return nil
	}
	return append([]string{path}, words[1:]...)
}

// link makes a text lead to a URL on a terminal that is a person's, else it is the text.
func (a *app) link(to, text string) string {
	if to == "" || !a.Rich() {
		return text
	}
	return cmdline.Link(to, text)
}

// fileURL is the URL of a file of this machine, "" for what is no absolute path. All that a terminal could act upon is
// escaped in it.
func fileURL(path string) string {
	if !filepath.IsAbs(path) {
		return ""
	}
	host, _ := os.Hostname() // without it the terminal asks about no other machine
	u := url.URL{Scheme: "file", Host: host, Path: filepath.ToSlash(path)}
	return u.String()
}
