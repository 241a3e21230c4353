package verbs

import (
	"strings"
	"testing"
)

// Flags with fixed values offer them; no verb offers files but where one is wanted (directive 0, else 4).
func TestCompletesValues(t *testing.T) {
	b := newBench(t, newFake())
	for line, want := range map[string]string{
		"tail -o ":               "pretty\njson\nndjson\ncloudevents\n:4\n",
		"tail --type ":           strings.Join(append(patterns(), typeNames()...), "\n") + "\n:4\n",
		"tail --since ":          ":4\n",
		"status ":                ":4\n",
		"status --color ":        "auto\nalways\nnever\n:4\n",
		"install --profile ":     "full\nidentity\n:4\n",
		"dream trigger --phase ": "nrem\nrem\nfull\n:4\n",
		"events emit --type ":    strings.Join(typeNames(), "\n") + "\n:4\n",
		"repair --bucket ":       "snapshot\nlatest\ncache\nsession\nidentity\nproject\ngate\n:4\n",
		"session show ":          ":4\n",
		"doctor --redaction ":    ":0\n",
		"req import ":            ":0\n",
		"completion ":            "bash\nzsh\nfish\n:4\n",
	} {
		words := strings.Split(line, " ")
		if got := b.must(append([]string{"__complete"}, words...)...); got != want {
			t.Errorf("%q: %q, want %q", line, got, want)
		}
	}
}
