package transcript

import (
	"bufio"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"time"

	"hookline/events"
	"hookline/hookctl/hook"
	"hookline/hookctl/redact"
)

// Imported is the outcome of `import transcripts`.
type Imported struct {
	Counts

	DryRun   bool     `json:"dry_run" jsonschema_description:"nothing was changed"`
	Files    int      `json:"files" jsonschema_description:"that were read"`
	Bytes    int64    `json:"bytes" jsonschema_description:"in them"`
	Sessions int      `json:"sessions" jsonschema_description:"that the files are of"`
	New      int      `json:"new_sessions" jsonschema_description:"of them, those that the log had nothing of"`
	Deleted  int      `json:"deleted_sessions" jsonschema_description:"of them, those that were deleted and stay so"`
	Hooks    int      `json:"hooks" jsonschema_description:"that the lines stand for"`
	Added    int      `json:"added" jsonschema_description:"of them, those that the log has now"`
	Known    int      `json:"known" jsonschema_description:"of them, those that an earlier import took"`
	Live     int      `json:"live" jsonschema_description:"of them, those that were recorded when they happened"`
	Events   int      `json:"events" jsonschema_description:"that were appended: the hooks, and what follows from them"`
	Redacted int      `json:"redacted" jsonschema_description:"secrets that were replaced"`
	Missing  int      `json:"missing" jsonschema_description:"prompts and tool calls of sessions that were recorded, whose hooks were not"`
	Gaps     []Gap    `json:"gaps,omitempty" jsonschema_description:"those, the first 1,000"`
	Problems []string `json:"problems" jsonschema_description:"what could not be read, and why"`
	Seq      uint64   `json:"seq" jsonschema_description:"the log's newest event now"`
}

// Place is where a session was.
type Place struct {
	Project  string // id
	Worktree string
	Seen     []events.Event // what the log does not know of the project yet
}

// Into is where the hooks go.
type Into struct {
	Log   Log
	Put   func(content []byte) (digest string, err error)     // keeps a large content
	Clean func(text string) string                            // without secrets
	Place func(ctx context.Context, dir string) Place         // of a directory that need not be there any more
	Gone  func(ctx context.Context, session, dir string) bool // it was deleted, or of what was launched in dir nothing is recorded
	// Redactor replaces secrets in one session that was launched in dir; it remembers what it found.
	Redactor func(dir string) *redact.Redactor
	// Append puts events with their own ids into the log and returns when they are on disk: how many the log did not have.
	Append func(ctx context.Context, envs []events.Envelope) (int, error)
	Now    time.Time
	// Only returns the causation of a hook that is wanted, "" for one to leave out; nil stands for all hooks with their own.
	Only func(h Hook) string
}

// Log is the log as an import reads it.
type Log interface {
	Last() (seq uint64, id string)
	ReadRaw(ctx context.Context, from, to uint64, fn func(events.Record) error) error
}

// settledAfter is how long a session was silent when it has ended for us, as for a live one without a process.
const settledAfter = 12 * time.Hour

// batchEvents bounds one append: the log's own limit.
const batchEvents = 1000

// batchBytes bounds one append: hooks that come meanwhile wait for one at most.
const batchBytes = 8 << 20

// Import takes what the transcripts at and below paths have and the log has not. Cancelling leaves what is in; a second
// import takes the rest. One batch is appended while the next one is read. progress counts bytes.
func Import(ctx context.Context, into Into, paths []string, dry bool, progress func(uint64)) (Imported, error) {
	if progress == nil {
		progress = func(uint64) {}
	}
	list, problems := Sessions(paths)
	in := &importing{into: into, dry: dry, progress: progress, lines: map[string]bool{}, places: map[string]Place{}}
	in.out = Imported{DryRun: dry, Problems: append([]string{}, problems...)}
	in.out.Unknown = map[string]int{}

	ids := map[string]bool{}
	for _, s := range list {
		ids[s.ID] = true
	}
	var err error
	if in.known, err = learn(ctx, into.Log, ids); err != nil {
		return in.out, err
	}
	for _, s := range list {
		if err := in.session(ctx, s); err != nil {
			return in.out, errors.Join(err, in.await())
		}
	}
	if err := in.await(); err != nil {
		return in.out, err
	}
	in.out.Seq, _ = into.Log.Last()
	return in.out, nil
}

// importing is one import.
type importing struct {
	into     Into
	dry      bool
	progress func(uint64)
	known    *known
	lines    map[string]bool // uuids of all files
	read     uint64          // bytes of them
	places   map[string]Place
	out      Imported

	batch     []events.Envelope
	bytes     int
	appending chan appended // gets the outcome of the append that runs; nil without one
}

// appended is the outcome of one append.
type appended struct {
	events int
	err    error
}

