// Package redact replaces secrets by typed markers before anything is written anywhere.
//
// The marker is [REDACTED:kind], for example [REDACTED:github-token]. Secrets are found in four ways:
//
//   - by their own form: gitleaks' rules and ours as data (rules.go, token.go), private-key blocks (block.go);
//   - by the name they are assigned to: api_key, DB_PASSWORD, --token, Authorization, Cookie … in shell, .env,
//     YAML, JSON, XML, headers and source code (name.go, assign.go, value.go, header.go, flags.go);
//   - by their place in a URL: scheme://user:PASS@host and signed query parameters (url.go);
//   - by having been found before, in the same text or session (memory.go).
//
// One Aho-Corasick pass over the bytes looks for all keywords (scan.go); what belongs to a keyword is looked at
// only around its hits, by matchers that never look at a byte more than a few times. Time is linear in the input,
// also for input made to be slow.
//
// Text is read as it lies: escaped JSON, JSON inside JSON strings, diffs and logs. A backslash before n, r, t
// ends a word, a quote closes only at its own depth of escaping, so nothing is decoded and all bytes outside the
// replaced ranges stay as they were. Only text that spells printable characters as \u00XX is looked at through a
// decoded view (unescape.go).
//
// What it cannot promise: a secret that has no known form, stands in no assignment and in no URL is a word like
// any other; one that was split, encoded or encrypted is not seen. It prefers a false marker to a leak where a
// name says secret, and leaves digests, commit hashes, UUIDs, public keys and counts of tokens alone.
package redact

import (
	"bytes"
	"cmp"
	"maps"
	"regexp"
	"slices"
)

// Report says how much was replaced.
type Report struct {
	Count int            // secrets replaced
	Kinds map[string]int // the same by kind; nil when Count is 0

	Skipped []string // patterns of the project that would have covered much of a long text
}

// Finding is one secret's place, and a line of `doctor --redaction --json`. It never holds the secret.
type Finding struct {
	Kind  string `json:"kind" jsonschema_description:"of the secret, as in [REDACTED:kind]"`
	Start int    `json:"start" jsonschema_description:"offset in bytes"`
	End   int    `json:"end" jsonschema_description:"offset behind the last byte"`
	Line  int    `json:"line" jsonschema_description:"from 1"`
	Rule  string `json:"rule" jsonschema_description:"that found it"`
}

// Redactor finds and replaces secrets. It is safe for concurrent use.
type Redactor struct {
	words  *automaton
	calls  [][]*matcher // by keyword: the rules that look at a hit
	extra  Extra
	memory *Memory // of the session, or nil
}

// New returns a Redactor with the built-in rules. It costs well under 2 ms: the keyword table is built here, a
// rule's pattern when its keyword is first met.
func New() *Redactor {
	calls := map[string][]*matcher{}
	for _, m := range allRules() {
		for _, w := range m.words {
			calls[w] = append(calls[w], m)
		}
	}

	r := &Redactor{}
	words := slices.Sorted(maps.Keys(calls))
	for _, w := range words {
		r.calls = append(r.calls, calls[w])
	}
	r.words = newAutomaton(words)
	return r
}

// JSON redacts a JSON text: one value, which may be malformed or truncated. Secrets are looked for in keys and
// values, also in JSON that is itself inside a string. The result is valid JSON if doc was, and doc itself when
// nothing was found.
func (r *Redactor) JSON(doc []byte) ([]byte, Report) {
	doc, rep := splice(doc, r.recurring(doc, r.scan(doc, true)))
	n := 0
	if len(r.extra.User) > 0 {
		doc = rewritten(doc, func(l literal) []byte { return replace(l.text, r.extra.User, &n) })
	}
	if len(r.extra.Project) > 0 {
		var patterns []*regexp.Regexp
		patterns, rep.Skipped = r.sparing(doc)
		doc = rewritten(doc, func(l literal) []byte {
			if l.name || identifying[l.field] {
				return l.text
			}
			return replace(l.text, patterns, &n)
		})
	}
	return doc, rep.counted(n)
}

// Text redacts plain text. The result is b itself when nothing was found.
func (r *Redactor) Text(b []byte) ([]byte, Report) {
	out, rep := splice(b, r.recurring(b, r.scan(b, false)))
	n := 0
	out = replace(out, r.extra.User, &n)
	return out, rep.counted(n)
}

