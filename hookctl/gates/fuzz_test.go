package gates

import (
	"os"
	"strings"
	"testing"
	"time"

	"hookline/expect"
)

// FuzzLoad: whatever the files hold, Load returns usable rules in bounded time, and a text that says nothing wrong
// about itself is the same when it is loaded twice.
func FuzzLoad(f *testing.F) {
	golden := expect.Value(os.ReadFile("testdata/requirements.yaml"))(f)
	for _, seed := range []string{string(golden), Starter, "", "a: &a [*a]", "requirements: {a: {<<: {enabled: true}}}",
		"requirements:\n  a: \"x\nb: 1", "{\"requirements\": {\"a\": {\"enabled\": true}}}", "? a\n: b", "!!binary x", "requirements:\n\ta: 1"} {
		f.Add(seed, "requirements: {a: {enabled: true}}")
	}
	f.Fuzz(func(t *testing.T, project, local string) {
		if len(project)+len(local) > 4096 {
			return
		}
		start := time.Now()
		r := cascade("requirements: {z: {enabled: true}}", project, local)
		if took := time.Since(start); took > 30*time.Second {
			t.Fatalf("%v", took)
		}
		for _, name := range r.Order {
			q, ok := r.ByName[name]
			if !ok || q.Name != name || q.File == "" {
				t.Fatalf("%q: %+v", name, q)
			}
		}
		for _, p := range r.Problems {
			if p.File == "" || p.Message == "" {
				t.Fatalf("%+v", p)
			}
		}
		list := failures(r, r.Order...)
		_, _, _ = Deny("s", list), Short("s", list), StopReason("s", list)
		_, _ = Status{Gates: gates(r, "")}.Text(true), Status{Gates: gates(r, "")}.Text(false)
		r.Match("Edit", []byte(`{}`))
		expect.EqualNow(t, len(cascade("requirements: {z: {enabled: true}}", project, local).Problems), len(r.Problems), "loading is not repeatable")
	})
}

// FuzzMatch: a line is taken apart in bounded time, and what runs after it is still found.
func FuzzMatch(f *testing.F) {
	for _, seed := range []string{"git push", "echo $(git push)", "bash -c 'x'", "a=b; $a", "cat <<EOF\nx\nEOF", "find . -exec x {} \\;", "xargs -I{} sh -c '{}'", "env -S 'a b'", "((1+1))", "a | sh", "${x:=y}",
		"parallel a {} ::: b c", "echo b | xargs -I{} git {}", "ssh h <<E\nx\nE", "GIT_CONFIG_KEY_0=alias.x GIT_CONFIG_VALUE_0=y git x", "f() { shift; ${@:2}; }; f a", "sudo bash -c 'echo x'"} {
		f.Add(seed)
	}
	p := expect.Value(compile(`git\s+push`))(f)
	f.Fuzz(func(t *testing.T, text string) {
		if len(text) > 4096 {
			return
		}
		for _, c := range parseLine(text).commands {
			if len(c.text) != len(c.masked) || c.head > len(c.text) {
				t.Fatalf("%+v", c)
			}
		}
		p.matches(parseLine(text))
		if len(statements(text+"\ngit push")) > len(statements(text)) && !strings.ContainsAny(text, "\x00#\\'\"`$(){}<>[]&|;!=*?~") && !strings.HasSuffix(text, "\\") && !p.matches(parseLine(text+"\ngit push")) {
			t.Fatalf("lost behind %q", text)
		}
	})
}
