package speech

import (
	"strings"
	"testing"
	"unicode/utf8"

	"pgregory.net/rapid"

	"hookline/expect"
)

// pastes are what people paste, each with lines of several kinds.
var pastes = map[string]string{
	"a stack of Python": "Traceback (most recent call last):\n  File \"/srv/load.py\", line 12, in main\n    rows = read(path)\n  File \"/srv/read.py\", line 4, in read\n    raise ValueError(path)\nValueError: feed.csv",
	"a stack of Java":   "Exception in thread \"main\" java.lang.IllegalStateException: closed\n\tat com.example.Pool.take(Pool.java:41)\n\tat com.example.Main.main(Main.java:9)\nCaused by: java.io.IOException: reset\n\t... 3 more",
	"a stack of Node":   "TypeError: Cannot read properties of undefined (reading 'id')\n    at load (/srv/app/load.js:3:14)\n    at async main (/srv/app/main.js:9:3)",
	"a log":             "2026-11-01T10:00:00Z INFO start\n2026-11-01T10:00:01Z WARN slow disk\n[10:00:02] ERROR: gone\nNov 01 10:00:03 web sshd[1]: closed",
	"fenced code":       "```go\nfunc main() {\n\tpanic(\"never do this\")\n}\n```",
	"code":              "const a = load();\nif (a.ready) {\n  run(a);\n}",
	"JSON":              "{\n  \"name\": \"web\",\n  \"port\": 8080\n}",
	"a table":           "| step | ms |\n|------|----|\n| load | 12 |\n| save | 90 |",
	"a patch":           "diff --git a/web.go b/web.go\nindex 1a2b3c4..5d6e7f8 100644\n--- a/web.go\n+++ b/web.go\n@@ -1,3 +1,3 @@\n package web\n-var port = 80\n+var port = 8080",
	"names of files":    "src/load.go\nsrc/save.go\nsrc/pool/take.go\nsrc/pool/give.go\nREADME.md",
	"a quotation":       "> I think that the pool should be larger\n> and that we must never close it",
	"an element":        "<document>\nThe pool is closed at the end.\nNever open it twice.\n</document>",
	"a shell":           "$ make test\ngo test ./...\n--- FAIL: TestPool (0.01s)\n    pool_test.go:12: got 3, want 4\nFAIL\texample/pool\t0.02s",
	"a client's screen": "⏺ Bash(make test)\n  ⎿  ok  example/pool 0.2s\n     ok  example/web 0.1s",
	"errors":            "src/pool.ts(12,4): error TS2345: Argument of type 'string' is not assignable\nsrc/web.ts:3:14: error: missing return",
}

// requests are what people ask for beside a paste, in one paragraph or in two.
var requests = []string{
	"Make the loader skip such rows and count them",
	"why does this happen?\n\nplease find the cause in `pool.go` and mend it",
	"1. close the pool in the end\n2. add a test for it\n- and document it",
	"Bitte behebe das und schreib einen Test dafür",
	"请修复这个错误并添加测试",
}

func TestRequestStandsWhereverThePasteDoes(t *testing.T) {
	for what, paste := range pastes {
		for _, request := range requests {
			for where, prompt := range map[string]string{
				"before":  request + "\n\n" + paste,
				"behind":  paste + "\n\n" + request,
				"between": paste + "\n\n" + request + "\n\n" + paste,
			} {
				if what == "an element" && where == "between" {
					continue // it goes to the last end, because its content may have tried to leave it
				}
				if got := Request(prompt); got != request {
					t.Errorf("request %s %s = %q, want %q", where, what, got, request)
				}
			}
			first, second := "Look at this first", "and mend it then"
			if got := Request(first + "\n\n" + paste + "\n\n" + second); got != first+"\n\n"+second {
				t.Errorf("request around %s = %q, want both parts", what, got)
			}
		}
		if got := Request(paste + "\n" + paste); got != "" {
			t.Errorf("request of %s alone = %q, want none", what, got)
		}
	}
}

