package outcome

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"hookline/events"
	"hookline/expect"
)

// sample is one command line with its output, as the files in testdata have it, and what is to be said of it:
//
//	>>>> name
//	$ command line
//	exit: 1
//	want: failed
//	counts: 3 passed
//	telling: pay_test.go:12: got 3, want 4
//
//	output, to the next sample
//
// Without the line "exit" the client called it a success.
type sample struct {
	name, line, output      string
	failed                  bool
	status, counts, telling string
}

// samples are those of all files.
func samples(t testing.TB) []sample {
	t.Helper()
	files := expect.Value(filepath.Glob("testdata/*.txt"))(t)
	var list []sample
	for _, file := range files {
		text := string(expect.Value(os.ReadFile(file))(t))
		for part := range strings.SplitSeq("\n"+text, "\n>>>> ") {
			if strings.TrimSpace(part) != "" {
				list = append(list, sampleOf(t, filepath.Base(file), part))
			}
		}
	}
	if len(list) < 20 {
		t.Fatalf("only %d samples were found", len(list))
	}
	return list
}

func sampleOf(t testing.TB, file, part string) sample {
	t.Helper()
	head, output, _ := strings.Cut(part, "\n\n")
	name, head, _ := strings.Cut(head, "\n")
	s := sample{name: file + " " + name, output: strings.TrimPrefix(output, "\n")}
	for line := range strings.SplitSeq(head, "\n") {
		if command, ok := strings.CutPrefix(line, "$ "); ok {
			s.line = strings.ReplaceAll(command, `\n`, "\n")
			continue
		}
		key, value, _ := strings.Cut(line, ": ")
		switch key {
		case "":
		case "exit":
			s.failed = true
			s.output = "Exit code " + value + "\n" + s.output
		case "want":
			s.status = value
		case "counts":
			s.counts = value
		case "telling":
			s.telling = value
		default:
			t.Fatalf("%s: %s has a line that is not known: %q", file, name, line)
		}
	}
	return s
}

func TestOf(t *testing.T) {
	for _, s := range samples(t) {
		t.Run(s.name, func(t *testing.T) {
			got := Of(s.line, events.Runs(s.line), s.failed, s.output)
			if string(got.Status) != s.status {
				t.Errorf("status of %q = %s, want %s", s.line, got.Status, s.status)
			}
			if got.Counts != s.counts {
				t.Errorf("counts of %q = %q, want %q", s.line, got.Counts, s.counts)
			}
			if s.status == "failed" && got.Telling != s.telling {
				t.Errorf("telling line of %q = %q, want %q", s.line, got.Telling, s.telling)
			}
			if s.status != "failed" && got.Telling != "" {
				t.Errorf("telling line of %q = %q, want none", s.line, got.Telling)
			}
		})
	}
}

// Every expression of the table compiles, and each tool can be recognised failing or passing.
func TestTable(t *testing.T) {
	for _, row := range tools {
		marks := append(append([]mark{}, row.failing...), row.passing...)
		for _, c := range row.counts {
			marks = append(marks, c.line)
		}
		for _, way := range row.telling {
			marks = append(marks, way...)
		}
		for _, m := range marks {
			if m.form != nil {
				m.form()
			}
		}
		if len(row.failing) == 0 {
			t.Errorf("row %s has no mark of a failing check", row.name)
		}
		if row.programs == "" || row.kinds == "" {
			t.Errorf("row %s has programs %q and kinds %q, want both", row.name, row.programs, row.kinds)
		}
	}
}

// Of a long output the beginning and the end are looked at.
func TestLongOutput(t *testing.T) {
	noise := strings.Repeat("    log_test.go:7: a line that says nothing\n", 40_000)
	end := "--- FAIL: TestHalf (0.00s)\n    pay_test.go:9: half of 7 = 3, want 4\nFAIL\nFAIL\texample.com/pay\t0.1s\nFAIL\n"
	line := "go test -v ./... 2>&1 | tee log"

	got := Of(line, events.Runs(line), false, noise+end)
	if got.Status != Failed {
		t.Errorf("status of a failure behind %d bytes = %s, want failed", len(noise), got.Status)
	}
	if want := "TestHalf: pay_test.go:9: half of 7 = 3, want 4"; got.Telling != want {
		t.Errorf("telling line behind %d bytes = %q, want %q", len(noise), got.Telling, want)
	}
}

