package events

// The codes of a project (S4): what people and agents add to them, and how they end. What is read off the hooks has no
// event of its own.

// Wire names of this file.
const (
	TypeCodesAdded  = "codes.added"
	TypeCodesClosed = "codes.closed"
)

// CodesAdded adds one code by command.
type CodesAdded struct {
	Code string `json:"code" jsonschema_description:"impl:, dec:, block:, next:, done: or test: and what it says; done: also ends a next: or block: that says the same"`
}

// Type implements [Event].
func (*CodesAdded) Type() string { return TypeCodesAdded }

var _ = kind[CodesAdded]("", "a code was added to a project's by command")

// Summary implements [Summarizer].
func (e *CodesAdded) Summary() string { return e.Code }

// CodesClosed ends the codes of a project as they are then; those that come after begin anew.
type CodesClosed struct {
	Status string `json:"status" jsonschema_description:"completed, archived or expired"`
}

// Type implements [Event].
func (*CodesClosed) Type() string { return TypeCodesClosed }

var _ = kind[CodesClosed]("", "the codes of a project ended; those that come after begin anew")

// Summary implements [Summarizer].
func (e *CodesClosed) Summary() string { return e.Status }
