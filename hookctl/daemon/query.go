package daemon

import (
	"context"
	"encoding/json"
	"errors"
	"math"
	"net/http"
	"path"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"hookline/embedded"
	"hookline/events"
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
	types   string // glob over type names, several separated by commas
	from    uint64 // first sequence
	to      uint64 // last sequence
	n       int    // the last n, 0 = all
	follow  bool

	grep  *regexp.Regexp // of the data's JSON
	tool  string         // glob over names
	file  string         // a path, or its end
	agent string         // beginning of a subagent's id
}

func (f filter) match(r events.Record) bool {
	if r.Seq < f.from || r.Seq > f.to || f.session != "" && r.Session != f.session || f.project != "" && r.Project != f.project {
		return false
	}
	typed := f.types == ""
	for _, g := range strings.Split(f.types, ",") {
		ok, _ := path.Match(strings.TrimSpace(g), r.Type)
		typed = typed || ok
	}
	if !typed || !strings.HasPrefix(r.AgentID, f.agent) || f.grep != nil && !f.grep.Match(r.Data) {
		return false
	}
	if f.tool == "" && f.file == "" {
		return true
	}

	var call struct {
		Tool  string `json:"tool_name"`
		File  string `json:"file_path"`
		Input struct {
			File     string `json:"file_path"`
			Notebook string `json:"notebook_path"`
			Path     string `json:"path"`
		} `json:"tool_input"`
	}
	if json.Unmarshal(r.Data, &call) != nil {
		return false
	}
	if ok, _ := path.Match(f.tool, call.Tool); f.tool != "" && !ok {
		return false
	}
	return f.file == "" || slices.ContainsFunc([]string{call.File, call.Input.File, call.Input.Notebook, call.Input.Path}, func(name string) bool {
		return name == f.file || strings.HasSuffix(name, "/"+strings.TrimPrefix(f.file, "./"))
	})
}

func (d *Daemon) parseFilter(r *http.Request) (filter, error) {
	q := r.URL.Query()
	f := filter{types: q.Get("type"), follow: q.Get("follow") == "1", from: 1, to: math.MaxUint64,
		tool: q.Get("tool"), file: q.Get("file"), agent: q.Get("agent")}
	var err error
	if grep := q.Get("grep"); grep != "" {
		f.grep, err = regexp.Compile(grep)
		if err != nil {
			return f, problem.Bad("grep: %v", err)
		}
	}
	if f.session, err = d.resolveSession(r.Context(), q.Get("session")); err != nil {
		return f, err
	}
	if f.project, err = d.resolveProject(r.Context(), q.Get("project")); err != nil {
		return f, err
	}
	for _, g := range strings.Split(f.types, ",") {
		if _, err := path.Match(strings.TrimSpace(g), "x"); err != nil {
			return f, problem.Bad("type: %q is no pattern", g).Advise("for example --type 'tool.*'")
		}
	}
	if n := q.Get("n"); n != "" {
		if f.n, err = strconv.Atoi(n); err != nil || f.n < 0 {
			return f, problem.Bad("n: %q is no count", n)
		}
	}
	if since := q.Get("since"); since != "" {
		f.from, err = d.seqOf(r.Context(), since)
	}
	if until := q.Get("until"); until != "" && err == nil {
		f.to, err = d.seqOf(r.Context(), until)
		if _, isTime := strconv.ParseUint(until, 10, 64); isTime != nil && f.to > 0 {
			f.to-- // of a time what was appended before it
		}
	}
	return f, err
}

// seqOf reads a point of the log: a sequence, a time (RFC 3339) or a duration back from now. For a
// time it is the first record appended at or after it.
func (d *Daemon) seqOf(ctx context.Context, s string) (uint64, error) {
	if n, err := strconv.ParseUint(s, 10, 64); err == nil {
		return max(n, 1), nil
	}
	t, err := past.Point(s).Time(d.opts.Now())
	if err != nil {
		return 0, err
	}
	return d.stream.SeqAtTime(ctx, t)
}

// handleEvents writes records as NDJSON; with follow it goes on until the client leaves, an empty
// line every few seconds telling that it is alive.
func (d *Daemon) handleEvents(w http.ResponseWriter, r *http.Request) error {
	if r.URL.Query().Has("seq") {
		return d.chosenEvents(w, r)
	}
	f, err := d.parseFilter(r)
	if err != nil {
		return err
	}
	out := lines(w)
	last, _ := d.stream.Last()
	send := func(rec events.Record) error { return out.Encode(rec) }
	if err := d.earlier(r.Context(), f, last, send); err != nil || !f.follow {
		return err
	}

	flusher := http.NewResponseController(w)
	_ = d.watch(r.Context(), last, func(rec events.Record) error { // an error is a follower that is gone
		if !f.match(rec) {
			return nil
		}
		return send(rec)
	}, func(quiet bool) error {
		if quiet {
			if _, err := w.Write([]byte("\n")); err != nil {
				return err
			}
		}
		return flusher.Flush()
	})
	return nil
}

// chosenEvents writes the events with the sequences of the query, in its order, without those that are not there.
func (d *Daemon) chosenEvents(w http.ResponseWriter, r *http.Request) error {
	var seqs []uint64
	for _, s := range strings.Split(r.URL.Query().Get("seq"), ",") {
		seq, err := strconv.ParseUint(s, 10, 64)
		if err != nil {
			return problem.Bad("seq: %q is no sequence", s)
		}
		seqs = append(seqs, seq)
	}
	out := lines(w)
	for _, seq := range seqs {
		rec, err := d.stream.Get(r.Context(), seq)
		if errors.Is(err, embedded.ErrNoRecord) {
			continue
		}
		if err != nil {
			return err
		}
		if out.Encode(rec) != nil {
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
	if f.n == 0 {
		return within(f.from, hi, fn)
	}

	var found []events.Record
	for step := uint64(f.n); hi >= f.from && len(found) < f.n; step *= 4 {
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
	for _, r := range found[max(0, len(found)-f.n):] {
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

// handleEvent gives one record by id or sequence; raw is the hook's own JSON with its blobs.
func (d *Daemon) handleEvent(w http.ResponseWriter, r *http.Request) error {
	rec, err := d.find(r.Context(), r.PathValue("id"))
	if err != nil {
		return err
	}
	if r.URL.Query().Get("raw") != "1" {
		return reply(w, rec)
	}
	raw, err := hook.Restore(rec.Data, d.ground.Blobs().Get)
	if err != nil {
		return err
	}
	w.Header().Set("Content-Type", "application/json")
	_, err = w.Write(append(raw, '\n'))
	return err
}

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
