package hook

import (
	"cmp"
	"fmt"
	"regexp"
	"slices"

	"hookline/events"
	"hookline/events/wording"
	"hookline/projector"
	"hookline/projector/identity"
	"hookline/projector/working"
)

// Identity (S0): from what a session's identity starts, what is said of it, and what it asks for.

// decideIdentity: a start restores, an end persists. A session without an id has no identity, nor has one of which the end alone came as
// a hook: the client ends a session that never began after commands such as `claude plugin install`.
func decideIdentity(in Input, w World, r Reader) []events.Event {
	if in.Session == "" {
		return nil
	}
	switch e := in.Event.(type) {
	case *events.SessionStarted:
		_, born := identityOf(r, in.Session)
		return []events.Event{restored(in, e, born, identityBefore(in, w, r))}
	case *events.SessionEnded:
		if _, born := identityOf(r, in.Session); !born && in.Call.Verb == VerbHook {
			return nil
		}
		return []events.Event{&events.IdentityPersisted{Reason: "session_end"}}
	}
	return nil
}

// identityOf returns a session's identity; false when it has none.
func identityOf(r Reader, id string) (identity.State, bool) {
	s, ok := projector.State[identity.State](r.Reader, identity.Name, id)
	return s, ok && s.Born
}

// latest finds the newest persisted identity of the project that is not the session's own: through the project's
// pointer, else through the temporal index (EC-SESSION-03). The zero state, which is not born, says that there is none.
func latest(r Reader, project, own string) identity.State {
	p, known := projector.State[identity.Pointer](r.Reader, identity.PointerName, identity.PointerKey(project))
	if !known { // a new project: the index would be every session of all the others
		return identity.State{}
	}
	for _, h := range slices.Backward(p.History) {
		if s := persisted(r, h.Session, project, own); s.Born {
			return s
		}
	}

	keys, _ := r.Keys(identity.PointerName) // without them none is found
	for _, key := range slices.Backward(keys) {
		if _, id, isTime := identity.SplitTime(key); isTime {
			if s := persisted(r, id, project, own); s.Born {
				return s
			}
		}
	}
	return identity.State{}
}

// persisted returns the identity of another session of the project, where it was persisted.
func persisted(r Reader, id, project, own string) identity.State {
	s, born := identityOf(r, id)
	other := born && id != own && s.Project == project
	if !other || s.Deleted || s.PersistedAtMS == 0 {
		return identity.State{}
	}
	s.SessionID = id
	return s
}

// restored decides from what the session's identity starts (S0 REQ-12, DECISIONS "source").
func restored(in Input, e *events.SessionStarted, born bool, prev identity.State) *events.IdentityRestored {
	out := &events.IdentityRestored{Source: e.Source}
	if in.instead != nil && born { // what could not be read may have been a resume: a live identity is not replaced for that
		out.Outcome, out.Previous = "continued", in.Session
		return out
	}

	switch {
	case e.Source == "clear":
		out.Outcome = "fresh"
	case e.Source == "resume":
		out.Outcome, out.Previous = "resumed", in.Session
		if !born {
			out.Outcome = "not_found"
		}
	case e.Source == "compact" && born:
		out.Outcome, out.Previous = "continued", in.Session
	case e.Source == "compact" || !prev.Born: // the recorder came in the middle of the session, or it is the project's first
		out.Outcome = "new"
	default:
		out.Outcome, out.Previous = "restored", prev.SessionID
		if prev.PersistedAtMS != 0 { // else it is a fork whose origin lives: nothing has passed since
			out.Snapshot = prev.TimestampMS
			out.GapMS = max(0, in.Time.UnixMilli()-out.Snapshot)
		}
		out.Carry = identity.CarryOf(prev, out.GapMS)
	}
	return out
}

// briefed are the tools before which the brief is given: they change the work.
var briefed = regexp.MustCompile(`^(Edit|MultiEdit|Write|NotebookEdit|mcp__(plugin_[^_]+_)?context-graph__.*)$`)

