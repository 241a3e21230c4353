package hook

import (
	"bytes"
	"encoding/json"
	"fmt"
	"regexp"
)

// Large strings leave the event and become content-addressed blobs, stored once however often they
// recur (an Edit carries the whole original file; a Write carries its content twice). In the data
// stands {"$blob":"sha256:…","size":N,"head":"…"} instead: size in bytes of the decoded string.
const (
	BlobOver  = 16 << 10 // strings of tool content above this go to blobs
	proseOver = 1 << 20  // the same for all other strings
	headChars = 256      // of the content that stay in the event
	mostData  = 4 << 20  // of an event; the log takes 8 MiB compressed
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
	JSON   bool   `json:"json,omitempty"`
}

// Cut replaces the large strings of a JSON object. put stores one content and gives its digest; it
// is called once for each replaced string. Data without large strings comes back as it is. Input
// that is no JSON comes back as it is too: the decoder refuses it later.
func Cut(data []byte, put func(content []byte) (digest string, err error)) ([]byte, error) {
	if bytes.Contains(data, []byte(`blob"`)) {
		data = lookalike.ReplaceAll(data, []byte(`"$$${1}blob"`))
	}
	if len(data) <= BlobOver {
		return data, nil
	}
	out, err := cutStrings(data, put)
	if err != nil || len(out) <= mostData {
		return out, err
	}
	return cutMembers(out, put)
}

// cutMembers puts whole members of the object into blobs, the largest first, until the rest fits:
// for a value that is large by its number of parts.
func cutMembers(data []byte, put func([]byte) (string, error)) ([]byte, error) {
	var members map[string]json.RawMessage
	if json.Unmarshal(data, &members) != nil {
		return data, nil
	}
	size := len(data)
	for size > mostData {
		largest := ""
		for name, v := range members {
			if len(v) > len(members[largest]) || len(v) == len(members[largest]) && name < largest {
				largest = name
			}
		}
		v := members[largest]
		if len(v) <= BlobOver {
			return data, nil // very many small members: the log refuses what does not fit
		}
		digest, err := put(v)
		if err != nil {
			return nil, fmt.Errorf("store blob: %w", err)
		}
		ref, err := json.Marshal(blobRef{Digest: digest, Size: len(v), Head: headOf(string(v[:min(len(v), 4*headChars)])), JSON: true})
		if err != nil {
			return nil, err
		}
		members[largest] = ref
		size += len(ref) - len(v)
	}
	return json.Marshal(members)
}

func cutStrings(data []byte, put func([]byte) (string, error)) ([]byte, error) {
	var out, last, lastRef []byte // the literal cut last: a Write sends its content twice
	done, level, member := 0, 0, ""
	for i := 0; i < len(data); i++ {
		switch data[i] {
		case '{', '[':
			level++
		case '}', ']':
			level--
		case '"':
			end := stringEnd(data, i)
			if end >= len(data) {
				return finish(data, out, done), nil
			}
			if level == 1 && isKey(data, end+1) {
				member = string(data[i+1 : end])
			} else if end-i > limitOf(member) && !isKey(data, end+1) {
				ref := lastRef
				if !bytes.Equal(last, data[i:end+1]) {
					var err error
					if ref, err = cutOne(data[i:end+1], put); err != nil {
						return nil, err
					}
				}
				last, lastRef = data[i:end+1], ref
				if ref != nil {
					out = append(append(out, data[done:i]...), ref...)
					done = end + 1
				}
			}
			i = end
		}
	}
	return finish(data, out, done), nil
}

func finish(data, out []byte, done int) []byte {
	if done == 0 {
		return data
	}
	return append(out, data[done:]...)
}

func limitOf(member string) int {
	if blobKeys[member] {
		return BlobOver
	}
	return proseOver
}

// cutOne stores one string literal; nil when the literal is no valid JSON string.
func cutOne(literal []byte, put func([]byte) (string, error)) ([]byte, error) {
	var s string
	if json.Unmarshal(literal, &s) != nil {
		return nil, nil
	}
	digest, err := put([]byte(s))
	if err != nil {
		return nil, fmt.Errorf("store blob: %w", err)
	}
	return json.Marshal(blobRef{Digest: digest, Size: len(s), Head: headOf(s)})
}

func headOf(s string) string {
	n := 0
	for i := range s {
		if n++; n > headChars {
			return s[:i]
		}
	}
	return s
}

// stringEnd gives the index of the quote that closes the string opened at b[i]; len(b) when it is
// never closed.
func stringEnd(b []byte, i int) int {
	for j := i + 1; j < len(b); {
		q := bytes.IndexByte(b[j:], '"')
		if q < 0 {
			return len(b)
		}
		q += j
		slashes := 0
		for k := q - 1; k > i && b[k] == '\\'; k-- {
			slashes++
		}
		if slashes%2 == 0 {
			return q
		}
		j = q + 1
	}
	return len(b)
}

// isKey tells whether a colon follows.
func isKey(b []byte, i int) bool {
	for ; i < len(b); i++ {
		switch b[i] {
		case ' ', '\t', '\n', '\r':
			continue
		case ':':
			return true
		}
		return false
	}
	return false
}

// Restore puts the blobs back: the data as the client sent it (after redaction). A blob that get
// does not have is an error that names it.
func Restore(data []byte, get func(digest string) ([]byte, error)) ([]byte, error) {
	if !bytes.Contains(data, []byte(`"$blob"`)) {
		return escaped.ReplaceAll(data, []byte(`"${1}blob"`)), nil
	}
	dec := json.NewDecoder(bytes.NewReader(data))
	dec.UseNumber()
	var v any
	if err := dec.Decode(&v); err != nil {
		return nil, err
	}
	v, err := restore(v, get)
	if err != nil {
		return nil, err
	}
	var out bytes.Buffer
	enc := json.NewEncoder(&out)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(v); err != nil {
		return nil, err
	}
	return escaped.ReplaceAll(bytes.TrimSuffix(out.Bytes(), []byte("\n")), []byte(`"${1}blob"`)), nil
}

func restore(v any, get func(string) ([]byte, error)) (any, error) {
	switch v := v.(type) {
	case map[string]any:
		if digest, ok := v["$blob"].(string); ok {
			content, err := get(digest)
			if err != nil {
				return nil, fmt.Errorf("blob %s: %w", digest, err)
			}
			if whole, _ := v["json"].(bool); whole {
				content, err = Restore(content, get)
				return json.RawMessage(content), err
			}
			return string(content), nil
		}
		for k, sub := range v {
			r, err := restore(sub, get)
			if err != nil {
				return nil, err
			}
			v[k] = r
		}
		return v, nil
	case []any:
		for i, sub := range v {
			r, err := restore(sub, get)
			if err != nil {
				return nil, err
			}
			v[i] = r
		}
	}
	return v, nil
}
