package find

import (
	"encoding/json"
	"strings"

	"hookline/events"
)

// Aftermath is what came after an error in its session.
type Aftermath struct {
	Again uint64          // sequence of the next event with the same error; 0 when it did not come back
	Fixed uint64          // sequence of the success of what had failed, where there is one
	Steps []events.Record // calls that ran in between, the one that succeeded last; at most [mostSteps], the last ones
}

const mostSteps = 6

// After reads what came after a failed call, from the events of its session in order; done says that nothing more can
// change. same tells whether another error is the same one.
type After struct {
	target string
	same   func(Doc) bool
	out    Aftermath
}

// NewAfter is for one failed call.
func NewAfter(failed events.Record, same func(Doc) bool) *After {
	a := &After{same: same}
	switch e := failed.Event.(type) {
	case *events.ToolFailed:
		a.target = targetOf(e.ToolName, e.ToolInput)
	case *events.ToolSucceeded:
		a.target = targetOf(e.ToolName, e.ToolInput)
	}
	return a
}

// Take adds the next event.
func (a *After) Take(r events.Record) (done bool) {
	d, ok := Of(r)
	if !ok {
		return false
	}
	if d.Text[Error] != "" && a.same(d) {
		a.out.Again = r.Seq
		a.out.Steps = nil
		return true
	}
	e, succeeded := r.Event.(*events.ToolSucceeded)
	_, failed := r.Event.(*events.ToolFailed)
	if a.out.Fixed != 0 || !failed && (!succeeded || looks(e.ToolName)) {
		return false
	}
	a.out.Steps = append(a.out.Steps, r)
	if n := len(a.out.Steps); n > mostSteps {
		a.out.Steps = a.out.Steps[n-mostSteps:]
	}
	if succeeded && a.target != "" && targetOf(e.ToolName, e.ToolInput) == a.target {
		a.out.Fixed = r.Seq
	}
	return false
}

// Result is what has been seen. A session that went on without a success of the same call tells what was run next.
func (a *After) Result() Aftermath { return a.out }

// looks tells the tools that change nothing.
func looks(tool string) bool {
	switch tool {
	case "Read", "Grep", "Glob", "LS", "TodoWrite", "WebFetch", "WebSearch":
		return true
	}
	return false
}

// targetOf is what a call is about, so that a later call of the same can be told: the file, or of a command its first
// two words.
func targetOf(tool string, input json.RawMessage) string {
	if command := said(events.Member(input, "command")); command != "" {
		words := strings.Fields(command)
		return tool + " " + strings.Join(words[:min(2, len(words))], " ")
	}
	for _, name := range []string{"file_path", "notebook_path", "path", "url"} {
		if s := said(events.Member(input, name)); s != "" {
			return tool + " " + s
		}
	}
	return tool
}
