package verbs

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/spf13/cobra"

	"hookline/hookctl/cmdline"
	"hookline/hookctl/gates"
)

// promised are the verbs of the command line that this package has, with the flags people rely on.
var promised = map[string][]string{
	"install":                 {"user", "project", "local", "profile", "dry-run"},
	"uninstall":               {"user", "project", "local", "purge", "yes", "dry-run"},
	"start":                   nil,
	"stop":                    nil,
	"restart":                 nil,
	"status":                  nil,
	"doctor":                  {"fix", "redaction"},
	"tail":                    {"follow", "session", "project", "type", "since", "n", "output"},
	"events list":             {"session", "project", "type", "since", "n", "output"},
	"events show":             {"raw"},
	"events types":            {"markdown"},
	"events schema":           nil,
	"events emit":             {"type", "data", "session"},
	"statusline":              nil,
	"session list":            {"all"},
	"session show":            nil,
	"session delete":          {"yes"},
	"project list":            nil,
	"project show":            nil,
	"project rehome":          nil,
	"identity show":           {"session"},
	"identity history":        {"all"},
	"identity reset-kuramoto": {"session"},
	"identity observe":        {"session", "vector", "phases", "coupling", "accuracy", "consciousness"},
	"dream trigger":           {"phase", "session"},
	"repair":                  {"cf", "bucket"},
	"req status":              {"branch", "session", "summary", "verbose"},
	"req satisfy":             {"branch", "session", "metadata", "force"},
	"req approve":             {"branch", "session", "metadata", "force"},
	"req clear":               {"all", "branch", "session"},
	"req list":                nil,
	"req sessions":            {"project"},
	"req prune":               nil,
	"req explain":             {"branch", "session"},
	"req init":                nil,
	"req validate":            nil,
	"req import":              nil,
	"req schema":              nil,
	"config show":             nil,
	"config set":              nil,
	"config edit":             nil,
	"log":                     {"follow", "n"},
	"config validate":         nil,
	"schema":                  nil,
	"version":                 nil,
	"completion":              nil,
	"help":                    nil,
	"hook":                    nil,

	"goal show":         {"session"},
	"goal set":          {"session"},
	"handoff show":      {"session"},
	"handoff write":     {"session"},
	"checkpoint list":   {"session"},
	"checkpoint create": {"session", "note"},
	"context show":      {"session"},

	"consciousness brief":          nil,
	"consciousness check-identity": nil,
	"consciousness inject-context": nil,
	"session restore-identity":     nil,
	"session persist-identity":     nil,
}

func walk(c *cobra.Command, f func(*cobra.Command)) {
	f(c)
	for _, sub := range c.Commands() {
		walk(sub, f)
	}
}

func TestEveryPromisedVerbExists(t *testing.T) {
	root := newBench(t, nil).root()
	for _, name := range sortedKeys(promised) {
		c, rest, err := root.Find(strings.Fields(name))
		if err != nil || len(rest) > 0 || c == root {
			t.Errorf("there is no verb %q", name)
			continue
		}
		for _, flag := range promised[name] {
			if c.Flags().Lookup(flag) == nil {
				t.Errorf("%s has no --%s", name, flag)
			}
		}
	}
}

// TestHelpOfEveryVerb: --help works, says what the verb does and shows an example that calls it.
func TestHelpOfEveryVerb(t *testing.T) {
	b := newBench(t, nil)
	walk(b.root(), func(c *cobra.Command) {
		if c.Short == "" || strings.HasSuffix(c.Short, ".") {
			t.Errorf("%s: short text %q", c.CommandPath(), c.Short)
		}
		if !strings.Contains(c.Example, c.CommandPath()) {
			t.Errorf("%s: its example does not call it: %q", c.CommandPath(), c.Example)
		}
		args := append(strings.Fields(c.CommandPath())[1:], "--help")
		if c.Name() == "help" {
			args = []string{"help", "help"}
		}
		out := b.must(args...)
		contains(t, out, "Examples:", "Usage:")
		if c.HasParent() && c.Flags().Lookup("json") == nil && c.InheritedFlags().Lookup("json") == nil {
			t.Errorf("%s has no --json", c.CommandPath())
		}
		for line := range strings.Lines(out) {
			if w := cmdline.Width(strings.TrimRight(line, "\n")); w > 80 && !strings.HasPrefix(line, "  "+c.CommandPath()) { // but an example may be longer
				t.Errorf("%s: help is %d columns wide: %q", c.CommandPath(), w, line)
			}
		}
	})
}

