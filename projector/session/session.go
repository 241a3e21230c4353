// Package session folds who is alive, where, and what a session has done so far. One cell per
// client session, keyed by its full id.
package session

import (
	"slices"
	"strconv"
	"strings"
	"time"

	"hookline/events"
	"hookline/projector"
)

// Name and Version of the projection's cells.
const (
	Name    = "session"
	Version = 9
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
	maxTold      = 64
)

// State is one session. Times are UTC; counts include subagents.
type State struct {
	ID         string           `json:"id" jsonschema_description:"whole id"`
	Project    string           `json:"project,omitempty" jsonschema_description:"id of its project"`
	Worktree   string           `json:"worktree,omitempty" jsonschema_description:"work tree that it is in"`
	Branch     string           `json:"branch,omitempty" jsonschema_description:"that is checked out there"`
	Cwd        string           `json:"cwd,omitempty" jsonschema_description:"its working directory"`
	LaunchDir  string           `json:"launch_dir,omitempty" jsonschema_description:"where the client was started"`
	Transcript string           `json:"transcript,omitempty" jsonschema_description:"the client's file"`
	Title      string           `json:"title,omitempty" jsonschema_description:"beginning of its first prompt, at most 60 characters"`
	Status     string           `json:"status" jsonschema_description:"live, ended, reaped (ended without saying so) or deleted"`
	Source     string           `json:"source,omitempty" jsonschema_description:"of the newest start: startup, resume, clear, compact or fork"`
	EndReason  string           `json:"end_reason,omitempty" jsonschema_description:"of the newest end"`
	Processes  []Process        `json:"processes,omitempty" jsonschema_description:"of the client, newest last, at most 8"`
	Client     string           `json:"client,omitempty" jsonschema_description:"version of the client"`
	Program    string           `json:"program,omitempty" jsonschema_description:"the client, where it is not Claude Code: codex"`
	Entrypoint string           `json:"entrypoint,omitempty" jsonschema_description:"cli, sdk-cli, …"`
	Model      string           `json:"model,omitempty" jsonschema_description:"newest"`
	Models     []string         `json:"models,omitempty" jsonschema_description:"in the order of first use, at most 16"`
	Started    time.Time        `json:"started" jsonschema_description:"when its first event was captured"`
	LastActive time.Time        `json:"last_active" jsonschema_description:"when its newest hook was captured"`
	Ended      *time.Time       `json:"ended,omitempty" jsonschema_description:"of a session that is not live"`
	Phase      string           `json:"phase,omitempty" jsonschema_description:"of its life, as SESSION_RUNNING"`
	Prompt     string           `json:"prompt,omitempty" jsonschema_description:"event id of the newest prompt"`
	Events     int              `json:"events" jsonschema_description:"hooks that came"`
	Prompts    int              `json:"prompts,omitempty" jsonschema_description:"of the user, and notifications of tasks"`
	Turns      int              `json:"turns,omitempty" jsonschema_description:"that stopped"`
	Failures   int              `json:"failures,omitempty" jsonschema_description:"tool calls that failed"`
	Redacted   int              `json:"redacted,omitempty" jsonschema_description:"secrets that were replaced"`
	Compacted  int              `json:"compacted,omitempty" jsonschema_description:"compactions"`
	Hooks      map[string]int   `json:"hooks,omitempty" jsonschema_description:"by the client's name of the hook"`
	Tools      map[string]int   `json:"tools,omitempty" jsonschema_description:"requests by tool, at most 64 names"`
	Skills     int              `json:"skills,omitempty" jsonschema_description:"that were run to their end"`
	Blocked    int              `json:"blocked,omitempty" jsonschema_description:"calls that a gate denied"`
	Held       int              `json:"held,omitempty" jsonschema_description:"turns that a gate did not let end"`
	Agents     map[string]Agent `json:"agents,omitempty" jsonschema_description:"subagents by id, at most 64"`
	Open       []Call           `json:"open,omitempty" jsonschema_description:"calls that were requested and not yet answered, oldest first, at most 256"`

	Context *Context `json:"context,omitempty" jsonschema_description:"how full the context was when its phase changed last"`

	Attention Attention `json:"attention,omitzero" jsonschema_description:"bytes that tool calls and prompts have put into its context"`

	Course Course `json:"course,omitzero" jsonschema_description:"how it goes"`

	Told map[string]string `json:"told,omitempty" jsonschema_description:"what the model was told since the newest start, also after a compaction: digests of contents by item, after a subagent's id and a space where it was told to one"`
}

