// Package codes folds what was worked on in a project into short codes (S4): files and functions that were changed,
// decisions, blockers, what comes next and what is done. One cell per project, keyed by its id.
//
//	impl:client.go   impl:Client.Send   dec:let's-use-backoff   block:fails:go-test   next:ship-it   done:test:go:ok
//
// Codes end together: by command, or when none came for seven days. The last ones that ended are kept, the log has all.
package codes

import (
	"cmp"
	"path"
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
	Version = 6
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
	Project    string  `json:"project,omitempty" jsonschema_description:"its id"`
	Now        Context `json:"context" jsonschema_description:"the codes that count"`
	Ended      []Ended `json:"ended,omitempty" jsonschema_description:"earlier ones, the newest last, at most 5"`
	Quarantine []Code  `json:"quarantine,omitempty" jsonschema_description:"what was added and is no code, at most 20"`
}

// Context is codes that begin and end together.
type Context struct {
	Session   string    `json:"session,omitempty" jsonschema_description:"that the newest code is of"`
	Branch    string    `json:"branch,omitempty" jsonschema_description:"that the newest code is of"`
	Started   time.Time `json:"started,omitzero" jsonschema_description:"when the first code came"`
	Updated   time.Time `json:"updated,omitzero" jsonschema_description:"when the newest code came; they expire seven days after"`
	Files     []Code    `json:"files,omitempty" jsonschema_description:"paths of changed files, below the work tree"`
	Functions []Code    `json:"functions,omitempty" jsonschema_description:"that were written"`
	Decisions []Code    `json:"decisions,omitempty" jsonschema_description:"of the user"`
	Blockers  []Code    `json:"blockers,omitempty" jsonschema_description:"that stand in the way"`
	Next      []Code    `json:"next_actions,omitempty" jsonschema_description:"things to do"`
	Done      []Code    `json:"completed,omitempty" jsonschema_description:"things done, and runs of tests with their result"`
}

// Code is one code, of a file its path.
type Code struct {
	Code    string    `json:"code" jsonschema_description:"as it is shown; of a file its path"`
	Event   string    `json:"event" jsonschema_description:"id of the newest event that it comes from"`
	Session string    `json:"session,omitempty" jsonschema_description:"of that event"`
	Time    time.Time `json:"time" jsonschema_description:"of that event"`
}

// Ended is a context that ended.
type Ended struct {
	Status  string    `json:"status" jsonschema_description:"completed, archived or expired"`
	Event   string    `json:"event" jsonschema_description:"id of the event that it ended with"`
	Time    time.Time `json:"time" jsonschema_description:"when it ended"`
	Context Context   `json:"context" jsonschema_description:"as it was"`
}

