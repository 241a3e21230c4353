package gates

import (
	_ "embed" // the starter file
	"encoding/json"
	"maps"
	"slices"

	"github.com/invopop/jsonschema"
)

//go:embed starter.yaml
var starter []byte

// Starter is a commented .claude/requirements.yaml that loads without problems: one gate is on, the rest are there
// to be switched on.
func Starter() []byte { return slices.Clone(starter) }

// document is the shape of a file, for editors. The loader is laxer: it takes what is well formed.
type document struct {
	Version      string                         `json:"version,omitempty" jsonschema_description:"informational; 1.0"`
	Enabled      *bool                          `json:"enabled,omitempty" jsonschema:"default=true" jsonschema_description:"false: no gate closes"`
	Inherit      *bool                          `json:"inherit,omitempty" jsonschema:"default=true" jsonschema_description:"project file only; false: ~/.claude/requirements.yaml does not count"`
	Requirements map[string]documentRequirement `json:"requirements,omitempty" jsonschema_description:"the gates by name"`
	Hooks        *documentHooks                 `json:"hooks,omitempty" jsonschema_description:"what happens at a session's start, stop and end"`
}

type documentRequirement struct {
	Enabled           *bool               `json:"enabled,omitempty" jsonschema:"default=false" jsonschema_description:"only true switches the gate on"`
	Type              string              `json:"type,omitempty" jsonschema:"enum=blocking,enum=dynamic,enum=guard,default=blocking" jsonschema_description:"blocking: until satisfied; guard: while a condition holds; dynamic: while a number is at its threshold"`
	Scope             string              `json:"scope,omitempty" jsonschema:"enum=session,enum=branch,enum=permanent,enum=single_use,default=session" jsonschema_description:"how long a satisfaction holds"`
	TriggerTools      []documentTrigger   `json:"trigger_tools,omitempty" jsonschema_description:"the tools that ask for it; default Edit, Write, MultiEdit, NotebookEdit; an empty list never triggers"`
	Message           string              `json:"message,omitempty" jsonschema_description:"what a denial says; placeholders such as {auto_resolve_skill} are filled in"`
	ShortMessage      string              `json:"short_message,omitempty" jsonschema_description:"what a denial says when it repeats itself"`
	Description       string              `json:"description,omitempty" jsonschema_description:"for the status"`
	Checklist         []string            `json:"checklist,omitempty" jsonschema_description:"shown below the message"`
	AutoResolveSkill  string              `json:"auto_resolve_skill,omitempty" jsonschema:"minLength=1" jsonschema_description:"the skill that is suggested; it satisfies nothing by itself"`
	SatisfiedBySkill  string              `json:"satisfied_by_skill,omitempty" jsonschema:"minLength=1" jsonschema_description:"the skill whose end satisfies it"`
	GuardType         string              `json:"guard_type,omitempty" jsonschema:"enum=protected_branch,enum=single_session,enum=dirty_tree" jsonschema_description:"a guard's condition"`
	ProtectedBranches []string            `json:"protected_branches,omitempty" jsonschema_description:"exact names; default master, main"`
	Calculator        string              `json:"calculator,omitempty" jsonschema:"enum=branch_size_calculator" jsonschema_description:"a dynamic requirement's number"`
	Thresholds        *documentThresholds `json:"thresholds,omitempty" jsonschema_description:"a dynamic requirement's limits; a value equal to one has reached it"`
	CacheTTL          float64             `json:"cache_ttl,omitempty" jsonschema:"minimum=0,default=60" jsonschema_description:"seconds that a calculated value is good"`
	ApprovalTTL       float64             `json:"approval_ttl,omitempty" jsonschema:"minimum=0,default=300" jsonschema_description:"seconds that an approval holds"`
	BlockingMessage   string              `json:"blocking_message,omitempty" jsonschema_description:"a dynamic requirement's text, with {value}, {summary}, {block_threshold}, {base_branch}"`
	StopOnly          *bool               `json:"stop_only,omitempty" jsonschema:"default=false" jsonschema_description:"denies no call; a call that asks for it arms it, and the end of the turn waits for it"`
	ReplanTTL         float64             `json:"replan_ttl,omitempty" jsonschema:"minimum=0" jsonschema_description:"seconds that a satisfaction by skill holds; 0: as long as the scope says"`
	Base              string              `json:"base,omitempty" jsonschema_description:"the ref that the branch is measured from; default: the merge base with the default branch"`
}

