package events

import "strconv"

// The ledger of a project (S3): what was decided, what comes next, what is open.

// Wire names of this file.
const (
	TypeLedgerEntryAdded  = "ledger.entry_added"
	TypeLedgerEntryClosed = "ledger.entry_closed"
	TypeForkDetected      = "fork.detected"
	TypeLedgerSynthesized = "ledger.synthesized"
	TypeLedgerDeltaSynced = "ledger.delta_synced"
	TypeLedgerHealed      = "ledger.healed"
)

// Kinds of entries.
const (
	LedgerDecision = "decision"
	LedgerStep     = "step"
	LedgerQuestion = "question"
	LedgerScenario = "scenario"
	LedgerGhost    = "ghost"
)

// Citation is a place in a file of the project that supports what is said.
type Citation struct {
	Path  string `json:"path" jsonschema_description:"${PROJECT_ROOT}/…"`
	Line  int    `json:"line" jsonschema_description:"from 1"`
	End   int    `json:"end,omitempty" jsonschema_description:"last line of a range"`
	Quote string `json:"quote,omitempty" jsonschema_description:"what stands there, word for word"`
}

// String is the citation as people write it, without the quote.
func (c Citation) String() string {
	text := c.Path + ":" + strconv.Itoa(c.Line)
	if c.End > c.Line {
		text += "-" + strconv.Itoa(c.End)
	}
	return text
}

// LedgerEntryAdded is a new entry of a project's ledger.
type LedgerEntryAdded struct {
	Kind      string     `json:"kind" jsonschema_description:"decision, step, question, scenario or ghost; ghost: a feature that is written of and that no search finds"`
	Text      string     `json:"text" jsonschema_description:"the decision, the step, the question, the name of the scenario or feature"`
	Subject   string     `json:"subject,omitempty" jsonschema_description:"what a decision is about"`
	Rationale string     `json:"rationale,omitempty" jsonschema_description:"why it was decided so"`
	Evidence  []Citation `json:"evidence,omitempty" jsonschema_description:"what supports a decision"`
	Case      string     `json:"case,omitempty" jsonschema_description:"of a scenario: happy_path, edge_case or error_handling; of a ghost: confirmed_ghost or high_ambiguity"`
	Expected  string     `json:"expected,omitempty" jsonschema_description:"of a scenario: the outcome"`
	By        string     `json:"by" jsonschema_description:"agent, person or user; agent and person by command or in a file, user: answered in the client"`
	Source    string     `json:"source,omitempty" jsonschema_description:"file that it was imported from, or hook that it was heard at"`
	Replaces  string     `json:"replaces,omitempty" jsonschema_description:"id of the entry that this one takes the place of"`
}

// Type implements [Event].
func (*LedgerEntryAdded) Type() string { return TypeLedgerEntryAdded }

var _ = kind[LedgerEntryAdded]("", "a decision, step, question or scenario went into a project's ledger")

// Summary implements [Summarizer].
func (e *LedgerEntryAdded) Summary() string { return e.Kind + ": " + e.Text }

// LedgerEntryClosed ends an entry: a step was done, a question answered, a decision taken back.
type LedgerEntryClosed struct {
	Entry  string `json:"entry" jsonschema_description:"id of the event that added it"`
	Reason string `json:"reason,omitempty" jsonschema_description:"why, or the answer"`
}

// Type implements [Event].
func (*LedgerEntryClosed) Type() string { return TypeLedgerEntryClosed }

var _ = kind[LedgerEntryClosed]("", "an entry of a ledger is done, answered or taken back")

// Summary implements [Summarizer].
func (e *LedgerEntryClosed) Summary() string { return e.Reason }

// ForkDetected says that something was decided otherwise than the ledger has it. The ledger wins.
type ForkDetected struct {
	Entry      string `json:"entry" jsonschema_description:"id of the entry that holds"`
	Ledger     string `json:"ledger_decision" jsonschema_description:"what the ledger has"`
	Context    string `json:"context_decision" jsonschema_description:"what was said instead; it is in no ledger"`
	By         string `json:"by" jsonschema_description:"agent or person"`
	Resolution string `json:"resolution" jsonschema_description:"ledger_wins"`
}

// Type implements [Event].
func (*ForkDetected) Type() string { return TypeForkDetected }

var _ = kind[ForkDetected]("", "something was decided otherwise than the ledger has it; the ledger holds")

// Summary implements [Summarizer].
func (e *ForkDetected) Summary() string { return e.Context + ", but " + e.Ledger }

// LedgerSynthesized is the checkpoint of a ledger before the context is cleared, and the handoff to the next session.
type LedgerSynthesized struct {
	Level    string          `json:"level" jsonschema_description:"strict, warn or disabled"`
	Passed   bool            `json:"passed" jsonschema_description:"false only at level strict: the context should not be cleared"`
	Ratio    float64         `json:"grounding_ratio" jsonschema_description:"of the ledger's decisions"`
	Claims   int             `json:"claims" jsonschema_description:"how many those are"`
	Steps    []SynthesisStep `json:"steps" jsonschema_description:"seven, in order"`
	NotesRef string          `json:"notes_ref,omitempty" jsonschema_description:"file and lines of the rendered view"`
}

// SynthesisStep is one step of a synthesis.
type SynthesisStep struct {
	Name    string `json:"name" jsonschema_description:"what was looked at"`
	Status  string `json:"status" jsonschema_description:"pass, warn, fail or skip"`
	Message string `json:"message" jsonschema_description:"in words"`
}

// Type implements [Event].
func (*LedgerSynthesized) Type() string { return TypeLedgerSynthesized }

var _ = kind[LedgerSynthesized]("", "a ledger was checked before the context is cleared, and handed over")

// Summary implements [Summarizer].
func (e *LedgerSynthesized) Summary() string {
	if e.Passed {
		return e.Level + ", passed"
	}
	return e.Level + ", failed"
}

// LedgerDeltaSynced marks that a session's context has grown by the attention budget's first threshold.
type LedgerDeltaSynced struct {
	Tokens    int `json:"tokens" jsonschema_description:"of the context's tool calls and prompts, bytes / 4"`
	Decisions int `json:"decisions_persisted" jsonschema_description:"open decisions of the ledger"`
}

// Type implements [Event].
func (*LedgerDeltaSynced) Type() string { return TypeLedgerDeltaSynced }

var _ = kind[LedgerDeltaSynced]("", "a context grew by the attention budget's first threshold")

// Summary implements [Summarizer].
func (e *LedgerDeltaSynced) Summary() string { return strconv.Itoa(e.Tokens) + " tokens" }

// LedgerHealed says that a view of the ledger was damaged and is there again.
type LedgerHealed struct {
	File    string `json:"file" jsonschema_description:"below the top of the work tree"`
	From    string `json:"from" jsonschema_description:"log, git or template"`
	Problem string `json:"problem" jsonschema_description:"what was wrong"`
}

// Type implements [Event].
func (*LedgerHealed) Type() string { return TypeLedgerHealed }

var _ = kind[LedgerHealed]("", "a view of a ledger was damaged and is there again")

// Summary implements [Summarizer].
func (e *LedgerHealed) Summary() string { return e.File + " from " + e.From }
