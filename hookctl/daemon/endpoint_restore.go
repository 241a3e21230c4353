package daemon

import (
	"context"
	"encoding/json"
	"os"
	"slices"
	"strings"
	"time"

	"hookline/events"
	"hookline/hookctl/api"
	"hookline/hookctl/problem"
	"hookline/hookctl/recorder"
	"hookline/projector"
	"hookline/projector/identity"
	"hookline/projector/session"
	"hookline/projector/working"
	"hookline/replay/past"
)

// restoredFor is the age below which tier 2 is restored (DECISIONS S2).
const restoredFor = time.Hour

// restore reads the state that a checkpoint marks from the log, and makes it the session's own again.
func (ep *commandEndpoints) restore(ctx context.Context, o api.RestoreRequest) (none api.Restored, err error) {
	id, err := ep.resolveSession(ctx, o.Session)
	if err != nil {
		return none, err
	}
	out, marker, err := ep.checkpointOf(ctx, id, o.Checkpoint)
	if err != nil {
		return none, err
	}

	_, statErr := os.Stat(out.State.Worktree)
	there := out.State.Worktree == "" || statErr == nil
	kept, left := out.State.Tiers(ep.opts.Now().Sub(out.Time) < restoredFor, there)
	out.Left = append(out.Left, left...)
	if o.Show {
		return out, nil
	}

	out.State = kept
	data, err := json.Marshal(kept)
	if err != nil {
		return none, err
	}
	e := &events.CheckpointRestored{Checkpoint: marker, Session: id, Schema: working.Schema, Left: left, State: data}
	recs, err := ep.rec.Note(ctx, events.Envelope{Session: id, Project: out.State.Project, Causation: marker}, e)
	if err != nil {
		return none, err
	}
	out.Event = recs[0].ID
	return out, nil
}

// checkpointOf is a checkpoint of a session with its state, and the id of its event. One of another session, and one of a
// schema that this build does not know, is refused.
func (ep *commandEndpoints) checkpointOf(ctx context.Context, id string, seq uint64) (out api.Restored, event string, err error) {
	none := problem.Missing("session %s has no checkpoint %d", id, seq).Advise("`hookctl checkpoint list` shows them")
	if seq == 0 {
		s, _ := stateOf[working.State](ctx, ep.core, working.Name, id)
		if len(s.Checkpoints) == 0 {
			return out, "", problem.Missing("session %s has no checkpoint", id).Advise("`hookctl checkpoint create` makes one")
		}
		seq = s.Checkpoints[len(s.Checkpoints)-1].Seq
	}

	rec, err := ep.stream.Get(ctx, seq)
	marker, ok := rec.Event.(*events.CheckpointCreated)
	if err != nil || !ok || rec.Session != id {
		return out, "", none
	}
	if err := working.CheckSchema(marker.Schema); err != nil {
		return out, "", problem.Conflict("checkpoint %d is not restored: %s", seq, err).Advise("a newer build wrote it; use that one")
	}

	at, err := ep.past().At(ctx, past.Question{Point: past.AtSeq(seq), Projection: working.Name, Key: id})
	if err != nil {
		return out, "", err
	}
	out = api.Restored{Session: id, Checkpoint: seq, Time: rec.Time, Schema: marker.Schema, Left: []string{}}
	if len(at.Cells) == 0 {
		return out, rec.ID, nil
	}
	return out, rec.ID, json.Unmarshal(at.Cells[0].State, &out.State)
}

// recoverIdentity plans making an identity of the past the current one ([past.Recovery]): a session's, or that of the project
// of a folder.
func (ep *commandEndpoints) recoverIdentity(o api.RecoverRequest) (api.Work[past.Recovered], error) {
	return func(ctx context.Context, progress func(uint64)) (out past.Recovered, err error) {
		wanted, err := ep.wantedIdentity(ctx, o)
		if err != nil {
			return out, err
		}
		recovery := past.Recovery{Log: ep.stream, View: ep.view, Now: ep.opts.Now, Envelopes: recorder.Envelopes}
		found, err := recovery.Find(ctx, wanted, progress)
		if err != nil {
			return found.Result, err
		}

		target, err := ep.recoveryTarget(ctx, o, found.Identity)
		if err != nil {
			return found.Result, err
		}
		_, err = ep.rec.Do(ctx, func(r projector.Reader) (envs []events.Envelope, err error) {
			out, envs, err = recovery.Plan(r, found, target)
			return envs, err
		})
		return out, err
	}, nil
}

// recoveryTarget returns the session that gets a recovered identity: the one that is named, else its own session where that is
// named or lives alone, else the project's only live session. Of several none is guessed.
func (ep *commandEndpoints) recoveryTarget(ctx context.Context, o api.RecoverRequest, was identity.State) (string, error) {
	if o.Into != "" {
		id, err := ep.resolveSession(ctx, o.Into)
		if err != nil {
			return "", err
		}
		s, _ := ep.session(ctx, id)
		switch {
		case s.Project != was.Project:
			return "", problem.Conflict("session %s is of another project than the identity of %s", id, was.SessionID).
				Advise("nothing is carried from one project to another: name a session of this one with --into")
		case s.Status == session.Deleted:
			return "", problem.Conflict("session %s was deleted", id).Advise("name another one with --into")
		}
		return id, nil
	}

	live := ep.liveIDs(ctx, session.AliveIn(was.Project))
	named := o.Session != "" && slices.Contains(live, was.SessionID)
	switch {
	case named || len(live) == 0:
		return was.SessionID, nil
	case len(live) == 1:
		return live[0], nil
	}
	return "", problem.Conflict("%d sessions of the project are live: %s", len(live), strings.Join(live, ", ")).
		Advise("--into SESSION names the one that gets the identity, for example --into " + live[0])
}

// wantedIdentity returns the identity that a request names.
func (ep *commandEndpoints) wantedIdentity(ctx context.Context, o api.RecoverRequest) (past.Wanted, error) {
	wanted := past.Wanted{DryRun: o.DryRun}
	var err error
	if wanted.At, err = ep.momentOf(ctx, o.At); err != nil {
		return wanted, err
	}
	if wanted.Session, err = ep.resolveSession(ctx, o.Session); err != nil {
		return wanted, err
	}
	if place := ep.world.Place(o.Cwd); wanted.Session == "" && place.Path() != "" {
		wanted.Project, _ = ep.project(ctx, place)
	}
	return wanted, nil
}

// momentOf returns the moment at a point of the log.
func (ep *commandEndpoints) momentOf(ctx context.Context, p past.Point) (past.Moment, error) {
	if p == past.Now {
		return past.Moment{Time: ep.opts.Now()}, nil
	}
	if seq, ok := p.Seq(); ok {
		rec, err := ep.find(ctx, string(p))
		return past.Moment{Seq: seq, Time: rec.Time}, err
	}
	t, err := p.Time(ep.opts.Now())
	return past.Moment{Time: t}, err
}
