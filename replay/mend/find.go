package mend

import (
	"context"
	"slices"
	"strconv"
	"time"

	"hookline/hookctl/problem"
	"hookline/projector"
	"hookline/projector/identity"
	"hookline/projector/tables"
)

// Found is an identity of the past.
type Found struct {
	Identity identity.State
	Result   Recovered // as far as it is known: where the identity stands and whose it was
}

// Find finds and folds the identity: of a session at the moment itself, persisted or not, else the newest snapshot of the
// project at or before it. What the index names and the log does not give (it points to nothing) is passed over for the one
// before.
func (p Past) Find(ctx context.Context, a Asked, progress func(uint64)) (Found, error) {
	entries := []indexEntry{{a.Session, a.At.Seq}}
	var err error
	switch {
	case a.Session == "":
		entries, err = p.snapshotsBefore(ctx, a)
	case a.At.Seq == 0:
		entries[0].seq, err = p.Log.SeqCaptured(ctx, a.At.Time)
	}
	if err != nil {
		return Found{}, err
	}

	for _, e := range entries {
		s, err := p.identityAt(ctx, e.session, e.seq, progress)
		if err != nil {
			return Found{}, err
		}
		if s.Born && !s.Deleted && (a.Session != "" || s.PersistedAtMS > 0) {
			return Found{Identity: s, Result: Recovered{At: a.At.Time.UTC().Format(time.RFC3339Nano), DryRun: a.DryRun, Seq: e.seq,
				Session: s.SessionID, Snapshot: s.PersistedAtMS, Project: s.Project}}, nil
		}
	}
	return Found{}, nothingThen(a)
}

func nothingThen(a Asked) error {
	when := a.At.Time.UTC().Format(time.RFC3339)
	if a.At.Seq > 0 {
		when = "sequence " + strconv.FormatUint(a.At.Seq, 10)
	}
	switch {
	case a.Session != "":
		return problem.Missing("session %s had no identity at %s", a.Session, when).Advise("`hookctl session show` tells when it began")
	case a.Project == "":
		return problem.Bad("no project is known here").Advise("run it inside the project's folder, or name a session with --session")
	}
	return problem.Missing("this folder's project had no snapshot at or before %s", when).Advise("`hookctl identity history --all` lists those of every project; run it inside the project's folder, or name a session with --session")
}

// identityAt folds one session's identity from its records up to a sequence.
func (p Past) identityAt(ctx context.Context, session string, seq uint64, progress func(uint64)) (identity.State, error) {
	tables := tables.Named(identity.Name)
	source := projector.Part(p.Log.Select).Only(tables[0].Needs(session))
	v, err := projector.Straight(ctx, tables, source, seq, progress)
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

// mostEntries bounds how many snapshots are tried: each is a fold of the log.
const mostEntries = 8

// snapshotsBefore lists the snapshots of the project at or before the moment, newest first. Sessions that were deleted since
// have none.
func (p Past) snapshotsBefore(ctx context.Context, a Asked) (out []indexEntry, err error) {
	if a.Project == "" {
		return nil, nil
	}
	err = p.View.Read(ctx, func(r projector.Reader) error {
		keys, err := r.Keys(identity.PointerName)
		if err != nil {
			return err
		}
		for _, key := range slices.Backward(keys) {
			ms, session, ok := identity.SplitTime(key)
			if !ok || len(out) == mostEntries || a.At.Seq == 0 && ms > a.At.Time.UnixMilli() {
				continue
			}
			s, ok := projector.State[identity.State](r, identity.Name, session)
			if ok && (s.Deleted || s.Project != a.Project) {
				continue
			}
			if _, seq, ok := r.Raw(identity.PointerName, key); ok && (a.At.Seq == 0 || seq <= a.At.Seq) {
				out = append(out, indexEntry{session, seq})
			}
		}
		return nil
	})
	return out, err
}
