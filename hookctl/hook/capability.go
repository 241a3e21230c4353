package hook

import (
	"hookline/events"
	"hookline/projector"
	"hookline/projector/session"
)

// World is what was asked of the machine for one frame.
type World struct {
	Project  string // id
	Worktree string
	Branch   string
	Seen     *Sighting                 // how the project looks; nil where that is known
	Gates    *Gates                    // nil: none apply
	Use      *Use                      // of the context window; nil: not measured
	Survey   *events.WorkplaceSurveyed // what a start found; nil: nothing to tell
	Origin   string                    // session that a session which starts is a fork of, as its transcript or the client's arguments say; "" for none
	Missing  map[string]bool           // files of [PathsToTell], absolute, that are not on the disk; nil: none was looked for
	Delta    int                       // tokens between two delta syntheses; 0: none is marked
	Evidence string                    // how strictly a turn's end is held to evidence; "" is loose
	Facts    events.Facts
	NowMS    int64 // Unix ms
}

// Reader is the past as a capability sees it: the projections at one position, and the events that were decided with
// the frame; before the decision there are none.
type Reader struct {
	projector.Reader
	Decided []events.Event
}

// sessionOf is a session's state, the zero state when it has none.
func sessionOf(r Reader, id string) session.State {
	s, _ := projector.State[session.State](r.Reader, session.Name, id)
	return s
}

// decidedAs is the first event of a type that was decided with the frame, nil for none.
func decidedAs[E events.Event](r Reader) (found E) {
	for _, e := range r.Decided {
		if e, ok := e.(E); ok {
			return e
		}
	}
	return found
}

// Capability is one thing that the product does at a hook. Its functions are pure; a nil function does nothing.
type Capability struct {
	Name   string
	Decide func(Input, World, Reader) []events.Event // what follows from the hook, before it is appended
	Refuse func(Input, World, Reader) Verdict        // whether the call is denied or the turn goes on
	Tell   func(Input, World, Reader) []Item         // what there is to say, after the fold
	Follow func(Input, World, Reader) []events.Event // what follows from the fold, appended after the answer

	// Place is where its events belong; nil: to the session's project and branch.
	Place func(World) (project, worktree, branch string)
	// Own: what it tells is for the session of a hook alone, not for an identity verb.
	Own bool
	// Every: it decides and refuses also for a hook that another install sent first.
	Every bool
}

// capabilities is the table of all capabilities, in the order of their events.
var capabilities = []Capability{
	{Name: "project", Decide: decideProject},
	{Name: "session", Tell: tellSession},
	{Name: "context", Decide: decideContext, Tell: tellContext, Own: true},
	{Name: "identity", Decide: decideIdentity, Tell: tellIdentity, Follow: followIdentity},
	{Name: "handover", Decide: decideHandover},
	{Name: "gate", Decide: decideGates, Refuse: refuseGates, Tell: tellGates, Place: placeOfGates, Every: true},
	{Name: "working", Decide: decideWorking, Refuse: refuseStop, Tell: tellWorking, Own: true},
	{Name: "ledger", Decide: decideLedger, Tell: tellLedger, Follow: followLedger, Own: true},
	{Name: "codes", Tell: tellCodes, Own: true},
}

// Verdict is the decision whether a hook passes. The zero value lets it pass.
type Verdict struct {
	Deny  string // reason that the call is denied
	Block string // reason that the turn goes on
}

// Refuses reports whether the call is denied or the turn goes on.
func (v Verdict) Refuses() bool { return v.Deny != "" || v.Block != "" }

// Refuse returns the first refusal of a frame.
func Refuse(in Input, w World, r Reader) Verdict {
	for _, c := range capabilities {
		if c.Refuse == nil {
			continue
		}
		if v := c.Refuse(in, w, r); v.Refuses() {
			return v
		}
	}
	return Verdict{}
}

// Tell returns what there is to say at a frame. An item for the model that this context has already is left out, unless
// the frame came again: a sender that repeats it has not had the first answer.
func Tell(in Input, w World, r Reader, again bool) []Item {
	past := sessionOf(r, in.Session)
	own := in.Call.Verb == VerbHook && in.Session != ""
	var items []Item
	for _, c := range capabilities {
		if c.Tell == nil || c.Own && !own {
			continue
		}
		for _, it := range c.Tell(in, w, r) {
			if again || it.User || !hadBefore(in, past, it) {
				items = append(items, it)
			}
		}
	}
	return inPhase(in, past, items)
}

// Follow returns the events that follow from the fold of a frame: effects, appended after the answer.
func Follow(in Input, w World, r Reader) []events.Event {
	var list []events.Event
	for _, c := range capabilities {
		if c.Follow != nil {
			list = append(list, c.Follow(in, w, r)...)
		}
	}
	return list
}
