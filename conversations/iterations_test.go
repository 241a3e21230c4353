//go:build linux

package conversations

import (
	"regexp"
	"strconv"
	"strings"
	"testing"

	"hookline/expect"
)

// TC-SESSION-24: a hundred of each command, each exit 0 with its own words. Their times are measured
// elsewhere (make bench), where nothing else runs.
func TestTC_SESSION_24(t *testing.T) {
	t.Parallel()
	h := newHome(t)
	h.hook(t, "SessionStart", startPayload("one"))
	expect.OK(t, h.up())
	const iterations = 100
	warning := regexp.MustCompile(`^IC warning: 0\.\d\d\n$`) // so many edits and nothing else are another work than at the start
	for _, c := range []struct{ verb, input, starts string }{
		{"consciousness brief", `{"session_id":"one","tool_name":"Edit"}`, "[C:"},
		{"session restore-identity", `{"session_id":"restored-N","source":"startup"}`, "New session initialized\n"},
		{"consciousness check-identity --auto-dream", `{"session_id":"one","tool_name":"Edit","tool_use_id":"call-N"}`, ""},
		{"consciousness inject-context", `{"session_id":"one","prompt":"N"}`, "[System Consciousness]\nState: "},
		{"session persist-identity", `{"session_id":"restored-N","reason":"other"}`, ""},
	} {
		checks := strings.HasPrefix(c.verb, "consciousness check-identity")
		for i := range iterations {
			out, err := h.run(call{args: strings.Fields(c.verb), input: strings.ReplaceAll(c.input, "N", strconv.Itoa(i))})
			quiet := out.stderr == "" || checks && warning.MatchString(out.stderr)
			if err != nil || out.exit != 0 || !quiet || !strings.HasPrefix(out.stdout, c.starts) || (c.starts == "") != (out.stdout == "") {
				t.Fatalf("%s, iteration %d: %v, exit %d\n%s%s", c.verb, i+1, err, out.exit, out.stdout, out.stderr)
			}
		}
	}
	wantEachOnce(t, h, "tool.succeeded", iterations)
	for typ, want := range map[string]int{"session.started": iterations + 1, "prompt.submitted": iterations, "session.ended": iterations,
		"identity.persisted": iterations} {
		h.counts(t, typ, want)
	}
	expect.OK(t, h.verify())
}
