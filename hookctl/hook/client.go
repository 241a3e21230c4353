package hook

import (
	"path"
	"strings"

	"hookline/events"
	"hookline/projector/session"
)

// clientOf is the program whose hook this is: what the hook's command line says, else what its session's start said,
// else what the input looks like. Codex names its transcripts rollout-*.jsonl.
func clientOf(in Input, s session.State) string {
	switch {
	case in.Call.Client != "":
		return in.Call.Client
	case s.Program != "":
		return s.Program
	case in.Hook == nil:
	case strings.HasPrefix(path.Base(strings.ReplaceAll(in.Hook.Hook().TranscriptPath, `\`, "/")), "rollout-"):
		return events.Codex
	}
	return events.ClaudeCode
}
