package verbs

import (
	"encoding/json"
	"fmt"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"hookline/events"
	"hookline/hookctl/cmdline"
)

// factOf is the one thing of an event that a person scans a list for: the file, the command, the
// error, the head of the prompt. An event that has a summary of its own ([events.Summarizer]) gives that, the others have
// a function a family; a type without either shows the first text of its data.
func factOf(r events.Record) string {
	if e, ok := r.Event.(events.Summarizer); ok {
		return cmdline.OneLine(e.Summary())
	}
	for _, family := range []func(events.Record) (string, bool){toolFact, turnFact, sessionFact, worldFact, taskFact, identityFact, gateFact, ownFact} {
		if fact, ok := family(r); ok {
			return cmdline.OneLine(fact)
		}
	}
	return cmdline.OneLine(anyText(r.Data))
}

// toolFact covers tool.* and permission.*.
func toolFact(r events.Record) (string, bool) {
	switch e := r.Event.(type) {
	case *events.ToolRequested:
		return call(r, e.ToolName, e.ToolInput), true
	case *events.ToolSucceeded:
		return call(r, e.ToolName, e.ToolInput) + took(e.DurationMS), true
	case *events.ToolFailed:
		if e.IsInterrupt {
			return "interrupted: " + call(r, e.ToolName, e.ToolInput), true
		}
		return head(e.Error) + " — " + call(r, e.ToolName, e.ToolInput), true
	case *events.ToolBatchFinished:
		var names []string
		for _, c := range e.ToolCalls {
			names = append(names, c.ToolName)
		}
		return cmdline.Plural(len(names), "call") + ": " + strings.Join(names, ", "), true
	case *events.PermissionRequested:
		return call(r, e.ToolName, e.ToolInput), true
	case *events.PermissionDenied:
		return join(" — ", call(r, e.ToolName, e.ToolInput), e.Reason), true
	}
	return "", false
}

// call is a tool with what it was called for.
func call(r events.Record, tool string, input json.RawMessage) string {
	return join(": ", tool, subject(r, input))
}

// subjects are members of a tool's input that say what a call is about, best first.
var subjects = []string{"command", "file_path", "notebook_path", "pattern", "url", "query", "skill", "description", "subject", "prompt", "path", "message"}

func subject(r events.Record, input json.RawMessage) string {
	var members map[string]json.RawMessage
	if json.Unmarshal(input, &members) != nil {
		return ""
	}
	for _, name := range subjects {
		if text := textOf(members[name]); text != "" {
			return short(r, text)
		}
	}
	return anyText(input)
}

// textOf is a JSON string, or the head of one that is kept outside the event.
func textOf(raw json.RawMessage) string {
	var text string
	var blob struct {
		Digest string `json:"$blob"`
		Head   string `json:"head"`
	}
	switch {
	case json.Unmarshal(raw, &text) == nil:
		return text
	case json.Unmarshal(raw, &blob) == nil && blob.Digest != "":
		return blob.Head
	}
	return ""
}

// short shows a path inside the work tree without the work tree.
func short(r events.Record, path string) string {
	base := r.Worktree
	if h, ok := r.Event.(events.HookEvent); ok && base == "" {
		base = h.Hook().Cwd
	}
	if base == "" || !filepath.IsAbs(path) {
		return path
	}
	if rel, ok := strings.CutPrefix(path, strings.TrimSuffix(base, "/")+"/"); ok {
		return rel
	}
	return path
}

func took(ms float64) string {
	if ms < 1 {
		return ""
	}
	d := time.Duration(ms * float64(time.Millisecond))
	switch {
	case d < time.Second:
		return fmt.Sprintf(" (%d ms)", d.Milliseconds())
	case d < time.Minute:
		return fmt.Sprintf(" (%.1f s)", d.Seconds())
	}
	return " (" + d.Round(time.Second).String() + ")"
}

// turnFact covers prompts, turns and subagents.
func turnFact(r events.Record) (string, bool) {
	switch e := r.Event.(type) {
	case *events.PromptSubmitted:
		return e.Prompt, true
	case *events.PromptExpanded:
		return "/" + join(" ", strings.TrimPrefix(e.CommandName, "/"), e.CommandArgs), true
	case *events.TurnStopped:
		if n := len(e.BackgroundTasks); n > 0 {
			return fmt.Sprintf("%d in the background — %s", n, e.LastAssistantMessage), true
		}
		return e.LastAssistantMessage, true
	case *events.TurnFailed:
		return join(" — ", e.Error, e.ErrorDetails, e.LastAssistantMessage), true
	case *events.SubagentStarted:
		return e.AgentType, true
	case *events.SubagentStopped:
		return join(" — ", e.AgentType, e.LastAssistantMessage), true
	case *events.TeammateIdled:
		return join(" of ", e.TeammateName, e.TeamName), true
	}
	return "", false
}

// taskFact covers the client's task list, goals, handoffs and checkpoints.
func taskFact(r events.Record) (string, bool) {
	switch e := r.Event.(type) {
	case *events.TaskCreated:
		return join(" ", number(e.TaskID), e.TaskSubject), true
	case *events.TaskCompleted:
		return join(" ", number(e.TaskID), e.TaskSubject), true
	}
	return "", false
}

func number(id string) string {
	if _, err := strconv.Atoi(id); err == nil {
		return "#" + id
	}
	return id
}

