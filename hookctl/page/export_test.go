package page

import (
	"bytes"
	"compress/gzip"
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"io"
	"regexp"
	"strings"
	"testing"
	"time"

	"hookline/events"
	"hookline/expect"
	"hookline/hookctl/api"
)

// exported writes a session's file.
func exported(t *testing.T, from api.Caller) (string, Exported) {
	t.Helper()
	var b bytes.Buffer
	out := expect.Value(Export(t.Context(), &b, ExportOptions{From: from, Session: demoID, Zone: time.UTC, Now: time.Unix(0, 0), Build: "0.1.0"}))(t)
	return b.String(), out
}

// inside unpacks a part of a file.
func inside(t *testing.T, page, id string) []byte {
	t.Helper()
	m := regexp.MustCompile(`<script type="application/gzip" id="` + id + `">([A-Za-z0-9+/=]*)</script>`).FindStringSubmatch(page)
	if m == nil {
		t.Fatalf("the file has no part %s", id)
	}
	packed := expect.Value(base64.StdEncoding.DecodeString(m[1]))(t)
	z := expect.Value(gzip.NewReader(bytes.NewReader(packed)))(t)
	text := expect.Value(io.ReadAll(z))(t)
	return text
}

func TestExport(t *testing.T) {
	page, out := exported(t, demoSource())
	raw := inside(t, page, "events")
	sum := sha256.Sum256(raw)
	if digest := hex.EncodeToString(sum[:]); digest != out.Digest || !strings.Contains(page, digest) || out.Events != 7 || out.Session != demoID {
		t.Errorf("%+v, the events inside have %s", out, digest)
	}
	var types []string
	for l := range bytes.Lines(raw) {
		var r events.Record
		expect.OK(t, json.Unmarshal(l, &r))
		types = append(types, r.Type)
	}
	expect.Equal(t, strings.Join(types, " "), "session.started prompt.submitted tool.requested tool.succeeded tool.requested tool.failed turn.stopped", "the events inside are")

	var pack struct {
		Moves  []move            `json:"moves"`
		Bodies map[string]string `json:"bodies"`
	}
	expect.OK(t, json.Unmarshal(inside(t, page, "pack"), &pack))
	if len(pack.Moves) != 7 || !strings.Contains(pack.Bodies["r5"], "FAIL up") || strings.Contains(pack.Bodies["r5"], "href") {
		t.Errorf("%d moves, body %q", len(pack.Moves), pack.Bodies["r5"])
	}
	if !strings.Contains(page, "connect-src &#39;none&#39;") || regexp.MustCompile(`(src|href)="[^d]|https?://|data-live`).MatchString(regexp.MustCompile(`(?s)<script>.*</script>`).ReplaceAllString(page, "")) {
		t.Error("the file asks for something outside of itself")
	}
}

// Secrets that a log has from before are in no part of the file, and in no page.
func TestSecretsStayInside(t *testing.T) {
	token := "ghp_" + strings.Repeat("k3Yx", 9)
	var hooks [][2]string
	for _, h := range demoSource().log {
		data := strings.NewReplacer("Add retries", "Add retries "+token, "go test", "TOKEN="+token+" go test", "FAIL up", "FAIL "+token, "Done.", "Done "+token).Replace(string(h.Data))
		hooks = append(hooks, [2]string{h.Type, data})
	}
	from := logOf(hooks...)
	page, _ := exported(t, from)
	for name, text := range map[string]string{"page": page, "pack": string(inside(t, page, "pack")), "events": string(inside(t, page, "events")),
		"live": opened(t, from, Options{}).session("")} {
		if strings.Contains(text, token) {
			t.Errorf("%s has the token", name)
		}
		if name != "live" && name != "page" && !strings.Contains(text, "[REDACTED:github-token]") {
			t.Errorf("%s has no marker", name)
		}
	}
}
