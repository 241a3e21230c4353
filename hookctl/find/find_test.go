package find

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"hookline/events"
	"hookline/expect"
)

// newRecord returns an event of a session with the given data.
func newRecord(seq uint64, typ, data string) events.Record {
	return events.NewRecord(seq, events.Envelope{
		ID:        "01K",
		Type:      typ,
		Version:   1,
		Time:      time.UnixMilli(1000),
		Session:   "s",
		ToolUseID: events.MemberText(json.RawMessage(data), "tool_use_id"),
		Data:      json.RawMessage(data),
	})
}

func TestDocOf(t *testing.T) {
	for _, c := range []struct {
		name string
		typ  string
		data string
		want map[Kind]string // nil: the event is not searched
	}{
		{
			name: "the summary of a compaction",
			typ:  events.TypeCompactionFinished,
			data: `{"compact_summary":"All of it."}`,
			want: map[Kind]string{Words: "All of it."},
		},
		{
			name: "the client's own subagent, which wrote the same summary",
			typ:  events.TypeSubagentStopped,
			data: `{"agent_type":"","last_assistant_message":"All of it."}`,
		},
		{
			name: "a subagent",
			typ:  events.TypeSubagentStopped,
			data: `{"agent_type":"explore","last_assistant_message":"Found."}`,
			want: map[Kind]string{Words: "Found."},
		},
		{
			name: "an answer",
			typ:  events.TypeTurnStopped,
			data: `{"last_assistant_message":"Done."}`,
			want: map[Kind]string{Words: "Done."},
		},
		{
			name: "a prompt",
			typ:  events.TypePromptSubmitted,
			data: `{"prompt":"Fix the parser"}`,
			want: map[Kind]string{Prompt: "Fix the parser"},
		},
		{
			name: "a denied call",
			typ:  events.TypePermissionDenied,
			data: `{"tool_name":"Bash","tool_input":{"command":"rm x"},"reason":"no"}`,
			want: map[Kind]string{Command: "rm x", Error: "no"},
		},
		{
			name: "an error of the API",
			typ:  events.TypeTurnFailed,
			data: `{"error":"rate_limit","error_details":"5 hours","last_assistant_message":"x"}`,
			want: map[Kind]string{Error: "rate_limit 5 hours", Words: "x"},
		},
		{
			name: "a command",
			typ:  events.TypeToolSucceeded,
			data: `{"tool_name":"Bash","tool_input":{"command":"go test","description":"run"},` +
				`"tool_response":{"stdout":"ok","stderr":"warn","interrupted":false}}`,
			want: map[Kind]string{Command: "go test", Note: "run", Output: "ok\nwarn"},
		},
		{
			name: "an edit",
			typ:  events.TypeToolRequested,
			data: `{"tool_name":"Edit","tool_use_id":"t1",` +
				`"tool_input":{"file_path":"/a/b.go","old_string":"x","new_string":"y"}}`,
			want: map[Kind]string{Path: "/a/b.go", Note: "y"},
		},
		{
			name: "a response that is kept beside the log",
			typ:  events.TypeToolSucceeded,
			data: `{"tool_name":"X","tool_response":{"$blob":"sha256:00","size":9,"head":"the head"}}`,
			want: map[Kind]string{Output: "the head"},
		},
		{
			name: "an event of hookline",
			typ:  "goal.set",
			data: `{"text":"ship it"}`,
			want: map[Kind]string{Note: "ship it"},
		},
		{
			name: "an unknown type",
			typ:  "later.added",
			data: `{"note":{"deep":["one","two"]},"n":3}`,
			want: map[Kind]string{Note: "one\ntwo"},
		},
		{
			name: "a batch",
			typ:  events.TypeToolBatchFinished,
			data: `{"tool_calls":[{"tool_name":"Bash"}]}`,
		},
		{
			name: "a search of the log by the MCP server",
			typ:  events.TypeToolSucceeded,
			data: `{"tool_name":"mcp__hookline__find","tool_input":{"words":"retry"}}`,
		},
		{
			name: "a search of the log by a command",
			typ:  events.TypeToolFailed,
			data: `{"tool_name":"Bash","tool_input":{"command":"hookctl find retry"},"error":"x"}`,
		},
	} {
		t.Run(c.name, func(t *testing.T) {
			d, ok := DocOf(newRecord(1, c.typ, c.data))
			if searched := c.want != nil; ok != searched {
				t.Fatalf("DocOf = %t, want %t", ok, searched)
			}
			if !ok {
				return
			}
			for kind, got := range d.Text {
				expect.Equal(t, got, c.want[Kind(kind)], "text of kind", KindNames[kind])
			}
		})
	}
}

func TestDocOfLongError(t *testing.T) {
	long := strings.Repeat("ä", 5000) + "end"
	d, _ := DocOf(newRecord(1, events.TypeToolFailed, `{"tool_name":"Bash","error":"`+long+`"}`))
	text := d.Text[Error]

	if limit := maxHead + maxTail + 1; len(text) > limit {
		t.Errorf("searched bytes of an error = %d, want at most %d", len(text), limit)
	}
	if !utf8.ValidString(text) {
		t.Error("the searched text is not valid UTF-8")
	}
	if !strings.HasSuffix(text, "end") {
		t.Errorf("the searched text ends in %q, want the end of the error", text[len(text)-10:])
	}
}

