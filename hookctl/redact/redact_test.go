package redact_test

import (
	"bytes"
	"encoding/json"
	"strings"
	"sync"
	"testing"

	"hookline/hookctl/redact"
)

var redactor = redact.New()

func quote(s string) string { return string(marshal(s)) }

// wantGone checks the one promise that all others serve.
func wantGone(t *testing.T, how string, p planted, out []byte, rep redact.Report) {
	t.Helper()
	for _, part := range strings.Split(p.secret, "\n") {
		if strings.HasPrefix(part, "-----") {
			continue
		}
		if bytes.Contains(out, []byte(part)) {
			t.Errorf("%s %s: the secret is still there: %s", p.kind, how, out)
			return
		}
	}
	if !bytes.Contains(out, []byte("[REDACTED:"+p.kind+"]")) {
		t.Errorf("%s %s: no marker of that kind: %s", p.kind, how, out)
	}
	if rep.Count < 1 || rep.Kinds[p.kind] < 1 {
		t.Errorf("%s %s: report %v", p.kind, how, rep)
	}
}

func wantStable(t *testing.T, out []byte, redactAgain func([]byte) ([]byte, redact.Report)) {
	t.Helper()
	if again, rep := redactAgain(out); rep.Count != 0 || !bytes.Equal(again, out) {
		t.Errorf("redacting again changes %s\nto %s", out, again)
	}
}

// TestPlanted: a secret is gone from texts and from documents, and nothing but the secret.
func TestPlanted(t *testing.T) {
	for _, p := range append(vendorTokens(), namedSecrets()...) {
		inner := `{"note":` + quote(p.line()) + `,"n":1}`
		for how, doc := range map[string]string{
			"in text":                p.line(),
			"in a JSON string":       `{"id":"a1","stdout":` + quote("first line\n"+p.line()+"\nlast line") + `,"n":[1,2]}`,
			"in JSON in JSON":        `{"id":"a1","stdout":` + quote(inner) + `,"n":[1,2]}`,
			"in JSON in JSON, deep":  `{"id":"a1","stdout":` + quote(`{"x":`+quote(inner)+`}`) + `,"n":[1,2]}`,
			"as a key":               `{"id":"a1",` + quote(p.line()) + `:1,"n":[1,2]}`,
			"with HTML escapes":      `{"id":"a1","stdout":` + htmlQuote(p.line()) + `,"n":[1,2]}`,
			"with escaped slashes":   `{"id":"a1","stdout":` + strings.ReplaceAll(quote(p.line()), "/", `\/`) + `,"n":[1,2]}`,
			"cut in the next string": `{"id":"a1","stdout":` + quote(p.line()) + `,"n":"abc`,
		} {
			redact, before, after := redactor.JSON, `{"id":"a1",`, `"n":`
			if how == "in text" {
				redact = redactor.Text
				before, after, _ = strings.Cut(doc, p.secret)
			}
			out, rep := redact([]byte(doc))
			wantGone(t, how, p, out, rep)
			wantStable(t, out, redact)
			if json.Valid([]byte(doc)) != json.Valid(out) {
				t.Errorf("%s %s: no longer JSON: %s", p.kind, how, out)
			}
			if !strings.HasPrefix(string(out), before) || !strings.Contains(string(out), after) {
				t.Errorf("%s %s: the rest was touched: %s", p.kind, how, out)
			}
		}
	}
}

func htmlQuote(s string) string {
	b, err := json.Marshal(s)
	if err != nil {
		panic(err)
	}
	return strings.ReplaceAll(strings.ReplaceAll(string(b), "=", `\u003d`), "'", `\u0027`)
}

func TestInnocentsSurvive(t *testing.T) {
	for _, line := range innocents() {
		if out, rep := redactor.Text([]byte(line)); rep.Count != 0 {
			t.Errorf("text %q became %q", line, out)
		}
		inner := quote("x\n" + line + "\ny")
		for _, text := range []string{`{"stdout":` + inner + `}`, `{"stdout":` + quote(`{"a":`+inner+`}`) + `}`} {
			doc := []byte(text)
			if out, rep := redactor.JSON(doc); rep.Count != 0 || rep.Kinds != nil || &out[0] != &doc[0] {
				t.Errorf("%s became %s", text, out)
			}
		}
	}
}

