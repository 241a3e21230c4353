package hook

import (
	"bytes"
	"encoding/json"
	"fmt"
	"regexp"
	"strings"
	"unicode/utf8"

	"hookline/events"
	"hookline/events/wording"
)

// Large strings leave the event and become content-addressed blobs, stored once however often they
// recur (an Edit carries the whole original file; a Write carries its content twice). In the data
// stands {"$blob":"sha256:…","size":N,"head":"…"} instead: size in bytes of the decoded string. What a tool gave back
// has its "tail" there, too: folds read from it how a command went. Where
// a blob holds JSON text instead, "json":true stands there too: a value that is large by its parts, or a
// string with an escape that no decoded string can hold (half of a surrogate pair, as a string has that
// was cut inside an emoji). All other bytes of the data stay as they came, doubled members included.
const (
	BlobOver  = 16 << 10 // strings of tool content above this go to blobs
	proseOver = 1 << 20  // the same for all other strings
	headChars = 256      // of the content that stay in the event
	tailChars = 1024     // of the end of what a tool gave back: a summary of a test run with the failure before it
	mostData  = 4 << 20  // of an event; the log takes 8 MiB compressed
	maxRef    = 8 << 10  // of a reference: its head and its tail may be 1280 characters that are escaped six-fold
)

// blobKeys are the members whose content belongs to a tool.
var blobKeys = map[string]bool{"tool_input": true, "tool_response": true, "tool_calls": true}

// lookalike finds members of the client's own content that read like ours (a session that looks at
// this very log); they get one more $ in the event and lose it when it is restored.
var (
	lookalike = regexp.MustCompile(`"((?:\$|\\u0024)+)blob"`)
	escaped   = regexp.MustCompile(`"\$((?:\$|\\u0024)+)blob"`)
)

// blobRef is what stands in the data for a blob: a string's content, or with JSON a whole value's text.
type blobRef struct {
	Digest string `json:"$blob"`
	Size   int    `json:"size"`
	Head   string `json:"head"`
	Tail   string `json:"tail,omitempty"`
	JSON   bool   `json:"json,omitempty"`
}

// Cut replaces the large strings of a JSON object. put stores one content and returns its digest; it
// is called once for each replaced string. Data without large strings comes back as it is. Input
// that is no JSON comes back as it is too: the decoder refuses it later.
func Cut(data []byte, put func(content []byte) (digest string, err error)) ([]byte, error) {
	if len(data) <= BlobOver {
		return escape(data), nil
	}
	out, err := cutStrings(data, put)
	if err != nil || len(out) <= mostData || !json.Valid(data) || data[0] != '{' {
		return out, err
	}
	return cutMembers(data, put)
}

// escape marks what reads like a reference of ours, so that it is not taken for one.
func escape(data []byte) []byte {
	if !bytes.Contains(data, []byte(`blob"`)) {
		return data
	}
	return lookalike.ReplaceAll(data, []byte(`"$$${1}blob"`))
}

// cutMembers replaces every member of the object that is larger than a reference, whole: for data that is large by the
// number of its parts, not by its strings. No blob refers to another, so that a search for references finds all.
func cutMembers(data []byte, put func([]byte) (string, error)) ([]byte, error) {
	var out []byte
	done := 0
	dec := json.NewDecoder(bytes.NewReader(data))
	_, _ = dec.Token() // that the data is valid was looked at
	for dec.More() {
		var v json.RawMessage
		_, _ = dec.Token()
		_ = dec.Decode(&v)
		if len(v) <= maxRef {
			continue
		}

		shown := blobRef{Head: firstOf(string(v[:min(len(v), 4*headChars)])), JSON: true}
		ref, err := reference(escape(v), shown, put)
		if err != nil {
			return nil, err
		}
		end := int(dec.InputOffset())
		out = append(append(out, escape(data[done:end-len(v)])...), ref...)
		done = end
	}
	return append(out, escape(data[done:])...), nil
}

