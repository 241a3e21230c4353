package settings

import (
	"regexp"
	"strings"
)

// Every timeout, in seconds, is above what a hook may take: 5 s for an input that comes in pieces, 0.1 to 2 s for the
// answer, 3 s more until a busy machine has the hook on disk. So it is hookctl who gives up in time, with a degraded
// answer and the frame spooled, and the client's kill is left for a machine that hangs. It is far below the client's own
// default, up to 600 s, which would freeze a session for that long. SessionEnd needs it written down: else it is 1.5 s.
const (
	usualTimeout = 12
	startTimeout = 15 // SessionStart may start the daemon and fold the tail of the log
)

// eventNames are the events of the full profile in the order they are written: all 33 of the client but two.
// WorktreeCreate takes a hook's standard output for the path of the worktree, so that a hook which only listens would
// break it; MessageDisplay fires for every piece of text shown and has nothing that the other events have not.
var eventNames = strings.Fields(`SessionStart Setup UserPromptSubmit UserPromptExpansion PreToolUse PermissionRequest
	PermissionDenied PostToolUse PostToolUseFailure PostToolBatch Notification Stop StopFailure
	SubagentStart SubagentStop TeammateIdle TaskCreated TaskCompleted PreCompact PostCompact
	SessionEnd PreModelSwitch PostModelSwitch ConfigChange InstructionsLoaded CwdChanged
	FileChanged DirectoryAdded WorktreeRemove Elicitation ElicitationResult`)

// identityMatcher limits the two tool hooks to tools that change files or the context graph,
// also when its server comes from a plugin. The client takes a matcher with such signs for an
// unanchored regular expression: without ^ and $, Edit would match NotebookEdit too.
const identityMatcher = `^(mcp__(plugin_[^_]+_)?context-graph__.*|Edit|Write)$`

// identityTable is REQ-SESSION-16 with its timeouts in seconds; the order is the full profile's.
var identityTable = [...]entry{
	{event: "SessionStart", args: []string{"session", "restore-identity"}, timeout: 5},
	{event: "UserPromptSubmit", args: []string{"consciousness", "inject-context"}, timeout: 2},
	{event: "PreToolUse", matcher: identityMatcher, args: []string{"consciousness", "brief", "--hook"}, timeout: 0.1},
	{event: "PostToolUse", matcher: identityMatcher, args: []string{"consciousness", "check-identity", "--auto-dream"}, timeout: 3},
	{event: "SessionEnd", args: []string{"session", "persist-identity"}, timeout: 30},
}

// codexEvents are the hooks of Codex, all of them. A version that does not know one leaves it out.
var codexEvents = strings.Fields(`SessionStart UserPromptSubmit PreToolUse PermissionRequest PostToolUse Stop Interrupt
	SubagentStart SubagentStop PreCompact PostCompact SessionEnd`)

// entries returns what the options write, calling command.
func (o Options) entries(command string) []entry {
	var list []entry
	switch {
	case o.Client == Codex:
		for _, name := range codexEvents {
			list = append(list, entry{event: name, command: shellWord(command) + " hook " + name + " --client codex", timeout: usualTimeout})
		}
		list[0].timeout = startTimeout
		return list
	case o.Profile == Identity:
		list = append(list, identityTable[:]...)
	default:
		for _, name := range eventNames {
			list = append(list, entry{event: name, args: []string{"hook", name}, timeout: usualTimeout})
		}
		list[0].timeout = startTimeout
	}
	for i := range list {
		list[i].command = command
	}
	return list
}

// plainWord is a path that no shell reads otherwise.
var plainWord = regexp.MustCompile(`^[A-Za-z0-9_@%+=:,./\\~-]+$`)

// shellWord is a program as a word of a command line; a quote in it is beyond what splitWords reads back.
func shellWord(program string) string {
	if plainWord.MatchString(program) {
		return program
	}
	return `"` + program + `"`
}