func TestJSONExactly(t *testing.T) {
	pw, pem := "s3cr"+"et!pw", letters(alnums, 64)
	begin, end := "-----BEGIN PRIVATE "+"KEY-----", "-----END PRIVATE "+"KEY-----"
	for _, c := range []struct{ name, in, want string }{
		{"number", `{"password":12345678,"b":1}`, `{"password":"[REDACTED:password]","b":1}`},
		{"short number", `{"password":1234}`, `{"password":1234}`},
		{"quote inside", `{"password":"abc\"def ` + pw + `"}`, `{"password":"[REDACTED:password]"}`},
		{"backslash before the end", `{"password":"abcdef\\","b":"c"}`, `{"password":"[REDACTED:password]","b":"c"}`},
		{"name at a string's end", `{"a":"password: ","b":"` + pw + `"}`, `{"a":"password: ","b":"` + pw + `"}`},
		{"patch lines", `{"lines":[" ` + begin + `","+` + pem + `","-` + pem + `"," ` + end + `"," ok"]}`,
			`{"lines":[" [REDACTED:private-key]","[REDACTED:private-key]","[REDACTED:private-key]","[REDACTED:private-key]"," ok"]}`},
		{"cut block", `{"s":"` + begin + `\n` + pem + `\n` + pem[:20] + `","tool_use_id":"toolu_01"}`, `{"s":"[REDACTED:private-key]","tool_use_id":"toolu_01"}`},
		{"cut document", `{"s":"PASSWORD=` + pw, `{"s":"PASSWORD=[REDACTED:password]`},
		{"entities", `{"s":"{&quot;password&quot;:&quot;` + pw + `&quot;}"}`, `{"s":"{&quot;password&quot;:&quot;[REDACTED:password]&quot;}"}`},
		{"marker stays", `{"password":"[REDACTED:password]"}`, `{"password":"[REDACTED:password]"}`},
	} {
		if out, _ := redactor.JSON([]byte(c.in)); string(out) != c.want {
			t.Errorf("%s:\n in   %s\n got  %s\n want %s", c.name, c.in, out, c.want)
		}
	}
}

func TestFind(t *testing.T) {
	token := "gh" + "p_" + letters(alnums, 36)
	got := redactor.Find([]byte("one\ntwo " + token + "\nPASSWORD=hun" + "ter2!x\n"))
	want := []redact.Finding{
		{Kind: "github-token", Start: 8, End: 48, Line: 2, Rule: "github-token"},
		{Kind: "password", Start: 58, End: 67, Line: 3, Rule: "assignment"},
	}
	if len(got) != 2 || got[0] != want[0] || got[1] != want[1] {
		t.Errorf("got %+v, want %+v", got, want)
	}
}

// TestConcurrentUse is for -race: patterns are compiled on first use, by whoever comes first.
func TestConcurrentUse(t *testing.T) {
	r := redact.New()
	var wg sync.WaitGroup
	for range 4 {
		wg.Go(func() {
			for _, p := range vendorTokens() {
				if out, _ := r.Text([]byte(p.line())); bytes.Contains(out, []byte(p.secret)) {
					t.Errorf("%s is still there", p.kind)
				}
			}
		})
	}
	wg.Wait()
}

// TestHostileIsBounded runs the benchmarks' hostile texts at a smaller size for their results: no panic, and
// JSON stays JSON.
func TestHostileIsBounded(t *testing.T) {
	for name, unit := range hostile() {
		doc := event(strings.Repeat(unit, 64<<10/len(unit)))
		out, _ := redactor.JSON(doc)
		if !json.Valid(out) {
			t.Errorf("%s: no longer JSON", name)
		}
		wantStable(t, out, redactor.JSON)
	}
}
