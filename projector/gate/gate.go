// Package gate folds the requirement gates: what was satisfied, triggered, denied and cleared. Whether
// a gate is open is a question with a time and is asked of the folded state ([State.Satisfied]); what a
// requirement is, and which calls ask for it, is configuration and no matter of this package.
//
// There are two kinds of cells. A branch of a project has one under "<project>/<branch>": project ids
// have no slash, so no two branches share a cell, whatever their names. What belongs to no branch (deleted
// sessions, retracted events, slash commands under way) is in the project's own cell under "<project>/",
// since a branch has a name. [At] joins the two.
//
//	1f3a90c2b7de/feature/x  {"gates":{"commit_plan":{"scope":"session","sessions":{"c68c8a51-…":{
//	                           "satisfied":{"at":"2026-11-21T07:52:00.123Z","event":"01K…","by":"skill"}}}}}}
//	1f3a90c2b7de/           {"pending":{"c68c8a51-…":{"command":"arch-review","prompt_id":"…"}}}
package gate

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"maps"
	"slices"
	"strings"
	"time"

	"hookline/events"
	"hookline/events/copies"
	"hookline/events/wording"
	"hookline/projector"
)

// Name and Version of the projection's cells.
const (
	Name    = "gate"
	Version = 7
)

// Bounds of a cell; the log has all of it. Beyond, the oldest goes first.
const (
	maxGates    = 256
	maxSessions = 128  // of one gate, and of the denials of one branch
	maxDeleted  = 1024 // sessions and events of a project that count no more
	maxMetadata = 4 << 10
	maxWord     = 200
	maxBranch   = 200 // bytes of a branch's name in a key; a bucket's keys have an end
)

// State is one cell. Of a branch's cell Gates and Blocks are set, of a project's the rest.
type State struct {
	Gates     map[string]Gate    `json:"gates,omitempty" jsonschema_description:"by requirement"`
	Blocks    map[string]Block   `json:"blocks,omitempty" jsonschema_description:"denials by session"`
	Pending   map[string]Pending `json:"pending,omitempty" jsonschema_description:"slash command of the running prompt, by session"`
	Deleted   []Tombstone        `json:"deleted,omitempty" jsonschema_description:"sessions that were deleted, oldest first"`
	Off       map[string]Mark    `json:"off,omitempty" jsonschema_description:"work trees whose gates went off as a whole, by their top"`
	Retracted []string           `json:"retracted,omitempty" jsonschema_description:"ids of events that were taken back, oldest first"`
}

// Gate is one requirement on one branch.
type Gate struct {
	Scope    string           `json:"scope,omitempty" jsonschema_description:"of the last write: session, branch, permanent or single_use"`
	Branch   Entry            `json:"branch,omitzero" jsonschema_description:"holds for every session"`
	Sessions map[string]Entry `json:"sessions,omitempty" jsonschema_description:"by session; ~ and eight characters for one that an imported file names by these"`
}

// Entry is what is known at one level.
type Entry struct {
	Satisfied *Mark `json:"satisfied,omitempty" jsonschema_description:"newest satisfaction that was not cleared"`
	Triggered *Mark `json:"triggered,omitempty" jsonschema_description:"the call that asked for it: the first one, or the first after that counted no more"`
	Cleared   *Mark `json:"cleared,omitempty" jsonschema_description:"newest clearing; it tells why the gate is closed again"`

	Reserved *Reservation `json:"reserved,omitempty" jsonschema_description:"the call that uses the satisfaction up, while it is under way"`
}

// Reservation is a call that a satisfaction of scope single_use let through.
type Reservation struct {
	Call  string    `json:"call" jsonschema_description:"the client's id of it"`
	Agent string    `json:"agent,omitempty" jsonschema_description:"id of the subagent that made it"`
	Head  string    `json:"head,omitempty" jsonschema_description:"commit before a call that commits"`
	At    time.Time `json:"at" jsonschema_description:"when"`
	Event string    `json:"event" jsonschema_description:"id of the event that says so"`
}

// Mark says who, when and by which event.
type Mark struct {
	At       time.Time       `json:"at" jsonschema_description:"when"`
	Event    string          `json:"event" jsonschema_description:"id of the event that says so"`
	Session  string          `json:"session,omitempty" jsonschema_description:"whose event it was"`
	By       string          `json:"by,omitempty" jsonschema_description:"of a satisfaction who, of a clearing why"`
	Skill    string          `json:"skill,omitempty" jsonschema_description:"where by is skill"`
	Since    time.Time       `json:"since,omitzero" jsonschema_description:"when it was first satisfied, of one that was carried over"`
	Expires  time.Time       `json:"expires,omitzero" jsonschema_description:"until when it holds; absent: no end"`
	Metadata json.RawMessage `json:"metadata,omitempty" jsonschema_description:"that was given with it"`
}

