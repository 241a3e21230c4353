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
	"slices"
)

// Report says how much was replaced.
type Report struct {
	Count int            // secrets replaced
	Kinds map[string]int // the same by kind; nil when Count is 0

	Skipped []string // patterns of the project that would have covered much of a long text
}

// Finding is the place of one secret, and a line of `doctor --redaction --json`. It never holds the secret.
type Finding struct {
	Kind  string `json:"kind" jsonschema_description:"the kind of the secret, as in [REDACTED:kind]"`
	Start int    `json:"start" jsonschema_description:"the offset of the secret's first byte"`
	End   int    `json:"end" jsonschema_description:"the offset of the byte behind the secret"`
	Line  int    `json:"line" jsonschema_description:"the number of the line that the secret begins in, from 1"`
	Rule  string `json:"rule" jsonschema_description:"the name of the rule that found the secret"`
}

// Redactor finds and replaces secrets. It is safe for concurrent use.
type Redactor struct {
	keywords *automaton
	rules    [][]*rule // by the number of a keyword: the rules that look closer where it occurs
	extra    Extra
	memory   *Memory // of the session, or nil
}

// New returns a Redactor with the built-in rules. It costs well under 2 ms: the keyword table is built here, a
// rule's pattern when its keyword is first met.
func New() *Redactor {
	byKeyword := map[string][]*rule{}
	for _, r := range allRules() {
		for _, keyword := range r.keywords {
			byKeyword[keyword] = append(byKeyword[keyword], r)
		}
	}

	redactor := &Redactor{}
	keywords := slices.Sorted(maps.Keys(byKeyword))
	for _, keyword := range keywords {
		redactor.rules = append(redactor.rules, byKeyword[keyword])
	}
	redactor.keywords = newAutomaton(keywords)
	return redactor
}

// JSON redacts a JSON text: one value, which may be malformed or truncated. Secrets are looked for in keys and
// values, also in JSON that is itself inside a string. The result is valid JSON if doc was, and doc itself when
// nothing was found.
func (r *Redactor) JSON(doc []byte) ([]byte, Report) {
	spans := r.recurring(doc, r.scan(doc, jsonText))
	doc, report := splice(doc, spans)

	custom := 0
	if len(r.extra.User) > 0 {
		doc = rewriteStrings(doc, func(l literal) []byte {
			return replaceMatches(l.text, r.extra.User, &custom)
		})
	}

	if len(r.extra.Project) > 0 {
		patterns, skipped := r.extra.boundedProject(doc)
		report.Skipped = skipped

		doc = rewriteStrings(doc, func(l literal) []byte {
			if l.isName || identifying[l.field] {
				return l.text
			}
			return replaceMatches(l.text, patterns, &custom)
		})
	}
	return doc, report.withCustom(custom)
}

// Text redacts plain text. The result is b itself when nothing was found.
func (r *Redactor) Text(b []byte) ([]byte, Report) {
	spans := r.recurring(b, r.scan(b, plainText))
	out, report := splice(b, spans)

	custom := 0
	out = replaceMatches(out, r.extra.User, &custom)
	return out, report.withCustom(custom)
}

// Find returns what Text would replace in b, or JSON if b begins like an object or an array, by rising offset.
func (r *Redactor) Find(b []byte) []Finding {
	encoding := plainText
	first := bytes.TrimLeft(b, " \t\r\n")
	if hasPrefix(first, "{") || hasPrefix(first, "[") {
		encoding = jsonText
	}

	var found []Finding
	line, at := 1, 0
	for _, s := range r.recurring(b, r.scan(b, encoding)) {
		line += bytes.Count(b[at:s.start], []byte{'\n'})
		at = s.start
		found = append(found, Finding{Kind: s.kind, Start: s.start, End: s.end, Line: line, Rule: s.rule})
	}
	return found
}

// encoding is how a text is written.
type encoding uint8

const (
	plainText encoding = iota
	jsonText           // one JSON value: quotes and backslashes mean something
)

