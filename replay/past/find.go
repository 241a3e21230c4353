package past

import (
	"cmp"
	"context"
	"slices"
	"strconv"
	"time"

	"hookline/hookctl/problem"
	"hookline/projector"
	"hookline/projector/identity"
	"hookline/projector/session"
)

// Candidate is an identity of the past that can be recovered.
type Candidate struct {
	Identity identity.State
	Result   Recovered // as far as it is known: where the identity stands and whose it was
}

// Find finds and folds the identity that is wanted: of a session at the moment itself, persisted or not, else the newest
// snapshot of the project at or before it. Where the event of a snapshot is lost, which the log or the index still names, it
// is the session's identity as it was folded up to there; so it is, of the newest session, where the project has no
// snapshot. progress, which may be nil, hears the sequence that was read last.
func (p Recovery) Find(ctx context.Context, w Wanted, progress func(uint64)) (Candidate, error) {
	entries, err := p.candidates(ctx, w)
	if err != nil {
		return Candidate{}, err
	}

	for _, e := range entries {
		s, err := p.identityAt(ctx, e.session, e.seq, progress)
		if err != nil {
			return Candidate{}, err
		}

		alive := s.Born && !s.Deleted
		if !alive {
			continue
		}
		result := Recovered{
			At:       w.At.Time.UTC().Format(time.RFC3339Nano),
			DryRun:   w.DryRun,
			Seq:      e.seq,
			Session:  s.SessionID,
			Snapshot: s.PersistedAtMS,
			Folded:   w.Session == "" && (e.folded || s.PersistedAtMS == 0),
			Project:  s.Project,
		}
		return Candidate{Identity: s, Result: result}, nil
	}
	return Candidate{}, nothingThen(w)
}

// nothingThen returns the error of a search that has found no identity.
func nothingThen(w Wanted) error {
	when := w.At.Time.UTC().Format(time.RFC3339)
	if w.At.Seq > 0 {
		when = "sequence " + strconv.FormatUint(w.At.Seq, 10)
	}

	if w.Session != "" {
		return problem.Missing("session %s had no identity at %s", w.Session, when).
			Advise("`hookctl session show` tells when it began")
	}
	if w.Project == "" {
		return problem.Bad("no project is known here").
			Advise("run it inside the project's folder, or name a session with --session")
	}
	return problem.Missing("this folder's project had no identity at or before %s", when).
		Advise("`hookctl identity history --all` lists those of every project; run it inside the project's folder, " +
			"or name a session with --session")
}

// identityAt folds one session's identity from its records up to a sequence.
func (p Recovery) identityAt(ctx context.Context, id string, seq uint64, progress func(uint64)) (identity.State, error) {
	source := projector.SelectiveSource(p.Log.Select).Only(identity.Table.Needs(id))
	v, err := projector.FoldLog(ctx, source, projector.FoldOptions{
		Tables:   []*projector.Table{identity.Table},
		To:       seq,
		Progress: progress,
	})
	if err != nil {
		return identity.State{}, err
	}

	var s identity.State
	err = v.Read(ctx, func(r projector.Reader) error {
		s, _ = projector.State[identity.State](r, identity.Name, id)
		return nil
	})
	return s, err
}

// indexEntry is one snapshot of the temporal index with its place in the log.
type indexEntry struct {
	session string
	seq     uint64
	ms      int64 // when it was taken
	folded  bool  // there is no snapshot: the identity is the one that was folded up to seq
}

// maxSnapshots bounds how many snapshots are tried: each is a fold of the log.
const maxSnapshots = 8

// candidates returns the places in the log where the identity may stand, the best first.
func (p Recovery) candidates(ctx context.Context, w Wanted) ([]indexEntry, error) {
	seq := w.At.Seq
	if seq == 0 {
		var err error
		if seq, err = p.Log.SeqCaptured(ctx, w.At.Time); err != nil {
			return nil, err
		}
	}
	if w.Session != "" {
		return []indexEntry{{session: w.Session, seq: seq}}, nil
	}

	snapshots, err := p.snapshotsBefore(ctx, w)
	if err != nil {
		return nil, err
	}
	without, err := p.sessionsWithout(ctx, w, snapshots)
	for i := range without {
		without[i].seq = seq
	}
	return append(without, snapshots...), err
}

// sessionsWithout lists the sessions of the project that had ended by the moment, later than its newest snapshot, and have
// none of their own: the event of theirs is lost. Where the project had no snapshot at all it lists every session that had
// begun. The newest come first.
func (p Recovery) sessionsWithout(ctx context.Context, w Wanted, snapshots []indexEntry) (out []indexEntry, err error) {
	if w.Project == "" {
		return nil, nil
	}
	newest := int64(0)
	for _, e := range snapshots {
		newest = max(newest, e.ms)
	}

	err = p.View.Read(ctx, func(r projector.Reader) error {
		has, err := withSnapshots(r)
		if err != nil {
			return err
		}
		ids, err := r.Keys(session.Name)
		if err != nil {
			return err
		}
		for _, id := range ids {
			s, _ := projector.State[session.State](r, session.Name, id)
			of := s.Project == w.Project && s.Status != session.Deleted
			begun := !s.Started.After(w.At.Time)
			if !of || !begun {
				continue
			}
			ended := s.Ended != nil && !s.Ended.After(w.At.Time)
			switch {
			case ended && !has[id] && s.Ended.UnixMilli() > newest:
				out = append(out, indexEntry{session: id, ms: s.Ended.UnixMilli(), folded: true})
			case len(snapshots) == 0:
				out = append(out, indexEntry{session: id, ms: s.Started.UnixMilli(), folded: true})
			}
		}
		return nil
	})
	slices.SortFunc(out, func(a, b indexEntry) int {
		return cmp.Or(cmp.Compare(b.ms, a.ms), cmp.Compare(a.session, b.session))
	})
	return out[:min(len(out), maxSnapshots)], err
}

// withSnapshots returns the sessions of which the temporal index has a snapshot.
func withSnapshots(r projector.Reader) (map[string]bool, error) {
	keys, err := r.Keys(identity.PointerName)
	has := map[string]bool{}
	for _, key := range keys {
		if _, id, ok := identity.SplitTime(key); ok {
			has[id] = true
		}
	}
	return has, err
}

// snapshotsBefore lists the snapshots of the project at or before the moment, newest first. Sessions that were deleted since
// have none.
func (p Recovery) snapshotsBefore(ctx context.Context, w Wanted) (out []indexEntry, err error) {
	if w.Project == "" {
		return nil, nil
	}
	err = p.View.Read(ctx, func(r projector.Reader) error {
		keys, err := r.Keys(identity.PointerName)
		if err != nil {
			return err
		}

		for _, key := range slices.Backward(keys) {
			if len(out) == maxSnapshots {
				break
			}
			ms, id, ok := identity.SplitTime(key)
			tooLate := w.At.Seq == 0 && ms > w.At.Time.UnixMilli()
			if !ok || tooLate {
				continue
			}
			s, known := projector.State[identity.State](r, identity.Name, id)
			if known && (s.Deleted || s.Project != w.Project) {
				continue
			}
			_, seq, stored := r.Raw(identity.PointerName, key)
			if stored && (w.At.Seq == 0 || seq <= w.At.Seq) {
				out = append(out, indexEntry{session: id, seq: seq, ms: ms})
			}
		}
		return nil
	})
	return out, err
}
