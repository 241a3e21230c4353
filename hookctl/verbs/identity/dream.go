package identity

import (
	"context"
	"time"

	"github.com/spf13/cobra"

	"hookline/events"
	"hookline/hookctl/api"
	"hookline/hookctl/cmdline"
	"hookline/hookctl/problem"
	"hookline/hookctl/verbs/command"
	"hookline/hookctl/verbs/env"
	"hookline/hookctl/verbs/query"
	"hookline/replay/past"
)

// DreamCommand returns the command that consolidates an identity.
func DreamCommand(e *env.Env) *cobra.Command {
	return cmdline.Noun("dream", "Consolidate an identity over the log", "  hookctl dream trigger --phase full",
		command.Verb(e, env.Store, command.Text{
			Use:   "trigger",
			Short: "Start a dream in the daemon, and wait for its outcome",
			Long: "Start a dream in the daemon, and wait for its outcome. nrem replays the newest trajectory entries and draws\n" +
				"vector and phases together; rem looks for facets unused for three sessions; full does both. By hand there is\n" +
				"no cool-down.",
			Example: "  hookctl dream trigger --phase full\n" +
				"  hookctl dream trigger --phase rem --session c68c8a51 --json",
		}, &triggerVerb{Phase: "full"}))
}

type triggerVerb struct {
	Phase string `help:"nrem, rem or full" choices:"nrem rem full"`
	query.OfSession
}

func (f *triggerVerb) Run(ctx context.Context, e *env.Env, _ []string) error {
	id, err := query.Current(ctx, e, f.Session)
	if err != nil {
		return err
	}
	dream, err := api.Dream.Call(ctx, e.Changing(), api.DreamRequest{Session: id, Phase: f.Phase})
	if err != nil {
		return err
	}
	r, err := outcome(ctx, e, id, dream.Triggered)
	if err != nil {
		return err
	}

	if e.JSON {
		err = e.PrintJSON(r)
	}
	switch event := r.Event.(type) {
	case *events.DreamFailed:
		return problem.Faultf("Dream trigger failed: %s. IC remains at %.2f", event.Error, event.IC)
	case *events.DreamCompleted:
		if e.JSON {
			break
		}
		e.Printf("dream %s: IC %.2f → %.2f, r %.2f → %.2f, entries replayed: %d\n", event.Phase, event.BeforeIC, event.AfterIC, event.BeforeR, event.AfterR, event.Entries)
		for _, spot := range event.BlindSpots {
			e.Printf("  unused for three sessions: %s\n", spot)
		}
	}
	return err
}

// A dream takes some milliseconds; one that has said nothing after this long goes on alone.
const dreamPatience = 10 * time.Second

// outcome waits for the event that says how the dream went.
func outcome(ctx context.Context, e *env.Env, id string, trigger uint64) (events.Record, error) {
	ctx, cancel := context.WithTimeout(ctx, dreamPatience)
	defer cancel()
	var found events.Record
	q := api.EventsRequest{Session: id, Types: []string{"dream.*"}, Since: past.AtSeq(trigger), Follow: true}
	err := query.Scan(ctx, e, q, func(r events.Record) error {
		if r.Seq <= trigger || r.Type == events.TypeDreamTriggered {
			return nil
		}
		found = r
		return query.ErrEnough
	})
	if found.Seq != 0 {
		return found, nil
	}
	if ctx.Err() != nil || err == nil {
		return found, problem.Faultf("the dream of event %d has not ended yet", trigger).Advise("`hookctl tail --type 'dream.*'` shows when it does")
	}
	return found, err
}
