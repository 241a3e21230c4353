package identity

import (
	"path"
	"slices"
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
