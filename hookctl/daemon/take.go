package daemon

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"hookline/embedded"
	"hookline/events"
	"hookline/hookctl/config"
	"hookline/hookctl/facts"
	"hookline/hookctl/hook"
	"hookline/hookctl/recorder"
	"hookline/hookctl/wire"
	"hookline/projector"
)

// Take records one frame and gives the answer. It returns only when the frame's events are on disk.
// An error means that nothing was recorded: whoever sent the frame must keep it.
func (d *Daemon) Take(ctx context.Context, f wire.Frame) (hook.Answer, error) {
	answer, injected, err := d.take(ctx, f, false)
	d.wasTold(injected)
	return answer, err
}

// take is [Daemon.Take] without the event of what the model is told, which it gives back: whoever passes the answer on
// appends it, none for nothing.
func (d *Daemon) take(ctx context.Context, f wire.Frame, spooled bool) (hook.Answer, []events.Envelope, error) {
	d.touched.Store(d.opts.Now().UnixMilli())
	if call := hook.ParseCall(f.Args); call.Verb == hook.VerbBrief && !call.AsHook {
		return d.brief(ctx, f), nil, nil
	}

	if d.configured(f.Launch()).off {
		return hook.Answer{}, nil, nil
	}

	in, err := d.prepare(f)
	if err != nil {
		return hook.Answer{}, nil, err
	}
	in = d.named(ctx, f, in)
	if in.Starts() && !spooled { // a session that has crashed just now has its handoff before this one begins
		d.reap(ctx)
	}
	w := d.look(ctx, f, &in, spooled)
	if in.Uncalled { // a verb that a person or a script called without a hook only reads
		answer, err := d.answerNobody(ctx, in, w)
		return answer, nil, err
	}

	d.clockWentBack(ctx)
	told, err := d.rec.Record(ctx, in, w, d.clean(installOf(f)))
	if err != nil {
		d.endWhenBroken(err)
		return hook.Answer{}, nil, err
	}

	d.counted(f, in, w, told)
	if spooled { // the answer to a spooled frame is not read
		d.follow(in, w, told)
		return hook.Answer{}, nil, nil
	}

	answer, e := d.answer(f, in, told)
	d.follow(in, w, told)
	if told.Seen == recorder.Fresh {
		d.measureUse(in, w, told.Cause)
	}
	return answer, d.injected(in, w, told, e), nil
}

// injected gives the event of what the model is told; none of a hook that came again, whose first answer has its own.
func (d *Daemon) injected(in hook.Input, w hook.World, told recorder.Told, e *events.ContextInjected) []events.Envelope {
	if e == nil || told.Seen != recorder.Fresh {
		return nil
	}

	base := hook.Around(in, w)
	base.Causation = told.Cause
	if in.Hook != nil {
		base.AgentID = in.Hook.Hook().AgentID
	}
	envs, err := recorder.Envelopes(d.opts.Now(), base, e)
	if err != nil {
		d.log.Error("record what was told", "session", in.Session, "err", err)
	}
	return envs
}

// wasTold appends the events of what a model was told, beside its answer.
func (d *Daemon) wasTold(envs []events.Envelope) {
	if len(envs) == 0 {
		return
	}
	d.rec.Later(envs...)
	d.following.Add(1)
	d.effects.Go(func() {
		ctx := context.WithoutCancel(d.life)
		seq, err := d.rec.Settle(ctx)
		d.following.Add(-1)
		if err == nil {
			d.awaitSync()
			err = d.rec.Sync(ctx, seq)
		}
		if err != nil {
			d.log.Error("record what was told", "session", envs[0].Session, "err", err)
		}
	})
}

// unhurried is how long what was told may wait for the fsync of the next hook before it has its own.
const unhurried = 100 * time.Millisecond

// awaitSync waits for the time that an unhurried event has, or for the daemon's end.
func (d *Daemon) awaitSync() {
	wait := time.NewTimer(unhurried)
	defer wait.Stop()
	select {
	case <-wait.C:
	case <-d.life.Done():
	}
}

// endWhenBroken ends the daemon in order when the store takes nothing any more, or is damaged: the next
// start opens it anew, checked, and frames wait in the spool meanwhile.
func (d *Daemon) endWhenBroken(err error) {
	switch {
	case errors.Is(err, embedded.ErrWriteStuck):
		d.stop("write_stuck")
	case errors.Is(err, embedded.ErrLogDamaged):
		d.stop("log_damaged")
	}
}

// configured is what configuration files say of a folder that a client was launched in.
func (d *Daemon) configured(launch string) *projectRedactor {
	return d.extras.of(d.redactor, d.opts.Redact, launch, d.opts.Now())
}

