package identity

import (
	"path"
	"slices"
	"strconv"
	"strings"
)

// checkers lists the programs that test, build, lint or type-check, with the words that say so: the
// program's first argument that is no flag. An empty list means that the program does little else.
var checkers = map[string]string{
	// C, C++ and what drives any build
	"bazel": "build test", "buck2": "build test", "cc": "", "c++": "", "clang": "", "clang++": "", "clang-tidy": "", "cmake": "",
	"cppcheck": "", "ctest": "", "g++": "", "gcc": "", "gmake": "", "just": "", "make": "", "meson": "compile test", "ninja": "",
	"pre-commit": "", "task": "",
	// Go, Rust, Zig, Swift
	"cargo": "b bench build c check clippy nextest t test", "go": "build test vet", "golangci-lint": "", "gotestsum": "",
	"rustc": "", "staticcheck": "", "swift": "build test", "swiftlint": "", "xcodebuild": "", "zig": "build test",
	// JavaScript and TypeScript
	"ava": "", "biome": "", "bun": "build check lint test typecheck", "cypress": "", "deno": "check compile lint test",
	"esbuild": "", "eslint": "", "jest": "", "mocha": "", "next": "build lint", "npm": "build check lint t test typecheck",
	"oxlint": "", "playwright": "test", "pnpm": "build check lint t test typecheck", "rollup": "", "stylelint": "", "tsc": "",
	"vite": "build", "vitest": "", "vue-tsc": "", "webpack": "", "yarn": "build check lint test typecheck",
	// Python
	"bandit": "", "coverage": "", "flake8": "", "manage.py": "check test", "mypy": "", "nox": "", "py.test": "", "pylint": "",
	"pyright": "", "pytest": "", "ruff": "", "tox": "", "ty": "", "unittest": "",
	// JVM and .NET
	"ant": "", "dotnet": "build test", "gradle": "", "gradlew": "", "javac": "", "kotlinc": "", "ktlint": "", "msbuild": "",
	"mvn": "", "mvnw": "", "sbt": "",
	// Ruby, PHP, Elixir, Haskell, Dart
	"cabal": "build test", "composer": "check lint test", "dart": "analyze test", "flutter": "analyze build test", "ghc": "",
	"hlint": "", "mix": "check compile credo dialyzer precommit test", "phpstan": "", "phpunit": "", "psalm": "",
	"rails": "test", "rake": "", "rspec": "", "rubocop": "", "stack": "build test",
	// Shell, configuration, schemas
	"actionlint": "", "bats": "", "buf": "build lint", "hadolint": "", "markdownlint": "", "shellcheck": "", "sqlfluff": "lint",
	"terraform": "validate", "tflint": "", "yamllint": "",
}

// runners are programs that run the program named after them.
// The shell's own words before a command are among them.
var runners = []string{"sudo", "time", "env", "nice", "nohup", "command", "exec", "stdbuf", "xvfb-run", "timeout", "gtimeout", "xargs",
	"npx", "bunx", "uvx", "pipx", "poetry", "uv", "pdm", "hatch", "rye", "bundle", "python", "python3", "pypy", "dotenv", "run",
	"if", "then", "else", "elif", "while", "until", "do", "!"}

// interludes are programs that say nothing about what a command line is for.
var interludes = []string{"cd", "export", "source", ".", "echo", "set", "pushd", "popd", "mkdir", "sleep", "true", ":"}

// valued are flags before the verb whose value is a word of its own.
var valued = []string{"-C", "--prefix", "--filter", "-F", "--cwd", "--dir", "--manifest-path", "--project"}

// runsChecks tells whether one of the commands runs tests, a build, a linter or a type checker.
// Words count, not text: `echo "go test"` is none.
func runsChecks(commands [][]string) bool {
	return slices.ContainsFunc(commands, func(words []string) bool {
		words = program(words)
		if len(words) == 0 {
			return false
		}
		verbs, known := checkers[path.Base(words[0])]
		return known && (verbs == "" || slices.Contains(strings.Fields(verbs), verb(words[1:])))
	})
}

// verb is a program's first argument that is no flag. Package managers name a script behind `run`
// or `exec`, and a script's name may go on behind a colon: `npm run test:unit`.
func verb(args []string) string {
	for i, w := range args {
		if i > 0 && slices.Contains(valued, args[i-1]) || strings.IndexAny(w, "-+") == 0 || w == "run" || w == "exec" {
			continue
		}
		name, _, _ := strings.Cut(w, ":")
		return name
	}
	return ""
}

// program drops what stands before the program itself: assignments, runners and their arguments.
func program(words []string) []string {
	behind := false // a runner: its flags and figures may follow
	for len(words) > 0 {
		w := words[0]
		name, _, assigned := strings.Cut(w, "=")
		switch {
		case slices.Contains(runners, path.Base(w)) && !(path.Base(w) == "run" && !behind):
			behind = true
		case assigned && name != "" && !strings.ContainsAny(name, "/-"):
		case behind && (w == "-m" || w == "exec"):
		case behind && (strings.HasPrefix(w, "-") || w[0] >= '0' && w[0] <= '9'):
		default:
			return words
		}
		words = words[1:]
	}
	return nil
}

// subject names what a command line is for: the first program that is no interlude, with its first
// argument that is no flag. `go test ./a` and `cd b && go test -v ./...` have the same subject.
func subject(commands [][]string) string {
	for _, words := range commands {
		words = program(words)
		if len(words) == 0 || slices.Contains(interludes, words[0]) {
			continue
		}
		name := path.Base(words[0])
		for _, w := range words[1:] {
			if !strings.HasPrefix(w, "-") {
				return name + " " + w
			}
		}
		return name
	}
	return ""
}

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
	case '&':
		if !strings.HasPrefix(l.line[l.pos:], ">") { // else a redirection, `&>`
			l.endCommand()
		}
	case ';', '|':
		l.endCommand()
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
		if len(l.word) == 0 { // a comment; inside a word # is a letter
			rest, _, _ := strings.Cut(l.line[l.pos:], "\n")
			l.pos += len(rest)
			return
		}
		l.word = append(l.word, c)
	default:
		l.word = append(l.word, c)
	}
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
