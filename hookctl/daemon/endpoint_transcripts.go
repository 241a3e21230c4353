package daemon

import (
	"context"

	"hookline/events"
	"hookline/hookctl/api"
	"hookline/hookctl/hook"
	"hookline/hookctl/redact"
	"hookline/hookctl/transcript"
	"hookline/projector"
	"hookline/projector/session"
)

// importTranscripts plans taking the sessions of transcripts into the log.
func (ep *workEndpoints) importTranscripts(o api.TranscriptsRequest) (api.Work[transcript.Imported], error) {
	return alone(ep, func(ctx context.Context, progress func(uint64)) (transcript.Imported, error) {
		return transcript.Import(ctx, ep.transcripts(), o.Paths, o.DryRun, progress)
	}), nil
}

// transcripts returns how the hooks of transcripts get into this log.
func (ep *workEndpoints) transcripts() transcript.Into {
	return transcript.Into{Log: ep.stream, Put: ep.server.Blobs().Put, Clean: ep.clean, Append: ep.rec.Import, Now: ep.opts.Now(),
		Redactor: func(dir string) *redact.Redactor {
			return ep.intake.configured(dir).redactor.Remembering(redact.NewMemory())
		},
		Place: ep.placeOf, Gone: func(ctx context.Context, id, dir string) bool {
			s, _ := ep.session(ctx, id)
			return ep.intake.configured(dir).off || s.Status == session.Deleted
		}}
}

// placeOf returns a directory's project and work tree, with what the log does not know of the project.
func (ep *workEndpoints) placeOf(ctx context.Context, dir string) transcript.Place {
	at := ep.world.Place(dir)
	if at.Path() == "" {
		return transcript.Place{}
	}
	id, sighting := ep.project(ctx, at)
	news := readStates(ctx, ep.core, func(r projector.Reader) []events.Event { return sighting.News(hook.Reader{Reader: r}) })
	return transcript.Place{Project: id, Worktree: ep.clean(at.Worktree), Seen: news}
}
