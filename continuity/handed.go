package main

import (
	"regexp"
	"slices"
	"strings"
	"time"

	"hookline/events"
)

// byActivity returns the other sessions of a work tree's repository that had begun at a time, the one that was active last
// first.
func byActivity(sessions []*session, own *session, at time.Time) []*session {
	var list []*session
	for _, s := range sessions {
		if s != own && s.repo == own.repo && !lastBefore(s, at).time.IsZero() {
			list = append(list, s)
		}
	}
	slices.SortStableFunc(list, func(a, b *session) int { return lastBefore(b, at).time.Compare(lastBefore(a, at).time) })
	return list
}

// prompt is what a user wrote.
type prompt struct {
	text string
	step int
}

// prompts are those of the session, as far as the history goes.
func (h *history) prompts() []prompt {
	var list []prompt
	for i, st := range h.session.steps[:h.to] {
		if e, ok := st.event.(*events.PromptSubmitted); ok && e.UserText() != "" {
			list = append(list, prompt{text: strings.ReplaceAll(e.UserText(), h.session.root+"/", ""), step: i})
		}
	}
	return list
}

// onlyGoesOn reports whether prompts name no other work.
func (s *session) onlyGoesOn(list []prompt) bool {
	return !slices.ContainsFunc(list, func(p prompt) bool { return substance(p.text, true) })
}

// lastWords are those with which the agent ended its newest turn.
func (h *history) lastWords() (said string, at int) {
	for i := h.to - 1; i >= 0; i-- {
		if e, ok := h.session.steps[i].event.(*events.TurnStopped); ok {
			return e.LastAssistantMessage, i
		}
	}
	return "", -1
}

// small are words that name no work.
var small = regexp.MustCompile(`(?i)^\W*((hi|hello|hey|thanks|thank|you|thx|ok|okay|yes|yep|no|nope|sure|go|on|ahead|going|continue|proceed|next|resume|carry|keep|great|good|nice|perfect|` +
	`stop|wait|commit|push|pr|status|help|and|it|do|please|now|then|from|where|here|we|left|off|y|n|weiter|weitermachen|und|jetzt|mach|bitte|ja|gut|danke)\b\W*)+$`)

// substance reports whether a prompt names work. What lies between the strict and the other reading is doubtful.
func substance(text string, strict bool) bool {
	text = strings.TrimSpace(text)
	if strings.HasPrefix(text, "/") || small.MatchString(text) || len([]rune(text)) < 8 {
		return false
	}
	spaced := len(strings.Fields(text)) >= 4
	dense := len([]rune(text)) >= 8 && !strings.Contains(text, " ") // written without blanks
	return !strict || spaced || dense
}

// leadsOrder matches a prompt by which the lead of a team gives a member its work: to the member it is what a user's request is to
// others. A notice between programs is an object of JSON.
var leadsOrder = regexp.MustCompile(`(?s)<teammate-message\b[^>]*teammate_id="team-lead"[^>]*>\s*[^\s{]`)

// workOf returns when a session did work last before a time, zero for a session without work: an edit, a prompt of substance
// with three calls after it, or three such prompts; an order of a team's lead is one, too.
func workOf(s *session, at time.Time, strict bool) time.Time {
	var newest time.Time
	editsMade, prompts, after := 0, 0, 0
	for _, st := range s.steps {
		if !st.time.Before(at) {
			break
		}
		worked := false
		switch e := st.event.(type) {
		case *events.PromptSubmitted:
			if substance(e.UserText(), strict) || leadsOrder.MatchString(e.Prompt) {
				prompts++
				worked = true
			}
		case *events.ToolSucceeded:
			if edits[e.ToolName] {
				editsMade++
			}
			worked = prompts > 0 || editsMade > 0
		case *events.ToolFailed:
			worked = prompts > 0 || editsMade > 0
		}
		if _, prompted := st.event.(*events.PromptSubmitted); worked && !prompted && prompts > 0 {
			after++
		}
		if worked {
			newest = st.time
		}
	}
	if editsMade > 0 || prompts >= 3 || prompts > 0 && after >= 3 {
		return newest
	}
	return time.Time{}
}

// headless reports whether nobody sat before a session.
func (s *session) headless() bool {
	return strings.HasPrefix(s.entrypoint, "sdk-") || s.entrypoint == "claude-code-github-action"
}

// Ages of the rule.
const (
	attendedAge = 24 * time.Hour // no headless session hands over before an attended one of that age
	toldAge     = 24 * time.Hour // older work is not told as that of a session
)

// handingOver returns the session whose work is handed over to another one at its start, nil for none.
func handingOver(all []*session, own *session, at time.Time, strict bool) (chosen *session, worked time.Time) {
	var newest *session
	var when time.Time
	for _, s := range byActivity(all, own, at) {
		work := workOf(s, at, strict)
		if work.IsZero() {
			continue
		}
		if newest == nil || work.After(when) {
			newest, when = s, work
		}
		recent := at.Sub(work) < attendedAge
		if !s.headless() && recent && (chosen == nil || work.After(worked)) {
			chosen, worked = s, work
		}
	}
	if chosen != nil {
		return chosen, worked
	}
	return newest, when
}

// toldFrom is the session that a start names.
var toldFrom = regexp.MustCompile(`From (?:headless )?session (\w+)`)

// rightSession judges whose work is told at a start. A fork is told nobody's: it has its origin's conversation.
func rightSession(all []*session, m moment) (verdict, string) {
	at := m.session.steps[m.at]
	told := ""
	if found := toldFrom.FindStringSubmatch(string(m.told)); found != nil {
		told = found[1]
	}
	if e, ok := at.event.(*events.SessionStarted); ok && (e.Source == "fork" || m.session.origin != "") {
		return verdictOf(told == ""), "a fork is told of session " + told
	}

	want, worked := handingOver(all, m.session, at.time, true)
	other, _ := handingOver(all, m.session, at.time, false)
	name := ""
	if want != nil {
		name = want.id[:8]
	}
	what := "told of session " + told + ", the newest with work is " + name
	switch {
	case told == name:
		return right, what
	case want != other:
		return doubted, what
	case told == "" && at.time.Sub(worked) > toldAge:
		return right, what // so old that only what is open is told
	}
	return wrong, what
}
