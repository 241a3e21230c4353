package log

import (
	"encoding/json"
	"fmt"
	"net/url"

	"hookline/events"
)

// cloudEventJSON is an event in the JSON format of CloudEvents 1.0. Extension attributes are lower
// case without separators, as the specification demands (§ naming conventions); sequence is its
// "sequence" extension, padded so that text order is log order.
type cloudEventJSON struct {
	SpecVersion     string          `json:"specversion" jsonschema_description:"1.0"`
	ID              string          `json:"id" jsonschema_description:"ULID"`
	Source          string          `json:"source" jsonschema_description:"/hookline/PROJECT/SESSION, - for none"`
	Type            string          `json:"type" jsonschema_description:"as in docs/events.md"`
	Time            string          `json:"time" jsonschema:"format=date-time" jsonschema_description:"of capture"`
	DataContentType string          `json:"datacontenttype" jsonschema_description:"application/json"`
	Sequence        string          `json:"sequence" jsonschema_description:"20 digits: text order is log order"`
	DataVersion     int             `json:"dataversion" jsonschema_description:"of the type's data, from 1"`
	Appended        string          `json:"appended,omitempty" jsonschema:"format=date-time" jsonschema_description:"when the log took it"`
	Session         string          `json:"session,omitempty" jsonschema_description:"whole id"`
	Project         string          `json:"project,omitempty" jsonschema_description:"id"`
	Worktree        string          `json:"worktree,omitempty" jsonschema_description:"work tree that the hook ran in"`
	Branch          string          `json:"branch,omitempty" jsonschema_description:"that was checked out"`
	Phase           string          `json:"phase,omitempty" jsonschema_description:"of the session's life"`
	Hook            string          `json:"hook,omitempty" jsonschema_description:"the client's name"`
	ToolUseID       string          `json:"tooluseid,omitempty" jsonschema_description:"the client's id of the tool call"`
	AgentID         string          `json:"agentid,omitempty" jsonschema_description:"the client's id of the subagent"`
	Correlation     string          `json:"correlation,omitempty" jsonschema_description:"what belongs together: the session"`
	Causation       string          `json:"causation,omitempty" jsonschema_description:"id of the event that led to this one"`
	Redacted        int             `json:"redacted,omitempty" jsonschema_description:"secrets that were replaced in data"`
	Data            json.RawMessage `json:"data" jsonschema_description:"by type"`
}

// cloudEvent is a record, and its line, as a CloudEvent. source and id together are unique, as id alone already is.
func cloudEvent(r events.Record, line []byte) (cloudEventJSON, error) {
	c := cloudEventJSON{
		SpecVersion: "1.0", Source: "/hookline/" + segment(r.Project) + "/" + segment(r.Session), DataContentType: "application/json",
		Sequence: fmt.Sprintf("%020d", r.Seq), DataVersion: r.Version, ToolUseID: r.ToolUseID, AgentID: r.AgentID, Data: json.RawMessage("{}"),
	}
	err := json.Unmarshal(line, &c) // the other attributes have the names of the record
	return c, err
}

// segment is one part of a path; "-" stands for none.
func segment(s string) string {
	if s == "" {
		return "-"
	}
	return url.PathEscape(s)
}
