package verbs

import (
	"encoding/json"
	"path/filepath"
	"slices"

	"hookline/hookctl/safeopen"
	"hookline/hookctl/settings"
)

// What keeps the client from calling the hooks that its settings have, or the hooks from recording.

// switches are the settings of one of the client's files that do so. Pointers tell what the file has.
type switches struct {
	path string

	DisableAllHooks       *bool             `json:"disableAllHooks"`
	AllowManagedHooksOnly bool              `json:"allowManagedHooksOnly"`
	PluginOnly            json.RawMessage   `json:"strictPluginOnlyCustomization"` // true, or a list of what is restricted
	Env                   map[string]string `json:"env"`
}

// managedDir is where an administrator's settings of the client lie on a platform.
func managedDir(goos string) string {
	switch goos {
	case "darwin":
		return "/Library/Application Support/ClaudeCode"
	case "windows":
		return `C:\Program Files\ClaudeCode`
	}
	return "/etc/claude-code"
}

// switchedOff looks for every switch that turns the hooks off, in the settings files from the strongest
// to the weakest, in the environment, and in the client's list of trusted folders.
func (x *examiner) switchedOff() {
	const name = "switches"
	managed := readSwitches(filepath.Join(x.managed, "managed-settings.json"))
	dropIns, _ := filepath.Glob(filepath.Join(x.managed, "managed-settings.d", "*.json")) // fails only for a bad pattern
	for _, path := range dropIns {
		managed = append(managed, readSwitches(path)...)
	}
	config := x.clientConfig()
	files := slices.Concat(managed,
		readSwitches(filepath.Join(x.ProjectDir(), ".claude", "settings.local.json")),
		readSwitches(filepath.Join(x.ProjectDir(), ".claude", "settings.json")),
		readSwitches(filepath.Join(config, "settings.json")))

	before := len(x.checks)
	x.administered(name, managed)
	i := slices.IndexFunc(files, func(s switches) bool { return s.DisableAllHooks != nil })
	if i >= 0 && *files[i].DisableAllHooks {
		x.fail(name, "disableAllHooks is set in "+files[i].path+": the client runs no hook", "take disableAllHooks out of that file")
	}
	const variable = "HOOKLINE_DISABLED" // every hook ends at once
	i = slices.IndexFunc(files, func(s switches) bool { _, set := s.Env[variable]; return set })
	switch {
	case i >= 0 && files[i].Env[variable] == "1":
		x.fail(name, variable+"=1 is in env of "+files[i].path+": hooks record nothing", "take it out of that file")
	case i < 0 && x.Getenv(variable) == "1":
		x.fail(name, variable+"=1 is in this environment: the hooks of a client that is started from here record nothing", "`unset "+variable+"`, also in the shell's own files")
	}
	x.untrusted(name)
	if !x.conf.Values.Records(x.ProjectDir()) {
		x.warn(name, "record_off in "+x.conf.Origins["record_off"].File+" names this folder: its sessions are not recorded",
			"`hookctl config edit` changes it")
	}
	if len(x.checks) == before {
		x.pass(name, "nothing keeps the client from running hooks")
	}
}

// administered finds the settings of an administrator that leave our hooks out.
func (x *examiner) administered(name string, managed []switches) {
	for _, s := range managed {
		if s.AllowManagedHooksOnly {
			x.fail(name, "allowManagedHooksOnly is set in "+s.path+": the client runs the administrator's hooks only",
				"ask the administrator to take it out, or to add the hooks that `hookctl install --dry-run` prints")
		}
		var all bool
		var some []string
		_ = json.Unmarshal(s.PluginOnly, &all) // it is the one or the other
		_ = json.Unmarshal(s.PluginOnly, &some)
		if all || slices.Contains(some, "hooks") {
			x.fail(name, "strictPluginOnlyCustomization is set in "+s.path+": the client runs hooks of plugins only", "ask the administrator to take hooks out of it")
		}
	}
}

// untrusted finds a project folder that the client knows and was not told to trust: it runs no hook there.
func (x *examiner) untrusted(name string) {
	path := filepath.Join(x.Getenv("HOME"), ".claude.json")
	if x.Getenv("CLAUDE_CONFIG_DIR") != "" {
		path = filepath.Join(x.clientConfig(), ".claude.json")
	}
	text, err := safeopen.ReadFile(safeopen.Foreign, path, 64<<20)
	var known struct {
		Projects map[string]struct {
			Trusted bool `json:"hasTrustDialogAccepted"`
		} `json:"projects"`
	}
	if err != nil || json.Unmarshal(text, &known) != nil {
		return // the client's own file, whose form may change
	}

	here := x.ProjectDir()
	if _, asked := known.Projects[here]; !asked || here == x.Getenv("HOME") {
		return // its first start asks; trust in the home is never kept
	}
	for dir := here; ; dir = filepath.Dir(dir) {
		if known.Projects[dir].Trusted {
			return
		}
		if dir == filepath.Dir(dir) {
			break
		}
	}
	x.warn(name, "the client does not trust "+here+": interactive sessions there run no hook", "start the client there and answer its question about trust")
}

// clientConfig is the folder of the client's user settings.
func (a *app) clientConfig() string {
	if dir := a.Getenv("CLAUDE_CONFIG_DIR"); dir != "" {
		return dir
	}
	return filepath.Join(a.userHome(), ".claude")
}

// readSwitches reads one settings file: none where there is none. What cannot be read as settings is
// found by the check of the hooks, and in an administrator's file by the client.
func readSwitches(path string) []switches {
	plain, err := settings.Plain(path)
	s := switches{path: path}
	if err != nil || json.Unmarshal(plain, &s) != nil {
		return nil
	}
	return []switches{s}
}
