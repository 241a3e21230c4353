package transcript

import (
	"context"
	"fmt"
	"strings"
	"time"

	"hookline/events"
)

// known is what the log has of the sessions before an import.
type known struct {
	ids      map[string]struct{}  // of events that an import brought
	sessions map[string]*recorded // by id
}

func (k *known) has(id string) bool {
	_, ok := k.ids[id]
	return ok
}

// of is what the log has of a session.
func (k *known) of(session string) *recorded {
	r := k.sessions[session]
	if r == nil {
		r = &recorded{exact: map[string]bool{}, near: map[string][]time.Time{}}
		k.sessions[strings.Clone(session)] = r
	}
	return r
}

// recorded is what the log has of one session.
type recorded struct {
	any      bool // something that was recorded when it happened
	project  string
	worktree string
	exact    map[string]bool        // by [Key], of calls and their outcomes
	near     map[string][]time.Time // what has no id of the client: when

	first, last time.Time // of the hooks that were recorded when they happened
	hooks       map[string]bool
	lost        bool // a hook of it is known to be lost
}

// learn goes over the log once.
func learn(ctx context.Context, log Log, sessions map[string]bool) (*known, error) {
	k := &known{ids: map[string]struct{}{}, sessions: map[string]*recorded{}}
	last, _ := log.Last()
	if last == 0 {
		return k, nil
	}
	err := log.ReadRaw(ctx, 1, last, func(rec events.Record) error {
		env := rec.Envelope
		ours := env.Imported && (env.Facts != nil && env.Facts.Note == note || env.Hook == "")
		if env.Imported {
			k.ids[strings.Clone(env.ID)] = struct{}{}
		}
		if env.Session != "" && env.Type == events.TypeHookRefused {
			k.of(env.Session).refused(env)
		}
		if env.Session == "" || env.Hook == "" {
			return ctx.Err()
		}
		r := k.of(env.Session)
		if ours {
			return ctx.Err()
		}
		r.any = true
		if env.Project != "" {
			r.project, r.worktree = strings.Clone(env.Project), strings.Clone(env.Worktree)
		}
		if sessions[env.Session] || sessions[""] {
			r.learn(env)
		}
		return ctx.Err()
	})
	if err != nil {
		return nil, fmt.Errorf("read what the log has: %w", err)
	}
	return k, nil
}

// learn remembers one event that a hook brought.
func (r *recorded) learn(env events.Envelope) {
	e := events.Decode(env.Type, env.Version, env.Data)
	r.mark(env, e)
	exact, near := marks(e)
	for _, key := range exact {
		r.exact[key] = true
	}
	if near != "" {
		r.near[near] = append(r.near[near], env.Time)
	}
}

// nearBy is how far apart the hook and the line of one thing may be: a compaction's hook comes minutes before its line.
const nearBy = 10 * time.Minute

// had tells whether hooks recorded an event, which stands for one event alone where the client gives it no id.
func (r *recorded) had(e events.Event, at time.Time) bool {
	exact, near := marks(e)
	for _, key := range exact {
		if r.exact[key] {
			return true
		}
	}
	if near == "" {
		return false
	}
	_, starts := e.(*events.SessionStarted)
	for i, t := range r.near[near] {
		gap := at.Sub(t)
		early := starts && gap > 0 && near == markStart // the terminal was open long before the first prompt
		if early || gap.Abs() <= nearBy {
			r.near[near] = append(r.near[near][:i:i], r.near[near][i+1:]...)
			return true
		}
	}
	return false
}

// markStart is the mark of a session's start that no compaction made.
const markStart = "start"

// marks are the keys of the client for an event, or else a word for what it is.
func marks(e events.Event) (exact []string, near string) {
	switch e := e.(type) {
	case *events.ToolRequested, *events.ToolSucceeded, *events.ToolFailed, *events.PermissionDenied:
		return []string{Key(e)}, ""
	case *events.ToolBatchFinished:
		for _, call := range e.ToolCalls {
			exact = append(exact, "batch "+call.ToolUseID)
		}
		return exact, ""
	case *events.SubagentStarted:
		return []string{"agent " + e.AgentID}, ""
	case *events.SubagentStopped:
		if e.AgentType == "" {
			return nil, "summary"
		}
		return []string{"agent stopped " + e.AgentID}, ""
	case *events.PromptSubmitted:
		return nil, Key(e)
	case *events.SessionStarted:
		if e.Source == "compact" {
			return nil, "start compact"
		}
		return nil, markStart
	case *events.CompactionStarted, *events.CompactionFinished, *events.TurnStopped, *events.SessionEnded:
		return nil, e.Type()
	}
	return nil, ""
}
