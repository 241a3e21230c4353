package events

import (
	"regexp"
	"slices"
	"testing"

	"pgregory.net/rapid"
)

// LastCounts finds what a search for the form over the whole text finds.
func TestLastCountsIsTheSearchForTheForm(t *testing.T) {
	at := regexp.MustCompile(`(?i)^\d+ (?:tests?,? )?(?:passed|failed)\b`)
	anywhere := regexp.MustCompile(`(?i)\b\d+ (?:tests?,? )?(?:passed|failed)\b`)
	word := rapid.SampledFrom([]string{"12", "3", " ", " ", "passed", "Failed", "tests", ",", "\n", "a", "_", "é", ".", "="})

	rapid.Check(t, func(t *rapid.T) {
		text := ""
		for _, part := range rapid.SliceOfN(word, 0, 30).Draw(t, "words") {
			text += part
		}
		if got, want := LastCounts(text, at, 2), Newest(anywhere.FindAllString(text, -1), 2); !slices.Equal(got, want) {
			t.Fatalf("%q: %q, want %q", text, got, want)
		}
	})
}
