package outcome

import (
	"regexp"
	"slices"
	"strings"
)

// The line that says what failed.

// told is a way to say what failed: lines that follow each other in an output, of each what its form's groups hold.
type told []mark

// next is the next line that is not blank.
var next = like("", `^\s*(\S.*)$`)

// telling returns what the output of a line with checks says of its failure, "" where it says nothing. A tool whose summary
// says that it failed comes before one that may have printed a line.
func (in reading) telling() string {
	for _, weak := range []bool{strongMark, weakMark} {
		for _, c := range in.checks {
			for _, row := range c.rows {
				if !row.printed(in.text, weak) {
					continue
				}
				if text := row.tells(in.text); text != "" {
					return text
				}
			}
		}
	}
	return NamesError(in.text)
}

// printed reports whether a text has a mark of a failing check of this tool.
func (t *tool) printed(text string, weak bool) bool {
	for _, m := range t.failing {
		if m.weak != weak {
			continue
		}
		if _, ok := m.in(text, 0); ok {
			return true
		}
	}
	return false
}

// tells returns what a tool's output says of its failure, "" where it says nothing.
func (t *tool) tells(text string) string {
	for _, way := range t.telling {
		if said := way.in(text); said != "" {
			return clip(said)
		}
	}
	return ""
}

// in returns what a text says in this way, "" where one of the lines is not there.
func (w told) in(text string) string {
	var parts []string
	from := 0
	for _, m := range w {
		f, ok := m.in(text, from)
		if !ok {
			return ""
		}
		from = f.end + 1
		if len(f.groups) == 1 && m.form == nil {
			parts = append(parts, strings.TrimSpace(f.line))
		}
		for _, group := range f.groups[1:] {
			if group != "" {
				parts = append(parts, strings.TrimSuffix(strings.TrimSpace(group), ":"))
			}
		}
	}
	return strings.Join(parts, ": ")
}

// errorWords matches a line that names an error.
var errorWords = regexp.MustCompile(`(?i)error|fail|panic|fatal|denied|not found|no such|cannot|unable|rejected|conflict|refused|unbound|undefined|unexpected|invalid|missing`)

// wrapper matches lines about an error that say nothing of its cause: rulers, headings, the words of a runner of scripts.
var wrapper = regexp.MustCompile(`^[\W_]*$|^[=_*\-─━⎯#\s]+[A-Z a-z]*[=_*\-─━⎯#\s]+$|ELIFECYCLE|^g?make(?:\[\d+\])?: \*\*\*|^npm (?:ERR!|error)|^error Command failed|` +
	`\b0 (?:errors|failed|failures)\b|\bno (?:errors|failures)\b`)

// tag is what the client puts around an error of its own.
var tag = regexp.MustCompile(`</?(?:tool_use_error|error)>`)

// notice matches lines that warn of what will be an error some day.
var notice = regexp.MustCompile(`(?i)\bdeprecat|\bwill fail in\b|^(?:\W*npm )?\W*warn(?:ing)?\b`)

// hookWords are in the outputs of programs that run the checks of a commit.
var hookWords = []string{"husky", "lint-staged", "lefthook", "pre-commit", "[STARTED]"}

// ofCheck matches a line of a check among those that a commit's hook prints: the place of an error, else what failed.
var ofCheck = []*regexp.Regexp{
	regexp.MustCompile(`^\d+:\d+:? +error\b|\berror TS\d+: |^(?:\S+:\d+:\d+:? +)?error\b.*\S|^FAIL +\S`),
	regexp.MustCompile(`[✖✗×❌] |\berror\b|\bFAIL`),
}

// NamesError returns the first line of an error's text that names one, else the first line of all; rulers and headings are left out where
// there is another line, and notices where another one names an error. Of what a commit's hook printed a line of its checks comes first.
func NamesError(text string) string {
	lines := linesOf(tag.ReplaceAllString(text, ""))
	if len(lines) == 0 {
		return clip(strings.TrimSpace(text))
	}

	forms := []*regexp.Regexp{errorWords}
	if slices.ContainsFunc(hookWords, func(word string) bool { return strings.Contains(text, word) }) {
		forms = append(slices.Clone(ofCheck), errorWords)
	}
	for _, form := range forms {
		for _, line := range lines {
			if form.MatchString(line) && !notice.MatchString(line) {
				return clip(line)
			}
		}
	}
	for _, line := range lines {
		if errorWords.MatchString(line) {
			return clip(line)
		}
	}
	return clip(lines[0])
}

// linesOf returns the first lines of a text that may say what an error was.
func linesOf(text string) []string {
	var lines []string
	for line := range strings.Lines(withoutStart(text[:min(len(text), 2*half)])) {
		line = strings.TrimSpace(line)
		if len(line) > maxLine {
			line = line[:maxLine]
		}
		if line == "" || wrapper.MatchString(line) {
			continue
		}
		lines = append(lines, line)
		if len(lines) == maxTries*5 {
			break
		}
	}
	return lines
}
