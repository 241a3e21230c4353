package cli

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"slices"

	"github.com/spf13/cobra"

	"hookline/embedded"
	"hookline/embedded/block"
	"hookline/hookctl/cmdline"
	"hookline/hookctl/daemon"
	"hookline/hookctl/problem"
	"hookline/replay/mend"
)

// repairOptions are the flags of repair.
type repairOptions struct {
	From        []string `help:"an export of this log; may be given more than once"`
	Transcripts string   `help:"folder with the client's transcripts; default those that the sessions named"`
	Yes         bool     `help:"do not ask"`
	DryRun      bool     `flag:"dry-run" help:"only show what is missing and what can be had"`
}

func (a *app) repairCmd() *cobra.Command {
	var o repairOptions
	return a.verb(&cobra.Command{
		Use:   "repair",
		Short: "Find what is damaged or missing, and fetch what others still have",
		Long: "Read every block and every large content, tell what is damaged or missing, and fetch what other\n" +
			"places still have: sound copies of blocks from the archive, waiting frames from the spool, events\n" +
			"and contents from exports (--from), and what the sessions' transcripts tell of tools and prompts.\n" +
			"What comes back is added at the end of the log; a hole stays a hole. It asks before it changes\n" +
			"anything, and --dry-run changes nothing. Damaged blocks need the store to be opened anew: a running\n" +
			"daemon is stopped for that. Where nothing is left of the log, a new one is begun behind it.\n\n" +
			"Exit code: 0 nothing is missing, 1 something or an export could not be had, 2 the log cannot be read.",
		Example: "  replay repair --dry-run\n  replay repair --from old.ndjson.zst --transcripts ~/.claude/projects",
	}, func(ctx context.Context, _ []string) error { return a.repair(ctx, o) }, &o)
}

func (a *app) repair(ctx context.Context, o repairOptions) error {
	query := url.Values{}
	for _, file := range o.From {
		if _, err := os.Stat(file); err != nil {
			return problem.Faultf("%v", err).Advise("--from takes what `replay export` wrote")
		}
		path, err := absolute(file)
		if err != nil {
			return err
		}
		query.Add("from", path)
	}
	if o.Transcripts != "" {
		path, err := absolute(o.Transcripts)
		if err != nil {
			return err
		}
		query.Set("transcripts", path)
	}
	a.repairs = true
	raw, err := a.askRepair(ctx, query, true)
	if errors.Is(err, embedded.ErrLogGone) && !o.DryRun {
		return a.repairGone(ctx, o, query, err)
	}
	if err != nil {
		return err
	}
	plan, err := decode[mend.Repaired](raw)
	if err != nil {
		return err
	}
	if o.DryRun || !needsRepair(plan) {
		return a.showRepair(raw, nil)
	}
	shown := !a.JSON && !o.Yes // who does not want to be asked wants to see the outcome only
	if shown {
		a.printRepair(plan)
	}
	question := "repair it?"
	if len(plan.Damage) > 0 && plan.PID != os.Getpid() {
		question = "stop the daemon and repair it?"
	}
	if err := a.agree(ctx, o, question); err != nil {
		return err
	}
	if len(plan.Damage) > 0 {
		if err := a.reopen(ctx, plan); err != nil {
			return err
		}
	}
	if shown {
		a.Printf("\n")
	}
	return a.doRepair(ctx, query)
}

// repairGone begins a new log where nothing is left of the old one, and fetches into it what others have.
func (a *app) repairGone(ctx context.Context, o repairOptions, query url.Values, gone error) error {
	if !a.JSON {
		a.Printf("%s  %s\n", a.Paint.Bad("damage"), cmdline.Clean(gone.Error()))
		a.Printf("a new log begins behind the lost sequences; whatever is left of the old one is set aside\n")
	}
	if err := a.agree(ctx, o, "begin a new log?"); err != nil {
		return err
	}
	if err := daemon.Renew(ctx, a.Home()); err != nil {
		return fmt.Errorf("begin a new log: %w", err)
	}
	if !a.JSON {
		a.Printf("\n")
	}
	return a.doRepair(ctx, query)
}

func (a *app) doRepair(ctx context.Context, query url.Values) error {
	raw, err := a.askRepair(ctx, query, false)
	return a.showRepair(raw, a.interrupted(ctx, err, "what was fetched stays, and repairing again fetches the rest"))
}

// needsRepair tells whether there is anything that a repair would change.
func needsRepair(p mend.Repaired) bool {
	n := uint64(len(p.Damage) + p.NewBlobs)
	if p.PID == os.Getpid() { // the look's own: the store still has it
		n += uint64(len(p.Opened))
	}
	for _, s := range p.Sources {
		n += s.Events
	}
	return n > 0
}

func (a *app) askRepair(ctx context.Context, query url.Values, dry bool) (json.RawMessage, error) {
	query.Del("dry_run")
	connect := a.connect
	if dry {
		query.Set("dry_run", "1")
		connect = a.connectLook
	}
	return a.longBy(ctx, connect, 0, "/v1/repair", query, "reading")
}

// agree asks the user; without a terminal --yes is needed.
func (a *app) agree(ctx context.Context, o repairOptions, question string) error {
	if o.Yes {
		return nil
	}
	if !a.Asks || a.JSON {
		return problem.Faultf("nothing was changed: repair asks first").Advise("--yes repairs without asking, --dry-run only shows")
	}
	if ok, err := a.Ask(ctx, "replay: "+question); err == nil && ok {
		return nil
	}
	return problem.Faultf("nothing was changed")
}

// reopen ends the process that has the store and makes the next opening read every block.
func (a *app) reopen(ctx context.Context, plan mend.Repaired) error {
	if plan.PID != os.Getpid() {
		err := a.with(ctx, func(h backend) error {
			return h.Stream(ctx, http.MethodPost, "/v1/stop", url.Values{"reason": {"repair"}}, func([]byte) error { return nil })
		})
		if err != nil {
			return fmt.Errorf("stop the daemon: %w", err)
		}
		if err := a.untilStopped(ctx); err != nil {
			return err
		}
	}
	return block.RemoveMarker(filepath.Join(a.Home(), "store")) // the next opening reads every block
}

// untilStopped waits for the daemon to close the store.
func (a *app) untilStopped(ctx context.Context) error {
	for deadline := a.Now().Add(2 * lockWait); a.Now().Before(deadline); {
		_, _, held, err := embedded.Holder(filepath.Join(a.Home(), "hookd.lock"))
		if err != nil || !held {
			return err
		}
		if err := a.Pause(ctx, lockPause); err != nil {
			return err
		}
	}
	return problem.Faultf("the daemon did not end").Advise("`hookctl status` tells what it does")
}

// showRepair prints the outcome and turns it into an exit code.
func (a *app) showRepair(raw json.RawMessage, err error) error {
	r, err := show(a, raw, err, a.printRepair)
	unread := slices.ContainsFunc(r.Sources, func(s mend.Source) bool { return s.Kind == "export" && s.Problem != "" })
	switch {
	case err != nil:
		return err
	case len(r.Damage) > 0:
		return cmdline.Silent(cmdline.ExitDamaged)
	case looked(r) || r.NotHad > 0 || len(r.BadBlobs)+len(r.GoneBlobs) > r.NewBlobs || unread:
		return cmdline.Silent(1)
	}
	return nil
}
