package main

import (
	"slices"
	"time"
)

// byActivity returns the other sessions of a work tree's repository that had begun at a time, the one that was active last
// first.
func byActivity(sessions []*session, own *session, at time.Time) []*session {
	var list []*session
	for _, s := range sessions {
		if s != own && s.repo == own.repo && !lastBefore(s, at).time.IsZero() {
			list = append(list, s)
		}
	}
	slices.SortStableFunc(list, func(a, b *session) int { return lastBefore(b, at).time.Compare(lastBefore(a, at).time) })
	return list
}
