// Package session folds who is alive, where, and what a session has done so far. One cell per
// client session, keyed by its full id.
package session

import (
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
	Name    = "session"
	Version = 10
)

// Statuses of a session.
const (
	Live    = "live"
	Ended   = "ended"   // the client said so
	Reaped  = "reaped"  // it ended without saying so
	Deleted = "deleted" // a tombstone: not listed, kept only so that what it still sends does not revive it; a new start does
)

// Bounds of what one cell keeps; the log has all of it.
const (
	maxOpen      = 256
	maxAgents    = 64
	maxProcesses = 8
	maxModels    = 16
	maxTools     = 64
	maxInjected  = 64
	maxTitle     = 60   // characters: what a line of a list has room for
	maxWord      = 200  // bytes of names and ids
	maxPath      = 4096 // bytes: the longest path of the platforms
)

// State is one session. Times are UTC; counts include subagents.
type State struct {
	ID         string           `json:"id" jsonschema_description:"whole id of the session"`
	Project    string           `json:"project,omitempty" jsonschema_description:"id of the session's project"`
	Worktree   string           `json:"worktree,omitempty" jsonschema_description:"the work tree that the session is in"`
	Branch     string           `json:"branch,omitempty" jsonschema_description:"the branch that was checked out there at the newest hook"`
	Cwd        string           `json:"cwd,omitempty" jsonschema_description:"the session's working directory"`
	LaunchDir  string           `json:"launch_dir,omitempty" jsonschema_description:"the folder that the client was started in"`
	Transcript string           `json:"transcript,omitempty" jsonschema_description:"path of the client's transcript"`
	Title      string           `json:"title,omitempty" jsonschema_description:"beginning of the session's first prompt, at most 60 characters"`
	Status     string           `json:"status" jsonschema_description:"whether the session is live, ended, reaped (ended without saying so) or deleted"`
	Source     string           `json:"source,omitempty" jsonschema_description:"how the session started last: startup, resume, clear, compact or fork"`
	EndReason  string           `json:"end_reason,omitempty" jsonschema_description:"reason of the session's newest end"`
	Processes  []Process        `json:"processes,omitempty" jsonschema_description:"processes of the client, the newest last, at most 8"`
	Client     string           `json:"client,omitempty" jsonschema_description:"version of the client"`
	Program    string           `json:"program,omitempty" jsonschema_description:"name of a client that is not Claude Code: codex"`
	Entrypoint string           `json:"entrypoint,omitempty" jsonschema_description:"how the client was started: cli, sdk-cli, …"`
	Model      string           `json:"model,omitempty" jsonschema_description:"the model that the session uses"`
	Models     []string         `json:"models,omitempty" jsonschema_description:"all models of the session in the order of their first use, at most 16"`
	Started    time.Time        `json:"started" jsonschema_description:"when the session's first event was captured"`
	LastActive time.Time        `json:"last_active" jsonschema_description:"when the session's newest hook was captured"`
	Ended      *time.Time       `json:"ended,omitempty" jsonschema_description:"when the session ended; absent while it is live"`
	Phase      string           `json:"phase,omitempty" jsonschema_description:"phase of the session's life, as SESSION_RUNNING"`
	Prompt     string           `json:"prompt,omitempty" jsonschema_description:"id of the newest prompt's event"`
	Events     int              `json:"events" jsonschema_description:"number of hooks that came"`
	Prompts    int              `json:"prompts,omitempty" jsonschema_description:"number of prompts of the user and of notifications of tasks"`
	Turns      int              `json:"turns,omitempty" jsonschema_description:"number of turns that stopped"`
	Failures   int              `json:"failures,omitempty" jsonschema_description:"number of tool calls that failed"`
	Redacted   int              `json:"redacted,omitempty" jsonschema_description:"number of secrets that were replaced"`
	Compacted  int              `json:"compacted,omitempty" jsonschema_description:"number of compactions"`
	Hooks      map[string]int   `json:"hooks,omitempty" jsonschema_description:"numbers of hooks by the client's name of the hook"`
	Tools      map[string]int   `json:"tools,omitempty" jsonschema_description:"numbers of requested calls by the tool's name, at most 64 names"`
	Skills     int              `json:"skills,omitempty" jsonschema_description:"number of skills that were run to their end"`
	Blocked    int              `json:"blocked,omitempty" jsonschema_description:"number of calls that a gate denied"`
	Held       int              `json:"held,omitempty" jsonschema_description:"number of turns that a gate did not let end"`
	Agents     map[string]Agent `json:"agents,omitempty" jsonschema_description:"subagents by their id, at most 64"`
	Open       []Call           `json:"open,omitempty" jsonschema_description:"calls that were requested and not yet answered, the oldest first, at most 256"`

	Context *Context `json:"context,omitempty" jsonschema_description:"how full the context was when its phase changed last"`

	Attention Attention `json:"attention,omitzero" jsonschema_description:"bytes that tool calls and prompts have put into the session's context"`

	Course Course `json:"course,omitzero" jsonschema_description:"how the session goes"`

	Start Start `json:"start,omitzero" jsonschema_description:"newest start of the session, and whether its answer reached the model"`

	Injected map[string]string `json:"told,omitempty" jsonschema_description:"what was injected into the model's context since the newest start, also after a compaction: digests of contents by item, after a subagent's id and a space where it went to a subagent"`
}

