// Package pointer folds where the newest identity snapshot of a project is, and the temporal index
// over all snapshots (S0 REQ-04). Its cells are what bucket latest shows:
//
//	identity.<project>               the session of the newest snapshot
//	t.<13-digit ms>.<session>        the session, in the order of time
package pointer

import (
	"fmt"
	"slices"
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
	Session string   `json:"session"`
	AtMS    int64    `json:"at_ms"`             // of the snapshot
	History []string `json:"history,omitempty"` // newest last; only for project pointers
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
	switch r.Event.(type) {
	case *events.IdentityPersisted:
		if r.Session == "" {
			return nil
		}
		return []string{ProjectKey(r.Project), TimeKey(r.Time.UnixMilli(), r.Session)}
	case *events.SessionDeleted, *events.IdentityRecovered:
		return []string{ProjectKey(r.Project)}
	}
	return nil
}

// Fold moves the pointer.
func Fold(s State, r events.Record) State {
	switch r.Event.(type) {
	case *events.IdentityPersisted, *events.IdentityRecovered:
		return s.to(r.Session, r.Time.UnixMilli())
	case *events.SessionDeleted:
		return s.without(r.Session)
	}
	return s
}

// to points at a newer snapshot. One that came late, from the spool, only joins the history.
func (s State) to(session string, ms int64) State {
	if ms < s.AtMS && s.Session != "" && s.Session != session {
		if !slices.Contains(s.History, session) {
			s.History = append([]string{session}, s.History...)
		}
		return s
	}
	s.History = append(drop(s.History, session), session)
	if len(s.History) > maxHistory {
		s.History = s.History[len(s.History)-maxHistory:]
	}
	s.Session, s.AtMS = session, ms
	return s
}

func (s State) without(session string) State {
	s.History = drop(s.History, session)
	if s.Session == session {
		s.Session, s.AtMS = "", 0
		if n := len(s.History); n > 0 {
			s.Session = s.History[n-1]
		}
	}
	return s
}

func drop(list []string, x string) []string {
	out := make([]string, 0, len(list)+1)
	for _, v := range list {
		if v != x {
			out = append(out, v)
		}
	}
	return out
}
