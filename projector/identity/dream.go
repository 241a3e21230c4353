package identity

import (
	"cmp"
	"errors"
	"fmt"
	"slices"

	"hookline/events"
)

// DreamCooldownMS is how long after a dream the next crisis asks for none; a dream by hand does
// not wait.
const DreamCooldownMS = 60_000

const (
	replayed     = 100 // trajectory entries of a dream
	dreamSteps   = 300
	pull         = 0.25 // how far the vector moves to the replayed mean
	blindAfter   = 3    // sessions without evidence
	dreamLimit   = 0.7  // of r while a failure is open: a dream does not forget what is still broken
	recencyShare = 0.8
	orderShare   = 0.2
)

// nudge frees the middle oscillator, in radians: a fan and an even spread are symmetric around it, so
// in a dream all others may gather exactly opposite to it, where nothing pulls it.
const nudge = 0.001

// ErrPhase says that a dream has no such phase.
var ErrPhase = errors.New("unknown dream phase (use nrem, rem or full)")

// DreamDue tells whether a crisis at that moment (Unix ms) should start a dream.
func (s State) DreamDue(atMS int64) bool {
	if !s.Born || s.Deleted || printed(s.LastIC) >= CrisisThreshold {
		return false
	}
	return s.DreamAtMS == 0 || atMS-s.DreamAtMS >= DreamCooldownMS || atMS < s.DreamAtMS
}

// Dream consolidates the identity s; others are the recent sessions of its project, newest first.
// Nrem replays trajectory entries, draws the vector towards them and re-couples the phases; rem
// names the facets that have gone without evidence; full does both. It is deterministic; the caller
// fills in the duration and, for full, what expired.
func Dream(s State, others []State, phase string) (events.DreamCompleted, error) {
	out := events.DreamCompleted{Phase: phase, BeforeIC: s.LastIC, AfterIC: s.LastIC, BeforeR: s.Integration, AfterR: s.Integration}
	switch phase {
	case "nrem", "full":
		nrem(s, others, &out)
	case "rem":
	default:
		return out, fmt.Errorf("%w: %q", ErrPhase, phase)
	}
	if phase != "nrem" {
		out.BlindSpots = blindSpots(&s, others)
	}
	return out, nil
}

func nrem(s State, others []State, out *events.DreamCompleted) {
	all := moments(append([]State{s}, others...))
	out.Entries = len(all)
	vector := s.PurposeVector
	if mean, ok := replay(all); ok {
		for i := range vector {
			vector[i] += float64(pull * (mean[i] - vector[i]))
		}
	}
	weight := mass(s.Sums)
	if s.Held.PurposeVector {
		weight = max(weight, releaseMass)
	}
	phases := s.KuramotoPhases
	phases[half] = wrap(phases[half] + nudge)
	for range dreamSteps {
		next := stepped(phases, dreamCoupling)
		if r, _ := OrderParameter(next[:]); r > dreamLimit && len(s.Open) > 0 {
			break
		}
		phases = next
	}
	sums := sumsFor(vector, weight)
	out.Sums, out.PurposeVector, out.Phases = list(sums), list(vectorOf(sums)), list(phases)
	s.dreamt(out)
	out.AfterIC, out.AfterR = s.LastIC, s.Integration
}

// moment is one trajectory entry with its mark.
type moment struct {
	Mark
	session string
	vector  Vector
}

// moments gives the newest entries of all sessions, oldest first. Entries of one moment are ordered
// by session, so that the sum does not depend on the order of the sessions.
func moments(states []State) []moment {
	var all []moment
	for _, s := range states {
		for i := range min(len(s.Trajectory), len(s.Marks)) {
			all = append(all, moment{s.Marks[i], s.SessionID, s.Trajectory[i]})
		}
	}
	slices.SortStableFunc(all, func(a, b moment) int {
		return cmp.Or(cmp.Compare(a.AtMS, b.AtMS), cmp.Compare(a.session, b.session))
	})
	return all[max(0, len(all)-replayed):]
}

// replay is the mean of the entries, weighted by .8·recency + .2·r; recency grows linearly from 0 to
// 1 over the entries' time span (origins 0.8).
func replay(all []moment) (Vector, bool) {
	var mean Vector
	var total float64
	for _, m := range all {
		recency := 1.0
		if span := all[len(all)-1].AtMS - all[0].AtMS; span > 0 {
			recency = float64(m.AtMS-all[0].AtMS) / float64(span)
		}
		score := float64(recencyShare*recency) + float64(orderShare*clamp(m.R, 0, 1))
		total += score
		for i, x := range m.vector {
			mean[i] += float64(score * x)
		}
	}
	if total < tinyNorm {
		return mean, false
	}
	for i := range mean {
		mean[i] /= total
	}
	return mean, true
}

// blindSpots names the facets without evidence for three sessions: by the count that sessions hand
// on, or, where a fresh start broke the chain, by looking at the two sessions before.
func blindSpots(s *State, others []State) []string {
	var names []string
	for i, name := range events.Facets {
		n := idle(s, i)
		if n > 0 && len(others) >= blindAfter-1 &&
			!slices.ContainsFunc(others[:blindAfter-1], func(o State) bool { return o.Used[i] }) {
			n = max(n, blindAfter)
		}
		if n >= blindAfter {
			names = append(names, name)
		}
	}
	return names
}

// dreamt takes vector and phases from a dream. An observation that held them is over: the dream is
// the younger word.
func (s *State) dreamt(e *events.DreamCompleted) {
	if sums, ok := toVector(e.Sums); ok {
		s.Sums, s.Held.PurposeVector = bounded(sums), false
	}
	if len(e.Phases) > 0 {
		s.Held.KuramotoPhases = false
		s.setPhases(e.Phases)
	}
	s.Dreams++
	s.refresh()
}
