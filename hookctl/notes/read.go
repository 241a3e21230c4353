package notes

import (
	"errors"
	"fmt"
	"regexp"
	"strings"

	goyaml "github.com/goccy/go-yaml"

	"hookline/events"
	"hookline/events/wording"
	"hookline/hookctl/yaml"
)

// Found is what a file says of a ledger.
type Found struct {
	Entries  []events.LedgerEntryAdded
	Done     []events.LedgerEntryAdded // that are ticked off
	Problems []string                  // what could not be read, with its line
}

var (
	heading    = regexp.MustCompile(`^#{1,6}[ \t]+(.+?)[ \t]*#*$`)
	headOfOne  = regexp.MustCompile(`^\d{4}-\d{2}-\d{2}\S*[ \t]+-[ \t]+(.+)$`)
	field      = regexp.MustCompile(`^\*\*(Decision|Rationale|Evidence|Test Scenarios)\*\*:[ \t]*(.*)$`)
	listed     = regexp.MustCompile(`^[ \t]*(?:[-*]|\d+\.)[ \t]+(?:\[([ xX])\][ \t]+)?(.+)$`)
	caseOfOne  = regexp.MustCompile(`^\*\*(.+?)\*\*(?: \(([a-z_]*)\))?:?[ \t]*(.*)$`)
	cutComment = regexp.MustCompile(`<!--.*?-->`)
)

// reader goes over the lines of NOTES.md.
type reader struct {
	found   Found
	section string // heading in lower case
	part    string // field of a decision that is being read
	open    *events.LedgerEntryAdded
	title   string
}

// ReadMarkdown reads what NOTES.md says, our block and the user's own sections alike (S3 "Required Structure"): Decision
// Log, Test Scenarios, Active Sub-Goals or Next Steps, Pending Questions. Fenced code is passed over.
func ReadMarkdown(data []byte) Found {
	r := &reader{}
	fenced := false
	for number, line := range strings.Split(strings.ReplaceAll(string(data), "\r\n", "\n"), "\n") {
		line = strings.TrimRight(cutComment.ReplaceAllString(line, ""), " \t")
		if strings.HasPrefix(strings.TrimSpace(line), "```") {
			fenced = !fenced
			continue
		}
		if !fenced {
			r.line(number+1, line)
		}
	}
	r.finish()
	return r.found
}

func (r *reader) line(number int, line string) {
	if m := heading.FindStringSubmatch(line); m != nil {
		r.finish()
		one := headOfOne.FindStringSubmatch(m[1])
		if one != nil && r.section == "decision log" {
			r.open, r.title = &events.LedgerEntryAdded{Kind: events.LedgerDecision}, one[1]
			return
		}
		r.section = strings.ToLower(m[1])
		return
	}
	if m := field.FindStringSubmatch(line); m != nil && r.open != nil {
		r.part = m[1]
		switch m[1] {
		case "Decision":
			r.open.Text = m[2]
		case "Rationale":
			r.open.Rationale = m[2]
		}
		return
	}
	if m := listed.FindStringSubmatch(line); m != nil {
		r.item(number, strings.TrimSpace(m[2]), strings.EqualFold(m[1], "x"))
	}
}

// item takes one line of a list, by the section it stands in.
func (r *reader) item(number int, text string, done bool) {
	switch {
	case r.open != nil && r.part == "Evidence":
		c, err := ParseCitation(text)
		if err != nil {
			r.found.Problems = append(r.found.Problems, fmt.Sprintf("line %d: %v", number, err))
			return
		}
		r.open.Evidence = append(r.open.Evidence, c)
	case r.open != nil && r.part == "Test Scenarios", r.section == "test scenarios":
		e := events.LedgerEntryAdded{Kind: events.LedgerScenario, Text: text}
		if m := caseOfOne.FindStringSubmatch(text); m != nil {
			e.Text, e.Case, e.Expected = m[1], m[2], m[3]
		}
		r.found.Entries = append(r.found.Entries, e)
	case r.section == "pending questions":
		r.take(events.LedgerQuestion, text, done)
	case r.section == "active sub-goals", r.section == "next steps":
		r.take(events.LedgerStep, text, done)
	}
}

func (r *reader) take(kind, text string, done bool) {
	e := events.LedgerEntryAdded{Kind: kind, Text: text}
	if done {
		r.found.Done = append(r.found.Done, e)
		return
	}
	r.found.Entries = append(r.found.Entries, e)
}

// finish ends the decision that was being read.
func (r *reader) finish() {
	if e := r.open; e != nil {
		if e.Text == "" {
			e.Text = r.title
		}
		if r.title != wording.Short(e.Text, maxTitle) {
			e.Subject = r.title
		}
		r.found.Entries = append(r.found.Entries, *e)
	}
	r.open, r.part, r.title = nil, "", ""
}

// ReadBead reads a bead's YAML. Missing fields are empty lists.
func ReadBead(data []byte) (found Found, err error) {
	tree, err := yaml.Parse(data)
	if err != nil {
		return found, err
	}
	var b bead
	if len(tree.Docs) > 0 && tree.Docs[0].Body != nil {
		if err := goyaml.NodeToValue(tree.Docs[0].Body, &b); err != nil {
			return found, errors.New("a field does not fit: " + wording.Short(err.Error(), 200))
		}
	}

	add := func(e events.LedgerEntryAdded) {
		if strings.TrimSpace(e.Text) != "" {
			found.Entries = append(found.Entries, e)
		}
	}
	for i, d := range b.Decisions {
		e := events.LedgerEntryAdded{Kind: events.LedgerDecision, Text: d.Decision, Subject: d.Subject, Rationale: d.Rationale}
		for _, v := range d.Evidence {
			c, err := ParseCitation(v.String())
			if err != nil {
				found.Problems = append(found.Problems, fmt.Sprintf("decision %d: %v", i+1, err))
				continue
			}
			c.Quote = v.Quote
			e.Evidence = append(e.Evidence, c)
		}
		add(e)
	}
	for _, s := range b.Scenarios {
		add(events.LedgerEntryAdded{Kind: events.LedgerScenario, Text: s.Name, Case: s.Type, Expected: s.Expected})
	}
	for _, t := range b.Steps {
		add(events.LedgerEntryAdded{Kind: events.LedgerStep, Text: t})
	}
	for _, t := range b.Questions {
		add(events.LedgerEntryAdded{Kind: events.LedgerQuestion, Text: t})
	}
	return found, nil
}
