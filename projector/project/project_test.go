package project

import (
	"encoding/json"
	"reflect"
	"testing"
	"time"

	"pgregory.net/rapid"

	"hookline/events"
	"hookline/projector"
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
		for _, key := range Table.Keys(r) {
			s, ok := cells[key]
			if !ok {
				s = Start(key)
			}
			cells[key] = projector.Fold(Table, s, r)
		}
	}
	return cells
}

func seen(path string) *events.ProjectSeen {
	return &events.ProjectSeen{Path: path, Git: true, Name: "shop", RootCommit: root, Remote: "https://example.com/shop"}
}

func started(source string) *events.SessionStarted { return &events.SessionStarted{Source: source} }

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
			for _, key := range Table.Keys(r) {
				s, ok := cells[key]
				if !ok {
					s = Start(key)
				}
				before, _ := json.Marshal(s)
				next := projector.Fold(Table, s, r)
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
