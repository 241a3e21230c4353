package redact_test

import (
	"bytes"
	"encoding/json"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

// FuzzRedactJSON: whatever comes in, JSON stays JSON, and what was redacted stays as it is.
func FuzzRedactJSON(f *testing.F) {
	for _, p := range append(vendorTokens(), namedSecrets()...) {
		f.Add([]byte(`{"s":` + quote(p.line()) + `}`))
		f.Add([]byte(p.line()))
	}
	for _, unit := range hostile() {
		f.Add([]byte(`{"s":` + quote(strings.Repeat(unit, 3)) + `}`))
	}
	for _, line := range innocents() {
		f.Add([]byte(`{"s":` + quote(line) + `}`))
	}
	f.Fuzz(func(t *testing.T, doc []byte) {
		if len(doc) > 1<<16 {
			return
		}
		before := bytes.Clone(doc)
		out, rep := redactor.JSON(doc)
		if !bytes.Equal(doc, before) {
			t.Fatalf("the input was changed")
		}
		if (rep.Count == 0) != bytes.Equal(out, doc) {
			t.Fatalf("count %d, changed %v", rep.Count, !bytes.Equal(out, doc))
		}
		if json.Valid(doc) {
			if !json.Valid(out) {
				t.Fatalf("no longer JSON:\n%s\n%s", doc, out)
			}
			if again, rep := redactor.JSON(out); rep.Count != 0 {
				t.Fatalf("not idempotent:\n%s\n%s\n%s", doc, out, again)
			}
		}
		redactor.Text(doc)
		for _, found := range redactor.Find(doc) {
			if found.Start < 0 || found.Start >= found.End || found.End > len(doc) || found.Line < 1 {
				t.Fatalf("finding %+v in %d bytes", found, len(doc))
			}
		}
	})
}

// TestPlantedAnywhere plants secrets into random documents made of lines that are none: every planted secret is
// gone, every other line is still there.
func TestPlantedAnywhere(t *testing.T) {
	tokens, plain := vendorTokens(), innocents()
	rapid.Check(t, func(t *rapid.T) {
		var lines, kept []string
		var secrets []planted
		for range rapid.IntRange(1, 30).Draw(t, "lines") {
			if rapid.IntRange(0, 3).Draw(t, "plant") == 0 {
				p := rapid.SampledFrom(tokens).Draw(t, "token")
				before := rapid.StringMatching(`([a-z]{0,6}[ :=("'>|,;])?`).Draw(t, "before")
				after := rapid.StringMatching(`([ )"'<|;&][a-z ]{0,6})?`).Draw(t, "after")
				secrets, lines = append(secrets, p), append(lines, before+p.secret+after)
				continue
			}
			line := rapid.SampledFrom(plain).Draw(t, "line")
			lines, kept = append(lines, line), append(kept, line)
		}
		depth := rapid.IntRange(0, 3).Draw(t, "depth")
		doc := quote(strings.Join(lines, "\n--\n"))
		for range depth {
			doc = quote(`{"s":` + doc + `,"n":1}`)
		}
		out, rep := redactor.JSON([]byte(`{"s":` + doc + `,"n":[1]}`))
		if rep.Count != len(secrets) {
			t.Fatalf("%d planted, %d found in %s\n%s", len(secrets), rep.Count, doc, out)
		}
		text := decode(t, out)
		for range depth {
			text = decode(t, []byte(text))
		}
		for _, p := range secrets {
			if strings.Contains(text, p.secret) {
				t.Fatalf("%s is still in %s", p.kind, text)
			}
		}
		for _, line := range kept {
			if !strings.Contains(text, line) {
				t.Fatalf("%q is gone from %s", line, text)
			}
		}
	})
}

func decode(t *rapid.T, doc []byte) string {
	var v struct{ S string }
	if err := json.Unmarshal(doc, &v); err != nil {
		t.Fatalf("%v in %s", err, doc)
	}
	return v.S
}
