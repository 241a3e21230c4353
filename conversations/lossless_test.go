//go:build linux

package conversations

import (
	"strconv"
	"testing"

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
