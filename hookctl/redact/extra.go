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

// A project's pattern is left out of a document where it covers more than maxShare of a text above longText bytes.
const (
	longText = 4 << 10
	maxShare = 0.2
)

// identifying are the fields of a hook that say what it is and to whom it belongs.
var identifying = map[string]bool{"session_id": true, "hook_event_name": true, "tool_name": true, "tool_use_id": true, "prompt_id": true,
	"agent_id": true, "agent_type": true, "cwd": true, "transcript_path": true, "agent_transcript_path": true, "permission_mode": true,
	"source": true, "reason": true, "trigger": true, "notification_type": true}

// With gives a redactor that also replaces what the patterns match.
func (r *Redactor) With(extra Extra) *Redactor {
	next := *r
	next.extra = extra
	return &next
}

// Compile leaves out what is no pattern; the configuration reports it.
func Compile(patterns []string) []*regexp.Regexp {
	var list []*regexp.Regexp
	for _, p := range patterns {
		if re, err := regexp.Compile(p); err == nil {
			list = append(list, re)
		}
	}
	return list
}

var (
	customMarker = []byte("[REDACTED:custom]")
	anyMarker    = regexp.MustCompile(`\[REDACTED:[a-z0-9-]+\]`)
	manyMarkers  = regexp.MustCompile(`(?:\[REDACTED:custom\]){2,}`)
)

// replace puts the marker where the patterns match, one for matches that touch, and counts. What is a marker already
// stays as it is.
func replace(b []byte, patterns []*regexp.Regexp, n *int) []byte {
	for _, re := range patterns {
		var out []byte
		at := 0
		for _, m := range append(anyMarker.FindAllIndex(b, -1), []int{len(b), len(b)}) {
			part := re.ReplaceAllFunc(b[at:m[0]], func(match []byte) []byte {
				if len(match) == 0 {
					return nil
				}
				return customMarker
			})
			part = manyMarkers.ReplaceAll(part, customMarker)
			*n += bytes.Count(part, customMarker)
			out = append(append(out, part...), b[m[0]:m[1]]...)
			at = m[1]
		}
		b = out
	}
	return b
}

// counted adds what the patterns found to what the rules found.
func (rep Report) counted(n int) Report {
	if n == 0 {
		return rep
	}
	if rep.Kinds == nil {
		rep.Kinds = map[string]int{}
	}
	rep.Count += n
	rep.Kinds["custom"] += n
	return rep
}

// sparing are the project's patterns without those that cover much of a long text in a document.
func (r *Redactor) sparing(doc []byte) (patterns []*regexp.Regexp, skipped []string) {
	patterns = slices.Clone(r.extra.Project)
	rewritten(doc, func(l literal) []byte {
		if l.name || len(l.text) <= longText || identifying[l.field] {
			return l.text
		}
		patterns = slices.DeleteFunc(patterns, func(re *regexp.Regexp) bool {
			covered := 0
			for _, m := range re.FindAllIndex(l.text, -1) {
				covered += m[1] - m[0]
			}
			if float64(covered) <= maxShare*float64(len(l.text)) {
				return false
			}
			skipped = append(skipped, re.String())
			return true
		})
		return l.text
	})
	return patterns, skipped
}

// literal is a string of a document, decoded. One that is no valid JSON string is its bytes.
type literal struct {
	text  []byte
	name  bool   // of a member
	field string // of the outermost object, whose value it is; "" below that
}

// rewritten is a document with the text of each literal changed. Where none is, it is doc itself.
func rewritten(doc []byte, change func(literal) []byte) []byte {
	var out bytes.Buffer
	done, depth, field := 0, 0, ""
	for i := 0; i < len(doc); i++ {
		switch doc[i] {
		case '{', '[':
			depth++
		case '}', ']':
			depth--
		case '"':
			end := min(len(doc), closing(doc, i+1, 0, '"', true)+1)
			var decoded string
			valid := json.Unmarshal(doc[i:end], &decoded) == nil
			l := literal{text: []byte(decoded)}
			if !valid {
				l.text = doc[i:end]
			}
			l.name = hasPrefix(bytes.TrimLeft(doc[end:min(len(doc), end+16)], " \t\r\n"), ":")
			if depth == 1 && !l.name {
				l.field = field
			}
			if depth == 1 && l.name {
				field = string(l.text)
			}
			if text := change(l); !bytes.Equal(text, l.text) {
				if valid {
					text, _ = json.Marshal(string(text)) // a string always encodes
				}
				out.Write(doc[done:i])
				out.Write(text)
				done = end
			}
			i = end - 1
		}
	}
	if done == 0 {
		return doc
	}
	out.Write(doc[done:])
	return out.Bytes()
}
