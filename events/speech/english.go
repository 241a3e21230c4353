package speech

import (
	"regexp"
	"strings"
)

// Orders in English.

// Forms of an order at the beginning of a clause.
var (
	negated   = regexp.MustCompile(`^(?:never|don't|dont|do not|do n't|don´t|you (?:must|should|may|can|shall) (?:never|not)|you (?:mustn't|shouldn't|can't|cannot)|must not|mustn't|let's not|let us not)(?: ever)? ([a-z][a-z'-]*)`)
	alwaysDo  = regexp.MustCompile(`^(?:always|you (?:must|should) always|you must|you have to always|make sure|be sure|ensure|make certain)(?: to| that)? ([a-z'.\d/-]+)`)
	onlyDo    = regexp.MustCompile(`^(?:only|you (?:may|can|should|must|are allowed to) only|you may|limit yourself to) ([a-z][a-z-]*)`)
	onlyAfter = regexp.MustCompile(`^([a-z][a-z-]*)(?: \S+){0,6}? only (?:[^w]|w[^a]|wa[^y])`)
	tellsOnly = regexp.MustCompile(`\b(?:that|which|who|it|the|an|they|we|i|you|is|are|was) only\b`)
	askFirst  = regexp.MustCompile(`^(?:(?:always|you must|you should) )?(?:ask|check with|confirm with|consult|tell|warn)(?: (?:me|us))?\b.{0,40}?\b(?:before|first|if|when|beforehand)\b|^(?:wait for (?:my|our) |get (?:my|our) (?:ok|okay|approval|permission|confirmation)|let me (?:review|approve|confirm|see|check) .{0,60}\bbefore\b)`)
	without   = regexp.MustCompile(`^([a-z][a-z-]*)\b.*\bwithout (?:(?:my|our|asking|permission|approval|confirmation|any|new|extra|additional|adding|altering|affecting|asking|breaking|bumping|changing|committing|creating|deleting|disabling|editing|exposing|installing|introducing|` +
		`killing|leaking|logging|losing|modifying|moving|overwriting|pushing|refactoring|removing|renaming|restarting|requiring|rewriting|sacrificing|skipping|touching|using|writing)\b|(?:downtime|dependencies|mocks)\b)`)
	noThing = regexp.MustCompile(`^(?:with |use |add |make |there (?:must|should) be )?no (?:new|more|extra|additional|other|external|third[- ]party|breaking|force[- ]|unsafe|global|hard-?coded|magic|inline|unrelated|unnecessary|further|fancy|any|direct|` +
		`mocks?|stubs?|comments?|emojis?|placeholders?|shortcuts?|hacks?|workarounds?|todos|fallbacks?|abbreviations|downtime|refactoring|refactors|reformatting|force|network|docker|frameworks?|dependencies|librar(?:y|ies)|commits?|push(?:es|ing)?|deploys?|edits?|guess(?:es|ing)|` +
		`changes (?:to|in|outside|of|on|elsewhere)|writes? (?:to|outside)|tests? (?:may|should)|co-author|attribution|mention)\b`)
	avoids  = regexp.MustCompile(`^(?:avoid|refrain from) (?:\w+ing\b|any\b|the\b|new\b|using\b|adding\b)`)
	beforeX = regexp.MustCompile(`^([a-z][a-z-]*)\b.*\bbefore (?:each|every|any|you (?:commit|push|merge|deploy|start|change|edit)|committing|pushing|merging|deploying|the commit)\b`)
)

// toldOf matches words that tell of something that is not there rather than forbid it.
var toldOf = regexp.MustCompile(`\b(?:was|were|is|are|has|have|had|found|seen|left|needed|found|happens?)\b|→`)

// mustDo matches a sentence in which something must be or do something; its groups are the subject's last word and what follows.
var mustDo = regexp.MustCompile(`(?:^|\s)(\S+) must (?:(always|only|also|still|never|not) )?((?:be |have )?[a-z][a-z'-]*)`)

// Words behind a negation that describe rather than order: "never mind", "don't know", "never worked".
var describes = wordSet(`mind know think see understand worry care have seem believe remember recall like want need get got mean matter feel expect wonder bother look sure knew had been was were did does is are
	fails failed works worked ends ended stops stopped happens happened returns returned finishes finished gets runs ran seen saw heard found came comes goes went made knows understood used tried thought exist exists work show appear you i we they it actually really quite even once again-`)

// causes are words by which a user guesses what is the matter: "it must be the cache".
var guesses = wordSet(`it this that there something somebody someone he she which what problem cause error issue bug reason culprit fault failure answer i`)

// stateWords are states that somebody guesses: "the cache must be stale".
var stateWords = wordSet(`be-stale stale broken wrong missing off down dead corrupt corrupted outdated old different something because due related coming using happening there the a an some in from on at how why what my your more less`)

// isEnglishOrder reports whether a clause orders what is always, never or only to be done.
func isEnglishOrder(clause string) bool {
	if m := negated.FindStringSubmatch(clause); m != nil {
		return !describes[m[1]] && (!finite(m[1]) || !strings.HasPrefix(clause, "never"))
	}
	if m := alwaysDo.FindStringSubmatch(clause); m != nil {
		return !describes[m[1]] && !finite(m[1]) || strings.HasPrefix(clause, "make sure") || strings.HasPrefix(clause, "ensure")
	}
	if m := onlyDo.FindStringSubmatch(clause); m != nil {
		return imperatives[m[1]] && (strings.Contains(clause, "only") || strings.HasPrefix(clause, "limit"))
	}
	if noThing.MatchString(clause) {
		return !toldOf.MatchString(clause)
	}
	return askFirst.MatchString(clause) || avoids.MatchString(clause)
}

// finite reports whether a word is a verb of the third person or of the past rather than one of an order.
func finite(word string) bool {
	if imperatives[word] {
		return false
	}
	isPast := strings.HasSuffix(word, "ed") && !strings.HasSuffix(word, "eed")
	isThird := strings.HasSuffix(word, "s") && !strings.HasSuffix(word, "ss") && !strings.HasSuffix(word, "us") && !strings.HasSuffix(word, "is")
	return isPast || isThird
}

// isOrderAsAWhole reports whether a sentence is an order by its beginning and by a word further on: "use only", "without
// changing", "must".
func isOrderAsAWhole(own string) bool {
	text := strings.TrimPrefix(own, joint.FindString(own))
	for _, form := range []*regexp.Regexp{onlyAfter, without, beforeX} {
		m := form.FindStringSubmatch(text)
		if m == nil || !imperatives[m[1]] {
			continue
		}
		tells := form == onlyAfter && tellsOnly.MatchString(m[0])
		if !tells {
			return true
		}
	}

	for _, m := range mustDo.FindAllStringSubmatch(own, maxClauses) {
		if !isGuess(m[1], m[2], m[3]) {
			return true
		}
	}
	return false
}

// isGuess reports whether words around "must" guess what is the matter rather than demand it.
func isGuess(subject, adverb, verb string) bool {
	subject = strings.Trim(subject, `"'(,`)
	first, rest, _ := strings.Cut(verb, " ")
	isNoun := subject == "a" || subject == "the"
	if isNoun || subject == "i" || subject == "we" && first == "have" {
		return true
	}
	if adverb == "always" || adverb == "only" || adverb == "never" {
		return false
	}
	switch first {
	case "be":
		return guesses[subject] || stateWords[rest] || strings.HasSuffix(rest, "ing")
	case "have":
		return guesses[subject] || rest == "been" || strings.HasSuffix(rest, "ed") || strings.HasSuffix(rest, "en")
	}
	return subject == "there" || subject == "something"
}
