package events

import "encoding/json"

// Requirement gates: what must be done before a tool may be used. Session, project and branch stand in
// the envelope: a gate's state belongs to one branch of one project.

// Wire names of this file.
const (
	TypeGateSatisfied     = "gate.satisfied"
	TypeGateTriggered     = "gate.triggered"
	TypeGateBlocked       = "gate.blocked"
	TypeGateCleared       = "gate.cleared"
	TypeGateStopBlocked   = "gate.stop_blocked"
	TypeGateConfigInvalid = "gate.config_invalid"
	TypeGateImported      = "gate.imported"
	TypeGateReserved      = "gate.reserved"
	TypeGateReleased      = "gate.released"
	TypeGateSwitched      = "gate.switched"

	TypePermissionAutoDenied = "permission.auto_denied"
)

// Scopes of a requirement, and the levels at which something is said about one.
const (
	GateScopeSession   = "session"
	GateScopeBranch    = "branch"
	GateScopePermanent = "permanent"
	GateScopeSingleUse = "single_use"

	GateLevelSession = "session" // for the envelope's session alone
	GateLevelBranch  = "branch"  // for every session of the branch
)

// Why a satisfaction was taken away.
const (
	GateClearedCommand    = "command"
	GateClearedSingleUse  = "single_use"
	GateClearedBackground = "background" // a single_use action was started in the background
	GateClearedSessionEnd = "session_end"
)

// GateSatisfied records that a requirement was met. ExpiresAt holds what a time to live came to.
type GateSatisfied struct {
	Name      string          `json:"name" jsonschema_description:"the requirement"`
	Scope     string          `json:"scope" jsonschema_description:"how long it holds: session, branch, permanent or single_use"`
	Level     string          `json:"level" jsonschema_description:"session: for this session; branch: for every session of the branch"`
	By        string          `json:"by" jsonschema_description:"cli, cli_bypass, skill, approval, carry_over, manual or import"`
	ExpiresAt string          `json:"expires_at,omitempty" jsonschema:"format=date-time" jsonschema_description:"RFC 3339; it holds up to and including this time"`
	Skill     string          `json:"skill,omitempty" jsonschema_description:"by skill: which one"`
	Since     string          `json:"since,omitempty" jsonschema_description:"by carry_over: when it was first satisfied, RFC 3339"`
	Caller    string          `json:"caller,omitempty" jsonschema_description:"by a command: agent where a session of the client ran it, else person"`
	Metadata  json.RawMessage `json:"metadata,omitempty" jsonschema_description:"what was given with it, a JSON object"`
}

// Type implements [Event].
func (*GateSatisfied) Type() string { return TypeGateSatisfied }

var _ = kind[GateSatisfied]("", "a requirement was met")

// GateTriggered records that a call which a requirement asks about was let through; the first time only.
type GateTriggered struct {
	Name  string `json:"name" jsonschema_description:"the requirement"`
	Scope string `json:"scope" jsonschema_description:"its scope"`
}

// Type implements [Event].
func (*GateTriggered) Type() string { return TypeGateTriggered }

var _ = kind[GateTriggered]("", "a call that a requirement asks about was let through")

// GateBlocked records a call that was denied, with the facts the decision rests on.
type GateBlocked struct {
	Names  []string                     `json:"names" jsonschema_description:"requirements that were not met"`
	Tool   string                       `json:"tool" jsonschema_description:"the tool that was asked for"`
	Target string                       `json:"target,omitempty" jsonschema_description:"what the call was about: file PATH, $ PROGRAM WORD or tool NAME"`
	Digest string                       `json:"digest" jsonschema_description:"of the reason in full: the same digest is the same text"`
	Short  bool                         `json:"short,omitempty" jsonschema_description:"the text was shortened, it had just been given"`
	Values map[string]map[string]string `json:"values,omitempty" jsonschema_description:"by requirement: branch, value, base_branch and what else the text names"`
}

// Type implements [Event].
func (*GateBlocked) Type() string { return TypeGateBlocked }

var _ = kind[GateBlocked]("", "a call was denied until requirements are met")

// GateCleared takes satisfactions away. A session's own clearing by command keeps that it was
// triggered; the other reasons forget that too.
type GateCleared struct {
	Name        string `json:"name,omitempty" jsonschema_description:"the requirement; absent: all of them"`
	AllSessions bool   `json:"all_sessions,omitempty" jsonschema_description:"of the whole branch; else of the envelope's session"`
	Reason      string `json:"reason" jsonschema_description:"command, single_use, background or session_end"`
}

// Type implements [Event].
func (*GateCleared) Type() string { return TypeGateCleared }

var _ = kind[GateCleared]("", "a requirement has to be met again")

// GateReserved records that a call was let through which uses a single_use satisfaction up once its action happened.
// Until then no other call is.
type GateReserved struct {
	Name      string `json:"name" jsonschema_description:"the requirement"`
	ToolUseID string `json:"tool_use_id" jsonschema_description:"the client's id of the call"`
	AgentID   string `json:"agent_id,omitempty" jsonschema_description:"of the subagent that made it"`
	Head      string `json:"head,omitempty" jsonschema_description:"commit before a call that commits; absent for another"`
}

// Type implements [Event].
func (*GateReserved) Type() string { return TypeGateReserved }

var _ = kind[GateReserved]("", "a satisfaction that counts once is in use by a call")

// GateReleased gives a reserved satisfaction back: its action did not happen.
type GateReleased struct {
	Name   string `json:"name" jsonschema_description:"the requirement"`
	Reason string `json:"reason" jsonschema_description:"unused: the call ended without its action; lapsed: its end was not told; renewed: it was satisfied again meanwhile"`
}