type documentThresholds struct {
	Warn  float64 `json:"warn,omitempty" jsonschema:"minimum=0" jsonschema_description:"a warning from here on"`
	Block float64 `json:"block" jsonschema:"required,minimum=0" jsonschema_description:"closed from here on"`
}

// documentTrigger is a name or a mapping.
type documentTrigger struct{}

// JSONSchema describes the two forms.
func (documentTrigger) JSONSchema() *jsonschema.Schema {
	form := jsonschema.NewProperties()
	form.Set("tool", &jsonschema.Schema{Type: "string", Description: "the tool's exact name"})
	form.Set("command_pattern", &jsonschema.Schema{Type: "string", Format: "regex",
		Description: "for Bash: a regular expression, upper and lower case alike, that is searched in each command of the line"})
	return &jsonschema.Schema{OneOf: []*jsonschema.Schema{
		{Type: "string", Description: "the tool's exact name"},
		{Type: "object", Properties: form, Required: []string{"tool"}, AdditionalProperties: jsonschema.FalseSchema},
	}}
}

type documentHooks struct {
	SessionStart *struct {
		InjectContext *bool  `json:"inject_context,omitempty" jsonschema:"default=true" jsonschema_description:"the status of the gates; false also switches the carry-over off"`
		InjectionMode string `json:"injection_mode,omitempty" jsonschema:"enum=auto,enum=compact,enum=standard,enum=rich,default=auto"`
		CustomHeader  string `json:"custom_header,omitempty" jsonschema_description:"stands above the status"`
		CarryOver     *struct {
			Enabled       *bool    `json:"enabled,omitempty" jsonschema:"default=true"`
			WindowSeconds float64  `json:"window_seconds,omitempty" jsonschema:"minimum=0,default=300" jsonschema_description:"the greatest age of what is carried over"`
			Scopes        []string `json:"scopes,omitempty" jsonschema:"enum=session,enum=branch,enum=permanent,enum=single_use"`
		} `json:"carry_over,omitempty"`
	} `json:"session_start,omitempty"`
	Stop *struct {
		VerifyRequirements *bool    `json:"verify_requirements,omitempty" jsonschema:"default=true"`
		VerifyScopes       []string `json:"verify_scopes,omitempty" jsonschema:"enum=session,enum=branch,enum=permanent,enum=single_use"`
	} `json:"stop,omitempty"`
	SessionEnd *struct {
		ClearSessionState *bool `json:"clear_session_state,omitempty" jsonschema:"default=false"`
	} `json:"session_end,omitempty"`
	SessionLearning *struct {
		Enabled      *bool `json:"enabled,omitempty" jsonschema:"default=false"`
		PromptOnStop *bool `json:"prompt_on_stop,omitempty" jsonschema:"default=true"`
		MinToolUses  int   `json:"min_tool_uses,omitempty" jsonschema:"minimum=0,default=5"`
	} `json:"session_learning,omitempty"`
	PermissionRequest *struct {
		AutoDenyDangerous *bool `json:"auto_deny_dangerous,omitempty" jsonschema:"default=true" jsonschema_description:"answer no to the permission dialog of rm outside of the work tree, a forced push, a hard reset to the remote main branch, git clean, SQL DROP and TRUNCATE"`
	} `json:"permission_request,omitempty"`
}

// Schema is the JSON Schema (2020-12) of a file, for editors. The framework's keys that nothing here acts on are
// allowed.
func Schema() []byte {
	r := jsonschema.Reflector{DoNotReference: true, RequiredFromJSONSchemaTags: true, Anonymous: true}
	s := r.Reflect(&document{})
	s.ID = ""
	s.Title = "Requirement gates of Claude Code: .claude/requirements.yaml"
	allowInert(s, topSection)
	out, err := json.MarshalIndent(s, "", "  ")
	if err != nil {
		panic(err) // the structs above decide, and a test has marshalled them
	}
	return append(out, '\n')
}

// allowInert adds the keys that are known and not acted on; any value goes.
func allowInert(s *jsonschema.Schema, sec *section) {
	for _, key := range sec.inert {
		s.Properties.Set(key, &jsonschema.Schema{Description: "known, and not acted on"})
	}
	for _, key := range slices.Sorted(maps.Keys(sec.below)) {
		below := sec.below[key]
		switch {
		case s.Properties == nil:
			return
		case len(below.known) == 0: // requirements: a mapping of names
			if p, ok := s.Properties.Get(key); ok && p.AdditionalProperties != nil {
				allowInert(p.AdditionalProperties, below.below[""])
			}
		default:
			if p, ok := s.Properties.Get(key); ok && p.Properties != nil {
				allowInert(p, below)
			}
		}
	}
}
