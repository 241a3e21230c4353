package daemon

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"sync"
	"time"

	"hookline/events"
	"hookline/hookctl/facts"
	"hookline/hookctl/hook"
	"hookline/hookctl/recorder"
	"hookline/hookctl/spool"
	"hookline/hookctl/wire"
	"hookline/projector"
	"hookline/projector/session"
	"hookline/replay/check"
)

// What is said to a hook, and what follows from it.

// render composes what is said to a hook, with the event of what the model is told. A user is told each thing once, by each
// install what concerns the recorder; a hook that came again has the event of its first answer.
func (i *intake) render(f wire.Frame, in hook.Input, w hook.World, recorded recorder.Told) reply {
	items, damage := recorded.Items, ""
	if in.Starts() && recorded.FirstOfInstall() {
		items = append(i.atStart(f, in), items...)
		damage = i.damage.words(in)
	}
	switch in.Event.(type) {
	case *events.ToolSucceeded, *events.ToolFailed: // the check that asked for a dream has had its answer when that fails
		if words, failed := i.dreams.takeFailure(in.Session); failed {
			items = slices.DeleteFunc(items, func(it hook.Item) bool { return it.ID == hook.ItemContinuity })
			items = append(items, hook.Item{ID: "identity.dream", Text: words, Event: in.Frame, Same: in.Frame, User: true})
		}
	}
	if in.Call.Verb == hook.VerbHook {
		items = slices.DeleteFunc(items, func(it hook.Item) bool {
			return it.User && !i.notices.isNews(in.Session+" "+it.ID, it.Digest())
		})
	}

	answer, injected := hook.Compose(in, recorded.Verdict, items, damage)
	if injected == nil || i.toldBefore(in, recorded, injected) {
		return reply{answer: answer}
	}
	base := hook.Around(in, w)
	base.Causation, base.AgentID = recorded.Cause, agentOf(in)
	envs, err := recorder.Envelopes(i.opts.Now(), base, injected)
	if err != nil {
		i.log.Error("record what was told", "session", in.Session, "err", err)
	}
	return reply{answer: answer, injected: envs}
}

// toldBefore reports whether the log has already what the model is told, or somebody else is told it: a hook that came again has
// the event of its first answer, unless that did not tell what a start had to say.
func (i *intake) toldBefore(in hook.Input, recorded recorder.Told, injected *events.ContextInjected) bool {
	switch {
	case recorded.Seen == recorder.Fresh, injected.Start != "":
		return false
	case recorded.Seen != recorder.Again || !in.Starts():
		return true
	}
	s, _ := i.session(context.WithoutCancel(i.life), in.Session)
	return s.Start.Event != recorded.Cause || s.Start.Told != ""
}

// answerMissed records that the answer to a hook did not reach the client, where it told the model what a start had to say: a
// later hook tells it then.
func (i *intake) answerMissed(ctx context.Context, in hook.Input) {
	if in.Session == "" {
		return
	}
	_, err := i.rec.Settle(ctx) // else what was told may not be known yet
	if err == nil {
		_, err = i.rec.Do(ctx, func(r projector.Reader) ([]events.Envelope, error) {
			s, _ := projector.State[session.State](r, session.Name, in.Session)
			if s.Start.Told == "" || s.Start.Told != in.Frame {
				return nil, nil
			}
			base := events.Envelope{Session: in.Session, Project: s.Project, Causation: in.Frame}
			return recorder.Envelopes(i.opts.Now(), base, &events.AnswerMissed{Start: s.Start.Event})
		})
	}
	if err != nil {
		i.log.Error("record that an answer was missed", "session", in.Session, "err", err)
	}
}

// atStart returns what the user should hear when a session starts: where the state is, if not where it is
// expected, and what is wrong with the configuration.
func (i *intake) atStart(f wire.Frame, in hook.Input) []hook.Item {
	var out []hook.Item
	warn := func(text string) {
		out = append(out, hook.Item{ID: "session.warning " + text, Text: text, Event: in.Frame, User: true})
	}
	if note, _, _ := strings.Cut(f.Note, "; "); strings.HasPrefix(note, wire.Homeless) {
		warn(i.clean(note) + "; set HOME or HOOKLINE_HOME to keep it")
	}
	for _, p := range i.configured(spool.Launch(f)).Problems {
		warn(i.clean(p.Warning()))
	}
	return out
}

