package daemon

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"sync/atomic"
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
)

// intake is the way of a hook, from its frame to its answer and to what follows. This file has the steps in their order;
// the numbers are those of the diagram in docs/architecture.md. The details of a step are in the file that is named after it.
type intake struct {
	*core
	projects facts.Cache[*projectConfig] // by the folder that the client was launched in
	memories facts.Cache[*redact.Memory] // by session: a secret is also replaced where it recurs without its name
	clients  facts.Cache[knownClient]    // by CLAUDE_PID

	drainer *drainer
	gates   *gateReader
	usage   *usageMeters
	dreams  *dreams
	notices *notices
	damage  *damageNotice
	counts  hookCounts

	lastFrame     atomic.Int64 // Unix ms of the newest frame
	clockReported atomic.Bool  // that the clock went back is in the log
	aheadReported atomic.Int64 // Unix ms when the log was told of a capture that was ahead of the clock

	// noticeBuild is told which build and program a client belongs to; ctx is that of the client's request.
	noticeBuild func(ctx context.Context, build, binary string)
}

// newIntake returns an intake that notices no builds.
func newIntake(c *core, damage *damageNotice) *intake {
	said := &notices{}
	damage.notices = said
	i := &intake{core: c, notices: said, damage: damage, gates: newGateReader(c, said), usage: newUsageMeters(c), dreams: newDreams(c)}
	i.drainer = newDrainer(c, i)
	i.noticeBuild = func(context.Context, string, string) {}
	i.projects.Most = maxRoots
	i.memories.Most = 64 // each up to 100 KB
	i.clients.Most = 256
	return i
}

// arrival is how a frame came to the daemon.
type arrival int

const (
	fromClient arrival = iota // which waits for the answer
	fromSpool                 // later: nobody reads an answer, and what is seen now is not what was there then
)

// reply is what a hook gets.
type reply struct {
	input    hook.Input // that was recorded; the zero value for none
	answer   hook.Answer
	overdue  bool              // the answer tells what a start could not
	injected []events.Envelope // the event of what the model is told; it is appended when the answer was passed on
}

// takeWithin bounds the recording of a frame. It goes on when the client has given up: what was half
// recorded would otherwise be an error, and the client's retry a duplicate.
const takeWithin = 30 * time.Second

// handleHook answers POST /v1/hook: one frame in, one answer out. It is the hot path.
func (i *intake) handleHook(w http.ResponseWriter, r *http.Request) {
	w.Header().Set("Hookline-Protocol", strconv.Itoa(wire.Protocol))
	w.Header().Set("Hookline-Build", wire.Build)
	if v := r.Header.Get("Hookline-Protocol"); v != strconv.Itoa(wire.Protocol) {
		http.Error(w, "protocol "+v+" is not spoken here; restart the daemon: hookctl restart", http.StatusHTTPVersionNotSupported)
		return
	}
	defer i.memory.enter(r.ContentLength)()
	f, err := spool.ParseFrame(r.Header.Get("Hookline-Frame"), r.Body)
	if err != nil {
		http.Error(w, err.Error(), http.StatusBadRequest)
		return
	}

	ctx, cancel := context.WithTimeout(context.WithoutCancel(r.Context()), takeWithin)
	defer cancel()
	if err := i.drainer.catchUp(ctx, f); err != nil { // an outcome must not stand before its request
		i.log.Warn("take what waits before a hook", "frame", f.ID, "err", err)
		http.Error(w, "frames of this session wait in the spool", http.StatusServiceUnavailable)
		return
	}

	out, err := i.take(ctx, f, fromClient)
	if err != nil {
		i.log.Error("take", "frame", f.ID, "err", err)
		http.Error(w, err.Error(), http.StatusServiceUnavailable)
		return
	}
	clientWaits := r.Context().Err() == nil
	if clientWaits { // one that gave up passes nothing on to the model
		i.recordInjected(out.injected)
	}
	if out.overdue {
		i.rec.Answered(out.input)
	}
	i.noticeBuild(r.Context(), r.Header.Get("Hookline-Build"), f.Binary)

	err = writeAnswer(w, out.answer)
	if err != nil && clientWaits {
		i.answerMissed(ctx, out.input)
	}
}

