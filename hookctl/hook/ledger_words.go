package hook

import (
	"regexp"
	"strings"
	"unicode"

	"hookline/events"
	"hookline/events/wording"
	"hookline/projector/ledger"
)

// Words by which a decision is known (DECISIONS S3). They count in words of the speaker's own alone: what is quoted was
// decided by nobody.

// maxDecision bounds a decision in characters, as it is heard.
const maxDecision = 300

// minDecision is how many characters a decision has at least.
const minDecision = 7

// declaration matches the beginning of a line that names a decision: "Decision:" in any case, bold or not, also in a list or
// as a heading.
var declaration = regexp.MustCompile(`(?im)^[ \t]*(?:[-*+][ \t]+|\d+[.)][ \t]+|#{1,6}[ \t]+)?(?:\*\*)?decision(?:\*\*)?:(?:\*\*)?[ \t]+`)

// agentDecides matches a sentence by which an agent says that it decided; the decision follows.
var agentDecides = regexp.MustCompile(`(?i)^(?:[-*+][ \t]+)?(?:so |therefore,? )?i(?:['’]ve| have)? decided (?:to|on|that|against)\b`)

// userDecides matches the words by which a user decides (S4); the sentence is the decision, behind "decision:" the rest.
var (
	userDecides = regexp.MustCompile(`(?i)\b(?:(?:let['’]s|we['’]ll) use|we(?:['’]ve| have)? decided)\b`)
	userNames   = regexp.MustCompile(`(?i)^.*?\bdecision:[ \t]*`)
	conditional = regexp.MustCompile(`(?i)\b(?:if|unless|whether|in case|maybe|perhaps|suppose|supposing|assuming)\b`)
)

// decisionsOfAgent returns the decisions that the agent's words name as such, the first ones.
func decisionsOfAgent(text string) []*events.LedgerEntryAdded {
	var list []*events.LedgerEntryAdded
	add := func(said, own string) {
		subject, decision := ledger.SplitSubject(wording.Short(said, maxDecision))
		if subject != "" {
			_, own, _ = strings.Cut(own, ":")
		}
		if saysSomething(own) && len(said) >= minDecision && len(list) < maxHeard {
			list = append(list, &events.LedgerEntryAdded{Subject: subject, Text: decision, By: "agent"})
		}
	}

	own := wording.OwnWords(text)
	for _, at := range declaration.FindAllStringIndex(own, -1) {
		line, _, _ := strings.Cut(own[at[1]:], "\n")
		said := strings.TrimSpace(text[at[1] : at[1]+len(line)])
		isPlace := strings.HasPrefix(strings.TrimSpace(text[at[0]:at[1]]), "#") && place.MatchString(said)
		if !isPlace && !offers(said, text[at[1]+len(line):]) {
			add(said, line)
		}
	}
	for _, s := range wording.OwnSentences(text) {
		if agentDecides.MatchString(s.Own) && !s.Question {
			add(s.Text, s.Own)
		}
	}
	return list
}

// place matches the place in a file, by which a report heads what it found there.
var place = regexp.MustCompile(`[\w/-]\.\w{1,5}:\d+`)

// option matches the beginning of a line that somebody is to choose among others.
var option = regexp.MustCompile(`(?m)^[ \t>*_-]*(?:[Oo]ption[ \t]+\w{1,2}\b|\(?[A-D][.):])`)

// maxOffer is how many bytes behind the words "Decision:" options are looked for in.
const maxOffer = 8 << 10

// offers reports whether the words behind "Decision:" are a question to the user: they end as one, or options stand below them with
// a question among or behind them.
func offers(said, below string) bool {
	if strings.HasSuffix(strings.TrimRight(said, "*_ "), "?") {
		return true
	}
	below = wording.Clip(below, maxOffer)
	if next := declaration.FindStringIndex(below); next != nil {
		below = below[:next[0]]
	}
	isChoice := len(option.FindAllStringIndex(below, 2)) == 2
	return isChoice && strings.Contains(below, "?")
}

// decisionsOfUser returns the decisions of a prompt: sentences as they were written, no questions, and nothing under a condition.
func decisionsOfUser(text string) []*events.LedgerEntryAdded {
	if strings.HasPrefix(text, "/") {
		return nil
	}

	var list []*events.LedgerEntryAdded
	for _, s := range wording.OwnSentences(wording.Typed(text)) {
		if s.Question || conditional.MatchString(s.Own) || len(list) == maxHeard {
			continue
		}
		said, own := s.Text, s.Own
		switch at := userNames.FindStringIndex(own); {
		case at != nil:
			said, own = said[at[1]:], own[at[1]:]
		case !userDecides.MatchString(own):
			continue
		}
		if !saysSomething(own) {
			continue
		}
		subject, decision := ledger.SplitSubject(wording.Short(said, maxDecision))
		list = append(list, &events.LedgerEntryAdded{Subject: subject, Text: decision, By: "user"})
	}
	return list
}

// saysSomething reports whether a text has a word of at least two letters.
func saysSomething(text string) bool {
	return strings.ContainsFunc(text, unicode.IsLetter) && len(strings.TrimSpace(text)) > 1
}
