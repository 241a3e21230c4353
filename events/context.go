package events

import (
	"fmt"
	"strings"
)

// The context window: what goes into it, what the model was told of us, how full it is, and its compaction.

// Wire names of this file.
const (
	TypeContextInjected     = "context.injected"
	TypeAnswerMissed        = "context.answer_missed"
	TypeContextPhaseChanged = "context.phase_changed"
	TypeInstructionsLoaded  = "instructions.loaded"
	TypeCompactionStarted   = "compaction.started"
	TypeCompactionFinished  = "compaction.finished"
)

// ContextInjected records what the model was told at a hook. It is appended after the answer.
type ContextInjected struct {
	Hook   string         `json:"hook" jsonschema_description:"the client's name of the hook that was answered"`
	Items  []InjectedItem `json:"items" jsonschema_description:"what was told, in order"`
	Tokens int            `json:"tokens" jsonschema_description:"estimate for the whole text: bytes / 3.5, rounded up"`
	Left   int            `json:"left,omitempty" jsonschema_description:"number of entries of lists and of whole items that the budget had no room for"`
	Start  string         `json:"start,omitempty" jsonschema_description:"id of the session's start whose answer had come too late, and is told with this hook"`

	LeftOut []LeftOut `json:"left_out,omitempty" jsonschema_description:"what the budget had no room for, in the order in which it would have been told, at most 64 KiB"`
}

// Type implements [Event].
func (*ContextInjected) Type() string { return TypeContextInjected }

var _ = kind[ContextInjected]("", "the model was told something at a hook")

// Summary implements [Summarizer].
func (e *ContextInjected) Summary() string {
	ids := make([]string, 0, len(e.Items))
	for _, it := range e.Items {
		ids = append(ids, it.ID)
	}
	return fmt.Sprintf("%s: %s, %d tokens", e.Hook, strings.Join(ids, ", "), e.Tokens)
}

// InjectedItem is one thing that was told.
type InjectedItem struct {
	ID     string `json:"id" jsonschema_description:"what it is about, as identity.state"`
	Event  string `json:"event" jsonschema_description:"id of the event that it comes from"`
	Tokens int    `json:"tokens" jsonschema_description:"estimate: bytes / 3.5, rounded up"`
	Digest string `json:"digest" jsonschema_description:"of its content: told again in the same context only when it is another"`

	Text   string   `json:"text,omitempty" jsonschema_description:"text as it was told"`
	Events []string `json:"events,omitempty" jsonschema_description:"ids of the events that the other entries of a list come from"`
}

// LeftOut is what of a list, or of items of one kind, was not told.
type LeftOut struct {
	ID      string   `json:"id" jsonschema_description:"item that it belongs to, as working.edited"`
	What    string   `json:"what" jsonschema_description:"kind of the entries, as edited files"`
	Entries []string `json:"entries" jsonschema_description:"texts of the entries, in order"`
}

// AnswerMissed records that the answer to a session's start did not reach the client, which had given up waiting. It is told
// with a later hook of the session.
type AnswerMissed struct {
	Start string `json:"start" jsonschema_description:"id of the start's event"`
}

// Type implements [Event].
func (*AnswerMissed) Type() string { return TypeAnswerMissed }

var _ = kind[AnswerMissed]("", "the answer to a session's start did not reach the client")

// Summary implements [Summarizer].
func (*AnswerMissed) Summary() string { return "it is told with a later hook" }

// ContextPhaseChanged records that the use of the context window came into another phase (S2).
type ContextPhaseChanged struct {
	Phase  string `json:"phase" jsonschema_description:"VERBOSE below 40 % of the window, CONDENSED below 70, SIGNALS below 85, else CRITICAL"`
	From   string `json:"from,omitempty" jsonschema_description:"the phase before"`
	Used   int64  `json:"used" jsonschema_description:"tokens in the context; 0 after a compaction, until the next answer is measured"`
	Window int64  `json:"window" jsonschema_description:"tokens that the window has room for"`
	Model  string `json:"model,omitempty" jsonschema_description:"that answered"`
	Source string `json:"source" jsonschema_description:"transcript, statusline or compaction"`
}

// Type implements [Event].
func (*ContextPhaseChanged) Type() string { return TypeContextPhaseChanged }

var _ = kind[ContextPhaseChanged]("", "the use of the context window came into another phase")

// Summary implements [Summarizer].
func (e *ContextPhaseChanged) Summary() string {
	return fmt.Sprintf("%s, %d of %d tokens", e.Phase, e.Used, e.Window)
}

// InstructionsLoaded records the client's InstructionsLoaded hook: an instruction or memory file went into the context.
type InstructionsLoaded struct {
	Common
	FilePath        string   `json:"file_path,omitempty" jsonschema_description:"the file"`
	MemoryType      string   `json:"memory_type,omitempty" jsonschema_description:"kind of memory, e.g. Project, User"`
	LoadReason      string   `json:"load_reason,omitempty" jsonschema_description:"session_start, nested_traversal, path_glob_match, include or compact"`
	Globs           []string `json:"globs,omitempty" jsonschema_description:"path_glob_match: the patterns"`
	TriggerFilePath string   `json:"trigger_file_path,omitempty" jsonschema_description:"the file whose reading led to it"`
	ParentFilePath  string   `json:"parent_file_path,omitempty" jsonschema_description:"include: the including file"`
}

// Type implements [Event].
func (*InstructionsLoaded) Type() string { return TypeInstructionsLoaded }

var _ = kind[InstructionsLoaded]("InstructionsLoaded", "an instruction or memory file went into the context")

// CompactionStarted records the client's PreCompact hook: the client is about to compact the context.
type CompactionStarted struct {
	Common
	Trigger            string `json:"trigger,omitempty" jsonschema_description:"manual or auto"`
	CustomInstructions string `json:"custom_instructions,omitempty" jsonschema:"nullable" jsonschema_description:"what the user asked the summary to keep"`
}

// Type implements [Event].
func (*CompactionStarted) Type() string { return TypeCompactionStarted }

var _ = kind[CompactionStarted]("PreCompact", "the client is about to compact the context")

// CompactionFinished records the client's PostCompact hook: the context was compacted.
type CompactionFinished struct {
	Common
	Trigger        string `json:"trigger,omitempty" jsonschema_description:"manual or auto"`
	CompactSummary string `json:"compact_summary,omitempty" jsonschema_description:"the raw summary, with its analysis part"`
}

// Type implements [Event].
func (*CompactionFinished) Type() string { return TypeCompactionFinished }

var _ = kind[CompactionFinished]("PostCompact", "the context was compacted")
