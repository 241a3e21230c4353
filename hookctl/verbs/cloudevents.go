package verbs

import (
	"encoding/json"
	"fmt"
	"net/url"
	"time"

	"hookline/events"
)

// cloudEventJSON is an event in the JSON format of CloudEvents 1.0. Extension attributes are lower
// case without separators, as the specification demands (§ naming conventions); sequence is its
// "sequence" extension, padded so that text order is log order.
type cloudEventJSON struct {
	SpecVersion     string          `json:"specversion"`
	ID              string          `json:"id"`
	Source          string          `json:"source"`
	Type            string          `json:"type"`
	Time            string          `json:"time"`
	DataContentType string          `json:"datacontenttype"`
	Sequence        string          `json:"sequence"`
	DataVersion     int             `json:"dataversion"`
	Appended        string          `json:"appended,omitempty"`
	Session         string          `json:"session,omitempty"`
	Project         string          `json:"project,omitempty"`
	Worktree        string          `json:"worktree,omitempty"`
	Branch          string          `json:"branch,omitempty"`
	Phase           string          `json:"phase,omitempty"`
	Hook            string          `json:"hook,omitempty"`
	ToolUseID       string          `json:"tooluseid,omitempty"`
	AgentID         string          `json:"agentid,omitempty"`
	Correlation     string          `json:"correlation,omitempty"`
	Causation       string          `json:"causation,omitempty"`
	Redacted        int             `json:"redacted,omitempty"`
	Data            json.RawMessage `json:"data"`
}

// cloudEvent is r as a CloudEvent. source and id together are unique, as id alone already is.
func cloudEvent(r events.Record) cloudEventJSON {
	c := cloudEventJSON{
		SpecVersion: "1.0", ID: r.ID, Source: "/hookline/" + segment(r.Project) + "/" + segment(r.Session), Type: r.Type,
		Time: r.Time.UTC().Format(time.RFC3339Nano), DataContentType: "application/json",
		Sequence: fmt.Sprintf("%020d", r.Seq), DataVersion: r.Version,
		Session: r.Session, Project: r.Project, Worktree: r.Worktree, Branch: r.Branch, Phase: r.Phase, Hook: r.Hook,
		ToolUseID: r.ToolUseID, AgentID: r.AgentID, Correlation: r.Correlation, Causation: r.Causation, Redacted: r.Redacted, Data: r.Data,
	}
	if !r.Appended.IsZero() {
		c.Appended = r.Appended.UTC().Format(time.RFC3339Nano)
	}
	if len(c.Data) == 0 {
		c.Data = json.RawMessage("{}")
	}
	return c
}

// segment is one part of a path; "-" stands for none.
func segment(s string) string {
	if s == "" {
		return "-"
	}
	return url.PathEscape(s)
}