// Table is the projection.
var Table = projector.New(projector.Spec[State]{
	Name:    Name,
	Version: Version,
	Scope:   projector.ByProject,
	Before: func(s *State, r events.Record) bool {
		s.Project = r.Project
		return true
	},
	On: projector.Handlers(
		projector.On((*State).promptSubmitted),
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
	c := s.collector(r)
	c.prompt(e)
	s.collect(c)
}

func (s *State) toolSucceeded(r events.Record, e *events.ToolSucceeded) {
	c := s.collector(r)
	c.succeeded(e)
	s.collect(c)
}

func (s *State) toolFailed(r events.Record, e *events.ToolFailed) {
	if e.ToolName != "Bash" || e.IsInterrupt {
		return
	}
	c := s.collector(r)
	c.ran(e.ToolInput, false, e.Error)
	s.collect(c)
}

func (s *State) taskCreated(r events.Record, e *events.TaskCreated) {
	c := s.collector(r)
	c.put(&c.context.Next, "next:"+slug(e.TaskSubject))
	s.collect(c)
}

func (s *State) taskCompleted(r events.Record, e *events.TaskCompleted) {
	c := s.collector(r)
	c.done(slug(e.TaskSubject))
	s.collect(c)
}

// codesAdded takes in a code that was given by command. Text that is no code is kept apart.
func (s *State) codesAdded(r events.Record, e *events.CodesAdded) {
	c := s.collector(r)
	if !c.add(e.Code) {
		s.Quarantine = copies.Push(s.Quarantine, c.code(wording.Chars(e.Code, maxCode)), maxQuarantine)
	}
	s.collect(c)
}

func (s *State) codesClosed(r events.Record, e *events.CodesClosed) { *s = s.end(r, e.Status) }

func (s *State) sessionDeleted(r events.Record, _ *events.SessionDeleted) { *s = s.without(r.Session) }

// collector returns what collects the codes of a record, beginning with those that still count.
func (s *State) collector(r events.Record) *found { return &found{r: r, context: s.At(r.Time)} }

// collect takes over what was collected, if there was anything.
func (s *State) collect(c *found) {
	if !c.any {
		return
	}
	if s.Now.expired(c.r.Time) { // what had expired before ends with what is new
		*s = s.end(c.r, Expired)
	}
	s.Now = c.context
}

// end ends the codes as they are.
func (s State) end(r events.Record, status string) State {
	if s.Now.Empty() {
		return s
	}
	s.Ended = copies.Push(s.Ended, Ended{Status: status, Event: r.ID, Time: r.Time, Context: s.Now}, maxEnded)
	s.Now = Context{}
	return s
}

// without leaves out what a deleted session said.
func (s State) without(session string) State {
	of := func(c Code) bool { return c.Session == session }
	s.Quarantine, _ = copies.Take(s.Quarantine, of)
	s.Now = s.Now.without(of)
	s.Ended = slices.Clone(s.Ended)
	for i := range s.Ended {
		s.Ended[i].Context = s.Ended[i].Context.without(of)
	}
	return s
}

func (c Context) without(of func(Code) bool) Context {
	for _, list := range c.lists() {
		*list, _ = copies.Take(*list, of)
	}
	return c
}

// lists are the codes in S4's order.
func (c *Context) lists() []*[]Code {
	return []*[]Code{&c.Files, &c.Functions, &c.Decisions, &c.Blockers, &c.Next, &c.Done}
}

// Empty reports whether there is no code.
func (c Context) Empty() bool {
	return !slices.ContainsFunc(c.lists(), func(list *[]Code) bool { return len(*list) > 0 })
}

// expired reports whether the codes count no more at a time; that is seven days after the newest, exclusive.
func (c Context) expired(now time.Time) bool {
	return now.After(c.Updated.Add(Lifetime))
}

// At is the context as it counts at a time, empty after it has expired.
func (s State) At(now time.Time) Context {
	if s.Now.expired(now) {
		return Context{}
	}
	return s.Now
}

// Lines are the codes as they are shown (S4 "_format_codes"): project, phase, files, functions, decisions, blockers,
// next, done. None where there is no code.
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

// FileCodes returns the names of files: the base name, and where two are alike the shortest end of the path that differs.
func FileCodes(files []Code) []string {
	ends := map[string]int{} // how many files end so
	for _, f := range files {
		for end := f.Code; end != ""; _, end, _ = strings.Cut(end, "/") {
			ends[end]++
		}
	}
	var names []string
	for _, f := range files {
		name := f.Code
		for end := f.Code; end != "" && ends[end] == 1; _, end, _ = strings.Cut(end, "/") {
			name = end
		}
		names = append(names, name)
	}
	return names
}

// found is a context with what a record brings.
type found struct {
	r       events.Record
	context Context
	any     bool
}

// put adds a code, or renews it at the end of its list.
func (c *found) put(list *[]Code, code string) {
	_, what, _ := strings.Cut(code, ":")
	if strings.Trim(what, ":") == "" {
		return
	}
	c.renew(list, wording.Chars(code, maxCode), maxCodes)
}

// code returns a code of the record.
func (c *found) code(text string) Code {
	return Code{Code: text, Event: c.r.ID, Session: c.r.Session, Time: c.r.Time}
}

func (c *found) renew(list *[]Code, code string, most int) {
	c.drop(list, func(old string) bool { return old == code })
	*list = copies.Push(*list, c.code(code), most)

	c.any = true
	if c.context.Started.IsZero() {
		c.context.Started = c.r.Time
	}
	if c.r.Time.After(c.context.Updated) {
		c.context.Updated = c.r.Time
	}
	c.context.Session, c.context.Branch = c.r.Session, cmp.Or(c.r.Branch, c.context.Branch) // a command names none
}

// drop takes codes away, and reports whether there was one.
func (c *found) drop(list *[]Code, is func(code string) bool) bool {
	before := len(*list)
	*list, _ = copies.Take(*list, func(o Code) bool { return is(o.Code) })
	return len(*list) < before
}

// done notes that something was done; it comes next and stands in the way no more.
func (c *found) done(what string) {
	if what == "" {
		return
	}
	c.drop(&c.context.Next, func(code string) bool { return code == wording.Chars("next:"+what, maxCode) })
	c.drop(&c.context.Blockers, func(code string) bool { return strings.HasSuffix(code, ":"+what) })
	c.put(&c.context.Done, "done:"+what)
}

// add takes in a code of a command, and reports whether it is one.
func (c *found) add(code string) bool {
	kind, what, _ := strings.Cut(code, ":")
	what = slug(what)
	list := map[string]*[]Code{"impl": &c.context.Functions, "dec": &c.context.Decisions, "block": &c.context.Blockers,
		"next": &c.context.Next, "test": &c.context.Done, "done": &c.context.Done}[kind]
	switch {
	case list == nil || what == "":
		return false
	case kind == "done":
		c.done(what)
	default:
		c.put(list, kind+":"+what)
	}
	return true
}

// file notes a changed file by its path below the work tree.
func (c *found) file(name string) {
	if name == "" || len(name) > maxPath || strings.ContainsAny(name, "\n\r\x00") {
		return
	}
	c.renew(&c.context.Files, path.Clean(wording.Below(c.r.Worktree, name)), maxFiles)
}

// slug is a text as part of a code: spaces are hyphens.
func slug(text string) string {
	return strings.Join(strings.Fields(wording.Chars(text, 2*maxCode)), "-")
}
