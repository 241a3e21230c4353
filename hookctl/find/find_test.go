package find

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"hookline/events"
	"hookline/expect"
)

// record is an event of a session with this data.
func record(seq uint64, typ, data string) events.Record {
	var call struct {
		ID string `json:"tool_use_id"`
	}
	_ = json.Unmarshal([]byte(data), &call) // data of a test
	return events.NewRecord(seq, events.Envelope{ID: "01K", Type: typ, Version: 1, Time: time.UnixMilli(1000), Session: "s", ToolUseID: call.ID, Data: json.RawMessage(data)})
}

func TestOf(t *testing.T) {
	for _, c := range []struct {
		name, typ, data string
		want            map[int]string
	}{
		{"summary", events.TypeCompactionFinished, `{"compact_summary":"All of it."}`, map[int]string{Words: "All of it."}},
		{"the same summary before", events.TypeSubagentStopped, `{"agent_type":"","last_assistant_message":"All of it."}`, nil},
		{"subagent", events.TypeSubagentStopped, `{"agent_type":"explore","last_assistant_message":"Found."}`, map[int]string{Words: "Found."}},
		{"answer", events.TypeTurnStopped, `{"last_assistant_message":"Done."}`, map[int]string{Words: "Done."}},
		{"prompt", events.TypePromptSubmitted, `{"prompt":"Fix the parser"}`, map[int]string{Prompt: "Fix the parser"}},
		{"denied", events.TypePermissionDenied, `{"tool_name":"Bash","tool_input":{"command":"rm x"},"reason":"no"}`, map[int]string{Command: "rm x", Error: "no"}},
		{"API error", events.TypeTurnFailed, `{"error":"rate_limit","error_details":"5 hours","last_assistant_message":"x"}`,
			map[int]string{Error: "rate_limit 5 hours", Words: "x"}},
		{"command", events.TypeToolSucceeded, `{"tool_name":"Bash","tool_input":{"command":"go test","description":"run"},"tool_response":{"stdout":"ok","stderr":"warn","interrupted":false}}`,
			map[int]string{Command: "go test", Note: "run", Output: "ok\nwarn"}},
		{"file", events.TypeToolRequested, `{"tool_name":"Edit","tool_use_id":"t1","tool_input":{"file_path":"/a/b.go","old_string":"x","new_string":"y"}}`,
			map[int]string{Path: "/a/b.go", Note: "y"}},
		{"large content", events.TypeToolSucceeded, `{"tool_name":"X","tool_response":{"$blob":"sha256:00","size":9,"head":"the head"}}`, map[int]string{Output: "the head"}},
		{"own event", "goal.set", `{"text":"ship it"}`, map[int]string{Note: "ship it"}},
		{"unknown type", "later.added", `{"note":{"deep":["one","two"]},"n":3}`, map[int]string{Note: "one\ntwo"}},
		{"batch", events.TypeToolBatchFinished, `{"tool_calls":[{"tool_name":"Bash"}]}`, nil},
		{"a search", events.TypeToolSucceeded, `{"tool_name":"mcp__hookline__find","tool_input":{"words":"retry"}}`, nil},
		{"a search by command", events.TypeToolFailed, `{"tool_name":"Bash","tool_input":{"command":"hookctl find retry"},"error":"x"}`, nil},
	} {
		d, ok := Of(record(1, c.typ, c.data))
		if ok != (c.want != nil) {
			t.Errorf("%s: searched %v", c.name, ok)
		}
		for kind := range Kinds {
			if ok && d.Text[kind] != c.want[kind] {
				t.Errorf("%s: %s is %q, want %q", c.name, KindNames[kind], d.Text[kind], c.want[kind])
			}
		}
	}
}

func TestOfLong(t *testing.T) {
	long := strings.Repeat("ä", 5000) + "end"
	d, _ := Of(record(1, events.TypeToolFailed, `{"tool_name":"Bash","error":"`+long+`"}`))
	if n := len(d.Text[Error]); n > mostHead+mostTail+1 || !utf8.ValidString(d.Text[Error]) || !strings.HasSuffix(d.Text[Error], "end") {
		t.Errorf("%d bytes, ends in %q", n, d.Text[Error][n-10:])
	}
}