// An output is judged the same with the colours of a terminal and with a carriage return in each line.
func TestLooksOfAnOutput(t *testing.T) {
	line := "npx vitest run | tail -3"
	for _, output := range []string{
		"\x1b[2m Test Files \x1b[22m \x1b[1m\x1b[32m3 passed\x1b[39m\x1b[22m (3)\n\x1b[2m      Tests \x1b[22m \x1b[1m\x1b[32m13 passed\x1b[39m\x1b[22m (13)\n",
		" Test Files  3 passed (3)\r\n      Tests  13 passed (13)\r\n",
		"running\r Test Files  3 passed (3)\r      Tests  13 passed (13)",
	} {
		got := Of(line, events.Runs(line), false, output)
		if got.Status != OK {
			t.Errorf("status of %q = %s, want ok", output, got.Status)
		}
		if got.Counts != "13 passed" {
			t.Errorf("counts of %q = %q, want 13 passed", output, got.Counts)
		}
	}
}

// FuzzOf: whatever the line and the output are, the judgement ends, is one of three, and is bounded.
func FuzzOf(f *testing.F) {
	for _, s := range samples(f) {
		f.Add(s.line, s.failed, s.output)
	}
	f.Fuzz(func(t *testing.T, line string, failed bool, output string) {
		got := Of(line, events.Runs(line), failed, output)
		if got.Status != OK && got.Status != Failed && got.Status != Unknown {
			t.Errorf("status of %q = %q, want ok, failed or unknown", line, got.Status)
		}
		if failed && got.Status == OK && !got.Hidden && len(checksOf(events.Runs(line))) == 0 {
			t.Errorf("status of the failed line %q = ok, want failed or unknown", line)
		}
		if n := len([]rune(got.Telling)); n > maxTold {
			t.Errorf("telling line of %q has %d characters, want at most %d", line, n, maxTold)
		}
	})
}

// BenchmarkOf judges a script with an output of 1 MB: the worst there is, since all rows of the table may apply. The goal is less
// than 20 ms.
func BenchmarkOf(b *testing.B) {
	line := "make test 2>&1 | tee log"
	runs := events.Runs(line)
	output := strings.Repeat("    pay_test.go:7: an error that failed to be told: FAIL ok Error: 3 failed, Tests:\n", 12_000)
	b.ReportAllocs()
	for b.Loop() {
		Of(line, runs, false, output)
	}
}

// BenchmarkOfShort judges a test run whose output is as long as most are.
func BenchmarkOfShort(b *testing.B) {
	line := "npm test 2>&1 | tail -20"
	runs := events.Runs(line)
	output := "> shop@1.0.0 test\n> jest\n\nTests:       13 passed, 13 total\nTime:        0.4 s\nRan all test suites.\n"
	b.ReportAllocs()
	for b.Loop() {
		Of(line, runs, false, output)
	}
}

// A mark that only one command of a line prints says how that one went.
func TestOwn(t *testing.T) {
	for _, c := range []struct {
		line, output string
		want         string // of each command
	}{
		{"npx jest && git push", "Tests:       9 passed, 9 total\nrejected", "ok unknown"},
		{"npx eslint . && npx jest", "Tests:       1 failed, 8 passed, 9 total", "unknown failed"},
		{"npx jest a && npx jest b", "Tests:       9 passed, 9 total", "unknown unknown"},
		{"npm run build && npm test", "✓ built in 2.1s\nnpm error Lifecycle script `build` failed", "unknown unknown"},
		{"npm run build && ls out", "✓ built in 2.1s", "ok unknown"},
		{"npm run build && ls out", "x", "unknown unknown"},
	} {
		var got []string
		for _, own := range Of(c.line, events.Runs(c.line), true, "Exit code 1\n"+c.output).Own {
			got = append(got, string(own.Status))
		}
		if got := strings.Join(got, " "); got != c.want {
			t.Errorf("what %q shows of each command of %q = %q, want %q", c.output, c.line, got, c.want)
		}
	}
}
