package transcript

import (
	"time"

	"hookline/events"
	"hookline/hookctl/hook"
)

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

// gap notes a hook that the log has not. Only prompts, requests and successes are certain to have been hooks: of a
// failure the transcript does not say whether the call ran or was denied, and of turns, starts and compactions it tells too little.
func (in *importing) gap(r *recorded, h Hook, e events.Event) {
	switch e.(type) {
	case *events.ToolRequested, *events.ToolSucceeded, *events.PromptSubmitted:
	default:
		return
	}
	if !r.any {
		return
	}

	in.out.Missing++
	if len(in.out.Gaps) < mostGaps {
		in.out.Gaps = append(in.out.Gaps, Gap{Session: h.Session, Time: h.Time, Hook: h.Name, ToolUse: hook.ToolUseID(e), Cause: r.cause(h, e)})
	}
}

// cause tells why a hook is not in the log, as far as its session's other events say.
func (r *recorded) cause(h Hook, e events.Event) string {
	switch {
	case h.Time.Before(r.first):
		return CauseBefore
	case h.Time.After(r.last):
		return CauseAfter
	case r.lost:
		return CauseLost
	case !r.hooks[h.Name+" "+toolOf(e)]:
		return CauseNotHooked
	}
	return CauseUnknown
}

// mark remembers when the session's hooks came, and which.
func (r *recorded) mark(env events.Envelope, e events.Event) {
	if r.hooks == nil {
		r.hooks = map[string]bool{}
	}
	r.hooks[env.Hook+" "+toolOf(e)] = true

	if r.first.IsZero() || env.Time.Before(r.first) {
		r.first = env.Time
	}
	if env.Time.After(r.last) {
		r.last = env.Time
	}
}

// refused remembers that a hook of the session came and was lost.
func (r *recorded) refused(env events.Envelope) {
	e, ok := events.Decode(env.Type, env.Version, env.Data).(*events.HookRefused)
	r.lost = r.lost || ok && e.Reason == "lost"
}

// toolOf is the tool of a call; "" for what is no call.
func toolOf(e events.Event) string {
	switch e := e.(type) {
	case *events.ToolRequested:
		return e.ToolName
	case *events.ToolSucceeded:
		return e.ToolName
	}
	return ""
}
