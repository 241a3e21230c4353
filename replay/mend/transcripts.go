package mend

import (
	"context"
	"slices"

	"hookline/events"
	"hookline/hookctl/hook"
	"hookline/hookctl/transcript"
	"hookline/projector"
	"hookline/projector/session"
	"hookline/replay/carry"
	"hookline/replay/check"
)

// Lost events from the client's transcripts: what a tool was called with, what it gave back, what the user
// wrote. They are new events with ids of their own: a transcript does not know ours.

// rebuilder makes events of transcripts.
type rebuilder struct {
	st      RepairStore
	dry     bool
	windows []check.Window
	known   map[string]map[string]bool // by session: what the log has, by [transcript.Key]
	states  map[string]session.State
	made    []events.Envelope
}

// fromTranscripts rebuilds what the sessions of the lost ranges said and did then.
func (st RepairStore) fromTranscripts(ctx context.Context, o RepairOptions, out *Repaired, l *check.Losses) error {
	windows, err := check.Windows(ctx, st.Log, l.Outstanding(), st.Now())
	if err != nil {
		return err
	}
	b := &rebuilder{st: st, dry: o.DryRun, windows: windows}
	if err := b.load(ctx, l); err != nil {
		return err
	}
	for _, path := range b.files(o.Transcripts) {
		before := len(b.made)
		s := Source{Kind: "transcript", Name: path}
		if err := b.file(ctx, path); err != nil {
			if ctx.Err() != nil {
				return ctx.Err()
			}
			s.Problem = err.Error()
		}
		s.Events = uint64(len(b.made) - before)
		if s.Events > 0 || s.Problem != "" || o.Transcripts == "" {
			out.Sources = append(out.Sources, s)
		}
	}
	out.Rebuilt = l.Rebuilt + uint64(len(b.made))
	if o.DryRun {
		return nil
	}
	added, err := b.append(ctx)
	out.Added += uint64(added)
	return err
}

// append takes the rebuilt events into the log, oldest first.
func (b *rebuilder) append(ctx context.Context) (int, error) {
	slices.SortStableFunc(b.made, func(x, y events.Envelope) int { return x.Time.Compare(y.Time) })
	total := 0
	for batch := range slices.Chunk(b.made, carry.ImportBatch) {
		if err := ctx.Err(); err != nil {
			return total, err
		}
		n, err := b.st.Into.Append(ctx, batch)
		if total += n; err != nil {
			return total, err
		}
	}
	return total, nil
}

// load finds the sessions that were at work around the lost ranges, and what the log has of them.
func (b *rebuilder) load(ctx context.Context, l *check.Losses) error {
	b.known, b.states = map[string]map[string]bool{}, map[string]session.State{}
	for _, id := range l.ActiveIn(b.windows) {
		b.known[id] = map[string]bool{}
	}
	if len(b.known) == 0 {
		return nil
	}
	err := b.st.View.Read(ctx, func(r projector.Reader) error {
		for id := range b.known {
			b.states[id], _ = projector.State[session.State](r, session.Name, id)
		}
		return nil
	})
	if err != nil {
		return err
	}
	return b.st.Log.Read(ctx, 1, 0, func(r events.Record) error {
		if set := b.known[r.Session]; set != nil {
			if key := transcript.Key(r.Event); key != "" {
				set[key] = true
			}
		}
		return nil
	})
}

// files are the transcripts in the folder, or those that the sessions named, with those of their subagents.
func (b *rebuilder) files(dir string) []string {
	if dir != "" {
		return transcript.Files(dir)
	}
	var out []string
	for _, s := range b.states {
		if s.Transcript != "" {
			out = append(out, transcript.OfSession(s.Transcript)...)
		}
	}
	slices.Sort(out)
	return slices.Compact(out)
}

func (b *rebuilder) file(ctx context.Context, path string) error {
	reader := transcript.NewReader(path)
	return transcript.Read(path, func(text []byte) error {
		if err := ctx.Err(); err != nil {
			return err
		}
		for _, h := range reader.Hooks(text) {
			if b.known[h.Session] == nil {
				continue
			}
			if err := b.make(h); err != nil {
				return err
			}
		}
		return nil
	})
}

// make keeps a call, an outcome or a prompt when the log lacks it and it falls into a lost range's time.
func (b *rebuilder) make(h transcript.Hook) error {
	at := slices.IndexFunc(b.windows, func(w check.Window) bool { return w.Has(h.Time) })
	if at < 0 || transcript.Key(h.Event()) == "" {
		return nil
	}
	data, report := b.st.Into.Redact(h.Data)
	put := b.st.Blobs.Put
	if b.dry {
		put = func(content []byte) (string, error) { return events.Digest(content), nil }
	}
	data, err := hook.Cut(data, put)
	if err != nil {
		return err
	}

	k := events.OfHook(h.Name)
	clean := events.Decode(k.Type, k.Version(), data)
	key := transcript.Key(clean)
	if b.known[h.Session][key] {
		return nil
	}
	b.known[h.Session][key] = true
	s := b.states[h.Session]
	b.made = append(b.made, events.Envelope{ID: events.StableID(h.Time, h.Session+" "+key), Type: k.Type, Version: k.Version(),
		Time: h.Time, Session: h.Session, Project: s.Project, Worktree: s.Worktree, Branch: b.st.Clean(h.Branch),
		Phase: hook.PhaseOf(clean), Hook: k.Hook, ToolUseID: hook.ToolUseID(clean), AgentID: h.Agent, Correlation: h.Session,
		Causation: b.windows[at].Causation(), Redacted: report.Count,
		Facts: &events.Facts{Note: "rebuilt from the transcript"}, Data: data})
	return nil
}
