package events

// fresh makes the constructor of a catalog line.
func fresh[T any, P interface {
	*T
	Event
}]() Event {
	return P(new(T))
}

// catalog is the table of everything that can stand in the log: one line a kind.
var catalog = []Kind{
	// Hooks of the client.
	{Type: TypeSessionStarted, Hook: "SessionStart", New: fresh[SessionStarted], Doc: "a session began or goes on: start, resume, clear, compaction or fork"},
	{Type: TypeSessionEnded, Hook: "SessionEnd", New: fresh[SessionEnded], Doc: "the client said that the session ends; a hint, it may never come"},
	{Type: TypeSetupRan, Hook: "Setup", New: fresh[SetupRan], Doc: "the client ran its setup"},
	{Type: TypeInstructionsLoaded, Hook: "InstructionsLoaded", New: fresh[InstructionsLoaded], Doc: "an instruction or memory file went into the context"},
	{Type: TypeConfigChanged, Hook: "ConfigChange", New: fresh[ConfigChanged], Doc: "a settings file or the skills changed"},
	{Type: TypeCompactionStarted, Hook: "PreCompact", New: fresh[CompactionStarted], Doc: "the client is about to compact the context"},
	{Type: TypeCompactionFinished, Hook: "PostCompact", New: fresh[CompactionFinished], Doc: "the context was compacted"},
	{Type: TypeModelSwitchRequested, Hook: "PreModelSwitch", New: fresh[ModelSwitchRequested], Doc: "the model is about to be switched"},
	{Type: TypeModelSwitched, Hook: "PostModelSwitch", New: fresh[ModelSwitched], Doc: "the model was switched"},
	{Type: TypeToolRequested, Hook: "PreToolUse", New: fresh[ToolRequested], Doc: "the model asked for a tool; nothing has run yet"},
	{Type: TypeToolSucceeded, Hook: "PostToolUse", New: fresh[ToolSucceeded], Doc: "a tool ran and the client calls it a success"},
	{Type: TypeToolFailed, Hook: "PostToolUseFailure", New: fresh[ToolFailed], Doc: "a tool ran and failed, or was interrupted"},
	{Type: TypeToolBatchFinished, Hook: "PostToolBatch", New: fresh[ToolBatchFinished], Doc: "all calls of one model turn have come back"},
	{Type: TypePermissionRequested, Hook: "PermissionRequest", New: fresh[PermissionRequested], Doc: "the user was asked for permission"},
	{Type: TypePermissionDenied, Hook: "PermissionDenied", New: fresh[PermissionDenied], Doc: "permission was refused"},
	{Type: TypePromptSubmitted, Hook: "UserPromptSubmit", New: fresh[PromptSubmitted], Doc: "a prompt was submitted, by the user or by a finished background task"},
	{Type: TypePromptExpanded, Hook: "UserPromptExpansion", New: fresh[PromptExpanded], Doc: "a slash command was expanded into a prompt"},
	{Type: TypeTurnStopped, Hook: "Stop", New: fresh[TurnStopped], Doc: "the model stopped; background work may still run"},
	{Type: TypeTurnFailed, Hook: "StopFailure", New: fresh[TurnFailed], Doc: "a turn ended with an error of the API"},
	{Type: TypeSubagentStarted, Hook: "SubagentStart", New: fresh[SubagentStarted], Doc: "a subagent began"},
	{Type: TypeSubagentStopped, Hook: "SubagentStop", New: fresh[SubagentStopped], Doc: "a subagent stopped; agent_type is empty for the compaction's own"},
	{Type: TypeTeammateIdled, Hook: "TeammateIdle", New: fresh[TeammateIdled], Doc: "a teammate has nothing to do"},
	{Type: TypeTaskCreated, Hook: "TaskCreated", New: fresh[TaskCreated], Doc: "a task was put on the list"},
	{Type: TypeTaskCompleted, Hook: "TaskCompleted", New: fresh[TaskCompleted], Doc: "a task was marked as done"},
	{Type: TypeNotificationSent, Hook: "Notification", New: fresh[NotificationSent], Doc: "the client notified the user"},
	{Type: TypeMessageDisplayed, Hook: "MessageDisplay", New: fresh[MessageDisplayed], Doc: "a piece of the answer was shown; not installed by default"},
	{Type: TypeCwdChanged, Hook: "CwdChanged", New: fresh[CwdChanged], Doc: "the working directory moved"},
	{Type: TypeFileChanged, Hook: "FileChanged", New: fresh[FileChanged], Doc: "a watched file changed outside the tools"},
	{Type: TypeDirectoryAdded, Hook: "DirectoryAdded", New: fresh[DirectoryAdded], Doc: "a directory was added to the session"},
	{Type: TypeWorktreeCreationRequested, Hook: "WorktreeCreate", New: fresh[WorktreeCreationRequested], Doc: "the client wants a work tree; not installed, its answer would replace git"},
	{Type: TypeWorktreeRemoved, Hook: "WorktreeRemove", New: fresh[WorktreeRemoved], Doc: "a work tree was removed"},
	{Type: TypeElicitationRequested, Hook: "Elicitation", New: fresh[ElicitationRequested], Doc: "an MCP server asked the user for input"},
	{Type: TypeElicitationAnswered, Hook: "ElicitationResult", New: fresh[ElicitationAnswered], Doc: "the user answered an MCP server"},
	{Type: TypeHookUnrecognized, New: fresh[HookUnrecognized], Doc: "a hook that this build does not know, kept whole"},

	// What hookline finds out or does.
	{Type: TypeHookRefused, New: fresh[HookRefused], Doc: "input that is no hook, with the reason"},
	{Type: TypeFrameConflicted, New: fresh[FrameConflicted], Doc: "a frame id came twice with different content; the second was refused"},
	{Type: TypeFrameDuplicated, New: fresh[FrameDuplicated], Doc: "a second install sends the same hooks"},
	{Type: TypeSessionReaped, New: fresh[SessionReaped], Doc: "a session ended without saying so"},
	{Type: TypeSessionDeleted, New: fresh[SessionDeleted], Doc: "a tombstone: lists and folds drop the session"},
	{Type: TypeProjectSeen, New: fresh[ProjectSeen], Doc: "a project was seen first, or what identifies it changed"},
	{Type: TypeProjectMoved, New: fresh[ProjectMoved], Doc: "a known project was found at another path"},
	{Type: TypeProjectRehomed, New: fresh[ProjectRehomed], Doc: "two projects were joined by command"},
	{Type: TypeRecordRetracted, New: fresh[RecordRetracted], Doc: "an earlier event was taken back"},
	{Type: TypeContextInjected, New: fresh[ContextInjected], Doc: "the model was told something at a hook"},
	{Type: TypeCanarySent, New: fresh[CanarySent], Doc: "the health check's event"},
	{Type: TypeDaemonStarted, New: fresh[DaemonStarted], Doc: "the daemon started"},
	{Type: TypeDaemonStopped, New: fresh[DaemonStopped], Doc: "the daemon ended in order"},
	{Type: TypeLogDamaged, New: fresh[LogDamaged], Doc: "damage of the log was found"},
	{Type: TypeLogRepaired, New: fresh[LogRepaired], Doc: "lost events came back"},
	{Type: TypeClockJumped, New: fresh[ClockJumped], Doc: "the machine's clock went backwards"},
	{Type: TypeIdentityRestored, New: fresh[IdentityRestored], Doc: "from what a session's identity starts"},
	{Type: TypeIdentityObserved, New: fresh[IdentityObserved], Doc: "an outside engine set identity values"},
	{Type: TypeIdentityPersisted, New: fresh[IdentityPersisted], Doc: "the identity's snapshot was taken"},
	{Type: TypePhasesReset, New: fresh[PhasesReset], Doc: "the phases were set back to an even spread"},
	{Type: TypeIdentityShortened, New: fresh[TrajectoryShortened], Doc: "a snapshot was too large and lost its oldest entries"},
	{Type: TypeIdentityRecovered, New: fresh[IdentityRecovered], Doc: "an identity of the past became the current one"},
	{Type: TypeDreamTriggered, New: fresh[DreamTriggered], Doc: "a consolidation was asked for"},
	{Type: TypeDreamCompleted, New: fresh[DreamCompleted], Doc: "a consolidation was done"},
	{Type: TypeDreamFailed, New: fresh[DreamFailed], Doc: "a consolidation came to nothing"},
	{Type: TypeGateSatisfied, New: fresh[GateSatisfied], Doc: "a requirement was met"},
	{Type: TypeGateTriggered, New: fresh[GateTriggered], Doc: "a call that a requirement asks about was let through"},
	{Type: TypeGateBlocked, New: fresh[GateBlocked], Doc: "a call was denied until requirements are met"},
	{Type: TypeGateCleared, New: fresh[GateCleared], Doc: "a requirement has to be met again"},
	{Type: TypeGateStopBlocked, New: fresh[GateStopBlocked], Doc: "a turn was not let end until requirements are met"},
	{Type: TypeGateConfigInvalid, New: fresh[GateConfigInvalid], Doc: "a part of the gates' configuration could not be used"},
	{Type: TypeGateImported, New: fresh[GateImported], Doc: "gates were taken over from another tool's file, or from a project that was joined"},
	{Type: TypePermissionAutoDenied, New: fresh[PermissionAutoDenied], Doc: "permission for a dangerous command was refused without asking"},
}
