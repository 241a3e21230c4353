package outcome

import (
	"slices"
	"strings"

	"hookline/events"
)

// Whether a check failed or passed, by the marks of its tool.

// scripts are programs that run whatever a project has written down: what they print is that of any tool.
var scripts = strings.Fields("npm pnpm yarn bun make gmake just task mise nx turbo tox nox composer rake rails mix bazel buck2 go-task " +
	"manage.py pre-commit gradle gradlew mvn mvnw ant sbt stack cmake ninja ctest meson")

// isScript reports whether a command runs what the project has written down.
func isScript(run events.Run) bool { return slices.Contains(scripts, run.Words[0]) }

// rowsOf returns the rows of the table for a command: that of its program, and all of them for a script and a program that has
// none.
func rowsOf(run events.Run) []*tool {
	own := byProgram()[run.Words[0]]
	if len(own) == 0 || isScript(run) {
		return byProgram()[""]
	}
	return append(slices.Clip(own), &shell)
}

// Kinds of marks of a failing check.
const (
	strongMark = false
	weakMark   = true
)

// marked reports whether the output has a line that a failing check prints: one that only it prints, or a weak one.
func (in reading) marked(c check, weak bool) bool {
	for _, row := range c.rows {
		if row.printed(in.text, weak) {
			return true
		}
	}
	return false
}

// passed reports whether the output shows that a check whose exit status is hidden passed: by a summary, or by printing nothing
// where the tool prints what it finds.
func (in reading) passed(c check) bool {
	if in.silent(c) {
		return true
	}
	if !c.showsFailures() {
		return false
	}

	for _, row := range c.rows {
		if in.summary(c, row) > 0 {
			return true
		}
	}
	return false
}

// summary returns where the last passing summary of a tool ends that proves a check, 0 where there is none.
func (in reading) summary(c check, row *tool) int {
	proves := strings.Contains(row.kinds, c.Check)
	if !proves || row.parts && (in.endless || c.showsBeginning()) {
		return 0
	}

	end := 0
	for _, m := range row.passing {
		m.each(in.text, 0, func(f found) bool {
			end = max(end, f.end)
			return true
		})
	}
	return end
}

// own returns what the output shows of each command of the line by itself. Only a line with several commands needs it.
func (in reading) own() []Own {
	list := slices.Repeat([]Own{{Status: Unknown}}, len(in.runs))
	if len(in.runs) < 2 || !in.failed {
		return list
	}

	for _, c := range in.checks {
		list[c.at] = in.ownOf(c)
	}
	return list
}

// ownOf returns what the output shows of one check by itself. A mark of a failure that may be of another check, too, leaves it
// open whether this one passed.
func (in reading) ownOf(c check) Own {
	passed := 0
	for _, row := range c.rows {
		if !c.printsAs(row) {
			continue
		}
		isAlone := in.isAlone(c, row)
		switch {
		case row.printed(in.text, strongMark) && isAlone:
			return Own{Status: Failed}
		case row.printed(in.text, strongMark):
			passed = -1
		case isAlone && passed >= 0 && c.showsFailures():
			passed = max(passed, in.summary(c, row))
		}
	}
	if passed <= 0 {
		return Own{Status: Unknown}
	}
	return Own{Status: OK, Behind: in.text[min(passed, len(in.text)):]}
}

// printsAs reports whether a check prints what a tool prints of that kind of check.
func (c check) printsAs(row *tool) bool {
	return slices.Contains(c.rows, row) && strings.Contains(row.kinds, c.Check)
}

// isAlone reports whether a check is the only one of the line that prints as a tool does.
func (in reading) isAlone(c check, row *tool) bool {
	return !slices.ContainsFunc(in.checks, func(other check) bool { return other.at != c.at && other.printsAs(row) })
}

// passive are programs that pass on what they are given, or its beginning or its end.
var passive = []string{"head", "tail", "cat", "tee", "less", "more"}

// showsFailures reports whether a pipe lets through what a failing check would print.
func (c check) showsFailures() bool {
	for _, f := range c.filters {
		name := f.Words[0]
		if slices.Contains(passive, name) {
			continue
		}
		pattern := strings.ToLower(strings.Join(f.Words[1:], " "))
		searches := name == "grep" || name == "egrep" || name == "rg"
		if !searches || !strings.Contains(pattern, "fail") && !strings.Contains(pattern, "error") && !strings.Contains(pattern, "result") {
			return false
		}
	}
	return true
}

// showsBeginning reports whether a pipe cuts the end of the output.
func (c check) showsBeginning() bool {
	return slices.ContainsFunc(c.filters, func(f events.Run) bool { return f.Words[0] == "head" })
}

// silent reports whether a check printed nothing, and its tool prints nothing where all is well.
func (in reading) silent(c check) bool {
	if c.Redirected || len(in.checks) > 1 && !c.Hidden {
		return false
	}
	for _, f := range c.filters {
		if !slices.Contains(passive, f.Words[0]) {
			return false
		}
	}

	run := c.Run
	for line := range strings.Lines(in.text) {
		line = strings.TrimSpace(line)
		called, isCall := calledScript(line)
		switch {
		case line == "":
		case isCall && isScript(c.Run):
			if len(called) > 0 {
				run = called[len(called)-1]
			}
		default:
			return false
		}
	}
	return silentWhenFine(run)
}

// calledScript reads a line by which a runner of scripts says what it calls: `> eslint .`, `$ tsc --noEmit`.
func calledScript(line string) ([]events.Run, bool) {
	if !strings.HasPrefix(line, "> ") && !strings.HasPrefix(line, "$ ") {
		return nil, false
	}
	return events.Runs(line[2:]), true
}

// silentWhenFine reports whether a command prints nothing where it finds nothing. The program may stand behind a runner of
// scripts: `pnpm exec tsc`.
func silentWhenFine(run events.Run) bool {
	words := run.Words
	for len(words) > 0 {
		if isSilent(words) {
			return true
		}
		if words[0] != "exec" && words[0] != "run" && !isScript(events.Run{Words: words}) {
			return false
		}
		words = words[1:]
	}
	return false
}

// isSilent reports whether the table says of a program, or of its subcommand, that it prints nothing where it finds nothing.
func isSilent(words []string) bool {
	for _, row := range byProgram()[words[0]] {
		silent := strings.Fields(row.silent)
		if slices.Contains(silent, "*") || len(words) > 1 && slices.Contains(silent, words[1]) {
			return true
		}
	}
	return false
}
