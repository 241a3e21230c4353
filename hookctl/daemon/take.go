package daemon

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"time"

	"hookline/embedded"
	"hookline/events"
	"hookline/hookctl/facts"
	"hookline/hookctl/hook"
	"hookline/hookctl/recorder"
	"hookline/hookctl/redact"
	"hookline/hookctl/spool"
	"hookline/hookctl/wire"
	"hookline/projector"
	"hookline/projector/session"
)

// The way of a hook: handleHook reads a frame, take has it recorded and composes the answer. [recorder.Recorder.Record]
// has what the recorder does with it.

// takeWithin bounds the recording of a frame. It goes on when the client has given up: what was half
// recorded would otherwise be an error, and the client's retry a duplicate.
const takeWithin = 30 * time.Second

// handleHook answers POST /v1/hook: one frame in, one answer out. It is the hot path.
func (d *Daemon) handleHook(w http.ResponseWriter, r *http.Request) {
	w.Header().Set("Hookline-Protocol", strconv.Itoa(wire.Protocol))
	w.Header().Set("Hookline-Build", wire.Build)
	if v := r.Header.Get("Hookline-Protocol"); v != strconv.Itoa(wire.Protocol) {
		http.Error(w, "protocol "+v+" is not spoken here; restart the daemon: hookctl restart", http.StatusHTTPVersionNotSupported)
		return
	}
	defer d.large.enter(r.ContentLength)()
	f, err := spool.ParseFrame(r.Header.Get("Hookline-Frame"), r.Body)
	if err != nil {
		http.Error(w, err.Error(), http.StatusBadRequest)
		return
	}

	ctx, cancel := context.WithTimeout(context.WithoutCancel(r.Context()), takeWithin)
	defer cancel()
	if err := d.catchUp(ctx, f); err != nil { // an outcome must not stand before its request
		d.log.Warn("take what waits before a hook", "frame", f.ID, "err", err)
		http.Error(w, "frames of this session wait in the spool", http.StatusServiceUnavailable)
		return
	}
	answer, told, err := d.take(ctx, f, false)
	if err != nil {
		d.log.Error("take", "frame", f.ID, "err", err)
		http.Error(w, err.Error(), http.StatusServiceUnavailable)
		return
	}
	if r.Context().Err() == nil { // a client that gave up passes nothing on to the model
		d.wasTold(told)
	}
	d.noticeBuild(r.Context(), r.Header.Get("Hookline-Build"), f.Binary)

	h := w.Header()
	h.Set("Content-Type", "text/plain; charset=utf-8")
	h.Set("Hookline-Exit", strconv.Itoa(answer.Exit))
	h.Set("Hookline-Stdout", strconv.Itoa(len(answer.Stdout)))
	h.Set("Content-Length", strconv.Itoa(len(answer.Stdout)+len(answer.Stderr)))
	_, _ = w.Write(append(answer.Stdout, answer.Stderr...)) // a client that is gone has its event recorded all the same
}

// Take records one frame and gives the answer. It returns only when the frame's events are on disk.
// An error means that nothing was recorded: the sender must keep the frame.
func (d *Daemon) Take(ctx context.Context, f wire.Frame) (hook.Answer, error) {
	answer, told, err := d.take(ctx, f, false)
	d.wasTold(told)
	return answer, err
}

// take does what [Daemon.Take] does, but returns the event of what the model is told instead of appending it: the caller
// appends it when the answer was passed on. The numbers are those of the diagram in docs/architecture.md.
func (d *Daemon) take(ctx context.Context, f wire.Frame, spooled bool) (hook.Answer, []events.Envelope, error) {
	d.touched.Store(d.opts.Now().UnixMilli())
	if call := hook.ParseCall(f.Args); call.Verb == hook.VerbBrief && !call.AsHook {
		return d.brief(ctx, f), nil, nil
	}
	project := d.configured(spool.Launch(f))
	if project.off {
		return hook.Answer{}, nil, nil
	}

	in, err := d.decode(f, project) // 1 redact, 2 decode
	if err != nil {
		return hook.Answer{}, nil, err
	}
	if in.Session == "" && (in.Defaulted() || in.Call.Verb != hook.VerbHook) { // its session is that of its process
		if id, _ := d.sessionByProcess(ctx, f); id != "" {
			in = in.By(id)
		} else {
			in = in.Nameless()
		}
	}
	if in.Starts() && !spooled { // a session that has crashed just now has its handoff before this one begins
		d.reap(ctx)
	}
	w := d.look(ctx, f, &in, spooled)
	if in.Uncalled { // a verb that a person or a script called without a hook only reads
		items := seen(ctx, d, func(r projector.Reader) []hook.Item { return hook.Tell(in, w, hook.Reader{Reader: r}, false) })
		answer, _ := hook.Compose(in, hook.Verdict{}, items, "")
		return answer, nil, nil
	}

	d.clockWentBack(ctx)
	install := d.clean(installOf(f))
	told, err := d.rec.Record(ctx, in, w, install) // 3 decide, 4 append, 5 fold
	// The next start opens the store anew, checked; frames wait in the spool meanwhile.
	switch {
	case errors.Is(err, embedded.ErrWriteStuck):
		d.stop("write_stuck")
	case errors.Is(err, embedded.ErrLogDamaged):
		d.stop("log_damaged")
	}
	if err != nil {
		return hook.Answer{}, nil, err
	}
	d.hooks.count(told.Seen, in.Name(), install, in.Event, d.opts.Now())
	if w.Gates != nil && told.FirstOfInstall() { // the log has what is wrong with the rules
		if rules, ok := d.rules.Get(w.Gates.Root); ok {
			rules.recorded.Store(true)
		}
	}

	var answer hook.Answer
	var injected []events.Envelope
	if !spooled { // the answer of one that waited is not read
		answer, injected = d.answer(f, in, w, told) // 6 render
		d.measureUse(in, w, told)
	}
	if len(told.Effects) > 0 {
		d.beside(func(ctx context.Context) { d.follow(ctx, in, w, told.Cause) })
	}
	return answer, injected, nil
}