// tellIdentity returns S0's part of every hook's answer.
func tellIdentity(in Input, w World, r Reader) []Item {
	start, s, born := startedFrom(in, w, r)
	var items []Item

	if text, what := identityText(in, r, start, s, born); text != "" {
		it := item(what, RankIdentity, text, in.Frame)
		if what == itemState && born {
			guidance := s.GuidanceBeside(besideUnmended(in, r))
			it.Same = identity.ConsciousnessOf(s.Consciousness).ShortName() + " " + identity.Classify(s.LastIC) + " " + guidance
		}
		items = append(items, it)
	}

	mended := func(text string) { // what the fold had to do to an identity
		items = append(items, Item{ID: "identity.mended", Same: text + in.Frame, Text: text, Event: in.Frame, User: true, Warns: true})
	}
	if s.PhasesUnstable { // ERR-SESSION-08
		mended(unstable)
	}
	if size, drop := tooLarge(in, s); drop > 0 { // ERR-SESSION-09
		mended(fmt.Sprintf("Snapshot size (%dKB) exceeds limit, trajectory truncated", size>>10))
	}
	if start != nil && start.Outcome == "not_found" {
		items = append(items, Item{ID: "identity.not_found", Text: NotFound(in.Session), Same: in.Frame, Event: in.Frame, User: true})
	}
	if isOutcome(in.Event) && born {
		notice := identity.Notice(s.LastIC, dreamDue(in, w, s))
		if notice != "" && in.Call.Verb == VerbHook {
			notice = withReason(notice, workingOf(r, in.Session))
		}
		same := identity.Classify(s.LastIC)
		if notice == "" {
			same = "no notice" // also of a class that is told as soon as a failure is open
		}
		items = append(items, Item{ID: ItemContinuity, Text: notice, Same: same, Event: in.Frame, User: true})
	}
	return items
}

// besideUnmended reports whether something is told as not mended in the session of a frame: a failure of its own, or one that
// it was handed over. The identity profile tells nothing of the kind.
func besideUnmended(in Input, r Reader) bool {
	if in.Call.Verb != VerbHook {
		return false
	}
	s := workingOf(r, in.Session)
	handed := slices.ContainsFunc(s.StillOpen(), func(o events.OpenItem) bool { return o.Kind == events.OpenFailure })
	return handed || len(s.Open) > 0
}

// withReason returns a warning for the user with its reason in plain words before it, "" where no failure is open: then there
// is nothing that the user could do about it.
func withReason(notice string, s working.State) string {
	if len(s.Open) == 0 {
		return ""
	}
	most := slices.MaxFunc(s.Open, func(a, b working.Failure) int { return cmp.Or(a.Times-b.Times, a.Time.Compare(b.Time)) })
	return failureText(s, most) + ". " + notice
}

// failureText says in plain words what failed and how often: "the same test failed 5 times: go test ./x".
func failureText(s working.State, f working.Failure) string {
	kind, what := "call of "+f.Tool, wording.Below(s.Worktree, f.Target)
	switch f.Tool {
	case "Edit", "MultiEdit", "Write", "NotebookEdit":
		kind = "edit"
	case "Bash":
		kind = cmp.Or(events.Call{Runs: events.Runs(f.Target)}.Check(), "command")
		for _, c := range s.Commands {
			if c.Event == f.Event {
				what = c.Line
			}
		}
	}

	what = wording.Short(what, failureChars)
	if f.Times > 1 {
		return fmt.Sprintf("the same %s failed %d times: %s", kind, f.Times, what)
	}
	return fmt.Sprintf("the last %s failed: %s", kind, what)
}

// Ids of the items of the identity.
const (
	itemStart      = "identity.start"
	itemState      = "identity.state"      // the brief and the four lines
	ItemContinuity = "identity.continuity" // a warning for the user
)

