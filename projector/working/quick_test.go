package working

import (
	"encoding/json"
	"regexp"
	"strings"
	"testing"
	"unicode"

	"pgregory.net/rapid"

	"hookline/expect"
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
		expect.Equal(rt, asksForChange(plain), asks.MatchString(plain), text, "asks for a change")

		kind := ""
		for _, c := range checks {
			if kind == "" && c.line.MatchString(text) {
				kind = c.kind
			}
		}
		expect.Equal(rt, kindOf(text), kind, text)

		n := rapid.IntRange(1, 20).Draw(rt, "n")
		runes := []rune(strings.Join(strings.FieldsFunc(text, func(r rune) bool { return unicode.IsSpace(r) || unicode.IsControl(r) }), " "))
		want := string(runes)
		if len(runes) > n {
			want = string(runes[:n-1]) + "…"
		}
		expect.Equal(rt, clip(text, n), want, text, n, "characters")
	})
}

// The words of a refusal are found however the client writes its letters.
func TestRefusalInEscapes(t *testing.T) {
	for _, response := range []string{`"The user doesn't want to proceed with this tool use. the user said: no"`, `"The user doesn\u0027t want to \u0070roceed with this tool use. the user said: no"`} {
		expect.Equal(t, refusal(json.RawMessage(response)), "no", response)
	}
}
