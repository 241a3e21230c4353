package cli

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"

	"github.com/spf13/cobra"

	"hookline/embedded"
	"hookline/embedded/block"
	"hookline/hookctl/api"
	"hookline/hookctl/client"
	"hookline/hookctl/cmdline"
	"hookline/hookctl/daemon"
	"hookline/hookctl/problem"
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
	return a.verb("repair", "Find what is damaged or missing, and fetch what others still have",
		"Read every block and every large content, tell what is damaged or missing, and fetch what other\n"+
			"places still have: sound copies of blocks from the archive, waiting frames from the spool, events\n"+
			"and contents from exports (--from), and what the sessions' transcripts tell of tools and prompts.\n"+
			"What comes back is added at the end of the log; a hole stays a hole. It asks before it changes\n"+
			"anything, and --dry-run changes nothing. Damaged blocks need the store to be opened anew: a running\n"+
			"daemon is stopped for that. Where nothing is left of the log, a new one is begun behind it.\n\n"+
			"Exit code: 0 nothing is missing, 1 something or an export could not be had, 2 the log cannot be read.",
		"  replay repair --dry-run\n  replay repair --from old.ndjson.zst --transcripts ~/.claude/projects",
		nil, func(ctx context.Context, _ []string) error { return a.repair(ctx, o) }, &o)
}

func (a *app) repair(ctx context.Context, o repairOptions) error {
	request := api.RepairRequest{DryRun: true}
	for _, file := range o.From {
		path, err := filepath.Abs(file)
		if err != nil {
			return err
		}
		request.From = append(request.From, path)
	}
	if o.Transcripts != "" {
		path, err := filepath.Abs(o.Transcripts)
		if err != nil {
			return err
		}
		request.Transcripts = path
	}

	a.repairs = true
	a.here = daemon.HereUnmended
	looking, err := long(ctx, a, api.Repair, request, "reading")
	a.here = daemon.Here
	request.DryRun = false
	if errors.Is(err, embedded.ErrLogGone) && !o.DryRun {
		return a.repairGone(ctx, o, request, err)
	}
	if err != nil {
		return err
	}
	plan := looking.result
	missing := len(plan.Damage)+plan.NewBlobs > 0 || mine(plan) && len(plan.Opened) > 0
	if o.DryRun || !missing && !has(plan.Sources) {
		return a.showRepair(looking)
	}

	if !a.JSON && !o.Yes { // who does not want to be asked wants to see the outcome only
		a.printRepair(plan)
	}
	question := "repair it?"
	if len(plan.Damage) > 0 && !mine(plan) {
		question = "stop the daemon and repair it?"
	}
	if err := a.Confirm(ctx, question, o.Yes); err != nil {
		return err
	}
	if len(plan.Damage) > 0 {
		if err := a.reopen(ctx, plan); err != nil {
			return err
		}
	}
	return a.mend(ctx, request)
}

// repairGone begins a new log where nothing is left of the old one, and fetches into it what others have.
func (a *app) repairGone(ctx context.Context, o repairOptions, request api.RepairRequest, gone error) error {
	if !a.JSON {
		a.Printf("%s  %s\n", a.Paint.Bad("damage"), cmdline.Clean(gone.Error()))
		a.Printf("a new log begins behind the lost sequences; whatever is left of the old one is set aside\n")
	}
	if err := a.Confirm(ctx, "begin a new log?", o.Yes); err != nil {
		return err
	}
	if err := daemon.Renew(ctx, a.Home()); err != nil {
		return fmt.Errorf("begin a new log: %w", err)
	}
	return a.mend(ctx, request)
}

// mend appends what others have, and shows the outcome.
func (a *app) mend(ctx context.Context, request api.RepairRequest) error {
	done, err := long(ctx, a, api.Repair, request, "reading")
	if err != nil {
		return err
	}
	return a.showRepair(done)
}

// mine reports whether this process had the store open, and no daemon.
func mine(r api.Repaired) bool { return r.PID == os.Getpid() }

// has reports whether one of the sources has events that the log lacks.
func has(sources []api.Source) bool {
	return slices.ContainsFunc(sources, func(s api.Source) bool { return s.Events > 0 })
}

// reopen ends the process that has the store and makes the next opening read every block.
func (a *app) reopen(ctx context.Context, plan api.Repaired) error {
	if !mine(plan) {
		err := a.with(ctx, func(c *client.Client) error {
			_, err := api.Stop.Call(ctx, c, api.StopRequest{Reason: "repair"})
			return err
		})
		if err != nil {
			return fmt.Errorf("stop the daemon: %w", err)
		}
	}
	for deadline := a.Now().Add(2 * lockWait); ; { // until the store is closed
		_, _, held, err := embedded.Holder(filepath.Join(a.Home(), "hookd.lock"))
		if err != nil {
			return err
		}
		if !held {
			return block.RemoveMarker(filepath.Join(a.Home(), "store"))
		}
		if !a.Now().Before(deadline) {
			return problem.Faultf("the daemon did not end").Advise("`hookctl status` tells what it does")
		}
		if err := a.Pause(ctx, lockPause); err != nil {
			return err
		}
	}
}

