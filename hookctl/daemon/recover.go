package daemon

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"slices"
	"strconv"
	"time"

	"hookline/events"
	"hookline/hookctl/problem"
	"hookline/hookctl/wire"
	"hookline/projector"
	"hookline/projector/identity"
	"hookline/projector/pointer"
)

// Recovery of an identity of the past (S0): the temporal index tells which snapshot was the newest at a
// moment and where in the log it stands; the log is folded to there, and an event makes it current.

// Recovered is the outcome of `replay recover`.
type Recovered struct {
	At       string    `json:"at"`       // the moment asked for, RFC 3339
	Seq      uint64    `json:"seq"`      // log position that the identity was folded at
	Session  string    `json:"session"`  // whose identity it was
	Snapshot int64     `json:"snapshot"` // Unix ms of its newest snapshot then; 0 when none was taken
	Project  string    `json:"project"`
	Target   string    `json:"target"`             // session that has it now
	Replaces string    `json:"replaces,omitempty"` // session that was the project's latest before
	Before   Coherence `json:"before"`             // of the target
	After    Coherence `json:"after"`
	DryRun   bool      `json:"dry_run"`
	Event    string    `json:"event,omitempty"` // id of the identity.recovered event
}

// Coherence is an identity in four words.
type Coherence struct {
	IC    float64 `json:"ic"`
	C     float64 `json:"consciousness"`
	R     float64 `json:"r"`
	Class string  `json:"class"` // of the continuity; "" for a session that has no identity
}

func coherenceOf(s identity.State) Coherence {
	if !s.Born {
		return Coherence{}
	}
	return Coherence{IC: s.LastIC, C: s.Consciousness, R: s.Integration, Class: identity.Classify(s.LastIC)}
}

// moment is a point of the log as recovery understands it: a sequence, or a time of capture.
type moment struct {
	seq uint64    // 0 when it is a time
	at  time.Time // of the event at seq, or the time asked for
}

func (d *Daemon) momentOf(ctx context.Context, s string) (moment, error) {
	if s == "now" {
		return moment{at: d.opts.Now()}, nil
	}
	if seq, err := strconv.ParseUint(s, 10, 64); err == nil {
		if _, err := d.pointOf(ctx, s); err != nil {
			return moment{}, err
		}
		rec, err := d.find(ctx, s)
		return moment{seq: seq, at: rec.Time}, err
	}
	t, err := time.Parse(time.RFC3339Nano, s)
	if err != nil {
		return moment{}, problem.New(http.StatusBadRequest, fmt.Sprintf("at: %q is no sequence and no RFC 3339 time", s), "")
	}
	return moment{at: t}, nil
}

func (d *Daemon) handleRecover(w http.ResponseWriter, r *http.Request) error {
	q := r.URL.Query()
	at, err := d.momentOf(r.Context(), q.Get("at"))
	if err != nil {
		return err
	}
	session, err := d.resolveSession(r.Context(), q.Get("session"))
	if err != nil {
		return err
	}
	project := ""
	if session == "" {
		if place := d.world.Place(q.Get("cwd")); place.Path() != "" {
			project, _ = d.project(r.Context(), place)
		}
	}
	return d.long(w, r, func(ctx context.Context, progress func(uint64)) (any, error) {
		return d.Recover(ctx, recovery{at: at, session: session, project: project, dry: q.Get("dry_run") == "1"}, progress)
	})
}

// recovery is what is asked for: the identity of a session, or of a project's newest snapshot.
type recovery struct {
	at      moment
	session string
	project string
	dry     bool
	after   int64 // Unix ms of the snapshot that it replaces
}

