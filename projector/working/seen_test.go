package working

import (
	"fmt"
	"slices"
	"strings"
	"testing"
)

func TestSeenFiles(t *testing.T) {
	text := "lib/a/tmux.ex:12: def x\n./up/doc.go https://x.org//y.go v1.2/3.4 /w/up/proxy.go, and/or a.go up/.env (web/hooks.json)"
	if got := pathsIn(text); !slices.Equal(got, []string{"lib/a/tmux.ex", "up/doc.go", "/w/up/proxy.go", "web/hooks.json"}) {
		t.Errorf("%q", got)
	}

	for text, want := range map[string][]string{
		"--- a/up/x.go\n+++ b/up/x.go\n":                    {"up/x.go", "up/x.go"}, // a diff
		"up/x.go:12:f()\nup/x.go-13-}\n":                    {"up/x.go"},            // lines beside a match
		"charm.sh/tea.Model of lib/tea.go, lib/a.R, b/x.go": {"lib/tea.go", "lib/a.R", "b/x.go"},
	} {
		if got := pathsIn(text); !slices.Equal(got, want) {
			t.Errorf("%q: %q", text, got)
		}
	}

	s := folded(did("Edit", `{"file_path":"/w/up/client.go"}`, `{}`), did("Bash", `{"command":"ls"}`, `{"stdout":"up/doc.go lib/b.go /w/up/proxy.go"}`),
		did("Grep", `{"pattern":"x"}`, `{"filenames":["/w/lib/c.go","lib/b.go"]}`), did("Read", `{"file_path":"/w/lib/b.go"}`, `{}`))
	var got []string
	for _, x := range s.Unopened() {
		got = append(got, x.Path+" "+x.Event)
	}
	if !slices.Equal(got, []string{"up/proxy.go e2", "up/doc.go e2", "lib/c.go e3"}) {
		t.Errorf("%q", got)
	}
}

// The likeliest comes first: the newest, but for what several outputs had or what is worked on; a prompt, a plan and a
// subagent's answer name files too. The end of another path is none.
func TestUnopened(t *testing.T) {
	var names []string
	for i := range 30 {
		names = append(names, fmt.Sprintf("d%d/f.go", i))
	}
	old := did("Bash", `{"command":"ls"}`, `{"stdout":"lib/often.go lib/once.go"}`)
	s := folded(prompt("See the plan in docs/plan.md"), old, did("Grep", `{"pattern":"x"}`, `{"content":"lib/often.go:1:x"}`),
		did("Bash", `{"command":"find"}`, fmt.Sprintf(`{"stdout":%q}`, strings.Join(names, "\n"))),
		did("Task", `{}`, `{"content":[{"type":"text","text":"It is in web/js/app.js, that is js/app.js"}]}`),
		did("ExitPlanMode", `{"plan":"Change up/retry.go"}`, `{}`))
	place := map[string]int{}
	for i, x := range s.Unopened() {
		place[x.Path] = i + 1
	}
	if place["docs/plan.md"] == 0 || place["js/app.js"] != 0 || place["up/retry.go"] != 1 || place["web/js/app.js"] != 2 ||
		place["lib/often.go"] > place["d5/f.go"] || place["lib/once.go"] < place["d5/f.go"] {
		t.Errorf("%v", place)
	}
}