// writeAnswer sends an answer; the error says that the client is gone.
func writeAnswer(w http.ResponseWriter, answer hook.Answer) error {
	h := w.Header()
	h.Set("Content-Type", "text/plain; charset=utf-8")
	h.Set("Hookline-Exit", strconv.Itoa(answer.Exit))
	h.Set("Hookline-Stdout", strconv.Itoa(len(answer.Stdout)))
	h.Set("Content-Length", strconv.Itoa(len(answer.Stdout)+len(answer.Stderr)))
	if _, err := w.Write(append(answer.Stdout, answer.Stderr...)); err != nil {
		return err
	}
	return http.NewResponseController(w).Flush()
}

// take records one frame and returns its answer. It returns only when the frame's events are on disk. An error means that
// nothing was recorded: the sender must keep the frame.
func (i *intake) take(ctx context.Context, f wire.Frame, from arrival) (reply, error) {
	i.lastFrame.Store(i.opts.Now().UnixMilli())
	if call := hook.ParseCall(f.Args); call.Verb == hook.VerbBrief && !call.AsHook {
		return reply{answer: i.brief(ctx, f)}, nil
	}
	project := i.configured(spool.Launch(f))
	if project.off {
		return reply{}, nil
	}

	clean := i.redact(f, project) // 1 redact
	in, err := i.decode(clean)    // 2 decode
	if err != nil {
		return reply{}, err
	}
	ofProcess := in.Session == "" && (in.Defaulted() || in.Call.Verb != hook.VerbHook)
	if ofProcess {
		in = i.bySender(ctx, f, in)
	}
	if in.Starts() && from == fromClient { // a session that has crashed just now has its handoff before this one begins
		i.reap(ctx)
	}
	world := i.observe(ctx, f, &in, from)
	if in.Uncalled {
		return reply{answer: i.readOnly(ctx, in, world)}, nil
	}

	recorded, err := i.record(ctx, f, in, world) // 3 decide, 4 append, 5 fold
	if err != nil {
		return reply{}, err
	}

	var out reply
	switch from {
	case fromClient:
		out = i.render(f, in, world, recorded) // 6 render
		i.usage.measureAfter(in, world, recorded)
	case fromSpool:
		if recorded.Seen == recorder.Again { // the sender had no answer from the first delivery, else it had not kept the frame
			i.answerMissed(ctx, in)
		}
	}
	out.input, out.overdue = in, recorded.Overdue
	if len(recorded.Effects) > 0 {
		i.beside(func(ctx context.Context) { i.follow(ctx, in, world, recorded.Cause) })
	}
	return out, nil
}

// brief answers from memory: no record, no disk. Its session is the input's, the client's own word, else the live session
// of its process, else the only live one of the project: it only asks, so a guess that hits nearly always is better than
// none.
func (i *intake) brief(ctx context.Context, f wire.Frame) hook.Answer {
	id := spool.Session(f)
	if id == "" {
		var project string
		if id, project = i.sessionByProcess(ctx, f); id == "" {
			id = i.onlyIn(ctx, project)
		}
	}
	line := readStates(ctx, i.core, func(r projector.Reader) string {
		s, _ := identityIn(r, id)
		return s.Brief()
	})
	return hook.Plain(line, "", 0)
}

// cleanFrame is a frame without secrets: in its note and arguments, and in its body, which is apart.
type cleanFrame struct {
	wire.Frame // its Body is as it came
	body       []byte
	report     redact.Report
}

// redact takes the secrets out of a frame.
func (i *intake) redact(f wire.Frame, project *projectConfig) cleanFrame {
	f.Note = i.clean(f.Note)
	f.Args = slices.Clone(f.Args)
	for n, arg := range f.Args {
		f.Args[n] = i.clean(arg)
	}
	memory := i.memories.Of(spool.Session(f), redact.NewMemory)
	body, report := project.redactor.Remembering(memory).JSON(f.Body)
	return cleanFrame{Frame: f, body: body, report: report}
}