// Process names one client process: a pid alone may be reused.
type Process struct {
	PID   int   `json:"pid" jsonschema_description:"process id"`
	Start int64 `json:"start,omitempty" jsonschema_description:"when the process was started, in the platform's own unit"`
}

// Table is the projection. Every record of a session counts, also of kinds that this build does not know: it says that
// the session lives.
var Table = projector.New(projector.Spec[State]{
	Name:    Name,
	Former:  []string{"attention"},
	Version: Version,
	Scope:   projector.BySession,
	Skip:    saidByOthers,
	Before:  (*State).begin,
	On: projector.Handlers(
		projector.OnAny((*State).any),

		projector.On((*State).sessionStarted),
		projector.On((*State).sessionEnded),
		projector.On((*State).sessionReaped),
		projector.On((*State).sessionDeleted),
		projector.On((*State).modelSwitched),

		projector.On((*State).promptSubmitted),
		projector.On((*State).turnStopped),
		projector.On((*State).turnInterrupted),
		projector.On((*State).turnFailed),

		projector.On((*State).toolRequested),
		projector.On((*State).permissionRequested),
		projector.On((*State).permissionAutoDenied),
		projector.On((*State).toolSucceeded),
		projector.On((*State).toolFailed),
		projector.On((*State).toolBatchFinished),
		projector.On((*State).subagentStarted),
		projector.On((*State).subagentStopped),
		projector.On((*State).gateBlocked),
		projector.On((*State).gateStopBlocked),

		projector.On((*State).compactionFinished),
		projector.On((*State).contextPhaseChanged),
		projector.On((*State).contextInjected),
		projector.On((*State).answerMissed),
		projector.On((*State).ledgerDeltaSynced),
	),
	Index: Words,
})

// saidByOthers reports records that name a session and are not of it: a retraction, which the engine honours, and what
// is said of its gates, also of a session that is known from an import alone.
func saidByOthers(r events.Record) bool {
	switch r.Event.(type) {
	case *events.RecordRetracted, *events.GateSatisfied, *events.GateCleared:
		return true
	}
	return false
}

// begin gives the session its state at its first record. It returns false for what a deleted session still sends.
func (s *State) begin(r events.Record) bool {
	if s.Status == Deleted {
		if !s.resumedBy(r) {
			return false
		}
		*s = State{}
	}

	if s.ID == "" {
		s.ID = r.Session
		s.Started = r.Time
		s.Status = Live
	}
	return true
}

// resumedBy reports whether a record resumes a deleted session: it starts, after its deletion, and not only because its
// context was compacted.
func (s State) resumedBy(r events.Record) bool {
	e, starts := r.Event.(*events.SessionStarted)
	return starts && e.Source != "compact" && r.Time.After(s.LastActive)
}

// any takes in what every hook has: where, which process, that the session lives. Records that are no hooks have none
// of it.
func (s *State) any(r events.Record) {
	e, isHook := r.Event.(events.HookEvent)
	if !isHook {
		return
	}

	s.Status = Live
	s.Ended = nil
	s.EndReason = ""
	if r.Time.After(s.LastActive) {
		s.LastActive = r.Time
	}

	s.Events++
	s.Redacted += r.Redacted
	s.Hooks = count(s.Hooks, r.Hook)

	set(&s.Project, r.Project)
	set(&s.Worktree, r.Worktree)
	set(&s.Phase, r.Phase)
	set(&s.Cwd, e.Hook().Cwd)
	set(&s.Transcript, e.Hook().TranscriptPath)
	if r.Client != events.ClaudeCode {
		set(&s.Program, r.Client)
	}
	s.Branch = wording.Clip(r.Branch, maxPath)

	if r.Facts != nil {
		s.learn(*r.Facts)
	}
}

