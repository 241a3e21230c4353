package cli

import (
	"fmt"
	"os"
	"slices"
	"strings"

	"hookline/embedded/block"
	"hookline/hookctl/cmdline"
	"hookline/replay/mend"
)

// printRepair tells what was found, who has what, and what nobody has.
func (a *app) printRepair(r mend.Repaired) {
	opened := "opened"
	if looked(r) {
		opened = "found "
	}
	for _, line := range r.Opened {
		a.Printf("%s  %s\n", a.Paint.Bad(opened), line)
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
	for _, s := range r.Sources {
		verb := "added"
		if r.DryRun {
			verb = "to add"
		}
		text := fmt.Sprintf("%s %s, %s known, %s", cmdline.Plural(int(s.Events), "event"), verb, cmdline.Count(s.Known), cmdline.Plural(s.Blobs, "blob"))
		if s.Kind == "transcript" {
			text = cmdline.Plural(int(s.Events), "event") + " " + verb
		}
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
		a.Printf("lost     %s: %s back, %s in exports, %s rebuilt from transcripts, %s nowhere\n", cmdline.Plural(int(r.LostN), "sequence"),
			cmdline.Count(r.BackN), cmdline.Count(r.Fetched-min(r.Fetched, r.BackN)), cmdline.Plural(int(r.Rebuilt), "event"), cmdline.Count(r.NotHad))
	}
	a.Printf("%s\n", a.repairVerdict(r))
}

// looked tells that the blocks were checked and the store was not opened, so that what was found is there still.
func looked(r mend.Repaired) bool { return r.DryRun && r.PID == os.Getpid() && len(r.Opened) > 0 }

func (a *app) repairVerdict(r mend.Repaired) string {
	lacking := slices.ContainsFunc(r.Sources, func(s mend.Source) bool { return s.Events > 0 }) // events that the log has not
	lacks := len(r.BadBlobs) + len(r.GoneBlobs) - r.NewBlobs
	switch {
	case looked(r):
		return a.Paint.Bad("nothing was changed yet: `replay repair` mends what was found, then asks exports and transcripts for what is lost")
	case len(r.Damage) > 0:
		return a.Paint.Bad(cmdline.Plural(len(r.Damage), "damaged place") + " in sealed blocks: the store must be opened anew to mend them")
	case r.NotHad > 0 || lacks > 0:
		var what []string
		if r.NotHad > 0 {
			what = append(what, cmdline.Plural(int(r.NotHad), "lost sequence"))
		}
		if lacks > 0 {
			what = append(what, cmdline.Plural(lacks, "large content"))
		}
		return a.Paint.Bad(strings.Join(what, " and ") + " could not be had; --from FILE and --transcripts DIR name more places")
	case r.Added > 0:
		return a.Paint.Good(cmdline.Plural(int(r.Added), "event") + " added, up to sequence " + cmdline.Count(r.Seq))
	case r.LostN > 0 && r.NewBlobs == 0 && !lacking:
		return a.Paint.Good("everything that was lost is back: nothing left to do")
	case r.LostN > 0 || r.NewBlobs > 0:
		return a.Paint.Good("everything that is missing can be had")
	}
	return a.Paint.Good("nothing is damaged and nothing is missing")
}
