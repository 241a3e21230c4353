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
	"hookline/hookctl/hook"
	"hookline/hookctl/problem"
	"hookline/hookctl/redact"
	"hookline/hookctl/transcript"
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

// doEmit appends an event of a type that can be commanded.
func (d *Daemon) doEmit(ctx context.Context, e api.Emission) (none events.Record, err error) {
	if len(e.Data) == 0 {
		e.Data = json.RawMessage("{}")
	}
	if err := checkEmission(e); err != nil {
		return none, err
	}
	id, err := d.resolveSession(ctx, e.Session)
	if err != nil {
		return none, err
	}
	project, err := d.resolveProject(ctx, e.Project)
	if err != nil {
		return none, err
	}
	if id != "" {
		own, found := d.session(ctx, id)
		if project != "" && project != own.Project {
			return none, problem.Bad("session %s is not of project %s", id, project)
		}
		ended := found && own.Status != session.Live
		if e.Type == events.TypeIdentityObserved && ended {
			return none, problem.Bad("session %s has ended: an observation holds until a session's end", id).Advise("`hookctl session list` shows those that live")
		}
		project = own.Project
	}

	rec, err := d.Emit(ctx, events.Envelope{Type: e.Type, Session: id, Project: project, Data: e.Data})
	if err != nil {
		return none, problem.Bad("%v", err).Advise("`hookctl events types` lists what can be emitted")
	}
	return rec, nil
}

// Emit appends an event that a command asks for. The envelope needs type, data and where it belongs; id, time and version
// are set here.
func (d *Daemon) Emit(ctx context.Context, env events.Envelope) (none events.Record, err error) {
	k, ok := events.Lookup(env.Type)
	if !ok {
		return none, fmt.Errorf("no event type is called %q", env.Type)
	}
	data, report := d.redactor.JSON(env.Data)
	now := d.opts.Now().UTC().Truncate(time.Millisecond)
	env.ID, env.Version, env.Time = wire.NewID(now.UnixMilli()), k.Version(), now
	env.Data, env.Redacted, env.Correlation = data, report.Count, env.Session

	recs, err := d.rec.Do(ctx, func(projector.Reader) ([]events.Envelope, error) { return []events.Envelope{env}, nil })
	if err != nil {
		return none, err
	}
	return recs[0], nil
}

// doRetract takes an event back: every projection is from now on as if it had never come.
func (d *Daemon) doRetract(ctx context.Context, o api.RetractRequest) (none api.Retracted, err error) {
	reason := strings.TrimSpace(o.Reason)
	if reason == "" {
		return none, problem.Bad("a reason is wanted").Advise("--reason says why the event is wrong")
	}
	target, err := d.find(ctx, o.ID)
	if err != nil {
		return none, err
	}
	if target.Type == events.TypeRecordRetracted {
		return none, problem.Bad("event %d is a retraction, which cannot be taken back", target.Seq)
	}

	base := events.Envelope{Session: target.Session, Project: target.Project, Worktree: target.Worktree, Branch: target.Branch, Causation: target.ID}
	recs, err := d.rec.Do(ctx, func(r projector.Reader) ([]events.Envelope, error) {
		if by, taken := projector.RetractionOf(r, target.ID); taken {
			return nil, problem.Conflict("event %d was taken back already, by event %d", target.Seq, by).Advise(fmt.Sprintf("`hookctl events show %d` tells why", by))
		}
		return d.redacted(base, []events.Event{&events.RecordRetracted{Target: target.ID, Reason: reason}})
	})
	if err != nil {
		return none, err
	}
	return api.Retracted{Event: recs[0], Target: target}, nil
}

// importTranscripts plans taking the sessions of transcripts into the log.
func (d *Daemon) importTranscripts(o api.TranscriptsRequest) (api.Work[transcript.Imported], error) {
	return alone(d, func(ctx context.Context, progress func(uint64)) (transcript.Imported, error) {
		return transcript.Import(ctx, d.transcripts(), o.Paths, o.DryRun, progress)
	}), nil
}

// transcripts returns how the hooks of transcripts get into this log.
func (d *Daemon) transcripts() transcript.Into {
	return transcript.Into{Log: d.stream, Put: d.ground.Blobs().Put, Clean: d.clean, Append: d.rec.Import, Now: d.opts.Now(),
		Redactor: func(dir string) *redact.Redactor {
			return d.configured(dir).redactor.Remembering(redact.NewMemory())
		},
		Place: d.placeOf, Gone: func(ctx context.Context, id, dir string) bool {
			s, _ := d.session(ctx, id)
			return d.configured(dir).off || s.Status == session.Deleted
		}}
}

// placeOf returns a directory's project and work tree, with what the log does not know of the project.
func (d *Daemon) placeOf(ctx context.Context, dir string) transcript.Place {
	at := d.world.Place(dir)
	if at.Path() == "" {
		return transcript.Place{}
	}
	id, sighting := d.project(ctx, at)
	news := seen(ctx, d, func(r projector.Reader) []events.Event { return sighting.News(hook.Reader{Reader: r}) })
	return transcript.Place{Project: id, Worktree: d.clean(at.Worktree), Seen: news}
}
