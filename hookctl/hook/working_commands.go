package hook

import (
	"fmt"
	"slices"

	"hookline/events/wording"
	"hookline/projector/working"
)

// Commands with their outcome, as they are told.

// commandItems are the distinct commands with their outcome, those first that are probably run again. One that failed and
// stands under what is not mended is not repeated.
func commandItems(s working.State) []Item {
	open := unmended(s)
	commands := slices.DeleteFunc(s.Repeated(), func(c working.Command) bool {
		return slices.ContainsFunc(open, func(f working.Failure) bool { return f.Event == c.Event })
	})
	if len(commands) == 0 {
		return nil
	}
	var texts []string
	for _, c := range commands {
		if text := ranText(c); !slices.Contains(texts, text) { // some differ after what is told
			texts = append(texts, text)
		}
	}
	return []Item{listItem(commandTokens, "working.commands", RankCommands, "Ran: ", texts, "; ", commands[0].Event)}
}

// ranText is a command with its outcome.
func ranText(c working.Command) string {
	outcome := "ok"
	if !c.OK {
		outcome = "failed"
	}
	if c.Result != "" {
		outcome += ", " + c.Result
	}
	return fmt.Sprintf("%s (%s)", wording.Code(wording.Short(c.Line, commandChars)), outcome)
}
