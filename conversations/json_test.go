//go:build unix

package conversations

import (
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"hookline/hookctl/shape"
	"hookline/hookctl/verbs"
	"hookline/replay/cli"
)

var update = flag.Bool("update", false, "write the examples of docs/json.md")

const (
	jsonSession = "c68c8a51-e89d-45af-bd06-f5c764bc3b27"
	jsonLater   = "5b0f3c9e-2a41-4d1c-9f27-6e0c8a7d1b34"
)

// jsonCalls are command lines as a script has them, in an order that works, all with --json. What
// stands behind a | is only of the example: `head -n N` leaves out the lines behind, `jq -c
// 'del(.x)'` the last member x.
var jsonCalls = []string{
	"hookctl version",
	"hookctl json version",
	"hookctl man man",
	"hookctl config show",
	"hookctl config validate",
	"hookctl install",
	"hookctl install --dry-run --profile identity",
	"hookctl start",
	"(hooks)",
	"hookctl status",
	"hookctl doctor",
	"hookctl doctor --redaction prompt.txt",
	"hookctl tail -n 1",
	"hookctl tail -n 1 -o cloudevents",
	"hookctl events list --type tool.failed",
	"hookctl events show 4",
	"hookctl events types | head -n 2",
	"hookctl events emit --type canary.sent --data {\"nonce\":\"hello\"}",
	"hookctl repair --bucket latest",
	"hookctl session list | head -n 1",
	"hookctl session show c68c8a51",
	"hookctl project list",
	"hookctl project show",
	"hookctl project rehome lib app",
	"hookctl project rehome lib app",
	"hookctl identity show | jq -c 'del(.snapshot)'",
	"hookctl identity history",
	"hookctl identity reset-kuramoto --session 5b0f3c9e",
	"hookctl identity observe --session 5b0f3c9e --accuracy 0.9",
	"hookctl dream trigger --phase full --session 5b0f3c9e",
	"hookctl statusline",
	"hookctl req init",
	"hookctl req status",
	"hookctl req satisfy commit_plan",
	"hookctl req approve commit_plan --session 5b0f3c9e",
	"hookctl req explain commit_plan | jq -c 'del(.events)'",
	"hookctl req list",
	"hookctl req clear commit_plan",
	"hookctl req sessions",
	"hookctl req validate",
	"hookctl req import old.json",
	"hookctl req export --dir old-state",
	"hookctl req prune",
	"replay version",
	"replay json version",
	"replay man man",
	"replay verify",
	"replay rebuild --dry-run",
	"replay at 2 session",
	"replay diff 2 6 session",
	"replay recover --at now --dry-run",
	"replay repair --dry-run",
	"replay export -o log.ndjson.zst",
	"replay import log.ndjson.zst",
	"replay backup all.backup",
	"replay restore all.backup --home restored",
	"hookctl session delete 5b0f3c9e --yes",
	"replay at now | head -n 0",
	"hookctl restart",
	"hookctl stop",
	"hookctl status | head -n 0",
	"replay verify | head -n 0",
	"hookctl uninstall --purge --yes",
}

// TestJSONIsAsDocumented has the programs print every object that docs/json.md describes, in a house
// whose local time is not UTC, and compares each with the type that the page is made from.
func TestJSONIsAsDocumented(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	h.env["TZ"], h.env["CLAUDE_CODE_SESSION_ID"] = "Asia/Kolkata", jsonSession
	h.env["PATH"] = binaries + string(filepath.ListSeparator) + h.env["PATH"]
	h.furnish(t)
	pages := map[string]shape.Page{"hookctl": verbs.JSONPage(), "replay": cli.JSONPage()}
	seen := map[string]bool{}
	for _, line := range jsonCalls {
		if line == "(hooks)" {
			h.play(t)
			continue
		}
		command, filter, _ := strings.Cut(line, " | ")
		prog, args, _ := strings.Cut(command, " ")
		given := append(strings.Fields(args), "--json")
		out, err := h.run(call{prog: prog, args: given, null: true})
		if err != nil {
			t.Fatal(err)
		}
		o, ok := pages[prog].For(given)
		if !ok || o.Of == nil {
			t.Errorf("%s: docs/json.md does not know it", line)
			continue
		}
		if err := o.Check([]byte(out.stdout)); err != nil || out.stdout == "" {
			t.Errorf("%s: exit %d, stdout %q, stderr %q: %v", line, out.exit, out.stdout, out.stderr, err)
		}
		if name := prog + " " + o.Verb; !seen[name] && *update {
			h.keep(t, prog, o.Verb, line, filter, out.stdout)
		}
		seen[prog+" "+o.Verb] = true
		if line == "replay at now | head -n 0" {
			wantStates(t, pages["hookctl"], out.stdout)
		}
	}
	for prog, p := range pages {
		for _, o := range p.Outputs {
			if o.Of != nil && !seen[prog+" "+o.Verb] {
				t.Errorf("%s %s --json was not called", prog, o.Verb)
			}
		}
	}
}