// Type implements [Event].
func (*GateReleased) Type() string { return TypeGateReleased }

var _ = kind[GateReleased]("", "a call did not use the satisfaction that it had reserved")

// GateSwitched records that a repository's gates went off as a whole, or came back.
type GateSwitched struct {
	On     bool   `json:"on" jsonschema_description:"they hold again"`
	Dir    string `json:"dir" jsonschema_description:"top of the work tree"`
	Reason string `json:"reason,omitempty" jsonschema_description:"why they were off: the file is gone, disabled or unreadable"`
}

// Type implements [Event].
func (*GateSwitched) Type() string { return TypeGateSwitched }

var _ = kind[GateSwitched]("", "the gates of a repository went off, or came back")

// Summary implements [Summarizer].
func (e *GateSwitched) Summary() string {
	if e.On {
		return e.Dir + ": on again"
	}
	return e.Dir + ": off, " + e.Reason
}

// GateStopBlocked records that a turn was not let end, with the facts the decision rests on.
type GateStopBlocked struct {
	Names  []string                     `json:"names" jsonschema_description:"requirements that were triggered and are not met"`
	Digest string                       `json:"digest" jsonschema_description:"of the reason"`
	Values map[string]map[string]string `json:"values,omitempty" jsonschema_description:"by requirement: branch, value, base_branch and what else the text names"`
}

// Type implements [Event].
func (*GateStopBlocked) Type() string { return TypeGateStopBlocked }

var _ = kind[GateStopBlocked]("", "a turn was not let end until requirements are met")

// GateConfigInvalid records a part of the configuration that could not be used, or a fact that could
// not be found out in time; the gates it concerns let everything pass.
type GateConfigInvalid struct {
	File        string `json:"file,omitempty" jsonschema_description:"the configuration file"`
	Line        int    `json:"line,omitempty" jsonschema_description:"from 1; absent: the whole file"`
	Column      int    `json:"column,omitempty" jsonschema_description:"from 1"`
	Requirement string `json:"requirement,omitempty" jsonschema_description:"the part that is left out"`
	Message     string `json:"message" jsonschema_description:"what is wrong"`
}

// Type implements [Event].
func (*GateConfigInvalid) Type() string { return TypeGateConfigInvalid }

var _ = kind[GateConfigInvalid]("", "a part of the gates' configuration could not be used")

// GateImported takes over what other software kept in a file about the gates of the envelope's branch, or
// what was known of that branch in a project that was joined into the envelope's. A newer satisfaction
// that is known already stays.
type GateImported struct {
	File     string                `json:"file" jsonschema_description:"base name of the file, or the word project and the id of the project that was joined"`
	Gates    []GateImportedEntry   `json:"gates,omitempty" jsonschema_description:"what it says of requirements"`
	Sessions []GateImportedSession `json:"sessions,omitempty" jsonschema_description:"what it says of sessions"`
}

// Type implements [Event].
func (*GateImported) Type() string { return TypeGateImported }

var _ = kind[GateImported]("", "gates were taken over from another tool's file, or from a project that was joined")

// GateImportedEntry is one requirement for one session, or for the branch where Session is empty.
type GateImportedEntry struct {
	Name        string          `json:"name" jsonschema_description:"the requirement"`
	Scope       string          `json:"scope,omitempty" jsonschema_description:"its scope"`
	Session     string          `json:"session,omitempty" jsonschema_description:"whole id where it is known, else its 8 characters; absent: the branch"`
	SatisfiedAt string          `json:"satisfied_at,omitempty" jsonschema:"format=date-time" jsonschema_description:"RFC 3339; absent: it is not met"`
	SatisfiedBy string          `json:"satisfied_by,omitempty" jsonschema_description:"as the file says"`
	ExpiresAt   string          `json:"expires_at,omitempty" jsonschema:"format=date-time" jsonschema_description:"RFC 3339"`
	TriggeredAt string          `json:"triggered_at,omitempty" jsonschema:"format=date-time" jsonschema_description:"RFC 3339; absent: it was not triggered"`
	Metadata    json.RawMessage `json:"metadata,omitempty" jsonschema_description:"a JSON object"`
}

// GateImportedSession is one session of the registry file.
type GateImportedSession struct {
	Session    string `json:"session" jsonschema_description:"its 8 characters"`
	PID        int    `json:"pid,omitempty" jsonschema_description:"the client process"`
	PIDStart   int64  `json:"pid_start,omitempty" jsonschema_description:"start time of that process; absent: it was gone when the file was read"`
	ProjectDir string `json:"project_dir,omitempty" jsonschema_description:"where it worked"`
	Branch     string `json:"branch,omitempty" jsonschema_description:"on which branch"`
	StartedAt  string `json:"started_at,omitempty" jsonschema:"format=date-time" jsonschema_description:"RFC 3339"`
	LastActive string `json:"last_active,omitempty" jsonschema:"format=date-time" jsonschema_description:"RFC 3339"`
}

// PermissionAutoDenied records that hookline answered the client's question for permission with no: the
// command was one that is not left to a dialog. Its causation is the question, which has the command.
type PermissionAutoDenied struct {
	Tool   string `json:"tool" jsonschema_description:"the tool that permission was asked for"`
	Rule   string `json:"rule" jsonschema_description:"rm_root, force_push, force_push_short, reset_remote, git_clean, sql_drop or sql_truncate"`
	Reason string `json:"reason" jsonschema_description:"the rule in words"`
}

// Type implements [Event].
func (*PermissionAutoDenied) Type() string { return TypePermissionAutoDenied }

var _ = kind[PermissionAutoDenied]("", "permission for a dangerous command was refused without asking")
