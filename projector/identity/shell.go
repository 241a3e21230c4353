package identity

import (
	"strconv"
	"strings"
)

// simpleCommands splits a shell command line into its simple commands and these into words. It
// knows quotes, backslashes, comments, the operators between commands and here-documents (whose
// bodies are no commands); what stands in parentheses, a substitution too, counts as commands of
// its own. That is less than a shell does and enough to find the program words.
func simpleCommands(line string) [][]string {
	l := lexer{line: line}
	for l.pos < len(l.line) {
		l.next()
	}
	l.endCommand()
	return l.commands
}

type lexer struct {
	line     string
	pos      int
	word     []byte
	quoted   bool // the word has a quoted part, so it counts even when empty
	words    []string
	commands [][]string
	heredoc  string // delimiter of a here-document whose body begins on the next line
}

func (l *lexer) next() {
	c := l.line[l.pos]
	l.pos++
	switch c {
	case '\'', '"':
		l.quote(c)
	case '\\':
		if l.pos < len(l.line) && l.line[l.pos] != '\n' {
			l.word = append(l.word, l.line[l.pos])
		}
		l.pos++
	case ' ', '\t', '\r':
		l.endWord()
	case '\n':
		l.endCommand()
		l.skipHeredoc()
	case ';', '|', '&':
		l.operator(c)
	case '(', ')':
		l.endCommand()
	case '{', '}':
		if len(l.word) == 0 {
			l.endCommand()
			return
		}
		l.word = append(l.word, c)
	case '<', '>':
		l.redirect(c)
	case '#':
		l.comment()
	default:
		l.word = append(l.word, c)
	}
}

// operator ends the command; in `2>&1` and `&>` the ampersand is part of a redirection.
func (l *lexer) operator(c byte) {
	if c == '&' && l.pos < len(l.line) && l.line[l.pos] == '>' {
		return
	}
	l.endCommand()
}

// quote takes a quoted part into the word.
func (l *lexer) quote(end byte) {
	l.quoted = true
	for l.pos < len(l.line) {
		c := l.line[l.pos]
		l.pos++
		switch {
		case c == end:
			return
		case c == '\\' && end == '"' && l.pos < len(l.line):
			c = l.line[l.pos]
			l.pos++
		}
		l.word = append(l.word, c)
	}
}

// comment skips to the end of the line where a word could begin; inside a word # is a letter.
func (l *lexer) comment() {
	if len(l.word) > 0 {
		l.word = append(l.word, '#')
		return
	}
	for l.pos < len(l.line) && l.line[l.pos] != '\n' {
		l.pos++
	}
}

// redirect drops a redirection with its target, and remembers the delimiter of a here-document.
func (l *lexer) redirect(c byte) {
	if _, err := strconv.Atoi(string(l.word)); err == nil {
		l.word = l.word[:0] // a file descriptor's number
	}
	l.endWord()
	document := c == '<' && strings.HasPrefix(l.line[l.pos:], "<") && !strings.HasPrefix(l.line[l.pos:], "<<")
	rest := strings.TrimLeft(l.line[l.pos:], "<>&")
	if rest != "" && (rest[0] == '|' || rest[0] == '-') { // >| and <<-
		rest = rest[1:]
	}
	rest = strings.TrimLeft(rest, " \t")
	l.pos = len(l.line) - len(rest)
	from := l.pos
	for l.pos < len(l.line) && !strings.ContainsRune(" \t\r\n;|&()", rune(l.line[l.pos])) {
		l.pos++
	}
	if document {
		l.heredoc = strings.Trim(l.line[from:l.pos], `'"\`)
	}
}

// skipHeredoc drops the body of a here-document.
func (l *lexer) skipHeredoc() {
	if l.heredoc == "" {
		return
	}
	for l.pos < len(l.line) {
		row, _, _ := strings.Cut(l.line[l.pos:], "\n")
		l.pos = min(l.pos+len(row)+1, len(l.line))
		if strings.TrimSpace(row) == l.heredoc {
			break
		}
	}
	l.heredoc = ""
}

func (l *lexer) endWord() {
	if len(l.word) > 0 || l.quoted {
		l.words = append(l.words, string(l.word))
	}
	l.word, l.quoted = l.word[:0], false
}

func (l *lexer) endCommand() {
	l.endWord()
	if len(l.words) > 0 {
		l.commands = append(l.commands, l.words)
	}
	l.words = nil
}
