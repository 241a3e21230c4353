package working

import (
	"strings"
	"testing"
	"unicode"

	"pgregory.net/rapid"

	"hookline/expect"
)

// What is looked at before a regular expression is asked, and what stands in for it, says the same.
func TestShortWays(t *testing.T) {
	pieces := []string{"9", "é", " ", "  ", "\t", "\n", "-", "go test ./x", "npm run build", "jest", "make", "make check",
		"tsc --noEmit", "cargo clippy", "go vet", "cmake --build", "mvn -q package", "pytest", "vitest", "contest", "mvn a test", "gradlew x build", "go install", "ruff", "bd ", "tox"}
	rapid.Check(t, func(rt *rapid.T) {
		text := strings.Join(rapid.SliceOfN(rapid.OneOf(rapid.SampledFrom(pieces), rapid.String()), 0, 6).Draw(rt, "pieces"), rapid.SampledFrom([]string{"", " "}).Draw(rt, "between"))
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
		expect.Equal(rt, Clip(text, n), want, text, n, "characters")
	})
}
