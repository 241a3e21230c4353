package notes

import (
	"path/filepath"
	"strings"
	"testing"

	"hookline/events"
	"hookline/projector/ledger"
)

// claims are n grounded ones of m.
func claims(n, m int) []Claim {
	var list []Claim
	for i := range m {
		kinds := []string{byCitation, byReference, byUser}
		c := Claim{Grounding: kinds[i%3]}
		if i >= n {
			c.Grounding = byAssumption
		}
		list = append(list, c)
	}
	return list
}

// DECISIONS S3 "Grounding ratio": unrounded, fails iff below .95; no claims pass.
func TestGroundingRatio(t *testing.T) {
	for _, c := range []struct {
		n, m   int
		status string
	}{{0, 0, "pass"}, {19, 20, "pass"}, {18, 19, "fail"}, {946, 1000, "fail"}, {950, 1000, "pass"}, {9499, 10000, "fail"}, {0, 1, "fail"}} {
		g := Ground(claims(c.n, c.m), 0.95)
		if g.Status != c.status || g.Grounded != c.n || g.Total != c.m || g.Citations+g.References+g.UserInput+g.Assumed != c.m || len(g.Ungrounded) != min(10, c.m-c.n) {
			t.Errorf("%d of %d: %+v", c.n, c.m, g)
		}
	}
	if g := Ground(nil, 0.95); g.Ratio != 1 || g.Message != "no claims" {
		t.Errorf("no claims: %+v", g)
	}
}

func project(t *testing.T) string {
	t.Helper()
	root := t.TempDir()
	write(t, filepath.Join(root, "jwt.go"), "package auth\nfunc Rotate() {}\n")
	write(t, filepath.Join(root, "README.md"), "Token rotation\nrotation of the token\nthe token has a rotation\nlost feature\n")
	return root
}

func TestClaimsOfALedger(t *testing.T) {
	at := func(line int, quote string) []events.Citation {
		return []events.Citation{{Path: Root + "jwt.go", Line: line, Quote: quote}}
	}
	decision := func(by string, evidence []events.Citation) ledger.Entry {
		return ledger.Entry{Kind: events.LedgerDecision, Seq: 7, Text: "x", By: by, Evidence: evidence}
	}
	s := ledger.State{Entries: []ledger.Entry{decision("agent", at(2, "func Rotate()")), decision("agent", at(2, "")), decision("user", nil), decision("person", nil),
		decision("agent", nil), decision("agent", at(1, "func Rotate()")), decision("user", at(9, "")), {Kind: events.LedgerStep}}}
	g := Ground(ClaimsOfLedger(project(t), s), 0.95)
	if g.Citations != 1 || g.References != 1 || g.UserInput != 2 || g.Assumed != 3 || g.Status != "fail" {
		t.Errorf("%+v", g)
	}
	if g.Ungrounded[1].Problem != "${PROJECT_ROOT}/jwt.go:1: the quote is not there" || g.Ungrounded[2].Problem != "${PROJECT_ROOT}/jwt.go:9: the file has no such line: it has 2" {
		t.Errorf("%+v", g.Ungrounded)
	}
}

// Any spacing, malformed lines and lines of other phases (origins §3.1).
func TestClaimsOfATrajectory(t *testing.T) {
	lines := `{"phase":"cite","grounding":"citation","claim":"a"}
{ "phase" : "cite", "grounding" : "code_reference" }
{"phase":"cite","grounding":"user_input"}
{"phase":"cite","grounding":"assumption","claim":"d"}
{"phase":"cite","grounding":"inference","claim":"e"}
{"phase":"cite","grounding":"citation","citation":"` + "`func Rotate()` [${PROJECT_ROOT}/jwt.go:2]" + `"}
{"phase":"cite","grounding":"citation","citation":"jwt.go:2","claim":"g"}
{"phase":"session_handoff"}
not JSON
`
	g := Ground(ClaimsOfTrajectory(project(t), "t.jsonl", []byte(lines)), 0.95)
	if g.Total != 7 || g.Citations != 2 || g.References != 1 || g.UserInput != 1 || g.Assumed != 3 {
		t.Errorf("%+v", g)
	}
	if g.Ungrounded[2].Where != "t.jsonl:7" || !strings.Contains(g.Ungrounded[2].Problem, "is no citation") {
		t.Errorf("%+v", g.Ungrounded)
	}
}

func TestClaimsOfADocument(t *testing.T) {
	root := project(t)
	write(t, filepath.Join(root, "jwt.go"), "package auth\nfunc Rotate() {}\n")
	text := "See `func Rotate()` [${PROJECT_ROOT}/jwt.go:2] and [${PROJECT_ROOT}/jwt.go:1], [here](../README.md#x), [there](https://x.org/a), `net/http`, [gone](none.md).\n" +
		"`wrong` [${PROJECT_ROOT}/jwt.go:2]\n```\n[${PROJECT_ROOT}/none.go:1]\n```\n"
	g := Ground(ClaimsOfMarkdown(root, "docs/a.md", []byte(text)), 0.95)
	if g.Total != 5 || g.Citations != 1 || g.References != 2 || g.Assumed != 2 {
		t.Errorf("%+v", g)
	}
	if g.Ungrounded[0].Text != "none.md" || g.Ungrounded[1].Where != "docs/a.md:2" {
		t.Errorf("%+v", g.Ungrounded)
	}
}

// DECISIONS S3 "Negative grounding": two searches without a hit; up to 2 mentions a ghost, from 3 on ambiguous.
func TestNegativeGrounding(t *testing.T) {
	for _, c := range []struct {
		feature, second, status string
		mentions                int
	}{{"rotate", "spin", "present", 0}, {"spin", "ROTATE func", "present", 0}, {"token rotation", "spin", "high_ambiguity", 3}, {"lost feature", "spin", "confirmed_ghost", 1}, {"nothing", "spin", "confirmed_ghost", 0}} {
		g := Seek(project(t), []string{"jwt.go", "README.md", "gone.go"}, c.feature, []string{c.feature, c.second})
		if g.Status != c.status || g.Mentions != c.mentions {
			t.Errorf("%s: %+v", c.feature, g)
		}
	}
}

func FuzzClaimsOfTrajectory(f *testing.F) {
	f.Add([]byte(`{"phase":"cite","grounding":"citation","citation":"${PROJECT_ROOT}/a:1"}`))
	f.Fuzz(func(t *testing.T, data []byte) {
		list := ClaimsOfTrajectory(t.TempDir(), "t", data)
		if g := Ground(list, 0.95); g.Grounded+g.Assumed != g.Total {
			t.Errorf("%+v", g)
		}
	})
}
