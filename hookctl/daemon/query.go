package daemon

import (
	"context"
	"encoding/json"
	"errors"
	"math"
	"path"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"hookline/embedded"
	"hookline/events"
	"hookline/hookctl/api"
	"hookline/hookctl/hook"
	"hookline/hookctl/problem"
	"hookline/projector"
	"hookline/projector/project"
	"hookline/projector/session"
	"hookline/replay/past"
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
func (d *Daemon) filterOf(ctx context.Context, r api.EventsRequest) (f filter, err error) {
	f = filter{from: 1, to: math.MaxUint64, last: int(r.Last), tool: r.Tool, file: r.File, agent: r.Agent}
	if r.Grep != "" {
		f.grep, err = regexp.Compile(r.Grep)
		if err != nil {
			return f, problem.Bad("grep: %v", err)
		}
	}
	if f.session, err = d.resolveSession(ctx, r.Session); err != nil {
		return f, err
	}
	if f.project, err = d.resolveProject(ctx, r.Project); err != nil {
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
		if f.from, err = d.seqAppended(ctx, r.Since); err != nil {
			return f, err
		}
	}
	if r.Until == "" {
		return f, nil
	}
	f.to, err = d.seqAppended(ctx, r.Until)
	if _, isSeq := r.Until.Seq(); !isSeq && f.to > 0 {
		f.to-- // of a time what was appended before it
	}
	return f, err
}

// seqAppended returns the sequence at a point of the log; for a time it is the first record appended at or after it.
func (d *Daemon) seqAppended(ctx context.Context, p past.Point) (uint64, error) {
	if seq, ok := p.Seq(); ok {
		return max(seq, 1), nil
	}
	t, err := p.Time(d.opts.Now())
	if err != nil {
		return 0, err
	}
	return d.stream.SeqAtTime(ctx, t)
}

// giveEvents sends the events that a request chooses; with follow it goes on until the client leaves, an empty line every few
// seconds telling that it is alive.
func (d *Daemon) giveEvents(ctx context.Context, r api.EventsRequest, out api.Lines[events.Record]) error {
	if len(r.Seqs) > 0 {
		return d.giveChosen(ctx, r.Seqs, out)
	}
	f, err := d.filterOf(ctx, r)
	if err != nil {
		return err
	}
	last, _ := d.stream.Last()
	if err := d.earlier(ctx, f, last, out.Send); err != nil || !r.Follow {
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
	_ = d.watch(ctx, last, send, pause) // an error is a follower that is gone
	return nil
}

// giveChosen sends the events with some sequences, in this order, without those that are not there.
func (d *Daemon) giveChosen(ctx context.Context, seqs []uint64, out api.Lines[events.Record]) error {
	for _, seq := range seqs {
		rec, err := d.stream.Get(ctx, seq)
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
func (d *Daemon) earlier(ctx context.Context, f filter, to uint64, fn func(events.Record) error) error {
	within := func(lo, hi uint64, fn func(events.Record) error) error {
		if hi < lo {
			return nil
		}
		return d.stream.Select(ctx, lo, hi, []projector.Selector{{Session: f.session, Project: f.project}}, func(r events.Record) error {
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

const heartbeat = 5 * time.Second

// watch sends the records after seq as they come to disk, until ctx or the daemon ends, or an error. pause, where there is
// one, is called after what was there, and while nothing comes (quiet).
func (d *Daemon) watch(ctx context.Context, seq uint64, send func(events.Record) error, pause func(quiet bool) error) error {
	for quiet := false; ; {
		to, grown := d.rec.Synced()
		var err error
		if to > seq {
			err = d.stream.Read(ctx, seq+1, to, send)
			seq = to
		}
		if err == nil && pause != nil {
			err = pause(quiet)
		}
		if err != nil {
			return err
		}
		quiet = false
		select {
		case <-ctx.Done():
			return nil
		case <-d.life.Done():
			return nil
		case <-grown:
		case <-time.After(heartbeat):
			quiet = true
		}
	}
}

// event returns one record by its id or sequence.
func (d *Daemon) event(ctx context.Context, r api.EventRequest) (events.Record, error) {
	return d.find(ctx, r.ID)
}

// hookJSON returns the hook's own JSON of a record, with its blobs.
func (d *Daemon) hookJSON(ctx context.Context, r api.EventRequest) (json.RawMessage, error) {
	rec, err := d.find(ctx, r.ID)
	if err != nil {
		return nil, err
	}
	return hook.Restore(rec.Data, d.ground.Blobs().Get)
}

// find returns one record by its id or sequence.
func (d *Daemon) find(ctx context.Context, id string) (events.Record, error) {
	seq, err := strconv.ParseUint(id, 10, 64)
	if err != nil || len(id) >= 20 {
		upper := strings.ToUpper(id) // the digits of a ULID have no case, and every id of ours is written in capitals
		found, err := d.rec.Find(ctx, upper)
		if err == nil && len(found) == 0 { // the clock may have been elsewhere when it was made
			found, err = d.stream.FindIDs(ctx, 1, map[string]struct{}{upper: {}})
		}
		if err != nil {
			return events.Record{}, err
		}
		seq = found[upper]
	}
	rec, err := d.stream.Get(ctx, seq)
	if errors.Is(err, embedded.ErrNoRecord) {
		return rec, problem.Missing("no event %s is in the log", id).Advise("`hookctl events list` shows the newest")
	}
	return rec, err
}

// resolveSession takes a full id or a prefix of it; a prefix of several is an error that lists them.
func (d *Daemon) resolveSession(ctx context.Context, given string) (string, error) {
	if given == "" {
		return "", nil
	}
	var ids []string
	err := d.view.Read(ctx, func(r projector.Reader) (err error) {
		ids, err = alike(r, session.Name, []string{given})
		return err
	})
	if err != nil {
		return "", err
	}
	return theOne("session", "`hookctl session list --all` lists them", given, ids)
}

// resolveProject takes an id or its beginning, a name or a path.
func (d *Daemon) resolveProject(ctx context.Context, given string) (string, error) {
	if given == "" {
		return "", nil
	}
	var ids []string
	err := d.view.Read(ctx, func(r projector.Reader) error {
		keys, err := r.Keys(project.Name)
		if slices.Contains(keys, given) {
			keys = []string{given}
		}
		for _, k := range keys {
			s, _ := projector.State[project.State](r, project.Name, k)
			if k == given || s.Name == given || s.Path == given || len(given) >= 4 && strings.HasPrefix(k, given) {
				ids = append(ids, k)
			}
		}
		return err
	})
	if err != nil {
		return "", err
	}
	return theOne("project", "`hookctl project list` lists them", given, ids)
}

// theOne returns the only id that was meant; none and several are errors.
func theOne(noun, hint, given string, ids []string) (string, error) {
	slices.Sort(ids)
	switch len(ids) {
	case 1:
		return ids[0], nil
	case 0:
		return "", problem.Missing("there is no %s %q", noun, given).Advise(hint)
	}
	return "", problem.Conflict("%q is ambiguous: %s", given, strings.Join(ids, ", ")).Advise("give more characters")
}