// prepare is everything that needs neither the past nor an order: redact, cut, decode.
func (d *Daemon) prepare(f wire.Frame) (hook.Input, error) {
	f.Note, f.Args = d.clean(f.Note), slices.Clone(f.Args)
	for i, a := range f.Args {
		f.Args[i] = d.clean(a)
	}
	if at := time.UnixMilli(f.Time).UTC(); at.Year() < 2000 || at.Year() >= 2100 {
		f.Note = strings.TrimPrefix(f.Note+"; capture time "+strconv.FormatInt(f.Time, 10)+" replaced", "; ")
		f.Time = d.opts.Now().UnixMilli()
	}
	redactor := d.configured(f.Launch()).with.Remembering(d.memories.of(f.Body))
	body, report := redactor.JSON(f.Body)
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

// counted keeps the counters of status, and that problems of the gates' files are in the log.
func (d *Daemon) counted(f wire.Frame, in hook.Input, w hook.World, told recorder.Told) {
	switch told.Seen {
	case recorder.Fresh:
		d.hooks.saw(in.Name(), d.opts.Now())
	case recorder.Again:
		d.hooks.again.Add(1)
	case recorder.Conflict:
		d.hooks.conflicts.Add(1)
	case recorder.SecondHit:
		d.hooks.seconds.Add(1)
		d.hooks.second(d.clean(installOf(f)))
	}
	decided := told.Seen == recorder.Fresh || told.Seen == recorder.SecondHit
	if decided && w.Gates != nil {
		d.gates.recorded(w.Gates.Root)
	}
}

// answer composes what is said to a hook: a user is told each thing once, by each install what concerns the recorder.
func (d *Daemon) answer(f wire.Frame, in hook.Input, told recorder.Told) (hook.Answer, *events.ContextInjected) {
	items := told.Items
	firstOfInstall := told.Seen == recorder.Fresh || told.Seen == recorder.SecondHit
	if firstOfInstall {
		items = append(d.atStart(f, in), items...)
	}
	if failure, ok := d.failedDreams.of(in); ok {
		items = slices.DeleteFunc(items, func(it hook.Item) bool { return it.ID == hook.ItemContinuity })
		items = append(items, failure)
	}
	if in.Call.Verb == hook.VerbHook {
		items = d.notices.news(in.Session, items)
	}

	damage := ""
	if in.Starts() && firstOfInstall {
		damage = d.damageWords(in)
	}
	return hook.Compose(in, told.Verdict, items, damage)
}

// follow starts the effects of a hook. They are appended after its answer, as a decision of their own.
func (d *Daemon) follow(in hook.Input, w hook.World, told recorder.Told) {
	if len(told.Effects) == 0 {
		return
	}
	d.following.Add(1)
	d.effects.Go(func() {
		defer d.following.Add(-1)
		d.effect(context.WithoutCancel(d.life), in, w, told.Cause)
	})
}

// effect appends what follows from the fold as it is now: another hook may have come first.
func (d *Daemon) effect(ctx context.Context, in hook.Input, w hook.World, cause string) {
	recs, err := d.rec.Do(ctx, func(r projector.Reader) ([]events.Envelope, error) {
		list := hook.Follow(in, w, hook.Reader{Reader: r})
		base := events.Envelope{Session: in.Session, Project: w.Project, Causation: cause}
		if in.Hook != nil {
			base.AgentID = in.Hook.Hook().AgentID
		}
		return recorder.Envelopes(d.opts.Now(), base, list...)
	})
	if err != nil { // EC-SESSION-06: never the hook's trouble
		d.log.Error("record what follows", "session", in.Session, "err", err)
		s, _ := d.identity(ctx, in.Session)
		d.failedDreams.keep(in.Session, err.Error(), s.LastIC)
		return
	}

	for _, rec := range recs {
		if e, ok := rec.Event.(*events.DreamTriggered); ok {
			d.goDream(in.Session, e.Phase, rec.ID)
		}
	}
}

// brief answers from memory: no record, no disk.
func (d *Daemon) brief(ctx context.Context, f wire.Frame) hook.Answer {
	session := d.sessionOf(ctx, f)
	line := seen(ctx, d, func(r projector.Reader) string { return hook.Brief(hook.Reader{Reader: r}, session) })
	return hook.Plain(line, "", 0)
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

// Emit appends an event that a command asks for. The envelope needs type, data and where it
// belongs; id, time and version are set here.
func (d *Daemon) Emit(ctx context.Context, env events.Envelope) (events.Record, error) {
	k, ok := events.Lookup(env.Type)
	if !ok {
		return events.Record{}, fmt.Errorf("no event type is called %q", env.Type)
	}
	data, report := d.redactor.JSON(env.Data)
	now := d.opts.Now().UTC().Truncate(time.Millisecond)
	env.ID, env.Version, env.Time = wire.NewID(now.UnixMilli()), k.Version(), now
	env.Data, env.Redacted, env.Correlation = data, report.Count, env.Session

	recs, err := d.rec.Do(ctx, func(r projector.Reader) ([]events.Envelope, error) {
		return append(d.gatesOfJoined(r, env), env), nil // the event itself comes last
	})
	if err != nil {
		return events.Record{}, err
	}
	return recs[len(recs)-1], nil
}

// Who calls, where the input does not say, and what the user should know before a session begins.

// sessionOf finds the session that a brief asks about: the input's, the client's own word, else the
// live session of its process, else the only live one of the project. It only asks, so a guess that
// hits nearly always is better than none.
func (d *Daemon) sessionOf(ctx context.Context, f wire.Frame) string {
	var in struct {
		Session string `json:"session_id"`
	}
	if json.Unmarshal(f.Body, &in) == nil && in.Session != "" {
		return in.Session
	}
	if id := f.Env["CLAUDE_CODE_SESSION_ID"]; id != "" {
		return id
	}
	id, project := d.sessionByProcess(ctx, f)
	if id == "" {
		id = d.onlyIn(ctx, project)
	}
	return id
}

// sessionByProcess is the live session of the client that started a frame, in this project: the process
// that CLAUDE_PID names, else an ancestor. What is recorded for a session goes by this and no guess.
func (d *Daemon) sessionByProcess(ctx context.Context, f wire.Frame) (session, project string) {
	p, _ := facts.ClientOf(f.Env["CLAUDE_PID"], f.PPID)
	project = d.projectAt(ctx, d.clean(d.world.Place(f.Launch()).Path()))
	return d.byProcess(ctx, p.PID, p.Start, project), project
}

// named gives an input without a session the one of its process, where it is a verb's or could not be
// read. Without one only what came is left of it.
func (d *Daemon) named(ctx context.Context, f wire.Frame, in hook.Input) hook.Input {
	if in.Session != "" || !in.Defaulted() && in.Call.Verb == hook.VerbHook {
		return in
	}
	if id, _ := d.sessionByProcess(ctx, f); id != "" {
		return in.By(id)
	}
	return in.Nameless()
}

// answerNobody says what a verb has to say to a caller without a hook.
func (d *Daemon) answerNobody(ctx context.Context, in hook.Input, w hook.World) (hook.Answer, error) {
	var items []hook.Item
	err := d.rec.Read(ctx, func(r projector.Reader) error {
		items = hook.Tell(in, w, hook.Reader{Reader: r}, false)
		return nil
	})
	answer, _ := hook.Compose(in, hook.Verdict{}, items, "")
	return answer, err
}

// atStart is what the user should hear when a session starts: where the state is, if not where it is
// expected, and what is wrong with the configuration.
func (d *Daemon) atStart(f wire.Frame, in hook.Input) []hook.Item {
	if !in.Starts() {
		return nil
	}
	var out []hook.Item
	warn := func(text string) {
		out = append(out, hook.Item{ID: "session.warning " + text, Text: text, Event: in.Frame, User: true})
	}
	if note, _, _ := strings.Cut(f.Note, "; "); strings.HasPrefix(note, wire.Homeless) {
		warn(d.clean(note) + "; set HOME or HOOKLINE_HOME to keep it")
	}
	for _, p := range config.Load(config.Options{Getenv: os.Getenv, Dir: f.Launch()}).Problems {
		warn(d.clean(p.Warning()))
	}
	return out
}

// heard is who was told of the log's damage: the hook and the identity verb of one session's start say the
// same, whichever comes first. The zero value is ready.
type heard struct {
	mu             sync.Mutex
	session, words string
	by             map[string]bool // verbs
}

// damageWords are what a session's start says of the log's damage, "" when it was said.
func (d *Daemon) damageWords(in hook.Input) string {
	d.heard.mu.Lock()
	defer d.heard.mu.Unlock()

	if words := d.warnings.Take(); words != "" {
		d.heard.session, d.heard.words, d.heard.by = in.Session, words, map[string]bool{in.Call.Verb: true}
		return words
	}
	if d.heard.by == nil || d.heard.session != in.Session || d.heard.by[in.Call.Verb] {
		return ""
	}
	d.heard.by[in.Call.Verb] = true
	return d.heard.words
}

// notices are what the users of sessions were told, by session and item. Safe for concurrent use; the zero value is
// ready.
type notices struct {
	mu   sync.Mutex
	said map[string]string // digests of contents
}

// maxNotices bounds the memory; beyond, all are told once more.
const maxNotices = 4096

// news leaves out what a session's user was told already: an item is told again when its content changed. Items for
// the model stay.
func (n *notices) news(session string, items []hook.Item) []hook.Item {
	n.mu.Lock()
	defer n.mu.Unlock()

	var out []hook.Item
	for _, it := range items {
		if !it.User || n.first(session+" "+it.ID, it.Digest(), it.Text == "") {
			out = append(out, it)
		}
	}
	return out
}

// once tells whether a cause is new.
func (n *notices) once(cause string) bool {
	n.mu.Lock()
	defer n.mu.Unlock()
	return n.first(cause, "", false)
}

// first keeps what is said of a topic and tells whether that is news. Nothing is not kept where nothing was said.
func (n *notices) first(topic, digest string, nothing bool) bool {
	before, told := n.said[topic]
	if told && before == digest || nothing && !told {
		return false
	}
	keep(&n.said, maxNotices, topic, digest)
	return true
}
