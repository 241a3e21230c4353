package redact

import (
	"bytes"
	"encoding/json"
	"regexp"
	"slices"
)

// Extra are patterns of configurations (key redact_extra), RE2, for the decoded content of each string; what they match
// becomes kind "custom". Unlike the rules they are not looked for by keyword, so they cost a pass each.
type Extra struct {
	User []*regexp.Regexp // count everywhere

	// Project are those of a repository, which may be anybody's: a pattern like "." must not blank the record. They count
	// for values in JSON alone, not for names, nor for the ids and names of a hook, and a pattern that covers much of a
	// long text is left out.
	Project []*regexp.Regexp
}

const kindCustom = "custom"

// A project's pattern is left out of a document where it covers more than maxShare of a text above minLongText bytes.
const (
	minLongText = 4 << 10
	maxShare    = 0.2
)

// identifying are the fields of a hook that say what it is and to whom it belongs.
var identifying = map[string]bool{
	"session_id":            true,
	"hook_event_name":       true,
	"tool_name":             true,
	"tool_use_id":           true,
	"prompt_id":             true,
	"agent_id":              true,
	"agent_type":            true,
	"cwd":                   true,
	"transcript_path":       true,
	"agent_transcript_path": true,
	"permission_mode":       true,
	"source":                true,
	"reason":                true,
	"trigger":               true,
	"notification_type":     true,
}

// With returns a redactor that also replaces what the patterns match.
func (r *Redactor) With(extra Extra) *Redactor {
	next := *r
	next.extra = extra
	return &next
}

// Compile returns the patterns that are valid. The configuration reports the others.
func Compile(patterns []string) []*regexp.Regexp {
	var compiled []*regexp.Regexp
	for _, pattern := range patterns {
		if re, err := regexp.Compile(pattern); err == nil {
			compiled = append(compiled, re)
		}
	}
	return compiled
}

var (
	customMarker = []byte("[REDACTED:" + kindCustom + "]")
	anyMarker    = regexp.MustCompile(`\[REDACTED:[a-z0-9-]+\]`)
	manyMarkers  = regexp.MustCompile(`(?:\[REDACTED:custom\]){2,}`)
)

// replaceMatches returns b with a marker where the patterns match, one for matches that touch, and adds their number to
// count. What is a marker already stays as it is.
func replaceMatches(b []byte, patterns []*regexp.Regexp, count *int) []byte {
	for _, re := range patterns {
		var out []byte
		at := 0
		for _, marker := range anyMarker.FindAllIndex(b, -1) {
			out = append(out, mark(b[at:marker[0]], re, count)...)
			out = append(out, b[marker[0]:marker[1]]...)
			at = marker[1]
		}
		b = append(out, mark(b[at:], re, count)...)
	}
	return b
}

// mark returns a text without markers with one in the place of each match, and adds their number to count.
func mark(text []byte, re *regexp.Regexp, count *int) []byte {
	text = re.ReplaceAllFunc(text, func(match []byte) []byte {
		if len(match) == 0 {
			return nil
		}
		return customMarker
	})
	text = manyMarkers.ReplaceAll(text, customMarker)
	*count += bytes.Count(text, customMarker)
	return text
}

// withCustom adds n places that patterns of configurations matched to what the rules found.
func (rep Report) withCustom(n int) Report {
	if n == 0 {
		return rep
	}
	if rep.Kinds == nil {
		rep.Kinds = map[string]int{}
	}
	rep.Count += n
	rep.Kinds[kindCustom] += n
	return rep
}

// boundedProject returns the project's patterns without those that cover much of a long text in a document, and the
// texts of these.
func (e Extra) boundedProject(doc []byte) (patterns []*regexp.Regexp, skipped []string) {
	patterns = slices.Clone(e.Project)
	rewriteStrings(doc, func(l literal) []byte {
		if l.isName || len(l.text) <= minLongText || identifying[l.field] {
			return l.text
		}

		patterns = slices.DeleteFunc(patterns, func(re *regexp.Regexp) bool {
			if float64(covered(l.text, re)) <= maxShare*float64(len(l.text)) {
				return false
			}
			skipped = append(skipped, re.String())
			return true
		})
		return l.text
	})
	return patterns, skipped
}

// covered returns how many bytes of a text a pattern matches.
func covered(text []byte, re *regexp.Regexp) int {
	n := 0
	for _, match := range re.FindAllIndex(text, -1) {
		n += match[1] - match[0]
	}
	return n
}

// literal is a string of a document, decoded. One that is no valid JSON string is its bytes.
type literal struct {
	text   []byte
	isName bool   // of a member
	field  string // of the outermost object, whose value it is; "" below that
}

// rewriteStrings returns a document with the text of each string changed. Where none is, it is doc itself.
func rewriteStrings(doc []byte, change func(literal) []byte) []byte {
	var out bytes.Buffer
	copied, depth, field := 0, 0, ""
	for i := 0; i < len(doc); i++ {
		switch doc[i] {
		case '{', '[':
			depth++
		case '}', ']':
			depth--
		case '"':
			end := min(len(doc), closing(doc, quoteMark{char: '"', end: i + 1}, jsonText)+1)
			text, isValid := decodeString(doc[i:end])
			l := literal{text: text, isName: isMemberName(doc, end)}
			if depth == 1 {
				if l.isName {
					field = string(text)
				} else {
					l.field = field
				}
			}

			if changed := change(l); !bytes.Equal(changed, text) {
				if isValid {
					changed, _ = json.Marshal(string(changed)) // a string always encodes
				}
				out.Write(doc[copied:i])
				out.Write(changed)
				copied = end
			}
			i = end - 1
		}
	}

	if copied == 0 {
		return doc
	}
	out.Write(doc[copied:])
	return out.Bytes()
}

// decodeString returns the content of a JSON string, or raw itself where it is none.
func decodeString(raw []byte) (text []byte, isValid bool) {
	var decoded string
	if err := json.Unmarshal(raw, &decoded); err != nil {
		return raw, false
	}
	return []byte(decoded), true
}

// isMemberName reports whether the string that ends before doc[end] is the name of a member.
func isMemberName(doc []byte, end int) bool {
	next := bytes.TrimLeft(doc[end:min(len(doc), end+16)], " \t\r\n")
	return hasPrefix(next, ":")
}