// TestHelpListsEveryVerb: the page of the program has each verb with its text, below the title of its group.
func TestHelpListsEveryVerb(t *testing.T) {
	b := newBench(t, nil)
	root := b.root()
	page := strings.Join(strings.Fields(b.must("help")), " ")

	for _, group := range root.Groups() {
		_, section, found := strings.Cut(page, group.Title)
		if !found {
			t.Errorf("no group %q", group.Title)
		}
		for _, c := range root.Commands() {
			if c.GroupID == group.ID && !c.Hidden && !strings.Contains(section, " "+c.Name()+" "+c.Short) {
				t.Errorf("%s is not listed below %q", c.Name(), group.Title)
			}
		}
	}
}

func TestUsageErrors(t *testing.T) {
	b := newBench(t, newFake())
	for _, tc := range []struct{ args, errs string }{
		{"tial", "hookctl: error: unknown command \"tial\" for \"hookctl\"\nhookctl: hint: did you mean `hookctl tail`?\n"},
		{"tial --nope", "hookctl: error: unknown command \"tial\" for \"hookctl\"\nhookctl: hint: did you mean `hookctl tail`?\n"},
		{"elephant", "hookctl: error: unknown command \"elephant\" for \"hookctl\"\nhookctl: hint: `hookctl --help` lists them\n"},
		{"ab", "hookctl: error: unknown command \"ab\" for \"hookctl\"\nhookctl: hint: `hookctl --help` lists them\n"},
		{"session lst --nope", "hookctl: error: unknown command \"lst\" for \"hookctl session\"\nhookctl: hint: did you mean `hookctl session list`?\n"},
		{"session show", "hookctl: error: missing argument: a session: its id, any unique prefix of it, or last\nhookctl: hint: `hookctl session show --help` shows how it is called\n"},
		{"project rehome a", "hookctl: error: missing argument: the project that takes it in\nhookctl: hint: `hookctl project rehome --help` shows how it is called\n"},
		{"events show 1 2", "hookctl: error: unexpected argument \"2\"\nhookctl: hint: `hookctl events show --help` shows how it is called\n"},
		{"status --nope", "hookctl: error: unknown flag: --nope\nhookctl: hint: `hookctl status --help` shows how it is called\n"},
		{"status --jsn", "hookctl: error: unknown flag: --jsn\nhookctl: hint: did you mean `--json`?\n"},
		{"schema statu", "hookctl: error: \"statu\" has no schema\nhookctl: hint: did you mean `hookctl schema status`?\n"},
		{"install --user --local", "hookctl: error: if any flags in the group [user project local] are set none of the others can be; [local user] were all set\nhookctl: hint: `hookctl install --help` shows how it is called\n"},
		{"install --profile big", "hookctl: error: there is no profile \"big\"\nhookctl: hint: --profile takes full or identity\n"},
		{"completion tcsh", "hookctl: error: there is no completion for \"tcsh\"\nhookctl: hint: one of bash, zsh, fish\n"},
		{"status --color sometimes", "hookctl: error: --color: \"sometimes\" is not one of auto, always, never\nhookctl: hint: the default of color is auto\n"},
		{"dream trigger --phase deep", "hookctl: error: there is no phase \"deep\"\nhookctl: hint: --phase takes nrem, rem or full\n"},
	} {
		code, out, errs := b.run(strings.Fields(tc.args)...)
		if code != 1 || out != "" || errs != tc.errs {
			t.Errorf("%s: exit %d, stdout %q, stderr\n%s", tc.args, code, out, errs)
		}
	}
}

// TestNoDestructiveHint: a hint names what to look at, never a whole command that removes something.
func TestNoDestructiveHint(t *testing.T) {
	files := must(filepath.Glob("*.go"))(t)
	for _, name := range files {
		text := must(os.ReadFile(name))(t)
		for _, word := range []string{"rm -", "kill ", "--purge`", "session delete`", "rmdir"} {
			if strings.Contains(string(text), word) && !strings.HasSuffix(name, "_test.go") {
				t.Errorf("%s contains %q", name, word)
			}
		}
	}
}

