package codes

import (
	"path"
	"slices"
	"strings"
)

// Functions are found in pieces of code, which no parser reads: words are looked at in their order, without comments
// and strings.

// language is how the code of some files is read.
type language struct {
	line   []string // begin a comment up to the end of the line; where "//" does, "/*" begins one up to "*/"
	quotes string   // that begin a string; a double or single one may stand three times
	words  []string // stand before a function's name
	braces bool     // a name, arguments and "{" are a function
	arrows bool     // "=>" is as good as "{"
}

var (
	slashes = []string{"//"}
	hash    = []string{"#"}
	curly   = language{line: slashes, quotes: "\"'", braces: true}
	script  = language{line: slashes, quotes: "\"'`", words: []string{"function"}, braces: true}
	fn      = language{line: slashes, quotes: "\"", words: []string{"fn", "fun", "func", "def"}}
	def     = language{line: hash, quotes: "\"'", words: []string{"def", "defp", "defmacro", "sub"}}
	shell   = language{line: hash, quotes: "\"'", words: []string{"function"}, braces: true}
)

// languages by the ends of file names.
var languages = map[string]language{
	".go": {line: slashes, quotes: "\"'`", words: []string{"func"}},
	".py": def, ".pyi": def, ".rb": def, ".ex": def, ".exs": def, ".pl": def, ".pm": def,
	".rs": fn, ".kt": fn, ".kts": fn, ".swift": fn, ".scala": fn,
	".js": script, ".jsx": script, ".mjs": script, ".cjs": script, ".ts": script, ".tsx": script, ".mts": script, ".vue": script, ".svelte": script,
	".php":  {line: []string{"//", "#"}, quotes: "\"'", words: []string{"function", "fn"}},
	".java": curly, ".c": curly, ".h": curly, ".cc": curly, ".cpp": curly, ".hpp": curly, ".dart": curly,
	".cs":  {line: slashes, quotes: "\"'", braces: true, arrows: true},
	".lua": {line: []string{"--"}, quotes: "\"'", words: []string{"function"}},
	".sh":  shell, ".bash": shell,
}

// control are words that stand before "(" and "{" and are no function; apart are those that no function stands behind.
var (
	control = strings.Fields("if for foreach while switch catch function return using lock synchronized with super this " +
		"await async throw typeof sizeof match elif fixed unless constructor do else try")
	apart = strings.Fields("new return throw class record struct . function")
)

// maxText bounds the text that is read of one change, in bytes; maxFunctions the names.
const (
	maxText      = 16 << 10
	maxFunctions = 100
)

// Functions are the functions that a piece of a file defines, in their order; those of a Go type with its name.
func Functions(file, text string) []string {
	lang, ok := languages[path.Ext(file)]
	if !ok || text == "" {
		return nil
	}
	s := scan{lang: lang, words: wordsOf(lang, text[:min(len(text), maxText)])}
	var names []string
	for i := range s.words {
		name := s.function(i)
		if name != "" && !slices.Contains(names, name) && len(names) < maxFunctions {
			names = append(names, name)
		}
	}
	return names
}

// scan is the words of a text.
type scan struct {
	lang  language
	words []string // names, and other characters one by one
}

func (s scan) at(i int) string {
	if i < 0 || i >= len(s.words) {
		return ""
	}
	return s.words[i]
}

// function is the name of the function that is defined at a word, "" for none.
func (s scan) function(i int) string {
	word := s.at(i)
	switch {
	case slices.Contains(s.lang.words, word) && s.at(i-1) != ".":
		return s.named(i + 1)
	case !isName(word) || slices.Contains(control, word):
		return ""
	case s.lang.braces && s.at(i+1) == "(":
		if !slices.Contains(apart, s.at(i-1)) && s.opens(s.closing(i+1)+1) {
			return word
		}
	case len(s.lang.words) > 0 && s.lang.words[0] == "function" && s.lang.braces && s.at(i+1) == "=":
		return s.assigned(i)
	}
	return ""
}

