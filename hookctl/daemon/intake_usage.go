package daemon

import (
	"cmp"
	"context"
	"sync"

	"hookline/events"
	"hookline/events/wording"
	"hookline/hookctl/facts"
	"hookline/hookctl/hook"
	"hookline/hookctl/recorder"
	"hookline/hookctl/transcript"
	"hookline/projector"
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

// usageMeters measures how full the context of sessions is.
type usageMeters struct {
	*core
	meters facts.Cache[*meter] // by session
}

func newUsageMeters(c *core) *usageMeters {
	m := &usageMeters{core: c}
	m.meters.Most = 1024 // beyond, the ends of the transcripts are read once more
	return m
}

func (m *usageMeters) meter(session string) *meter {
	return m.meters.Of(session, func() *meter { return &meter{} })
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

// before measures the context for a decision that depends on it: at the end of a turn, and before a compaction, with the
// agent's last words.
func (m *usageMeters) before(in hook.Input) *hook.Use {
	path := transcriptOf(in)
	if path == "" {
		return nil
	}
	switch in.Event.(type) {
	case *events.TurnStopped, *events.CompactionStarted:
		u := m.meter(in.Session).read(path)
		if u != nil {
			u.Said = m.clean(wording.Short(u.Said, working.MaxTask))
		}
		return u
	}
	return nil
}

// measureAfter records a change of the phase after a hook's answer: with a prompt, after each batch of calls, and when a
// session is resumed.
func (m *usageMeters) measureAfter(in hook.Input, w hook.World, recorded recorder.Told) {
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
	if path == "" || recorded.Seen != recorder.Fresh {
		return
	}

	m.beside(func(ctx context.Context) {
		if u := m.meter(in.Session).read(path); u != nil {
			m.record(ctx, *u, events.Envelope{Session: in.Session, Project: w.Project, Causation: recorded.Cause})
		}
	})
}

// record appends a measurement that came into another phase.
func (m *usageMeters) record(ctx context.Context, u hook.Use, base events.Envelope) {
	_, err := m.rec.Do(ctx, func(r projector.Reader) ([]events.Envelope, error) {
		return recorder.Envelopes(m.opts.Now(), base, hook.PhaseChange(hook.Reader{Reader: r}, base.Session, u)...)
	})
	if err != nil {
		m.log.Warn("record the use of the context", "session", base.Session, "err", err)
	}
}
