package find

import (
	"cmp"
	"slices"
	"strings"

	"hookline/events"
	"hookline/events/copies"
	"hookline/events/outcome"
)

// maxSteps is the number of calls that [After] keeps.
const maxSteps = 6

// After tells what followed a failed call in its session. If the same call never succeeded, it tells what ran next.
type After struct {
	Again uint64          // sequence of the next event with the same error; 0 when it did not come back
	Fixed uint64          // sequence of the first success of the failed call; 0 without one
	Steps []events.Record // the last calls in between, at most 6, with the one that succeeded last

	target string
	same   []Term
}

// NewAfter returns an After for one failed call. Another error is the same one if it has all terms of same.
func NewAfter(failed events.Record, same []Term) *After {
	return &After{same: same, target: targetOf(failed)}
}

// Take adds the next event of the session. It returns true when later events cannot change anything.
func (a *After) Take(r events.Record) (done bool) {
	d, ok := DocOf(r)
	if !ok {
		return false
	}
	if d.Text[Error] != "" && MatchAll(a.same, d) {
		a.Again = r.Seq
		a.Steps = nil
		return true
	}
	if a.Fixed != 0 {
		return false // only the error may still come back
	}

	switch e := r.Event.(type) {
	case *events.ToolFailed:
		a.Steps = copies.Push(a.Steps, r, maxSteps)
	case *events.ToolSucceeded:
		if slices.Contains(readingTools, e.ToolName) {
			return false
		}
		a.Steps = copies.Push(a.Steps, r, maxSteps)
		if a.target != "" && targetOf(r) == a.target && !checkFailed(e) {
			a.Fixed = r.Seq
		}
	}
	return false
}

// checkFailed reports whether a command that the client calls a success is a check that did not pass, or of which nobody can
// say it.
func checkFailed(e *events.ToolSucceeded) bool {
	if e.ToolName != "Bash" {
		return false
	}
	call := events.CallOf(e.ToolName, e.ToolInput)
	return call.Check() != "" && outcome.OfSucceeded(call, e.ToolResponse).Status != outcome.OK
}

// readingTools lists tools that change nothing.
var readingTools = []string{"Read", "Grep", "Glob", "LS", "TodoWrite", "WebFetch", "WebSearch"}

// targetOf returns the tool of a call and its object, by which a later call of the same is recognised: the file, or the
// first two words of a command. It is "" for an event that is not a call.
func targetOf(r events.Record) string {
	tool := events.MemberText(r.Data, "tool_name")
	input := events.InputOf(events.Member(r.Data, "tool_input"))

	words := strings.Fields(input.Command.Head())
	object := strings.Join(words[:min(2, len(words))], " ")
	for _, content := range []events.Content{input.FilePath, input.NotebookPath, input.Path, input.URL} {
		object = cmp.Or(object, content.Head())
	}
	return strings.TrimSpace(tool + " " + object)
}