// notices remembers what was said to users, by session and what it is about.
type notices struct{ said facts.Cache[string] }

// isNews reports whether what is said to a user of a topic differs from what was said before, and remembers it.
func (n *notices) isNews(topic, text string) bool {
	before, known := n.said.Put(topic, text)
	return !known || before != text
}

// damageNotice is what users hear of damage of the log: once, at the start of the next session, by this daemon or a later
// one.
type damageNotice struct {
	notices *notices

	mu       sync.Mutex // guards what follows
	warnings *check.Warnings
	current  string // what a session's start says
	session  string // that session
}

func newDamageNotice(w *check.Warnings) *damageNotice {
	return &damageNotice{notices: &notices{}, warnings: w}
}

// record appends, once, what was lost, healed or brought back, and keeps the words for the user: by the opening that found
// it, before anything else is appended. Nothing is appended where an opening that was killed before it could say so has done
// it.
func (n *damageNotice) record(ctx context.Context, rec *recorder.Recorder, o Options) error {
	f := rec.Store().Report().Found
	if o.unpacked {
		f.Did = nil // a backup has no log beside its archive
	}
	known := map[string]uint64{}
	var err error
	if f.ID != "" {
		known, err = rec.Find(ctx, f.ID)
	}
	if err == nil && !f.Empty() && len(known) == 0 {
		n.warnings.Add(f.ID, check.Told(f))
		var envs []events.Envelope
		envs, err = recorder.Envelopes(o.Now(), events.Envelope{ID: f.ID}, check.EventOf(f))
		if err == nil {
			_, err = rec.Import(ctx, envs)
		}
	}
	if err == nil {
		err = rec.Store().Recorded()
	}
	if e := rec.Rebuilt(); err == nil && e != nil && !o.unpacked { // a backup has no buckets
		_, err = rec.Note(ctx, events.Envelope{}, e)
	}
	if err != nil {
		return fmt.Errorf("record the log's damage: %w", err)
	}
	return nil
}

// words returns what the start of a session says of the log's damage, "" when it was said. The hook and the identity verb of
// one session's start say the same, whichever comes first (EC-SESSION-10).
func (n *damageNotice) words(in hook.Input) string {
	n.mu.Lock()
	defer n.mu.Unlock()
	if words := n.warnings.Take(); words != "" {
		n.current, n.session = words, in.Session
	}
	if n.current == "" || n.session != in.Session {
		return ""
	}
	if !n.notices.isNews("damage "+in.Session+" "+in.Call.Verb, n.current) {
		return ""
	}
	return n.current
}

// injectedSyncDelay is the longest time that the event of what a model was told waits for the fsync of the next hook; then
// it has its own.
const injectedSyncDelay = 100 * time.Millisecond

// recordInjected appends the events of what a model was told, while the answer is on its way.
func (i *intake) recordInjected(envs []events.Envelope) {
	if len(envs) == 0 {
		return
	}
	i.rec.Later(envs...)
	i.beside(func(ctx context.Context) {
		seq, err := i.rec.Settle(ctx)
		if err != nil {
			i.log.Error("record what was told", "session", envs[0].Session, "err", err)
			return
		}

		i.effects.Go(func() {
			select {
			case <-time.After(injectedSyncDelay):
			case <-i.life.Done():
			}
			if err := i.rec.Sync(ctx, seq); err != nil {
				i.log.Error("record what was told", "session", envs[0].Session, "err", err)
			}
		})
	})
}

// follow appends what follows from the fold as it is now: another hook may have come first.
func (i *intake) follow(ctx context.Context, in hook.Input, w hook.World, cause string) {
	recs, err := i.rec.Do(ctx, func(r projector.Reader) ([]events.Envelope, error) {
		base := events.Envelope{Session: in.Session, Project: w.Project, Causation: cause, AgentID: agentOf(in)}
		return recorder.Envelopes(i.opts.Now(), base, hook.Follow(in, w, hook.Reader{Reader: r})...)
	})
	if err != nil { // EC-SESSION-06: never the hook's trouble
		i.log.Error("record what follows", "session", in.Session, "err", err)
		return
	}

	for _, rec := range recs {
		if e, ok := rec.Event.(*events.DreamTriggered); ok {
			i.dreams.start(in.Session, e.Phase, rec.ID)
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
