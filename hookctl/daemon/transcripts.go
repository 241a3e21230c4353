package daemon

import (
	"context"
	"encoding/json"
	"path/filepath"

	"hookline/events"
	"hookline/hookctl/hook"
	"hookline/hookctl/problem"
	"hookline/hookctl/redact"
	"hookline/hookctl/transcript"
	"hookline/projector"
	"hookline/projector/session"
)

// transcriptsOrder asks for the sessions of transcripts.
type transcriptsOrder struct {
	Paths  string `json:"paths"` // a list of absolute paths, as JSON
	DryRun string `json:"dry_run"`
}

func (d *Daemon) doImport(ctx context.Context, o transcriptsOrder, progress func(uint64)) (any, error) {
	var paths []string
	if err := json.Unmarshal([]byte(o.Paths), &paths); err != nil {
		return nil, problem.Bad("paths: %s", misfit(err))
	}
	for _, path := range paths {
		if !filepath.IsAbs(path) {
			return nil, problem.Bad("paths: %q is no absolute path", path)
		}
	}
	into := transcript.Into{Log: d.stream, Put: d.ground.Blobs().Put, Clean: d.clean, Append: d.rec.Import, Now: d.opts.Now(),
		Redactor: func(dir string) *redact.Redactor {
			return d.configured(dir).with.Remembering(redact.NewMemory())
		},
		Place: d.placeOf, Gone: func(ctx context.Context, id, dir string) bool {
			s, _ := d.session(ctx, id)
			return d.configured(dir).off || s.Status == session.Deleted
		}}
	return alone(d, func() (any, error) { return transcript.Import(ctx, into, paths, o.DryRun == "1", progress) })
}

// placeOf is a directory's project and work tree, with what the log does not know of the project.
func (d *Daemon) placeOf(ctx context.Context, dir string) transcript.Place {
	at := d.world.Place(dir)
	if at.Path() == "" {
		return transcript.Place{}
	}
	id, sighting := d.project(ctx, at)
	news := seen(ctx, d, func(r projector.Reader) []events.Event { return sighting.News(hook.Reader{Reader: r}) })
	return transcript.Place{Project: id, Worktree: d.clean(at.Worktree), Seen: news}
}
