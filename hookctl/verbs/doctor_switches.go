package verbs

import (
	"encoding/json"
	"path/filepath"

	"hookline/hookctl/settings"
)

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

// switchedOff looks for what keeps the client from calling hooks, or the hooks from recording: in the client's settings
// files, in the environment and in our configuration. A file that cannot be read is found by the check of the hooks.
func (x *examiner) switchedOff() {
	const name = "switches"
	before := len(x.checks)
	paths := []string{filepath.Join(x.managed, "managed-settings.json")}
	o := x.settingsOptions()
	for _, o.Scope = range []settings.Scope{settings.Local, settings.Project, settings.User} {
		paths = append(paths, o.Path())
	}
	for _, path := range paths {
		var s struct{ DisableAllHooks, AllowManagedHooksOnly bool }
		plain, err := settings.Plain(path)
		if err != nil || json.Unmarshal(plain, &s) != nil {
			continue
		}
		if s.DisableAllHooks {
			x.fail(name, "disableAllHooks is set in "+path+": the client runs no hook", "take disableAllHooks out of that file")
		}
		if s.AllowManagedHooksOnly && path == paths[0] {
			x.fail(name, "allowManagedHooksOnly is set in "+path+": the client runs the administrator's hooks only",
				"ask the administrator to take it out, or to add the hooks that `hookctl install --dry-run` prints")
		}
	}

	if x.Getenv("HOOKLINE_DISABLED") == "1" {
		x.fail(name, "HOOKLINE_DISABLED=1 is in this environment: the hooks of a client that is started from here record nothing",
			"`unset HOOKLINE_DISABLED`, also in the shell's own files")
	}
	if !x.conf.Values.Records(x.ProjectDir()) {
		x.warn(name, "record_off in "+x.conf.Origins["record_off"].File+" names this folder: its sessions are not recorded",
			"`hookctl config edit` changes it")
	}
	if len(x.checks) == before {
		x.pass(name, "nothing keeps the client from running hooks")
	}
}