// brief answers from memory: no record, no disk. Its session is the input's, the client's own word, else the live session
// of its process, else the only live one of the project: it only asks, so a guess that hits nearly always is better than
// none.
func (d *Daemon) brief(ctx context.Context, f wire.Frame) hook.Answer {
	id := spool.Session(f)
	if id == "" {
		var project string
		if id, project = d.sessionByProcess(ctx, f); id == "" {
			id = d.onlyIn(ctx, project)
		}
	}
	line := seen(ctx, d, func(r projector.Reader) string {
		s, _ := identityIn(r, id)
		return s.Brief()
	})
	return hook.Plain(line, "", 0)
}

// decode redacts, cuts and decodes a frame: everything that needs neither the past nor an order.
func (d *Daemon) decode(f wire.Frame, project *projectConfig) (hook.Input, error) {
	f.Note, f.Args = d.clean(f.Note), slices.Clone(f.Args)
	for i, a := range f.Args {
		f.Args[i] = d.clean(a)
	}
	if at := time.UnixMilli(f.Time).UTC(); at.Year() < 2000 || at.Year() >= 2100 {
		f.Note = strings.TrimPrefix(f.Note+"; capture time "+strconv.FormatInt(f.Time, 10)+" replaced", "; ")
		f.Time = d.opts.Now().UnixMilli()
	}

	body, report := project.redactor.Remembering(d.memories.Of(spool.Session(f), redact.NewMemory)).JSON(f.Body)
	body, err := hook.Cut(body, d.ground.Blobs().Put)
	if err != nil {
		return hook.Input{}, err
	}
	in := hook.Decode(f, body, report.Count+f.Redacted)
	for _, pattern := range report.Skipped {
		in.Warnings = append(in.Warnings, fmt.Sprintf("redact_extra %q of the project covers more than a fifth of a long text, and was left out for this hook", pattern))
	}
	return in, nil
}

// sessionByProcess returns the live session of the client that started a frame, in this project, of several the one that was
// active last: the process that CLAUDE_PID names, else an ancestor. What is recorded for a session goes by this and no
// guess.
func (d *Daemon) sessionByProcess(ctx context.Context, f wire.Frame) (id, project string) {
	p, _ := facts.ClientOf(f.Env["CLAUDE_PID"], f.PPID)
	project = d.projectAt(ctx, d.clean(d.world.Place(spool.Launch(f)).Path()))
	if p.PID == 0 {
		return "", project
	}

	found := session.State{}
	for _, s := range d.sessionsBy(ctx, session.RunBy(p.PID)) {
		another := p.Start != 0 && s.Process().Start != p.Start
		elsewhere := project != "" && s.Project != project
		later := found.ID == "" || s.LastActive.After(found.LastActive)
		if !another && !elsewhere && later {
			found = s
		}
	}
	return found.ID, project
}

// installOf names the install that sent a frame: its binary, how the hook entry calls it where that is another name, and
// the verb where it is the identity profile's: one program in two scopes with two profiles is two installs.
func installOf(f wire.Frame) string {
	install := f.Binary
	if f.Invoked != "" && f.Invoked != f.Binary {
		install += " as " + f.Invoked
	}
	if verb := hook.ParseCall(f.Args).Verb; verb != hook.VerbHook && verb != "" {
		install += " " + verb
	}
	return install
}

// clockWentBack records, once a run, that the clock is more than a second earlier than the log's newest record.
func (d *Daemon) clockWentBack(ctx context.Context) {
	back := d.rec.Newest().Sub(d.opts.Now())
	if back <= time.Second || d.clockTold.Swap(true) {
		return
	}
	if _, err := d.rec.Note(ctx, events.Envelope{}, &events.ClockJumped{BackMS: back.Milliseconds()}); err != nil {
		d.log.Warn("record clock jump", "err", err)
	}
}