// Find returns what Text would replace in b, or JSON if b begins like an object or an array, by rising offset.
func (r *Redactor) Find(b []byte) []Finding {
	var found []Finding
	line, at := 1, 0
	first := bytes.TrimLeft(b, " \t\r\n")
	json := hasPrefix(first, "{") || hasPrefix(first, "[")
	for _, s := range r.recurring(b, r.scan(b, json)) {
		for ; at < s.start; at++ {
			if b[at] == '\n' {
				line++
			}
		}
		found = append(found, Finding{Kind: s.kind, Start: s.start, End: s.end, Line: line, Rule: s.rule})
	}
	return found
}

// span is a range to be replaced.
type span struct {
	start, end int
	kind, rule string
	order      int  // of the rule in the table: the first names what several found
	token      bool // matched a token's format
	byName     bool // found by a name, not by its own form: the less telling kind
	bare       bool // a JSON number: the marker brings its own quotes
	part       bool // continues the secret of the span before
}

// pass is one scan of one text.
type pass struct {
	b     []byte
	json  bool
	plain bool // \u00XX is already resolved
	coded bool // met \u00XX for a printable character
	spans []span

	tokenEnd int                       // no token is looked for before this offset
	nameEnd  int                       // end of the last name looked at
	valueEnd int                       // no assignment is looked for before this offset
	blockEnd int                       // the same for private-key blocks
	flagEnd  int                       // command lines were looked at up to here
	urlEnd   int                       // URL user parts were looked at up to here
	read     assignment                // the last name that was read, with its sign
	words    [4]struct{ from, to int } // by mode: the last unquoted value that was walked
	dead     [maxRules]int             // by rule: nothing can match that starts before this offset
}

// scan returns the ranges to be replaced in b, sorted and apart.
func (r *Redactor) scan(b []byte, json bool) []span {
	p := &pass{b: b, json: json}
	p.run(r)
	if !p.coded {
		return p.settle(b)
	}
	v := unescape(b)
	p = &pass{b: v.text, json: json, plain: true}
	p.run(r)
	for i := range p.spans {
		p.spans[i].start, p.spans[i].end = v.raw(p.spans[i].start), v.raw(p.spans[i].end)
	}
	return p.settle(b)
}

func (p *pass) run(r *Redactor) {
	r.words.walk(p.b, func(word uint16, start, end int) bool {
		for _, m := range r.calls[word] {
			m.find(p, m, start, end)
		}
		return !p.coded
	})
}

// add notes a range to be replaced. The list doubles: append's smaller steps cost more than the scan when a
// text is full of secrets.
func (p *pass) add(s span) {
	if len(p.spans) == cap(p.spans) {
		p.spans = slices.Grow(p.spans, max(8, len(p.spans)))
	}
	p.spans = append(p.spans, s)
}

// settle sorts the spans, joins those that overlap and, in JSON, fits them to the string literals.
func (p *pass) settle(b []byte) []span {
	if len(p.spans) == 0 {
		return nil
	}
	slices.SortFunc(p.spans, func(x, y span) int { return cmp.Or(x.start-y.start, x.order-y.order) })
	joined := p.spans[:1]
	for _, s := range p.spans[1:] {
		last := &joined[len(joined)-1]
		if s.start >= last.end {
			joined = append(joined, s)
			continue
		}
		last.end = max(last.end, s.end)
		if last.byName && !s.byName {
			last.kind, last.rule, last.byName = s.kind, s.rule, false
		}
	}
	if !p.json {
		return joined
	}
	fitted := make([]span, 0, len(joined))
	for _, s := range joined {
		fitted = fit(b, s, fitted)
	}
	return fitted
}

// splice puts the markers in.
func splice(b []byte, spans []span) ([]byte, Report) {
	if len(spans) == 0 {
		return b, Report{}
	}
	rep := Report{Kinds: map[string]int{}}
	out := make([]byte, 0, len(b)+16*len(spans))
	at := 0
	for _, s := range spans {
		out = append(out, b[at:s.start]...)
		if s.bare {
			out = append(out, '"')
		}
		out = append(append(append(out, "[REDACTED:"...), s.kind...), ']')
		if s.bare {
			out = append(out, '"')
		}
		at = s.end
		if !s.part {
			rep.Count++
			rep.Kinds[s.kind]++
		}
	}
	return append(out, b[at:]...), rep
}
