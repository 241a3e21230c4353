package events

import (
	"cmp"
	"path"
	"regexp"
	"slices"
	"strings"
)

// What a shell's command line is for, as all folds read it.

// Run is one command of a shell's command line.
type Run struct {
	Words []string // the program's name and its arguments, without options and their values
	Check string   // what it checks: test, build or lint; "" for nothing
	Path  string   // the program as the line names it, with its folder
	Lead  []string // what stands before the program: runners with their options, variables
	Args  []string // all that stands behind it, options too

	Hidden     bool   // the line may exit with 0 although this command failed: a pipe without pipefail, `;`, `||`, `&`
	Piped      bool   // what it prints goes into the next command
	Redirected bool   // what it prints, or its errors, goes into a file
	Status     string // text by which an echo prints its exit status, with $? in its place: `exit: $?`
}

// byWord is a table from each of some words to what it is listed under.
func byWord(lists map[string]string) map[string]string {
	table := map[string]string{}
	for kind, words := range lists {
		for _, w := range strings.Fields(words) {
			table[w] = kind
		}
	}
	return table
}

// checkers are the programs that check, by what they check; of those under "verb" the first argument says it.
var checkers = byWord(map[string]string{
	"test": "ava bats coverage ctest cypress gotestsum jest mocha nox phpunit playwright py.test pytest rspec tox unittest vitest",
	"lint": "actionlint bandit biome clang-tidy cppcheck eslint flake8 golangci-lint hadolint hlint ktlint markdownlint mypy oxlint phpstan pre-commit psalm " +
		"pylint pyright rubocop ruff shellcheck sqlfluff staticcheck stylelint swiftlint tflint ty vue-tsc yamllint",
	"build": "ant c++ cc clang clang++ cmake esbuild g++ gcc ghc gradle gradlew javac kotlinc msbuild mvn mvnw ninja rollup rustc sbt tsc webpack xcodebuild",
	"verb": "bazel buck2 buf bun cabal cargo composer dart deno dotnet flutter gmake go just make manage.py meson mise mix next npm nx pnpm rails rake " +
		"stack swift task terraform turbo vite yarn zig",
})

// verbs are what such an argument says.
var verbs = byWord(map[string]string{
	"test":  "bench nextest precommit t test tests verify",
	"lint":  "analyze clippy credo dialyzer lint typecheck validate vet",
	"build": "all assemble b build c check compile package",
})

// runners are programs that run the program named after them; the shell's own words before a command are among them.
var runners = strings.Fields("sudo time env nice nohup exec stdbuf xvfb-run timeout gtimeout xargs npx bunx uvx pipx poetry uv pdm hatch rye bundle " +
	"python python3 pypy dotenv if then else elif while until do !")

// interludes are programs that say nothing about what a command line is for.
var interludes = strings.Fields("cd export source . echo set pushd popd mkdir sleep true : fi done esac")

// valued are options whose value is the next word.
var valued = strings.Fields("-C --prefix --filter -F --cwd --dir --manifest-path --project")

// assignment and ofRunner match what stands before a program: a variable, and after a runner an option or a number.
var (
	assignment = regexp.MustCompile(`^\w+=`)
	ofRunner   = regexp.MustCompile(`^(run$|exec$|-|\d)`)
)

// maxCommand is how many bytes of a command line are read; what it is for stands at its beginning.
const maxCommand = 8 << 10

// Runs returns the commands of a shell's command line that say what it is for, without the runners before them.
func Runs(line string) []Run {
	pieces := simpleCommands(line[:min(len(line), maxCommand)])
	judgeStatus(pieces)

	var list []Run
	for _, p := range pieces {
		words := withoutRunners(p.words)
		if len(words) == 0 || slices.Contains(interludes, words[0]) {
			continue
		}

		run := Run{
			Words:      []string{path.Base(words[0])},
			Path:       words[0],
			Lead:       p.words[:len(p.words)-len(words)],
			Args:       words[1:],
			Hidden:     p.hidden,
			Piped:      p.op == "|",
			Redirected: p.redirected,
			Status:     p.status,
		}
		for i, w := range words[1:] {
			if strings.IndexAny(w, "-+") != 0 && !slices.Contains(valued, words[i]) {
				run.Words = append(run.Words, w)
			}
		}
		run.Check = checkOf(run.Words)
		list = append(list, run)
	}
	return list
}

// withoutRunners returns the words of a command without the variables, the runners and their options before the program.
func withoutRunners(words []string) []string {
	ran := false
	for len(words) > 0 {
		runner := slices.Contains(runners, path.Base(words[0]))
		ofRunner := ran && ofRunner.MatchString(words[0])
		if !runner && !ofRunner && !assignment.MatchString(words[0]) {
			break
		}
		ran = ran || runner
		words = words[1:]
	}
	return words
}

