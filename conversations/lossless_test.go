//go:build unix

package conversations

import (
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"hookline/expect"
)

// Hooks go on while the daemon is killed again and again, or hands over to a later release. Whatever
// happens to it, each hook is exit 0 and counts once in the end.

// stream runs n hooks, three at a time, the i-th with the program that bin names; after each one done is called with the
// number so far, by one at a time.
func stream(t *testing.T, h home, n int, bin func(i int) string, done func(so int)) {
	t.Helper()
	var mu sync.Mutex
	so := 0
	expect.OK(t, atOnce(3, n, func(i int) error {
		out, err := h.run(call{bin: bin(i), args: []string{"hook", "PostToolUse"}, input: editPayload(i)})
		if err == nil {
			err = out.quiet()
		}
		mu.Lock()
		defer mu.Unlock()
		so++
		done(so)
		return err
	}))
}

func TestKillsLoseNothing(t *testing.T) {
	t.Parallel()
	h := newHome(t)
	h.hook(t, "SessionStart", startPayload("one"))
	const hooks, kills = 60, 4
	killed := 0
	stream(t, h, hooks, func(int) string { return "" }, func(so int) {
		if _, err := h.status(); err == nil && so*(kills+1)/hooks > killed && h.crash() == nil {
			killed++
		}
	})
	if killed == 0 {
		t.Error("the daemon was never killed")
	}
	// One that was killed while it started is not started again for a second or more: the hooks after
	// that find it, as they would in a session.
	expect.OK(t, h.wake("one"))
	wantEachOnce(t, h, "tool.succeeded", hooks)
	wantEachOnce(t, h, "session.started", 1)
	expect.OK(t, h.verify())
	if out, err := h.run(call{prog: "replay", args: []string{"verify"}}); err != nil || out.exit != 0 {
		t.Errorf("replay verify: %v, exit %d\n%s%s", err, out.exit, out.stdout, out.stderr)
	}
}

// wake sends prompts until one has found the daemon.
func (h home) wake(session string) error {
	prompts := 0
	return eventually(func() error {
		prompts++
		_, err := h.tryHook("UserPromptSubmit", object("session_id", session, "prompt_id", strconv.Itoa(prompts), "prompt", "go on"))
		if err == nil {
			_, err = h.status()
		}
		return err
	})
}

func TestHandOverLosesNothing(t *testing.T) {
	dir, err := newer()
	expect.OK(t, err)
	t.Parallel()
	h := newHome(t)
	h.hook(t, "SessionStart", startPayload("one"))
	const hooks = 60
	stream(t, h, hooks, func(i int) string {
		if i >= hooks/4 && i%2 == 0 { // both releases are installed for a while
			return dir
		}
		return ""
	}, func(int) {})
	expect.OK(t, h.answers(newerBuild))
	wantEachOnce(t, h, "tool.succeeded", hooks)
	h.counts(t, "daemon.started", 2)
	expect.OK(t, h.verify())
}

// Input that comes in pieces, as from a client on a busy machine, with pauses that are longer than the hook's deadline; and
// the input of a large Write. Each is recorded whole.
func TestSlowInput(t *testing.T) {
	t.Parallel()
	h := newHome(t)
	h.hook(t, "SessionStart", startPayload("one"))
	large := strings.Repeat("a line of a large file\n", 12<<20/23)
	for _, c := range []struct {
		event, call, content string
		pieces               int
		pause                time.Duration
	}{
		{"PreToolUse", "slow", strings.Repeat("x", 1000), 4, 100 * time.Millisecond},
		{"PostToolUse", "slow", strings.Repeat("x", 1000), 4, 400 * time.Millisecond},
		{"PreToolUse", "large", large, 40, 5 * time.Millisecond},
		{"PostToolUse", "large", large, 1, 0},
	} {
		input := object("session_id", "one", "hook_event_name", c.event, "tool_name", "Write", "tool_use_id", c.call,
			"tool_input", map[string]string{"file_path": "/p/f", "content": c.content}, "tool_response", map[string]string{})
		out, err := h.run(call{args: []string{"hook", c.event}, input: input, parts: c.pieces, pause: c.pause})
		if err != nil || out.quiet() != nil || strings.Contains(out.stdout, "systemMessage") {
			t.Errorf("%s %s: %v %+v", c.event, c.call, err, out)
		}
	}
	wantEachOnce(t, h, "tool.requested", 2)
	wantEachOnce(t, h, "tool.succeeded", 2)
	h.counts(t, "hook.refused", 0)
}