func cutStrings(data []byte, put func([]byte) (string, error)) ([]byte, error) {
	var out, last, lastRef []byte // the literal cut last: a Write sends its content twice
	done, level, limit := 0, 0, proseOver
	givenBack := false // the member that is read is what a tool gave back
	for i := 0; i < len(data); i++ {
		switch data[i] {
		case '{', '[':
			level++
		case '}', ']':
			level--
		case '"':
			end := events.StringEnd(data, i)
			if end >= len(data) {
				return append(out, escape(data[done:])...), nil
			}
			if level == 1 && isKey(data, end+1) {
				limit = proseOver
				givenBack = string(data[i+1:end]) == "tool_response"
				if blobKeys[string(data[i+1:end])] {
					limit = BlobOver
				}
			} else if end-i > limit && !isKey(data, end+1) {
				ref := lastRef
				if !bytes.Equal(last, data[i:end+1]) {
					var err error
					if ref, err = cutOne(data[i:end+1], givenBack, put); err != nil {
						return nil, err
					}
				}
				last, lastRef = data[i:end+1], ref
				if ref != nil {
					out = append(append(out, escape(data[done:i])...), ref...)
					done = end + 1
				}
			}
			i = end
		}
	}
	return append(out, escape(data[done:])...), nil
}

// cutOne stores one string literal, and shows its end where that is wanted; nil when the literal is no valid JSON string.
func cutOne(literal []byte, tail bool, put func([]byte) (string, error)) ([]byte, error) {
	var s string
	if json.Unmarshal(literal, &s) != nil {
		return nil, nil
	}

	shown := blobRef{Head: firstOf(s)}
	if tail {
		shown.Tail = lastOf(s)
	}
	if strings.ContainsRune(s, utf8.RuneError) && bytes.Contains(literal, []byte(`\u`)) { // a half pair, or the sign itself
		shown.JSON = true
		return reference(escape(bytes.ToValidUTF8(literal, []byte("\uFFFD"))), shown, put)
	}
	return reference([]byte(s), shown, put)
}

// reference stores a content and gives what stands for it: its digest and its size, with what is shown of it.
func reference(content []byte, shown blobRef, put func([]byte) (string, error)) ([]byte, error) {
	digest, err := put(content)
	if err != nil {
		return nil, fmt.Errorf("store blob: %w", err)
	}
	shown.Digest = digest
	shown.Size = len(content)
	return json.Marshal(shown)
}

// firstOf returns the beginning of a content that stays in the event.
func firstOf(content string) string {
	return wording.Chars(wording.Clip(content, 4*headChars), headChars)
}

// lastOf returns the end of a content that stays in the event.
func lastOf(content string) string {
	runes := []rune(strings.ToValidUTF8(content[max(0, len(content)-4*tailChars):], ""))
	return string(runes[max(0, len(runes)-tailChars):])
}

// Restore puts the blobs back: the data as the client sent it (after redaction), but for white space. A
// blob that get does not have is an error that names it.
func Restore(data []byte, get func(digest string) ([]byte, error)) ([]byte, error) {
	var out []byte
	done := 0
	for {
		at := bytes.Index(data[done:], refStart)
		if at < 0 {
			break
		}
		at += done
		var ref blobRef
		dec := json.NewDecoder(bytes.NewReader(data[at:]))
		if err := dec.Decode(&ref); err != nil {
			return nil, fmt.Errorf("reference %.80s: %w", data[at:], err)
		}
		content, err := fetch(ref, get)
		if err != nil {
			return nil, err
		}
		out = append(append(out, unescape(data[done:at])...), content...)
		done = at + int(dec.InputOffset())
	}
	if done == 0 {
		return unescape(data), nil
	}
	return append(out, unescape(data[done:])...), nil
}

// refStart begins every reference and nothing else in JSON: inside a string its quotes would be
// escaped, and a member of that name that is the client's own is set apart by [Cut].
var refStart = []byte(`{"$blob":`)

func unescape(data []byte) []byte {
	if !bytes.Contains(data, []byte(`blob"`)) {
		return data
	}
	return escaped.ReplaceAll(data, []byte(`"${1}blob"`))
}

// fetch returns the JSON that a reference stands for.
func fetch(ref blobRef, get func(string) ([]byte, error)) ([]byte, error) {
	content, err := get(ref.Digest)
	switch {
	case err != nil && strings.Contains(err.Error(), ref.Digest): // the store of blobs names it
		return nil, fmt.Errorf("blob %w", err)
	case err != nil:
		return nil, fmt.Errorf("blob %s: %w", ref.Digest, err)
	case ref.JSON:
		return Restore(content, get)
	}
	var out bytes.Buffer
	enc := json.NewEncoder(&out)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(string(content)); err != nil {
		return nil, err
	}
	return bytes.TrimSuffix(out.Bytes(), []byte("\n")), nil
}

// isKey reports whether a colon follows at a place.
func isKey(b []byte, i int) bool {
	return bytes.HasPrefix(bytes.TrimLeft(b[i:], " \t\n\r"), []byte(":"))
}
