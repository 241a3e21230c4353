package daemon

import (
	"context"
	"encoding/json"
	"os"
	"strings"
	"sync"

	"hookline/hookctl/config"
	"hookline/hookctl/facts"
	"hookline/hookctl/hook"
	"hookline/hookctl/wire"
	"hookline/projector"
)

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