// Block is the newest denial that was given to a session.
type Block struct {
	Names  []string  `json:"names" jsonschema_description:"of the requirements"`
	Digest string    `json:"digest" jsonschema_description:"of the text that was given"`
	At     time.Time `json:"at" jsonschema_description:"when that text was last given in full"`
	Event  string    `json:"event" jsonschema_description:"id of the newest denial"`
	Count  int       `json:"count" jsonschema_description:"denials of calls"`
	Stops  int       `json:"stops,omitempty" jsonschema_description:"turns that were not let end"`
}

// Pending is a slash command whose prompt has not ended.
type Pending struct {
	Command    string `json:"command" jsonschema_description:"name, without its slash"`
	PromptID   string `json:"prompt_id,omitempty" jsonschema_description:"the client's id of the prompt"`
	Event      string `json:"event" jsonschema_description:"id of the event that says so"`
	Background bool   `json:"background,omitempty" jsonschema_description:"its turn stopped while work went on"`
}

// Tombstone is the newest deletion of a session. What came before it counts no more; what a session that
// is resumed after it does, counts.
type Tombstone struct {
	Session string    `json:"session" jsonschema_description:"whole id"`
	At      time.Time `json:"at" jsonschema_description:"when"`
}

// Key is the cell of a branch; "" where no gates are: outside of git and on a detached HEAD.
func Key(project, branch string) string {
	if project == "" || branch == "" {
		return ""
	}
	if len(branch) > maxBranch { // no ref has a tilde, so this is no other branch's key
		sum := sha256.Sum256([]byte(branch))
		branch = strings.ToValidUTF8(branch[:maxBranch-40], "") + "~" + hex.EncodeToString(sum[:16])
	}
	return project + "/" + branch
}

// ProjectKey is the cell of what belongs to no branch.
func ProjectKey(project string) string {
	if project == "" {
		return ""
	}
	return project + "/"
}

// SplitKey undoes [Key] but for names above 200 bytes; the branch of a project's own cell is "".
func SplitKey(key string) (project, branch string) {
	project, branch, _ = strings.Cut(key, "/")
	return project, branch
}

// Table is the projection. Most events concern the branch that they name, some the whole project.
var Table = projector.New(projector.Spec[State]{
	Name:    Name,
	Version: Version,
	Scope:   byBranch,
	On: projector.Handlers(
		projector.On((*State).satisfied),
		projector.On((*State).triggered),
		projector.On((*State).reserved),
		projector.On((*State).released),
		projector.On((*State).cleared),
		projector.On((*State).imported),
		projector.On((*State).blocked),
		projector.On((*State).stopBlocked),

		projector.On((*State).switched).In(ofProject),
		projector.On((*State).promptExpanded).In(ofProject),
		projector.On((*State).promptSubmitted).In(ofProject),
		projector.On((*State).turnStopped).In(ofProject),
		projector.On((*State).sessionEnded).In(ofProject),
		projector.On((*State).sessionReaped).In(ofProject),
		projector.On((*State).sessionDeleted).In(ofProject),
		projector.On((*State).retracted).In(ofProject),
	),
})

var (
	byBranch = &projector.Scope{
		Keys:    func(r events.Record) []string { return []string{Key(r.Project, r.Branch)} },
		Records: recordsOf,
	}
	ofProject = &projector.Scope{
		Keys:    func(r events.Record) []string { return []string{ProjectKey(r.Project)} },
		Records: recordsOf,
	}
)

func recordsOf(key string) []projector.Selector {
	project, _ := SplitKey(key)
	return []projector.Selector{{Project: project}}
}

func (s *State) reserved(r events.Record, e *events.GateReserved) {
	s.change(e.Name, "", r.Session, func(en *Entry) {
		en.Reserved = &Reservation{
			Call:  clip(e.ToolUseID),
			Agent: clip(e.AgentID),
			Head:  clip(e.Head),
			At:    r.Time,
			Event: r.ID,
		}
	})
}

func (s *State) released(r events.Record, e *events.GateReleased) {
	s.change(e.Name, "", r.Session, func(en *Entry) { en.Reserved = nil })
}

func (s *State) blocked(r events.Record, e *events.GateBlocked) {
	b := s.Blocks[r.Session]
	b.Count++
	if !e.Short {
		b.Digest, b.At = clip(e.Digest), r.Time
	}
	s.block(r, b, e.Names)
}

func (s *State) stopBlocked(r events.Record, e *events.GateStopBlocked) {
	b := s.Blocks[r.Session]
	b.Stops++
	s.block(r, b, e.Names)
}

func (s *State) sessionDeleted(r events.Record, _ *events.SessionDeleted) {
	if r.Session == "" {
		return
	}
	others, _ := copies.Take(s.Deleted, func(d Tombstone) bool { return d.Session == r.Session })
	s.Deleted = copies.Push(others, Tombstone{r.Session, r.Time}, maxDeleted)
	delete(s.Pending, r.Session)
}

