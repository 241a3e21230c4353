// Package working folds what a session works on: its goal and current task, the files it touched, the commands it ran
// with their outcome, what failed and was not mended, what the user corrected, and its list of things to do. One cell
// per client session, keyed by its full id (S2 "State Tiers").
//
// Every entry keeps the id of the event that it comes from. Nothing is guessed: a field without an event stays empty.
package working

import (
	"cmp"
	"maps"
	"regexp"
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
	Name    = "working"
	Version = 34
)

// Schema is the version of what a checkpoint refers to. Version 2 added contract, evidence that is stale, and next
// steps.
const Schema = 2

// Bounds of what one cell keeps; the log has all of it.
const (
	maxFiles       = 300
	maxCommands    = 40
	maxOpen        = 64
	maxCorrections = 12
	maxTodos       = 40
	maxCheckpoints = 20
	maxScheduled   = 20
	maxPassed      = 12
	maxEdited      = 6
	maxGoal        = 1000 // characters of a goal or a task: told whole where there is room
	maxConstraints = 20
	maxConstraint  = 400 // characters
	maxLine        = 200 // characters of an error, a command, a correction
	maxWord        = 40
	maxPath        = 1024 // bytes of a path
)

// MaxTask is how many characters of a task are kept, and of what the agent said.
const MaxTask = 400

// State is what one session works on.
type State struct {
	ID       string `json:"id" jsonschema_description:"the session's whole id"`
	Project  string `json:"project,omitempty" jsonschema_description:"id of its project"`
	Worktree string `json:"worktree,omitempty" jsonschema_description:"work tree that it is in"`

	Goal     *Note    `json:"goal,omitempty" jsonschema_description:"the first prompt of substance, or what was set by command or handed over by the session before"`
	Keywords []string `json:"goal_keywords,omitempty" jsonschema_description:"words of the goal, at most 10"`
	Task     *Note    `json:"task,omitempty" jsonschema_description:"the newest prompt of substance, or the approved plan"`
	Prompt   *Note    `json:"prompt,omitempty" jsonschema_description:"the user's newest prompt, as far as it was not pasted"`

	Constraints []Note `json:"constraints,omitempty" jsonschema_description:"sentences by which the user said what is always, never or only to be done, at most 20 of 400 characters"`
	Asked       bool   `json:"asked,omitempty" jsonschema_description:"the agent's last words of the newest turn ask something"`
	Inherited   bool   `json:"inherited,omitempty" jsonschema_description:"the goal is that of the session that handed over"`
	Lead        string `json:"lead,omitempty" jsonschema_description:"name of the session of a team whose orders this one carries out"`

	Files       []File    `json:"files,omitempty" jsonschema_description:"read, edited and created, the last touched last"`
	Commands    []Command `json:"commands,omitempty" jsonschema_description:"distinct commands with their last outcome, newest last"`
	Open        []Failure `json:"errors_unresolved,omitempty" jsonschema_description:"checks, builds, edits, operations of git, installs and deployments that failed and were not mended since"`
	Missing     []Absent  `json:"not_found,omitempty" jsonschema_description:"programs that a shell did not find, at most 20"`
	Corrections []Note    `json:"corrections,omitempty" jsonschema_description:"what the user said when refusing a call"`
	Todos       []Todo    `json:"todos,omitempty" jsonschema_description:"the client's list of things to do"`
	Seen        []Sight   `json:"seen,omitempty" jsonschema_description:"files that the session was pointed at since its newest prompt of substance, the newest last, at most 12"`
	Passed      []Pass    `json:"passed,omitempty" jsonschema_description:"checks that passed, with the files edited since, the newest last, at most 12"`
	Evidence    []Proof   `json:"evidence,omitempty" jsonschema_description:"the last outcome of tests, build and lint since code was changed"`

	Done     *Finished `json:"done,omitempty" jsonschema_description:"the newest work that is done; its goal and task are the session's no more"`
	Reported string    `json:"reported,omitempty" jsonschema_description:"id of the turn's end whose last words say that the current task is done, where nothing shows it"`
	Landed   *Landing  `json:"landed,omitempty" jsonschema_description:"newest commit, push or merge"`
	Unlanded string    `json:"unlanded,omitempty" jsonschema_description:"id of the newest change of a file since then"`

	Contract *Contract         `json:"task_contract,omitempty" jsonschema_description:"what the newest prompt that asks for a change promises"`
	Unproved *Note             `json:"unproved,omitempty" jsonschema_description:"the newest change of code that no test or build has passed since"`
	Unsynced *Note             `json:"unsynced,omitempty" jsonschema_description:"the newest change of an issue (bd, br) that was not synced"`
	Steps    *Steps            `json:"next_steps,omitempty" jsonschema_description:"that the agent named last"`
	Said     *Note             `json:"said,omitempty" jsonschema_description:"the agent's last words of a turn that a compaction cut"`
	Serena   *Note             `json:"serena_project,omitempty" jsonschema_description:"that the MCP server serena was activated for"`
	Thread   *Note             `json:"pal_continuation_id,omitempty" jsonschema_description:"of the newest conversation with the MCP server pal or zen"`
	Tools    []string          `json:"last_tools,omitempty" jsonschema_description:"that were used, the newest last, at most 5"`
	Warned   map[string]string `json:"warned,omitempty" jsonschema_description:"what a turn's end was warned of: cause, and the event that it was about"`
	GoalTurn int               `json:"goal_turn,omitempty" jsonschema_description:"turns that had stopped before the goal was set"`

	Taken   *Taken    `json:"taken,omitempty" jsonschema_description:"session that this one goes on from"`
	Carried []Carried `json:"carried,omitempty" jsonschema_description:"what was open in the project when the session started, at most 60"`

	Scheduled []string `json:"scheduled,omitempty" jsonschema_description:"prompts that the client submits by itself, as stops told, shortened, at most 20"`

	Calls       int          `json:"calls,omitempty" jsonschema_description:"calls of tools, those of subagents not counted"`
	Turns       int          `json:"turns,omitempty" jsonschema_description:"that stopped"`
	Checkpoints []Checkpoint `json:"checkpoints,omitempty" jsonschema_description:"taken before compactions and by command, at most 20"`
	Handoff     *Note        `json:"handoff,omitempty" jsonschema_description:"words for the next session, set by command"`
	Active      time.Time    `json:"active" jsonschema_description:"when its newest event was captured"`
	Deleted     bool         `json:"deleted,omitempty" jsonschema_description:"the session was deleted"`
}

