package doctor

import (
	"cmp"
	"encoding/json"
	"path/filepath"
	"slices"

	"hookline/hookctl/safeopen"
	"hookline/hookctl/settings"
	"hookline/hookctl/verbs/install"
)

// switchedOff looks for what keeps the client from calling hooks, or the hooks from recording: in the client's settings
// files, the strongest first, in its list of trusted folders, in the environment and in our configuration. A file that
// cannot be read is found by the check of the hooks.
func (x *examiner) switchedOff() {
	const disabled = "HOOKLINE_DISABLED"
	x.name = "switches"
	before := len(x.checks)
	paths := []string{filepath.Join(x.Managed, "managed-settings.json")}
	o := install.Settings(x.Env)
	for _, o.Scope = range []settings.Scope{settings.Local, settings.Project, settings.User} {
		paths = append(paths, o.Path())
	}

	decided := false // by a stronger file, whether hooks are off
	set := false     // the variable, in the settings of the client
	for i, path := range paths {
		var s struct {
			DisableAllHooks       *bool
			AllowManagedHooksOnly bool
			PluginOnly            any `json:"strictPluginOnlyCustomization"` // true, or a list of what is restricted
			Env                   map[string]string
		}
		plain, err := settings.Plain(path)
		if err != nil || json.Unmarshal(plain, &s) != nil {
			continue
		}
		if s.DisableAllHooks != nil && *s.DisableAllHooks && !decided {
			x.fail("disableAllHooks is set in "+path+": the client runs no hook", "take disableAllHooks out of that file")
		}
		decided = decided || s.DisableAllHooks != nil
		if s.AllowManagedHooksOnly && i == 0 {
			x.fail("allowManagedHooksOnly is set in "+path+": the client runs the administrator's hooks only",
				"ask the administrator to take it out, or to add the hooks that `hookctl install --dry-run` prints")
		}
		if some, _ := s.PluginOnly.([]any); i == 0 && (s.PluginOnly == true || slices.Contains(some, any("hooks"))) {
			x.fail("strictPluginOnlyCustomization is set in "+path+": the client runs hooks of plugins only", "ask the administrator to take hooks out of it")
		}
		value, has := s.Env[disabled]
		if value == "1" && !set {
			x.fail(disabled+"=1 is in env of "+path+": hooks record nothing", "take it out of that file")
		}
		set = set || has
	}

	if x.Getenv(disabled) == "1" && !set {
		x.fail(disabled+"=1 is in this environment: the hooks of a client that is started from here record nothing",
			"`unset "+disabled+"`, also in the shell's own files")
	}
	if here := x.ProjectDir(); x.untrusted(here) {
		x.warn("the client does not trust "+here+": interactive sessions there run no hook", "start the client there and answer its question about trust")
	}
	if !x.Conf.Values.Records(x.ProjectDir()) {
		x.warn("record_off in "+x.Conf.Origins["record_off"].File+" names this folder: its sessions are not recorded",
			"`hookctl config edit` changes it")
	}
	if len(x.checks) == before {
		x.pass("nothing keeps the client from running hooks")
	}
}

// untrusted reports whether the client has seen a folder and was told to trust neither it nor one above it. Trust in the
// home folder is never kept, and the first start in a new folder asks.
func (x *examiner) untrusted(dir string) bool {
	path := filepath.Join(cmp.Or(x.Getenv("CLAUDE_CONFIG_DIR"), x.Getenv("HOME")), ".claude.json")
	text, err := safeopen.ReadFile(safeopen.Foreign, path, 64<<20)
	var known struct {
		Projects map[string]struct {
			Trusted bool `json:"hasTrustDialogAccepted"`
		} `json:"projects"`
	}
	if err != nil || json.Unmarshal(text, &known) != nil { // the client's own file, whose form may change
		return false
	}

	_, seen := known.Projects[dir]
	for at := dir; !known.Projects[at].Trusted; at = filepath.Dir(at) {
		if at == filepath.Dir(at) {
			return seen && dir != x.Getenv("HOME")
		}
	}
	return false
}
