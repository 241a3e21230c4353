package working

import (
	"encoding/json"
	"regexp"
	"strings"
	"testing"
	"unicode"

	"pgregory.net/rapid"
)

// What is looked at before a regular expression or a decoder is asked, and what stands in for them, says the same.
func TestShortWays(t *testing.T) {
	asks := regexp.MustCompile(`(?i)\b(` + strings.Join(implements, "|") + `)\b`)
	ascii := strings.NewReplacer("\u212a", "", "\u017f", "") // letters that a regular expression takes for K and s
	pieces := []string{"add", "ADD", "maker", "_fix", "fix", "9", "é", " ", "  ", "\t", "\n", "-", "go test ./x", "npm run build", "jest", "make", "make check",
		"tsc --noEmit", "cargo clippy", "go vet", "cmake --build", "mvn -q package", "pytest", "vitest", "contest", "mvn a test", "gradlew x build", "go install", "ruff", "bd ", "tox"}
	rapid.Check(t, func(rt *rapid.T) {
		text := strings.Join(rapid.SliceOfN(rapid.OneOf(rapid.SampledFrom(pieces), rapid.String()), 0, 6).Draw(rt, "pieces"), rapid.SampledFrom([]string{"", " "}).Draw(rt, "between"))
		plain := ascii.Replace(text)
		if got, want := asksForChange(plain), asks.MatchString(plain); got != want {
			rt.Errorf("%q asks for a change: %v, want %v", text, got, want)
		}

		kind := ""
		for _, c := range checks {
			if kind == "" && c.line.MatchString(text) {
				kind = c.kind
			}
		}
		if got := kindOf(text); got != kind {
			rt.Errorf("%q is %q, want %q", text, got, kind)
		}

		n := rapid.IntRange(1, 20).Draw(rt, "n")
		runes := []rune(strings.Join(strings.FieldsFunc(text, func(r rune) bool { return unicode.IsSpace(r) || unicode.IsControl(r) }), " "))
		want := string(runes)
		if len(runes) > n {
			want = string(runes[:n-1]) + "…"
		}
		if got := clip(text, n); got != want {
			rt.Errorf("%q in %d characters: %q, want %q", text, n, got, want)
		}
	})
}

// The words of a refusal are found however the client writes its letters.
func TestRefusalInEscapes(t *testing.T) {
	for _, response := range []string{`"The user doesn't want to proceed with this tool use. the user said: no"`, `"The user doesn\u0027t want to \u0070roceed with this tool use. the user said: no"`} {
		if got := refusal(json.RawMessage(response)); got != "no" {
			t.Errorf("%s: %q", response, got)
		}
	}
}
