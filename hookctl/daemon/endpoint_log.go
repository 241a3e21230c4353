package daemon

import (
	"context"
	"encoding/json"
	"errors"
	"math"
	"path"
	"regexp"
	"slices"
	"strings"

	"hookline/embedded"
	"hookline/events"
	"hookline/hookctl/api"
	"hookline/hookctl/hook"
	"hookline/hookctl/problem"
	"hookline/projector"
)

// filter chooses event records; empty fields choose all.
type filter struct {
	session string
	project string
	types   []string // globs over type names
	from    uint64   // first sequence
	to      uint64   // last sequence
	last    int      // only so many, the newest; 0: all

	grep  *regexp.Regexp // of the data's JSON
	tool  string         // glob over names
	file  string         // a path, or its end
	agent string         // beginning of a subagent's id
}

func (f filter) match(r events.Record) bool {
	inRange := f.from <= r.Seq && r.Seq <= f.to
	ofSession := f.session == "" || r.Session == f.session
	ofProject := f.project == "" || r.Project == f.project
	if !inRange || !ofSession || !ofProject {
		return false
	}
	if !f.matchType(r.Type) || !strings.HasPrefix(r.AgentID, f.agent) {
		return false
	}
	if f.grep != nil && !f.grep.Match(r.Data) {
		return false
	}
	return f.matchCall(r)
}

func (f filter) matchType(name string) bool {
	return len(f.types) == 0 || slices.ContainsFunc(f.types, func(glob string) bool {
		ok, _ := path.Match(glob, name)
		return ok
	})
}

// matchCall reports whether an event is about a call of the tool and the file that are looked for.
func (f filter) matchCall(r events.Record) bool {
	if f.tool == "" && f.file == "" {
		return true
	}
	var call struct {
		Tool  string           `json:"tool_name"`
		File  string           `json:"file_path"`
		Input events.ToolInput `json:"tool_input"`
	}
	if json.Unmarshal(r.Data, &call) != nil {
		return false
	}

	if ok, _ := path.Match(f.tool, call.Tool); f.tool != "" && !ok {
		return false
	}
	if f.file == "" {
		return true
	}
	names := []string{call.File, call.Input.FilePath.Text(), call.Input.NotebookPath.Text(), call.Input.Path.Text()}
	ending := "/" + strings.TrimPrefix(f.file, "./")
	return slices.ContainsFunc(names, func(name string) bool { return name == f.file || strings.HasSuffix(name, ending) })
}

// filterOf reads what a request chooses.
func (ep *logEndpoints) filterOf(ctx context.Context, r api.EventsRequest) (f filter, err error) {
	f = filter{from: 1, to: math.MaxUint64, last: int(r.Last), tool: r.Tool, file: r.File, agent: r.Agent}
	if r.Grep != "" {
		f.grep, err = regexp.Compile(r.Grep)
		if err != nil {
			return f, problem.Bad("grep: %v", err)
		}
	}
	if f.session, err = ep.resolveSession(ctx, r.Session); err != nil {
		return f, err
	}
	if f.project, err = ep.resolveProject(ctx, r.Project); err != nil {
		return f, err
	}
	for _, glob := range r.Types {
		glob = strings.TrimSpace(glob)
		if _, err := path.Match(glob, "x"); err != nil {
			return f, problem.Bad("type: %q is no pattern", glob).Advise("for example --type 'tool.*'")
		}
		f.types = append(f.types, glob)
	}

	if r.Since != "" {
		if f.from, err = ep.seqAppended(ctx, r.Since); err != nil {
			return f, err
		}
	}
	if r.Until == "" {
		return f, nil
	}
	f.to, err = ep.seqAppended(ctx, r.Until)
	if _, isSeq := r.Until.Seq(); !isSeq && f.to > 0 {
		f.to-- // of a time what was appended before it
	}
	return f, err
}

// events sends the events that a request chooses; with follow it goes on until the client leaves, an empty line every few
// seconds telling that it is alive.
func (ep *logEndpoints) events(ctx context.Context, r api.EventsRequest, out api.Lines[events.Record]) error {
	if len(r.Seqs) > 0 {
		return ep.chosen(ctx, r.Seqs, out)
	}
	f, err := ep.filterOf(ctx, r)
	if err != nil {
		return err
	}
	last, _ := ep.stream.Last()
	if err := ep.earlier(ctx, f, last, out.Send); err != nil || !r.Follow {
		return err
	}

	send := func(rec events.Record) error {
		if !f.match(rec) {
			return nil
		}
		return out.Send(rec)
	}
	pause := func(quiet bool) error {
		if quiet {
			if err := out.Heartbeat(); err != nil {
				return err
			}
		}
		return out.Flush()
	}
	_ = ep.watch(ctx, last, send, pause) // an error is a follower that is gone
	return nil
}

// chosen sends the events with some sequences, in this order, without those that are not there.
func (ep *logEndpoints) chosen(ctx context.Context, seqs []uint64, out api.Lines[events.Record]) error {
	for _, seq := range seqs {
		rec, err := ep.stream.Get(ctx, seq)
		if errors.Is(err, embedded.ErrNoRecord) {
			continue
		}
		if err != nil {
			return err
		}
		if out.Send(rec) != nil {
			return nil // the reader is gone
		}
	}
	return nil
}

// earlier gives the matching records up to a sequence: all of them, or the last n, for which it reads backwards in growing
// steps.
func (ep *logEndpoints) earlier(ctx context.Context, f filter, to uint64, fn func(events.Record) error) error {
	within := func(lo, hi uint64, fn func(events.Record) error) error {
		if hi < lo {
			return nil
		}
		return ep.stream.Select(ctx, lo, hi, []projector.Selector{{Session: f.session, Project: f.project}}, func(r events.Record) error {
			if !f.match(r) {
				return nil
			}
			return fn(r)
		})
	}
	hi := min(to, f.to)
	if f.last == 0 {
		return within(f.from, hi, fn)
	}

	var found []events.Record
	for step := uint64(f.last); hi >= f.from && len(found) < f.last; step *= 4 {
		lo := max(f.from, hi-min(step, hi)+1)
		var part []events.Record
		err := within(lo, hi, func(r events.Record) error {
			part = append(part, r)
			return nil
		})
		if err != nil {
			return err
		}
		found = append(part, found...)
		hi = lo - 1
	}
	for _, r := range found[max(0, len(found)-f.last):] {
		if err := fn(r); err != nil {
			return err
		}
	}
	return nil
}

// event returns one record by its id or sequence.
func (ep *logEndpoints) event(ctx context.Context, r api.EventRequest) (events.Record, error) {
	return ep.find(ctx, r.ID)
}

// hookJSON returns the hook's own JSON of a record, with its blobs.
func (ep *logEndpoints) hookJSON(ctx context.Context, r api.EventRequest) (json.RawMessage, error) {
	rec, err := ep.find(ctx, r.ID)
	if err != nil {
		return nil, err
	}
	return hook.Restore(rec.Data, ep.server.Blobs().Get)
}