// Context is how full a context window was, and the phase of that (S2, DECISIONS "phases").
type Context struct {
	Phase  string `json:"phase" jsonschema_description:"VERBOSE, CONDENSED, SIGNALS or CRITICAL"`
	Used   int64  `json:"used" jsonschema_description:"tokens"`
	Window int64  `json:"window" jsonschema_description:"tokens that it has room for"`
	Stated bool   `json:"stated,omitempty" jsonschema_description:"the client's status line told the window, it was not taken from the model's name"`
	Source string `json:"source" jsonschema_description:"transcript, statusline or compaction"`
	Event  string `json:"event" jsonschema_description:"id of its event"`
}

// Phases of the use of a context window, the emptiest first.
const (
	Verbose   = "VERBOSE"   // below 40 %
	Condensed = "CONDENSED" // below 70 %
	Signals   = "SIGNALS"   // below 85 %
	Critical  = "CRITICAL"
)

// PhaseOf is the phase of so many tokens in a window; an unknown window is an empty one.
func PhaseOf(used, window int64) string {
	switch percent := Percent(used, window); {
	case percent < 40:
		return Verbose
	case percent < 70:
		return Condensed
	case percent < 85:
		return Signals
	}
	return Critical
}

// Percent is how full a window is, rounded down.
func Percent(used, window int64) int64 {
	if window <= 0 {
		return 0
	}
	return used * 100 / window
}

// Process names one client process: a pid alone may be reused.
type Process struct {
	PID   int   `json:"pid" jsonschema_description:"process id"`
	Start int64 `json:"start,omitempty" jsonschema_description:"when it was started, in the platform's own unit"`
}

// Agent is one subagent.
type Agent struct {
	Kind    string     `json:"kind,omitempty" jsonschema_description:"of the subagent"`
	Cause   string     `json:"cause,omitempty" jsonschema_description:"event id of the call that started it"`
	Started time.Time  `json:"started" jsonschema_description:"when"`
	Stopped *time.Time `json:"stopped,omitempty" jsonschema_description:"when"`
}

// Call is a tool call that was requested and has not come back.
type Call struct {
	ToolUseID string `json:"tool_use_id" jsonschema_description:"the client's id of the call"`
	Event     string `json:"event" jsonschema_description:"id of the request's event"`
	Tool      string `json:"tool,omitempty" jsonschema_description:"name"`
	AgentKind string `json:"agent_kind,omitempty" jsonschema_description:"of a call that starts a subagent"`
}

// Table is the projection. Every record of a session counts, also of kinds that this build does not know: it says that the
// session lives.
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
		projector.On((*State).compactionFinished),
		projector.On((*State).toolRequested),
		projector.On((*State).toolSucceeded),
		projector.On((*State).toolFailed),
		projector.On((*State).subagentStarted),
		projector.On((*State).subagentStopped),
		projector.On((*State).gateBlocked),
		projector.On((*State).gateStopBlocked),
		projector.On((*State).contextPhaseChanged),
		projector.On((*State).contextInjected),
	),
	Index: Words,
})

// saidByOthers reports records that name a session and are not of it: a retraction, which the engine honours, and what is
// said of its gates, also of a session that is known from an import alone.
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
		if !s.again(r) {
			return false
		}
		*s = State{}
	}
	if s.ID == "" {
		s.ID, s.Started, s.Status = r.Session, r.Time, Live
	}
	return true
}

