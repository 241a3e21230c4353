package daemon

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"hookline/events"
	"hookline/hookctl/api"
	"hookline/hookctl/problem"
	"hookline/hookctl/recorder"
	"hookline/hookctl/wire"
	"hookline/projector"
	"hookline/projector/identity"
	"hookline/projector/session"
)

// Commands: arguments of a type, a decision about the states as they are, events that go through the recorder. What a hook
// says or the daemon finds out cannot be commanded.

// emittable has the types that can be commanded as they are, and whether they need a session.
var emittable = map[string]bool{
	events.TypeIdentityObserved:  true,
	events.TypePhasesReset:       true,
	events.TypeIdentityPersisted: true,
	events.TypeGoalSet:           true,
	events.TypeHandoffWritten:    true,
	events.TypeCheckpointCreated: true,
	events.TypeSessionDeleted:    true,
	events.TypeCodesAdded:        false,
	events.TypeFileRestored:      false,
	events.TypeCodesClosed:       false,
	events.TypeRecordRetracted:   false,
	events.TypeProjectRehomed:    false,
	events.TypeCanarySent:        false,
}

// checkEmission returns an error for an event that cannot be commanded, and for data that a fold could not use; its words
// name the field.
func checkEmission(e api.Emission) error {
	k, known := events.Lookup(e.Type)
	needsSession, may := emittable[e.Type]
	if !known {
		return problem.Bad("there is no event type %q", e.Type).Advise("`hookctl events types` lists them")
	}
	if !may {
		types := strings.Join(slices.Sorted(maps.Keys(emittable)), ", ")
		return problem.Bad("%s is recorded by hookline itself and cannot be emitted", e.Type).Advise("these can: " + types)
	}
	if needsSession && e.Session == "" {
		return problem.Bad("%s needs a session", e.Type).
			Advise("--session names one; `hookctl session list --all` lists them")
	}

	help := "`hookctl events schema " + e.Type + "` shows the fields"
	if !bytes.HasPrefix(bytes.TrimSpace(e.Data), []byte("{")) {
		return problem.Bad("data: a JSON object is wanted").Advise(help)
	}
	if err := events.Check(k, e.Data); err != nil {
		return problem.Bad("%v", err).Advise(help)
	}
	if o, ok := events.Decode(k.Type, k.Version(), e.Data).(*events.IdentityObserved); ok {
		if err := identity.CheckObserved(o); err != nil {
			return problem.Bad("%v", err)
		}
	}
	return nil
}

// emit appends an event of a type that can be commanded.
func (ep *commandEndpoints) emit(ctx context.Context, e api.Emission) (none events.Record, err error) {
	if len(e.Data) == 0 {
		e.Data = json.RawMessage("{}")
	}
	if err := checkEmission(e); err != nil {
		return none, err
	}
	id, err := ep.resolveSession(ctx, e.Session)
	if err != nil {
		return none, err
	}
	project, err := ep.resolveProject(ctx, e.Project)
	if err != nil {
		return none, err
	}
	if id != "" {
		own, found := ep.session(ctx, id)
		if project != "" && project != own.Project {
			return none, problem.Bad("session %s is not of project %s", id, project)
		}
		ended := found && own.Status != session.Live
		if e.Type == events.TypeIdentityObserved && ended {
			return none, problem.Bad("session %s has ended: an observation holds until a session's end", id).Advise("`hookctl session list` shows those that live")
		}
		project = own.Project
	}

	rec, err := ep.append(ctx, events.Envelope{Type: e.Type, Session: id, Project: project, Data: e.Data})
	if err != nil {
		return none, problem.Bad("%v", err).Advise("`hookctl events types` lists what can be emitted")
	}
	return rec, nil
}

// append appends an event that a command asks for. The envelope needs type, data and where it belongs; id, time and version
// are set here.
func (ep *commandEndpoints) append(ctx context.Context, env events.Envelope) (none events.Record, err error) {
	k, ok := events.Lookup(env.Type)
	if !ok {
		return none, fmt.Errorf("no event type is called %q", env.Type)
	}
	data, report := ep.redactor.JSON(env.Data)
	now := ep.opts.Now().UTC().Truncate(time.Millisecond)
	env.ID, env.Version, env.Time = wire.NewID(now.UnixMilli()), k.Version(), now
	env.Data, env.Redacted, env.Correlation = data, report.Count, env.Session

	recs, err := ep.rec.Do(ctx, func(projector.Reader) ([]events.Envelope, error) { return []events.Envelope{env}, nil })
	if err != nil {
		return none, err
	}
	return recs[0], nil
}

// retract takes an event back: every projection is from now on as if it had never come.
func (ep *commandEndpoints) retract(ctx context.Context, o api.RetractRequest) (none api.Retracted, err error) {
	reason := strings.TrimSpace(o.Reason)
	if reason == "" {
		return none, problem.Bad("a reason is wanted").Advise("--reason says why the event is wrong")
	}
	target, err := ep.find(ctx, o.ID)
	if err != nil {
		return none, err
	}
	if target.Type == events.TypeRecordRetracted {
		return none, problem.Bad("event %d is a retraction, which cannot be taken back", target.Seq)
	}

	base := events.Envelope{Session: target.Session, Project: target.Project, Worktree: target.Worktree, Branch: target.Branch, Causation: target.ID}
	recs, err := ep.rec.Do(ctx, func(r projector.Reader) ([]events.Envelope, error) {
		if by, taken := projector.RetractionOf(r, target.ID); taken {
			return nil, problem.Conflict("event %d was taken back already, by event %d", target.Seq, by).Advise(fmt.Sprintf("`hookctl events show %d` tells why", by))
		}
		return ep.redacted(base, []events.Event{&events.RecordRetracted{Target: target.ID, Reason: reason}})
	})
	if err != nil {
		return none, err
	}
	return api.Retracted{Event: recs[0], Target: target}, nil
}

// dream triggers a dream by command; the cool-down does not hold it back.
func (ep *commandEndpoints) dream(ctx context.Context, o api.DreamRequest) (none api.DreamStarted, err error) {
	id, err := ep.resolveSession(ctx, o.Session)
	if err != nil {
		return none, err
	}
	recs, err := ep.rec.Do(ctx, func(r projector.Reader) ([]events.Envelope, error) {
		s, ok := identityIn(r, id)
		if !ok {
			return nil, problem.Missing("session %s has no identity", id).Advise("`hookctl session list --all` lists the sessions")
		}
		if _, err := identity.Dream(s, nil, o.Phase); err != nil {
			return nil, problem.Bad("%v", err)
		}
		e := &events.DreamTriggered{Phase: o.Phase, Reason: "manual", IC: s.LastIC}
		return recorder.Envelopes(ep.opts.Now(), events.Envelope{Session: id, Project: s.Project}, e)
	})
	if err != nil {
		return none, err
	}

	ep.intake.dreams.start(id, o.Phase, recs[0].ID)
	return api.DreamStarted{Triggered: recs[0].Seq, Session: id, Phase: o.Phase}, nil
}