// Note is a text with the event that it comes from.
type Note struct {
	Text  string    `json:"text" jsonschema_description:"shortened"`
	By    string    `json:"by,omitempty" jsonschema_description:"name of the session of a team that said it; absent for the user"`
	Known bool      `json:"known,omitempty" jsonschema_description:"the newest summary of a compaction has these words"`
	Event string    `json:"event" jsonschema_description:"id of its event"`
	Time  time.Time `json:"time" jsonschema_description:"when the event was captured"`
}

// noteOf is a note from a record, its text with at most so many characters.
func noteOf(r events.Record, text string, most int) *Note {
	return &Note{Text: wording.Short(text, most), Event: r.ID, Time: r.Time}
}

// Proof is the last outcome of one kind of check.
type Proof struct {
	Kind  string `json:"kind" jsonschema_description:"test, build or lint"`
	OK    bool   `json:"ok" jsonschema_description:"it passed"`
	Event string `json:"event" jsonschema_description:"id of the run"`
}

// Checkpoint marks a state to go back to: the log holds it at that event.
type Checkpoint struct {
	Event   string    `json:"event" jsonschema_description:"id of its event"`
	Seq     uint64    `json:"seq" jsonschema_description:"its sequence; the state is that of this point of the log"`
	Time    time.Time `json:"time" jsonschema_description:"when"`
	Schema  int       `json:"schema_version" jsonschema_description:"of the state"`
	Trigger string    `json:"trigger" jsonschema_description:"manual, auto or command"`
	Note    string    `json:"note,omitempty" jsonschema_description:"what the user said of it"`
}

// Table is the projection.
var Table = projector.New(projector.Spec[State]{
	Name:    Name,
	Version: Version,
	Scope:   projector.BySession,
	Before:  (*State).active,
	On: projector.Handlers(
		projector.On((*State).sessionStarted),
		projector.On((*State).sessionEnded),
		projector.On((*State).sessionDeleted),
		projector.On((*State).prompted),
		projector.On((*State).succeeded),
		projector.On((*State).failed),
		projector.On((*State).refused),
		projector.On((*State).stopped),
		projector.On((*State).turnWarned),
		projector.On((*State).taskCreated),
		projector.On((*State).taskCompleted),
		projector.On((*State).subagentStopped),
		projector.On((*State).checkpointCreated),
		projector.On((*State).restored),
		projector.On((*State).fileRestored),
		projector.On((*State).goalSet),
		projector.On((*State).handoffWritten),
		projector.On((*State).handoverTaken),
	),
})

// active takes in what every record has: whose state it is and when it was active. It returns false for a record that
// changes nothing.
func (s *State) active(r events.Record) bool {
	switch e := r.Event.(type) {
	case *events.SessionDeleted:
		return true
	case *events.SessionStarted:
		if s.Deleted || e.Source == "clear" {
			*s = State{Project: s.Project, Worktree: s.Worktree, Active: s.Active}
		}
	case *events.HandoffWritten:
		if e.By != "" { // its words are this state's own, and a session found gone was not active when it was found
			return false
		}
	}
	if s.Deleted {
		return false
	}

	s.ID = r.Session
	s.Project = cmp.Or(r.Project, s.Project)
	s.Worktree = cmp.Or(r.Worktree, s.Worktree) // commands and the end of a killed client name none
	if r.Time.After(s.Active) {
		s.Active = r.Time
	}
	return true
}

// sessionStarted needs nothing but [State.active].
func (s *State) sessionStarted(events.Record, *events.SessionStarted) {}

// sessionEnded needs nothing but [State.active].
func (s *State) sessionEnded(events.Record, *events.SessionEnded) {}

