package main

import (
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// reading is what a person would read in the output of a check. It knows no tools, and shares nothing with what the product
// judges by: where it is not plain it says so.
type reading int

const (
	unclear reading = iota
	passed
	failed
)

func (r reading) String() string { return [...]string{"unclear", "passed", "failed"}[r] }

// checkWords are in the line of a command that tests, builds, lints or checks types.
var checkWords = regexp.MustCompile(`(?i)(^|[\s/:=])(tests?|pytest|jest|vitest|mocha|playwright|tsc|eslint|lint|lint:\w+|test:\w+|build:\w+|biome|ruff|mypy|pyright|` +
	`clippy|golangci-lint|phpunit|rspec|shellcheck|typecheck|type-check|check|vet|build|analyze|unittest|xcodebuild|tox|compileJava|assemble|verify|validate)\b`)

// checkPrograms begin the line of such a command. Others with such words, as git commit -m "build it", are none.
var checkPrograms = strings.Fields(`go cargo npm npx pnpm yarn bun bunx make just task pytest python python3 uv poetry pipenv hatch node deno tsc eslint jest
	vitest mocha playwright biome ruff mypy pyright golangci-lint phpunit rspec shellcheck dotnet gradle ./gradlew mvn ./mvnw swift flutter dart mix bundle
	rake tox nox turbo nx xcodebuild composer php cmake ninja ctest bazel zig deno mise black flake8 prettier vue-tsc`)

// printers are programs whose output is other text: marks in it say nothing of a check on the same line.
var printers = strings.Fields("cat git sed head tail awk find ls gh curl diff jq")

// isCheck reports whether a simple command is a check.
func isCheck(c simple) bool {
	if len(c.words) == 0 || !slices.Contains(checkPrograms, c.words[0]) {
		return false
	}
	alone := len(c.words) == 1 && slices.Contains([]string{"make", "pytest", "tsc", "jest", "vitest"}, c.words[0])
	return alone || checkWords.MatchString(strings.Join(c.words, " "))
}

// Marks in an output. Those of the first kind stand in summaries and compilers' messages alone.
var (
	marksFailed = regexp.MustCompile(`(?m)^\s*--- FAIL: |^FAIL\b|test result: FAILED|\b[1-9]\d* (failed|failing)\b|^(Tests|Test Files|Test Suites):?\s+[1-9]\d* failed|` +
		`error TS\d+:|error\[E\d+\]:|error: could not compile|BUILD FAILED|Build failed|FAILURES!|ELIFECYCLE|npm ERR!|npm error|✖ [1-9]\d* problems? \([1-9]|` +
		`Found [1-9]\d* errors?\b|make(\[\d+\])?: \*\*\* |[1-9]\d* failures?\b.*\bseconds|\b[1-9]\d* errors? in [\d.]+s|[1-9]\d* examples?, [1-9]\d* failures?|FAILED \((failures|errors)=`)
	marksTrouble = regexp.MustCompile(`(?mi)traceback \(most recent|assertionerror|^panic: |\berror\b|\bfail|✗|✘|not found|cannot find|exception|exit (code|status):? [1-9]|timed? ?out`)
	marksPassed  = regexp.MustCompile(`(?m)^ok\s+\S+\s|test result: ok|\b[1-9]\d* (passed|passing)\b|BUILD SUCCESS|Build succeeded|All checks passed|Success: no issues|` +
		`Found 0 errors|^OK( \(|$)|All tests passed|No issues found|\b0 (failed|failures|errors)\b|✓ built in|[Cc]ompiled successfully`)
)

// maxRead bounds the two ends of an output that are read, in bytes.
const maxRead = 64 << 10

// ends returns the beginning and the end of an output.
func ends(output string) string {
	if len(output) <= 2*maxRead {
		return output
	}
	return output[:maxRead] + "\n" + output[len(output)-maxRead:]
}

// read says how the checks of a command line went: by its output, and by the client's word where that is the checks'.
func readOutcome(line, output string, clientFailed bool) reading {
	list := simples(line, "/")
	at, checks, other := -1, 0, false
	for i, c := range list {
		switch {
		case isCheck(c):
			at = i
			checks++
		case len(c.words) > 0 && slices.Contains(printers, c.words[0]) && !afterPipe(list, i):
			other = true
		}
	}
	if at < 0 {
		return unclear
	}

	text := ends(output)
	bad, good := marksFailed.MatchString(text), marksPassed.MatchString(text)
	switch {
	case bad && other, bad && good && !clientFailed && !hides(list, at): // a log of what is tested, perhaps
		return unclear
	case bad:
		return failed
	case !hides(list, at) && clientFailed:
		return failed
	case !hides(list, at) && checks == 1:
		return passed
	case marksTrouble.MatchString(text):
		return unclear
	case good && checks == 1:
		return passed
	}
	return unclear
}

// afterPipe reports whether a command reads what the one before it prints.
func afterPipe(list []simple, i int) bool { return i > 0 && list[i-1].piped }

// hides reports whether the status of a line says nothing of one of its commands: it is piped away, or what comes behind
// runs whatever it did.
func hides(list []simple, at int) bool {
	if list[at].piped || !list[at].sure {
		return true
	}
	return slices.ContainsFunc(list[at+1:], func(c simple) bool { return c.first || !c.sure || c.piped })
}

// Counts in summaries. Where lines name tests, those of files and suites are not counted.
var (
	countsLine = regexp.MustCompile(`(?m)^.*\b\d+ (passed|failed|passing|failing)\b.*$`)
	testsLine  = regexp.MustCompile(`^\W*Tests:?\s`)
	filesLine  = regexp.MustCompile(`^\W*(Test Files|Test Suites):?\s`)
	bareLine   = regexp.MustCompile(`(?m)^\s*(\d+) (pass|fail)$`) // bun's
	oneCount   = regexp.MustCompile(`\b(\d+) (passed|failed|passing|failing)\b`)
	colors     = regexp.MustCompile(`\x1b\[[0-9;]*m`)
)

// counts are how many tests passed and failed.
type counts struct{ passed, failed int }

// readCounts adds the counts of an output, false where it has none.
func readCounts(output string) (c counts, any bool) {
	output = colors.ReplaceAllString(ends(output), "")
	add := func(m []string) {
		n, err := strconv.Atoi(m[1])
		if err != nil {
			return
		}
		any = true
		if strings.HasPrefix(m[2], "pass") {
			c.passed += n
		} else {
			c.failed += n
		}
	}
	if list := bareLine.FindAllStringSubmatch(output, -1); list != nil {
		for _, m := range list {
			add(m)
		}
		return c, any
	}

	lines := countsLine.FindAllString(output, -1)
	named := slices.ContainsFunc(lines, testsLine.MatchString)
	for _, line := range lines {
		if named && !testsLine.MatchString(line) || filesLine.MatchString(line) {
			continue
		}
		for _, m := range oneCount.FindAllStringSubmatch(line, -1) {
			add(m)
		}
	}
	return c, any
}
