package project

import (
	"encoding/json"
	"fmt"
	"reflect"
	"testing"
	"time"

	"pgregory.net/rapid"

	"hookline/events"
	"hookline/expect"
)

const (
	alpha = "aaaaaaaaaaaa"
	beta  = "bbbbbbbbbbbb"
	gamma = "cccccccccccc"
	root  = "1111111111111111111111111111111111111111"
)

var noon = time.Date(2026, 11, 21, 12, 0, 0, 0, time.UTC)

// rec is an event of a project, minutes after noon.
func rec(project string, minutes int, e events.Event) events.Record {
	return events.Record{
		Seq:      uint64(minutes + 1),
		Envelope: events.Envelope{Type: e.Type(), Version: 1, Project: project, Time: noon.Add(time.Duration(minutes) * time.Minute)},
		Event:    e,
	}
}

// table folds records into cells as an engine does: each into every cell that Keys names.
func table(records ...events.Record) map[string]State {
	cells := map[string]State{}
	for _, r := range records {
		for _, key := range Keys(r) {
			s, ok := cells[key]
			if !ok {
				s = Start(key)
			}
			cells[key] = Fold(s, r)
		}
	}
	return cells
}

func seen(path string) *events.ProjectSeen {
	return &events.ProjectSeen{Path: path, Git: true, Name: "shop", RootCommit: root, Remote: "https://example.com/shop"}
}

func started(source string) *events.SessionStarted { return &events.SessionStarted{Source: source} }

func TestFoldKeepsWhatAProjectLooksLike(t *testing.T) {
	got := table(
		rec(alpha, 0, started("startup")),
		rec(alpha, 1, seen("/src/shop/.git")),
		rec(alpha, 2, started("clear")),
		rec(alpha, 3, started("fork")),
		rec(alpha, 4, started("resume")),
		rec(alpha, 5, started("compact")),
		rec(alpha, 6, started("of the future")),
	)[alpha]
	want := State{
		ID: alpha, Name: "shop", Path: "/src/shop/.git", Git: true, RootCommit: root, Remote: "https://example.com/shop",
		Paths: []string{"/src/shop/.git"}, FirstSeen: noon, LastSeen: noon.Add(6 * time.Minute), Sessions: 4,
	}
	if !reflect.DeepEqual(got, want) {
		t.Errorf("got  %+v\nwant %+v", got, want)
	}
}

func TestFoldMoves(t *testing.T) {
	got := table(
		rec(alpha, 0, seen("/old/.git")),
		rec(alpha, 1, &events.ProjectMoved{From: "/old/.git", To: "/new/.git", By: "root_commit"}),
		rec(alpha, 2, seen("/new/.git")),
	)[alpha]
	if got.Path != "/new/.git" || !reflect.DeepEqual(got.Paths, []string{"/old/.git", "/new/.git"}) {
		t.Errorf("path %q, paths %q", got.Path, got.Paths)
	}
}

func TestFoldRemembersSixteenPaths(t *testing.T) {
	records := []events.Record{rec(alpha, 0, seen("/p0"))}
	for i := 1; i <= 20; i++ {
		records = append(records, rec(alpha, i, &events.ProjectMoved{From: fmt.Sprintf("/p%d", i-1), To: fmt.Sprintf("/p%d", i)}))
	}
	got := table(records...)[alpha]
	if len(got.Paths) != 16 || got.Paths[0] != "/p5" || got.Paths[15] != "/p20" || got.Path != "/p20" {
		t.Errorf("path %q, paths %q", got.Path, got.Paths)
	}
}

func TestFoldAnEmptyRootCommitErasesNothing(t *testing.T) {
	got := table(
		rec(alpha, 0, seen("/src/shop/.git")),
		rec(alpha, 1, &events.ProjectSeen{Path: "/src/shop/.git", Git: true, Name: "shop"}),
	)[alpha]
	if got.RootCommit != root || got.Remote != "https://example.com/shop" {
		t.Errorf("root %q, remote %q", got.RootCommit, got.Remote)
	}
	got = Fold(got, rec(alpha, 2, &events.ProjectSeen{Path: "/src/shop/.git", Git: true, Name: "shop", RootCommit: root}))
	expect.Equal(t, got.Remote, "", "a removed remote stays")
}

func TestFoldRehomes(t *testing.T) {
	cells := table(
		rec(alpha, 0, seen("/a/.git")),
		rec(beta, 1, seen("/b/.git")),
		rec(beta, 2, &events.ProjectRehomed{From: alpha, Path: "/a/.git"}),
		rec(beta, 3, seen("/a/.git")),
	)
	if got := cells[alpha]; got.JoinedInto != beta || got.Path != "/a/.git" || got.ID != alpha {
		t.Errorf("given up: %+v", got)
	}
	got := cells[beta]
	if got.Path != "/b/.git" || !reflect.DeepEqual(got.Joined, []string{alpha}) ||
		!reflect.DeepEqual(got.Paths, []string{"/a/.git", "/b/.git"}) {
		t.Errorf("taken in: %+v", got)
	}
}