// learn takes in what the world was asked for at a hook.
func (s *State) learn(f events.Facts) {
	set(&s.Client, f.Client)
	set(&s.Entrypoint, f.Entrypoint)
	set(&s.LaunchDir, f.LaunchDir)

	if f.PID == 0 {
		return
	}
	p := Process{PID: f.PID, Start: f.PIDStart}
	others, _ := copies.Take(s.Processes, func(other Process) bool { return other == p })
	s.Processes = copies.Push(others, p, maxProcesses)
}

func (s *State) sessionStarted(r events.Record, e *events.SessionStarted) {
	if e.Source != "compact" {
		s.Course = Course{}
	}
	if e.Source != "resume" {
		s.Attention = Attention{}
	}
	s.Source = wording.Clip(e.Source, maxWord)
	s.Start = startOf(r, e)
	s.Injected = nil
	s.useModel(e.Model)
}

func (s *State) sessionEnded(r events.Record, e *events.SessionEnded) {
	s.Course.ClientReason = wording.Clip(e.Reason, maxWord)
	s.end(Ended, e.Reason, r.Time)
}

func (s *State) sessionReaped(r events.Record, e *events.SessionReaped) {
	s.end(Reaped, e.Reason, r.Time)
}

func (s *State) sessionDeleted(r events.Record, _ *events.SessionDeleted) {
	*s = State{ID: s.ID, Project: s.Project, Status: Deleted, Started: s.Started, LastActive: r.Time}
}

func (s *State) modelSwitched(_ events.Record, e *events.ModelSwitched) { s.useModel(e.ToModel) }

// end sets that the session ended. Its calls do not come back.
func (s *State) end(status, reason string, at time.Time) {
	s.Course.Cut = len(s.Open) > 0
	s.Status = status
	s.EndReason = wording.Clip(reason, maxWord)
	s.Ended = &at
	s.Open = nil
}

func (s *State) useModel(name string) {
	if name == "" {
		return
	}

	name = wording.Clip(name, maxWord)
	s.Model = name
	if !slices.Contains(s.Models, name) {
		s.Models = copies.Push(s.Models, name, maxModels)
	}
}

func (s *State) promptSubmitted(r events.Record, e *events.PromptSubmitted) {
	s.Course.prompted()
	s.Start.carried(r)
	s.Attention.add(r, len(e.Prompt))

	s.Prompts++
	s.Prompt = r.ID
	text := e.UserText()
	isCommand := strings.HasPrefix(text, "/")
	if s.Title == "" && !isCommand {
		s.Title = wording.Short(text, maxTitle)
	}
}

func (s *State) turnStopped(r events.Record, e *events.TurnStopped) {
	s.Course.stopped(e)
	s.Attention.add(r, len(e.LastAssistantMessage))
	s.Turns++
}

func (s *State) turnInterrupted(events.Record, *events.TurnInterrupted) { s.Course.interrupted() }

func (s *State) turnFailed(_ events.Record, e *events.TurnFailed) { s.Course.turnFailed(e) }

func (s *State) gateBlocked(events.Record, *events.GateBlocked) { s.Blocked++ }

func (s *State) gateStopBlocked(events.Record, *events.GateStopBlocked) { s.Held++ }

// contextInjected takes in what was put into the model's context. Where there is no room all is forgotten, so that it
// is injected once more.
func (s *State) contextInjected(r events.Record, e *events.ContextInjected) {
	s.Start.told(r, e)
	for _, item := range e.Items {
		if s.Injected == nil || len(s.Injected) >= maxInjected {
			s.Injected = map[string]string{}
		}
		key := wording.Clip(InjectedKey(r.AgentID, item.ID), maxWord)
		s.Injected[key] = item.Digest
	}
}

// InjectedKey returns the key of [State].Injected for an item that went to a subagent, or with "" to the session
// itself.
func InjectedKey(agent, item string) string { return strings.TrimPrefix(agent+" "+item, " ") }

// Process returns the newest process of the session, the zero value where none is known.
func (s State) Process() Process {
	if len(s.Processes) == 0 {
		return Process{}
	}
	return s.Processes[len(s.Processes)-1]
}

// set overwrites a text with one that is known.
func set(text *string, known string) {
	if known != "" {
		*text = wording.Clip(known, maxPath)
	}
}

// count adds one to the number of a name. Names that there is no room for are counted together.
func count(numbers map[string]int, name string) map[string]int {
	if name == "" {
		return numbers
	}
	if numbers == nil {
		numbers = map[string]int{}
	}

	name = wording.Clip(name, maxWord)
	if _, known := numbers[name]; !known && len(numbers) >= maxTools {
		name = "(other)"
	}
	numbers[name]++
	return numbers
}
