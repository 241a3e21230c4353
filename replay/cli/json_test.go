package cli

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestJSONPage: every verb says what it prints with --json, every field what it means, and every
// example is of its verb's type.
func TestJSONPage(t *testing.T) {
	var verbs []string
	for _, c := range newRun().root().Commands() {
		verbs = append(verbs, c.Name())
	}
	for _, err := range JSONPage().Faults(verbs) {
		t.Error(err)
	}
}

// TestJSONDocsAreUpToDate: docs/json.md ends with what `replay json --markdown` prints; what is before
// is hookctl's.
func TestJSONDocsAreUpToDate(t *testing.T) {
	newHome(t)
	page, err := os.ReadFile(filepath.Join("..", "..", "docs", "json.md"))
	if err != nil {
		t.Fatal(err)
	}
	if out := replay(t, 0, "json", "--markdown").stdout.String(); !strings.HasPrefix(out, "## Verbs of replay\n") || !strings.HasSuffix(string(page), "\n\n"+out) {
		t.Error("docs/json.md is not up to date: make docs")
	}
}

func TestJSONVerb(t *testing.T) {
	newHome(t)
	if out := replay(t, 0, "json", "verify").stdout.String(); !strings.HasPrefix(out, "replay verify --json: one object. Exit code: 1 projections differ, 2 the log is\ndamaged or has a new hole; the object is printed then.\n") {
		t.Error(out)
	}
	if out := replay(t, 0, "json", "import", "--json").stdout.String(); !strings.Contains(out, `{"path":"files[].added","type":"integer","meaning":"events that were appended"}`) {
		t.Error(out)
	}
}
