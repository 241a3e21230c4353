// Package codes folds what was worked on in a project into short codes (S4): files and functions that were changed,
// decisions, blockers, what comes next and what is done. One cell per project, keyed by its id.
//
//	impl:client.go   impl:Client.Send   dec:let's-use-backoff   block:fails:go-test   next:ship-it   done:test:go:ok
//
// Codes end together: by command, or when none came for seven days. The last ones that ended are kept, the log has all.
package codes

import (
	"slices"
	"strings"
	"time"

	"hookline/events"
	"hookline/events/copies"
	"hookline/events/wording"
	"hookline/projector"
)

// Name and Version of the projection's cells. A change of what is read off a text is a new version.
const (
	Name    = "codes"
	Version = 11
)

// Lifetime is how long codes are kept after the newest one (S4 "expires").
const Lifetime = 7 * 24 * time.Hour

// How codes end.
const (
	Completed = "completed"
	Archived  = "archived"
	Expired   = "expired"
)

// Bounds of what one cell keeps; the log has all of it.
const (
	maxFiles      = 500
	maxCodes      = 500 // of each other kind
	maxCode       = 160 // characters
	maxPath       = 1024
	maxEnded      = 5
	maxQuarantine = 20
)

// State is the codes of one project.
type State struct {
	Project    string  `json:"project,omitempty" jsonschema_description:"id of the project"`
	Now        Context `json:"context" jsonschema_description:"the codes that count now"`
	Ended      []Ended `json:"ended,omitempty" jsonschema_description:"codes that have ended, the newest last, at most 5"`
	Quarantine []Code  `json:"quarantine,omitempty" jsonschema_description:"texts that were added by command and are no codes, at most 20"`
}

// Context is codes that begin and end together.
type Context struct {
	Session   string    `json:"session,omitempty" jsonschema_description:"id of the session that the newest code is from"`
	Branch    string    `json:"branch,omitempty" jsonschema_description:"branch that the newest code is from"`
	Started   time.Time `json:"started,omitzero" jsonschema_description:"when the first code came"`
	Updated   time.Time `json:"updated,omitzero" jsonschema_description:"when the newest code came; the codes expire seven days after"`
	Files     []Code    `json:"files,omitempty" jsonschema_description:"paths of changed files, below the work tree"`
	Functions []Code    `json:"functions,omitempty" jsonschema_description:"functions that were written"`
	Decisions []Code    `json:"decisions,omitempty" jsonschema_description:"decisions of the user"`
	Blockers  []Code    `json:"blockers,omitempty" jsonschema_description:"what stands in the way"`
	Next      []Code    `json:"next_actions,omitempty" jsonschema_description:"things to do"`
	Done      []Code    `json:"completed,omitempty" jsonschema_description:"things done, and runs of tests with their result"`
}

// Code is one code, of a file its path.
type Code struct {
	Code    string    `json:"code" jsonschema_description:"the code as it is shown; of a file its path"`
	Event   string    `json:"event" jsonschema_description:"id of the newest event that the code comes from"`
	Session string    `json:"session,omitempty" jsonschema_description:"id of the session of that event"`
	Time    time.Time `json:"time" jsonschema_description:"when that event was captured"`

	By   string `json:"by,omitempty" jsonschema_description:"who said it: user, agent, output of a command, or command of this program"`
	Text string `json:"text,omitempty" jsonschema_description:"sentence that a decision or a blocker comes from"`
}

// Who a code comes from.
const (
	ByUser    = "user"
	ByAgent   = "agent"
	ByOutput  = "output"
	ByCommand = "command"
)

// Ended is a context that ended.
type Ended struct {
	Status  string    `json:"status" jsonschema_description:"how the codes ended: completed, archived or expired"`
	Event   string    `json:"event" jsonschema_description:"id of the event that the codes ended with"`
	Time    time.Time `json:"time" jsonschema_description:"when the codes ended"`
	Context Context   `json:"context" jsonschema_description:"the codes as they were then"`
}

// Table is the projection.
var Table = projector.New(projector.Spec[State]{
	Name:    Name,
	Version: Version,
	Scope:   projector.ByProject,
	Start:   func(project string) State { return State{Project: project} },
	On: projector.Handlers(
		projector.On((*State).promptSubmitted),
		projector.On((*State).turnStopped),
		projector.On((*State).toolSucceeded),
		projector.On((*State).toolFailed),
		projector.On((*State).taskCreated),
		projector.On((*State).taskCompleted),
		projector.On((*State).codesAdded),
		projector.On((*State).codesClosed),
		projector.On((*State).sessionDeleted),
	),
})

func (s *State) promptSubmitted(r events.Record, e *events.PromptSubmitted) {
	s.collect(r, func(c *collector) { c.prompt(e) })
}

// turnStopped reads what the agent says of what stood in the way.
func (s *State) turnStopped(r events.Record, e *events.TurnStopped) {
	if r.AgentID != "" || len(s.Now.Blockers) == 0 {
		return
	}
	s.collect(r, func(c *collector) { c.said(e.LastAssistantMessage) })
}

