package working

import (
	"slices"
	"testing"
)

func TestSeenFiles(t *testing.T) {
	text := "lib/a/tmux.ex:12: def x\n./up/doc.go https://x.org//y.go v1.2/3.4 /w/up/proxy.go, and/or a.go up/.env (web/hooks.json)"
	if got := pathsIn(text); !slices.Equal(got, []string{"lib/a/tmux.ex", "up/doc.go", "/w/up/proxy.go", "web/hooks.json"}) {
		t.Errorf("%q", got)
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
