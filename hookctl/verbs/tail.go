package verbs

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/url"
	"time"

	"hookline/events"
	"hookline/hookctl/api"
	"hookline/hookctl/problem"
	"hookline/hookctl/verbs/env"
	"hookline/hookctl/verbs/query"
	"hookline/hookctl/verbs/show"
	"hookline/replay/past"
)

type tailVerb struct {
	filter
	Follow bool `flag:"follow,f" help:"go on with the events to come"`
}

func (f *tailVerb) Run(ctx context.Context, e *env.Env, args []string) error {
	f.follow = f.Follow
	return f.filter.Run(ctx, e, args)
}

// Run prints the events: it is the verb `events list`, and what tail does.
func (f *filter) Run(ctx context.Context, e *env.Env, _ []string) error {
	if err := f.check(e); err != nil {
		return err
	}
	if f.Last == 0 && !f.follow {
		return nil
	}

	p := &printer{Env: e, output: f.Output}
	if f.follow {
		t := &follower{printer: p, filter: *f}
		return t.run(ctx)
	}
	if err := f.named(ctx, e); err != nil {
		return err
	}
	return api.Events.Lines(ctx, e, f.query(), p.take)
}

// named finds the session that "last" stands for; other names are the daemon's to find.
func (f *filter) named(ctx context.Context, e *env.Env) error {
	if f.Session != query.LastSession {
		return nil
	}
	s, err := query.Session(ctx, e, f.Session)
	f.Session = s.ID
	return err
}

// printer writes event records in the form that was asked for.
type printer struct {
	*env.Env
	output string
	last   time.Time
	from   uint64 // what was shown before
	at     uint64 // every event up to here was shown, or was not asked for
}

// take prints one line of NDJSON; an empty one says that the daemon is there.
func (p *printer) take(line []byte) error {
	if len(line) == 0 {
		return nil
	}
	var r events.Record
	if err := json.Unmarshal(line, &r); err != nil {
		return fmt.Errorf("read event record: %w", err)
	}
	if r.Seq <= p.from {
		return nil
	}
	p.at = max(p.at, r.Seq)
	switch p.output {
	case "json", "ndjson": // as it came: a newer daemon may have fields that this build does not know
		return p.PrintRaw(line)
	case "cloudevents":
		c, err := cloudEvent(r, line)
		if err != nil {
			return err
		}
		return p.PrintJSON(c)
	}
	if d := show.Day(p.Env, p.last, r.Time); d != "" {
		p.Printf("%s\n", p.Paint.Faint(d))
	}
	p.last = r.Time
	p.Verbatim(show.Line(p.Env, r) + "\n")
	return nil
}

// follower is `tail -f`: it remembers how far it came and goes on there when the daemon is back.
type follower struct {
	*printer
	filter filter
	again  bool // not the first connection
	taken  bool // the daemon took the query; what it refuses from then on is a daemon on its way out
}

// lookAgain is how long a lost daemon is waited for between two looks; a restart takes some 100 ms.
const lookAgain = 200 * time.Millisecond

func (f *follower) run(ctx context.Context) error {
	for told := false; ; {
		n := env.Running
		if !f.again {
			n = env.Started
		}
		before := f.at
		err := f.With(ctx, n, func() error { return f.attend(ctx) })
		var refused *problem.Error
		switch {
		case ctx.Err() != nil:
			return nil
		case err != nil && !f.again, errors.As(err, &refused) && !f.taken && !env.NotRunning(err):
			return err
		}
		f.taken = true
		if f.at > before {
			told = false
		}
		if !told && f.Terminal {
			f.Complain("%s\n", f.Paint.Faint("the daemon is gone; waiting for it to come back"))
			told = true
		}
		if err := f.Pause(ctx, lookAgain); err != nil {
			return nil
		}
	}
}

// attend follows a connection from where the one before it ended.
func (f *follower) attend(ctx context.Context) error {
	st, err := f.Status(ctx)
	if err != nil {
		return err
	}
	if err := f.filter.named(ctx, f.Env); err != nil {
		return err
	}
	var query api.EventsRequest
	f.from, query = f.start(st.Seq)
	return api.Events.Lines(ctx, f, query, f.take)
}

// start is where a connection begins: events up to from have been dealt with. The first one shows
// what was asked for; a later one everything after the last event seen, and a log that has become
// shorter (another store, an older backup) from its end.
func (f *follower) start(seq uint64) (from uint64, q api.EventsRequest) {
	q = f.filter.query()
	q.Follow = true
	first := !f.again
	if first {
		f.again = true
		f.at = seq
	}
	if first && f.filter.Last != 0 {
		return 0, q
	}
	f.at = min(f.at, seq)
	q.Last = 0
	q.Since = past.AtSeq(f.at)
	return f.at, q
}

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
