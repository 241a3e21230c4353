package events

import "encoding/json"

// The sessions that the samples come from; ids have the client's form.
const (
	sampleSession = "c68c8a51-e89d-45af-bd06-f5c764bc3b27"
	sampleOther   = "35d3bc58-f6f2-4b89-95ec-dfb7aa280a31"
	samplePrompt  = "689ad18b-c78b-4210-8ae1-f351d3ca24a7"
	sampleCall    = "toolu_01A7BkQ2sVd9hYx3MfRw5TzN"
)

// common fills every field that the client puts on a hook.
func common(hook string) Common {
	return Common{
		SessionID:      sampleSession,
		TranscriptPath: "/home/dev/.claude/projects/-project/" + sampleSession + ".jsonl",
		Cwd:            "/project/parser",
		HookEventName:  hook,
		PromptID:       samplePrompt,
		PermissionMode: "acceptEdits",
		Effort:         &Effort{Level: "medium"},
		AgentID:        "aaad9d192cebba430",
		AgentType:      "general-purpose",
	}
}

func raw(s string) json.RawMessage { return json.RawMessage(s) }

func sampleServer() *MCPServer { return &MCPServer{Name: "context-graph", Source: "project"} }

func sampleTasks() []BackgroundTask {
	return []BackgroundTask{
		{ID: "aaad9d192cebba430", Kind: "subagent", Status: "running", Description: "Look for callers", AgentType: "general-purpose",
			Command: "npm run watch", Name: "scout", Server: "context-graph", Tool: "index"},
		{ID: "b7f3a1", Kind: "shell", Status: "running", Description: "npm run watch", Command: "npm run watch"},
	}
}

