package redact

import (
	"slices"
	"strings"
	"testing"
)

func TestWithReplacesTheUsersPatterns(t *testing.T) {
	r := New().With(Extra{User: Compile([]string{`ACME-[0-9]{4}`, `x*`, `(`})})
	for in, want := range map[string]string{
		`{"prompt":"use ACME-1234 and ACME-5678"}`: `{"prompt":"use [REDACTED:custom] and [REDACTED:custom]"}`,
		`{"ACME-1234":1,"n":12}`:                   `{"[REDACTED:custom]":1,"n":12}`,
		`{"a":"say \"ACME-1234\"\n"}`:              `{"a":"say \"[REDACTED:custom]\"\n"}`,
		`{"cut":"ACME-1234`:                        `{"cut":"[REDACTED:custom]`,
	} {
		got, rep := r.JSON([]byte(in))
		if string(got) != want || rep.Kinds["custom"] != rep.Count {
			t.Errorf("%s\n got %s %+v\nwant %s", in, got, rep, want)
		}
		wantSame(t, r, got)
	}
	if got, rep := r.Text([]byte("ACME-1234")); string(got) != "[REDACTED:custom]" || rep.Count != 1 {
		t.Errorf("text: %s %+v", got, rep)
	}
}

// wantSame fails unless a document that was redacted stays as it is.
func wantSame(t *testing.T, r *Redactor, doc []byte) {
	t.Helper()
	if again, rep := r.JSON(doc); string(again) != string(doc) || rep.Count != 0 {
		t.Errorf("a second time: %.200s %+v", again, rep)
	}
}

// A repository's patterns count for values alone, and none may blank the record.
func TestProjectsPatterns(t *testing.T) {
	long := strings.Repeat("word ", 1000)
	for _, c := range []struct {
		pattern, in, want string
		skipped           bool
	}{
		{`ACME-[0-9]+`, `{"tool_input":{"ACME-1":["ACME-2"]}}`, `{"tool_input":{"ACME-1":["[REDACTED:custom]"]}}`, false},
		{`.`, `{"session_id":"s","tool_name":"Bash","tool_input":{"command":"ls -l"}}`,
			`{"session_id":"s","tool_name":"Bash","tool_input":{"command":"[REDACTED:custom]"}}`, false},
		{`session_id|s`, `{"session_id":"s", "x": {"session_id":"s"}}`, `{"session_id":"s", "x": {"session_id":"[REDACTED:custom]"}}`, false},
		{`.`, `{"prompt":"` + long + `","x":"y"}`, `{"prompt":"` + long + `","x":"y"}`, true},
		{`w`, `{"prompt":"` + long + `"}`, `{"prompt":"` + strings.ReplaceAll(long, "w", "[REDACTED:custom]") + `"}`, false},
		{`wo|[^a]`, `{"prompt":"a wo"}`, `{"prompt":"a[REDACTED:custom]"}`, false},
	} {
		r := New().With(Extra{Project: Compile([]string{c.pattern})})
		got, rep := r.JSON([]byte(c.in))
		if string(got) != c.want || slices.Equal(rep.Skipped, []string{c.pattern}) != c.skipped {
			t.Errorf("%s in %.80s:\n got %.200s %v\nwant %.200s", c.pattern, c.in, got, rep.Skipped, c.want)
		}
		wantSame(t, r, got)
	}
	if got, _ := New().With(Extra{Project: Compile([]string{`.`})}).Text([]byte("hook Stop")); string(got) != "hook Stop" {
		t.Errorf("text: %s", got)
	}
}
