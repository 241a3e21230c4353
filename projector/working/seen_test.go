package working

import (
	"slices"
	"testing"

	"hookline/events"
)

func TestSeenFiles(t *testing.T) {
	text := "lib/a/tmux.ex:12: def x\n./up/doc.go https://x.org//y.go v1.2/3.4 /w/up/proxy.go, and/or a.go up/.env (web/hooks.json)"
	if got := pathsIn(text); !slices.Equal(got, []string{"lib/a/tmux.ex", "up/doc.go", "/w/up/proxy.go", "web/hooks.json"}) {
		t.Errorf("%q", got)
	}

	for text, want := range map[string][]string{
		"--- a/up/x.go\n+++ b/up/x.go\n":                    {"up/x.go", "up/x.go"}, // a diff
		"[the plan](docs/plan.md)":                          {"docs/plan.md"},
		"文档 客户/计划.md main..up/HEAD ../x/y.go":               {"客户/计划.md"},
		"up/x.go:12:f()\nup/x.go-13-}\n":                    {"up/x.go"}, // lines beside a match
		"charm.sh/tea.Model of lib/tea.go, lib/a.R, b/x.go": {"lib/tea.go", "lib/a.R", "b/x.go"},
	} {
		if got := pathsIn(text); !slices.Equal(got, want) {
			t.Errorf("%q: %q", text, got)
		}
	}

	s := folded(did("Edit", `{"file_path":"/w/up/client.go"}`, `{}`), did("Bash", `{"command":"ls"}`, `{"stdout":"up/doc.go lib/b.go venv/lib/site-packages/x/LICENSE.md .pytest_cache/README.md /w/up/proxy.go"}`),
		did("Grep", `{"pattern":"x"}`, `{"filenames":["/w/lib/c.go","lib/b.go"]}`), did("Read", `{"file_path":"/w/lib/b.go"}`, `{}`))
	var got []string
	for _, x := range s.Unopened() {
		got = append(got, x.Path+" "+x.Event)
	}
	if !slices.Equal(got, []string{"/w/lib/c.go e3", "/w/up/proxy.go e2", "/w/up/doc.go e2"}) {
		t.Errorf("%q", got)
	}
	var outside State
	if outside.saw(events.Record{}, "", "/srv/app/a.go"); len(outside.Seen) > 0 { // without a work tree it is a path elsewhere
		t.Errorf("%+v", outside.Seen)
	}
}
