//go:build linux

package conversations

import (
	"fmt"
	"math/rand/v2"
	"net/url"
	"os"
	"strings"
	"syscall"
	"testing"
	"time"

	"hookline/expect"
)

// planted is a secret and the line it stands in, the secret at %s. The secrets are put together at run
// time, so that no file of ours looks like a leak, and are different in every run.
type planted struct{ kind, line, secret string }

// randomText is n letters and digits; the ends make sure that all three kinds occur.
func randomText(n int) string {
	const letters = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789"
	b := []byte("b7" + strings.Repeat("x", n-4) + "Q3")
	for i := range n - 4 {
		b[2+i] = letters[rand.IntN(len(letters))]
	}
	return string(b)
}

// canaries are secrets by form, by name and by place; package redact has the other kinds.
func canaries() []planted {
	key := "-----BEGIN OPENSSH PRIVATE " + "KEY-----\n" + randomText(64) + "\n" + randomText(40) + "\n-----END OPENSSH PRIVATE " + "KEY-----"
	return []planted{
		{"github token", "remote uses %s", "gh" + "p_" + randomText(36)},
		{"openssh key", "file:\n%s\n", key},
		{"basic authorization", "Authorization: Basic %s", randomText(24) + "=="},
		{"url password", "postgres://app:%s@db.internal:5432/app", randomText(14)},
		{"password assignment", "export DB_PASSWORD=%s", randomText(16)},
		{"token in json", `{"access_token": "%s"}`, randomText(32)},
	}
}

func (p planted) text() string { return strings.Replace(p.line, "%s", p.secret, 1) }

// traces are the strings that must occur nowhere: the secret, or the lines of a longer one.
func (p planted) traces() []string {
	var out []string
	for line := range strings.Lines(p.secret) {
		if line = strings.TrimSpace(line); !strings.HasPrefix(line, "-----") {
			out = append(out, line)
		}
	}
	return out
}

// channels are the ways by which a text of the session comes in; the last two are above the size from
// which content goes to blobs.
func channels(session, call, text string) map[string]string {
	pad := strings.Repeat("The quick brown fox jumps over the lazy dog.\n", 500)
	return map[string]string{
		"UserPromptSubmit":   object("session_id", session, "prompt_id", call, "prompt", text),
		"PreToolUse":         object("session_id", session, "tool_name", "Bash", "tool_use_id", call, "tool_input", map[string]any{"command": "echo '" + text + "'"}),
		"PostToolUse":        object("session_id", session, "tool_name", "Bash", "tool_use_id", call, "tool_input", map[string]any{"command": "env"}, "tool_response", map[string]any{"stdout": text, "stderr": text}),
		"PostToolUseFailure": object("session_id", session, "tool_name", "Bash", "tool_use_id", call, "error", "exit 1: "+text, "is_interrupt", false),
		"Stop":               object("session_id", session, "prompt_id", call, "last_assistant_message", pad+text+"\n"),
		"PostToolBatch": object("session_id", session, "prompt_id", call, "tool_calls", []any{map[string]any{"tool_name": "Write", "tool_use_id": call,
			"tool_input": map[string]any{"file_path": "/app/x", "content": pad + text + "\n" + pad}, "tool_response": pad + text}}),
	}
}

// Nothing that was planted may be found anywhere below the home: not in the log as the API gives it
// (the file is compressed), nor in blobs, nor in the raw bytes of any file, nor in the spool.
func TestSecretsStayOut(t *testing.T) {
	t.Parallel()
	h := newHome(t)
	h.hook(t, "SessionStart", startPayload("one"))
	secrets := canaries()
	sent := map[string]planted{}
	for i, p := range secrets {
		for event, payload := range channels("one", fmt.Sprintf("toolu_%d", i), p.text()) {
			sent[h.deliver(t, event, payload)] = p
		}
	}
	spooledSecrets(t, h, secrets)
	everything := h.everything(t)
	for _, p := range secrets {
		for _, trace := range p.traces() {
			if strings.Contains(everything, trace) || strings.Contains(everything, url.QueryEscape(trace)) {
				t.Errorf("%s: the log holds it", p.kind)
			}
			if found, err := grep(h.env["HOME"], trace); err != nil || found != "" {
				t.Errorf("%s: %s holds it (%v)", p.kind, found, err)
			}
		}
	}
	if !strings.Contains(everything, "[REDACTED:private-key]") || !strings.Contains(everything, "lazy dog.\\nThe quick brown") {
		t.Error("the test looks at the wrong place: it finds neither markers nor the content of blobs")
	}
	wantCounted(t, h, sent)
}

// wantCounted wants every event that had a secret, and in each the number of what was replaced.
func wantCounted(t *testing.T, h home, sent map[string]planted) {
	t.Helper()
	found := 0
	for _, r := range h.mustEvents(t, "*") {
		p, ok := sent[r.fields["id"].(string)]
		if !ok {
			continue
		}
		found++
		if n, _ := r.fields["redacted"].(float64); n < 1 {
			t.Errorf("%s: event %v counts %v redacted", p.kind, r.fields["type"], n)
		}
	}
	expect.Equal(t, found, len(sent), "events are in the log")
}

// deliver sends a payload straight to the daemon and gives the id of its event.
func (h home) deliver(t *testing.T, event, payload string) string {
	t.Helper()
	f := h.frame(event, payload, time.Now())
	expect.Value(h.send(f))(t)
	return f.ID
}

// spooledSecrets sends all secrets at once while the daemon hangs, looks into the spool, and lets it go on.
func spooledSecrets(t *testing.T, h home, secrets []planted) {
	t.Helper()
	var all strings.Builder
	for _, p := range secrets {
		all.WriteString(p.text() + "\n")
	}
	expect.OK(t, h.signal(syscall.SIGSTOP))
	payloads := channels("spooled", "toolu_spooled", all.String())
	for event, payload := range payloads {
		h.hook(t, event, payload)
	}
	expect.OK(t, h.spools(fmt.Sprint(len(payloads))))
	for _, p := range secrets {
		for _, trace := range p.traces() {
			if found, err := grep(h.state(), trace); err != nil || found != "" {
				t.Errorf("%s: %s holds it (%v)", p.kind, found, err)
			}
		}
	}
	expect.OK(t, h.signal(syscall.SIGCONT))
	expect.OK(t, h.spools("0"))
}

// everything is all events with their blobs, and the daemon's own words.
func (h home) everything(t *testing.T) string {
	t.Helper()
	var all strings.Builder
	for _, r := range h.mustEvents(t, "*") {
		all.Write(r.raw)
		raw := expect.Value(h.ask("GET", fmt.Sprintf("/v1/events/%v?raw=1", r.fields["id"]), ""))(t)
		all.Write(raw)
	}
	log := expect.Value(os.ReadFile(h.state() + "/hookd.log"))(t)
	all.Write(log)
	return all.String()
}
