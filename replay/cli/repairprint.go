package cli

import (
	"fmt"

	"hookline/hookctl/daemon"
)

// printRepair tells what was found, who has what, and what nobody has.
func (a *app) printRepair(r daemon.Repaired) {
	for _, line := range r.Opened {
		a.printf("%s  %s\n", a.paint.bad("opened"), oneLine(line))
	}
	for _, line := range r.Damage {
		a.printf("%s  %s\n", a.paint.bad("damage"), oneLine(line))
	}
	for _, l := range r.Lost {
		a.printf("%s    sequence %s\n", a.paint.bad("lost"), l)
	}
	for _, digest := range r.BadBlobs {
		a.printf("%s    %s is damaged\n", a.paint.bad("blob"), oneLine(digest))
	}
	for _, digest := range r.GoneBlobs {
		a.printf("%s    %s is gone\n", a.paint.bad("blob"), oneLine(digest))
	}
	for _, s := range r.Sources {
		a.printSource(s, r.DryRun)
	}
	a.printf("blocks   %s sealed, read\nblobs    %s read\n", count(uint64(r.Blocks)), count(uint64(r.Blobs)))
	if r.Waiting+r.Quarantined > 0 {
		a.printf("spool    %s waiting for the daemon, %s in quarantine\n", plural(r.Waiting, "frame"), count(uint64(r.Quarantined)))
	}
	if r.LostN > 0 {
		a.printf("lost     %s: %s in exports, %s rebuilt from transcripts, %s nowhere\n", plural(int(r.LostN), "sequence"),
			count(r.Fetched), plural(int(r.Rebuilt), "event"), count(r.NotHad))
	}
	a.printf("%s\n", a.repairVerdict(r))
}

func (a *app) printSource(s daemon.RepairSource, dry bool) {
	verb := "added"
	if dry {
		verb = "to add"
	}
	text := fmt.Sprintf("%s %s, %s known, %s", plural(int(s.Events), "event"), verb, count(s.Known), plural(s.Blobs, "blob"))
	if s.Kind == "transcript" {
		text = plural(int(s.Events), "event") + " " + verb
	}
	if s.Problem != "" {
		text += "; " + s.Problem
	}
	a.printf("%s  %s: %s\n", pad(s.Kind, len("transcript")), oneLine(s.Name), oneLine(text))
}

func (a *app) repairVerdict(r daemon.Repaired) string {
	lacks := len(r.BadBlobs) + len(r.GoneBlobs) - r.NewBlobs
	switch {
	case len(r.Damage) > 0:
		return a.paint.bad(plural(len(r.Damage), "damaged place") + " in sealed blocks: the store must be opened anew to mend them")
	case r.NotHad > 0 || lacks > 0:
		what := plural(int(r.NotHad), "lost sequence")
		if lacks > 0 {
			what += " and " + plural(lacks, "large content")
		}
		return a.paint.bad(what + " could not be had; --from FILE and --transcripts DIR name more places")
	case r.Added > 0:
		return a.paint.good(plural(int(r.Added), "event") + " added, up to sequence " + count(r.Seq))
	case r.LostN > 0 || r.NewBlobs > 0:
		return a.paint.good("everything that is missing can be had")
	}
	return a.paint.good("nothing is damaged and nothing is missing")
}