// any takes in what every record has.
func (s *State) any(r events.Record) {
	s.course(r)
	s.Attention = s.Attention.after(r)
	if e, hook := r.Event.(events.HookEvent); hook {
		s.seen(r, e)
	}
}

func (s *State) sessionDeleted(r events.Record, _ *events.SessionDeleted) {
	*s = State{ID: s.ID, Project: s.Project, Status: Deleted, Started: s.Started, LastActive: r.Time}
}

func (s *State) sessionReaped(r events.Record, e *events.SessionReaped) {
	s.end(Reaped, e.Reason, r.Time)
}

func (s *State) gateBlocked(events.Record, *events.GateBlocked) { s.Blocked++ }

func (s *State) gateStopBlocked(events.Record, *events.GateStopBlocked) { s.Held++ }

// contextPhaseChanged takes in how full the context is. A window that the client once stated stays stated.
func (s *State) contextPhaseChanged(r events.Record, e *events.ContextPhaseChanged) {
	stated := e.Source == "statusline"
	if s.Context != nil && s.Context.Stated && s.Context.Window == e.Window {
		stated = true
	}
	s.Context = &Context{
		Phase:  events.Clip(e.Phase, maxWord),
		Used:   e.Used,
		Window: e.Window,
		Stated: stated,
		Source: events.Clip(e.Source, maxWord),
		Event:  r.ID,
	}
}

func (s *State) contextInjected(r events.Record, e *events.ContextInjected) {
	s.Told = tell(s.Told, r.AgentID, e.Items)
}

// maxTitle is in characters: what a line of a list has room for.
const maxTitle = 60

// again reports that a deleted session is resumed: it starts, after its deletion, and not only because its
// context was compacted.
func (s State) again(r events.Record) bool {
	e, ok := r.Event.(*events.SessionStarted)
	return ok && e.Source != "compact" && r.Time.After(s.LastActive)
}

// seen takes in what every hook has: where, which process, that the session lives.
func (s *State) seen(r events.Record, e events.HookEvent) {
	s.Status, s.Ended, s.EndReason = Live, nil, ""
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
	s.Branch = events.Clip(r.Branch, maxPath)
	if r.Time.After(s.LastActive) {
		s.LastActive = r.Time
	}
	if f := r.Facts; f != nil {
		set(&s.Client, f.Client)
		set(&s.Entrypoint, f.Entrypoint)
		set(&s.LaunchDir, f.LaunchDir)
		if f.PID != 0 {
			p := Process{PID: f.PID, Start: f.PIDStart}
			others := slices.DeleteFunc(slices.Clone(s.Processes), func(q Process) bool { return q == p })
			s.Processes = events.Push(others, p, maxProcesses)
		}
	}
}

func (s *State) sessionStarted(_ events.Record, e *events.SessionStarted) {
	s.Source = events.Clip(e.Source, maxWord)
	s.Told = nil
	s.model(e.Model)
}

func (s *State) sessionEnded(r events.Record, e *events.SessionEnded) { s.end(Ended, e.Reason, r.Time) }

func (s *State) modelSwitched(_ events.Record, e *events.ModelSwitched) { s.model(e.ToModel) }

func (s *State) promptSubmitted(r events.Record, e *events.PromptSubmitted) {
	s.Prompts++
	if text := e.UserText(); s.Title == "" && !strings.HasPrefix(text, "/") {
		s.Title = events.Short(text, maxTitle)
	}
	s.Prompt = r.ID
}

func (s *State) turnStopped(events.Record, *events.TurnStopped) { s.Turns++ }

// compactionFinished counts. What was told at the start before it is in the new context.
func (s *State) compactionFinished(events.Record, *events.CompactionFinished) { s.Compacted++ }

