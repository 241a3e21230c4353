package verbs

import (
	"strings"
	"testing"
	"time"
)

func TestTiming(t *testing.T) {
	clock := noon
	m := newTiming(func() time.Time { return clock })
	for _, took := range []time.Duration{1500 * time.Microsecond, 20 * time.Millisecond} {
		clock = clock.Add(took)
		m.done("part")
	}
	if got, want := m.String(), "⏱️  Timing:\n   part                1.5 ms\n   part               20.0 ms\n   total              21.5 ms"; got != want {
		t.Errorf("%s\nwant\n%s", got, want)
	}
	var none *timing
	none.done("part")
}

// The framework's -t: what each part took goes to stderr, and stdout is the same without it.
func TestReqStatusTiming(t *testing.T) {
	b := newReq(t, reqRules)
	b.start(sessionA)
	const parts = "⏱️  Timing:\n   recorder            0.0 ms\n   git                 0.0 ms\n   configuration       0.0 ms\n   log                 0.0 ms\n"
	const end = "   gates               0.0 ms\n   total               0.0 ms\n"
	for _, more := range []string{"", "--summary", "--verbose", "--json"} {
		args := strings.Fields("req status --session c68c8a51 " + more)
		plain := b.must(args...)
		code, out, errs := b.run(append(args, "-t")...)
		if code != 0 || out != plain || errs != parts+end {
			t.Errorf("%s: exit %d, %q, %q", more, code, out, errs)
		}
	}
	put(t, b.rules(), "enabled: false\n")
	if code, _, errs := b.run("req", "status", "--timing"); code != 0 || errs != "⚠️  Requirements framework disabled\n"+parts+"   total               0.0 ms\n" {
		t.Errorf("exit %d, %q", code, errs)
	}
}