func (s *State) retracted(_ events.Record, e *events.RecordRetracted) {
	if e.Target == "" || slices.Contains(s.Retracted, e.Target) {
		return
	}
	s.Retracted = copies.Push(s.Retracted, e.Target, maxDeleted)
}

func (s *State) satisfied(r events.Record, e *events.GateSatisfied) {
	m := markOf(r)
	m.By, m.Skill, m.Expires, m.Metadata = clip(e.By), clip(e.Skill), timeOf(e.ExpiresAt), small(e.Metadata)
	m.Since = timeOf(e.Since)
	session := r.Session
	if e.Level == events.GateLevelBranch {
		session, m.Session = "", r.Session
	} else if session == "" {
		return // for whom would it count
	}
	s.change(e.Name, e.Scope, session, func(en *Entry) { en.Satisfied = &m })
}

func (s *State) triggered(r events.Record, e *events.GateTriggered) {
	m, session := markOf(r), r.Session
	if shared(e.Scope) {
		session, m.Session = "", r.Session
	} else if session == "" {
		return
	}
	s.change(e.Name, e.Scope, session, func(en *Entry) { en.Triggered = &m })
}

// cleared takes satisfactions away. One session's clearing by command leaves triggered, so that the end
// of its turn is still held to the requirement.
func (s *State) cleared(r events.Record, e *events.GateCleared) {
	m := markOf(r)
	m.By, m.Session = clip(e.Reason), r.Session
	for name, g := range s.Gates {
		if e.Name != "" && clip(e.Name) != name {
			continue
		}
		if e.AllSessions {
			s.Gates[name] = Gate{Scope: g.Scope, Branch: Entry{Cleared: &m}}
			continue
		}
		if _, ok := g.Of(r.Session); !ok {
			continue
		}
		s.change(name, g.Scope, r.Session, func(en *Entry) {
			en.Satisfied, en.Cleared = nil, &m
			if e.Reason != events.GateClearedCommand {
				en.Triggered, en.Reserved = nil, nil
			}
		})
	}
}

// switched keeps which work trees have their gates off.
func (s *State) switched(r events.Record, e *events.GateSwitched) {
	if e.On {
		delete(s.Off, clip(e.Dir))
		return
	}
	m := markOf(r)
	m.By = clip(e.Reason)
	s.Off = put(s.Off, clip(e.Dir), m, func(m Mark) string { return m.Event })
}

// change applies fn to one entry and keeps the cell bounded. Session "" is the branch's entry.
func (s *State) change(name, scope, session string, fn func(*Entry)) {
	if name = clip(name); name == "" {
		return
	}
	if s.Gates == nil {
		s.Gates = map[string]Gate{}
	}
	g, ok := s.Gates[name]
	if !ok && len(s.Gates) >= maxGates {
		return // a repository with so many requirements does not exist; the log has it
	}
	if scope != "" {
		g.Scope = clip(scope)
	}
	if session == "" {
		fn(&g.Branch)
		s.Gates[name] = g
		return
	}
	en, _ := g.Of(session)
	fn(&en)
	g.Sessions = put(g.Sessions, session, en, Entry.newest)
	s.Gates[name] = g
}

// newest returns the id of the event that last said something about an entry.
func (e Entry) newest() string {
	id := ""
	for _, m := range []*Mark{e.Satisfied, e.Triggered, e.Cleared} {
		if m != nil {
			id = max(id, m.Event)
		}
	}
	return id
}

// put sets a value. Where the map is full the one with the smallest event id goes, which begins with its time; of two that
// with the smaller key.
func put[V any](m map[string]V, key string, v V, event func(V) string) map[string]V {
	if m == nil {
		m = map[string]V{}
	}
	if _, known := m[key]; !known && len(m) >= maxSessions {
		keys := slices.Collect(maps.Keys(m))
		delete(m, slices.MinFunc(keys, func(a, b string) int {
			return cmp.Or(cmp.Compare(event(m[a]), event(m[b])), cmp.Compare(a, b))
		}))
	}
	m[key] = v
	return m
}

func markOf(r events.Record) Mark { return Mark{At: r.Time, Event: r.ID} }

// shared reports the scopes whose one entry holds for every session.
func shared(scope string) bool {
	return scope == events.GateScopeBranch || scope == events.GateScopePermanent
}

// timeOf reads RFC 3339; what is none is no time.
func timeOf(s string) time.Time {
	t, err := time.Parse(time.RFC3339Nano, s)
	if err != nil {
		return time.Time{}
	}
	return t.UTC()
}

func clip(s string) string { return wording.Clip(s, maxWord) }

// small keeps metadata that fits; larger is in the log alone. The copy is the fold's own.
func small(b json.RawMessage) json.RawMessage {
	if len(b) > maxMetadata || !json.Valid(b) {
		return nil
	}
	return slices.Clone(b)
}
