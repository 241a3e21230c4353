package find

import (
	"cmp"
	"slices"
	"strings"

	"hookline/events"
	"hookline/events/copies"
)

const mostSteps = 6

// After is what came after a failed call in its session. A session that went on without a success of the same call has
// what was run next.
type After struct {
	Again uint64          // sequence of the next event with the same error; 0 when it did not come back
	Fixed uint64          // sequence of the success of what had failed, where there is one
	Steps []events.Record // calls that ran in between, the one that succeeded last; at most [mostSteps], the last ones

	target string
	same   []Term
}

// NewAfter is for one failed call; another error is the same one when it has these terms.
func NewAfter(failed events.Record, same []Term) *After {
	return &After{same: same, target: targetOf(failed)}
}

// Take adds the next event of the session; done says that nothing more can change.
func (a *After) Take(r events.Record) (done bool) {
	d, ok := Of(r)
	if !ok {
		return false
	}
	if d.Text[Error] != "" && Hold(a.same, d) {
		a.Again = r.Seq
		a.Steps = nil
		return true
	}
	e, succeeded := r.Event.(*events.ToolSucceeded)
	_, failed := r.Event.(*events.ToolFailed)
	if a.Fixed != 0 || !failed && (!succeeded || slices.Contains(looking, e.ToolName)) {
		return false
	}
	a.Steps = copies.Push(a.Steps, r, mostSteps)
	if succeeded && a.target != "" && targetOf(r) == a.target {
		a.Fixed = r.Seq
	}
	return false
}

// looking are the tools that change nothing.
var looking = []string{"Read", "Grep", "Glob", "LS", "TodoWrite", "WebFetch", "WebSearch"}

// targetOf is what a call is about, so that a later call of the same is recognised: the file, or of a command its first
// two words. It is "" for what is no call.
func targetOf(r events.Record) string {
	tool, input := events.MemberText(r.Data, "tool_name"), events.Member(r.Data, "tool_input")
	words := strings.Fields(said(events.Member(input, "command")))
	of := strings.Join(words[:min(2, len(words))], " ")
	for _, name := range []string{"file_path", "notebook_path", "path", "url"} {
		of = cmp.Or(of, said(events.Member(input, name)))
	}
	return strings.TrimSpace(tool + " " + of)
}