func TestRequestKeepsWhatIsTyped(t *testing.T) {
	for _, text := range []string{
		"Add retries to the upload client",
		"error: the login does nothing on the phone", // one line is typed
		"Rename `load()` to \"read\" in src/load.go, and keep the old name as an alias",
		"List<String> should be a Set<String> in the pool",
		"<div> is not closed in the page",
		"Two things:\n- the pool leaks\n- the web server does not stop",
		"Change these two files:\nsrc/load.go\nsrc/save.go",
		"Set the timeout to 5s;\nthen restart it",
		"Implement the following plan:\n\n# Pool\n\n```go\nvar pool Pool\n```",
	} {
		if got := Request(text); got != text {
			t.Errorf("Request(%q) = %q, want all of it", text, got)
		}
	}
	expect.Equal(t, Request("[Image #1] the button is cut [Pasted text #2 +40 lines]"), "the button is cut")
	expect.Equal(t, Request("[Image #1]"), "")
	expect.Equal(t, Request("<task>\nAdd a health check to the server\n</task>\n<context>\nIt listens on 8080.\n</context>"), "Add a health check to the server")
}

// A request counts behind a paste of any length, and behind a fence that the cut took the beginning of.
func TestRequestBehindALongPaste(t *testing.T) {
	const request = "Find out which of these hosts are slow"
	for _, c := range []struct{ what, paste string }{
		{"a log", strings.Repeat("2026-11-01T10:00:00Z INFO host-1 took 12 ms\n", 20_000)},
		{"fenced words", "```\n" + strings.Repeat("some words of a report that nobody typed\n", 20_000) + "```\n"},
	} {
		if got := Request(c.paste + "\n" + request); got != request {
			t.Errorf("request behind 800 kB of %s = %.200q, want %q", c.what, got, request)
		}
		if got := Request(request + "\n\n" + c.paste); got != request {
			t.Errorf("request before 800 kB of %s = %.200q, want %q", c.what, got, request)
		}
	}
}

// What is returned is bounded, valid and has no line that the prompt does not have.
func TestRequestOfAnyText(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var known []string
		for _, p := range pastes {
			known = append(known, p)
		}
		parts := rapid.SliceOfN(rapid.OneOf(rapid.SampledFrom(requests), rapid.StringN(0, 60, -1)), 0, 12).Draw(t, "parts")
		if len(parts) > 2 {
			parts[1] = known[len(known)-1]
		}
		checkRequest(t, strings.Join(parts, rapid.SampledFrom([]string{"\n", "\n\n", " "}).Draw(t, "between")))
	})
}

// failer is what a test and a check have in common.
type failer interface {
	Fatalf(format string, args ...any)
}

// checkRequest checks what holds for the request of any prompt.
func checkRequest(t failer, prompt string) {
	got := Request(prompt)
	if len(got) > len(prompt)+4 {
		t.Fatalf("Request(%q) = %q, which is longer", prompt, got)
	}
	if utf8.ValidString(prompt) && !utf8.ValidString(got) {
		t.Fatalf("Request(%q) = %q, which is no valid text", prompt, got)
	}
	if strings.TrimSpace(got) != got {
		t.Fatalf("Request(%q) = %q, which has white space around it", prompt, got)
	}
}

func FuzzPrompt(f *testing.F) {
	for _, p := range pastes {
		f.Add(p)
	}
	for _, text := range append(append(requests, orders...), descriptions...) {
		f.Add(text)
	}
	f.Add(`<teammate-message teammate_id="team-lead" summary="x">Write the tests</teammate-message>`)
	f.Fuzz(func(t *testing.T, text string) {
		checkRequest(t, text)
		if n := len(Constraints(text)); n > maxConstraints {
			t.Errorf("%d constraints of %q", n, text)
		}
		if GoesOn(text) && Substantial(text) {
			t.Errorf("%q goes on and is of substance", text)
		}
		if Order(text) && Substantial(text) {
			t.Errorf("%q is an order and of substance", text)
		}
		if n := len(Teammates(text)); n > maxMessages {
			t.Errorf("%d messages of %q", n, text)
		}
		Answers(text, Asks(text))
		SaysDone(text)
	})
}

// A prompt of the largest kind that a person sends is read in a few milliseconds.
func BenchmarkPrompt(b *testing.B) {
	prompt := strings.Repeat(pastes["a stack of Python"]+"\n"+pastes["a log"]+"\n", 200) + requests[0]
	b.SetBytes(int64(len(prompt)))
	for b.Loop() {
		if Request(prompt) == "" {
			b.Fatalf("no request in %d bytes", len(prompt))
		}
		Constraints(prompt)
	}
}
