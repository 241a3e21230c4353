package cli

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"
	"os"
	"strings"

	"github.com/spf13/cobra"

	"hookline/hookctl/daemon"
)

// repairOptions are the flags of repair.
type repairOptions struct {
	from        []string
	transcripts string
	yes, dryRun bool
}

func (a *app) repairCmd() *cobra.Command {
	var o repairOptions
	cmd := &cobra.Command{
		Use:   "repair",
		Short: "Find what is damaged or missing, and fetch what others still have",
		Long: "Read every block and every large content, tell what is damaged or missing, and fetch what other\n" +
			"places still have: sound copies of blocks from the archive, waiting frames from the spool, events\n" +
			"and contents from exports (--from), and what the sessions' transcripts tell of tools and prompts.\n" +
			"What comes back is added at the end of the log; a hole stays a hole. It asks before it changes\n" +
			"anything. Damaged blocks need the store to be opened anew: a running daemon is stopped for that.\n\n" +
			"Exit code: 0 nothing is missing, 1 something could not be had, 2 the log cannot be read.",
		Example: "  replay repair --dry-run\n  replay repair --from old.ndjson.zst --transcripts ~/.claude/projects",
		Args:    cobra.NoArgs,
		RunE:    func(cmd *cobra.Command, _ []string) error { return a.repair(cmd.Context(), o) },
	}
	cmd.Flags().StringArrayVar(&o.from, "from", nil, "an export of this log; may be given more than once")
	cmd.Flags().StringVar(&o.transcripts, "transcripts", "", "folder with the client's transcripts; default those that the sessions named")
	cmd.Flags().BoolVar(&o.yes, "yes", false, "do not ask")
	cmd.Flags().BoolVar(&o.dryRun, "dry-run", false, "only show what is missing and what can be had")
	return cmd
}

func (a *app) repair(ctx context.Context, o repairOptions) error {
	query := url.Values{}
	for _, file := range o.from {
		path, err := absolute(file)
		if err != nil {
			return err
		}
		query.Add("from", path)
	}
	if o.transcripts != "" {
		path, err := absolute(o.transcripts)
		if err != nil {
			return err
		}
		query.Set("transcripts", path)
	}
	plan, raw, err := a.askRepair(ctx, query, true)
	if err != nil {
		return err
	}
	if o.dryRun || !needsRepair(plan) {
		return a.showRepair(plan, raw)
	}
	shown := !a.json && !o.yes // who does not want to be asked wants to see the outcome only
	if shown {
		a.printRepair(plan)
	}
	if err := a.consent(ctx, o, plan); err != nil {
		return err
	}
	if len(plan.Damage) > 0 {
		if err := a.reopen(ctx, plan); err != nil {
			return err
		}
	}
	done, raw, err := a.askRepair(ctx, query, false)
	if err != nil && ctx.Err() != nil {
		a.say("interrupted; what was fetched stays, and repairing again fetches the rest")
		return silent(exitInterrupted)
	}
	if err != nil {
		return err
	}
	if shown {
		a.printf("\n")
	}
	return a.showRepair(done, raw)
}

// needsRepair tells whether there is anything that a repair would change.
func needsRepair(p daemon.Repaired) bool {
	n := uint64(len(p.Damage) + p.NewBlobs)
	for _, s := range p.Sources {
		n += s.Events
	}
	return n > 0
}

func (a *app) askRepair(ctx context.Context, query url.Values, dry bool) (daemon.Repaired, json.RawMessage, error) {
	query.Del("dry_run")
	if dry {
		query.Set("dry_run", "1")
	}
	var r daemon.Repaired
	raw, err := a.long(ctx, "/v1/repair", query, "reading")
	if err != nil {
		return r, nil, err
	}
	if err := json.Unmarshal(raw, &r); err != nil {
		return r, nil, fmt.Errorf("read the repair: %w", err)
	}
	return r, raw, nil
}

// consent asks; whoever cannot be asked has to say --yes.
func (a *app) consent(ctx context.Context, o repairOptions, plan daemon.Repaired) error {
	if o.yes {
		return nil
	}
	if !a.asks || a.json {
		return &fault{message: "nothing was changed: repair asks first", hint: "--yes repairs without asking, --dry-run only shows"}
	}
	question := "repair it?"
	if len(plan.Damage) > 0 && plan.PID != os.Getpid() {
		question = "stop the daemon and repair it?"
	}
	fmt.Fprintf(a.err, "replay: %s [y/N] ", question)
	answer, err := waitFor(ctx, func() (string, error) { return bufio.NewReader(a.in).ReadString('\n') })
	if word := strings.ToLower(strings.TrimSpace(answer)); err == nil && (word == "y" || word == "yes") {
		return nil
	}
	return &fault{message: "nothing was changed"}
}

// reopen ends whoever has the store and makes the next opening read every block.
func (a *app) reopen(ctx context.Context, plan daemon.Repaired) error {
	if plan.PID != os.Getpid() {
		err := a.with(ctx, func(h house) error {
			return h.Stream(ctx, http.MethodPost, "/v1/stop", url.Values{"reason": {"repair"}}, func([]byte) error { return nil })
		})
		if err != nil {
			return fmt.Errorf("stop the daemon: %w", err)
		}
		if err := a.untilStopped(ctx); err != nil {
			return err
		}
	}
	return daemon.Recheck(a.home())
}

// untilStopped waits for the daemon to close the store.
func (a *app) untilStopped(ctx context.Context) error {
	for deadline := a.now().Add(2 * lockWait); a.now().Before(deadline); {
		free, err := daemon.Free(a.home())
		if err != nil || free {
			return err
		}
		if err := a.pause(ctx, lockPause); err != nil {
			return err
		}
	}
	return &fault{message: "the daemon did not end", hint: "`hookctl status` tells what it does"}
}

// showRepair prints the outcome and turns it into an exit code.
func (a *app) showRepair(r daemon.Repaired, raw json.RawMessage) error {
	var err error
	if a.json {
		err = a.printRaw(raw)
	} else {
		a.printRepair(r)
	}
	switch {
	case err != nil:
		return err
	case len(r.Damage) > 0:
		return silent(exitDamaged)
	case r.NotHad > 0 || len(r.BadBlobs)+len(r.GoneBlobs) > r.NewBlobs:
		return silent(1)
	}
	return nil
}
