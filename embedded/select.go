package embedded

import (
	"context"
	"errors"
	"slices"
	"strings"
	"time"

	"github.com/nats-io/nats.go/jetstream"

	"hookline/events"
	"hookline/projector"
)

// Select is [Stream.Read] for those events that one of the selectors means. Where each of these names a session or a
// project, or wants events about the log itself, the server reads no others: it knows their subjects. Else the whole
// log is read, and only what is meant is decoded.
func (st *Stream) Select(ctx context.Context, from, to uint64, want []projector.Selector, fn func(events.Record) error) error {
	if slices.ContainsFunc(want, func(w projector.Selector) bool { return w.Session+w.Project == "" && w.Types == nil }) {
		return st.Read(ctx, from, to, fn)
	}
	wanted := func(m message) bool {
		project, session, err := m.place()
		return err == nil && slices.ContainsFunc(want, func(w projector.Selector) bool { return w.Match(session, project, m.typ) })
	}
	s := &scanning{st: st, from: from, to: to, filters: filtersOf(want)}
	return pass{typed: true, wanted: wanted}.run(ctx, s, fn)
}

// maxFilters bounds the subjects of one consumer: the server compares each of its messages with all of them.
const maxFilters = 64

// filtersOf returns the subjects that the selectors mean, in both forms; nil where they could be any, or where two of them
// could be the same, which the server refuses.
func filtersOf(want []projector.Selector) []string {
	var out []string
	var projects, sessions bool
	for _, w := range want {
		project, session := token(w.Project), token(w.Session)
		switch {
		case w.Session != "":
			sessions = true
			if w.Project == "" {
				project = "*"
			}
		case w.Project != "":
			projects = true
			session = "*"
		case len(w.Types) == 0 || slices.ContainsFunc(w.Types, func(t string) bool { return !strings.HasPrefix(t, ofTheLog) }):
			return nil
		}

		subject := subjectRoot + "." + project + "." + session
		if !slices.Contains(out, subject) {
			out = append(out, subject, subject+".>")
		}
	}
	if projects && sessions || len(out) > maxFilters {
		return nil
	}
	return out
}

// ofTheLog begins the types of events about the log itself, which have no project and no session.
const ofTheLog = "log."

// lateBound is how far behind a point of the log an event that was captured before it is looked for.
const lateBound = 1000

// SeqCaptured returns the newest sequence whose event was captured at or before t, to the millisecond; 0 where there is
// none. It is found by bisection, as if events stood in the order of their capture, and then among the lateBound
// events behind that: what came later still, as by an import into a log in use, is not taken into account.
func (st *Stream) SeqCaptured(ctx context.Context, t time.Time) (uint64, error) {
	ms := t.UnixMilli()
	seq, err := st.bisect(ctx, func(m stored) bool { return m.captured() > ms })
	if err != nil {
		return 0, err
	}

	newest := uint64(0)
	s := &scanning{st: st, from: seq - min(seq, lateBound), to: seq + lateBound, fn: func(m stored) error {
		if m.captured() <= ms {
			newest = m.seq
		}
		return nil
	}}
	err = s.scan(ctx)
	return newest, err
}

// SeqAtTime returns the first sequence whose event was appended at or after t; one more than the newest where there is none.
func (st *Stream) SeqAtTime(ctx context.Context, t time.Time) (uint64, error) {
	return st.bisect(ctx, func(m stored) bool { return !m.appended.Before(t) })
}

// bisect returns the first sequence for which beyond is true, in a log where it is true for all behind that.
func (st *Stream) bisect(ctx context.Context, beyond func(stored) bool) (uint64, error) {
	last, _ := st.Last()
	low, high := uint64(1), last+1 // the answer lies in [low, high]
	for low < high {
		mid := low + (high-low)/2
		m, err := st.ask(ctx, mid, last, jetstream.WithGetMsgSubject(subjectRoot+".>")) // the first one from there on
		switch {
		case errors.Is(err, ErrNoRecord): // nothing from mid on: erased
			high = mid
		case err != nil:
			return 0, err
		case beyond(m):
			high = mid
		default:
			low = m.seq + 1
		}
	}
	return low, nil
}

// captured returns when the event was captured, in Unix ms; 0 where its header does not say so.
func (m message) captured() int64 {
	t, err := time.Parse(time.RFC3339Nano, m.time)
	if err != nil {
		return 0
	}
	return t.UnixMilli()
}
