package config

import (
	"fmt"
	"strings"
)

// Problem is something that is wrong with the configuration, and where.
type Problem struct {
	File    string `json:"file,omitempty"`
	Line    int    `json:"line,omitempty"`   // from 1; 0 when the whole file is meant
	Column  int    `json:"column,omitempty"` // from 1
	Key     string `json:"key,omitempty"`
	Unknown bool   `json:"unknown,omitempty"` // there is no such key
	Message string `json:"message"`
	Hint    string `json:"hint,omitempty"`
}

// Error is "file:line:column: message", with as much of the place as is known.
func (p Problem) Error() string {
	var at strings.Builder
	at.WriteString(p.File)
	for _, n := range []int{p.Line, p.Column} {
		if n > 0 {
			fmt.Fprintf(&at, ":%d", n)
		}
	}
	if at.Len() == 0 {
		return p.Message
	}
	return at.String() + ": " + p.Message
}

// Warning is the problem for somebody who did not ask: where it is, what is wrong, and that work goes on.
func (p Problem) Warning() string {
	w := "configuration: " + p.Error()
	if p.Hint != "" {
		w += " (" + p.Hint + ")"
	}
	return w
}

// unknown is the problem of a key that does not exist.
func unknown(name string) Problem {
	p := Problem{Key: name, Unknown: true, Message: fmt.Sprintf("unknown key %q", name)}
	if near := nearest(name); near != "" {
		p.Hint = "did you mean " + near + "?"
	} else {
		var all []string
		for _, k := range keys {
			all = append(all, k.Name)
		}
		p.Hint = "the keys are " + strings.Join(all, ", ")
	}
	return p
}

// nearest is the key that name was probably meant to be: at most a third of its letters differ.
func nearest(name string) string {
	folded := strings.ToLower(strings.NewReplacer("-", "_", " ", "_").Replace(name))
	best, distance := "", 1<<30
	for _, k := range keys {
		if d := edits(folded, k.Name); d < distance {
			best, distance = k.Name, d
		}
	}
	if distance > max(2, len(best)/3) || len(name) > 64 {
		return ""
	}
	return best
}

// edits is the Levenshtein distance in bytes.
func edits(a, b string) int {
	row := make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i := range len(a) {
		corner := row[0]
		row[0] = i + 1
		for j := range len(b) {
			cost := corner
			if a[i] != b[j] {
				cost++
			}
			corner = row[j+1]
			row[j+1] = min(cost, row[j]+1, row[j+1]+1)
		}
	}
	return row[len(b)]
}
