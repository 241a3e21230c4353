package daemon

import (
	"context"
	"encoding/json"
	"net/http"
	"os"
	"slices"
	"strconv"
	"time"

	"hookline/events"
	"hookline/hookctl/api"
	"hookline/hookctl/problem"
	"hookline/hookctl/recorder"
	"hookline/projector"
	"hookline/projector/session"
	"hookline/projector/working"
	"hookline/replay/past"
)

// restoreOrder asks for the state of a checkpoint. With Show nothing is appended.
type restoreOrder struct {
	Session    string `json:"session"`    // whose checkpoint it is, and whose state it becomes
	Checkpoint uint64 `json:"checkpoint"` // sequence of its event; 0: the newest
	Show       bool   `json:"show"`
}

// restoredFor is the age below which tier 2 is restored (DECISIONS S2).
const restoredFor = time.Hour

// doRestore reads the state that a checkpoint marks from the log, and makes it the session's own again.
func (d *Daemon) doRestore(ctx context.Context, o restoreOrder) (any, error) {
	id, err := d.resolveSession(ctx, o.Session)
	if err != nil {
		return nil, err
	}
	out, marker, err := d.checkpointOf(ctx, id, o.Checkpoint)
	if err != nil {
		return nil, err
	}

	_, statErr := os.Stat(out.State.Worktree)
	there := out.State.Worktree == "" || statErr == nil
	kept, left := out.State.Tiers(d.opts.Now().Sub(out.Time) < restoredFor, there)
	out.Left = append(out.Left, left...)
	if o.Show {
		return out, nil
	}

	out.State = kept
	data, err := json.Marshal(kept)
	if err != nil {
		return nil, err
	}
	e := &events.CheckpointRestored{Checkpoint: marker, Session: id, Schema: working.Schema, Left: left, State: data}
	recs, err := d.rec.Note(ctx, events.Envelope{Session: id, Project: out.State.Project, Causation: marker}, e)
	if err != nil {
		return nil, err
	}
	out.Event = recs[0].ID
	return out, nil
}

// checkpointOf is a checkpoint of a session with its state, and the id of its event. One of another session, and one of a
// schema that this build does not know, is refused.
func (d *Daemon) checkpointOf(ctx context.Context, id string, seq uint64) (out api.Restored, event string, err error) {
	none := problem.Missing("session %s has no checkpoint %d", id, seq).Advise("`hookctl checkpoint list` shows them")
	if seq == 0 {
		s, _ := stateOf[working.State](ctx, d, working.Name, id)
		if len(s.Checkpoints) == 0 {
			return out, "", problem.Missing("session %s has no checkpoint", id).Advise("`hookctl checkpoint create` makes one")
		}
		seq = s.Checkpoints[len(s.Checkpoints)-1].Seq
	}

	rec, err := d.stream.Get(ctx, seq)
	marker, ok := rec.Event.(*events.CheckpointCreated)
	if err != nil || !ok || rec.Session != id {
		return out, "", none
	}
	if err := working.CheckSchema(marker.Schema); err != nil {
		return out, "", problem.Conflict("checkpoint %d is not restored: %s", seq, err).Advise("a newer build wrote it; use that one")
	}

	at, err := d.pastView().At(ctx, past.Question{Point: past.AtSeq(seq), Projection: working.Name, Key: id})
	if err != nil {
		return out, "", err
	}
	out = api.Restored{Session: id, Checkpoint: seq, Time: rec.Time, Schema: marker.Schema, Left: []string{}}
	if len(at.Cells) == 0 {
		return out, rec.ID, nil
	}
	return out, rec.ID, json.Unmarshal(at.Cells[0].State, &out.State)
}

// recoverIdentity plans making an identity of the past the current one ([past.Recovery]): a session's, or that of the project of a
// folder. With dry_run=1 nothing is appended.
func (d *Daemon) recoverIdentity(r *http.Request) (work, error) {
	q := r.URL.Query()
	return func(ctx context.Context, progress func(uint64)) (any, error) {
		at, err := d.momentOf(ctx, q.Get("at"))
		if err != nil {
			return nil, err
		}
		asked := past.Wanted{At: at, DryRun: q.Get("dry_run") == "1"}
		if asked.Session, err = d.resolveSession(ctx, q.Get("session")); err != nil {
			return nil, err
		}
		if place := d.world.Place(q.Get("cwd")); asked.Session == "" && place.Path() != "" {
			asked.Project, _ = d.project(ctx, place)
		}

		recovery := past.Recovery{Log: d.stream, View: d.view, Now: d.opts.Now, Envelopes: recorder.Envelopes}
		found, err := recovery.Find(ctx, asked, progress)
		if err != nil {
			return found.Result, err
		}
		was := found.Identity
		target := was.SessionID // where that does not live it is the project's only live session
		if only := d.onlyIn(ctx, was.Project); only != "" && !slices.Contains(d.liveIDs(ctx, session.Alive), target) {
			target = only
		}
		var out past.Recovered
		_, err = d.rec.Do(ctx, func(r projector.Reader) (envs []events.Envelope, err error) {
			out, envs, err = recovery.Plan(r, found, target)
			return envs, err
		})
		return out, err
	}, nil
}

// momentOf reads a point of the log: a sequence, a time, a duration back from now, or "now".
func (d *Daemon) momentOf(ctx context.Context, s string) (past.Moment, error) {
	if s == "now" {
		return past.Moment{Time: d.opts.Now()}, nil
	}
	if seq, err := strconv.ParseUint(s, 10, 64); err == nil {
		rec, err := d.find(ctx, s)
		return past.Moment{Seq: seq, Time: rec.Time}, err
	}
	t, err := past.Point(s).Time(d.opts.Now())
	return past.Moment{Time: t}, err
}
