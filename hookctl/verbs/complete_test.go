package verbs

import (
	"strings"
	"testing"

	"hookline/projector/gate"
)

// Flags with fixed values offer them; no verb offers files but where one is wanted (directive 0, else 4).
func TestCompletesValues(t *testing.T) {
	b := newBench(t, newFake())
	for line, want := range map[string]string{
		"tail -o ":               "pretty\njson\nndjson\ncloudevents\n:4\n",
		"tail --since ":          ":4\n",
		"status ":                ":4\n",
		"status --color ":        "auto\nalways\nnever\n:4\n",
		"install --profile ":     "full\nidentity\n:4\n",
		"dream trigger --phase ": "nrem\nrem\nfull\n:4\n",
		"events emit --type ":    strings.Join(typeNames(), "\n") + "\n:4\n",
		"repair --bucket ":       "snapshot\nlatest\ncache\nsession\nidentity\nproject\ngate\n:4\n",
		"session show ":          "last\tthe last active one of this project\n:36\n",
		"doctor --redaction ":    ":0\n",
		"req import ":            ":0\n",
		"completion ":            "bash\nzsh\nfish\n:4\n",
	} {
		words := strings.Split(line, " ")
		if got := b.must(append([]string{"__complete"}, words...)...); got != want {
			t.Errorf("%q: %q, want %q", line, got, want)
		}
	}
	contains(t, b.must("__complete", "tail", "--type", ""), "tool.*\n", "tool.failed\n", ":4\n")
	contains(t, b.must("__complete", "tail", "--type", "session.*,tool.f"), "session.*,tool.failed\n")
}

// What only the log knows is asked of a daemon that runs.
func TestCompletesFromTheLog(t *testing.T) {
	b, _ := peopled(t)
	contains(t, b.must("__complete", "session", "show", "c6"), "c68c8a51\t46m ago, do it\n:36\n")
	contains(t, b.must("__complete", "tail", "--session", ""), "last\t", "c68c8a51\t")
	contains(t, b.must("__complete", "tail", "--project", "bb"), "bbbbbbbbbbbb\tlib, /lib\n:36\n")
	contains(t, b.must("__complete", "project", "rehome", "bb"), "bbbbbbbbbbbb\tlib, /lib\n:36\n")
	b.handler.(*fakeBackend).cells[gate.Name] = map[string]any{"k": gate.State{Gates: map[string]gate.Gate{"commit_plan": {}, "adr_reviewed": {}}}}
	contains(t, b.must("__complete", "req", "satisfy", "commit_plan", "a"), "adr_reviewed\n:36\n")
	contains(t, b.must("__complete", "req", "status", "--branch", ""), "main\n:36\n")
	equal(t, b.must("__complete", "session", "show", "c68c8a51", ""), ":4\n", "a second session")
	b.handler = nil
	equal(t, b.must("__complete", "session", "show", ""), ":4\n", "without a daemon")
}
