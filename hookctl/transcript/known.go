package transcript

import (
	"context"
	"fmt"
	"strings"
	"time"

	"hookline/events"
	"hookline/hookctl/hook"
)

// known is what the log has of the sessions before an import.
type known struct {
	ids      map[string]struct{}  // of events that an import brought
	sessions map[string]*recorded // by id
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
		if env.Imported {
			k.ids[strings.Clone(env.ID)] = struct{}{}
		}
		if env.Session == "" || env.Hook == "" && env.Type != events.TypeHookRefused {
			return ctx.Err()
		}

		r := k.sessions[env.Session]
		if r == nil {
			r = &recorded{exact: map[string]bool{}, near: map[string][]time.Time{}, hooks: map[string]bool{}}
			k.sessions[strings.Clone(env.Session)] = r
		}
		switch {
		case env.Type == events.TypeHookRefused:
			e, ok := events.Decode(env.Type, env.Version, env.Data).(*events.HookRefused)
			r.lost = r.lost || ok && e.Reason == "lost"
		case env.Imported && env.Facts != nil && env.Facts.Note == events.FromTranscript:
		default:
			r.learn(env, sessions[env.Session] || sessions[""])
		}
		return ctx.Err()
	})
	if err != nil {
		return nil, fmt.Errorf("read what the log has: %w", err)
	}
	return k, nil
}

// learn remembers one event that a hook brought; whole, also what it is.
func (r *recorded) learn(env events.Envelope, whole bool) {
	r.any = true
	if env.Project != "" {
		r.project, r.worktree = strings.Clone(env.Project), strings.Clone(env.Worktree)
	}
	if !whole {
		return
	}

	e := events.Decode(env.Type, env.Version, env.Data)
	exact, near := marks(e)
	for _, key := range exact {
		r.exact[key] = true
	}
	if near != "" {
		r.near[near] = append(r.near[near], env.Time)
	}
	r.hooks[env.Hook+" "+events.MemberText(env.Data, "tool_name")] = true
	if r.first.IsZero() || env.Time.Before(r.first) {
		r.first = env.Time
	}
	if env.Time.After(r.last) {
		r.last = env.Time
	}
}

// nearBy is how far apart the hook and the line of one thing may be: a compaction's hook comes minutes before its line.
const nearBy = 10 * time.Minute

// had says whether hooks recorded an event, which stands for one event alone where the client gives it no id.
func (r *recorded) had(e events.Event, at time.Time) bool {
	exact, near := marks(e)
	for _, key := range exact {
		if r.exact[key] {
			return true
		}
	}
	for i, t := range r.near[near] {
		gap := at.Sub(t)
		early := near == markStart && gap > 0 // the terminal was open long before the first prompt
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

// Gap is a hook that a transcript stands for and that was never recorded, of a session of which others were.
type Gap struct {
	Session string    `json:"session" jsonschema_description:"its id"`
	Time    time.Time `json:"time" jsonschema_description:"of the transcript's line"`
	Hook    string    `json:"hook" jsonschema_description:"the client's name of it"`
	ToolUse string    `json:"tool_use_id,omitempty" jsonschema_description:"of a tool call"`
	Cause   string    `json:"cause" jsonschema_description:"before, after, lost, not_hooked or unknown"`
}

// Causes of a gap.
const (
	CauseBefore    = "before"     // it was before the first hook of the session that was recorded
	CauseAfter     = "after"      // it was after the last one
	CauseLost      = "lost"       // the log has a note that a hook of the session was lost
	CauseNotHooked = "not_hooked" // no hook of that name and tool was recorded in the session
	CauseUnknown   = "unknown"
)

// mostGaps bounds the list; they are counted all the same.
const mostGaps = 1000

// gap notes a hook that the log lacks, with its cause as far as the session's other events say. Only prompts, requests and
// successes are certain to have been hooks: a transcript does not say whether a call that failed was denied.
func (in *importing) gap(r *recorded, h Hook, e events.Event) {
	switch e.(type) {
	case *events.ToolRequested, *events.ToolSucceeded, *events.PromptSubmitted:
	default:
		return
	}
	if !r.any {
		return
	}

	cause := CauseUnknown
	switch {
	case h.Time.Before(r.first):
		cause = CauseBefore
	case h.Time.After(r.last):
		cause = CauseAfter
	case r.lost:
		cause = CauseLost
	case !r.hooks[h.Name+" "+events.MemberText(h.Data, "tool_name")]:
		cause = CauseNotHooked
	}
	in.out.Missing++
	if len(in.out.Gaps) < mostGaps {
		in.out.Gaps = append(in.out.Gaps, Gap{Session: h.Session, Time: h.Time, Hook: h.Name, ToolUse: hook.ToolUseID(e), Cause: cause})
	}
}
