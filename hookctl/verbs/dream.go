package verbs

import (
	"context"
	"fmt"
	"net/url"
	"time"

	"github.com/spf13/cobra"

	"hookline/events"
	"hookline/hookctl/cmdline"
	"hookline/hookctl/problem"
)

func (a *app) dreamCmd() *cobra.Command {
	return cmdline.Noun("dream", "Consolidate an identity over the log", "  hookctl dream trigger --phase full",
		a.verb(needStore, &cobra.Command{
			Use:   "trigger",
			Short: "Start a dream in the daemon, and wait for its outcome",
			Long: "Start a dream in the daemon, and wait for its outcome. nrem replays the newest trajectory entries and draws\n" +
				"vector and phases together; rem looks for facets unused for three sessions; full does both. By hand there is\n" +
				"no cool-down.",
			Example: "  hookctl dream trigger --phase full\n  hookctl dream trigger --phase rem --session c68c8a51 --json",
		}, &dreamTriggerVerb{Phase: "full"}))
}

type dreamTriggerVerb struct {
	Phase string `help:"nrem, rem or full" choices:"nrem,rem,full"`
	ofSession
}

func (f *dreamTriggerVerb) run(a *app, _ []string) error {
	id, err := a.current(f.Session)
	if err != nil {
		return err
	}
	var answer struct {
		Triggered uint64 `json:"triggered"` // sequence of dream.triggered
	}
	if err := a.change("/v1/do/dream", map[string]string{"session": id, "phase": f.Phase}, &answer); err != nil {
		return err
	}
	r, err := a.outcome(id, answer.Triggered)
	if err != nil {
		return err
	}

	if a.JSON {
		err = a.PrintJSON(r)
	}
	switch e := r.Event.(type) {
	case *events.DreamFailed:
		return problem.Faultf("Dream trigger failed: %s. IC remains at %.2f", e.Error, e.IC)
	case *events.DreamCompleted:
		if a.JSON {
			break
		}
		entries := "entries"
		if e.Entries == 1 {
			entries = "entry"
		}
		a.Printf("dream %s: IC %.2f → %.2f, r %.2f → %.2f, %d %s replayed\n", e.Phase, e.BeforeIC, e.AfterIC, e.BeforeR, e.AfterR, e.Entries, entries)
		for _, spot := range e.BlindSpots {
			a.Printf("  unused for three sessions: %s\n", spot)
		}
	}
	return err
}

// A dream takes some milliseconds; one that has said nothing after this long goes on alone.
const dreamPatience = 10 * time.Second

// outcome waits for the event that says how the dream went.
func (a *app) outcome(id string, trigger uint64) (events.Record, error) {
	ctx, cancel := context.WithTimeout(a.ctx, dreamPatience)
	defer cancel()
	var found events.Record
	q := url.Values{"session": {id}, "type": {"dream.*"}, "since": {fmt.Sprint(trigger)}, "n": {"0"}, "follow": {"1"}}
	err := a.under(ctx).scan(q, func(r events.Record) error {
		if r.Seq <= trigger || r.Type == events.TypeDreamTriggered {
			return nil
		}
		found = r
		return errEnough
	})
	if found.Seq != 0 {
		return found, nil
	}
	if ctx.Err() != nil || err == nil {
		return found, problem.Faultf("the dream of event %d has not ended yet", trigger).Advise("`hookctl tail --type 'dream.*'` shows when it does")
	}
	return found, err
}
