package speech

import (
	"regexp"
	"strings"
	"unicode"

	"hookline/events/wording"
)

// Pastes are known by their lines. Some lines nobody types: a frame of a stack, a line of a log, of a table or of a patch.
// Others may be typed alone, but not several in a row: code, and names of files.

// lineKind says what a line looks like.
type lineKind int

const (
	prose   lineKind = iota
	empty            // or blanked
	printed          // by a program: a paste, even alone
	code             // a paste where several follow each other, or beside what was printed
	path             // a name of a file and nothing else; the same
)

// How many lines in a row are a paste.
const (
	codeRun = 3
	pathRun = 4
)

// withoutPastes returns the lines of a text, those that were pasted empty.
func withoutPastes(text string) []string {
	before := strings.Split(text, "\n")
	lines := strings.Split(wording.OwnLines(text), "\n")
	kinds := make([]lineKind, len(lines))
	inPatch := false
	for i, line := range lines {
		kinds[i] = kindOf(line)
		inPatch = patchBegin.MatchString(before[i]) || inPatch && patchLine.MatchString(before[i])
		isIndented := kinds[i] != empty && indented(before[i])
		belowPrinted := i > 0 && kinds[i-1] == printed && isIndented && !listItem.MatchString(line)
		wasBlanked := kinds[i] == empty && strings.TrimSpace(before[i]) != ""
		if wasBlanked || kinds[i] != empty && (inPatch || belowPrinted) {
			kinds[i] = printed
		}
	}

	for from := 0; from < len(lines); {
		to := endOfRun(kinds, from)
		if to == from {
			from++
			continue
		}
		blankPastes(lines[from:to], kinds[from:to])
		from = to
	}
	return lines
}

// blankPastes empties those lines of a run without prose that were pasted: blocks with a line that a program printed, and code and
// names of files where there are several of them in the run.
func blankPastes(lines []string, kinds []lineKind) {
	counts := map[lineKind]int{}
	for _, k := range kinds {
		counts[k]++
	}
	for from := 0; from < len(lines); {
		to := from
		hasPrinted := false
		for to < len(lines) && kinds[to] != empty {
			hasPrinted = hasPrinted || kinds[to] == printed
			to++
		}
		for i := from; i < to; i++ {
			if hasPrinted || kinds[i] == code && counts[code] >= codeRun || kinds[i] == path && counts[path] >= pathRun {
				lines[i] = ""
			}
		}
		from = to + 1
	}
}

// indented reports whether a line begins with white space.
func indented(line string) bool { return strings.HasPrefix(line, " ") || strings.HasPrefix(line, "\t") }

// endOfRun returns where the lines end that are no prose, from one on.
func endOfRun(kinds []lineKind, from int) int {
	to := from
	for to < len(kinds) && kinds[to] != prose {
		to++
	}
	return to
}

// Lines of a patch.
var (
	patchBegin = regexp.MustCompile(`^(?:diff --git |@@ -\d|index [0-9a-f]{6,}\.\.)`)
	patchLine  = regexp.MustCompile(`^[-+ \\]|^$`)
)

// listItem matches the beginning of an entry of a list.
var listItem = regexp.MustCompile(`^\s*(?:[-*+•]|\d{1,3}[.)]|\[[ x]\])\s`)

// ofProgram matches a line that a program printed and nobody types.
var ofProgram = regexp.MustCompile(`^\s*(?:` + strings.Join([]string{
	`[│├└┌┐┘╭╰║═─━┃▶⏺⎿●✻✽❯✓✔✖✗✘]`, // boxes, and what a client shows
	`\|.*\|\s*$`,                             // tables
	`[-=*_#~]{4,}\s*$|={3,}\s`,               // rulers
	`\[?\d{1,2}:\d\d:\d\d`,                   // times
	`[A-Z][a-z]{2} +\d{1,2} \d\d:\d\d:\d\d `, // of syslog
	`\[?(?:INFO|DEBUG|WARN|WARNING|ERROR|TRACE|FATAL|NOTICE|CRITICAL)(?:\]|:|\s{2,}|\s+[\[(\d])`,
	`(?:level|time|ts|msg)=\S`,
	`npm (?:ERR!|WARN|error) `,
	`(?:=== RUN|--- PASS|--- FAIL|PASS$|ok\s+\S+\s+[\d.(])`,
	`(?:at (?:[\w$.<>]+\.)?[\w$<>]+ ?\(|at (?:async )?\S+ \(|at (?:file|node|https?):\S+$|File "|goroutine \d+ \[|Caused by:|\.\.\. \d+ more|Traceback \(most)`,
	`thread '.*' panicked at`,
	`Exception in thread `,
	`\S+\(\d+,\d+\): `,                             // a place in a file
	`[\w./\\-]+\.\w{1,5}:\d+(?::\d+)?(?:[:\s)]|$)`, // the same
	`(?:\d+ +)?\|\s`,                               // frames of code
	`-->\s`,
	`= (?:note|help):`,
	`\^+\s*$`,
	`[\w.-]+@[\w.-]+[:\s~].*[$%#]\s`, // prompts of a shell
	`(?:➜|\$|❯)\s+\S`,
	`On branch \S+$|modified: +\S|new file: +\S|deleted: +\S|Changes (?:not staged|to be committed)`,
	`(?:Usage|Flags|Options|Commands|Arguments):\s*(?:$|\S+ \[)`,
}, "|") + `)`)

