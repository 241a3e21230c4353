package insight

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"
)

// Sum is what two sessions are compared by.
type Sum struct {
	ID       string          `json:"id" jsonschema_description:"whole id"`
	Goal     string          `json:"goal,omitempty" jsonschema_description:"of the session"`
	Ended    string          `json:"ended" jsonschema_description:"how it stands, or why it ended"`
	Took     time.Duration   `json:"took_ns" jsonschema_description:"from its first hook to its newest, nanoseconds"`
	Prompts  int             `json:"prompts" jsonschema_description:"count"`
	Calls    map[string]int  `json:"calls" jsonschema_description:"by tool"`
	Failed   int             `json:"failed" jsonschema_description:"calls that failed"`
	Verdicts map[Verdict]int `json:"verdicts" jsonschema_description:"of its calls"`
	Files    []string        `json:"files" jsonschema_description:"that it changed"`
	Commands []string        `json:"commands" jsonschema_description:"distinct ones"`
	Tokens   int64           `json:"tokens" jsonschema_description:"of its transcript, all kinds"`
	Output   int64           `json:"output" jsonschema_description:"tokens that the model wrote"`
	PicoUSD  int64           `json:"pico_usd" jsonschema_description:"price in 10^-12 US dollars, of what has one"`
}

// Difference is one line of a comparison.
type Difference struct {
	What string `json:"what" jsonschema_description:"what is compared"`
	A    string `json:"a" jsonschema_description:"of the first session"`
	B    string `json:"b" jsonschema_description:"of the second one"`
	Same bool   `json:"same,omitempty" jsonschema_description:"there is no difference"`
}

// Diff compares two sessions, line by line. Of lists it says what only one of them has.
func Diff(a, b Sum) []Difference {
	var out []Difference
	add := func(what, x, y string) {
		if x != "" || y != "" {
			out = append(out, Difference{What: what, A: x, B: y, Same: x == y})
		}
	}
	number := func(what string, x, y any) {
		if one, other := fmt.Sprint(x), fmt.Sprint(y); one != "0" || other != "0" {
			add(what, one, other)
		}
	}
	lists := func(what string, x, y []string) {
		add("only "+what, strings.Join(without(x, y), ", "), strings.Join(without(y, x), ", "))
		number("common "+what, len(x)-len(without(x, y)), len(y)-len(without(y, x)))
	}

	add("goal", a.Goal, b.Goal)
	add("ended", a.Ended, b.Ended)
	add("took", a.Took.Round(time.Second).String(), b.Took.Round(time.Second).String())
	number("prompts", a.Prompts, b.Prompts)
	tools := slices.AppendSeq(slices.Collect(maps.Keys(a.Calls)), maps.Keys(b.Calls))
	slices.Sort(tools)
	for _, tool := range slices.Compact(tools) {
		number("calls of "+tool, a.Calls[tool], b.Calls[tool])
	}
	number("failed calls", a.Failed, b.Failed)
	for _, v := range Verdicts {
		number(v.Words(), a.Verdicts[v], b.Verdicts[v])
	}
	lists("files", a.Files, b.Files)
	lists("commands", a.Commands, b.Commands)
	number("tokens", a.Tokens, b.Tokens)
	number("tokens written", a.Output, b.Output)
	if a.PicoUSD != 0 || b.PicoUSD != 0 {
		add("dollars", fmt.Sprintf("%.2f", float64(a.PicoUSD)/1e12), fmt.Sprintf("%.2f", float64(b.PicoUSD)/1e12))
	}
	return out
}

// without are the texts of one list that another does not have, sorted.
func without(list, other []string) []string {
	out := slices.DeleteFunc(slices.Clone(list), func(s string) bool { return slices.Contains(other, s) })
	slices.Sort(out)
	return out
}
