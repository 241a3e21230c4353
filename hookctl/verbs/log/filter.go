package log

import (
	"regexp"
	"time"

	"hookline/hookctl/api"
	"hookline/hookctl/problem"
	"hookline/hookctl/verbs/command"
	"hookline/hookctl/verbs/env"
	"hookline/hookctl/verbs/query"
	"hookline/replay/past"
)

// filter says which events are wanted; the daemon interprets it.
type filter struct {
	Session string        `help:"only this session: its id, any unique prefix of it, or last"`
	Project string        `help:"only this project: its id or name"`
	Types   []string      `flag:"type" sep:"," help:"only these types: names or patterns as 'tool.*', comma-separated"`
	Since   string        `help:"from there on: a sequence, 08:00, 10m, 1d, today, …"`
	Until   string        `help:"up to there, in the same form"`
	Grep    string        `help:"only events whose data matches this regular expression"`
	Tool    string        `help:"only calls of this tool: a name or a pattern as 'mcp__*'"`
	File    string        `help:"only calls about this path, or one that ends in it"`
	Agent   string        `help:"only this subagent: its id or the beginning of it"`
	Last    command.Count `flag:"n,n" help:"the last N; 0 for none, all for all"`
	Output  string        `flag:"output,o" help:"pretty, json, ndjson or cloudevents" choices:"pretty json ndjson cloudevents"`

	follow bool // with -f of tail
}

// query is the filter as the daemon reads it: there 0 of the last means all.
func (f *filter) query() api.EventsRequest {
	return api.EventsRequest{Session: f.Session, Project: f.Project, Types: f.Types, Since: past.Point(f.Since), Until: past.Point(f.Until),
		Grep: f.Grep, Tool: f.Tool, File: f.File, Agent: f.Agent, Last: uint(max(0, int(f.Last)))}
}

// check judges everything that can be judged without the log: what matches nothing would otherwise look
// like a log in which nothing has happened.
func (f *filter) check(e *env.Env) error {
	if e.JSON && f.Output == "pretty" {
		f.Output = "json"
	}
	if err := query.KnownTypes(f.Types); err != nil {
		return err
	}
	if _, err := regexp.Compile(f.Grep); err != nil {
		return problem.Faultf("--grep: %w", err).Advise("for example --grep 'exit code [1-9]' or --grep '(?i)timeout'")
	}
	if f.follow && f.Until != "" {
		return problem.Faultf("--until has an end, -f has none").Advise("leave one of them out")
	}
	for _, p := range []*string{&f.Since, &f.Until} {
		if *p == "" {
			continue
		}
		at, err := e.Point(*p)
		if err != nil {
			return err
		}
		if at == "now" {
			at = e.Now().UTC().Format(time.RFC3339Nano)
		}
		*p = at
	}
	return nil
}
