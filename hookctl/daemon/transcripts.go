package daemon

import (
	"context"
	"encoding/json"
	"path/filepath"

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
	if !d.carrying.TryLock() {
		return nil, errBusy()
	}
	defer d.carrying.Unlock()
	return transcript.Import(ctx, d.toHistory(), paths, o.DryRun == "1", progress)
}

// toHistory is this log as past sessions are taken into it.
func (d *Daemon) toHistory() transcript.Into {
	return transcript.Into{Log: d.stream, Put: d.ground.Blobs().Put, Clean: d.clean, Append: d.rec.Import, Now: d.opts.Now(),
		Redact: func(dir string, doc []byte) ([]byte, redact.Report) {
			return d.extras.of(d.redactor, d.opts.Redact, dir, d.opts.Now()).with.JSON(doc)
		},
		Place: d.placeOf, Gone: func(ctx context.Context, id, dir string) bool {
			return d.extras.of(d.redactor, d.opts.Redact, dir, d.opts.Now()).off || d.wasDeleted(ctx, id)
		}}
}

// placeOf is a directory's project and work tree, with what the log does not know of the project.
func (d *Daemon) placeOf(ctx context.Context, dir string) transcript.Place {
	at := d.world.Place(dir)
	if at.Path() == "" {
		return transcript.Place{}
	}
	id, seen := d.project(ctx, at)
	out := transcript.Place{Project: id, Worktree: d.clean(at.Worktree)}
	_ = d.view.Read(ctx, func(r projector.Reader) error {
		out.Seen = seen.News(hook.Reader{Reader: r})
		return nil
	})
	return out
}

// wasDeleted tells whether a session is known only as deleted.
func (d *Daemon) wasDeleted(ctx context.Context, id string) bool {
	gone := false
	_ = d.view.Read(ctx, func(r projector.Reader) error {
		s, ok := projector.State[session.State](r, session.Name, id)
		gone = ok && s.Status == session.Deleted
		return nil
	})
	return gone
}