// sessionFact covers sessions, models, compaction and instructions.
func sessionFact(r events.Record) (string, bool) {
	switch e := r.Event.(type) {
	case *events.SessionStarted:
		return join(", ", e.Source, e.Model, inBranch(r.Branch)), true
	case *events.SessionEnded:
		return e.Reason, true
	case *events.SetupRan:
		return e.Trigger, true
	case *events.InstructionsLoaded:
		return join(", ", short(r, e.FilePath), e.LoadReason), true
	case *events.ConfigChanged:
		return join(", ", short(r, e.FilePath), e.Source), true
	case *events.CompactionStarted:
		return join(" — ", e.Trigger, e.CustomInstructions), true
	case *events.CompactionFinished:
		return join(" — ", e.Trigger, e.CompactSummary), true
	case *events.ModelSwitchRequested:
		return e.FromModel + " → " + e.ToModel, true
	case *events.ModelSwitched:
		return e.FromModel + " → " + e.ToModel, true
	case *events.SessionReaped:
		return strings.ReplaceAll(e.Reason, "_", " "), true
	case *events.SessionDeleted:
		return e.Reason, true
	}
	return "", false
}

func inBranch(branch string) string {
	if branch == "" {
		return ""
	}
	return "on " + branch
}

// worldFact covers what happens around a session.
func worldFact(r events.Record) (string, bool) {
	switch e := r.Event.(type) {
	case *events.NotificationSent:
		return join(" — ", strings.ReplaceAll(e.NotificationType, "_", " "), e.Message), true
	case *events.MessageDisplayed:
		return e.Delta, true
	case *events.CwdChanged:
		return e.NewCwd, true
	case *events.FileChanged:
		return join(" ", e.Event, short(r, e.FilePath)), true
	case *events.DirectoryAdded:
		return e.Directory, true
	case *events.WorktreeCreationRequested:
		return e.Name, true
	case *events.WorktreeRemoved:
		return e.WorktreePath, true
	case *events.ElicitationRequested:
		return join(": ", e.MCPServerName, e.Message), true
	case *events.ElicitationAnswered:
		return join(": ", e.MCPServerName, e.Action), true
	case *events.ProjectSeen:
		return join(" at ", e.Name, e.Path), true
	case *events.ProjectMoved:
		return e.From + " → " + e.To, true
	case *events.ProjectRehomed:
		return e.From + " → " + r.Project, true
	}
	return "", false
}

// identityFact covers identity.* and dream.*.
func identityFact(r events.Record) (string, bool) {
	switch e := r.Event.(type) {
	case *events.IdentityRestored:
		return join(" from ", e.Outcome, alias(e.Previous)), true
	case *events.IdentityObserved:
		return join(" ", "by", orDash(e.Observer)), true
	case *events.IdentityPersisted:
		return strings.ReplaceAll(e.Reason, "_", " "), true
	case *events.PhasesReset:
		return e.Reason, true
	case *events.TrajectoryShortened:
		return fmt.Sprintf("%d entries dropped from %d bytes", e.Dropped, e.SizeBytes), true
	case *events.IdentityRecovered:
		return "as of " + e.At + " from " + alias(e.Session), true
	case *events.DreamTriggered:
		return fmt.Sprintf("%s, %s, IC %.2f", e.Phase, e.Reason, e.IC), true
	case *events.DreamCompleted:
		return fmt.Sprintf("%s, IC %.2f → %.2f, r %.2f → %.2f", e.Phase, e.BeforeIC, e.AfterIC, e.BeforeR, e.AfterR), true
	case *events.DreamFailed:
		return e.Phase + ": " + e.Error, true
	}
	return "", false
}

// ownFact covers what the recorder says of itself.
func ownFact(r events.Record) (string, bool) {
	switch e := r.Event.(type) {
	case *events.HookUnrecognized:
		return e.HookEventName, true
	case *events.HookRefused:
		return join(": ", strings.ReplaceAll(e.Reason, "_", " "), e.Head), true
	case *events.FrameConflicted:
		return e.Frame, true
	case *events.FrameDuplicated:
		return e.Install, true
	case *events.RecordRetracted:
		return join(" — ", e.Target, e.Reason), true
	case *events.CanarySent:
		return e.Nonce, true
	case *events.DaemonStarted:
		return fmt.Sprintf("%s, pid %d", e.Build, e.PID), true
	case *events.DaemonStopped:
		return strings.ReplaceAll(e.Reason, "_", " "), true
	case *events.LogDamaged:
		return join(": ", e.Block, e.Problem), true
	case *events.LogRepaired:
		return fmt.Sprintf("%s came back from %s", cmdline.Plural(len(e.Back), "run")+" of sequences", e.Source), true
	case *events.ClockJumped:
		return fmt.Sprintf("back by %s", time.Duration(e.BackMS)*time.Millisecond), true
	}
	return "", false
}

// anyText is the first text in a JSON object's members, by name, that is not about the hook itself.
func anyText(data json.RawMessage) string {
	var members map[string]any
	if json.Unmarshal(data, &members) != nil {
		return ""
	}
	for _, k := range sortedKeys(members) {
		switch k {
		case "session_id", "transcript_path", "cwd", "hook_event_name", "prompt_id", "permission_mode", "tool_use_id":
			continue
		}
		if s, ok := members[k].(string); ok && s != "" {
			return k + "=" + s
		}
	}
	return ""
}

// head is the first line of a text that says something.
func head(s string) string {
	for line := range strings.Lines(s) {
		if line = strings.TrimSpace(line); line != "" {
			return line
		}
	}
	return "failed"
}

// join puts sep between the parts that are not empty.
func join(sep string, parts ...string) string {
	var some []string
	for _, p := range parts {
		if p != "" {
			some = append(some, p)
		}
	}
	return strings.Join(some, sep)
}