// Lines of code, as far as their form tells.
var (
	codeEnd   = regexp.MustCompile(`(?:[{};]|\)\s*;|[\])}],|=>|\(|\[)\s*$`)
	codeBegin = regexp.MustCompile(`^\s*(?:[{}\])]|"[^"]*"\s*:|//|/\*|\*/|#include|#!|@\w+\(|<\?|</?\w)`)
	codeWord  = regexp.MustCompile(`^\s*(?:import|from|export|const|let|var|func|def|class|return|if|elif|for|while|package|use|fn|pub|struct|public|private|protected|static|SELECT|INSERT|CREATE|UPDATE|ALTER|async|await|try|catch|raise|throw)\b`)
	codeSigns = regexp.MustCompile(`[=(){};<>]`)
	codeCall  = regexp.MustCompile(`^\s*[\w.$]+(?:\[[^\]]*\])?(?:\s*[:+-]?=\s*\S|\(.*\)\s*$)`)
	codeRuns  = regexp.MustCompile(`^\s*(?:(?:git|npm|npx|pnpm|yarn|cargo|docker|kubectl|pytest|python3?|node|curl|sudo|mvn|brew|pip3?) [\w./-]|go (?:test|build|run|vet|mod|get|install) |make [\w-]+$|cd \S+$|\[\w+\] \S)`)
	flagLine  = regexp.MustCompile(`^\s{2,}-{1,2}[\w-]+[, ]`)
)

// onePath matches a line that is the name of a file, also behind a mark of a list or of git's status.
var onePath = regexp.MustCompile(`^\s*(?:[-*+•]\s+|[MADRCU?!]{1,2}\s+)?(?:[\w.@~+-]*/[\w./@+\[\]()-]*|[\w.-]+\.[a-z]{1,5})(?:\s+\|\s+\d+.*)?\s*$`)

// kindOf returns what a line looks like by itself.
func kindOf(line string) lineKind {
	text := strings.TrimSpace(line)
	switch {
	case text == "":
		return empty
	case ofProgram.MatchString(wording.Clip(line, maxLine)):
		return printed
	case len(text) > maxLine:
		return ofLongLine(text)
	case onePath.MatchString(line):
		return path
	case looksLikeCode(line):
		return code
	}
	return prose
}

// maxLine is how many bytes a line may have for what looks at all of it.
const maxLine = 2000

// ofLongLine returns what a line looks like that is longer than people type one: prose has a blank at every few letters.
func ofLongLine(text string) lineKind {
	head := wording.Clip(text, maxLine)
	isData := strings.Count(head, " ")*12 < len(head) || signs(head)*5 > len(head)
	if isData && !hasCJK(head) {
		return printed
	}
	return prose
}

// looksLikeCode reports whether a line looks like code or data.
func looksLikeCode(line string) bool {
	if listItem.MatchString(line) {
		return false
	}
	isStatement := codeWord.MatchString(line) && codeSigns.MatchString(line)
	if isStatement || codeEnd.MatchString(line) || codeBegin.MatchString(line) || codeCall.MatchString(line) || codeRuns.MatchString(line) || flagLine.MatchString(line) {
		return true
	}
	text := strings.TrimSpace(line)
	return len(text) > 10 && signs(text)*5 > len(text)*2
}

// signs counts the characters of a text that are neither letters nor white space, of ASCII.
func signs(text string) int {
	n := 0
	for _, r := range text {
		if r < unicode.MaxASCII && !unicode.IsLetter(r) && !unicode.IsSpace(r) {
			n++
		}
	}
	return n
}

// hasCJK reports whether a text has characters of a script that parts no words by blanks.
func hasCJK(text string) bool { return strings.ContainsFunc(text, isCJK) }

// isCJK reports whether a character is of such a script.
func isCJK(r rune) bool {
	return unicode.In(r, unicode.Han, unicode.Hiragana, unicode.Katakana, unicode.Hangul, unicode.Thai)
}
