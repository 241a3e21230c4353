package ledger

import (
	"cmp"
	"slices"
	"strings"
	"time"
	"unicode"

	"hookline/events"
)

// Open returns the open entries of a kind, in the order they were added.
func (s State) Open(kind string) []Entry {
	var list []Entry
	for _, e := range s.Entries {
		if e.Kind == kind && e.Closed == nil {
			list = append(list, e)
		}
	}
	return list
}

// Merge returns the ledger of a project together with those of the projects that it took in.
func Merge(ledger State, joined ...State) State {
	for _, other := range joined {
		ledger.Entries = append(slices.Clip(ledger.Entries), other.Entries...)
		ledger.Forks = append(slices.Clip(ledger.Forks), other.Forks...)
		ledger.Handoffs = append(slices.Clip(ledger.Handoffs), other.Handoffs...)
	}
	slices.SortStableFunc(ledger.Entries, func(a, b Entry) int { return cmp.Compare(a.Seq, b.Seq) })
	return ledger
}

// Times returns when entries were added, forks found and syntheses made.
func (s State) Times() []time.Time {
	var list []time.Time
	for _, e := range s.Entries {
		list = append(list, e.Time)
	}
	for _, f := range s.Forks {
		list = append(list, f.Time)
	}
	for _, h := range s.Handoffs {
		list = append(list, h.Ended)
	}
	return list
}

// Search returns the n entries that have the most of the words, the newer first, closed ones too; none without any
// word.
func (s State) Search(asked []string, n int) []Entry {
	type match struct {
		entry Entry
		score int // how many of the words it has
	}

	wanted := normalised(strings.Join(asked, " "))
	var matches []match
	for _, e := range slices.Backward(s.Entries) {
		has := normalised(e.Subject + " " + e.Text + " " + e.Rationale + " " + e.Expected)
		score := 0
		for _, word := range wanted {
			if slices.Contains(has, word) {
				score++
			}
		}
		if score > 0 {
			matches = append(matches, match{e, score})
		}
	}
	slices.SortStableFunc(matches, func(a, b match) int { return cmp.Compare(b.score, a.score) })

	list := []Entry{}
	for _, m := range matches[:min(n, len(matches))] {
		list = append(list, m.entry)
	}
	return list
}

// Judge returns the open entry that says what e says already, and the open decision that e contradicts: of the same
// subject, or with the same place as evidence, and another decision (DECISIONS S3 "Fork"). The one that e replaces does
// not count. Both are nil where there is none.
func (s State) Judge(e *events.LedgerEntryAdded) (same, fork *Entry) {
	text := normalised(e.Text)
	subject := normalised(e.Subject)

	for i := range s.Entries {
		known := &s.Entries[i]
		if known.Kind != e.Kind || known.Closed != nil {
			continue
		}

		sameSubject := slices.Equal(normalised(known.Subject), subject)
		if slices.Equal(normalised(known.Text), text) {
			if e.Subject == "" || sameSubject {
				same = cmp.Or(same, known)
			}
			continue
		}

		if e.Kind != events.LedgerDecision || known.ID == e.Replaces {
			continue
		}
		aboutTheSame := sameSubject && len(subject) > 0
		if aboutTheSame || samePlace(known.Evidence, e.Evidence) {
			fork = cmp.Or(fork, known)
		}
	}
	return same, fork
}

// samePlace reports whether two lists of citations have a line of a file in common.
func samePlace(a, b []events.Citation) bool {
	return slices.ContainsFunc(a, func(c events.Citation) bool {
		return slices.ContainsFunc(b, func(d events.Citation) bool { return c.Path == d.Path && c.Line == d.Line })
	})
}

// stopWords say nothing about a subject.
var stopWords = strings.Fields(`a an and are as at be by for from how in into is it its of on or our should that the this to
	use used uses using we what which with`)

// normalised returns the words of a text in lower case without stop words, sorted, each once. Where it has nothing but
// stop words, they count.
func normalised(text string) []string {
	list := strings.FieldsFunc(strings.ToLower(text), func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) })
	telling := slices.DeleteFunc(slices.Clone(list), func(word string) bool { return slices.Contains(stopWords, word) })
	if len(telling) == 0 {
		telling = list
	}
	slices.Sort(telling)
	return slices.Compact(telling)
}

// maxSubject is how many words a subject may have: longer, the text before a colon is a sentence.
const maxSubject = 6

// SplitSubject takes "subject: decision" apart; the subject is empty where there is none.
func SplitSubject(text string) (subject, decision string) {
	before, after, found := strings.Cut(text, ": ")
	if !found {
		return "", text
	}
	subject, decision = strings.TrimSpace(before), strings.TrimSpace(after)
	if len(strings.Fields(subject)) > maxSubject || decision == "" {
		return "", text
	}
	return subject, decision
}
