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
//
// There is no sleep: whatever a script waits for can be seen.
type step struct {
	line  int
	op    string
	limit time.Duration
	arg   string
}

func parseKeys(text string) ([]step, error) {
	var steps []step
	for i, line := range strings.Split(text, "\n") {
		if line == "" || strings.HasPrefix(line, "#") {
			continue
		}
		s := step{line: i + 1}
		s.op, s.arg, _ = strings.Cut(line, " ")
		switch s.op {
		case "wait", "calm", "fired", "exit":
			seconds, rest, _ := strings.Cut(s.arg, " ")
			n, err := strconv.Atoi(seconds)
			if err != nil {
				return nil, fmt.Errorf("line %d: %s: seconds: %w", s.line, s.op, err)
			}
			s.limit, s.arg = time.Duration(n)*time.Second, rest
		case "type", "key", "shot":
		default:
			return nil, fmt.Errorf("line %d: unknown word %q", s.line, s.op)
		}
		if s.op == "wait" {
			if _, err := regexp.Compile(s.arg); err != nil {
				return nil, fmt.Errorf("line %d: %w", s.line, err)
			}
		}
		steps = append(steps, s)
	}
	return steps, nil
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
		return 0, fmt.Errorf("read keys: %w", err)
	}
	steps, err := parseKeys(string(text))
	if err != nil {
		return 0, fmt.Errorf("%s: %w", filepath.Base(s.Keys), err)
	}
	tmux, err := StartTmux(ctx, s.Dir, env, append([]string{s.Client}, args...))
	if err != nil {
		return 0, err
	}
	defer tmux.Close()
	p := &player{tmux: tmux, spec: s, seen: map[string]int{}}
	for _, one := range steps {
		if err := p.do(ctx, one); err != nil {
			return 0, fmt.Errorf("%s: line %d: %w", filepath.Base(s.Keys), one.line, err)
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

func (p *player) shot(ctx context.Context, name string) error {
	screen, err := p.tmux.Screen(ctx)
	if err != nil {
		return err
	}
	if err := os.WriteFile(filepath.Join(p.spec.Out, name), []byte(screen), 0o600); err != nil {
		return fmt.Errorf("shot: %w", err)
	}
	return nil
}
