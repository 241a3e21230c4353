package verbs

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/spf13/cobra"

	"hookline/hookctl/requirements"
)

// TestJSONPage: every verb says what it prints with --json, every field what it means, and every
// example is of its verb's type.
func TestJSONPage(t *testing.T) {
	var verbs []string
	walk(newBench(t, nil).root(), func(c *cobra.Command) {
		if !c.HasSubCommands() {
			verbs = append(verbs, strings.TrimPrefix(c.CommandPath(), "hookctl "))
		}
	})
	for _, err := range JSONPage().Faults(verbs) {
		t.Error(err)
	}
}

// TestJSONDocsAreUpToDate: docs/json.md begins with what `hookctl json --markdown` prints; the rest is
// replay's.
func TestJSONDocsAreUpToDate(t *testing.T) {
	page, err := os.ReadFile(filepath.Join("..", "..", "docs", "json.md"))
	if err != nil {
		t.Fatal(err)
	}
	if out := newBench(t, nil).must("json", "--markdown"); !strings.HasPrefix(string(page), out+"\n## Verbs of replay\n") {
		t.Error("docs/json.md is not up to date: make docs")
	}
}

func TestJSONVerb(t *testing.T) {
	b := newBench(t, nil)
	contains(t, b.must("json"), "- Within a major version fields are only added:", "\nVERB ", "\nreq status ", "one object a line\n")
	contains(t, b.must("json", "status"), "hookctl status --json: one object. Exit code: 0 also when no daemon runs: pid is\nnull then.\n",
		"  pid  (integer or null)\n      process id of the daemon; null when none runs\n", "  hooks.*.last  (time)\n", "  $ hookctl status --json\n")
	contains(t, b.must("json", "doctor"), "hookctl doctor --json:", "hookctl doctor --redaction --json:")
	contains(t, b.must("json", "gate", "mark"), "gate mark: Who did something to a gate,")
	contains(t, b.must("json", "hook"), "hookctl hook --json: no object of ours. What the client reads;")
	contains(t, b.must("json", "session", "list", "--json"), `{"verb":"session list","prints":"one object a line",`, `{"path":"id","type":"string","meaning":"whole id"}`)
	if n := strings.Count(b.must("json", "--json"), "\n"); n != len(JSONPage().Outputs) {
		t.Errorf("%d lines for %d outputs", n, len(JSONPage().Outputs))
	}
	for args, want := range map[string]string{
		"json statu":     "hookctl: error: there is no verb \"statu\"\nhookctl: hint: did you mean `hookctl json status`?\n",
		"json --json qq": "hookctl: error: there is no verb \"qq\"\nhookctl: hint: `hookctl json` lists them\n",
	} {
		if code, out, errs := b.run(strings.Fields(args)...); code != 1 || out != "" || errs != want {
			t.Errorf("%s: exit %d, %q, %q", args, code, out, errs)
		}
	}
	if out := b.must("__complete", "json", "identity", ""); !strings.HasPrefix(out, "show\nhistory\nreset-kuramoto\nobserve\n:4") {
		t.Errorf("completion %q", out)
	}
}

// TestErrorsWithJSON: trouble leaves stdout empty, and its words are text on stderr.
func TestErrorsWithJSON(t *testing.T) {
	b, _ := peopled(t)
	for args, want := range map[string]string{
		"status --nope":                   "hookctl: error: `hookctl status` has no flag --nope\n",
		"session show nobody":             "hookctl: error: there is no session \"nobody\"\n",
		"project show nowhere":            "hookctl: error: there is no project \"nowhere\"\n",
		"events show 99":                  "hookctl: error: no event 99 is in the log\n",
		"events emit --type no.such":      "hookctl: error: there is no event type \"no.such\"\n",
		"tail --since never":              "hookctl: error: --since \"never\" is no sequence, time or duration\n",
		"identity history -n -1":          "hookctl: error: -n -1 is negative\n",
		"session delete c68c8a51":         "hookctl: error: delete session " + sessionA,
		"doctor --redaction none.txt":     "hookctl: error: open none.txt: ",
		"install --profile big":           "hookctl: error: there is no profile \"big\"\n",
		"identity observe --coupling 3":   "hookctl: error: observation refused: coupling: ",
		"req status":                      requirements.NotGit,
		"req validate":                    requirements.NotGit,
		"project rehome app nowhere":      "hookctl: error: ",
		"dream trigger --session nobody ": "hookctl: error: there is no session \"nobody\"\n",
	} {
		code, out, errs := b.run(append(strings.Fields(args), "--json")...)
		if code != 1 || out != "" || !strings.HasPrefix(errs, want) {
			t.Errorf("%s: exit %d, stdout %q, stderr %q", args, code, out, errs)
		}
	}
}
