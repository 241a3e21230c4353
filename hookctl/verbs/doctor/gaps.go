package doctor

import (
	"context"
	"os"
	"slices"
	"time"

	"hookline/hookctl/cmdline"
	"hookline/hookctl/problem"
	"hookline/hookctl/transcript"
	"hookline/hookctl/verbs/env"
	"hookline/hookctl/verbs/show"
	"hookline/hookctl/verbs/transcripts"
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
func gaps(ctx context.Context, e *env.Env) error {
	dir := transcripts.ClientFolder(e)
	if _, err := os.Stat(dir); err != nil {
		return problem.Faultf("%v", err).Advise("CLAUDE_CONFIG_DIR names the client's folder, whose projects has the transcripts")
	}
	found, _, err := transcripts.Import(ctx, e, []string{dir}, true)
	if err != nil {
		return err
	}
	out := gapsJSON{Sessions: found.Sessions, Live: found.Live, Missing: found.Missing, Gaps: []transcript.Gap{}}
	for _, g := range found.Gaps {
		if e.Now().Sub(g.Time) < arriving {
			out.Missing--
			continue
		}
		out.Gaps = append(out.Gaps, g)
	}

	bad := slices.ContainsFunc(out.Gaps, func(g transcript.Gap) bool {
		return g.Cause == transcript.CauseLost || g.Cause == transcript.CauseUnknown
	})
	return e.Verdict(out, !bad, func() {
		if out.Missing == 0 {
			e.Printf(e.Paint.Good("no gaps: of %s in the transcripts of %s, all that could be recorded were")+"\n", cmdline.Plural(out.Live, "recorded hook"), cmdline.Plural(out.Sessions, "session"))
			return
		}
		e.Printf("%s\n", e.Paint.Warn(cmdline.Plural(out.Missing, "hook")+" never came; `hookctl import transcripts` takes them from the transcripts"))
		t := e.Table("SESSION", "TIME", "HOOK", "CAUSE")
		t.Prose = true
		for _, g := range out.Gaps {
			t.Row(show.Alias(g.Session), show.Stamp(e, g.Time), g.Hook, causes[g.Cause])
		}
		t.Print()
	})
}