// startedFrom returns what the session's identity started from with this frame, nil for other hooks than a start, and the
// identity as it is now. For a session whose id nobody knows both are made up: the answer says them, no event does.
func startedFrom(in Input, w World, r Reader) (*events.IdentityRestored, identity.State, bool) {
	if in.Session == "" && in.Starts() {
		e, ok := in.Event.(*events.SessionStarted)
		if !ok {
			e = &events.SessionStarted{Source: "startup"}
		}
		out := restored(in, e, false, identityBefore(in, w, r))
		env := events.Envelope{Type: out.Type(), Time: in.Time, Session: "-"}
		return out, projector.Fold(identity.Table, identity.State{}, events.Record{Envelope: env, Event: out}), true
	}

	s, born := identityOf(r, in.Session)
	return decidedAs[*events.IdentityRestored](r), s, born
}

// identityText returns what a hook or a verb of the identity profile says of the identity, and the item that it is.
func identityText(in Input, r Reader, start *events.IdentityRestored, s identity.State, born bool) (text, item string) {
	switch in.Call.Verb {
	case VerbBrief:
		return s.Brief(), itemState
	case VerbInject:
		return s.Context(), itemState
	case VerbRestore:
		if start == nil && born { // asked for without a start: nothing began, and what did once is said
			start = &events.IdentityRestored{Outcome: "new"}
			if s.PreviousSessionID != "" {
				start = &events.IdentityRestored{Outcome: "restored", Previous: s.PreviousSessionID}
			}
		}
		return startLine(start, s), itemStart
	case VerbCheck, VerbPersist:
		return "", ""
	}

	if in.Starts() {
		if start != nil && start.Source == "compact" && start.Outcome == "continued" {
			return "", "" // the same session goes on: nothing was restored
		}
		return startLine(start, s), itemStart
	}
	switch e := in.Event.(type) {
	case *events.PromptSubmitted:
		return s.ContextBeside(besideUnmended(in, r)), itemState
	case *events.ToolRequested:
		if briefed.MatchString(e.ToolName) {
			return s.Brief(), itemState
		}
	}
	return "", ""
}

// startLine greets the session by what its identity starts from.
func startLine(start *events.IdentityRestored, s identity.State) string {
	if start == nil {
		return ""
	}
	switch start.Outcome {
	case "restored", "resumed", "continued":
		return identity.RestoredLine(start.Previous, s.LastIC)
	case "fresh":
		return identity.FreshLine
	}
	return identity.NewLine
}

// NotFound returns ERR-SESSION-03's message.
func NotFound(session string) string {
	return fmt.Sprintf("Session %s not found, initializing new session", events.Shown(session))
}

// DreamFailed returns ERR-SESSION-05's message.
func DreamFailed(why string, ic float64) string {
	return fmt.Sprintf("Dream trigger failed: %s. IC remains at %.2f", why, ic)
}

// isOutcome reports whether a hook is of a tool's outcome.
func isOutcome(e events.Event) bool {
	switch e.(type) {
	case *events.ToolSucceeded, *events.ToolFailed:
		return true
	}
	return false
}

// dreamDue reports whether a tool's outcome left the session in a crisis that should start a dream.
func dreamDue(in Input, w World, s identity.State) bool {
	wanted := in.Call.Verb == VerbHook || in.Call.AutoDream
	return wanted && isOutcome(in.Event) && s.DreamDue(w.NowMS)
}

const unstable = "Kuramoto instability detected: NaN in oscillator phases"

// tooLarge measures the snapshot at a session's end; encoding it is nothing for the hot path.
func tooLarge(in Input, s identity.State) (size, drop int) {
	if _, ends := in.Event.(*events.SessionEnded); !ends {
		return 0, 0
	}
	return identity.TooLarge(s)
}

// followIdentity asks for a dream in a crisis and records what the fold had to mend.
func followIdentity(in Input, w World, r Reader) []events.Event {
	s, _ := identityOf(r, in.Session)
	var list []events.Event
	if s.PhasesUnstable {
		list = append(list, &events.PhasesReset{Reason: unstable})
	}
	if size, drop := tooLarge(in, s); drop > 0 {
		list = append(list, &events.TrajectoryShortened{SizeBytes: size, Dropped: drop})
	}
	if dreamDue(in, w, s) {
		list = append(list, &events.DreamTriggered{Phase: "full", Reason: "crisis", IC: s.LastIC})
	}
	return list
}