func TestFold(t *testing.T) {
	for in, want := range map[string]string{
		"go test ./a/b_c.go":    "go test a b c go",
		"Größe ÄÖ":              "größe äö",
		"日本語 text":              "日 本 語 text",
		"\x00\xff;DROP TABLE--": "drop table",
		"":                      "",
		strings.Repeat("x", 99): strings.Repeat("x", mostWord),
	} {
		expect.Equal(t, Fold(in), want, in)
	}
}

func TestSnippet(t *testing.T) {
	d := Doc{}
	d.Text[Prompt] = "nothing here"
	d.Text[Output] = strings.Repeat("before ", 30) + "\n\tthe needle stands\nhere " + strings.Repeat("after ", 90)
	s := SnippetOf(d, Query{Words: []string{"needle"}}.Terms(), 120)
	if s.Kind != "output" || !strings.HasPrefix(s.Text, "… before") || !strings.HasSuffix(s.Text, " …") || len(s.Marks) != 1 {
		t.Fatalf("%+v", s)
	}
	if m := s.Marks[0]; s.Text[m.From:m.To] != "needle" {
		t.Errorf("the mark is on %q", s.Text[m.From:m.To])
	}
}

// failures are the records of a session in which a test failed, something was edited, and it passed.
func failures() []events.Record {
	return []events.Record{
		record(1, events.TypeToolFailed, `{"tool_name":"Bash","tool_input":{"command":"go test ./..."},"error":"undefined: Retry"}`),
		record(2, events.TypeToolSucceeded, `{"tool_name":"Read","tool_input":{"file_path":"/a.go"}}`),
		record(3, events.TypeToolSucceeded, `{"tool_name":"Edit","tool_input":{"file_path":"/a.go"}}`),
		record(4, events.TypeToolFailed, `{"tool_name":"Bash","tool_input":{"command":"go vet"},"error":"other"}`),
		record(5, events.TypeToolSucceeded, `{"tool_name":"Bash","tool_input":{"command":"go test ./... -count=1"}}`),
		record(6, events.TypeToolSucceeded, `{"tool_name":"Bash","tool_input":{"command":"git commit"}}`),
	}
}

func TestAfter(t *testing.T) {
	same := Query{Error: "undefined"}.Terms()
	all := failures()
	a := NewAfter(all[0], same)
	for _, r := range all[1:] {
		if a.Take(r) {
			t.Error("it came back")
		}
	}
	var steps []uint64
	for _, r := range a.Steps {
		steps = append(steps, r.Seq)
	}
	if a.Fixed != 5 || !slices.Equal(steps, []uint64{3, 4, 5}) {
		t.Errorf("fixed by %d, steps %v", a.Fixed, steps)
	}

	a = NewAfter(all[0], same)
	a.Take(all[2])
	if !a.Take(record(9, events.TypeToolFailed, `{"tool_name":"Bash","error":"undefined: Retry"}`)) || a.Again != 9 || a.Steps != nil {
		t.Errorf("%+v", a)
	}
}

func FuzzTerms(f *testing.F) {
	for _, s := range []string{`"a b" c*`, `a" OR b`, "NEAR(a b, 3)", "日本*", "\x00{prompt}:x", "^a - b", strings.Repeat("(", 400)} {
		f.Add(s, "text with a b and 日本")
	}
	f.Fuzz(func(t *testing.T, query, text string) {
		d := Doc{}
		d.Text[Prompt] = text
		terms := Query{Words: []string{query}, Error: query}.Terms()
		for _, term := range terms {
			for _, w := range term.Words {
				if strings.ContainsAny(w, `"*():^{}- `) || w == "" {
					t.Fatalf("a word with a sign: %q", w)
				}
			}
			term.Holds(d)
		}
		s := SnippetOf(d, terms, 40)
		if strings.ContainsAny(s.Text, "\n\r") {
			t.Fatalf("more than a line: %q", s.Text)
		}
		for _, m := range s.Marks {
			_ = s.Text[m.From:m.To]
		}
	})
}
