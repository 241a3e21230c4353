package working

import (
	"fmt"
	"strings"
	"testing"

	"hookline/events"
	"hookline/expect"
)

// namesOf joins the names of mentions, with a colon behind those of which a line is named.
func namesOf(list []mention) string {
	var names []string
	for _, m := range list {
		if m.inLine {
			m.name += ":"
		}
		names = append(names, m.name)
	}
	return strings.Join(names, " ")
}

func TestPathsInTexts(t *testing.T) {
	for text, want := range map[string]string{
		"lib/a/tmux.ex:12: def x\n./up/doc.go https://x.org//y.go v1.2/3.4":    "lib/a/tmux.ex: up/doc.go",
		"/w/up/proxy.go, and/or a.go up/.env (web/hooks.json)":                 "/w/up/proxy.go web/hooks.json",
		"--- a/up/x.go\n+++ b/up/x.go\n":                                       "up/x.go up/x.go", // a diff
		"[the plan](docs/plan.md)":                                             "docs/plan.md",
		"文档 客户/计划.md main..up/HEAD ../x/y.go":                                  "客户/计划.md",
		"up/x.go:12:f()\nup/x.go-13-}\n":                                       "up/x.go:", // lines beside a match
		"charm.sh/tea.Model of lib/tea.go, lib/a.R, b/x.go":                    "lib/tea.go lib/a.R b/x.go",
		"src/a.ts(12,5): error\n  File \"app/b.py\", line 7\nsrc/c.ts: (12)\n": "src/a.ts: app/b.py: src/c.ts",
	} {
		expect.Equal(t, namesOf(pathsIn(text)), want, text)
	}
}

// unopened names the files that would be told.
func unopened(s State) string {
	var names []string
	for _, f := range s.Unopened() {
		names = append(names, strings.TrimPrefix(f.Path, "/w/"))
	}
	return strings.Join(names, " ")
}

// Files are pointed at by a prompt, a plan, an issue, a search that finds one, and the errors of a check. Listings, more hits, and
// what a program wrote are not told.
func TestFilesThatAreToldUnopened(t *testing.T) {
	for name, c := range map[string]struct {
		event events.Event
		want  string
	}{
		"a prompt":              {prompt("Mend lib/a.go and lib/b.go"), "lib/b.go lib/a.go"},
		"a plan":                {did("ExitPlanMode", `{"plan":"1. change lib/a.go"}`, `{}`), "lib/a.go"},
		"an issue of bd":        {ranIn("/w", "cd /w && bd show up-7", "files: lib/a.go lib/b.go"), "lib/b.go lib/a.go"},
		"an issue of GitHub":    {ranIn("/w", "gh issue view 7", "see lib/a.go"), "lib/a.go"},
		"a list of issues":      {ranIn("/w", "gh issue list", "see lib/a.go"), ""},
		"a search":              {did("Grep", `{"pattern":"x"}`, `{"content":"lib/a.go:1: x\nlib/a.go:7: x"}`), "lib/a.go"},
		"a search for names":    {did("Glob", `{"pattern":"**/a*"}`, `{"filenames":["/w/lib/a.go"]}`), "lib/a.go"},
		"a search of the shell": {ranIn("/w", "grep -rl x .", "./lib/a.go"), "lib/a.go"},
		"two hits":              {did("Grep", `{"pattern":"x"}`, `{"filenames":["/w/lib/c.go","lib/b.go"]}`), ""},
		"a failing check":       {failure("Bash", `{"command":"go test ./..."}`, "Exit code 1\nlib/a.go:12: undefined: x\nFAIL lib/b.go"), "lib/a.go"},
		"a check that warns":    {ranIn("/w", "npm run lint", "lib/a.ts:12 unused"), "lib/a.ts"},
		"many errors":           {failure("Bash", `{"command":"go vet ./..."}`, "a/1.go:1: x\na/2.go:1: x\na/3.go:1: x\na/4.go:1: x"), ""},
		"another failure":       {failure("Bash", `{"command":"./run.sh"}`, "lib/a.go:12: x"), ""},
		"a listing":             {ranIn("/w", "ls lib/*", "lib/a.go"), ""},
		"a subagent":            {did("Task", `{}`, `{"content":[{"type":"text","text":"see lib/a.go:12"}]}`), ""},
		"a file of a program's": {prompt("Mend node_modules/x/a.js and /srv/app/b.go"), ""},
	} {
		expect.Equal(t, unopened(folded(c.event)), c.want, name)
	}

	subagents := did("Bash", `{"command":"grep -rl x ."}`, `{"stdout":"lib/a.go"}`)
	r := record(1, subagents)
	r.AgentID = "a1"
	var s State
	s.succeeded(r, subagents.(*events.ToolSucceeded))
	expect.Equal(t, unopened(s), "", "files that a subagent found")
}

// A file is not told once a tool touched it.
func TestOpenedFilesAreNotTold(t *testing.T) {
	s := folded(prompt("Mend lib/a.go and lib/b.go"), did("Read", `{"file_path":"/w/lib/b.go"}`, `{}`))
	expect.Equal(t, unopened(s), "lib/a.go", "files of the prompt that were not read")
}

// What a search found is soon opened or never; what a prompt names may be opened until the next prompt of substance.
func TestSightsGrowOld(t *testing.T) {
	list := []events.Event{prompt("Mend the parser of lib/a.go"), ranIn("/w", "rg -l x", "lib/c.go")}
	calls := func(n int) []events.Event {
		more := list[:len(list):len(list)]
		for i := range n {
			more = append(more, did("Read", fmt.Sprintf(`{"file_path":"/w/x/%d.go"}`, i), `{}`))
		}
		return more
	}
	expect.Equal(t, unopened(folded(calls(foundCalls)...)), "lib/c.go lib/a.go", "after eight calls")
	expect.Equal(t, unopened(folded(calls(foundCalls+1)...)), "lib/a.go", "after nine calls")
	expect.Equal(t, unopened(folded(append(list, prompt("yes"))...)), "lib/c.go lib/a.go", "after a prompt without substance")
	expect.Equal(t, unopened(folded(append(list, prompt("Now write the release notes of it"))...)), "", "after the next prompt")
}

// Without a work tree a path is one elsewhere.
func TestSightsOutsideOfAWorkTree(t *testing.T) {
	var s State
	s.sawNamed(events.Record{}, "", "/srv/app/a.go")
	expect.Equal(t, len(s.Seen), 0, "paths outside of a work tree")
}
