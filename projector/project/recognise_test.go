package project

import (
	"slices"
	"testing"
	"time"

	"hookline/events"
	"hookline/expect"
)

func TestRecognise(t *testing.T) {
	const remote = "https://example.com/shop"
	a := State{ID: alpha, Path: "/a/.git", Git: true, RootCommit: root, Remote: remote, LastSeen: noon}
	with := func(change func(*State)) State { s := a; change(&s); return s }
	at := func(path, root, remote string) events.ProjectSeen {
		return events.ProjectSeen{Path: path, Git: root != "", RootCommit: root, Remote: remote}
	}
	local := with(func(s *State) { s.Remote = "" })
	joined := with(func(s *State) { s.JoinedInto = beta })
	home := State{ID: beta, Path: "/b/.git", RootCommit: "2222", LastSeen: noon}
	for _, c := range []struct {
		name   string
		known  []State
		seen   events.ProjectSeen
		there  []string // paths that exist besides the seen one
		id     string
		moved  bool
		wanted bool
	}{
		{"the same path", []State{a}, at("/a/.git", root, remote), nil, alpha, false, true},
		{"the same path, joined", []State{joined, home}, at("/a/.git", root, remote), []string{"/b/.git"}, beta, false, true},
		{"joined into one that is not in the table", []State{joined}, at("/a/.git", root, remote), nil, beta, false, true},
		{"moved", []State{a}, at("/n/.git", root, remote), nil, alpha, true, true},
		{"moved, the remote is new", []State{local}, at("/n/.git", root, remote), nil, alpha, true, true},
		{"another remote: another clone", []State{a}, at("/n/.git", root, "https://example.com/fork"), nil, "", false, false},
		{"a copy", []State{a}, at("/n/.git", root, remote), []string{"/a/.git"}, "", false, false},
		{"no root commit", []State{a}, at("/n/.git", "", remote), nil, "", false, false},
		{"a new repository where one moved away", []State{with(func(s *State) { s.Path = "/n/.git"; s.Paths = []string{"/a/.git", "/n/.git"} })},
			at("/a/.git", "2222", ""), []string{"/n/.git"}, "", false, false},
		{"a joined folder moved, its home stands", []State{joined, home}, at("/n/.git", root, remote), []string{"/b/.git"}, beta, false, true},
		{"a joined folder moved, its home is gone", []State{joined, home}, at("/n/.git", root, remote), nil, beta, true, true},
		{"a ring of joins", []State{joined, with(func(s *State) { s.ID, s.Path, s.JoinedInto = beta, "/b", alpha })},
			at("/a/.git", root, remote), nil, alpha, false, true},
	} {
		exists := func(path string) bool { return path == c.seen.Path || slices.Contains(c.there, path) }
		id, moved, ok := Recognise(c.known, c.seen, exists)
		if id != c.id || moved != c.moved || ok != c.wanted {
			t.Errorf("%s: %q, moved %v, %v; want %q, %v, %v", c.name, id, moved, ok, c.id, c.moved, c.wanted)
		}
	}
}

func TestRecogniseChoosesTheSameInAnyOrder(t *testing.T) {
	old := State{ID: alpha, Path: "/gone/1", RootCommit: root, LastSeen: noon}
	late := State{ID: gamma, Path: "/gone/2", RootCommit: root, LastSeen: noon.Add(time.Hour)}
	twin := State{ID: beta, Path: "/gone/3", RootCommit: root, LastSeen: noon.Add(time.Hour)}
	exact := State{ID: "dddddddddddd", Path: "/gone/4", RootCommit: root, Remote: "r", LastSeen: noon}
	gone := func(string) bool { return false }
	for _, c := range []struct {
		known []State
		want  string
	}{
		{[]State{old, late}, gamma},
		{[]State{old, late, twin}, beta},
		{[]State{old, late, twin, exact}, "dddddddddddd"},
	} {
		for range 2 {
			if id, _, _ := Recognise(c.known, events.ProjectSeen{Path: "/n", RootCommit: root, Remote: "r"}, gone); id != c.want {
				t.Errorf("%d known: %q, want %q", len(c.known), id, c.want)
			}
			slices.Reverse(c.known)
		}
	}
}

func TestNewID(t *testing.T) {
	expect.Equal(t, NewID(nil, alpha), alpha, "free")
	expect.Equal(t, NewID([]State{{ID: alpha}}, alpha), alpha, "a cell that only counted a session")
	taken := []State{{ID: alpha, Path: "/n"}}
	second := NewID(taken, alpha)
	if second != "a52664f121d1" {
		t.Errorf("second: %q", second)
	}
	third := NewID(append(taken, State{ID: second, Path: "/m"}), alpha)
	if len(third) != 12 || third == second || third == alpha {
		t.Errorf("third: %q", third)
	}
}
