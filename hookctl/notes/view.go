package notes

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/goccy/go-yaml"

	"hookline/events"
	"hookline/events/wording"
	"hookline/projector/ledger"
)

// Active is what S3 calls the active context: what is worked on now.
type Active struct {
	Task       string    `json:"active_task,omitempty" jsonschema_description:"the current task, or the goal"`
	Checkpoint time.Time `json:"last_checkpoint,omitzero" jsonschema_description:"when the newest checkpoint was made"`
	Reasoning  string    `json:"reasoning_state,omitempty" jsonschema_description:"words for the next session, else the newest next step"`
}

// The block of NOTES.md (S3 "Required Structure").
const (
	markdownBegin = "<!-- " + beginMark + " (written by `hookctl ledger render`; write above or below, or read changes back with `hookctl ledger import`) -->"
	markdownEnd   = "<!-- " + endMark + " -->"
	yamlBegin     = "# " + beginMark + " (written by `hookctl ledger render`)"
	yamlEnd       = "# " + endMark
)

// maxTitle bounds the title of a decision that has no subject, in characters.
const maxTitle = 60

// Markdown puts the ledger into NOTES.md: old with the marked block replaced or added.
func Markdown(old []byte, s ledger.State, now Active) ([]byte, error) {
	return putBlock(old, section(s, now), markdownBegin, markdownEnd)
}

func section(s ledger.State, now Active) string {
	var b strings.Builder
	line := func(format string, args ...any) { fmt.Fprintf(&b, format+"\n", args...) }
	line("## Session Continuity\n<!-- CRITICAL: Load this section FIRST after /clear (~100 tokens) -->\n\n### Active Context")
	line("- **Current Task**: %s", cmp.Or(plain(now.Task), "none"))
	line("- **Last Checkpoint**: %s", cmp.Or(Stamp(now.Checkpoint), "none"))
	line("- **Reasoning State**: %s", cmp.Or(plain(now.Reasoning), "none"))

	line("\n### Lightweight Identifiers\n<!-- Retrieve full content on demand -->\n| Identifier | Purpose | Last Verified |\n|------------|---------|---------------|")
	for _, e := range s.Open(events.LedgerDecision) {
		for _, c := range e.Evidence {
			line("| %s | %s | %s |", plain(c.String()), strings.ReplaceAll(plain(title(e)), "|", "\\|"), Stamp(e.Time))
		}
	}

	line("\n### Decision Log\n<!-- Decisions survive context wipes -->")
	for _, e := range s.Open(events.LedgerDecision) {
		line("\n#### %s - %s\n**Decision**: %s", Stamp(e.Time), plain(title(e)), plain(e.Text))
		if e.Rationale != "" {
			line("**Rationale**: %s", plain(e.Rationale))
		}
		for i, c := range e.Evidence {
			if i == 0 {
				line("**Evidence**:")
			}
			line("- %s", cited(c))
		}
	}

	line("\n### Test Scenarios")
	for _, e := range s.Open(events.LedgerScenario) {
		line("- **%s** (%s): %s", strings.ReplaceAll(plain(e.Text), "**", "* *"), plain(e.Case), plain(e.Expected))
	}
	line("\n### Active Sub-Goals")
	for _, e := range s.Open(events.LedgerStep) {
		line("- [ ] %s", plain(e.Text))
	}
	line("\n### Pending Questions\n<!-- Carry forward across sessions -->")
	for _, e := range s.Open(events.LedgerQuestion) {
		line("- [ ] %s", plain(e.Text))
	}
	return b.String()
}

// title is what a decision is about, or its beginning.
func title(e ledger.Entry) string { return cmp.Or(e.Subject, wording.Short(e.Text, maxTitle)) }

// cited is a citation with its quote as Markdown; a quote that has back quotes itself is left out.
func cited(c events.Citation) string {
	if c.Quote == "" || strings.Contains(c.Quote, "`") {
		return "[" + plain(c.String()) + "]"
	}
	return "`" + plain(c.Quote) + "` [" + plain(c.String()) + "]"
}

// plain is a text that can neither end the block nor begin a comment.
func plain(text string) string {
	return strings.NewReplacer("<!--", "<! --", "-->", "-- >", beginMark, "hookline: begin", endMark, "hookline: end").Replace(wording.Short(text, 1000))
}

// Stamp is a time in UTC, "" for none.
func Stamp(t time.Time) string {
	if t.IsZero() {
		return ""
	}
	return t.UTC().Format(time.RFC3339)
}

// bead is what S3 adds to a bead ("Bead Schema Extensions").
type bead struct {
	Decisions []beadDecision `yaml:"decisions"`
	Scenarios []beadScenario `yaml:"test_scenarios"`
	Steps     []string       `yaml:"next_steps"`
	Questions []string       `yaml:"questions"`
}

type beadDecision struct {
	TS        string            `yaml:"ts"`
	Decision  string            `yaml:"decision"`
	Subject   string            `yaml:"subject,omitempty"`
	Rationale string            `yaml:"rationale"`
	Evidence  []events.Citation `yaml:"evidence"`
}

type beadScenario struct {
	Name     string `yaml:"name"`
	Type     string `yaml:"type"`
	Expected string `yaml:"expected"`
}

// Bead puts the ledger into a bead's YAML. The file's own fields stay; one that has a field of the ledger outside of the
// block is refused.
func Bead(old []byte, s ledger.State) ([]byte, error) {
	var b bead
	for _, e := range s.Open(events.LedgerDecision) {
		b.Decisions = append(b.Decisions, beadDecision{TS: Stamp(e.Time), Decision: e.Text, Subject: e.Subject, Rationale: e.Rationale, Evidence: e.Evidence})
	}
	for _, e := range s.Open(events.LedgerScenario) {
		b.Scenarios = append(b.Scenarios, beadScenario{Name: e.Text, Type: e.Case, Expected: e.Expected})
	}
	for _, e := range s.Open(events.LedgerStep) {
		b.Steps = append(b.Steps, e.Text)
	}
	for _, e := range s.Open(events.LedgerQuestion) {
		b.Questions = append(b.Questions, e.Text)
	}

	data, err := yaml.Marshal(b)
	if err != nil {
		return nil, err
	}

	text := string(old) // without the block: YAML allows each field once
	from, to, err := findBlock(text)
	if err != nil {
		return nil, err
	}
	if from >= 0 {
		text = text[:from] + text[to:]
	}
	for number, line := range strings.Split(text, "\n") {
		key, _, found := strings.Cut(line, ":")
		if found && slices.Contains([]string{"decisions", "test_scenarios", "next_steps", "questions"}, key) {
			return nil, fmt.Errorf("line %d has %q already: import the file, and take the field out of it", number+1, key)
		}
	}
	return putBlock(old, string(data), yamlBegin, yamlEnd)
}