func TestNormalize(t *testing.T) {
	for _, c := range []struct{ text, want string }{
		{"go test ./a/b_c.go", "go test a b c go"},
		{"Größe ÄÖ", "größe äö"},
		{"日本語 text", "日 本 語 text"},
		{"\x00\xff;DROP TABLE--", "drop table"},
		{"", ""},
		{strings.Repeat("x", 99), strings.Repeat("x", maxWord)},
	} {
		expect.Equal(t, Normalize(c.text), c.want, fmt.Sprintf("Normalize(%q)", c.text))
	}
}

func TestSnippetOf(t *testing.T) {
	d := Doc{}
	d.Text[Prompt] = "nothing here"
	d.Text[Output] = strings.Repeat("before ", 30) + "\n\tthe needle stands\nhere " + strings.Repeat("after ", 90)

	s := SnippetOf(d, Query{Words: []string{"needle"}}.Terms(), 120)
	expect.Equal(t, s.Kind, "output", "kind of the text with the term")
	if !strings.HasPrefix(s.Text, "… before") {
		t.Errorf("snippet = %q, want it to begin with %q", s.Text, "… before")
	}
	if !strings.HasSuffix(s.Text, " …") {
		t.Errorf("snippet = %q, want it to end with %q", s.Text, " …")
	}
	expect.EqualNow(t, len(s.Marks), 1, "number of marks")
	mark := s.Marks[0]
	expect.Equal(t, s.Text[mark.From:mark.To], "needle", "text of the mark")
}

// failedAndFixed returns the events of a session in which a test failed, a file was edited, and the test passed.
func failedAndFixed() []events.Record {
	return []events.Record{
		newRecord(1, events.TypeToolFailed,
			`{"tool_name":"Bash","tool_input":{"command":"go test ./..."},"error":"undefined: Retry"}`),
		newRecord(2, events.TypeToolSucceeded, `{"tool_name":"Read","tool_input":{"file_path":"/a.go"}}`),
		newRecord(3, events.TypeToolSucceeded, `{"tool_name":"Edit","tool_input":{"file_path":"/a.go"}}`),
		newRecord(4, events.TypeToolFailed, `{"tool_name":"Bash","tool_input":{"command":"go vet"},"error":"other"}`),
		newRecord(5, events.TypeToolSucceeded, `{"tool_name":"Bash","tool_input":{"command":"go test ./... -count=1"}}`),
		newRecord(6, events.TypeToolSucceeded, `{"tool_name":"Bash","tool_input":{"command":"git commit"}}`),
	}
}

func TestAfterFixed(t *testing.T) {
	log := failedAndFixed()
	a := NewAfter(log[0], Query{Error: "undefined"}.Terms())
	for _, r := range log[1:] {
		if a.Take(r) {
			t.Errorf("Take(event %d) = true, want false: the error did not come back", r.Seq)
		}
	}

	var steps []uint64
	for _, r := range a.Steps {
		steps = append(steps, r.Seq)
	}
	expect.Equal(t, a.Fixed, 5, "event that fixed the failure")
	if want := []uint64{3, 4, 5}; !slices.Equal(steps, want) {
		t.Errorf("steps after the failure = events %v, want %v", steps, want)
	}
}

// A check whose output says that it failed fixed nothing, whatever the status of its line.
func TestAfterNotFixed(t *testing.T) {
	log := failedAndFixed()
	a := NewAfter(log[0], Query{Error: "undefined"}.Terms())
	a.Take(newRecord(9, events.TypeToolSucceeded, `{"tool_name":"Bash","tool_input":{"command":"go test ./... | tail -2"},"tool_response":{"stdout":"FAIL\tshop\t0.1s\nFAIL"}}`))
	expect.Equal(t, a.Fixed, 0, "event that fixed the failure")
}

func TestAfterAgain(t *testing.T) {
	log := failedAndFixed()
	a := NewAfter(log[0], Query{Error: "undefined"}.Terms())
	a.Take(log[2])

	same := newRecord(9, events.TypeToolFailed, `{"tool_name":"Bash","error":"undefined: Retry"}`)
	if !a.Take(same) {
		t.Error("Take(the same error) = false, want true")
	}
	expect.Equal(t, a.Again, 9, "event with the same error")
	expect.Equal(t, len(a.Steps), 0, "number of steps before the same error")
}

// No text of a person has a meaning to the index, and a snippet is one line with marks inside of it.
func FuzzTerms(f *testing.F) {
	for _, s := range []string{
		`"a b" c*`, `a" OR b`, "NEAR(a b, 3)", "日本*", "\x00{prompt}:x", "^a - b", strings.Repeat("(", 400),
	} {
		f.Add(s, "text with a b and 日本")
	}

	f.Fuzz(func(t *testing.T, query, text string) {
		d := Doc{}
		d.Text[Prompt] = text
		terms := Query{Words: []string{query}, Error: query}.Terms()
		for _, term := range terms {
			for _, w := range term.Words {
				if w == "" {
					t.Fatalf("a word of the query %q is empty", query)
				}
				if strings.ContainsAny(w, `"*():^{}- `) {
					t.Fatalf("a word of the query %q = %q, want letters and digits", query, w)
				}
			}
			term.Match(d)
		}

		s := SnippetOf(d, terms, 40)
		if strings.ContainsAny(s.Text, "\n\r") {
			t.Fatalf("snippet = %q, want one line", s.Text)
		}
		for _, m := range s.Marks {
			_ = s.Text[m.From:m.To] // panics where the mark is outside
		}
	})
}
