package codes

import (
	"path"
	"regexp"
	"slices"
	"strings"

	"hookline/events/wording"
)

// Functions are found line by line: a change is a piece of a file, which no parser accepts.

// The endings of files whose functions stand after a word, of those whose functions are a name, arguments and a brace,
// and of those that give functions to names.
var (
	worded = strings.Fields(".go .py .pyi .rb .ex .exs .pl .pm .rs .kt .kts .swift .scala .php .lua .sh .bash .js .jsx .mjs .cjs .ts .tsx .mts .vue .svelte")
	braced = strings.Fields(".sh .bash .js .jsx .mjs .cjs .ts .tsx .mts .vue .svelte .java .c .h .cc .cpp .hpp .dart .cs")
	script = strings.Fields(".js .jsx .mjs .cjs .ts .tsx .mts .vue .svelte")
)

// Forms of a function's first line. The last group is its name; the one before it is the type of a Go method.
var (
	byWord   = regexp.MustCompile(`(?:^|[\s{;=(])(?:func|def|defp|defmacro|fn|fun|function|sub)\*?\s+(?:\((?:\w+\s+)?\*?(\w+)(?:\[[^\]]*\])?\)\s*)?(?:<[^(]*>\s+)?(?:[\w<>?,]+[.:])*([\w$]+)`)
	byBrace  = regexp.MustCompile(`^[^=("']*?([\w$]+)\s*(?:<[^()]*>)?\([^()]*(?:\([^()]*\)[^()]*)*\)[^;=()]*(?:\{|=>)`)
	byArrow  = regexp.MustCompile(`([\w$]+)\s*(?::[^=]*)?=\s*(?:async\s*)?(?:function\s*\(|\([^()]*\)[^=;]*=>|[\w$]+\s*=>)`)
	nextLine = regexp.MustCompile(`\)\s*\n\s*\{`)
)

// control are words that stand before "(" and "{" and are no function.
var control = strings.Fields("if for foreach while switch catch function return using lock synchronized with super this await match elif fixed constructor do else try")

// maxText bounds the text that is read of one change, in bytes; longer ones lie beside the log.
const maxText = 16 << 10

// Functions are the functions that a piece of a file defines, in their order; those of a Go type with its name.
func Functions(file, text string) []string {
	ext := path.Ext(file)
	var forms []*regexp.Regexp
	if slices.Contains(worded, ext) {
		forms = append(forms, byWord)
	}
	if slices.Contains(braced, ext) {
		forms = append(forms, byBrace)
	}
	if slices.Contains(script, ext) {
		forms = append(forms, byArrow)
	}

	var names []string
	for line := range strings.Lines(nextLine.ReplaceAllString(wording.Clip(text, maxText), ") {")) {
		line = strings.TrimSpace(line)
		if line == "" || strings.ContainsAny(line[:1], "/#*-}") {
			continue // mostly a comment
		}
		for _, form := range forms {
			m := form.FindStringSubmatch(line)
			if m == nil || slices.Contains(control, m[len(m)-1]) {
				continue
			}
			name := strings.TrimPrefix(strings.Join(m[1:], "."), ".")
			if !slices.Contains(names, name) {
				names = append(names, name)
			}
			break
		}
	}
	return names
}
