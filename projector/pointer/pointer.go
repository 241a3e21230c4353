// Package pointer folds where the newest identity snapshot of a project is, and the temporal index
// over all snapshots (S0 REQ-04). Its cells are what bucket latest shows:
//
//	identity.<project>               the session of the newest snapshot
//	t.<13-digit ms>.<session>        the session, in the order of time
package pointer

import (
	"fmt"
	"slices"
	"sort"
	"strconv"
	"strings"

	"hookline/events"
)

// Name and Version of the projection's cells.
const (
	Name    = "latest"
	Version = 1
)

const maxHistory = 32 // sessions remembered behind the newest, for when that one is deleted

// State is one pointer. Session is empty when everything it pointed to was deleted.
type State struct {
	Session string  `json:"session" jsonschema_description:"whole id; empty when everything that it pointed to was deleted"`
	AtMS    int64   `json:"at_ms" jsonschema_description:"milliseconds since 1970, of the snapshot"`
	History []Entry `json:"history,omitempty" jsonschema_description:"by time, newest last, at most 32"`
}

// Entry is a snapshot that was pointed to, or would be if the newer ones were deleted.
type Entry struct {
	Session string `json:"session" jsonschema_description:"whole id"`
	AtMS    int64  `json:"at_ms" jsonschema_description:"milliseconds since 1970, of the snapshot"`
}

// ProjectKey is the key of a project's pointer.
func ProjectKey(project string) string { return "identity." + project }

// TimePrefix begins the keys of the temporal index.
const TimePrefix = "t."

// TimeKey is a snapshot's key in the temporal index: 13 digits sort as time does until the year 2286.
func TimeKey(ms int64, session string) string { return fmt.Sprintf("t.%013d.%s", max(0, ms), session) }

// SplitTime reads a key of the temporal index.
func SplitTime(key string) (ms int64, session string, ok bool) {
	rest, found := strings.CutPrefix(key, TimePrefix)
	num, session, cut := strings.Cut(rest, ".")
	ms, err := strconv.ParseInt(num, 10, 64)
	return ms, session, found && cut && err == nil
}

// Keys gives the pointers a record moves.
func Keys(r events.Record) []string {
	switch e := r.Event.(type) {
	case *events.IdentityPersisted:
		if r.Session == "" {
			return nil
		}
		return []string{ProjectKey(r.Project), TimeKey(e.At(r.Time).UnixMilli(), r.Session)}
	case *events.SessionDeleted, *events.IdentityRecovered:
		return []string{ProjectKey(r.Project)}
	}
	return nil
}

// Fold moves the pointer.
func Fold(s State, r events.Record) State {
	switch e := r.Event.(type) {
	case *events.IdentityPersisted:
		return s.to(r.Session, e.At(r.Time).UnixMilli())
	case *events.IdentityRecovered:
		return s.to(r.Session, r.Time.UnixMilli())
	case *events.SessionDeleted:
		return s.without(r.Session)
	}
	return s
}

// to takes a snapshot into its place in time. One that came late, from the spool, does not become the
// newest; of a session only its newest counts.
func (s State) to(session string, ms int64) State {
	list := make([]Entry, 0, len(s.History)+1)
	for _, e := range s.History {
		if e.Session == session {
			ms = max(ms, e.AtMS)
		} else {
			list = append(list, e)
		}
	}
	at := sort.Search(len(list), func(i int) bool { return list[i].AtMS >= ms })
	list = slices.Insert(list, at, Entry{Session: session, AtMS: ms})
	return newest(list)
}

func (s State) without(session string) State {
	list := make([]Entry, 0, len(s.History))
	for _, e := range s.History {
		if e.Session != session {
			list = append(list, e)
		}
	}
	return newest(list)
}

// newest is the state of a history in the order of time.
func newest(list []Entry) State {
	if len(list) == 0 {
		return State{}
	}
	list = list[max(0, len(list)-maxHistory):]
	last := list[len(list)-1]
	return State{Session: last.Session, AtMS: last.AtMS, History: list}
}
