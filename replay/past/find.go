package past

import (
	"context"
	"slices"
	"strconv"
	"time"

	"hookline/hookctl/problem"
	"hookline/projector"
	"hookline/projector/identity"
)

// Candidate is an identity of the past that can be recovered.
type Candidate struct {
	Identity identity.State
	Result   Recovered // as far as it is known: where the identity stands and whose it was
}

// Find finds and folds the identity that is wanted: of a session at the moment itself, persisted or not, else the newest
// snapshot of the project at or before it. A snapshot that the index names and the log does not give is passed over for
// the one before. progress, which may be nil, hears the sequence that was read last.
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
		persisted := s.PersistedAtMS > 0
		if !alive || w.Session == "" && !persisted {
			continue
		}
		result := Recovered{
			At:       w.At.Time.UTC().Format(time.RFC3339Nano),
			DryRun:   w.DryRun,
			Seq:      e.seq,
			Session:  s.SessionID,
			Snapshot: s.PersistedAtMS,
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
	return problem.Missing("this folder's project had no snapshot at or before %s", when).
		Advise("`hookctl identity history --all` lists those of every project; run it inside the project's folder, " +
			"or name a session with --session")
}

// identityAt folds one session's identity from its records up to a sequence.
func (p Recovery) identityAt(ctx context.Context, session string, seq uint64, progress func(uint64)) (identity.State, error) {
	source := projector.SelectiveSource(p.Log.Select).Only(identity.Table.Needs(session))
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
		s, _ = projector.State[identity.State](r, identity.Name, session)
		return nil
	})
	return s, err
}

// indexEntry is one snapshot of the temporal index with its place in the log.
type indexEntry struct {
	session string
	seq     uint64
}

// maxSnapshots bounds how many snapshots are tried: each is a fold of the log.
const maxSnapshots = 8

// candidates returns the places in the log where the identity may stand, the best first.
func (p Recovery) candidates(ctx context.Context, w Wanted) ([]indexEntry, error) {
	if w.Session == "" {
		return p.snapshotsBefore(ctx, w)
	}

	seq := w.At.Seq
	if seq == 0 {
		var err error
		if seq, err = p.Log.SeqCaptured(ctx, w.At.Time); err != nil {
			return nil, err
		}
	}
	return []indexEntry{{w.Session, seq}}, nil
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
			ms, session, ok := identity.SplitTime(key)
			tooLate := w.At.Seq == 0 && ms > w.At.Time.UnixMilli()
			if !ok || tooLate {
				continue
			}
			s, known := projector.State[identity.State](r, identity.Name, session)
			if known && (s.Deleted || s.Project != w.Project) {
				continue
			}
			_, seq, stored := r.Raw(identity.PointerName, key)
			if stored && (w.At.Seq == 0 || seq <= w.At.Seq) {
				out = append(out, indexEntry{session, seq})
			}
		}
		return nil
	})
	return out, err
}
