package daemon

import (
	"context"
	"encoding/json"
	"net/url"
	"os"
	"slices"
	"strconv"
	"time"

	"hookline/events"
	"hookline/hookctl/client"
	"hookline/hookctl/problem"
	"hookline/hookctl/recorder"
	"hookline/projector"
	"hookline/projector/identity"
	"hookline/projector/session"
	"hookline/projector/working"
	"hookline/replay/mend"
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
func (d *Daemon) doRestore(ctx context.Context, o restoreOrder, _ func(uint64)) (any, error) {
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
	recs, err := d.rec.Do(ctx, func(projector.Reader) ([]events.Envelope, error) {
		return recorder.Envelopes(d.opts.Now(), events.Envelope{Session: id, Project: out.State.Project, Causation: marker}, e)
	})
	if err != nil {
		return nil, err
	}
	out.Event = recs[0].ID
	return out, nil
}

// checkpointOf is a checkpoint of a session with its state, and the id of its event. One of another session, and one of a
// schema that this build does not know, is refused.
func (d *Daemon) checkpointOf(ctx context.Context, id string, seq uint64) (client.Restored, string, error) {
	none := problem.Missing("session %s has no checkpoint %d", id, seq).Advise("`hookctl checkpoint list` shows them")
	if seq == 0 {
		s, _ := stateOf[working.State](ctx, d, working.Name, id)
		if len(s.Checkpoints) == 0 {
			return client.Restored{}, "", problem.Missing("session %s has no checkpoint", id).Advise("`hookctl checkpoint create` makes one")
		}
		seq = s.Checkpoints[len(s.Checkpoints)-1].Seq
	}

	rec, err := d.stream.Get(ctx, seq)
	if err != nil || rec.Session != id {
		return client.Restored{}, "", none
	}
	marker, ok := rec.Event.(*events.CheckpointCreated)
	if !ok {
		return client.Restored{}, "", none
	}
	if err := working.CheckSchema(marker.Schema); err != nil {
		return client.Restored{}, "", problem.Conflict("checkpoint %d is not restored: %s", seq, err).Advise("a newer build wrote it; use that one")
	}

	at, err := d.pastView().At(ctx, url.Values{"point": {strconv.FormatUint(seq, 10)}, "projection": {working.Name}, "key": {id}})
	if err != nil {
		return client.Restored{}, "", err
	}
	out := client.Restored{Session: id, Checkpoint: seq, Time: rec.Time, Schema: marker.Schema, Left: []string{}}
	if len(at.Cells) == 0 {
		return out, rec.ID, nil
	}
	return out, rec.ID, json.Unmarshal(at.Cells[0].State, &out.State)
}

func (d *Daemon) momentOf(ctx context.Context, s string) (mend.Moment, error) {
	if s == "now" {
		return mend.Moment{Time: d.opts.Now()}, nil
	}
	if seq, err := strconv.ParseUint(s, 10, 64); err == nil {
		if _, err := d.pastView().Point(ctx, s, ""); err != nil {
			return mend.Moment{}, err
		}
		rec, err := d.find(ctx, s)
		return mend.Moment{Seq: seq, Time: rec.Time}, err
	}
	t, err := time.Parse(time.RFC3339Nano, s)
	if err != nil {
		return mend.Moment{}, problem.Bad("at: %q is no sequence and no RFC 3339 time", s)
	}
	return mend.Moment{Time: t}, nil
}

// Recover makes an identity of the past the current one ([mend.Past]).
func (d *Daemon) Recover(ctx context.Context, a mend.Asked, progress func(uint64)) (mend.Recovered, error) {
	past := mend.Past{Log: d.stream, View: d.view, Now: d.opts.Now}
	found, err := past.Find(ctx, a, progress)
	if err != nil {
		return found.Result, err
	}
	target := d.targetOf(ctx, found.Identity)
	var plan mend.Plan
	_, err = d.rec.Do(ctx, func(r projector.Reader) ([]events.Envelope, error) {
		var err error
		if plan, err = past.Plan(r, found, target); err != nil || a.DryRun {
			return nil, err
		}
		return plan.Envelopes(d.opts.Now())
	})
	return plan.Result, err
}

// targetOf is the session that gets an identity of the past: the one it came from where that lives, else the project's only
// live session, else the one it came from.
func (d *Daemon) targetOf(ctx context.Context, was identity.State) string {
	lives := slices.Contains(d.liveIDs(ctx, session.Alive), was.SessionID)
	if only := d.onlyIn(ctx, was.Project); !lives && only != "" {
		return only
	}
	return was.SessionID
}
