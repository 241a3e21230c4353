package verbs

import (
	"fmt"
	"path"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"hookline/events"
	"hookline/hookctl/api"
	"hookline/hookctl/problem"
	"hookline/replay/past"
)

// filter says which events are wanted; the daemon interprets it.
type filter struct {
	Session string   `help:"only this session: its id, any unique prefix of it, or last"`
	Project string   `help:"only this project: its id or name"`
	Types   []string `flag:"type" sep:"," help:"only these types: names or patterns as 'tool.*', comma-separated"`
	Since   string   `help:"from there on: a sequence, 08:00, 10m, 1d, today, …"`
	Until   string   `help:"up to there, in the same form"`
	Grep    string   `help:"only events whose data matches this regular expression"`
	Tool    string   `help:"only calls of this tool: a name or a pattern as 'mcp__*'"`
	File    string   `help:"only calls about this path, or one that ends in it"`
	Agent   string   `help:"only this subagent: its id or the beginning of it"`
	Last    count    `flag:"n,n" help:"the last N; 0 for none, all for all"`
	Output  string   `flag:"output,o" help:"pretty, json, ndjson or cloudevents" choices:"pretty json ndjson cloudevents"`

	follow bool // with -f of tail
}

// count is the value of the flag -n: how many, or "all".
type count int

const allOf count = -1

// String gives the value as it is typed.
func (c *count) String() string {
	if *c == allOf {
		return "all"
	}
	return strconv.Itoa(int(*c))
}

// Set reads the value.
func (c *count) Set(s string) error {
	if s == "all" {
		*c = allOf
		return nil
	}
	n, err := strconv.ParseUint(s, 10, 31)
	if err != nil {
		return fmt.Errorf("want a number or all")
	}
	*c = count(n)
	return nil
}

// from is the index at which the last N of so many begin.
func (c *count) from(n int) int {
	if *c == allOf {
		return 0
	}
	return max(0, n-int(*c))
}

// Type names the value in help.
func (*count) Type() string { return "N" }

// query is the filter as the daemon reads it: there 0 of the last means all.
func (f *filter) query() api.EventsRequest {
	return api.EventsRequest{Session: f.Session, Project: f.Project, Types: f.Types, Since: past.Point(f.Since), Until: past.Point(f.Until),
		Grep: f.Grep, Tool: f.Tool, File: f.File, Agent: f.Agent, Last: uint(max(0, int(f.Last)))}
}

// check judges everything that can be judged without the log: what matches nothing would otherwise look
// like a log in which nothing has happened.
func (f *filter) check(e *Env) error {
	if e.JSON && f.Output == "pretty" {
		f.Output = "json"
	}
	if err := knownTypes(f.Types); err != nil {
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

// knownTypes judges names and patterns: each must fit some type of the catalog.
func knownTypes(list []string) error {
	for _, glob := range list {
		glob = strings.TrimSpace(glob)
		if !strings.ContainsAny(glob, "*?[") {
			if err := knownType(glob); err != nil {
				return err
			}
			continue
		}
		fits := func(name string) bool { ok, _ := path.Match(glob, name); return ok }
		if !slices.ContainsFunc(typeNames(), fits) {
			return problem.Faultf("no event type is like %q", glob).Advise("for example --type 'tool.*'; `hookctl events types` lists them")
		}
	}
	return nil
}

// knownType refuses a type that the catalog does not have, with the nearest one.
func knownType(typ string) error {
	if _, ok := events.Lookup(typ); ok {
		return nil
	}
	return problem.Faultf("there is no event type %q", typ).Advise("`hookctl events types` lists them").Meant(typ, typeNames(), "%s")
}

func typeNames() []string {
	var names []string
	for _, k := range events.Catalog() {
		names = append(names, k.Type)
	}
	return names
}
