package events

import (
	"fmt"
	"strings"
)

// TypeContextInjected is the wire name of [ContextInjected].
const TypeContextInjected = "context.injected"

// ContextInjected records what the model was told at a hook. It is appended after the answer.
type ContextInjected struct {
	Hook   string         `json:"hook" jsonschema_description:"the client's name of the hook that was answered"`
	Items  []InjectedItem `json:"items" jsonschema_description:"what was told, in order"`
	Tokens int            `json:"tokens" jsonschema_description:"estimate for the whole text: bytes / 3.5, rounded up"`
	Left   int            `json:"left,omitempty" jsonschema_description:"items that the budget had no room for"`
}

// InjectedItem is one thing that was told.
type InjectedItem struct {
	ID     string `json:"id" jsonschema_description:"what it is about, as identity.state"`
	Event  string `json:"event" jsonschema_description:"id of the event that it comes from"`
	Tokens int    `json:"tokens" jsonschema_description:"estimate: bytes / 3.5, rounded up"`
	Digest string `json:"digest" jsonschema_description:"of its content: told again in the same context only when it is another"`
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
