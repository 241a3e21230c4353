package hook

import (
	"cmp"
	"slices"
	"strings"

	"hookline/events"
	"hookline/projector"
	"hookline/projector/codes"
)

// Codes (S4): a session that starts is told what of a project's codes no other section has: decisions and blockers of
// prompts, functions, results of tests. Files, things to do and failures are told with the working state.

// codesTokens bounds the item.
const codesTokens = 220

// tellCodes tells them as one item, the most telling first; nothing when they have expired. A context that is resumed has
// them still, and the summary of a compaction tells what was decided.
func tellCodes(in Input, w World, r Reader) []Item {
	e, ok := in.Event.(*events.SessionStarted)
	if !ok || e.Source == "resume" || e.Source == "compact" || forked(w, e) {
		return nil
	}
	s, _ := projector.State[codes.State](r.Reader, codes.Name, w.Project)
	c := s.At(in.Time)

	var texts []string
	event := ""
	for _, list := range [][]codes.Code{c.Decisions, c.Blockers, c.Done, c.Functions} {
		for _, code := range slices.Backward(list) {
			elsewhere := strings.HasPrefix(code.Code, "block:fails:") || strings.HasPrefix(code.Code, "done:")
			if !elsewhere {
				texts = append(texts, code.Code)
				event = cmp.Or(event, code.Event)
			}
		}
	}
	if texts == nil {
		return nil
	}
	return []Item{listItem(codesTokens, "codes", RankFunctions, "Codes: ", texts, " ", event)}
}