// decode cuts and decodes a frame: with the redaction everything that needs neither the past nor an order.
func (i *intake) decode(f cleanFrame) (hook.Input, error) {
	if at := time.UnixMilli(f.Time).UTC(); at.Year() < 2000 || at.Year() >= 2100 {
		f.Note = strings.TrimPrefix(f.Note+"; capture time "+strconv.FormatInt(f.Time, 10)+" replaced", "; ")
		f.Time = i.opts.Now().UnixMilli()
	}

	now := i.opts.Now()
	var captured time.Time
	if at := time.UnixMilli(f.Time).UTC(); at.After(now.Add(events.MaxAhead)) {
		captured = at
		f.Time = now.UnixMilli()
	}

	body, err := hook.Cut(f.body, i.server.Blobs().Put)
	if err != nil {
		return hook.Input{}, err
	}
	in := hook.Decode(f.Frame, body, f.report.Count+f.Redacted)
	in.Captured = captured
	for _, pattern := range f.report.Skipped {
		in.Warnings = append(in.Warnings, fmt.Sprintf("redact_extra %q of the project covers more than a fifth of a long text, and was left out for this hook", pattern))
	}
	return in, nil
}

// bySender returns an input that names no session as one of the session that its sender's process runs, of none where that
// is not known.
func (i *intake) bySender(ctx context.Context, f wire.Frame, in hook.Input) hook.Input {
	id, _ := i.sessionByProcess(ctx, f)
	if id == "" {
		return in.Nameless()
	}
	return in.By(id)
}

// readOnly answers a verb that a person or a script called without a hook: it only reads.
func (i *intake) readOnly(ctx context.Context, in hook.Input, w hook.World) hook.Answer {
	items := readStates(ctx, i.core, func(r projector.Reader) []hook.Item {
		return hook.Tell(in, w, hook.Reader{Reader: r}, false)
	})
	answer, _ := hook.Compose(in, hook.Verdict{}, items, "")
	return answer
}

// record has the hook decided, appended and folded: [recorder.Recorder.Record]. Where the store cannot write any more the
// next start opens it anew, checked; frames wait in the spool meanwhile.
func (i *intake) record(ctx context.Context, f wire.Frame, in hook.Input, w hook.World) (recorder.Told, error) {
	i.reportClock(ctx)
	install := i.clean(installOf(f))
	recorded, err := i.rec.Record(ctx, in, w, install)
	switch {
	case errors.Is(err, embedded.ErrWriteStuck):
		i.stop("write_stuck")
	case errors.Is(err, embedded.ErrLogDamaged):
		i.stop("log_damaged")
	}
	if err != nil {
		return recorder.Told{}, err
	}

	h := countedHook{verdict: recorded.Seen, name: in.Name(), install: install, event: in.Event}
	i.counts.count(h, i.opts.Now())
	if !in.Captured.IsZero() {
		i.reportAhead(ctx, in)
	}
	if w.Gates != nil && recorded.FirstOfInstall() {
		i.gates.problemsRecorded(w.Gates.Root)
	}
	return recorded, nil
}

// reportClock records, once a run, that the clock is more than a second earlier than the log's newest record.
func (i *intake) reportClock(ctx context.Context) {
	back := i.rec.Newest().Sub(i.opts.Now())
	if back <= time.Second || i.clockReported.Swap(true) {
		return
	}
	if _, err := i.rec.Note(ctx, events.Envelope{}, &events.ClockJumped{BackMS: back.Milliseconds()}); err != nil {
		i.log.Warn("record clock jump", "err", err)
	}
}

// reportAhead records, once an hour, that a hook was captured later than the daemon's clock says.
func (i *intake) reportAhead(ctx context.Context, in hook.Input) {
	now := i.opts.Now()
	last := i.aheadReported.Load()
	if now.Sub(time.UnixMilli(last)) < time.Hour || !i.aheadReported.CompareAndSwap(last, now.UnixMilli()) {
		return
	}
	ahead := &events.ClockCorrected{AheadMS: in.Captured.Sub(in.Time).Milliseconds()}
	if _, err := i.rec.Note(ctx, events.Envelope{Causation: in.Frame}, ahead); err != nil {
		i.log.Warn("record that a capture was ahead", "err", err)
	}
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
