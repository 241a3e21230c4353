package codes

import (
	"regexp"
	"slices"
	"strings"
	"unicode"

	"hookline/events"
	"hookline/events/wording"
)

// When a blocker stands in the way no more (DECISIONS S4): the user or the agent says so of its subject, or what it names
// succeeds. A command ends one by done:, see [collector.done].

// lifts matches words by which something is said to be in the way no more.
var lifts = regexp.MustCompile(`(?i)\b(?:installed|works|working again|fixed|solved|resolved|unblocked|sorted out|cleared up|available|granted|in place|up again|back up|reachable|passes|pass now|is clear|clear now|can now|no longer (?:blocked|unclear|fails)|(?:isn['’]t|not) blocked any ?more)\b`)

// negates matches words before such words that take them back, or put them off.
var negates = regexp.MustCompile(`(?i)\b(?:not|n['’]t|never|still|no longer works|cannot|once|until|if|when|unless|should|must|needs?|will|try|want|please)\b|n['’]t\b`)

// noLonger matches words that have a negation of their own and lift all the same.
var noLonger = regexp.MustCompile(`(?i)\b(?:no longer (?:blocked|unclear|fails)|(?:isn['’]t|not) blocked any ?more)\b`)

// said takes blockers away that own words of the user or the agent lift.
func (c *collector) said(text string) {
	if len(c.context.Blockers) == 0 {
		return
	}
	for _, s := range wording.OwnSentences(text) {
		at := lifts.FindStringIndex(s.Own)
		if at == nil || s.Question {
			continue
		}
		before := noLonger.ReplaceAllString(s.Own[:at[1]], "")
		if negates.MatchString(before) {
			continue
		}

		subject := subjectOf(s.Own[:at[0]])
		if len(subject) == 0 {
			rest, _, _ := strings.Cut(s.Own[at[1]:], ",")
			subject = subjectOf(rest)
		}
		c.lift(subject)
	}
}

// lift takes away the blockers of a subject; words without a subject mean the newest one of the session.
func (c *collector) lift(subject []string) {
	if len(subject) == 0 {
		last := len(c.context.Blockers) - 1
		if last >= 0 && c.context.Blockers[last].Session == c.record.Session {
			c.context.Blockers = c.context.Blockers[:last:last]
			c.changed = true
		}
		return
	}
	c.unblock(func(code Code) bool {
		blocked := subjectOf(code.words())
		common := 0
		for _, word := range subject {
			if slices.Contains(blocked, word) {
				common++
			}
		}
		few := min(len(subject), len(blocked)) <= fewWords
		return common >= 2 || common == 1 && few
	})
}

// fewWords is how many words a subject has of which one in common is enough.
const fewWords = 3

// ranWell takes away the blockers that name a command which succeeded.
func (c *collector) ranWell(runs []events.Run) {
	if len(c.context.Blockers) == 0 {
		return
	}
	for _, run := range runs {
		if len(run.Words) == 0 {
			continue
		}
		program := strings.ToLower(run.Words[0])
		both := strings.ToLower(strings.Join(run.Words[:min(2, len(run.Words))], " "))
		c.unblock(func(code Code) bool {
			text := " " + strings.Join(strings.FieldsFunc(strings.ToLower(code.words()), betweenWords), " ") + " "
			isWord := len(program) > 2 && !slices.Contains(everyday, program) && strings.Contains(text, " "+program+" ")
			return isWord || len(run.Words) > 1 && strings.Contains(text, " "+both+" ")
		})
	}
}

// everyday are programs whose names are words that say nothing of them in a sentence, or that succeed at anything.
var everyday = strings.Fields("make test find which time less more head tail sort cut join install watch open start node file git sudo bash sh env cat echo")

// unblock takes away blockers that a function picks, but for those of failed checks, which a success of the check ends.
func (c *collector) unblock(is func(Code) bool) {
	c.forget(&c.context.Blockers, func(code Code) bool { return code.By != ByOutput && is(code) })
}

// words returns what a blocker says.
func (c Code) words() string {
	if c.Text != "" {
		return c.Text
	}
	_, what, _ := strings.Cut(c.Code, ":")
	return strings.ReplaceAll(what, "-", " ")
}

// betweenWords reports whether a character stands between words. A dot within a name, as in go.mod, is part of it.
func betweenWords(r rune) bool {
	return !unicode.IsLetter(r) && !unicode.IsDigit(r) && !strings.ContainsRune("._-/", r)
}

// saysNothing are words that are no subject.
var saysNothing = strings.Fields(`a all am an and any are as at be because been before but by can cannot could did do does done for from had has
	have here how i in into is it its itself just me my no now of on or our out so some than that the their them then there these they this
	to too up us was we were what which while who why will with without would yes you your blocked unclear fails fail can't can’t again finally
	ok okay go ahead on continue thanks also everything problem issue thing`)

// subjectOf returns the telling words of a sentence in lower case and the singular.
func subjectOf(text string) []string {
	var words []string
	for _, word := range strings.FieldsFunc(strings.ToLower(text), betweenWords) {
		word = strings.Trim(word, "._-/")
		if len(word) < 2 || slices.Contains(saysNothing, word) {
			continue
		}
		word = strings.TrimSuffix(word, "s")
		if !slices.Contains(words, word) {
			words = append(words, word)
		}
	}
	return words
}