// session takes one session: its own file and those of its subagents, in the order of time.
func (in *importing) session(ctx context.Context, s Session) error {
	files := s.Agents
	if s.Main != "" {
		files = append([]string{s.Main}, files...)
	}
	var sources []*source
	for _, path := range files {
		src := &source{in: in, reader: NewReader(path)}
		src.reader.Seen = in.lines
		src.reader.Counts = &in.out.Counts
		src.file, src.lines, src.err = openLines(path)
		if src.err == nil {
			defer src.file.Close()
		}
		src.fill()
		sources = append(sources, src)
	}

	one := sitting{in: in}
	for ctx.Err() == nil {
		var next *source // the one whose hook is the earliest, the session's own before others
		for _, src := range sources {
			if len(src.hooks) > 0 && (next == nil || src.hooks[0].Time.Before(next.hooks[0].Time)) {
				next = src
			}
		}
		if next == nil {
			break
		}
		if err := one.take(ctx, next.hooks[0]); err != nil {
			return err
		}
		next.hooks = next.hooks[1:]
		next.fill()
	}
	if err := errors.Join(ctx.Err(), one.end(ctx)); err != nil {
		return err
	}

	for _, src := range sources {
		in.out.Files++
		if src.err != nil {
			in.out.Problems = append(in.out.Problems, src.err.Error())
		}
	}
	in.out.Bytes += s.Size
	if one.id != "" {
		in.out.Sessions++
	}
	return in.flush(ctx)
}

// source is one file whose hooks come one by one.
type source struct {
	in     *importing
	reader *Reader
	file   *os.File
	lines  *bufio.Scanner // nil at the end
	hooks  []Hook         // the next ones
	err    error
}

// fill reads on until there is a hook, or the file's end.
func (s *source) fill() {
	for len(s.hooks) == 0 && s.lines != nil {
		if s.lines.Scan() {
			text := s.lines.Bytes()
			s.hooks = s.reader.Hooks(text)
			s.in.read += uint64(len(text)) + 1
			s.in.progress(s.in.read)
			continue
		}

		if err := s.lines.Err(); err != nil {
			s.err = fmt.Errorf("%s: %w", s.reader.path, err)
		}
		s.lines = nil
		if s.err == nil && s.in.settled(s.reader.line.Time) {
			s.hooks = s.reader.End()
		}
	}
}

// settled says whether a session whose last event is that old counts as ended.
func (in *importing) settled(last time.Time) bool { return in.into.Now.Sub(last) >= settledAfter }

// sitting is one session on its way into the log.
type sitting struct {
	in      *importing
	id      string
	live    *recorded
	unknown bool // to the log
	gone    bool
	secrets *redact.Redactor
	place   Place
	last    Hook
	cause   map[string]string // id of the request's event, by tool_use_id
	added   int
}

// begin takes in whose session it is, at its first hook.
func (s *sitting) begin(ctx context.Context, h Hook) error {
	s.id = h.Session
	s.live = s.in.known.sessions[h.Session]
	s.gone = s.in.into.Gone(ctx, h.Session, h.Cwd)
	s.cause = map[string]string{}
	if s.gone {
		s.in.out.Deleted++
		return nil
	}
	s.secrets = s.in.into.Redactor(h.Cwd)
	s.unknown = s.live == nil
	if s.unknown {
		s.live = &recorded{}
	}
	place, ok := s.in.places[h.Cwd]
	if !ok {
		// What is being appended may be what the log learns of the same project.
		if err := s.in.await(); err != nil {
			return err
		}
		place = s.in.into.Place(ctx, h.Cwd)
		s.in.places[h.Cwd] = Place{Project: place.Project, Worktree: place.Worktree}
	}
	s.place = place
	if s.live.project != "" {
		s.place = Place{Project: s.live.project, Worktree: s.live.worktree}
	}
	return nil
}

// envelope returns a hook's event around its data, as the hook would have been recorded.
func (s *sitting) envelope(h Hook, e events.Event, data json.RawMessage) events.Envelope {
	into := s.in.into
	k := events.OfHook(h.Name)
	env := events.Envelope{
		ID:          h.ID,
		Type:        k.Type,
		Version:     k.Version(),
		Time:        h.Time,
		Session:     h.Session,
		Project:     s.place.Project,
		Worktree:    s.place.Worktree,
		Branch:      into.Clean(h.Branch),
		Phase:       hook.PhaseOf(e),
		Hook:        k.Hook,
		ToolUseID:   hook.ToolUseID(e),
		AgentID:     h.Agent,
		Correlation: h.Session,
		Imported:    true,
		Data:        data,
	}
	switch e.(type) {
	case *events.ToolRequested:
		s.cause[env.ToolUseID] = env.ID
	case *events.ToolSucceeded, *events.ToolFailed:
		env.Causation = s.cause[env.ToolUseID]
		delete(s.cause, env.ToolUseID)
	}

	env.Facts = &events.Facts{
		Note:       events.FromTranscript,
		Client:     into.Clean(h.Facts.Client),
		Entrypoint: into.Clean(h.Facts.Entrypoint),
		LaunchDir:  into.Clean(h.Facts.LaunchDir),
	}
	if h.Time.After(into.Now.Add(events.MaxAhead)) { // by a clock that was wrong
		env.Facts.Captured = h.Time.UnixMilli()
		env.Time = into.Now.UTC().Truncate(time.Millisecond)
	}
	return env
}

