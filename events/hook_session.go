package events

// Sessions, their context and their settings.

// Wire names of this file.
const (
	TypeSessionStarted       = "session.started"
	TypeSessionEnded         = "session.ended"
	TypeSetupRan             = "setup.ran"
	TypeInstructionsLoaded   = "instructions.loaded"
	TypeConfigChanged        = "config.changed"
	TypeCompactionStarted    = "compaction.started"
	TypeCompactionFinished   = "compaction.finished"
	TypeModelSwitchRequested = "model.switch_requested"
	TypeModelSwitched        = "model.switched"
)

// SessionStarted records the client's SessionStart hook: a session began or goes on: start, resume, clear, compaction or fork.
type SessionStarted struct {
	Common
	Source                   string  `json:"source,omitempty" jsonschema_description:"startup, resume, clear, compact or fork"`
	Model                    string  `json:"model,omitempty" jsonschema_description:"model the session starts with; absent in print mode"`
	SecondsSinceLastResponse float64 `json:"seconds_since_last_response,omitempty" jsonschema_description:"resume and fork: seconds since the last answer"`
	ContextTokens            int64   `json:"context_tokens,omitempty" jsonschema_description:"resume and fork: tokens of the restored conversation"`
	PromptCacheLikelyExpired bool    `json:"prompt_cache_likely_expired,omitempty" jsonschema_description:"resume and fork"`
	SessionTitle             string  `json:"session_title,omitempty" jsonschema_description:"the session's title, once it has one"`
	EstimatedCacheWriteUSD   float64 `json:"estimated_cache_write_usd,omitempty" jsonschema_description:"resume and fork: US dollars"`
}

// Type implements [Event].
func (*SessionStarted) Type() string { return TypeSessionStarted }

var _ = kind[SessionStarted]("SessionStart", "a session began or goes on: start, resume, clear, compaction or fork")

// SessionEnded records the client's SessionEnd hook: the client said that the session ends; a hint, it may never come.
type SessionEnded struct {
	Common
	Reason string `json:"reason,omitempty" jsonschema_description:"clear, resume, logout, prompt_input_exit or other"`
}

// Type implements [Event].
func (*SessionEnded) Type() string { return TypeSessionEnded }

var _ = kind[SessionEnded]("SessionEnd", "the client said that the session ends; a hint, it may never come")

// SetupRan records the client's Setup hook: the client ran its setup.
type SetupRan struct {
	Common
	Trigger string `json:"trigger,omitempty" jsonschema_description:"init or maintenance"`
}

// Type implements [Event].
func (*SetupRan) Type() string { return TypeSetupRan }

var _ = kind[SetupRan]("Setup", "the client ran its setup")

// InstructionsLoaded records the client's InstructionsLoaded hook: an instruction or memory file went into the context.
type InstructionsLoaded struct {
	Common
	FilePath        string   `json:"file_path,omitempty" jsonschema_description:"the file"`
	MemoryType      string   `json:"memory_type,omitempty" jsonschema_description:"kind of memory, e.g. Project, User"`
	LoadReason      string   `json:"load_reason,omitempty" jsonschema_description:"session_start, nested_traversal, path_glob_match, include or compact"`
	Globs           []string `json:"globs,omitempty" jsonschema_description:"path_glob_match: the patterns"`
	TriggerFilePath string   `json:"trigger_file_path,omitempty" jsonschema_description:"the file whose reading led to it"`
	ParentFilePath  string   `json:"parent_file_path,omitempty" jsonschema_description:"include: the including file"`
}

// Type implements [Event].
func (*InstructionsLoaded) Type() string { return TypeInstructionsLoaded }

var _ = kind[InstructionsLoaded]("InstructionsLoaded", "an instruction or memory file went into the context")

// ConfigChanged records the client's ConfigChange hook: a settings file or the skills changed.
type ConfigChanged struct {
	Common
	Source   string `json:"source,omitempty" jsonschema_description:"user_settings, project_settings, local_settings, policy_settings or skills"`
	FilePath string `json:"file_path,omitempty" jsonschema_description:"the file that changed"`
}

// Type implements [Event].
func (*ConfigChanged) Type() string { return TypeConfigChanged }

var _ = kind[ConfigChanged]("ConfigChange", "a settings file or the skills changed")

// CompactionStarted records the client's PreCompact hook: the client is about to compact the context.
type CompactionStarted struct {
	Common
	Trigger            string `json:"trigger,omitempty" jsonschema_description:"manual or auto"`
	CustomInstructions string `json:"custom_instructions,omitempty" jsonschema:"nullable" jsonschema_description:"what the user asked the summary to keep"`
}

// Type implements [Event].
func (*CompactionStarted) Type() string { return TypeCompactionStarted }

var _ = kind[CompactionStarted]("PreCompact", "the client is about to compact the context")

// CompactionFinished records the client's PostCompact hook: the context was compacted.
type CompactionFinished struct {
	Common
	Trigger        string `json:"trigger,omitempty" jsonschema_description:"manual or auto"`
	CompactSummary string `json:"compact_summary,omitempty" jsonschema_description:"the raw summary, with its analysis part"`
}

// Type implements [Event].
func (*CompactionFinished) Type() string { return TypeCompactionFinished }

var _ = kind[CompactionFinished]("PostCompact", "the context was compacted")

// ModelSwitchRequested records the client's PreModelSwitch hook: the model is about to be switched.
type ModelSwitchRequested struct {
	Common
	FromModel              string  `json:"from_model,omitempty" jsonschema_description:"model before"`
	ToModel                string  `json:"to_model,omitempty" jsonschema_description:"model after"`
	RequestedModel         string  `json:"requested_model,omitempty" jsonschema_description:"the name that was asked for"`
	Source                 string  `json:"source,omitempty" jsonschema_description:"who asked, e.g. command"`
	ContextTokens          int64   `json:"context_tokens,omitempty" jsonschema_description:"tokens in the context"`
	PromptCacheWarm        bool    `json:"prompt_cache_warm,omitempty" jsonschema_description:"whether the cache was warm"`
	CacheTTL               string  `json:"cache_ttl,omitempty" jsonschema_description:"e.g. 5m"`
	EstimatedCacheWriteUSD float64 `json:"estimated_cache_write_usd,omitempty" jsonschema_description:"US dollars"`
	Pricing                string  `json:"pricing,omitempty" jsonschema_description:"where the price comes from"`
}

// Type implements [Event].
func (*ModelSwitchRequested) Type() string { return TypeModelSwitchRequested }

var _ = kind[ModelSwitchRequested]("PreModelSwitch", "the model is about to be switched")

// ModelSwitched records the client's PostModelSwitch hook: the model was switched.
type ModelSwitched ModelSwitchRequested

// Type implements [Event].
func (*ModelSwitched) Type() string { return TypeModelSwitched }

var _ = kind[ModelSwitched]("PostModelSwitch", "the model was switched")
