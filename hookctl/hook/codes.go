package hook

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"hookline/events"
	"hookline/events/wording"
	"hookline/projector"
	"hookline/projector/codes"
)

// Codes (S4): a session that starts is told what of a project's codes no other section has: blockers with who said them and
// when, what comes next, and what is done. Decisions are told through the ledger, files, things to do and failures with the
// working state; names of functions are left to `hookctl codes show`.

// Bounds of the two items in tokens.
const (
	blockersTokens = 140
	codesTokens    = 140
)

// tellCodes tells them, the newest first; nothing when they have expired. A context that is resumed has them still, and the
// summary of a compaction tells what was decided.
func tellCodes(in Input, w World, r Reader) []Item {
	e, ok := in.Event.(*events.SessionStarted)
	if !ok || e.Source == "resume" || e.Source == "compact" || forked(w, e) {
		return nil
	}
	s, _ := projector.State[codes.State](r.Reader, codes.Name, w.Project)
	c := s.At(in.Time)

	var blockers []entry
	for _, code := range slices.Backward(c.Blockers) {
		if code.By != codes.ByOutput && !strings.HasPrefix(code.Code, "block:fails:") { // a failed check is told as not mended
			blockers = append(blockers, codeEntry(code, in.Time))
		}
	}
	var rest []entry
	told := tasksTold(in, w, r)
	for _, code := range slices.Backward(c.Next) {
		if !slices.Contains(told, code.Code) {
			rest = append(rest, entry{text: code.Code, event: code.Event})
		}
	}
	for _, code := range slices.Backward(c.Done) {
		rest = append(rest, codeEntry(code, in.Time))
	}

	items := codesItem(blockersTokens, "codes.blockers", RankBlockers, "Blocked: ", blockers, "; ")
	return append(items, codesItem(codesTokens, "codes", RankFunctions, "Codes: ", rest, " ")...)
}

// codesItem is an item of some codes; none where there are none.
func codesItem(most int, id string, rank Rank, title string, entries []entry, between string) []Item {
	if entries == nil {
		return nil
	}
	return []Item{entriesItem(most, item(id, rank, "", entries[0].event), entries, title, between)}
}

// codeEntry returns a code with who said it and how long ago; of what is done the age alone.
func codeEntry(code codes.Code, now time.Time) entry {
	origin := wording.Age(now.Sub(code.Time)) + " ago"
	if strings.HasPrefix(code.Code, "block:") && code.By != "" {
		origin = code.By + ", " + origin
	}
	return entry{text: fmt.Sprintf("%s (%s)", code.Code, origin), event: code.Event}
}

// tasksTold returns the codes of the things to do that the start tells with the working state.
func tasksTold(in Input, w World, r Reader) []string {
	var texts []string
	for _, t := range WorkAt(in, w, r).Todos {
		texts = append(texts, codes.Next(t.Text))
	}
	if taken := takenBy(in, w, r); taken != nil {
		for _, o := range taken.Open {
			texts = append(texts, codes.Next(o.Text))
		}
	}
	return texts
}
