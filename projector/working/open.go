package working

import (
	"cmp"
	"regexp"
	"strings"
	"time"

	"hookline/events"
	"hookline/events/copies"
	"hookline/events/wording"
)

// What is open: calls that failed and whose target has not succeeded since.

// notRun is the client's error for a call that it did not start: one beside it failed, or the client has a rule against the command.
var notRun = regexp.MustCompile(`^(<tool_use_error>)?(Sibling tool call errored|Cancelled: parallel tool call|Blocked: )`)

// framing is what the client puts around an error.
var framing = regexp.MustCompile(`</?tool_use_error>|^Exit code (\d+)`)

// telling matches a line that names an error.
var telling = regexp.MustCompile(`(?i)error|fail|panic`)

// failed takes in a call that failed; one that the user interrupted, or that the client gave up, says nothing of its
// target.
func (s *State) failed(r events.Record, e *events.ToolFailed) {
	if e.IsInterrupt || notRun.MatchString(e.Error) {
		return
	}

	// The most telling line is the first that names an error, else the first.
	text := framing.ReplaceAllString(wording.Clip(e.Error, maxOutput), "")
	said := cmp.Or(Line(text), Line(e.Error))
	for line := range strings.Lines(text) {
		if telling.MatchString(line) {
			said = Line(line)
			break
		}
	}

	call := events.CallOf(e.ToolName, e.ToolInput)
	f := Failure{Target: target(call), Tool: wording.Short(e.ToolName, maxLine), Text: said, Event: r.ID, Time: r.Time, Times: 1}
	for _, before := range s.Open {
		if before.Target == f.Target {
			f.Times = before.Times + 1
		}
	}
	open, _ := copies.Take(s.Open, func(o Failure) bool { return o.Target == f.Target })
	s.Open = copies.Push(open, f, maxOpen)
	s.closeFailures(r, f.Target)
	if e.ToolName == "Bash" {
		s.ran(r, e.Cwd, call, false, e.Error)
	}
}

// Failure is a call that failed and whose target has not succeeded since.
type Failure struct {
	Target string    `json:"target" jsonschema_description:"the file, the program of a command, or the tool"`
	Tool   string    `json:"tool" jsonschema_description:"name"`
	Text   string    `json:"text" jsonschema_description:"the error's most telling line, shortened"`
	Event  string    `json:"event" jsonschema_description:"id of the newest failure"`
	Time   time.Time `json:"time" jsonschema_description:"of the newest failure"`
	Times  int       `json:"times" jsonschema_description:"failures in a row"`
}
