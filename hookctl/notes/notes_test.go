package notes

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"hookline/events"
	"hookline/events/wording"
	"hookline/expect"
	"hookline/projector/ledger"
)

// S3 "Path Requirements".
func TestCitations(t *testing.T) {
	for text, want := range map[string]string{
		"${PROJECT_ROOT}/src/auth/jwt.ts:45":          "${PROJECT_ROOT}/src/auth/jwt.ts:45 ",
		"`a b` [${PROJECT_ROOT}/src/auth/jwt.ts:4-7]": "${PROJECT_ROOT}/src/auth/jwt.ts:4-7 a b",
		"[${PROJECT_ROOT}/a:b.go:1]":                  "${PROJECT_ROOT}/a:b.go:1 ",
		"src/auth/jwt.ts:45":                          "",
		"/absolute/path/file.ts:45":                   "",
		"${PROJECT_ROOT}/src/auth/jwt.ts":             "",
		"${PROJECT_ROOT}/../x:1":                      "",
		"${PROJECT_ROOT}//etc/passwd:1":               "",
		"${PROJECT_ROOT}/a:0":                         "",
		"${PROJECT_ROOT}/a:7-6":                       "",
	} {
		c, err := ParseCitation(text)
		if got := c.String() + " " + c.Quote; err == nil && got != want || (err != nil) != (want == "") {
			t.Errorf("%s: %q, %v", text, got, err)
		}
	}
}

func TestCitationsAreCheckedAgainstTheFile(t *testing.T) {
	root, outside := t.TempDir(), t.TempDir()
	write(t, filepath.Join(root, "a.go"), "package a\r\n\r\nfunc  A() {\r\n}\r\n")
	write(t, filepath.Join(outside, "secret"), "x\n")
	_ = os.Symlink(filepath.Join(outside, "secret"), filepath.Join(root, "link"))
	_ = os.Symlink(filepath.Join(root, "a.go"), filepath.Join(root, "inside"))
	for _, c := range []struct {
		path      string
		line, end int
		quote     string
		want      error
	}{
		{"a.go", 3, 0, "func A() {", nil}, {"a.go", 1, 4, "func A() { }", nil}, {"inside", 1, 0, "package a", nil},
		{"a.go", 1, 0, "func A()", errQuote}, {"a.go", 5, 0, "", errNoLine}, {"a.go", 4, 5, "", errNoLine},
		{"b.go", 1, 0, "", errNoFile}, {"link", 1, 0, "", errOutside}, {".", 1, 0, "", errNotNil},
	} {
		_, err := Cited(root, events.Citation{Path: Root + c.path, Line: c.line, End: c.end, Quote: c.quote})
		anyError := errors.Is(c.want, errNotNil) && err != nil
		if !errors.Is(err, c.want) && !anyError {
			t.Errorf("%s:%d: %v instead of %v", c.path, c.line, err, c.want)
		}
	}
	if c, err := Quoted(root, events.Citation{Path: Root + "a.go", Line: 3}); c.Quote != "func A() {" || err != nil {
		t.Errorf("quote %q, %v", c.Quote, err)
	}
}

var errNotNil = errors.New("any error")

func write(t *testing.T, path, text string) {
	t.Helper()
	expect.OK(t, os.WriteFile(path, []byte(text), 0o640))
}

// What is outside of the block stays byte for byte, with any line ends; the block has its own.
func TestBlock(t *testing.T) {
	block := "<!-- hookline:begin -->\nNEW\n<!-- hookline:end -->"
	for _, c := range [][2]string{
		{"", block + "\n"},
		{"# Mine\n", "# Mine\n\n" + block + "\n"},
		{"a\n<!-- hookline:begin of old -->\nold\n<!-- hookline:end -->\nb", "a\n" + block + "\nb"},
		{"a\r\n<!-- hookline:begin -->\r\nold\r\n<!-- hookline:end -->\r\nb\r\n\n", "a\r\n" + block + "\r\nb\r\n\n"},
		{"say hookline:begin\n", "say hookline:begin\n\n" + block + "\n"},
		{"<!-- hookline:begin -->\nno end", ""},
		{"<!-- hookline:end -->\n<!-- hookline:begin -->\n", ""},
		{strings.Repeat("<!-- hookline:begin -->\n<!-- hookline:end -->\n", 2), ""},
	} {
		got, err := putBlock([]byte(c[0]), "NEW\n", "<!-- hookline:begin -->", "<!-- hookline:end -->")
		if (err != nil) != (c[1] == "") || string(got) != c[1] {
			t.Errorf("%q\n got %q, %v\nwant %q", c[0], got, err, c[1])
		}
		if again, err := putBlock(got, "NEW\n", "<!-- hookline:begin -->", "<!-- hookline:end -->"); c[1] != "" && (err != nil || string(again) != c[1]) {
			t.Errorf("a second time: %q, %v", again, err)
		}
	}
}

