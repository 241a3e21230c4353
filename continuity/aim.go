package main

import (
	"slices"
	"strings"
)

// aim is what a command line runs, and on what.
type aim struct {
	program string
	on      []string
	limited bool // to a part, by an option
}

// around are commands that stand beside what is run.
var around = strings.Fields("source . export set echo cd sleep true printf mkdir head tail grep tee cat wc")

// launchers run the program behind them.
var launchers = strings.Fields("npx bunx pnpx uvx run exec dlx x -m")

// twoWords are programs whose first word says what they do.
var twoWords = strings.Fields(`go cargo npm pnpm yarn bun make just task dotnet git gh docker mix flutter dart swift bundle uv poetry gradle ./gradlew mvn ./mvnw
	turbo nx terraform kubectl rake composer deno mise`)

// limits are options that choose some of the tests.
var limits = strings.Fields("-run --run -k -t --grep -g --filter -m --testNamePattern --only -p --package")

// aimOf returns the aim of a line: of its last check, else of its last command that stands beside nothing else.
func aimOf(line string) aim {
	var chosen simple
	for _, c := range simples(line, "/") {
		beside := len(c.words) == 0 || slices.Contains(around, c.words[0])
		if isCheck(c) || !beside && !isCheck(chosen) {
			chosen = c
		}
	}
	words := chosen.words
	for len(words) > 2 && (words[0] == "python" || words[0] == "python3") && words[1] == "-m" {
		words = words[2:]
	}
	for len(words) > 1 && slices.Contains(launchers, words[0]) {
		words = words[1:]
	}
	if len(words) == 0 {
		return aim{}
	}

	a := aim{program: words[0]}
	args, _ := operands(words[1:])
	for len(args) > 0 && slices.Contains(twoWords, words[0]) && slices.Contains(launchers, args[0]) {
		args = args[1:]
	}
	switch {
	case len(args) > 0 && (words[0] == "uv" || words[0] == "poetry" || words[0] == "bundle"):
		a.program = args[0]
		args = args[1:]
	case len(args) > 0 && slices.Contains(twoWords, words[0]):
		a.program += " " + args[0]
		args = args[1:]
	}
	a.on = slices.DeleteFunc(slices.Clone(args), func(w string) bool { return strings.HasPrefix(w, "-") })
	a.limited = slices.ContainsFunc(words, func(w string) bool {
		name, _, _ := strings.Cut(w, "=")
		return slices.Contains(limits, name)
	})
	return a
}

// all reports whether an aim is everything that there is.
func (a aim) all() bool {
	return !slices.ContainsFunc(a.on, func(on string) bool { return on != "." && on != "./..." && on != "./" })
}

// covers reports whether what another aim is on is a part of this one.
func (a aim) covers(other aim) bool {
	if a.program != other.program || a.program == "" {
		return false
	}
	if a.all() {
		return true
	}
	return len(other.on) > 0 && !slices.ContainsFunc(other.on, func(on string) bool {
		return !slices.ContainsFunc(a.on, func(mine string) bool {
			folder := strings.TrimSuffix(strings.TrimSuffix(mine, "..."), "/")
			return on == mine || strings.HasPrefix(on, folder+"/") || strings.HasPrefix(on, folder+"::")
		})
	})
}
