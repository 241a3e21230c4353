// Package proof folds how many prompts a session had; it proves that a projection takes its folder and the table.
package proof

import "hookline/events"

// Name and Version of the projection's cells.
const (
	Name    = "proof"
	Version = 1
)

// State is the count of one session.
type State struct {
	Prompts int `json:"prompts" jsonschema_description:"how many there were"`
}

// Key gives the cell that a record folds into, "" for none.
func Key(r events.Record) string {
	switch r.Event.(type) {
	case *events.PromptSubmitted:
		return r.Session
	}
	return ""
}

// Fold counts one record.
func Fold(s State, _ events.Record) State {
	s.Prompts++
	return s
}