func (s *State) toolSucceeded(r events.Record, e *events.ToolSucceeded) {
	s.collect(r, func(c *collector) { c.succeeded(e) })
}

func (s *State) toolFailed(r events.Record, e *events.ToolFailed) {
	if e.ToolName != "Bash" || e.IsInterrupt {
		return
	}
	s.collect(r, func(c *collector) { c.failed(e) })
}

func (s *State) taskCreated(r events.Record, e *events.TaskCreated) {
	s.collect(r, func(c *collector) { c.by(ByAgent).put(&c.context.Next, "next:"+slug(e.TaskSubject)) })
}

func (s *State) taskCompleted(r events.Record, e *events.TaskCompleted) {
	s.collect(r, func(c *collector) { c.by(ByAgent).done(slug(e.TaskSubject)) })
}

// codesAdded takes in a code that was given by command. Text that is no code is kept apart.
func (s *State) codesAdded(r events.Record, e *events.CodesAdded) {
	s.collect(r, func(c *collector) {
		if !c.by(ByCommand).add(e.Code) {
			s.Quarantine = copies.Push(s.Quarantine, c.code(wording.Chars(e.Code, maxCode)), maxQuarantine)
		}
	})
}

func (s *State) codesClosed(r events.Record, e *events.CodesClosed) { s.end(r, e.Status) }

// sessionDeleted leaves out what the deleted session said.
func (s *State) sessionDeleted(r events.Record, _ *events.SessionDeleted) {
	isOfSession := func(c Code) bool { return c.Session == r.Session }
	s.Quarantine, _ = copies.Take(s.Quarantine, isOfSession)
	s.Now = s.Now.without(isOfSession)
	s.Ended = slices.Clone(s.Ended)
	for i := range s.Ended {
		s.Ended[i].Context = s.Ended[i].Context.without(isOfSession)
	}
}

// collect takes in what read finds in a record. Codes that had expired before end with what is new.
func (s *State) collect(r events.Record, read func(*collector)) {
	expired := s.Now.expired(r.Time)
	c := &collector{record: r, context: s.Now}
	if expired {
		c.context = Context{}
	}
	read(c)
	if !c.found && !c.changed {
		return
	}

	if expired {
		s.end(r, Expired)
	}
	s.Now = c.context
}

// end ends the codes as they are.
func (s *State) end(r events.Record, status string) {
	if s.Now.Empty() {
		return
	}
	ended := Ended{Status: status, Event: r.ID, Time: r.Time, Context: s.Now}
	s.Ended = copies.Push(s.Ended, ended, maxEnded)
	s.Now = Context{}
}

// without returns the context without some codes.
func (c Context) without(leftOut func(Code) bool) Context {
	for _, list := range c.lists() {
		*list, _ = copies.Take(*list, leftOut)
	}
	return c
}

// lists returns the codes in S4's order.
func (c *Context) lists() []*[]Code {
	return []*[]Code{&c.Files, &c.Functions, &c.Decisions, &c.Blockers, &c.Next, &c.Done}
}

// Empty reports whether there is no code.
func (c Context) Empty() bool {
	return !slices.ContainsFunc(c.lists(), func(list *[]Code) bool { return len(*list) > 0 })
}

// expired reports whether the codes count no more at a time: more than seven days after the newest.
func (c Context) expired(now time.Time) bool {
	return now.After(c.Updated.Add(Lifetime))
}

// At returns the context as it counts at a time: without the codes whose own last event is older than seven days, and empty
// after it has expired.
func (s State) At(now time.Time) Context {
	if s.Now.expired(now) {
		return Context{}
	}
	return s.Now.without(func(c Code) bool { return now.After(c.Time.Add(Lifetime)) })
}

// Lines returns the codes as they are shown (S4 "_format_codes"): project, phase, files, functions, decisions,
// blockers, next, done. None where there is no code.
func (c Context) Lines(project string) []string {
	if c.Empty() {
		return nil
	}
	lines := []string{"proj:" + project}
	if c.Branch != "" {
		lines = append(lines, "phase:"+c.Branch)
	}
	for _, name := range FileCodes(c.Files) {
		lines = append(lines, "impl:"+name)
	}
	for _, list := range c.lists()[1:] {
		for _, code := range *list {
			lines = append(lines, code.Code)
		}
	}
	return lines
}

// FileCodes returns the names of files: the base name, and where two are alike the shortest end of the path that
// differs.
func FileCodes(files []Code) []string {
	count := map[string]int{} // of files by each end of their path
	for _, f := range files {
		for end := f.Code; end != ""; _, end, _ = strings.Cut(end, "/") {
			count[end]++
		}
	}

	var names []string
	for _, f := range files {
		name := f.Code
		for end := f.Code; end != "" && count[end] == 1; _, end, _ = strings.Cut(end, "/") {
			name = end
		}
		names = append(names, name)
	}
	return names
}