func TestFoldRehomeOfAProjectNeverSeen(t *testing.T) {
	cells := table(rec(beta, 0, &events.ProjectRehomed{From: alpha}))
	if cells[alpha].JoinedInto != beta || cells[beta].JoinedInto != "" {
		t.Errorf("%+v", cells)
	}
}

func TestFoldRehomeBackAndRound(t *testing.T) {
	join := func(into, from string, at int) events.Record {
		return rec(into, at, &events.ProjectRehomed{From: from})
	}
	cells := table(rec(alpha, 0, seen("/a")), rec(beta, 0, seen("/b")), join(beta, alpha, 1), join(alpha, beta, 2))
	if cells[alpha].JoinedInto != "" || cells[beta].JoinedInto != alpha || cells[beta].Joined != nil {
		t.Errorf("back: %+v", cells)
	}
	cells = table(join(beta, alpha, 1), join(gamma, beta, 2), join(alpha, gamma, 3))
	if cells[alpha].JoinedInto != "" || cells[beta].JoinedInto != gamma || cells[gamma].JoinedInto != alpha {
		t.Errorf("round: %+v", cells)
	}
	cells = table(join(alpha, alpha, 1))
	if got := cells[alpha]; got.JoinedInto != "" || got.Joined != nil || len(cells) != 1 {
		t.Errorf("into itself: %+v", cells)
	}
}

func TestKeys(t *testing.T) {
	for _, c := range []struct {
		r    events.Record
		want []string
	}{
		{rec(alpha, 0, seen("/a")), []string{alpha}},
		{rec(alpha, 0, started("startup")), []string{alpha}},
		{rec(alpha, 0, &events.ProjectRehomed{From: beta}), []string{alpha, beta}},
		{rec(alpha, 0, &events.ProjectRehomed{From: alpha}), []string{alpha}},
		{rec(alpha, 0, &events.CanarySent{}), nil},
		{rec("", 0, started("startup")), nil},
		{rec(alpha, 0, &events.Unknown{Name: "project.of_the_future"}), nil},
	} {
		if got := Keys(c.r); !reflect.DeepEqual(got, c.want) {
			t.Errorf("%s: keys %q, want %q", c.r.Type, got, c.want)
		}
	}
	expect.Equal(t, Key(rec(alpha, 0, &events.CanarySent{})), "", "key")
}

func TestCellAsJSON(t *testing.T) {
	s := table(rec(alpha, 0, started("startup")))[alpha]
	b, err := json.Marshal(s)
	want := `{"id":"aaaaaaaaaaaa","first_seen":"2026-11-21T12:00:00Z","last_seen":"2026-11-21T12:00:00Z","sessions":1}`
	if err != nil || string(b) != want {
		t.Errorf("%s, %v", b, err)
	}
	if b, _ := json.Marshal(Start(alpha)); string(b) != `{"id":"aaaaaaaaaaaa"}` {
		t.Errorf("%s", b)
	}
}

// Whatever is folded in whatever order: no panic, bounds hold, the given state stays as it was, and
// following joins from any cell ends at one that is not joined.
func TestFoldIsTotalAndPure(t *testing.T) {
	ids := rapid.SampledFrom([]string{"", alpha, beta, gamma})
	paths := rapid.StringMatching(`(/[a-c]){0,2}`)
	event := rapid.Custom(func(t *rapid.T) events.Record {
		var e events.Event
		switch rapid.IntRange(0, 4).Draw(t, "kind") {
		case 0:
			e = &events.ProjectSeen{Path: paths.Draw(t, "path"), RootCommit: ids.Draw(t, "root"), Remote: ids.Draw(t, "remote")}
		case 1:
			e = &events.ProjectMoved{From: paths.Draw(t, "from"), To: paths.Draw(t, "to")}
		case 2:
			e = &events.ProjectRehomed{From: ids.Draw(t, "gives up"), Path: paths.Draw(t, "path")}
		case 3:
			e = started("startup")
		default:
			e = &events.Unknown{Name: "x.y"}
		}
		return rec(ids.Draw(t, "project"), rapid.IntRange(0, 99).Draw(t, "minute"), e)
	})
	rapid.Check(t, func(t *rapid.T) {
		cells := map[string]State{}
		for _, r := range rapid.SliceOfN(event, 0, 60).Draw(t, "events") {
			for _, key := range Keys(r) {
				s, ok := cells[key]
				if !ok {
					s = Start(key)
				}
				before, _ := json.Marshal(s)
				next := Fold(s, r)
				if after, _ := json.Marshal(s); string(before) != string(after) {
					t.Fatalf("%s changed the state it was given: %s → %s", r.Type, before, after)
				}
				if next.ID != key || len(next.Paths) > 16 || next.LastSeen.Before(next.FirstSeen) {
					t.Fatalf("cell %s: %+v", key, next)
				}
				cells[key] = next
			}
		}
		var known []State
		for _, s := range cells {
			known = append(known, s)
		}
		for _, s := range known {
			if end := follow(known, s); end.JoinedInto != "" {
				t.Fatalf("joins of %s end at %+v in %+v", s.ID, end, cells)
			}
		}
	})
}