// take puts a hook into the batch, unless the log has it.
func (s *sitting) take(ctx context.Context, h Hook) error {
	reason := ""
	if only := s.in.into.Only; only != nil {
		if reason = only(h); reason == "" {
			return nil
		}
	}
	if s.id == "" {
		if err := s.begin(ctx, h); err != nil {
			return err
		}
	}
	if s.gone {
		return nil
	}
	in := s.in
	in.out.Hooks++
	if !h.Time.Before(s.last.Time) {
		s.last = h
	}
	if _, taken := in.known.ids[h.ID]; taken {
		in.out.Known++
		return nil
	}

	data, report := s.secrets.JSON(h.Data)
	data, err := hook.Cut(data, func(content []byte) (string, error) {
		if in.dry {
			return events.Digest(content), nil
		}
		return in.into.Put(content)
	})
	if err != nil {
		return err
	}
	k := events.OfHook(h.Name)
	e := events.Decode(k.Type, k.Version(), data)
	if s.live.had(e, h.Time) {
		in.out.Live++
		return nil
	}
	in.gap(s.live, h, e)

	env := s.envelope(h, e, data)
	env.Redacted = report.Count
	env.Causation = cmp.Or(reason, env.Causation)
	in.out.Redacted += report.Count
	in.out.Added++
	s.added++
	if s.unknown && s.added == 1 {
		in.out.New++
	}
	if err := in.push(ctx, env); err != nil {
		return err
	}
	for i, e := range s.place.Seen { // of a project that the log does not know
		if err := s.follow(ctx, env, i+1, e); err != nil {
			return err
		}
	}
	s.place.Seen = nil
	return nil
}

// follow adds the n-th event that follows from a hook; 0 stands for the hook itself, which was not sent but derived.
func (s *sitting) follow(ctx context.Context, of events.Envelope, n int, e events.Event) error {
	k, _ := events.Lookup(e.Type())
	data, err := json.Marshal(e)
	if err != nil {
		return fmt.Errorf("encode %s: %w", e.Type(), err)
	}
	env := events.Envelope{ID: events.DerivedID(of.ID, n), Type: k.Type, Version: k.Version(), Time: of.Time, Session: of.Session, Project: of.Project,
		Worktree: of.Worktree, Branch: of.Branch, Hook: k.Hook, Phase: hook.PhaseOf(e), Correlation: of.Session, Causation: of.ID, Imported: true,
		Facts: &events.Facts{Note: events.FromTranscript}, Data: data}
	if n == 0 {
		env.ID, env.Causation = of.ID, ""
	}
	return s.in.push(ctx, env)
}

// end ends a session that was silent for long and of which no hook was recorded. Another one is ended by its hooks, or by a later
// import.
func (s *sitting) end(ctx context.Context) error {
	if s.id == "" || s.gone || s.live.any || s.added == 0 || !s.in.settled(s.last.Time) {
		return nil
	}

	h := s.last
	end := &events.SessionEnded{Common: events.Common{SessionID: h.Session, Cwd: h.Cwd, HookEventName: "SessionEnd"}, Reason: "other"}
	of := events.Envelope{ID: events.StableID(h.Time, h.ID+" SessionEnd"), Time: h.Time, Session: h.Session, Project: s.place.Project, Worktree: s.place.Worktree, Branch: s.in.into.Clean(h.Branch)}
	if err := s.follow(ctx, of, 0, end); err != nil {
		return err
	}
	return s.follow(ctx, of, 1, &events.IdentityPersisted{Reason: "session_end", AsOf: h.Time.Format(time.RFC3339Nano)})
}

func (in *importing) push(ctx context.Context, env events.Envelope) error {
	in.known.ids[env.ID] = struct{}{}
	in.batch = append(in.batch, env)
	in.bytes += len(env.Data)
	if len(in.batch) < batchEvents && in.bytes < batchBytes {
		return nil
	}
	return in.flush(ctx)
}

// flush begins to append the batch, after the append before it has ended well.
func (in *importing) flush(ctx context.Context) error {
	batch := in.batch
	in.batch, in.bytes = nil, 0
	if in.dry || len(batch) == 0 {
		in.out.Events += len(batch)
		return nil
	}
	if err := in.await(); err != nil {
		return err
	}

	outcome := make(chan appended, 1)
	in.appending = outcome
	go func() {
		added, err := in.into.Append(ctx, batch)
		outcome <- appended{added, err}
	}()
	return nil
}

// await returns when the append that runs has ended, with its error.
func (in *importing) await() error {
	if in.appending == nil {
		return nil
	}
	done := <-in.appending
	in.appending = nil
	in.out.Events += done.events
	return done.err
}