// answer composes what is said to a hook, and gives the event of what the model is told. A user is told each thing once,
// by each install what concerns the recorder; a hook that came again has the event of its first answer.
func (d *Daemon) answer(f wire.Frame, in hook.Input, w hook.World, told recorder.Told) (hook.Answer, []events.Envelope) {
	items, damage := told.Items, ""
	if in.Starts() && told.FirstOfInstall() {
		items = append(d.atStart(f, in), items...)
		damage = d.damageWords(in)
	}
	switch in.Event.(type) {
	case *events.ToolSucceeded, *events.ToolFailed: // the check that asked for a dream has had its answer when that fails
		if words, failed := d.failedDreams.LoadAndDelete(in.Session); failed {
			items = slices.DeleteFunc(items, func(it hook.Item) bool { return it.ID == hook.ItemContinuity })
			items = append(items, hook.Item{ID: "identity.dream", Text: words.(string), Event: in.Frame, Same: in.Frame, User: true})
		}
	}
	if in.Call.Verb == hook.VerbHook {
		items = slices.DeleteFunc(items, func(it hook.Item) bool { return it.User && !d.isNews(in.Session+" "+it.ID, it.Digest()) })
	}

	answer, injected := hook.Compose(in, told.Verdict, items, damage)
	if injected == nil || told.Seen != recorder.Fresh {
		return answer, nil
	}
	base := hook.Around(in, w)
	base.Causation, base.AgentID = told.Cause, agentOf(in)
	envs, err := recorder.Envelopes(d.opts.Now(), base, injected)
	if err != nil {
		d.log.Error("record what was told", "session", in.Session, "err", err)
	}
	return answer, envs
}

// isNews reports whether what is said to a user of a topic differs from what was said before, and remembers it.
func (d *Daemon) isNews(topic, said string) bool {
	before, told := d.said.Put(topic, said)
	return !told || before != said
}

// atStart returns what the user should hear when a session starts: where the state is, if not where it is
// expected, and what is wrong with the configuration.
func (d *Daemon) atStart(f wire.Frame, in hook.Input) []hook.Item {
	var out []hook.Item
	warn := func(text string) {
		out = append(out, hook.Item{ID: "session.warning " + text, Text: text, Event: in.Frame, User: true})
	}
	if note, _, _ := strings.Cut(f.Note, "; "); strings.HasPrefix(note, wire.Homeless) {
		warn(d.clean(note) + "; set HOME or HOOKLINE_HOME to keep it")
	}
	for _, p := range d.configured(spool.Launch(f)).Problems {
		warn(d.clean(p.Warning()))
	}
	return out
}

// damageWords returns what the start of a session says of the log's damage, "" when it was said. The hook and the
// identity verb of one session's start say the same, whichever comes first (EC-SESSION-10).
func (d *Daemon) damageWords(in hook.Input) string {
	d.mayDamage.Lock()
	defer d.mayDamage.Unlock()
	if words := d.warnings.Take(); words != "" {
		d.damaged, d.damagedTo = words, in.Session
	}
	if d.damaged == "" || d.damagedTo != in.Session || !d.isNews("damage "+in.Session+" "+in.Call.Verb, d.damaged) {
		return ""
	}
	return d.damaged
}

// follow appends what follows from the fold as it is now: another hook may have come first.
func (d *Daemon) follow(ctx context.Context, in hook.Input, w hook.World, cause string) {
	recs, err := d.rec.Do(ctx, func(r projector.Reader) ([]events.Envelope, error) {
		base := events.Envelope{Session: in.Session, Project: w.Project, Causation: cause, AgentID: agentOf(in)}
		return recorder.Envelopes(d.opts.Now(), base, hook.Follow(in, w, hook.Reader{Reader: r})...)
	})
	if err != nil { // EC-SESSION-06: never the hook's trouble
		d.log.Error("record what follows", "session", in.Session, "err", err)
		return
	}

	for _, rec := range recs {
		if e, ok := rec.Event.(*events.DreamTriggered); ok {
			d.goDream(in.Session, e.Phase, rec.ID)
		}
	}
}

// agentOf returns the subagent that a hook comes from, "" for the session itself.
func agentOf(in hook.Input) string {
	if in.Hook == nil {
		return ""
	}
	return in.Hook.Hook().AgentID
}

// beside runs an effect of a hook after its answer. The daemon's end waits for it.
func (d *Daemon) beside(effect func(context.Context)) {
	d.following.Add(1)
	d.effects.Go(func() {
		defer d.following.Add(-1)
		effect(context.WithoutCancel(d.life))
	})
}

// unhurried is the longest time that an event of what was told waits for the fsync of the next hook; then it has its own.
const unhurried = 100 * time.Millisecond

// wasTold appends the events of what a model was told, while the answer is on its way.
func (d *Daemon) wasTold(envs []events.Envelope) {
	if len(envs) == 0 {
		return
	}
	d.rec.Later(envs...)
	d.beside(func(ctx context.Context) {
		seq, err := d.rec.Settle(ctx)
		if err != nil {
			d.log.Error("record what was told", "session", envs[0].Session, "err", err)
			return
		}

		d.effects.Go(func() {
			select {
			case <-time.After(unhurried):
			case <-d.life.Done():
			}
			if err := d.rec.Sync(ctx, seq); err != nil {
				d.log.Error("record what was told", "session", envs[0].Session, "err", err)
			}
		})
	})
}