// wantStates compares each state that `replay at` shows with the object of its projection's name.
func wantStates(t *testing.T, page shape.Page, printed string) {
	t.Helper()
	var at struct {
		Cells []struct {
			Projection, Key string
			State           json.RawMessage
		}
	}
	if err := json.Unmarshal([]byte(printed), &at); err != nil || len(at.Cells) < 10 {
		t.Errorf("%d cells, %v", len(at.Cells), err)
	}
	for _, c := range at.Cells {
		i := slices.IndexFunc(page.Objects, func(o shape.Object) bool { return o.Name == c.Projection })
		if i < 0 {
			t.Errorf("docs/json.md has no object %s", c.Projection)
			continue
		}
		if err := shape.Check(page.Objects[i].Of, c.State, true); err != nil {
			t.Errorf("state of %s %s: %s: %v", c.Projection, c.Key, c.State, err)
		}
	}
}

// furnish makes the house's folder a repository, with a file that holds a secret and one of the
// requirements framework.
func (h house) furnish(t *testing.T) {
	t.Helper()
	for name, text := range map[string]string{
		"prompt.txt": "pass" + "word: hunter2-and-more-9Xq\n", // in two, or scanners find it
		"old.json":   `{"version":"1.0","branch":"main","project":"app","requirements":{"adr_reviewed":{"scope":"branch","satisfied":true,"satisfied_at":1795248000}}}`,
	} {
		if err := os.WriteFile(filepath.Join(h.dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	for _, args := range [][]string{{"init", "-q", "-b", "main"}, {"-c", "user.name=dev", "-c", "user.email=dev@example.com", "commit", "-q", "--allow-empty", "-m", "first"}} {
		cmd := exec.Command("git", args...)
		cmd.Dir, cmd.Env = h.dir, h.environ()
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Fatalf("git %v: %v\n%s", args, err, out)
		}
	}
}

// play sends the hooks of two sessions and of one in another folder.
func (h house) play(t *testing.T) {
	t.Helper()
	send := func(session, event, rest string) {
		h.hook(t, event, fmt.Sprintf(`{"session_id":%q,"hook_event_name":%q,"cwd":%q%s}`, session, event, h.dir, rest), "CLAUDE_CODE_SESSION_ID=")
	}
	send(jsonSession, "SessionStart", `,"source":"startup","model":"claude-sonnet-4-5"`)
	send(jsonSession, "UserPromptSubmit", `,"prompt_id":"p1","prompt":"mend the parser"`)
	send(jsonSession, "PreToolUse", `,"tool_name":"Bash","tool_use_id":"toolu_01","tool_input":{"command":"go test ./parser"}`)
	send(jsonSession, "PostToolUseFailure", `,"tool_name":"Bash","tool_use_id":"toolu_01","tool_input":{"command":"go test ./parser"},"error":"Exit code 1"`)
	send(jsonSession, "Stop", `,"last_assistant_message":"It is mended."`)
	send(jsonSession, "SessionEnd", `,"reason":"prompt_input_exit"`)
	send(jsonLater, "SessionStart", `,"source":"startup","model":"claude-sonnet-4-5"`)
	send(jsonLater, "UserPromptSubmit", `,"prompt_id":"p2","prompt":"and the lexer"`)
	lib := house{env: h.env, dir: filepath.Join(filepath.Dir(h.dir), "lib")}
	if err := os.Mkdir(lib.dir, 0o700); err != nil {
		t.Fatal(err)
	}
	lib.hook(t, "SessionStart", `{"session_id":"043f0af5-9c27-45d8-a169-f3fdda0888b5","hook_event_name":"SessionStart","source":"startup"}`, "CLAUDE_CODE_SESSION_ID=")
}

// keep writes the example of a verb, with the paths of someone's machine.
func (h house) keep(t *testing.T, prog, verb, line, filter, printed string) {
	t.Helper()
	work := filepath.Dir(h.dir)
	printed = strings.NewReplacer(h.env["HOOKLINE_HOME"], "/home/dev/.local/state/hookline", h.env["HOOKLINE_SOCKET"], "/run/user/1000/hookline/0a1b2c3d.sock",
		binaries, "/home/dev/.local/bin", work, "/home/dev").Replace(printed)
	n := -1
	if _, err := fmt.Sscanf(filter, "head -n %d", &n); err == nil {
		printed = strings.Join(strings.SplitAfter(printed, "\n")[:n], "")
	}
	if name, ok := strings.CutPrefix(filter, "jq -c 'del(."); ok {
		printed = printed[:strings.Index(printed, `,"`+strings.TrimSuffix(name, ")'")+`":`)] + "}\n"
	}
	command, _, _ := strings.Cut(line, " | ")
	command = strings.NewReplacer(`{"`, `'{"`, `"}`, `"}'`).Replace(command) + " --json"
	if filter != "" {
		command += " | " + filter
	}
	dir := map[string]string{"hookctl": "../hookctl/verbs/examples", "replay": "../replay/cli/examples"}[prog]
	file := filepath.Join(dir, strings.ReplaceAll(verb, " ", "-")+".txt")
	if err := os.WriteFile(file, []byte(command+"\n"+printed), 0o644); err != nil {
		t.Fatal(err)
	}
}
