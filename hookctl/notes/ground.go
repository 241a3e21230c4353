package notes

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"hookline/events"
	"hookline/events/wording"
	"hookline/projector/ledger"
)

// What a claim rests on (S3, DECISIONS "Grounding ratio"). Whatever else it says, a claim is not grounded.
const (
	byCitation   = "citation"
	byReference  = "code_reference"
	byUser       = "user_input"
	byAssumption = "assumption"
)

// Claim is a statement with what it rests on.
type Claim struct {
	Where     string `json:"where" jsonschema_description:"file and line, or the entry of the ledger"`
	Text      string `json:"claim" jsonschema_description:"shortened"`
	Grounding string `json:"grounding" jsonschema_description:"citation, code_reference, user_input or assumption"`
	Problem   string `json:"problem,omitempty" jsonschema_description:"why what it rests on does not hold"`
}

// maxUngrounded bounds how many claims are named.
const maxUngrounded = 10

// Grounding is how many claims are grounded.
type Grounding struct {
	Total      int     `json:"total_claims" jsonschema_description:"all"`
	Grounded   int     `json:"grounded_claims" jsonschema_description:"of the next three kinds"`
	Citations  int     `json:"grounded_citations" jsonschema_description:"with a quote that stands where it is said to"`
	References int     `json:"grounded_references" jsonschema_description:"with a place that is there"`
	UserInput  int     `json:"grounded_user_input" jsonschema_description:"by the user"`
	Assumed    int     `json:"assumptions" jsonschema_description:"without any of them, or with one that does not hold"`
	Ratio      float64 `json:"grounding_ratio" jsonschema_description:"grounded / total; 1 without claims"`
	Threshold  float64 `json:"threshold" jsonschema_description:"the least ratio that passes"`
	Status     string  `json:"status" jsonschema_description:"pass or fail"`
	Message    string  `json:"message" jsonschema_description:"in words"`
	Ungrounded []Claim `json:"ungrounded_claims" jsonschema_description:"at most 10"`
}

// Ground judges claims: the unrounded ratio fails below the threshold.
func Ground(claims []Claim, threshold float64) Grounding {
	g := Grounding{Total: len(claims), Ratio: 1, Threshold: threshold, Status: "pass", Ungrounded: []Claim{}}
	for _, c := range claims {
		switch {
		case c.Problem == "" && c.Grounding == byCitation:
			g.Citations++
		case c.Problem == "" && c.Grounding == byReference:
			g.References++
		case c.Problem == "" && c.Grounding == byUser:
			g.UserInput++
		default:
			g.Assumed++
			if len(g.Ungrounded) < maxUngrounded {
				g.Ungrounded = append(g.Ungrounded, c)
			}
		}
	}
	g.Grounded = g.Citations + g.References + g.UserInput
	if g.Total == 0 {
		g.Message = "no claims"
		return g
	}

	g.Ratio = float64(g.Grounded) / float64(g.Total)
	if g.Ratio < threshold {
		g.Status = "fail"
	}
	g.Message = fmt.Sprintf("%d of %d claims are grounded: %.2f, %.2f is wanted", g.Grounded, g.Total, g.Ratio, threshold)
	return g
}

// ClaimsOfLedger are the open decisions: what a user or a person decided is theirs, what an agent did needs evidence.
func ClaimsOfLedger(root string, s ledger.State) []Claim {
	var list []Claim
	for _, e := range s.Open(events.LedgerDecision) {
		c := Claim{Where: fmt.Sprintf("ledger %d", e.Seq), Text: wording.Short(e.Text, 100), Grounding: byAssumption}
		if e.By != "agent" {
			c.Grounding = byUser
		}
		for _, place := range e.Evidence {
			c = c.restsOn(root, place)
		}
		list = append(list, c)
	}
	return list
}

// restsOn is the claim with one more place that supports it; the first that does not hold is named.
func (c Claim) restsOn(root string, at events.Citation) Claim {
	_, err := Cited(root, at)
	switch {
	case c.Problem != "":
	case err != nil:
		c.Problem = at.String() + ": " + err.Error()
	case at.Quote != "":
		c.Grounding = byCitation
	case c.Grounding != byCitation:
		c.Grounding = byReference
	}
	return c
}