// Recover makes an identity of the past the current one by an identity.recovered event, and takes its
// snapshot, so that the next session starts from it. It goes to the session it came from where that one
// lives, else to the project's only live session, else to the session it came from. Nothing is erased.
func (d *Daemon) Recover(ctx context.Context, o recovery, progress func(uint64)) (Recovered, error) {
	out := Recovered{At: o.at.at.UTC().Format(time.RFC3339Nano), DryRun: o.dry}
	was, err := d.identityThen(ctx, o, &out, progress)
	if err != nil {
		return out, err
	}
	out.Session, out.Snapshot, out.Project = was.SessionID, was.PersistedAtMS, was.Project
	d.mu.Lock()
	defer d.mu.Unlock()
	out.Target = d.targetOf(was)
	var target, source identity.State
	err = d.view.Read(ctx, func(r projector.Reader) error {
		target, _ = projector.State[identity.State](r, identity.Name, out.Target)
		source, _ = projector.State[identity.State](r, identity.Name, out.Session)
		p, _ := projector.State[pointer.State](r, pointer.Name, pointer.ProjectKey(was.Project))
		out.Replaces, o.after = p.Session, p.AtMS
		return nil
	})
	if err != nil {
		return out, err
	}
	if source.Deleted {
		return out, problem.New(http.StatusConflict, "session "+out.Session+" was deleted since; a deletion is not undone", "choose another one with --session")
	}
	made := &events.IdentityRecovered{At: out.At, Session: out.Session, Seq: out.Seq, Replaces: out.Replaces, Carry: carryTo(out.Target, was)}
	taken := &events.IdentityPersisted{Reason: "command"}
	out.Before, out.After = coherenceOf(target), coherenceOf(d.foresee(target, out, made, taken))
	if o.dry {
		return out, nil
	}
	return d.makeCurrent(ctx, out, o.after, made, taken)
}

// makeCurrent records the recovery. The pointer goes by the events' times: where the clock is behind the
// snapshot that is replaced, the recovery comes a millisecond after that, and its facts have the clock's own
// time. The caller holds d.mu.
func (d *Daemon) makeCurrent(ctx context.Context, out Recovered, after int64, list ...events.Event) (Recovered, error) {
	now := d.opts.Now().UTC().Truncate(time.Millisecond)
	at, facts := now, (*events.Facts)(nil)
	if at.UnixMilli() <= after {
		at, facts = time.UnixMilli(after+1).UTC(), &events.Facts{Captured: now.UnixMilli()}
	}
	out.Event = wire.NewID(at.UnixMilli())
	envs := make([]events.Envelope, 0, len(list))
	for i, e := range list {
		k, _ := events.Lookup(e.Type())
		data, err := json.Marshal(e)
		if err != nil {
			return out, fmt.Errorf("encode %s: %w", e.Type(), err)
		}
		env := events.Envelope{ID: out.Event, Type: k.Type, Version: k.Version(), Time: at, Session: out.Target, Project: out.Project,
			Correlation: out.Target, Facts: facts, Data: data}
		if i > 0 {
			env.ID, env.Causation = events.DerivedID(out.Event, i), out.Event
		}
		envs = append(envs, env)
	}
	seq, err := d.append(ctx, envs, nil)
	if err == nil {
		err = d.stream.Sync(ctx, seq)
	}
	if err == nil {
		d.hub.wake(seq)
	}
	return out, err
}

// foresee folds events that are not in the log yet.
func (d *Daemon) foresee(s identity.State, out Recovered, list ...events.Event) identity.State {
	for _, e := range list {
		s = identity.Fold(s, events.Record{Event: e, Envelope: events.Envelope{Type: e.Type(), Version: 1, Time: d.opts.Now().UTC(),
			Session: out.Target, Project: out.Project}})
	}
	return s
}

// carryTo is what goes from an identity of the past to a session. To the session itself it goes as it was:
// no session has passed in which a facet went unused.
func carryTo(target string, was identity.State) *events.Carry {
	c := identity.CarryOf(was, 0)
	if c == nil || target != was.SessionID {
		return c
	}
	c.Unused = nil
	for i, n := range was.Unused {
		if n > 0 {
			if c.Unused == nil {
				c.Unused = map[int]int{}
			}
			c.Unused[i] = n
		}
	}
	return c
}

