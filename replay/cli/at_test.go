package cli

import (
	"encoding/json"
	"strings"
	"testing"

	"hookline/expect"
	"hookline/projector/tables"
	"hookline/replay/past"
)

// The test's log: 1 session.started, 2 project.seen, 3 identity.restored, 4 prompt.submitted,
// 5 tool.requested, 6 tool.failed, 7 session.ended, 8 identity.persisted; 9 to 11 are the second session.

func TestAtListsCells(t *testing.T) {
	recorded(t)
	out := told(t, "at", "3")
	lines := strings.Split(out, "\n")
	expect.Equal(t, lines[0], "sequence 3 (identity.restored, 2026-11-21 12:00:00)", "heading")
	expect.Equal(t, lines[1], "PROJECTION  SEQ  KEY", "head")
	expect.Equal(t, lines[2], "session     3    "+ended, "row")
	expect.Equal(t, lines[3], "identity    3    "+ended, "row")
	if len(lines) < 7 || !strings.HasPrefix(lines[4], "project     2    ") || !strings.HasPrefix(lines[5], "working     1    ") {
		t.Error(out)
	}
}

func TestAtStateByAlias(t *testing.T) {
	recorded(t)
	for point, wants := range map[string][]string{
		"4":   {"\n  \"last_ic\": 0.9919,\n", "\n  \"live\": true,\n"},
		"now": {"\n  \"last_ic\": 0.9614,\n", "\n  \"live\": false,\n", "identity  " + ended + "  folded at 8\n"},
	} {
		holds(t, told(t, "at", point, "identity", "5f1d0c2e"), wants...)
	}
}

func TestAtJSON(t *testing.T) {
	recorded(t)
	p := decoded[past.State](t, "at", "6", "session", ended, "--json")
	if p.Seq != 6 || len(p.Cells) != 1 || p.Cells[0].Projection != "session" || p.Cells[0].Key != ended || p.Cells[0].Seq != 6 {
		t.Fatalf("%+v", p)
	}
	var s struct {
		Status   string
		Failures int
		Tools    map[string]int
	}
	expect.OK(t, json.Unmarshal(p.Cells[0].State, &s))
	if s.Status != "live" || s.Failures != 1 || s.Tools["Bash"] != 1 {
		t.Errorf("%+v", s)
	}
}

// A time is compared with when the hooks ran, one a second from noon on, and includes it.
func TestAtTimes(t *testing.T) {
	recorded(t)
	const last = "sequence 11 (prompt.submitted, 2026-11-21 12:00:06)\n"
	for args, want := range map[string]string{
		"2026-11-21T13:00:00Z":     last,
		"2026-11-21T12:00:03Z":     "sequence 6 (tool.failed, 2026-11-21 12:00:03)\n",
		"2026-11-21T11:59:59.999Z": "sequence 0 (before the first event)\n",
	} {
		if out := told(t, "at", args); !strings.HasPrefix(out, want) {
			t.Errorf("%q: %s, want %s", args, out, want)
		}
	}
}

func TestAtErrors(t *testing.T) {
	recorded(t)
	for _, c := range []struct{ args, stderr string }{
		{"at 99", "replay: error: the log ends at sequence 11\nreplay: hint: `now` is the newest point\n"},
		{"at now doors", "replay: error: no projection is called \"doors\"\nreplay: hint: projections: " + strings.Join(projections(), ", ") + "\n"},
		{"at 3 session 9ac4e7b0", "replay: error: projection session had no cell \"9ac4e7b0\" at sequence 3\nreplay: hint: `replay at 3 session` shows those it had\n"},
	} {
		r := replay(t, 1, strings.Fields(c.args)...)
		expect.Equal(t, r.stderr.String(), c.stderr, c.args)
		expect.Equal(t, r.stdout.String(), "", c.args+": stdout")
	}
}

// What comes from the log cannot steer a terminal.
func TestAtCleansTheTerminal(t *testing.T) {
	newHome(t)
	h := &canned{gets: map[string]string{
		"/v1/at":       `{"seq":7,"cells":[{"projection":"session","key":"a\u001b[2Jb","seq":7,"state":{"goal":"x\u001b]0;y","n":12345678901234567890,"l":["<&>"]}}]}`,
		"/v1/events/7": `{"seq":7,"type":"prompt.submitted","time":"2026-11-21T12:00:00Z"}`,
	}}
	r := newRun().on(h)
	r.Terminal, r.Columns = true, 40
	t.Setenv("TERM", "dumb")
	expect.Equal(t, r.do(t, 0, "at", "7", "session").stdout.String(), `sequence 7 (prompt.submitted, 2026-11-21
12:00:00)
session  a[2Jb  folded at 7
{
  "goal": "x\u001b]0;y",
  "n": 12345678901234567890,
  "l": [
    "<&>"
  ]
}
`, "stdout")
	expect.Equal(t, strings.Join(h.asked, "\n"), "GET /v1/at?point=7&projection=session\nGET /v1/events/7", "requests")
}

// projections are the names of all projections, in the order of the table.
func projections() []string {
	var names []string
	for _, t := range tables.All() {
		names = append(names, t.Name())
	}
	return names
}
