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
	ends   string   // of the names of its files
	line   []string // begin a comment up to the end of the line; where "//" does, "/*" begins one up to "*/"
	quotes string   // that begin a string; a double or single one may stand three times
	words  []string // stand before a function's name
	braces bool     // a name, arguments and "{" are a function
	arrows bool     // "=>" is as good as "{"
}

var (
	slashes  = []string{"//"}
	hash     = []string{"#"}
	function = []string{"function"}
)

var languages = []language{
	{ends: ".go", line: slashes, quotes: "\"'`", words: []string{"func"}},
	{ends: ".py .pyi .rb .ex .exs .pl .pm", line: hash, quotes: "\"'", words: strings.Fields("def defp defmacro sub")},
	{ends: ".rs .kt .kts .swift .scala", line: slashes, quotes: "\"", words: strings.Fields("fn fun func def")},
	{ends: ".js .jsx .mjs .cjs .ts .tsx .mts .vue .svelte", line: slashes, quotes: "\"'`", words: function, braces: true},
	{ends: ".php", line: []string{"//", "#"}, quotes: "\"'", words: strings.Fields("function fn")},
	{ends: ".java .c .h .cc .cpp .hpp .dart", line: slashes, quotes: "\"'", braces: true},
	{ends: ".cs", line: slashes, quotes: "\"'", braces: true, arrows: true},
	{ends: ".lua", line: []string{"--"}, quotes: "\"'", words: function},
	{ends: ".sh .bash", line: hash, quotes: "\"'", words: function, braces: true},
}

// control are words that stand before "(" and "{" and are no function; apart are those that no function stands behind.
var (
	control = strings.Fields("if for foreach while switch catch function return using lock synchronized with super this " +
		"await async throw typeof sizeof match elif fixed unless constructor do else try decltype")
	apart = strings.Fields("new return throw class record struct . function")
)

// maxText bounds the text that is read of one change, in characters; longer ones lie beside the log.
const maxText = 16 << 10

// Functions are the functions that a piece of a file defines, in their order; those of a Go type with its name.
func Functions(file, text string) []string {
	of := slices.IndexFunc(languages, func(l language) bool { return slices.Contains(strings.Fields(l.ends), path.Ext(file)) })
	if of < 0 {
		return nil
	}
	s := scan{lang: languages[of], words: wordsOf(languages[of], clip(text, maxText))}
	var names []string
	for i := range s.words {
		name := s.function(i)
		if name != "" && !slices.Contains(names, name) {
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
	case !s.lang.braces:
	case s.script() && s.at(i+1) == "=":
		return s.assigned(i, i+1)
	case s.script() && s.at(i-1) == "const" && s.at(i+1) == ":":
		for at := i + 2; at < i+20; at++ {
			if s.at(at) == "=" && s.at(at+1) != ">" {
				return s.assigned(i, at)
			}
		}
	default:
		begin := s.types(i + 1)
		before := s.at(i - 1)
		initial := before == "," && s.lang.words == nil || before == ":" && s.at(i-2) != ":" // of a C++ member
		if s.at(begin) == "(" && !initial && !slices.Contains(apart, before) && s.opens(s.closing(begin)+1) {
			return word
		}
	}
	return ""
}

// script tells JavaScript and what is written like it.
func (s scan) script() bool { return strings.Contains(s.lang.quotes, "`") }

// types is the place behind the types in angle brackets that begin at i, i where none do.
func (s scan) types(i int) int {
	if s.at(i) != "<" {
		return i
	}
	return s.closing(i) + 1
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
	i = s.types(i) // that a Kotlin function is generic in
	name := s.at(i)
	for isName(name) {
		dot := s.types(i + 1)
		if s.at(dot) != "." && s.at(dot) != ":" || !isName(s.at(dot+1)) || name == "do" {
			break
		}
		i = dot + 1
		name = s.at(i)
	}
	if !isName(name) || slices.Contains(control, name) {
		return ""
	}
	return name
}

// assigned is the name at i, where what stands behind the equals sign is an arrow function or one without a name.
func (s scan) assigned(i, equals int) string {
	at := equals + 1
	if s.at(at) == "async" {
		at++
	}
	switch {
	case s.at(at) == "function" && s.at(at+1) == "(": // else it has a name
		return s.at(i)
	case s.at(at) == "(":
		at = s.closing(at)
	case !isName(s.at(at)):
		return ""
	}
	for at++; at < len(s.words) && at < equals+40; at++ {
		switch w := s.at(at); {
		case w == "=" && s.at(at+1) == ">":
			return s.at(i)
		case !isName(w) && !strings.Contains(":<>[]|&?", w):
			return ""
		}
	}
	return ""
}

// closing is the place of the bracket that closes the one at i within 600 words, behind the last word where none does.
func (s scan) closing(i int) int {
	pair := "()"
	if s.at(i) == "<" {
		pair = "<>"
	}
	depth := 0
	for end := i + 600; i < len(s.words) && i < end; i++ {
		switch s.words[i] {
		case pair[:1]:
			depth++
		case pair[1:]:
			if depth--; depth == 0 {
				return i
			}
		}
	}
	return len(s.words)
}

// opens tells whether a body begins behind the arguments: what stands between is a type or a word. Behind a colon or "->"
// there may be calls where a function has no word: what a C++ member begins with.
func (s scan) opens(i int) bool {
	calls := false
	for end := i + 24; i < len(s.words) && i < end; i++ {
		switch w := s.words[i]; {
		case w == "{":
			return true
		case w == "=" && s.at(i+1) == ">":
			return s.lang.arrows
		case w == ":", w == "-":
			calls = s.lang.words == nil
		case !isName(w) && !strings.Contains("<>[]&*|,.?", w) && (!calls || w != "(" && w != ")"):
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
		if end == i {
			for end = i + 1; inName(text[i]) && end < len(text) && inName(text[end]); {
				end++
			}
			words = append(words, text[i:end])
		}
		i = end
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
	if three := strings.Repeat(rest[:1], 3); strings.HasPrefix(rest, three) {
		return i + 3 + upTo(rest[3:], three)
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
