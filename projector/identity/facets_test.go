package identity

import (
	"slices"
	"testing"

	"hookline/events"
	"hookline/expect"
)

// fed names the facets that the record feeds, by their number 1…13.
func fed(s State, r events.Record) []int {
	var out []int
	a := actOf(r)
	for i, e := range evidence(&s, &a) {
		if e == 1 {
			out = append(out, i+1)
		}
	}
	return out
}

// TestEvidence holds the table of facets: what is given, in which session, feeds which facets.
func TestEvidence(t *testing.T) {
	edited := []string{events.TypeToolSucceeded, `{"tool_name":"Edit","tool_input":{"file_path":"/p/a.go"}}`}
	ran := []string{events.TypeToolSucceeded, bash("ls  -l")}
	broke := []string{events.TypeToolFailed, bash("go test ./a")}
	for name, c := range map[string]struct {
		before    []string
		typ, data string
		want      []int
	}{
		"prompt":                     {nil, events.TypePromptSubmitted, `{"prompt":"x"}`, []int{1}},
		"task notification":          {nil, events.TypePromptSubmitted, `{"prompt":"<task-notification>\n"}`, []int{1, 8}},
		"read":                       {nil, events.TypeToolSucceeded, `{"tool_name":"Read","tool_input":{"file_path":"/p/a.go"}}`, []int{11}},
		"command again":              {ran, events.TypeToolSucceeded, bash("ls -l"), []int{3, 13}},
		"failure":                    {nil, events.TypeToolFailed, bash("go test ./a"), []int{5}},
		"success after it":           {broke, events.TypeToolSucceeded, bash("cd x && go test -v ./a"), []int{5, 7, 9}},
		"second success after it":    {append(slices.Clone(broke), events.TypeToolSucceeded, bash("go test -v ./a")), events.TypeToolSucceeded, bash("go test -x ./a"), []int{7}},
		"interrupt":                  {nil, events.TypeToolFailed, `{"tool_name":"Bash","is_interrupt":true}`, nil},
		"tests":                      {nil, events.TypeToolSucceeded, bash("npm test"), []int{7}},
		"the compaction's own agent": {nil, events.TypeSubagentStopped, `{"agent_type":""}`, nil},
		"notebook":                   {nil, events.TypeToolSucceeded, `{"tool_name":"NotebookEdit","tool_input":{"notebook_path":"/p/a.ipynb"}}`, []int{10}},
		"browser":                    {nil, events.TypeToolSucceeded, `{"tool_name":"mcp__playwright__click"}`, []int{10, 13}},
		"write of an old file":       {nil, events.TypeToolSucceeded, `{"tool_name":"Write","tool_input":{"file_path":"/p/a"},"tool_response":{"type":"update"}}`, []int{12}},
		"write of a new file":        {nil, events.TypeToolSucceeded, `{"tool_name":"Write","tool_input":{"file_path":"/p/a"},"tool_response":{"type":"create"}}`, []int{13}},
		"write without answer":       {edited, events.TypeToolFailed, `{"tool_name":"Write","tool_input":{"file_path":"/p/a.go"}}`, []int{5}},
		"request":                    {nil, events.TypeToolRequested, bash("ls"), nil},
	} {
		s := run(newborn(), c.before...)
		if got := fed(s, rec(50, c.typ, c.data)); !slices.Equal(got, c.want) {
			t.Errorf("%s feeds %v, want %v", name, got, c.want)
		}
	}
}

// The states in people's buckets have these hashes: they must not change.
func TestHash(t *testing.T) {
	for line, want := range map[string]uint32{"": 0, " \t\n": 0, "go test ./...": hash("go test ./..."), "  go\ttest \n ./... ": hash("go test ./...")} {
		expect.Equal(t, hashLine(line), want, line)
	}
	expect.Equal(t, hash("file /w/main.go"), 2722189487)
}
