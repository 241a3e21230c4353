package hook

import (
	"fmt"
	"slices"
	"time"

	"hookline/events"
	"hookline/events/outcome"
	"hookline/events/wording"
	"hookline/projector/working"
)

// Commands with their outcome, as they are told.

// commandItems are the commands that are probably run again, with their outcome. One that failed and stands under what is not
// mended is not repeated; a check that failed and does not stand there is mended otherwise, so its outcome is no longer true.
func commandItems(s working.State) []Item {
	commands := slices.DeleteFunc(s.Repeated(), func(c working.Command) bool {
		isOpen := slices.ContainsFunc(s.Open, func(f working.Failure) bool { return f.Event == c.Event })
		isCheck := c.Kind == "test" || c.Kind == "build" || c.Kind == "lint"
		isOld := !c.Time.IsZero() && s.Active.Sub(c.Time) > oldCommand
		return isOld || isOpen || isCheck && c.Status == outcome.Failed
	})
	if len(commands) == 0 {
		return nil
	}
	var entries []entry
	for _, c := range commands {
		entries = append(entries, entry{text: ranText(c), event: c.Event})
	}
	it := item("working.commands", RankCommands, "", commands[0].Event)
	return []Item{entriesItem(0, it, entries, "Ran: ", "; ")}
}

// oldCommand is the time after which an outcome says nothing of the work any more.
const oldCommand = 12 * time.Hour

// ranText is a command with its outcome. Of one that checks nothing an outcome that is not known is not told.
func ranText(c working.Command) string {
	said := string(c.Status)
	if c.Status == outcome.Unknown {
		if (events.Call{Runs: events.Runs(c.Line)}).Check() == "" {
			return commandText(c)
		}
		said = "outcome unknown"
	}
	if c.Result != "" {
		said += ", " + c.Result
	}
	return fmt.Sprintf("%s (%s)", commandText(c), said)
}

// commandText is a command, as far as it tells which one it is.
func commandText(c working.Command) string { return wording.Code(wording.Short(c.Line, commandChars)) }