// checkOf returns what a command checks. Package managers name a script behind `run` or `exec`, and its name may go on after
// a colon: `npm run test:unit`. Where a package manager runs a program, that says it.
func checkOf(words []string) string {
	kind := checkers[words[0]]
	if kind != "build" && kind != "verb" {
		return kind
	}

	verb := "all"
	for _, w := range words[1:] {
		if w != "run" && w != "exec" && w != "clean" {
			verb, _, _ = strings.Cut(w, ":")
			break
		}
	}
	if kind == "verb" {
		named := checkers[verb] // a program that is run by its name: pnpm exec tsc
		if named == "verb" {
			named = ""
		}
		return cmp.Or(verbs[verb], named)
	}
	return cmp.Or(verbs[verb], kind)
}

// piece is a simple command of a line, or only an operator: then it has no words.
type piece struct {
	words      []string
	op         string // the operator that ends it: ; & && | || ( ) { } $( $) a newline, "" at the line's end
	redirected bool   // its output, or its errors, goes into a file
	errexit    bool   // the line ends where it fails: set -e
	pipefail   bool   // a pipe fails with each of its commands: set -o pipefail

	hidden bool   // as in [Run]
	status string // as in [Run]
}

// simpleCommands splits a command line into its simple commands and these into words. It reads quotes, backslashes, comments,
// the operators between commands, redirections and here-documents, whose bodies are no commands; what stands in parentheses, a
// substitution too, counts as commands of its own.
func simpleCommands(line string) (pieces []piece) {
	var p piece
	var word []byte
	var quote byte
	var groups []string // operators that opened the groups around
	endWord := func() {
		if len(word) > 0 {
			p.words = append(p.words, string(word))
		}
		word = nil
	}
	endCommand := func(op string) {
		substitutes := op == "(" && len(word) > 0 && word[len(word)-1] == '$'
		endWord()
		switch {
		case substitutes:
			op = "$("
		case op == ")" && len(groups) > 0 && groups[len(groups)-1] == "$(":
			op = "$)"
		}
		switch op {
		case "(", "$(":
			groups = append(groups, op)
		case ")", "$)":
			groups = groups[:max(0, len(groups)-1)]
		}

		p.op = op
		pieces = append(pieces, p)
		p = piece{}
	}

	for i := 0; i < len(line); i++ {
		c := line[i]
		switch {
		case c == '\\' && quote != '\'' && i+1 < len(line):
			i++
			if line[i] != '\n' {
				word = append(word, line[i])
			}
		case c == quote:
			quote = 0
		case quote == 0 && (c == '\'' || c == '"'):
			quote = c
		case quote != 0:
			word = append(word, c)
		case c == ' ' || c == '\t' || c == '\r':
			endWord()
		case c == '<' || c == '>' || c == '&' && strings.HasPrefix(line[i+1:], ">"):
			if strings.Trim(string(word), "0123456789") == "" { // a file descriptor's number
				word = nil
			}
			endWord()
			p.redirected = p.redirected || toFile.MatchString(line[i:])
			line = line[:i] + withoutRedirection(line[i:])
			i--
		case strings.IndexByte(";&|()\n", c) >= 0, c == '{' && len(word) == 0, c == '}' && len(word) == 0:
			op := operator(line[i:])
			endCommand(op)
			i += len(op) - 1
		case c == '#' && len(word) == 0:
			comment, _, _ := strings.Cut(line[i:], "\n")
			i += len(comment) - 1
		default:
			word = append(word, c)
		}
	}
	endCommand("")
	return pieces
}

// operator returns the operator that a text begins with.
func operator(text string) string {
	for _, double := range []string{"&&", "||"} {
		if strings.HasPrefix(text, double) {
			return double
		}
	}
	return text[:1]
}

// toFile matches the redirection of an output into a file, also into nowhere; not that into another descriptor.
var toFile = regexp.MustCompile(`^(&>|>\||>>?)[ \t]*[^&\s>]`)

// redirection matches an operator with its target; of a here-document the delimiter is taken.
var redirection = regexp.MustCompile(`^(?:<<-?[ \t]*['"\\]?(\w+)['"]?|[<>&|-]+[ \t]*[^\s;|&()]*)`)

// withoutRedirection is a text without the redirection that it begins with, and without the body of a here-document.
func withoutRedirection(text string) string {
	m := redirection.FindStringSubmatch(text)
	rest := text[len(m[0]):]
	if m[1] == "" {
		return rest
	}
	line, body, _ := strings.Cut(rest, "\n")
	_, after, _ := strings.Cut("\n"+body+"\n", "\n"+m[1]+"\n")
	return line + "\n" + after
}

// folderChange is the change to another folder before what a command line runs there.
var folderChange = regexp.MustCompile(`^cd ("[^"]*"|\S+) *(&&|;|\n)\s*`)

// WithoutFolder is a command line without the change to another folder at its beginning, unless nothing else is in it.
func WithoutFolder(line string) string {
	at := folderChange.FindStringIndex(line)
	if at == nil || at[1] == len(line) {
		return line
	}
	return line[at[1]:]
}
