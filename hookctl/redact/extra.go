package redact

import (
	"bytes"
	"encoding/json"
	"regexp"
)

// With gives a redactor that also replaces what the user's own patterns match (configuration key
// redact_extra), as kind "custom". Patterns are RE2, applied to the decoded content of each string;
// unlike the rules they are not looked for by keyword, so they cost a pass each.
func (r *Redactor) With(extra []*regexp.Regexp) *Redactor {
	next := *r
	next.extra = extra
	return &next
}

// Compile leaves out what is no pattern; the configuration tells of it.
func Compile(patterns []string) []*regexp.Regexp {
	var list []*regexp.Regexp
	for _, p := range patterns {
		if re, err := regexp.Compile(p); err == nil {
			list = append(list, re)
		}
	}
	return list
}

var customMarker = []byte("[REDACTED:custom]")

// custom applies the user's patterns to a text and counts.
func (r *Redactor) custom(b []byte, n *int) []byte {
	for _, re := range r.extra {
		b = re.ReplaceAllFunc(b, func(m []byte) []byte {
			if len(m) == 0 || bytes.Equal(m, customMarker) {
				return m
			}
			*n++
			return customMarker
		})
	}
	return b
}

// more adds what the user's patterns find to what the rules found.
func (r *Redactor) more(b []byte, rep Report, apply func([]byte, *int) []byte) ([]byte, Report) {
	if len(r.extra) == 0 {
		return b, rep
	}
	n := 0
	b = apply(b, &n)
	if n > 0 {
		if rep.Kinds == nil {
			rep.Kinds = map[string]int{}
		}
		rep.Count += n
		rep.Kinds["custom"] += n
	}
	return b, rep
}

// customJSON applies the user's patterns inside the string literals of a document; all other bytes
// stay as they are. A literal that is no valid JSON string is treated as text.
func (r *Redactor) customJSON(doc []byte, n *int) []byte {
	var out bytes.Buffer
	done := 0
	for i := 0; i < len(doc); i++ {
		if doc[i] != '"' {
			continue
		}
		end := literalEnd(doc, i)
		before := *n
		literal := r.customLiteral(doc[i:end], n)
		if *n > before {
			out.Write(doc[done:i])
			out.Write(literal)
			done = end
		}
		i = end - 1
	}
	if done == 0 {
		return doc
	}
	out.Write(doc[done:])
	return out.Bytes()
}

func (r *Redactor) customLiteral(literal []byte, n *int) []byte {
	var s string
	if json.Unmarshal(literal, &s) != nil {
		return r.custom(literal, n)
	}
	before := *n
	clean := r.custom([]byte(s), n)
	if *n == before {
		return literal
	}
	b, err := json.Marshal(string(clean))
	if err != nil {
		return []byte(`""`) // a string always encodes
	}
	return b
}

// literalEnd is the index behind the string literal that begins at i, the end when it is not closed.
func literalEnd(doc []byte, i int) int {
	for j := i + 1; j < len(doc); j++ {
		switch doc[j] {
		case '\\':
			j++
		case '"':
			return j + 1
		}
	}
	return len(doc)
}
