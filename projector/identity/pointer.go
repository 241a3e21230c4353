package identity

import (
	"fmt"
	"slices"
	"sort"
	"strconv"
	"strings"

	"hookline/events"
)

// The pointers fold where the newest identity snapshot of a project is, and the temporal index over all snapshots (S0
// REQ-04). Their cells are what bucket latest shows:
//
//	identity.<project>               the session of the newest snapshot
//	t.<13-digit ms>.<session>        the session, in the order of time
const (
	PointerName    = "latest"
	PointerVersion = 1
)

const pointerHistory = 32 // sessions remembered behind the newest, for when that one is deleted

// Pointer is one pointer. Session is empty when everything it pointed to was deleted.
type Pointer struct {
	Session string         `json:"session" jsonschema_description:"whole id; empty when everything that it pointed to was deleted"`
	AtMS    int64          `json:"at_ms" jsonschema_description:"milliseconds since 1970, of the snapshot"`
	History []PointerEntry `json:"history,omitempty" jsonschema_description:"by time, newest last, at most 32"`
}

// PointerEntry is a snapshot that was pointed to, or would be if the newer ones were deleted.
type PointerEntry struct {
	Session string `json:"session" jsonschema_description:"whole id"`
	AtMS    int64  `json:"at_ms" jsonschema_description:"milliseconds since 1970, of the snapshot"`
}

// PointerKey is the key of a project's pointer.
func PointerKey(project string) string { return "identity." + project }

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

// PointerKeys gives the pointers a record moves.
func PointerKeys(r events.Record) []string {
	switch e := r.Event.(type) {
	case *events.IdentityPersisted:
		if r.Session == "" {
			return nil
		}
		return []string{PointerKey(r.Project), TimeKey(e.At(r.Time).UnixMilli(), r.Session)}
	case *events.SessionDeleted, *events.IdentityRecovered:
		return []string{PointerKey(r.Project)}
	}
	return nil
}

// FoldPointer moves the pointer.
func FoldPointer(s Pointer, r events.Record) Pointer {
	switch e := r.Event.(type) {
	case *events.IdentityPersisted:
		return s.to(r.Session, e.At(r.Time).UnixMilli())
	case *events.IdentityRecovered:
		return s.to(r.Session, r.Time.UnixMilli())
	case *events.SessionDeleted:
		list, _ := events.Take(s.History, func(e PointerEntry) bool { return e.Session == r.Session })
		return newest(list)
	}
	return s
}

// to takes a snapshot into its place in time. One that came late, from the spool, does not become the
// newest; of a session only its newest counts.
func (s Pointer) to(session string, ms int64) Pointer {
	list, old := events.Take(s.History, func(e PointerEntry) bool { return e.Session == session })
	ms = max(ms, old.AtMS)
	at := sort.Search(len(list), func(i int) bool { return list[i].AtMS >= ms })
	return newest(slices.Insert(list, at, PointerEntry{Session: session, AtMS: ms}))
}

// newest is the state of a history in the order of time.
func newest(list []PointerEntry) Pointer {
	if len(list) == 0 {
		return Pointer{}
	}
	list = list[max(0, len(list)-pointerHistory):]
	last := list[len(list)-1]
	return Pointer{Session: last.Session, AtMS: last.AtMS, History: list}
}
