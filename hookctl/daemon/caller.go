package daemon

import (
	"context"
	"encoding/json"
	"os"
	"strings"

	"hookline/hookctl/config"
	"hookline/hookctl/facts"
	"hookline/hookctl/hook"
	"hookline/hookctl/wire"
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

// nobodys tells that there is nothing to record: a verb that a person or a script called, outside of any
// session.
func nobodys(in hook.Input) bool { return in.Uncalled && in.Session == "" }

// answerNobody says what a verb has to say to a caller without a session.
func (d *Daemon) answerNobody(ctx context.Context, in hook.Input, w hook.World) (hook.Answer, error) {
	var after hook.After
	err := d.greet(ctx, in, w, &after)
	return hook.Render(in, after), err
}

// greet fills in from what a session starts whose id nobody knows.
func (d *Daemon) greet(ctx context.Context, in hook.Input, w hook.World, after *hook.After) error {
	if !in.Starts() || in.Session != "" {
		return nil
	}
	past, err := d.past(ctx, in, w)
	if err != nil {
		return err
	}
	after.Restored, after.Identity = hook.Unnamed(in, past)
	after.Born = true
	return nil
}

// atStart is what the user should hear when a session starts: where the state is, if not where it is
// expected, and what is wrong with the configuration.
func (d *Daemon) atStart(f wire.Frame, in hook.Input) []string {
	if !in.Starts() {
		return nil
	}
	var out []string
	if note, _, _ := strings.Cut(f.Note, "; "); strings.HasPrefix(note, wire.Homeless) {
		out = append(out, note+"; set HOME or HOOKLINE_HOME to keep it")
	}
	for _, p := range config.Load(config.Options{Getenv: os.Getenv, Dir: f.Launch()}).Problems {
		out = append(out, d.clean(p.Warning()))
	}
	return out
}

// heard is who was told of the log's damage: the hook and the identity verb of one session's start say the
// same, whichever comes first. Guarded by Daemon.mu; the zero value is ready.
type heard struct {
	session, words string
	by             map[string]bool // verbs
}

// damageWords are what a session's start says of the log's damage, "" when it was said. The caller holds d.mu.
func (d *Daemon) damageWords(in hook.Input) string {
	if words := d.untold.Now(); words != "" {
		d.heard = heard{session: in.Session, words: words, by: map[string]bool{in.Call.Verb: true}}
		return words
	}
	if d.heard.by == nil || d.heard.session != in.Session || d.heard.by[in.Call.Verb] {
		return ""
	}
	d.heard.by[in.Call.Verb] = true
	return d.heard.words
}
