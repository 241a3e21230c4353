package outcome

import (
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"
)

// What checks counted.

// counter reads the counts of one kind of line.
type counter struct {
	line  mark
	keyed bool // a number stands behind its word, "Failures: 3", else before it, "3 failed"
}

// words counts what a line says as "3 failed".
func words(line mark) counter { return counter{line: line} }

// keys counts what a line says as "Failures: 3".
func keys(line mark) counter { return counter{line: line, keyed: true} }

// names are the words for what is counted, by the name under which it is told. Of a total the rest is what passed.
var names = map[string]string{
	"passed": "passed", "pass": "passed", "passing": "passed", "succeeded": "passed",
	"failed": "failed", "fail": "failed", "failing": "failed", "failure": "failed", "failures": "failed", "broken": "failed",
	"error": "errors", "errors": "errors",
	"warning": "warnings", "warnings": "warnings",
	"skipped": "skipped", "skip": "skipped", "skips": "skipped", "skipping": "skipped", "excluded": "skipped",
	"ignored": "ignored", "pending": "pending", "todo": "todo", "flaky": "flaky", "xfailed": "xfailed", "xpassed": "xpassed",
	"tests": total, "test": total, "examples": total, "example": total, "runs": total, "run": total, "total": total, "completed": total,
	"doctests": total, "doctest": total, "properties": total, "property": total,
}

// Forms of a number with its word.
var (
	wordForm = regexp.MustCompile(`(\d+) (?:tests? |examples? )?(` + strings.Join(slices.Sorted(maps.Keys(names)), "|") + `)\b`)
	keyForm  = regexp.MustCompile(`((?:expected |unexpected )?[A-Za-z]+)[:=]? *(\d+)`)
)

// total is the name of what the others are parts of.
const total = "total"

// order is the order in which counts are told.
var order = []string{"passed", "failed", "errors", "warnings", "skipped", "ignored", "pending", "todo", "flaky", "xfailed", "xpassed"}

// counts returns the counts of all checks of the line, summed over all their blocks; "" where there are none, and where parts of
// the output are missing whose counts belong to the sum.
func (in reading) counts() string {
	sum := map[string]int{}
	counted := map[int]bool{} // lines, by where they end: several rows may know one
	for _, c := range in.checks {
		for _, row := range c.rows {
			if row.parts && !row.last && (in.cut || c.cutByPipe()) {
				continue
			}
			for name, n := range row.count(in.text, counted) {
				sum[name] += n
			}
		}
	}

	var list []string
	for _, name := range order {
		switch n := sum[name]; {
		case n == 1:
			list = append(list, "1 "+singular(name))
		case n > 1:
			list = append(list, fmt.Sprintf("%d %s", n, name))
		}
	}
	return strings.Join(list, ", ")
}

// cutByPipe reports whether a pipe shows only a part of the output.
func (c check) cutByPipe() bool {
	for _, f := range c.filters {
		if f.Words[0] == "head" || f.Words[0] == "tail" {
			return true
		}
	}
	return false
}

func singular(name string) string {
	if name == "errors" || name == "warnings" {
		return strings.TrimSuffix(name, "s")
	}
	return name
}

// count adds up the counts of one tool in a text. A line that was counted before is left out.
func (t *tool) count(text string, counted map[int]bool) map[string]int {
	sum := map[string]int{}
	for _, c := range t.counts {
		c.line.each(text, 0, func(f found) bool {
			if counted[f.end] {
				return true
			}
			counted[f.end] = true
			if t.last {
				clear(sum)
			}
			c.add(sum, f)
			return true
		})
	}

	rest := sum[total]
	for name, n := range sum {
		if name != total {
			rest -= n
		}
	}
	if _, said := sum["passed"]; !said && rest > 0 {
		sum["passed"] = rest
	}
	delete(sum, total)
	return sum
}

// add adds the counts of a line: those of groups that are named in its form, else each number with a word that is known.
func (c counter) add(sum map[string]int, f found) {
	named := false
	if c.line.form != nil {
		for i, name := range c.line.form().SubexpNames() {
			if name != "" {
				named = true
				sum[name] += readNumber(f.groups[i])
			}
		}
	}
	if named {
		return
	}

	form := wordForm
	number, word := 1, 2
	if c.keyed {
		form = keyForm
		number, word = 2, 1
	}
	for _, m := range form.FindAllStringSubmatch(f.line, -1) {
		name := names[strings.ToLower(m[word])]
		if name != "" {
			sum[name] += readNumber(m[number])
		}
	}
}