// showRepair prints the outcome and turns it into an exit code.
func (a *app) showRepair(done outcome[api.Repaired]) error {
	if err := done.show(a, a.printRepair); err != nil {
		return err
	}

	r := done.result
	unread := slices.ContainsFunc(r.Sources, func(s api.Source) bool { return s.Kind == "export" && s.Problem != "" })
	switch {
	case len(r.Damage) > 0:
		return cmdline.Silent(cmdline.ExitDamaged)
	case looked(r) || r.NotHad > 0 || lacks(r) > 0 || unread:
		return cmdline.Silent(1)
	}
	return nil
}

// looked reports whether the blocks were checked and the store was not opened, so that what was found is there still.
func looked(r api.Repaired) bool { return r.DryRun && mine(r) && len(r.Opened) > 0 }

// lacks returns the number of large contents that nothing has.
func lacks(r api.Repaired) int { return len(r.BadBlobs) + len(r.GoneBlobs) - r.NewBlobs }

// printRepair prints what was found, which source has what, and what none has.
func (a *app) printRepair(r api.Repaired) {
	for _, line := range r.Opened {
		a.Printf("%s   %s\n", a.Paint.Bad("found"), line)
	}
	for _, line := range r.Damage {
		a.Printf("%s  %s\n", a.Paint.Bad("damage"), line)
	}
	for _, l := range block.Without(r.Lost, r.Back...) {
		a.Printf("%s    sequence %s\n", a.Paint.Bad("lost"), l)
	}
	for _, l := range r.Back {
		a.Printf("%s    sequence %s, at the end of the log\n", a.Paint.Good("back"), l)
	}
	for _, digest := range r.BadBlobs {
		a.Printf("%s    %s is damaged\n", a.Paint.Bad("blob"), digest)
	}
	for _, digest := range r.GoneBlobs {
		a.Printf("%s    %s is gone\n", a.Paint.Bad("blob"), digest)
	}
	verb := "added"
	if r.DryRun {
		verb = "to add"
	}
	for _, s := range r.Sources {
		text := fmt.Sprintf("%s %s, %s known, %s", cmdline.Plural(s.Events, "event"), verb, cmdline.Count(s.Known), cmdline.Plural(s.Blobs, "blob"))
		if s.Problem != "" {
			text += "; " + s.Problem
		}
		a.Printf("%s  %s: %s\n", cmdline.Pad(s.Kind, len("transcript")), cmdline.Clean(s.Name), text)
	}
	a.Printf("blocks   %s sealed, read\nblobs    %s read\n", cmdline.Count(r.Blocks), cmdline.Count(r.Blobs))
	if r.Waiting+r.Quarantined > 0 {
		a.Printf("spool    %s waiting for the daemon, %s in quarantine\n", cmdline.Plural(r.Waiting, "frame"), cmdline.Count(r.Quarantined))
	}
	if r.LostN > 0 {
		a.Printf("lost     %s: %s back, %s in exports, %s rebuilt from transcripts, %s nowhere\n", cmdline.Plural(r.LostN, "sequence"),
			cmdline.Count(r.BackN), cmdline.Count(r.Fetched-min(r.Fetched, r.BackN)), cmdline.Plural(r.Rebuilt, "event"), cmdline.Count(r.NotHad))
	}

	verdict := a.Paint.Good("nothing is damaged and nothing is missing")
	switch {
	case looked(r):
		verdict = a.Paint.Bad("nothing was changed yet: `replay repair` mends what was found, then asks exports and transcripts for what is lost")
	case len(r.Damage) > 0:
		verdict = a.Paint.Bad(cmdline.Plural(len(r.Damage), "damaged place") + " in sealed blocks: the store must be opened anew to mend them")
	case r.NotHad > 0 || lacks(r) > 0:
		verdict = a.Paint.Bad(cmdline.Plural(r.NotHad, "lost sequence") + " and " + cmdline.Plural(lacks(r), "large content") +
			" could not be had; --from FILE and --transcripts DIR name more places")
	case r.Added > 0:
		verdict = a.Paint.Good(cmdline.Plural(r.Added, "event") + " added, up to sequence " + cmdline.Count(r.Seq))
	case r.NewBlobs > 0 || has(r.Sources):
		verdict = a.Paint.Good("everything that is missing can be had")
	case r.LostN > 0:
		verdict = a.Paint.Good("everything that was lost is back: nothing left to do")
	}
	a.Printf("%s\n", verdict)
}