// span is a range to be replaced.
type span struct {
	start, end  int
	kind, rule  string
	order       int  // index of the rule in the table: the first names what several found
	hasFormat   bool // matches a token's format
	vague       bool // found by a name or a place: a rule that knows the secret's own form names it better
	needsQuotes bool // a JSON number: the marker brings its own quotes
	continues   bool // continues the secret of the span before
}

// pass is one scan of one text.
type pass struct {
	b        []byte
	encoding encoding
	escapes  escapes
	spans    []span

	tokenEnd int // no token is looked for before this offset
	nameEnd  int // end of the last name looked at
	valueEnd int // no assignment is looked for before this offset
	blockEnd int // the same for private-key blocks
	flagEnd  int // command lines were looked at up to here
	urlEnd   int // URL user parts were looked at up to here

	lastAssignment assignment                          // the last name that was read, with its sign
	lastWord       [wordEndings]struct{ from, to int } // the last unquoted value that was walked
	deadEnd        [maxRules]int                       // by rule: nothing can match that starts before this offset
}

// escapes says how a text spells printable characters.
type escapes uint8

const (
	escapesUnseen   escapes = iota // as themselves, as far as the text was read
	escapesSeen                    // some as \u00XX: the text has to be read again, decoded
	escapesResolved                // as themselves, after decoding
)

// scan returns the ranges to be replaced in b, sorted and apart.
func (r *Redactor) scan(b []byte, encoding encoding) []span {
	p := &pass{b: b, encoding: encoding}
	p.run(r)
	if p.escapes != escapesSeen {
		return p.settle(b)
	}

	decoded := unescape(b)
	p = &pass{b: decoded.text, encoding: encoding, escapes: escapesResolved}
	p.run(r)

	for i := range p.spans {
		s := &p.spans[i]
		s.start = decoded.rawOffset(s.start)
		s.end = decoded.rawOffset(s.end)
	}
	return p.settle(b)
}

// run applies the rules of each keyword that occurs. It stops where the text turns out to need decoding.
func (p *pass) run(r *Redactor) {
	r.keywords.walk(p.b, func(keyword uint16, start, end int) bool {
		for _, rule := range r.rules[keyword] {
			rule.find(p, rule, start, end)
		}
		return p.escapes != escapesSeen
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

// settle sorts the spans, joins those that overlap and, in JSON, fits them to the string literals of b.
func (p *pass) settle(b []byte) []span {
	if len(p.spans) == 0 {
		return nil
	}

	joined := join(p.spans)
	if p.encoding != jsonText {
		return joined
	}

	fitted := make([]span, 0, len(joined))
	for _, s := range joined {
		fitted = fit(b, s, fitted)
	}
	return fitted
}

// join sorts spans and joins those that overlap. It reuses their memory.
func join(spans []span) []span {
	slices.SortFunc(spans, func(x, y span) int { return cmp.Or(x.start-y.start, x.order-y.order) })

	joined := spans[:1]
	for _, s := range spans[1:] {
		last := &joined[len(joined)-1]
		if s.start >= last.end {
			joined = append(joined, s)
			continue
		}

		last.end = max(last.end, s.end)
		if last.vague && !s.vague {
			last.kind, last.rule = s.kind, s.rule
			last.vague = false
		}
	}
	return joined
}

// splice returns b with a marker in the place of each span.
func splice(b []byte, spans []span) ([]byte, Report) {
	if len(spans) == 0 {
		return b, Report{}
	}

	report := Report{Kinds: map[string]int{}}
	out := make([]byte, 0, len(b)+16*len(spans))
	at := 0
	for _, s := range spans {
		out = append(out, b[at:s.start]...)
		out = appendMarker(out, s)
		at = s.end

		if !s.continues {
			report.Count++
			report.Kinds[s.kind]++
		}
	}
	return append(out, b[at:]...), report
}

func appendMarker(out []byte, s span) []byte {
	if s.needsQuotes {
		out = append(out, '"')
	}
	out = append(out, "[REDACTED:"...)
	out = append(out, s.kind...)
	out = append(out, ']')
	if s.needsQuotes {
		out = append(out, '"')
	}
	return out
}