// targetOf is the session that gets an identity of the past.
func (d *Daemon) targetOf(was identity.State) string {
	d.live.mu.Lock()
	_, lives := d.live.by[was.SessionID]
	d.live.mu.Unlock()
	if !lives {
		if id := d.live.only(was.Project); id != "" {
			return id
		}
	}
	return was.SessionID
}

// identityThen finds and folds the identity. What the index names and the log does not give (it points to
// nothing) is passed over for the one before.
func (d *Daemon) identityThen(ctx context.Context, o recovery, out *Recovered, progress func(uint64)) (identity.State, error) {
	if o.session == "" && o.project == "" {
		return identity.State{}, d.nothingThen(o)
	}
	if o.session != "" {
		s, ok, err := d.sessionThen(ctx, o, out, progress)
		if err != nil || ok {
			return s, err
		}
	}
	entries, err := d.snapshotsBefore(ctx, o)
	if err != nil {
		return identity.State{}, err
	}
	for _, e := range entries {
		s, err := d.identityAt(ctx, e.session, e.seq, progress)
		if err != nil {
			return s, err
		}
		if s.Born && !s.Deleted && s.PersistedAtMS > 0 {
			out.Seq = e.seq
			return s, nil
		}
	}
	return identity.State{}, d.nothingThen(o)
}

// sessionThen is a session's identity at the point itself, persisted or not.
func (d *Daemon) sessionThen(ctx context.Context, o recovery, out *Recovered, progress func(uint64)) (identity.State, bool, error) {
	seq := o.at.seq
	if seq == 0 {
		var err error
		if seq, err = d.stream.SeqCaptured(ctx, o.at.at); err != nil {
			return identity.State{}, false, err
		}
	}
	s, err := d.identityAt(ctx, o.session, seq, progress)
	out.Seq = seq
	return s, err == nil && s.Born && !s.Deleted, err
}

func (d *Daemon) nothingThen(o recovery) error {
	when := o.at.at.UTC().Format(time.RFC3339)
	if o.at.seq > 0 {
		when = "sequence " + strconv.FormatUint(o.at.seq, 10)
	}
	switch {
	case o.session != "":
		return problem.New(http.StatusNotFound, "session "+o.session+" had no identity at "+when, "`hookctl session show` tells when it began")
	case o.project == "":
		return problem.New(http.StatusBadRequest, "no project is known here", "run it inside the project's folder, or name a session with --session")
	}
	return problem.New(http.StatusNotFound, "this folder's project had no snapshot at or before "+when, "`hookctl identity history --all` lists those of every project; run it inside the project's folder, or name a session with --session")
}

// identityAt folds one session's identity from its records up to a sequence.
func (d *Daemon) identityAt(ctx context.Context, session string, seq uint64, progress func(uint64)) (identity.State, error) {
	tables := slices.DeleteFunc(projector.Tables(), func(t *projector.Table) bool { return t.Name() != identity.Name })
	source := projector.Part(d.stream.Select).Only(tables[0].Needs(session))
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

// snapshotsBefore lists the snapshots at or before the moment, newest first: of the session, or of the
// project. Sessions that were deleted since have none.
func (d *Daemon) snapshotsBefore(ctx context.Context, o recovery) (out []indexEntry, err error) {
	err = d.view.Read(ctx, func(r projector.Reader) error {
		keys, err := r.Keys(pointer.Name)
		if err != nil {
			return err
		}
		for _, key := range slices.Backward(keys) {
			ms, session, ok := pointer.SplitTime(key)
			if !ok || len(out) == mostEntries || o.at.seq == 0 && ms > o.at.at.UnixMilli() || o.session != "" && session != o.session {
				continue
			}
			s, ok := projector.State[identity.State](r, identity.Name, session)
			if ok && (s.Deleted || o.session == "" && s.Project != o.project) {
				continue
			}
			if _, seq, ok := r.Raw(pointer.Name, key); ok && (o.at.seq == 0 || seq <= o.at.seq) {
				out = append(out, indexEntry{session, seq})
			}
		}
		return nil
	})
	return out, err
}