func entry(kind, subject, text string) ledger.Entry {
	return ledger.Entry{ID: "e", Kind: kind, Subject: subject, Text: text, Time: time.Date(2024, 1, 15, 14, 30, 0, 0, time.UTC)}
}

func sample() ledger.State {
	d := entry(events.LedgerDecision, "refresh tokens", "Use rotating refresh tokens")
	d.Rationale = "Prevents token theft replay attacks"
	d.Evidence = []events.Citation{{Path: Root + "src/auth/refresh.ts", Line: 12, Quote: "export async function rotateRefreshToken()"}}
	s := entry(events.LedgerScenario, "", "Token expires at boundary")
	s.Case, s.Expected = "edge_case", "Grace period applies, no forced logout"
	closed := entry(events.LedgerStep, "", "done")
	closed.Closed = &ledger.Closing{}
	return ledger.State{Entries: []ledger.Entry{d, s, entry(events.LedgerStep, "", "Implement clock skew"), closed, entry(events.LedgerQuestion, "", "Per client?")}}
}

// S3 "Required Structure".
func TestMarkdown(t *testing.T) {
	got := expect.Value(Markdown(nil, sample(), Active{Task: "Refresh flow", Checkpoint: time.Date(2024, 1, 15, 14, 30, 0, 0, time.UTC), Reasoning: "next: skew"}))(t)
	want := `## Session Continuity
<!-- CRITICAL: Load this section FIRST after /clear (~100 tokens) -->

### Active Context
- **Current Task**: Refresh flow
- **Last Checkpoint**: 2024-01-15T14:30:00Z
- **Reasoning State**: next: skew

### Lightweight Identifiers
<!-- Retrieve full content on demand -->
| Identifier | Purpose | Last Verified |
|------------|---------|---------------|
| ${PROJECT_ROOT}/src/auth/refresh.ts:12 | refresh tokens | 2024-01-15T14:30:00Z |

### Decision Log
<!-- Decisions survive context wipes -->

#### 2024-01-15T14:30:00Z - refresh tokens
**Decision**: Use rotating refresh tokens
**Rationale**: Prevents token theft replay attacks
**Evidence**:
- ` + "`export async function rotateRefreshToken()`" + ` [${PROJECT_ROOT}/src/auth/refresh.ts:12]

### Test Scenarios
- **Token expires at boundary** (edge_case): Grace period applies, no forced logout

### Active Sub-Goals
- [ ] Implement clock skew

### Pending Questions
<!-- Carry forward across sessions -->
- [ ] Per client?
`
	expect.Equal(t, strings.TrimSuffix(strings.TrimPrefix(string(got), markdownBegin+"\n"), markdownEnd+"\n"), want, got)
}

// The user's own notes are read too; a fenced example is none.
func TestReadMarkdown(t *testing.T) {
	found := ReadMarkdown([]byte("# Notes\n## Decision Log\r\n#### 2024-01-15T14:30:00Z - Tokens\n**Decision**: Rotate\n**Evidence**:\n- `q` [${PROJECT_ROOT}/a.ts:1]\n- src/b.ts:2\n" +
		"**Test Scenarios**:\n1. Happy path\n### Pending Questions\n- [ ] Who?\n- [x] Why?\n## Next Steps ##\n* Write\n```\n## Next Steps\n- example\n```\n## Other\n- nothing\n"))
	var got []string
	for _, e := range found.Entries {
		got = append(got, e.Kind+"|"+e.Subject+"|"+e.Text)
	}
	want := "scenario||Happy path decision|Tokens|Rotate question||Who? step||Write"
	if strings.Join(got, " ") != want || len(found.Done) != 1 || found.Done[0].Text != "Why?" {
		t.Errorf("%v, done %v", got, found.Done)
	}
	if len(found.Problems) != 1 || !strings.HasPrefix(found.Problems[0], `line 7: "src/b.ts:2" is no citation`) {
		t.Errorf("problems: %q", found.Problems)
	}
}