// hookSamples holds one event of every hook of the client with every field set.
func hookSamples() []Event {
	const crons = `[{"id":"cron_1","schedule":"0 9 * * 1","prompt":"check the nightly build"}]`
	return []Event{
		&SessionStarted{Common: common("SessionStart"), Source: "resume", Model: "claude-opus-5-5", SecondsSinceLastResponse: 5400,
			ContextTokens: 81234, PromptCacheLikelyExpired: true, EstimatedCacheWriteUSD: 0.5077, SessionTitle: "Raw strings"},
		&SessionEnded{Common: common("SessionEnd"), Reason: "prompt_input_exit"},
		&SetupRan{Common: common("Setup"), Trigger: "init"},
		&InstructionsLoaded{Common: common("InstructionsLoaded"), FilePath: "/project/.claude/rules/go.md", MemoryType: "Project",
			LoadReason: "path_glob_match", Globs: []string{"**/*.go", "go.mod"}, TriggerFilePath: "/project/parser/lexer.go",
			ParentFilePath: "/project/CLAUDE.md"},
		&ConfigChanged{Common: common("ConfigChange"), Source: "project_settings", FilePath: "/project/.claude/settings.json"},
		&CompactionStarted{Common: common("PreCompact"), Trigger: "manual", CustomInstructions: "keep the failing test's name"},
		&CompactionFinished{Common: common("PostCompact"), Trigger: "auto",
			CompactSummary: "<analysis>…</analysis>\n<summary>The lexer now reads raw strings; the parser's test still fails.</summary>"},
		&ModelSwitchRequested{Common: common("PreModelSwitch"), FromModel: "claude-opus-5-5", ToModel: "claude-sonnet-5-5",
			RequestedModel: "sonnet", Source: "command", ContextTokens: 120000, PromptCacheWarm: true, CacheTTL: "5m",
			EstimatedCacheWriteUSD: 0.45, Pricing: "catalog"},
		&ModelSwitched{Common: common("PostModelSwitch"), FromModel: "claude-opus-5-5", ToModel: "claude-sonnet-5-5",
			RequestedModel: "sonnet", Source: "command", ContextTokens: 120000, PromptCacheWarm: true, CacheTTL: "1h",
			EstimatedCacheWriteUSD: 0.72, Pricing: "catalog"},
		&ToolRequested{Common: common("PreToolUse"), ToolName: "mcp__context-graph__ask",
			ToolInput: raw(`{"question":"who calls Lex?","limit":5}`), ToolUseID: sampleCall, MCPServer: sampleServer()},
		&ToolSucceeded{Common: common("PostToolUse"), ToolName: "mcp__context-graph__ask",
			ToolInput:    raw(`{"question":"who calls Lex?","limit":5}`),
			ToolResponse: raw(`[{"type":"text","text":"parser.go:41"}]`), ToolUseID: sampleCall, DurationMS: 148.25, MCPServer: sampleServer()},
		&ToolFailed{Common: common("PostToolUseFailure"), ToolName: "Bash",
			ToolInput: raw(`{"command":"go test ./...","description":"Run the tests"}`), ToolUseID: sampleCall,
			Error: "Exit code 1\n--- FAIL: TestRawString (0.00s)", IsInterrupt: true, DurationMS: 5312, MCPServer: sampleServer()},
		&ToolBatchFinished{Common: common("PostToolBatch"), ToolCalls: []ToolCall{
			{ToolName: "Edit", ToolInput: raw(`{"file_path":"/project/parser/lexer.go","old_string":"two","new_string":"three"}`),
				ToolUseID: sampleCall, ToolResponse: raw(`"The file /project/parser/lexer.go has been updated."`)},
			{ToolName: "Bash", ToolInput: raw(`{"command":"exit 3"}`), ToolUseID: "toolu_01B", ToolResponse: raw(`"Exit code 3"`)}}},
		&PermissionRequested{Common: common("PermissionRequest"), ToolName: "Bash",
			ToolInput:             raw(`{"command":"git push","description":"Push"}`),
			PermissionSuggestions: raw(`[{"type":"setMode","mode":"acceptEdits","destination":"session"}]`), MCPServer: sampleServer()},
		&PermissionDenied{Common: common("PermissionDenied"), ToolName: "Bash", ToolInput: raw(`{"command":"git push"}`),
			ToolUseID: sampleCall, Reason: "the user said no", MCPServer: sampleServer()},
		&PromptSubmitted{Common: common("UserPromptSubmit"), Prompt: "Teach the lexer raw strings: `like \"this\"` – ünïcode too 🎣",
			Source: "user", SessionTitle: "Raw strings"},
		&PromptExpanded{Common: common("UserPromptExpansion"), ExpansionType: "slash_command", CommandName: "review",
			CommandArgs: "--since yesterday", CommandSource: "projectSettings", Prompt: "/review --since yesterday"},
		&TurnStopped{Common: common("Stop"), StopHookActive: true, LastAssistantMessage: "Raw strings work now.",
			BackgroundTasks: sampleTasks(), SessionCrons: raw(crons)},
		&TurnFailed{Common: common("StopFailure"), Error: "rate_limit", ErrorDetails: "retry after 60 s", LastAssistantMessage: "I will now"},
		&SubagentStarted{Common: common("SubagentStart")},
		&TurnInterrupted{Common: common("Interrupt"), TurnID: "turn-1"},
		&SubagentStopped{Common: common("SubagentStop"), StopHookActive: true,
			AgentTranscriptPath:  "/home/dev/.claude/projects/-project/" + sampleSession + "/subagents/agent-aaad9d192cebba430.jsonl",
			LastAssistantMessage: "Two callers.", BackgroundTasks: sampleTasks(), SessionCrons: raw(crons)},
		&TeammateIdled{Common: common("TeammateIdle"), TeammateName: "reviewer", TeamName: "parser"},
		&TaskCreated{Common: common("TaskCreated"), TaskID: "7", TaskSubject: "Raw strings", TaskDescription: "Lexer, parser, tests", TeammateName: "reviewer", TeamName: "parser"},
		&TaskCompleted{Common: common("TaskCompleted"), TaskID: "7", TaskSubject: "Raw strings", TaskDescription: "Lexer, parser, tests", TeammateName: "reviewer", TeamName: "parser"},
		&NotificationSent{Common: common("Notification"), Message: "Claude needs your permission to use Bash", Title: "Permission needed",
			NotificationType: "permission_prompt"},
		&MessageDisplayed{Common: common("MessageDisplay"), TurnID: "turn_3", MessageID: "msg_01Xy", Index: 4, Final: true, Delta: "work now."},
		&CwdChanged{Common: common("CwdChanged"), OldCwd: "/project", NewCwd: "/project/parser"},
		&FileChanged{Common: common("FileChanged"), FilePath: "/project/.env.example", Event: "change"},
		&DirectoryAdded{Common: common("DirectoryAdded"), Directory: "/library", Source: "command"},
		&WorktreeCreationRequested{Common: common("WorktreeCreate"), Name: "raw-strings"},
		&WorktreeRemoved{Common: common("WorktreeRemove"), WorktreePath: "/project/.claude/worktrees/raw-strings"},
		&ElicitationRequested{Common: common("Elicitation"), MCPServerName: "context-graph", Message: "Which module?", Mode: "form",
			RequestedSchema: raw(`{"type":"object","properties":{"name":{"type":"string"}},"required":["name"]}`), URL: "https://example.com/ask", ElicitationID: "el_1"},
		&ElicitationAnswered{Common: common("ElicitationResult"), MCPServerName: "context-graph", Mode: "form", Action: "accept",
			Content: raw(`{"name":"parser"}`), URL: "https://example.com/ask", ElicitationID: "el_1"},
		&HookUnrecognized{Common: common("QuotaWarning")},
	}
}
