package mend

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"hookline/hookctl/api"
	"hookline/hookctl/transcript"
	"hookline/projector"
	"hookline/projector/session"
	"hookline/replay/check"
)

// fromTranscripts imports what the client's transcripts have of the lost ranges: prompts, what tools were called with and
// what they gave back. They are new events with ids of their own, since a transcript has none of ours.
func (st RepairStore) fromTranscripts(ctx context.Context, o RepairOptions, out *api.Repaired, l *check.Losses, windows []check.Window) error {
	active := l.ActiveIn(windows)
	s := api.Source{Kind: "transcript", Name: o.Transcripts}
	paths := []string{o.Transcripts}
	if o.Transcripts == "" {
		named, err := st.namedTranscripts(ctx, active)
		if err != nil {
			return err
		}
		paths = named
		s.Name = fmt.Sprintf("%d that the sessions named", len(paths))
	}

	into := st.Transcripts
	into.Only = func(h transcript.Hook) string {
		at := slices.IndexFunc(windows, func(w check.Window) bool { return !h.Time.Before(w.From) && !h.Time.After(w.To) })
		if at < 0 || !slices.Contains(active, h.Session) || transcript.Key(h.Event()) == "" {
			return ""
		}
		return check.CausedByLoss + windows[at].String()
	}
	got, err := transcript.Import(ctx, into, paths, o.DryRun, nil)
	if err != nil {
		return err
	}

	s.Events = uint64(got.Added)
	s.Problem = strings.Join(got.Problems, "; ")
	out.Sources = append(out.Sources, s)
	out.Rebuilt = l.Rebuilt + s.Events
	if !o.DryRun {
		out.Added += uint64(got.Events)
	}
	return nil
}

// namedTranscripts returns the transcripts that sessions named, with those of their subagents.
func (st RepairStore) namedTranscripts(ctx context.Context, sessions []string) ([]string, error) {
	var paths []string
	err := st.View.Read(ctx, func(r projector.Reader) error {
		for _, id := range sessions {
			if s, _ := projector.State[session.State](r, session.Name, id); s.Transcript != "" {
				paths = append(paths, transcript.OfSession(s.Transcript)...)
			}
		}
		return nil
	})
	slices.Sort(paths)
	return slices.Compact(paths), err
}
