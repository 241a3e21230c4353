package identity

import (
	"fmt"
	"slices"
	"sort"
	"strconv"
	"strings"

	"hookline/events"
	"hookline/events/copies"
	"hookline/projector"
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

// PointerTable is the projection of the pointers.
var PointerTable = projector.New(projector.Spec[Pointer]{
	Name:    PointerName,
	Version: PointerVersion,
	Scope:   &projector.Scope{Keys: pointersOf, Records: recordsOf},
	On: projector.Handlers(
		projector.On((*Pointer).identityPersisted),
		projector.On((*Pointer).identityRecovered),
		projector.On((*Pointer).sessionDeleted),
	),
	Views:   pointerCell,
	Buckets: []string{projector.BucketLatest},
})

// pointersOf returns the pointers that a record moves. A snapshot has one in the temporal index besides its project's.
func pointersOf(r events.Record) []string {
	e, snapshot := r.Event.(*events.IdentityPersisted)
	if !snapshot {
		return []string{PointerKey(r.Project)}
	}
	if r.Session == "" {
		return nil
	}
	return []string{PointerKey(r.Project), TimeKey(e.At(r.Time).UnixMilli(), r.Session)}
}

func recordsOf(key string) []projector.Selector {
	if _, session, ok := SplitTime(key); ok {
		return []projector.Selector{{Session: session}}
	}
	return []projector.Selector{{Project: strings.TrimPrefix(key, PointerKey(""))}}
}

// pointerCell is the pointer as bucket latest shows it.
func pointerCell(key string, s Pointer) []projector.ViewCell {
	c := projector.ViewCell{Bucket: projector.BucketLatest, Key: key}
	if s.Session != "" {
		c.Value = []byte(s.Session)
	}
	return []projector.ViewCell{c}
}

func (s *Pointer) identityPersisted(r events.Record, e *events.IdentityPersisted) {
	s.point(r.Session, e.At(r.Time).UnixMilli())
}

func (s *Pointer) identityRecovered(r events.Record, _ *events.IdentityRecovered) {
	s.point(r.Session, r.Time.UnixMilli())
}

func (s *Pointer) sessionDeleted(r events.Record, _ *events.SessionDeleted) {
	list, _ := copies.Take(s.History, func(e PointerEntry) bool { return e.Session == r.Session })
	*s = newest(list)
}

// point takes a snapshot into its place in time. One that came late, from the spool, does not become the
// newest; of a session only its newest counts.
func (s *Pointer) point(session string, ms int64) {
	list, old := copies.Take(s.History, func(e PointerEntry) bool { return e.Session == session })
	ms = max(ms, old.AtMS)
	at := sort.Search(len(list), func(i int) bool { return list[i].AtMS >= ms })
	*s = newest(slices.Insert(list, at, PointerEntry{Session: session, AtMS: ms}))
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
