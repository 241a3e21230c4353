package log

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"github.com/spf13/cobra"

	"hookline/events"
	"hookline/hookctl/api"
	"hookline/hookctl/problem"
	"hookline/hookctl/verbs/command"
	"hookline/hookctl/verbs/env"
	"hookline/hookctl/verbs/query"
	"hookline/hookctl/verbs/show"
	"hookline/projector/project"
	"hookline/replay/past"
)

// TailCommand returns the command that shows events as they come.
func TailCommand(e *env.Env) *cobra.Command {
	return command.Verb(e, env.Store, command.Text{
		Use:   "tail",
		Short: "Show the newest events, and with -f those to come",
		Long: "Show the newest events, one a line: time, session, type, and a one-line summary. Where the log has several\n" +
			"projects and none of them is asked for, the project stands behind the session.\n" +
			"-f goes on until it is interrupted, also over a restart of the daemon.",
		Example: "  hookctl tail -f\n" +
			"  hookctl tail --since yesterday --until today --grep '(?i)timeout'\n" +
			"  hookctl tail --session last --file parser.go --tool Edit\n" +
			"  hookctl tail --session c68c8a51 --type 'tool.*' --since 10m -n all\n" +
			"  hookctl tail -o json | jq .type",
	}, &tailVerb{filter: filter{Last: 20, Output: "pretty"}})
}

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
	if f.Project == "" && f.Session == "" {
		p.projects = &projectNames{env: e}
	}
	if f.follow {
		t := &follower{printer: p, filter: *f}
		return t.run(ctx)
	}
	if err := f.named(ctx, e); err != nil {
		return err
	}
	return api.Events.Lines(ctx, e, f.query(), func(line []byte) error { return p.take(ctx, line) })
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

	projects *projectNames // nil: the project is not shown
	from     uint64        // what was shown before
	at       uint64        // every event up to here was shown, or was not asked for
}

// take prints one line of NDJSON; an empty one says that the daemon is there.
func (p *printer) take(ctx context.Context, line []byte) error {
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
	name, err := p.projects.of(ctx, r.Project)
	if err != nil {
		return err
	}
	p.Verbatim(show.Line(p.Env, r, name) + "\n")
	return nil
}

// projectNames are the names of projects. They are read again when one comes that is not known.
type projectNames struct {
	env   *env.Env
	all   []project.State
	known map[string]bool // by id; one that the log does not name is looked for once
}

// of returns what stands in a line for a project: its name, a dash for no project, and nothing where the log has but one.
func (n *projectNames) of(ctx context.Context, id string) (string, error) {
	if n == nil {
		return "", nil
	}
	if n.known == nil || id != "" && !n.known[id] {
		if err := n.read(ctx, id); err != nil {
			return "", err
		}
	}
	if !n.several() {
		return "", nil
	}
	return query.ProjectName(n.all, id), nil
}

// read reads the projects of the log.
func (n *projectNames) read(ctx context.Context, id string) error {
	all, err := query.Projects(ctx, n.env)
	if err != nil {
		return err
	}
	n.all = all
	n.known = map[string]bool{id: true}
	for _, p := range all {
		n.known[p.ID] = true
	}
	return nil
}

// several reports whether the log has more than one project; those that were joined are one.
func (n *projectNames) several() bool {
	first := ""
	for _, p := range n.all {
		id := query.CountsFor(n.all, p.ID)
		if first != "" && id != first {
			return true
		}
		first = id
	}
	return false
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
	return api.Events.Lines(ctx, f, query, func(line []byte) error { return f.take(ctx, line) })
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