func (s *State) sessionDeleted(r events.Record, _ *events.SessionDeleted) {
	*s = State{ID: r.Session, Deleted: true}
}

// turnWarned keeps what the user was warned of, each cause once.
func (s *State) turnWarned(_ events.Record, e *events.TurnWarned) {
	warned := map[string]string{}
	maps.Copy(warned, s.Warned)
	for _, c := range e.Causes {
		warned[wording.Short(c.Cause, maxWord)] = wording.Short(c.Event, maxLine)
	}
	s.Warned = warned
}

// subagentStopped reads the summary of a compaction: the client's own agent has no kind.
func (s *State) subagentStopped(_ events.Record, e *events.SubagentStopped) {
	if e.AgentType == "" {
		s.summarised(e.LastAssistantMessage)
	}
}

func (s *State) checkpointCreated(r events.Record, e *events.CheckpointCreated) {
	mark := Checkpoint{
		Event:   r.ID,
		Seq:     r.Seq,
		Time:    r.Time,
		Schema:  e.Schema,
		Trigger: e.Trigger,
		Note:    Line(e.Note),
	}
	s.Checkpoints = copies.Push(s.Checkpoints, mark, maxCheckpoints)
	if e.Said != "" {
		s.Said = noteOf(r, e.Said, MaxTask)
	}
}

func (s *State) handoffWritten(r events.Record, e *events.HandoffWritten) {
	s.Handoff = noteOf(r, e.Text, MaxTask)
}

// summarised marks what a compaction's summary has: files that it names, prompts and corrections that it quotes. It forgets
// what need not be told again: the turn that was cut, and files seen in outputs.
func (s *State) summarised(summary string) {
	named := map[string]bool{}
	for _, w := range strings.FieldsFunc(summary, notInPath) {
		named[strings.TrimRight(strings.TrimPrefix(w, "./"), ".")] = true
	}
	s.Files = slices.Clone(s.Files)
	for i, f := range s.Files {
		s.Files[i].Known = named[f.Path] || named[wording.Below(s.Worktree, f.Path)]
	}
	s.Seen, _ = copies.Take(s.Seen, func(x Sight) bool { return named[x.Path] })

	flat := strings.Join(strings.Fields(summary), " ")
	quotes := func(text string) bool { return quoted(flat, text) }
	for _, n := range []**Note{&s.Goal, &s.Task, &s.Prompt} {
		if *n != nil {
			note := **n
			note.Known = quotes(note.Text)
			*n = &note
		}
	}
	s.Constraints = slices.Clone(s.Constraints)
	for i, n := range s.Constraints {
		s.Constraints[i].Known = quotes(n.Text)
	}
	s.Corrections = slices.Clone(s.Corrections)
	for i, n := range s.Corrections {
		_, words, said := strings.Cut(n.Text, ": ")
		s.Corrections[i].Known = said && quotes(words)
	}

	if summary != "" {
		s.Said = nil
	}
	if s.Steps != nil { // the client keeps the message that a context ends with after its summary (2.1.330)
		steps := *s.Steps
		steps.Known = s.Prompt == nil || s.Prompt.Event < steps.Event
		s.Steps = &steps
	}
}

// quoted reports whether a text on one line has another one whole, or both ends of one that was cut.
func quoted(line, text string) bool {
	for part := range strings.SplitSeq(text, "…") {
		if !strings.Contains(line, strings.TrimSpace(part)) {
			return false
		}
	}
	return true
}

// refusal matches the client's answer to a call that was refused, a text or a list with one; its group is what the user said. Behind
// that the client (2.1.331) writes a note.
var refusal = regexp.MustCompile(`^(?:\[\{"type":"text","text":)?"The user doesn't want to proceed with this tool use.*?the user said:(.*?)(?:\\n\\nNote: The user's next message may contain a correction.*)?"(?:\}\])?$`)

// refused takes the user's words from calls that were refused: such a call has no hook of its own.
func (s *State) refused(r events.Record, e *events.ToolBatchFinished) {
	for _, call := range e.ToolCalls {
		m := refusal.FindSubmatch(call.ToolResponse)
		if m == nil || r.AgentID != "" || call.ToolName == "AskUserQuestion" { // whose refusal has the client's words
			continue
		}
		words := events.Text(slices.Concat([]byte(`"`), m[1], []byte(`"`)))
		what := target(events.CallOf(call.ToolName, call.ToolInput))
		if what != call.ToolName {
			what = call.ToolName + " " + what
		}
		s.Corrections = copies.Push(s.Corrections, *noteOf(r, what+": "+words, maxLine), maxCorrections)
	}
}

// Confidence is S2's measure: 75 at first, more for passed tests (25), build (20) and lint (10), since code was changed,
// at most 100, less 5 for each open failure, never below 0.
func (s State) Confidence() int {
	c := 75
	for _, p := range s.Evidence {
		if p.OK {
			c += map[string]int{"test": 25, "build": 20, "lint": 10}[p.Kind]
		}
	}
	return max(0, min(100, c)-5*len(s.Open))
}
