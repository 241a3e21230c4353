package events

import "strings"

// Sessions: their life, their model and their settings.

// Wire names of this file.
const (
	TypeSessionStarted       = "session.started"
	TypeSessionEnded         = "session.ended"
	TypeSessionReaped        = "session.reaped"
	TypeSessionDeleted       = "session.deleted"
	TypeSetupRan             = "setup.ran"
	TypeConfigChanged        = "config.changed"
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

// Headless reports whether a client that was started in a way ([Facts].Entrypoint) runs without a person at the terminal:
// print mode, an SDK, a CI's action.
func Headless(entrypoint string) bool {
	return strings.HasPrefix(entrypoint, "sdk-") || entrypoint == "claude-code-github-action"
}

// SessionEnded records the client's SessionEnd hook: the client said that the session ends; a hint, it may never come.
type SessionEnded struct {
	Common
	Reason string `json:"reason,omitempty" jsonschema_description:"clear, resume, logout, prompt_input_exit or other"`
}

// Type implements [Event].
func (*SessionEnded) Type() string { return TypeSessionEnded }

var _ = kind[SessionEnded]("SessionEnd", "the client said that the session ends; a hint, it may never come")

// SessionReaped records that a session ended without saying so.
type SessionReaped struct {
	Reason     string `json:"reason" jsonschema_description:"process_gone or silent"`
	PID        int    `json:"pid,omitempty" jsonschema_description:"the client process that is gone"`
	LastActive string `json:"last_active,omitempty" jsonschema:"format=date-time" jsonschema_description:"RFC 3339, its last event"`
}

// Type implements [Event].
func (*SessionReaped) Type() string { return TypeSessionReaped }

var _ = kind[SessionReaped]("", "a session ended without saying so")

// SessionDeleted is a tombstone: folds and lists drop the session, the log keeps it.
type SessionDeleted struct {
	Reason string `json:"reason,omitempty" jsonschema_description:"why"`
}

// Type implements [Event].
func (*SessionDeleted) Type() string { return TypeSessionDeleted }

var _ = kind[SessionDeleted]("", "a tombstone: lists and folds drop the session")

// SetupRan records the client's Setup hook: the client ran its setup.
type SetupRan struct {
	Common
	Trigger string `json:"trigger,omitempty" jsonschema_description:"init or maintenance"`
}

// Type implements [Event].
func (*SetupRan) Type() string { return TypeSetupRan }

var _ = kind[SetupRan]("Setup", "the client ran its setup")

// ConfigChanged records the client's ConfigChange hook: a settings file or the skills changed.
type ConfigChanged struct {
	Common
	Source   string `json:"source,omitempty" jsonschema_description:"user_settings, project_settings, local_settings, policy_settings or skills"`
	FilePath string `json:"file_path,omitempty" jsonschema_description:"the file that changed"`
}

// Type implements [Event].
func (*ConfigChanged) Type() string { return TypeConfigChanged }

var _ = kind[ConfigChanged]("ConfigChange", "a settings file or the skills changed")

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
