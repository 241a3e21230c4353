//go:build linux

package conversations

import (
	"strconv"
	"strings"
	"testing"
	"time"

	"hookline/expect"
)

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

// Two releases are installed for a while: the hooks of both are recorded, each once, by one daemon after the other.
func TestHandOverLosesNothing(t *testing.T) {
	dir, err := newer()
	expect.OK(t, err)
	t.Parallel()
	h := newHome(t)
	h.hook(t, "SessionStart", startPayload("one"))
	const hooks = 60
	expect.OK(t, atOnce(3, hooks, func(i int) error {
		bin := ""
		if i >= hooks/4 && i%2 == 0 {
			bin = dir
		}
		out, err := h.run(call{bin: bin, args: []string{"hook", "PostToolUse"}, input: editPayload(i)})
		if err == nil {
			err = out.quiet()
		}
		return err
	}))
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
