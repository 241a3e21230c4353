package redact

import (
	"encoding/json"
	"regexp"
	"testing"
)

func TestWithReplacesTheUsersPatterns(t *testing.T) {
	r := New().With([]*regexp.Regexp{regexp.MustCompile(`ACME-[0-9]{4}`), regexp.MustCompile(`x*`)})
	for _, c := range []struct{ in, want string }{
		{`{"prompt":"use ACME-1234 and ACME-5678"}`, `{"prompt":"use [REDACTED:custom] and [REDACTED:custom]"}`},
		{`{"ACME-1234":1,"n":12}`, `{"[REDACTED:custom]":1,"n":12}`},
		{`{"a":"say \"ACME-1234\"\n"}`, `{"a":"say \"[REDACTED:custom]\"\n"}`},
		{`{"a":"nothing"}`, `{"a":"nothing"}`},
		{`{"cut":"ACME-1234`, `{"cut":"[REDACTED:custom]`},
	} {
		got, rep := r.JSON([]byte(c.in))
		if string(got) != c.want || rep.Kinds["custom"] != rep.Count {
			t.Errorf("%s\n got %s %+v\nwant %s", c.in, got, rep, c.want)
		}
		if json.Valid([]byte(c.in)) && !json.Valid(got) {
			t.Errorf("%s became invalid: %s", c.in, got)
		}
		if again, rep := r.JSON(got); string(again) != string(got) || rep.Count != 0 {
			t.Errorf("a second time: %s %+v", again, rep)
		}
	}
	if got, rep := r.Text([]byte("ACME-1234")); string(got) != "[REDACTED:custom]" || rep.Count != 1 {
		t.Errorf("text: %s %+v", got, rep)
	}
}
