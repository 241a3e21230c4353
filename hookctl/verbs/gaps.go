package verbs

import (
	"fmt"
	"os"
	"slices"
	"time"

	"hookline/hookctl/cmdline"
	"hookline/hookctl/problem"
	"hookline/hookctl/transcript"
)

// gapsJSON is what `doctor --gaps --json` prints.
type gapsJSON struct {
	Sessions int              `json:"sessions" jsonschema_description:"that the transcripts are of"`
	Live     int              `json:"live" jsonschema_description:"hooks of theirs that were recorded when they happened"`
	Missing  int              `json:"missing" jsonschema_description:"prompts and tool calls of sessions that were recorded, whose hooks were not"`
	Gaps     []transcript.Gap `json:"gaps" jsonschema_description:"those, the first 1,000"`
}

// causes are the causes of gaps in words.
var causes = map[string]string{
	transcript.CauseBefore:    "before the session's first recorded hook: the hooks were installed, or switched on, later",
	transcript.CauseAfter:     "after the session's last recorded hook: the hooks were removed, or switched off",
	transcript.CauseLost:      "the log notes that a hook of this session was lost",
	transcript.CauseNotHooked: "no hook of this name and tool was recorded in this session: it is not installed, as with the profile identity",
	transcript.CauseUnknown:   "unknown: the client did not call the hook, or it was ended from outside",
}

// arriving is how long a hook may be on its way: until then it is no gap.
const arriving = 10 * time.Second

// gaps compares the client's transcripts with the log. It exits 1 where a hook is missing between others.
func (a *app) gaps() error {
	dir := a.clientFolder()
	if _, err := os.Stat(dir); err != nil {
		return problem.Faultf("%v", err).Advise("CLAUDE_CONFIG_DIR names the client's folder, whose projects has the transcripts")
	}
	_, found, err := a.awaitImport([]string{dir}, true)
	if err != nil {
		return err
	}
	given := len(found.Gaps)
	found.Gaps = slices.DeleteFunc(found.Gaps, func(g transcript.Gap) bool { return a.Now().Sub(g.Time) < arriving })
	found.Missing -= given - len(found.Gaps)

	bad := slices.ContainsFunc(found.Gaps, func(g transcript.Gap) bool {
		return g.Cause == transcript.CauseLost || g.Cause == transcript.CauseUnknown
	})
	return a.Verdict(gapsJSON{Sessions: found.Sessions, Live: found.Live, Missing: found.Missing, Gaps: append([]transcript.Gap{}, found.Gaps...)}, !bad, func() { a.printGaps(found) })
}

func (a *app) printGaps(found transcript.Imported) {
	if found.Missing == 0 {
		a.Printf("%s\n", a.Paint.Good(fmt.Sprintf("no gaps: of %s in the transcripts of %s, all that could be recorded were", cmdline.Plural(found.Live, "recorded hook"), cmdline.Plural(found.Sessions, "session"))))
		return
	}
	a.Printf("%s\n", a.Paint.Warn(cmdline.Plural(found.Missing, "hook")+" never came; `hookctl import transcripts` takes them from the transcripts"))
	t := cmdline.Table{Head: []string{"SESSION", "TIME", "HOOK", "CAUSE"}, Columns: a.Columns, Prose: true}
	for _, g := range found.Gaps {
		t.Row(alias(g.Session), a.stamp(g.Time), g.Hook, causes[g.Cause])
	}
	t.Print(a.Out, a.Paint)
}
