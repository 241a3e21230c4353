//go:build unix

package daemon

import (
	"net/http/httptest"
	"strings"
	"testing"
)

// What `events show --raw` prints is what the client sent, byte for byte where it sent no white space: order,
// doubled members, numbers as spelled, escapes that no string can hold; small, with blobs, and so large
// by its parts that whole members are blobs.
func TestRawIsWhatCame(t *testing.T) {
	d := opened(t)
	head := `{"hook_event_name":"PostToolUse","session_id":"s-1","tool_name":"Bash","z":1.50,"a":"\ud83d","a":"\ud83d\ude00\u00e9\/","$blob":"x","b":-0,`
	cut := strings.Repeat("x", 29_999) + `\ud83d`
	for name, rest := range map[string]string{
		"small":    `"tool_response":{"stdout":"x\ud83d"}}`,
		"blob":     `"tool_response":{"stdout":"` + cut + `","stdout":"` + cut + `","n":1E+2}}`,
		"plain":    `"tool_response":{"stdout":"` + strings.Repeat("é\\n", 20_000) + `","$$blob":{"$blob":1}}}`,
		"at end":   `"tool_input":{"content":"` + strings.Repeat("x", 20_000) + `\"$$blob"},"y":{"y":1,"y":2}}`,
		"by parts": `"tool_response":[` + strings.TrimSuffix(strings.Repeat(`"\ud83d",1.0,`, 400_000), ",") + `],"tool_response":2}`,
	} {
		f := hookFrame(head + rest)
		take(t, d, f)
		code, got := ask(t, d, "GET", "/v1/events/"+f.ID+"?raw=1", "")
		if want := string(f.Body); code != 200 || got != want {
			at := 0
			for at < min(len(got), len(want)) && got[at] == want[at] {
				at++
			}
			t.Errorf("%s: %d, differs at byte %d: %.60q instead of %.60q", name, code, at, got[at:], want[at:])
		}
	}
	mustVerify(t, d)
}

// Own content that looks like a blob comes back as it was.
func TestBlobLookalike(t *testing.T) {
	d := opened(t)
	f := hookFrame(`{"hook_event_name":"PostToolUse","session_id":"s-1","tool_name":"Bash","tool_use_id":"t","tool_response":{"$blob":"sha256:00","size":1,"head":"x"}}`)
	take(t, d, f)
	w := httptest.NewRecorder()
	d.Handler().ServeHTTP(w, httptest.NewRequest("GET", "/v1/events/"+f.ID+"?raw=1", nil))
	if w.Code != 200 || !sameJSON(t, f.Body, w.Body.Bytes()) {
		t.Errorf("%d %s", w.Code, w.Body)
	}
}
