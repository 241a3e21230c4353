package daemon

import (
	"cmp"
	"context"
	"sync"

	"hookline/events"
	"hookline/events/wording"
	"hookline/hookctl/api"
	"hookline/hookctl/gates"
	"hookline/hookctl/hook"
	"hookline/hookctl/recorder"
	"hookline/hookctl/transcript"
	"hookline/projector"
	"hookline/projector/identity"
	"hookline/projector/session"
	"hookline/projector/working"
)

// How full the context is: read from the end of the transcript after the answer to a hook, and sent by the status line.

// meter remembers how far the transcript of a session was read, and what was found.
type meter struct {
	mu     sync.Mutex
	path   string
	offset int64
	last   hook.Use
}

func (d *Daemon) meter(session string) *meter {
	return d.meters.Of(session, func() *meter { return &meter{} })
}

// read returns the use of the context by what came to the transcript since the last time, nil where nothing is known: no file yet, no
// answer, or none since a compaction.
func (m *meter) read(path string) *hook.Use {
	m.mu.Lock()
	defer m.mu.Unlock()
	if path != m.path {
		m.path, m.offset, m.last = path, 0, hook.Use{}
	}

	u, offset, err := transcript.LastUse(path, m.offset)
	m.offset = offset
	said := cmp.Or(u.Said, m.last.Said)
	if err == nil {
		m.last = hook.Use{Tokens: u.Tokens, Model: u.Model, Source: "transcript"}
	}
	m.last.Said = said
	if m.last.Tokens == 0 {
		return nil
	}
	use := m.last
	return &use
}

// transcriptOf returns the transcript that a hook of the session itself names.
func transcriptOf(in hook.Input) string {
	if in.Hook == nil || in.Session == "" || in.Hook.Hook().AgentID != "" {
		return ""
	}
	return in.Hook.Hook().TranscriptPath
}

// useAt measures the context for a decision that depends on it: at the end of a turn, and before a compaction, with the
// agent's last words.
func (d *Daemon) useAt(in hook.Input) *hook.Use {
	path := transcriptOf(in)
	if path == "" {
		return nil
	}
	switch in.Event.(type) {
	case *events.TurnStopped, *events.CompactionStarted:
		u := d.meter(in.Session).read(path)
		if u != nil {
			u.Said = d.clean(wording.Short(u.Said, working.MaxTask))
		}
		return u
	}
	return nil
}

// measureUse records a change of the phase after a hook's answer: with a prompt, after each batch of calls, and when a
// session is resumed.
func (d *Daemon) measureUse(in hook.Input, w hook.World, told recorder.Told) {
	switch e := in.Event.(type) {
	case *events.PromptSubmitted, *events.ToolBatchFinished:
	case *events.SessionStarted:
		if e.Source != "resume" {
			return
		}
	default:
		return
	}
	path := transcriptOf(in)
	if path == "" || told.Seen != recorder.Fresh {
		return
	}

	d.beside(func(ctx context.Context) {
		if u := d.meter(in.Session).read(path); u != nil {
			d.used(ctx, *u, events.Envelope{Session: in.Session, Project: w.Project, Causation: told.Cause})
		}
	})
}

// used records a measurement that came into another phase.
func (d *Daemon) used(ctx context.Context, u hook.Use, base events.Envelope) {
	_, err := d.rec.Do(ctx, func(r projector.Reader) ([]events.Envelope, error) {
		return recorder.Envelopes(d.opts.Now(), base, hook.PhaseChange(hook.Reader{Reader: r}, base.Session, u)...)
	})
	if err != nil {
		d.log.Warn("record the use of the context", "session", base.Session, "err", err)
	}
}

// doLine records how full the context is, where that came into another phase, and gives what the status line shows.
func (d *Daemon) doLine(ctx context.Context, o api.LineRequest) (out api.LineFacts, err error) {
	var s session.State
	err = d.view.Read(ctx, func(r projector.Reader) error {
		s, _ = projector.State[session.State](r, session.Name, o.Session)
		if i, ok := identityIn(r, o.Session); ok {
			out.Brief, out.IC, out.Class = i.Brief(), i.LastIC, identity.Classify(i.LastIC)
		}
		return nil
	})
	if err != nil || s.ID == "" || s.Status == session.Deleted {
		return out, err
	}

	out.Phase = s.Phase
	out.Standing = s.Standing()
	if g := d.gatesWhere(s); g != nil && g.Rules.Active() {
		out.Gates = seen(ctx, d, func(r projector.Reader) (open int) { // the requirements that wait to be met
			p := hook.GatesPast{State: hook.GatesAt(r, s.Project, g)}
			for _, q := range hook.Board(s.ID, d.opts.Now(), g, p) {
				if q.Requirement.Type == gates.Blocking && !q.Satisfied {
					open++
				}
			}
			return open
		})
	}
	if o.Used > 0 && o.Window > 0 {
		u := hook.Use{Tokens: o.Used, Window: o.Window, Model: d.clean(o.Model), Source: "statusline"}
		d.used(ctx, u, events.Envelope{Session: s.ID, Project: s.Project, Worktree: s.Worktree, Branch: s.Branch})
	}
	return out, nil
}

// gatesWhere reads the gates of the work tree that a session is in, nothing measured; nil where it is on no branch.
func (d *Daemon) gatesWhere(s session.State) *hook.Gates {
	g, _ := d.gatesAt(d.world.Place(cmp.Or(s.Cwd, s.Worktree)), s.Project)
	return g
}