// ClaimsOfTrajectory are the entries of a trajectory, a JSON object a line, whose phase is "cite". A malformed line is
// passed over. Where an entry names a place, it is checked.
func ClaimsOfTrajectory(root, name string, data []byte) []Claim {
	var list []Claim
	lines := bufio.NewScanner(bytes.NewReader(data))
	lines.Buffer(nil, maxFile)
	for number := 1; lines.Scan(); number++ {
		var entry struct {
			Phase     string `json:"phase"`
			Grounding string `json:"grounding"`
			Claim     string `json:"claim"`
			Citation  string `json:"citation"`
		}
		if json.Unmarshal(lines.Bytes(), &entry) != nil || entry.Phase != "cite" {
			continue
		}
		c := Claim{Where: fmt.Sprintf("%s:%d", name, number), Text: wording.Short(entry.Claim, 100), Grounding: entry.Grounding}
		if entry.Citation != "" {
			at, err := ParseCitation(entry.Citation)
			if err != nil {
				c.Problem = err.Error()
			} else {
				c = Claim{Where: c.Where, Text: c.Text}.restsOn(root, at)
			}
		}
		list = append(list, c)
	}
	return list
}

var (
	codePath = regexp.MustCompile("`([A-Za-z0-9_-][A-Za-z0-9_.-]*(?:/[A-Za-z0-9_.-]+)+)/?`")
	linked   = regexp.MustCompile(`\]\(([^)\s]+)\)`)
)

// ClaimsOfMarkdown are what a document says of the project's files: citations, links to files, and paths in code type
// whose first folder the project has. Fenced code is passed over.
func ClaimsOfMarkdown(root, name string, data []byte) []Claim {
	var list []Claim
	fenced := false
	for number, line := range strings.Split(string(data), "\n") {
		if strings.HasPrefix(strings.TrimSpace(line), "```") {
			fenced = !fenced
		}
		if fenced {
			continue
		}
		where := fmt.Sprintf("%s:%d", name, number+1)
		for _, m := range citation.FindAllString(line, -1) {
			c := Claim{Where: where, Text: wording.Short(m, 100)}
			at, err := ParseCitation(m)
			if err != nil {
				c.Problem = err.Error()
			} else {
				c = c.restsOn(root, at)
			}
			list = append(list, c)
		}
		list = append(list, pathClaims(root, name, where, line)...)
	}
	return list
}

// pathClaims are the links and paths of one line.
func pathClaims(root, name, where, line string) []Claim {
	var list []Claim
	add := func(text, file string) {
		c := Claim{Where: where, Text: text, Grounding: byReference}
		if _, err := os.Stat(filepath.Join(root, filepath.FromSlash(file))); err != nil {
			c.Problem = errNoFile.Error()
		}
		list = append(list, c)
	}
	for _, m := range linked.FindAllStringSubmatch(line, -1) {
		target, _, _ := strings.Cut(m[1], "#")
		if target != "" && !strings.Contains(target, ":") && !strings.HasPrefix(target, "/") {
			add(m[1], path.Join(path.Dir(name), target))
		}
	}
	for _, m := range codePath.FindAllStringSubmatch(line, -1) {
		first, _, _ := strings.Cut(m[1], "/")
		if info, err := os.Stat(filepath.Join(root, first)); err == nil && info.IsDir() {
			add(m[1], m[1])
		}
	}
	return list
}

// Ghost is what a search for a feature found: DECISIONS "Negative grounding".
type Ghost struct {
	Feature  string   `json:"feature" jsonschema_description:"what was searched for"`
	Queries  []string `json:"queries" jsonschema_description:"the searches"`
	Hits     []int    `json:"hits" jsonschema_description:"lines of code that each found"`
	Mentions int      `json:"mentions" jsonschema_description:"lines of documents that have the feature's words"`
	Status   string   `json:"status" jsonschema_description:"present, confirmed_ghost or high_ambiguity"`
}

// ambiguousFrom is how many lines of documents make a feature without a hit ambiguous.
const ambiguousFrom = 3

// Seek searches files below root, by lines that have all words of a query: code for each query, documents for the
// feature. Without any hit the feature is a ghost, or ambiguous where documents mention it three times.
func Seek(root string, files []string, feature string, queries []string) Ghost {
	g := Ghost{Feature: feature, Queries: queries, Hits: make([]int, len(queries)), Status: "present"}
	documents := []string{".md", ".txt", ".rst", ".adoc"}
	for _, name := range files {
		document := slices.Contains(documents, strings.ToLower(path.Ext(name)))
		lines, err := linesOf(root, name)
		if err != nil {
			continue // gone, or no regular file
		}
		for _, line := range lines {
			low := strings.ToLower(line)
			if document {
				g.Mentions += count(low, feature)
				continue
			}
			for i, q := range queries {
				g.Hits[i] += count(low, q)
			}
		}
	}

	for _, n := range g.Hits {
		if n > 0 {
			return g
		}
	}
	g.Status = "confirmed_ghost"
	if g.Mentions >= ambiguousFrom {
		g.Status = "high_ambiguity"
	}
	return g
}

// count is 1 for a line in lower case that has all words of a query.
func count(line, query string) int {
	for _, w := range strings.Fields(strings.ToLower(query)) {
		if !strings.Contains(line, w) {
			return 0
		}
	}
	return 1
}