// named is the name behind the word of a function, with the type of a Go method before it.
func (s scan) named(i int) string {
	if s.at(i) == "(" && s.lang.words[0] == "func" {
		end := s.closing(i)
		name := s.at(end + 1)
		if !isName(name) || s.at(end+2) != "(" {
			return ""
		}
		for _, w := range s.words[i+1 : max(i+1, end)] {
			if w == "[" {
				break
			}
			if isName(w) {
				name = w + "." + s.at(end+1)
			}
		}
		return name
	}
	for s.at(i) == "*" || s.at(i) == "&" {
		i++
	}
	if s.at(i) == "<" { // types that a Kotlin function is generic in
		i = min(i+slices.Index(append(s.words[i:len(s.words):len(s.words)], ">"), ">")+1, len(s.words))
	}
	name := s.at(i)
	for isName(name) && (s.at(i+1) == "." || s.at(i+1) == ":") && isName(s.at(i+2)) && name != "do" {
		i += 2
		name = s.at(i)
	}
	if !isName(name) || slices.Contains(control, name) {
		return ""
	}
	return name
}

// assigned is the name that an arrow function or a function without a name is given.
func (s scan) assigned(i int) string {
	at := i + 2
	if s.at(at) == "async" {
		at++
	}
	switch {
	case s.at(at) == "function":
		return s.at(i)
	case s.at(at) == "(":
		at = s.closing(at)
	case !isName(s.at(at)):
		return ""
	}
	for at++; at < len(s.words) && at < i+40; at++ {
		switch w := s.at(at); {
		case w == "=" && s.at(at+1) == ">":
			return s.at(i)
		case !isName(w) && !strings.Contains(":<>[]|&?", w):
			return ""
		}
	}
	return ""
}

// maxArguments bounds how many words the arguments of a function have.
const maxArguments = 600

// closing is the place of the bracket that closes the one at i, behind the last word where none does.
func (s scan) closing(i int) int {
	depth := 0
	for end := i + maxArguments; i < len(s.words) && i < end; i++ {
		switch s.words[i] {
		case "(":
			depth++
		case ")":
			if depth--; depth == 0 {
				return i
			}
		}
	}
	return len(s.words)
}

// opens tells whether a body begins behind the arguments: what stands between is a type or a word.
func (s scan) opens(i int) bool {
	for end := i + 24; i < len(s.words) && i < end; i++ {
		switch w := s.words[i]; {
		case w == "{":
			return true
		case w == "=" && s.at(i+1) == ">":
			return s.lang.arrows
		case isName(w), strings.Contains(":<>[]&*|,.?\n", w):
		default:
			return false
		}
	}
	return false
}

func isName(w string) bool { return w != "" && inName(w[0]) && (w[0] < '0' || w[0] > '9') }

func inName(c byte) bool {
	return c == '_' || c == '$' || c >= '0' && c <= '9' || c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= 0x80
}

// wordsOf cuts a text into words, without comments, strings and white space.
func wordsOf(lang language, text string) []string {
	var words []string
	for i := 0; i < len(text); {
		end := past(lang, text, i)
		switch {
		case end > i:
			i = end
		case inName(text[i]):
			end = i
			for end < len(text) && inName(text[end]) {
				end++
			}
			words = append(words, text[i:end])
			i = end
		default:
			words = append(words, text[i:i+1])
			i++
		}
	}
	return words
}

// past is the end of white space, a comment or a string that begins at i, i where none does.
func past(lang language, text string, i int) int {
	rest := text[i:]
	if strings.IndexByte(" \t\r\n", rest[0]) >= 0 {
		return i + 1
	}
	for _, mark := range lang.line {
		if strings.HasPrefix(rest, mark) {
			return i + upTo(rest, "\n")
		}
	}
	if strings.HasPrefix(rest, "/*") && lang.line[0] == "//" {
		return i + 2 + upTo(rest[2:], "*/")
	}
	if strings.IndexByte(lang.quotes, rest[0]) < 0 {
		return i
	}
	if quote := rest[:1]; strings.HasPrefix(rest, strings.Repeat(quote, 3)) {
		return i + 3 + upTo(rest[3:], strings.Repeat(quote, 3))
	}
	for at := 1; at < len(rest); at++ {
		switch {
		case rest[at] == '\\':
			at++
		case rest[at] == rest[0]:
			return i + at + 1
		case rest[at] == '\n' && rest[0] != '`': // an apostrophe
			return i + 1
		}
	}
	return i + 1
}

// upTo is the length of a text up to a mark, with it, or the whole.
func upTo(text, mark string) int {
	if at := strings.Index(text, mark); at >= 0 {
		return at + len(mark)
	}
	return len(text)
}
