package project

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"slices"
	"strconv"

	"hookline/events"
)

// Recognise finds the project that a folder belongs to. known is the whole table; exists tells
// whether a path is still there and is asked only for projects with the same root commit.
//
//  1. A project that lives at this very path is it; one that was joined stands for the project it
//     was joined into.
//  2. Else a project with the same root commit whose own path is gone has moved here: moved is true.
//     Where both have a remote, the remotes must be equal. Where the path is still there, this is a
//     copy, and a copy is another project.
//
// ok is false for a new project, which gets the id of [NewID]. Of several candidates the one with
// the same remote wins, then the one seen last, then the smallest id.
func Recognise(known []State, seen events.ProjectSeen, exists func(path string) bool) (id string, moved bool, ok bool) {
	livesThere := func(s State) bool { return s.Path != "" && s.Path == seen.Path }
	if s, ok := best(known, seen, livesThere); ok {
		return follow(known, s).ID, false, true
	}
	if seen.RootCommit == "" {
		return "", false, false
	}

	isGone := func(s State) bool { return s.Path != "" && sameHistory(s, seen) && !exists(s.Path) }
	s, ok := best(known, seen, isGone)
	if !ok {
		return "", false, false
	}
	home := follow(known, s)
	if home.ID == s.ID {
		return home.ID, true, true
	}
	// A joined folder that moved does not move the project it was joined into.
	moved = home.Path == "" || !exists(home.Path)
	return home.ID, moved, true
}

// NewID returns the id of a new project: base, the id of its path, unless a project that has moved away
// still has that; then the next free one derived from it. A cell without a path is no other project.
func NewID(known []State, base string) string {
	id := base
	for n := 2; slices.ContainsFunc(known, func(s State) bool { return s.ID == id && s.Path != "" }); n++ {
		sum := sha256.Sum256([]byte(base + "#" + strconv.Itoa(n)))
		id = hex.EncodeToString(sum[:6])
	}
	return id
}

// sameHistory reports whether a folder may be a project's: both have the same root commit, and no two different
// remotes.
func sameHistory(s State, seen events.ProjectSeen) bool {
	if s.RootCommit != seen.RootCommit {
		return false
	}
	return s.Remote == seen.Remote || s.Remote == "" || seen.Remote == ""
}

// best returns the first of the states that match, in an order that does not depend on that of known: the one with the
// same remote, the one seen last, the one with the smallest id.
func best(known []State, seen events.ProjectSeen, match func(State) bool) (State, bool) {
	matching := slices.DeleteFunc(slices.Clone(known), func(s State) bool { return !match(s) })
	if len(matching) == 0 {
		return State{}, false
	}

	distance := func(s State) int {
		if s.RootCommit != seen.RootCommit {
			return 2
		}
		if s.Remote != seen.Remote {
			return 1
		}
		return 0
	}

	return slices.MinFunc(matching, func(a, b State) int {
		return cmp.Or(cmp.Compare(distance(a), distance(b)), b.LastSeen.Compare(a.LastSeen), cmp.Compare(a.ID, b.ID))
	}), true
}

// follow goes from a joined project to the one it stands for. One that the table does not hold is
// taken at its word; a ring, which only a hand-made log can have, ends after one round.
func follow(known []State, s State) State {
	for range known {
		if s.JoinedInto == "" {
			break
		}
		i := slices.IndexFunc(known, func(k State) bool { return k.ID == s.JoinedInto })
		if i < 0 {
			return State{ID: s.JoinedInto}
		}
		s = known[i]
	}
	return s
}

// Known is the index word of all projects.
const Known = "known"

// LivesAt returns the index word of the projects whose folder is at a path.
func LivesAt(path string) string { return "at " + path }

// Words returns the index words of a project.
func Words(s State) []string {
	if s.Path == "" {
		return []string{Known}
	}
	return []string{Known, LivesAt(s.Path)}
}