// S3 "Bead Schema Extensions": additive, all fields optional.
func TestBeads(t *testing.T) {
	old := "id: beads-x7y8\ntitle: \"Task\" # mine\nstatus: in_progress\n"
	got, err := Bead([]byte(old), sample())
	if err != nil || !strings.HasPrefix(string(got), old) {
		t.Fatalf("%v\n%s", err, got)
	}
	found, err := ReadBead(got)
	if err != nil || len(found.Entries) != 4 || len(found.Problems) != 0 || found.Entries[0].Evidence[0].Quote != "export async function rotateRefreshToken()" {
		t.Errorf("%v, %+v", err, found)
	}
	if _, err := Bead([]byte("id: x\ndecisions: []\n"), sample()); err == nil || !strings.Contains(err.Error(), `line 2 has "decisions" already`) {
		t.Errorf("a field twice: %v", err)
	}
	for text, entries := range map[string]int{"": 0, "id: x\n": 0, "next_steps: [a, b]\n": 2, "next_steps: 7\n": -1, "a: [": -1, "decisions:\n  - decision: x\n    evidence: [{path: src/a.ts, line: 1}]\n": 1} {
		found, err := ReadBead([]byte(text))
		if (err != nil) != (entries < 0) || err == nil && len(found.Entries) != entries {
			t.Errorf("%q: %d entries, %v", text, len(found.Entries), err)
		}
	}
}

// What was written is read back as what the ledger has, whatever the texts are.
func TestViewsComeBack(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var s ledger.State
		for _, kind := range rapid.SliceOfN(rapid.SampledFrom([]string{events.LedgerDecision, events.LedgerScenario, events.LedgerStep, events.LedgerQuestion}), 0, 6).Draw(t, "kinds") {
			text := rapid.StringMatching(`[a-zA-Z][a-zA-Z0-9 ,.<>!#*|:"'-]{0,80}[a-z]`).Draw(t, "text")
			e := entry(kind, "", wording.Short(text, 400))
			if kind == events.LedgerDecision && rapid.Bool().Draw(t, "has subject") {
				e.Subject = wording.Short(rapid.StringMatching(`[a-z]{3,9} [a-z]{3,9}`).Draw(t, "subject"), 100)
			}
			s.Entries = append(s.Entries, e)
		}
		markdown, err := Markdown([]byte("# Mine\n"), s, Active{})
		expect.OK(t, err)
		fromNotes := ReadMarkdown(markdown)
		bead, err := Bead(nil, s)
		expect.OK(t, err)
		fromBead, err := ReadBead(bead)
		if err != nil {
			t.Fatalf("%v\n%s", err, bead)
		}
		for _, found := range []Found{fromNotes, fromBead} {
			expect.EqualNow(t, len(found.Entries), len(s.Entries), "entries of", markdown, bead)
			for _, e := range found.Entries {
				if same, _ := s.Judge(&e); same == nil {
					t.Fatalf("new: %+v\n%s", e, markdown)
				}
			}
		}
	})
}

// What was written meanwhile is not lost; a link and a read-only file are refused.
func TestUpdate(t *testing.T) {
	path := filepath.Join(t.TempDir(), "NOTES.md")
	for _, want := range []bool{true, false} { // nothing is to do the second time
		changed, err := Update(path, func([]byte) ([]byte, error) { return []byte("x"), nil })
		expect.OK(t, err)
		expect.Equal(t, changed, want, "changed")
	}
	_, err := Update(path, func(old []byte) ([]byte, error) {
		write(t, path, "by a user")
		return append(old, 'y'), nil
	})
	if data, _ := os.ReadFile(path); !errors.Is(err, errBusy) || string(data) != "by a user" {
		t.Errorf("%q, %v", data, err)
	}

	link := filepath.Join(t.TempDir(), "NOTES.md")
	if err := os.Symlink(path, link); err != nil {
		t.Skip(err)
	}
	if _, err := Update(link, func([]byte) ([]byte, error) { return []byte("y"), nil }); err == nil {
		t.Error("a link was written through")
	}
	expect.OK(t, os.Chmod(path, 0o440))
	if _, err := Update(path, func([]byte) ([]byte, error) { return []byte("y"), nil }); !errors.Is(err, fs.ErrPermission) {
		t.Errorf("a read-only file: %v", err)
	}
}

func FuzzReadMarkdown(f *testing.F) {
	whole, _ := Markdown(nil, sample(), Active{})
	f.Add(whole)
	f.Fuzz(func(t *testing.T, data []byte) {
		for _, e := range ReadMarkdown(data).Entries {
			if e.Kind == "" {
				t.Error("an entry without a kind")
			}
		}
	})
}

func FuzzReadBead(f *testing.F) {
	whole, _ := Bead(nil, sample())
	f.Add(whole)
	f.Fuzz(func(_ *testing.T, data []byte) { _, _ = ReadBead(data) })
}