func (s *State) toolRequested(r events.Record, e *events.ToolRequested) {
	s.Tools = count(s.Tools, e.ToolName)
	if e.ToolUseID == "" {
		return
	}

	c := Call{
		ToolUseID: events.Clip(e.ToolUseID, maxWord),
		Event:     r.ID,
		Tool:      events.Clip(e.ToolName, maxWord),
	}
	if startsAgent(e.ToolName) {
		c.AgentKind = events.Clip(events.MemberText(e.ToolInput, "subagent_type"), maxWord)
	}
	s.Open = events.Push(s.Open, c, maxOpen)
}

func (s *State) toolSucceeded(r events.Record, e *events.ToolSucceeded) {
	s.agentLaunched(r, e)
	if e.ToolName == "Skill" {
		s.Skills++
	}
	s.closeCall(e.ToolUseID)
}

func (s *State) toolFailed(_ events.Record, e *events.ToolFailed) {
	s.Failures++
	s.closeCall(e.ToolUseID)
}

func (s *State) subagentStarted(r events.Record, e *events.SubagentStarted) {
	if e.AgentID == "" {
		return
	}
	s.agent(e.AgentID, Agent{Kind: events.Clip(e.AgentType, maxWord), Started: r.Time, Cause: r.Causation})
}

func (s *State) subagentStopped(r events.Record, e *events.SubagentStopped) {
	a, known := s.Agents[events.Clip(e.AgentID, maxWord)]
	if !known {
		return
	}
	a.Stopped = &r.Time
	s.agent(e.AgentID, a)
}

// ToldKey is the key of [State].Told for an item that was told to a subagent, or with "" to the session itself.
func ToldKey(agent, item string) string { return strings.TrimPrefix(agent+" "+item, " ") }

// tell adds what was told. Where there is no room all is forgotten, so that it is told once more.
func tell(told map[string]string, agent string, items []events.InjectedItem) map[string]string {
	for _, it := range items {
		if told == nil || len(told) >= maxTold {
			told = map[string]string{}
		}
		told[events.Clip(ToldKey(agent, it.ID), maxWord)] = it.Digest
	}
	return told
}

func (s *State) end(status, reason string, at time.Time) {
	s.Course.Cut = len(s.Open) > 0
	s.Status, s.EndReason, s.Ended, s.Open = status, events.Clip(reason, maxWord), &at, nil
}

func (s *State) model(name string) {
	if name == "" {
		return
	}
	name = events.Clip(name, maxWord)
	s.Model = name
	if !slices.Contains(s.Models, name) {
		s.Models = events.Push(s.Models, name, maxModels)
	}
}

// Process is the newest process of the session.
func (s State) Process() Process {
	if len(s.Processes) == 0 {
		return Process{}
	}
	return s.Processes[len(s.Processes)-1]
}

// Lengths of what a cell keeps; the log has all of it.
const (
	maxWord = 200  // names and ids
	maxPath = 4096 // the longest path of the platforms
)

func set(dst *string, v string) {
	if v != "" {
		*dst = events.Clip(v, maxPath)
	}
}

func count(m map[string]int, key string) map[string]int {
	if key == "" {
		return m
	}
	if m == nil {
		m = map[string]int{}
	}
	key = events.Clip(key, maxWord)
	if _, ok := m[key]; !ok && len(m) >= maxTools {
		key = "(other)"
	}
	m[key]++
	return m
}

// Alive is the index word of all live sessions.
const Alive = "live"

// AliveIn is the index word of a project's live sessions.
func AliveIn(project string) string { return "live in " + project }

// RunBy is the index word of the live sessions whose newest process has this id.
func RunBy(pid int) string { return "run by " + strconv.Itoa(pid) }

// Words are the index words of a session: none unless it is live.
func Words(s State) []string {
	if s.Status != Live {
		return nil
	}

	words := []string{Alive}
	if s.Project != "" {
		words = append(words, AliveIn(s.Project))
	}
	if pid := s.Process().PID; pid != 0 {
		words = append(words, RunBy(pid))
	}
	return words
}
