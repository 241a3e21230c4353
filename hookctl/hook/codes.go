package hook

import (
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
	if !ok || in.Call.Verb != VerbHook || in.Session == "" || e.Source == "resume" || e.Source == "compact" {
		return nil
	}
	s, _ := projector.State[codes.State](r.Reader, codes.Name, w.Project)
	c := s.At(in.Time)

	var list []codes.Code
	list = append(list, newest(c.Decisions, len(c.Decisions))...)
	for _, b := range newest(c.Blockers, len(c.Blockers)) {
		if !strings.HasPrefix(b.Code, "block:fails:") {
			list = append(list, b)
		}
	}
	for _, d := range newest(c.Done, len(c.Done)) {
		if strings.HasPrefix(d.Code, "test:") {
			list = append(list, d)
		}
	}
	list = append(list, newest(c.Functions, len(c.Functions))...)
	if len(list) == 0 {
		return nil
	}

	var texts []string
	for _, code := range list {
		texts = append(texts, code.Code)
	}
	return []Item{atMost(codesTokens, listItem("codes", RankFunctions, "Codes: ", texts, " ", list[0].Event))}
}
