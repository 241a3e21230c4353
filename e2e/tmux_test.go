package e2e

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"time"
)

// Tmux is a private tmux server with one pane, 160 by 50, in which a program runs. It reads no configuration, and its
// socket lies in a folder of its own, so that it never meets a user's server.
type Tmux struct {
	dir string
}

// StartTmux runs argv in a new server, in the folder dir and with exactly the environment env.
func StartTmux(ctx context.Context, dir string, env, argv []string) (*Tmux, error) {
	socket, err := os.MkdirTemp("", "e2e-tmux")
	if err != nil {
		return nil, err
	}
	t := &Tmux{dir: socket}
	// remain-on-exit keeps the last screen after the program's end. The status comes by a file and not from
	// #{pane_dead_status}, which tmux 3.3a leaves empty now and then.
	args := []string{"start-server", ";", "set-option", "-g", "remain-on-exit", "on", ";",
		"new-session", "-d", "-x", "160", "-y", "50", "-c", dir,
		"sh", "-c", `"$@"; echo $? >"$0"`, t.statusFile(), "env", "-i"}
	if _, err := t.command(ctx, append(append(args, env...), argv...)...); err != nil {
		t.Close()
		return nil, err
	}
	return t, nil
}

func (t *Tmux) command(ctx context.Context, args ...string) (string, error) {
	cmd := exec.CommandContext(ctx, "tmux", append([]string{"-S", filepath.Join(t.dir, "s"), "-f", "/dev/null"}, args...)...)
	cmd.Env = []string{"PATH=" + os.Getenv("PATH"), "TERM=xterm-256color", "LANG=C.UTF-8"}
	out, err := cmd.CombinedOutput()
	if err != nil {
		return "", fmt.Errorf("tmux: %w: %s", err, strings.TrimSpace(string(out)))
	}
	return string(out), nil
}

// Screen is the text now visible.
func (t *Tmux) Screen(ctx context.Context) (string, error) {
	return t.command(ctx, "capture-pane", "-p")
}

// Type types text as it is and waits until its end can be read on the screen: an Enter that follows at once would be
// taken for a line break within a paste.
func (t *Tmux) Type(ctx context.Context, text string) error {
	if _, err := t.command(ctx, "send-keys", "-l", "--", text); err != nil {
		return err
	}
	tail := []rune(text)
	tail = tail[max(0, len(tail)-40):]
	return t.Wait(ctx, regexp.MustCompile(regexp.QuoteMeta(string(tail))), 5*time.Second)
}

// Key presses a key by its tmux name: Enter, Escape, C-c.
func (t *Tmux) Key(ctx context.Context, name string) error {
	_, err := t.command(ctx, "send-keys", name)
	return err
}

// Wait returns when re matches the screen. Past the limit the error shows the screen.
func (t *Tmux) Wait(ctx context.Context, re *regexp.Regexp, limit time.Duration) error {
	last := ""
	err := poll(ctx, limit, func() (bool, error) {
		screen, err := t.Screen(ctx)
		last = screen
		return re.MatchString(screen), err
	})
	if err != nil {
		return fmt.Errorf("wait for %q: %w; the screen:\n%s", re, err, strings.TrimSpace(last))
	}
	return nil
}

// calmFor is how long a screen must stay the same to count as calm: the client's spinner moves several times in it.
const calmFor = 400 * time.Millisecond

// Calm returns when the screen has stopped changing.
func (t *Tmux) Calm(ctx context.Context, limit time.Duration) error {
	last, since := "", time.Now()
	err := poll(ctx, limit, func() (bool, error) {
		screen, err := t.Screen(ctx)
		if screen != last {
			last, since = screen, time.Now()
		}
		return time.Since(since) >= calmFor, err
	})
	if err != nil {
		return fmt.Errorf("wait for a calm screen: %w; the screen:\n%s", err, strings.TrimSpace(last))
	}
	return nil
}

// Exited returns the program's exit status once it has ended.
func (t *Tmux) Exited(ctx context.Context, limit time.Duration) (status int, err error) {
	err = poll(ctx, limit, func() (bool, error) {
		text, err := os.ReadFile(t.statusFile())
		if err != nil || !strings.HasSuffix(string(text), "\n") {
			return false, nil // not there, or not whole
		}
		status, err = strconv.Atoi(strings.TrimSpace(string(text)))
		return true, err
	})
	if err != nil {
		return 0, fmt.Errorf("wait for the program's end: %w", err)
	}
	return status, nil
}

func (t *Tmux) statusFile() string { return filepath.Join(t.dir, "status") }

// Close ends the server and with it the program.
func (t *Tmux) Close() {
	_, _ = t.command(context.Background(), "kill-server") // no server is as good
	_ = os.RemoveAll(t.dir)
}