func TestCompletionAndMan(t *testing.T) {
	b := newBench(t, nil)
	for shell, word := range map[string]string{"bash": "__start_hookctl", "zsh": "#compdef hookctl", "fish": "complete -c hookctl"} {
		contains(t, b.must("completion", shell), word)
	}
	dir := filepath.Join(t.TempDir(), "man1")
	b.must("man", dir)
	pages, err := os.ReadDir(dir)
	if err != nil || len(pages) < 30 {
		t.Fatalf("%d pages, %v", len(pages), err)
	}
	var names []string
	for _, p := range pages {
		names = append(names, p.Name())
	}
	if !slices.Contains(names, "hookctl-session-list.1") || slices.Contains(names, "hookctl-man.1") {
		t.Errorf("pages %v", names)
	}
	page, err := os.ReadFile(filepath.Join(dir, "hookctl-tail.1"))
	if err != nil {
		t.Fatal(err)
	}
	contains(t, string(page), `.TH "HOOKCTL-TAIL" "1"`, "hookctl tail -f")
}

func TestVersion(t *testing.T) {
	b := newBench(t, nil)
	contains(t, b.must("version"), "hookctl 0.1.0-dev (protocol 1, go")
	contains(t, b.must("version", "--json"), `"version":"0.1.0-dev"`, `"protocol":1`)
}

// TestClientVerbs: what the client calls is handed to the thin client, whatever flags it has.
func TestClientVerbs(t *testing.T) {
	t.Setenv("HOOKLINE_DISABLED", "1") // a hook does nothing then
	b := newBench(t, nil)
	for _, args := range []string{"hook Stop", "hook", "consciousness brief --hook", "consciousness check-identity --auto-dream --later-flag", "session persist-identity"} {
		if code, out, errs := b.run(strings.Fields(args)...); code != 0 || out != "" || errs != "" {
			t.Errorf("%s: exit %d, %q, %q", args, code, out, errs)
		}
	}
	contains(t, b.must("hook", "--help"), "hookctl hook PreToolUse < hook.json")
}

// TestSchemas: every output belongs to a verb, and every schema can be printed.
func TestSchemas(t *testing.T) {
	b := newBench(t, nil)
	for verb := range outputs {
		c, rest, err := b.root().Find(strings.Fields(verb))
		if err != nil || len(rest) > 0 || c.HasSubCommands() {
			t.Errorf("%s is no verb", verb)
		}
		contains(t, b.must(append([]string{"schema"}, strings.Fields(verb)...)...), `"$schema": "https://json-schema.org/draft/2020-12/schema"`, `"title": "hookctl `+verb+`"`)
	}
	contains(t, b.must("schema"), "\nstatus\n", "\nsession list\n")
	contains(t, b.must("schema", "session", "list"), `"description": "one object a line, perhaps none; this is the schema of a line"`)
	if out := b.must("__complete", "schema", "identity", ""); !strings.HasPrefix(out, "history\nobserve\nreset-kuramoto\nshow\n:4") {
		t.Errorf("completion %q", out)
	}
}

// TestErrorsWithJSON: trouble leaves stdout empty, and its words are text on stderr.
func TestErrorsWithJSON(t *testing.T) {
	b, _ := peopled(t)
	for args, want := range map[string]string{
		"status --nope":                   "hookctl: error: unknown flag: --nope\n",
		"session show nobody":             "hookctl: error: there is no session \"nobody\"\n",
		"project show nowhere":            "hookctl: error: there is no project \"nowhere\"\n",
		"events show 99":                  "hookctl: error: no event 99 is in the log\n",
		"events emit --type no.such":      "hookctl: error: there is no event type \"no.such\"\n",
		"tail --since never":              "hookctl: error: \"never\" is no sequence, time or duration\n",
		"identity history -n -1":          "hookctl: error: invalid argument \"-1\" for \"-n, --n\" flag: want a number or all\n",
		"session delete c68c8a51":         "hookctl: error: delete session " + sessionA,
		"doctor --redaction none.txt":     "hookctl: error: open none.txt: ",
		"install --profile big":           "hookctl: error: there is no profile \"big\"\n",
		"identity observe --coupling 3":   "hookctl: error: observation refused: coupling: ",
		"req status":                      gates.NotGit,
		"req validate":                    gates.NotGit,
		"project rehome app nowhere":      "hookctl: error: ",
		"dream trigger --session nobody ": "hookctl: error: there is no session \"nobody\"\n",
	} {
		code, out, errs := b.run(append(strings.Fields(args), "--json")...)
		if code != 1 || out != "" || !strings.HasPrefix(errs, want) {
			t.Errorf("%s: exit %d, stdout %q, stderr %q", args, code, out, errs)
		}
	}
}
