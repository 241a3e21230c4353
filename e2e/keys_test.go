package e2e

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"time"
)

// step is one line of a key script. Blank lines and lines that start with # are skipped.
//
//	wait SECONDS REGEX            until the screen matches
//	calm SECONDS                  until the screen stops changing
//	fired SECONDS HOOK[:MATCHED]  until the logger has seen one more such hook than at the script's last `fired` of it
//	type TEXT                     as a person types it
//	key NAME                      Enter, Escape, C-c
//	shot NAME                     the screen into shot.NAME.txt
//	exit SECONDS                  until the client has ended
//	hold NAME                     until the test releases NAME in the run's folder ([world.heldAt], [world.release])
//
// There is no sleep: whatever a script waits for can be seen.
type step struct {
	op    string
	limit time.Duration
	arg   string
}

// parseStep reads a line.
func parseStep(line string) (s step, err error) {
	s.op, s.arg, _ = strings.Cut(line, " ")
	switch s.op {
	case "wait", "calm", "fired", "exit":
		seconds, rest, _ := strings.Cut(s.arg, " ")
		n, err := strconv.Atoi(seconds)
		s.limit, s.arg = time.Duration(n)*time.Second, rest
		return s, err
	case "type", "key", "shot", "hold":
		return s, nil
	}
	return s, fmt.Errorf("unknown word %q", s.op)
}

// player drives a client by a key script.
type player struct {
	tmux *Tmux
	spec spec
	seen map[string]int // how many of a hook the script has waited for
	exit int
}

// interact runs the client in a private tmux server until the key script has ended.
func interact(ctx context.Context, s spec, env, args []string) (exit int, err error) {
	text, err := os.ReadFile(s.Keys)
	if err != nil {
		return 0, err
	}
	tmux, err := StartTmux(ctx, s.Dir, env, append([]string{s.Client}, args...))
	if err != nil {
		return 0, err
	}
	defer tmux.Close()
	p := &player{tmux: tmux, spec: s, seen: map[string]int{}}
	for i, line := range strings.Split(string(text), "\n") {
		if line == "" || strings.HasPrefix(line, "#") {
			continue
		}
		one, err := parseStep(line)
		if err == nil {
			err = p.do(ctx, one)
		}
		if err != nil {
			return 0, fmt.Errorf("%s: line %d: %w", filepath.Base(s.Keys), i+1, err)
		}
	}
	return p.exit, p.shot(ctx, "screen.txt")
}

func (p *player) do(ctx context.Context, s step) (err error) {
	switch s.op {
	case "wait":
		return p.tmux.Wait(ctx, regexp.MustCompile(s.arg), s.limit)
	case "calm":
		return p.tmux.Calm(ctx, s.limit)
	case "fired":
		return p.fired(ctx, s.arg, s.limit)
	case "type":
		return p.tmux.Type(ctx, s.arg)
	case "key":
		return p.tmux.Key(ctx, s.arg)
	case "shot":
		return p.shot(ctx, "shot."+s.arg+".txt")
	case "hold":
		return p.hold(ctx, filepath.Join(p.spec.Out, s.arg))
	case "exit":
		p.exit, err = p.tmux.Exited(ctx, s.limit)
	}
	return err
}

func (p *player) fired(ctx context.Context, what string, limit time.Duration) error {
	hook, matched, narrow := strings.Cut(what, ":")
	p.seen[what]++
	err := poll(ctx, limit, func() (bool, error) {
		calls, err := Calls(p.spec.HookLog)
		n := 0
		for _, c := range calls {
			if c.Hook == hook && (!narrow || c.Matched == matched) {
				n++
			}
		}
		return n >= p.seen[what], err
	})
	if err != nil {
		return fmt.Errorf("wait for hook %s, call %d: %w", what, p.seen[what], err)
	}
	return nil
}

// hold says that the script has come to a place, and waits until the test lets it go on.
func (p *player) hold(ctx context.Context, file string) error {
	if err := os.WriteFile(file+".reached", nil, 0o600); err != nil {
		return err
	}
	return poll(ctx, settle, func() (bool, error) { return exists(file), nil })
}

func (p *player) shot(ctx context.Context, name string) error {
	screen, err := p.tmux.Screen(ctx)
	if err != nil {
		return err
	}
	return os.WriteFile(filepath.Join(p.spec.Out, name), []byte(screen), 0o600)
}
