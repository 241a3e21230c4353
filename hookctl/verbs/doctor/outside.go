package doctor

import (
	"fmt"
	"os"
	"path/filepath"
	"time"

	"hookline/hookctl/cmdline"
	"hookline/hookctl/home"
	"hookline/hookctl/settings"
	"hookline/hookctl/verbs/install"
	"hookline/hookctl/verbs/lifecycle"
	"hookline/hookctl/verbs/query"
	"hookline/hookctl/verbs/show"
	"hookline/hookctl/wire"
)

// Checks that need no daemon.

// hooks looks at the settings files of both clients, and with --fix renews what is outdated.
func (x *examiner) hooks() {
	claude := install.Settings(x.Env)
	st := settings.Inspect(claude)
	var hooked int
	for _, s := range st.Scopes {
		x.name = "hooks, " + string(s.Scope)
		x.scope(claude, s)
		if s.Hooks > 0 {
			hooked++
		}
	}
	codex := claude
	codex.Client, codex.ConfigDir = settings.Codex, x.Getenv("CODEX_HOME")
	others := 0
	for _, s := range settings.Inspect(codex).Scopes {
		x.name = "hooks of codex, " + string(s.Scope)
		x.scope(codex, s)
		others += s.Hooks
	}

	x.name = "hooks"
	switch {
	case st.Plugin != "" && hooked > 0:
		x.warn("the plugin "+st.Plugin+" runs the hooks as well; each is recorded once all the same", "`hookctl install --plugin` takes them out of the user's settings file")
	case st.Plugin != "":
		x.pass("the plugin %s of the client runs them", st.Plugin)
	case hooked > 1:
		x.warn(fmt.Sprintf("they are in %d settings files of the client; each is recorded once all the same", hooked),
			"`hookctl uninstall` with --user, --project or --local takes those of one file out")
	case hooked+others == 0:
		x.fail("no settings file has our hooks", "`hookctl install` writes them")
	}
}

// scope looks at one settings file of the client that o names, and with --fix renews what is outdated in it.
func (x *examiner) scope(o settings.Options, s settings.ScopeState) {
	const again = "`hookctl install` again, or `hookctl doctor --fix`"
	if s.Err != nil {
		x.fail(s.Err.Error(), show.Hint(s.Err, "correct the file; nothing was changed in it"))
		return
	}
	if s.Hooks == 0 {
		return
	}
	gone := ""
	for _, program := range s.Binaries {
		_, err := x.Look(program)
		if filepath.IsAbs(program) {
			_, err = os.Stat(program)
		}
		if err != nil {
			gone = program
		}
	}
	switch {
	case gone != "" && !filepath.IsAbs(gone):
		x.fail("the hooks call "+gone+", which is not on the PATH", "add "+filepath.Dir(install.Program(x.Env))+" to the PATH that the client is started with")
	case gone == "" && s.Current:
		x.pass("%s of profile %s in %s", cmdline.Plural(s.Hooks, "hook"), s.Profile, s.Path)
	case x.fix:
		o.Scope, o.Profile = s.Scope, s.Profile
		if _, err := settings.Install(o); err != nil {
			x.fail("renew: "+err.Error(), show.Hint(err, "correct that file and try again"))
			return
		}
		x.mended("renewed in " + s.Path)
	case gone != "":
		x.fail("the hooks call "+gone+", which is not there", again)
	default:
		x.warn("they are not those that this version writes, in "+s.Path, again)
	}
}

// program looks for hookctl on a person's PATH.
func (x *examiner) program() {
	x.name = "program"
	found, err := x.Look("hookctl")
	switch {
	case err != nil:
		x.warn("hookctl is not on the PATH", "add "+filepath.Dir(x.Self)+" to PATH")
	case !install.SameFile(found, install.Program(x.Env)):
		x.warn("PATH leads to another hookctl: "+found, "this one is "+install.Program(x.Env)+"; put its folder first, or remove the other")
	default:
		x.pass("%s, version %s", found, wire.Build)
	}
}

func (x *examiner) configuration() {
	x.name = "config"
	for _, p := range x.Conf.Problems {
		x.warn(p.Error(), p.Hint)
	}
	faults := query.RuleFaults(x.Env)
	if len(faults) > 0 {
		x.warn(fmt.Sprintf("%s of the gates' configuration left out, the first at %s", cmdline.Plural(len(faults), "part"), faults[0].Error()),
			"`hookctl req validate` names all of it")
	}
	if len(x.Conf.Problems)+len(faults) == 0 {
		x.pass("fsync %s, %s", x.Conf.Values.Fsync, cmdline.Plural(x.Conf.FilesRead(), "file"))
	}
}

// permissions makes the home, if it is not there, and looks whether others can read what sessions said: in a folder that is
// closed nothing can be reached. It returns false where the home cannot be used.
func (x *examiner) permissions() bool {
	x.name = "permissions"
	dir := x.paths.Home
	err := x.paths.Check()
	if err == nil {
		err = home.Make(dir)
	}
	if err != nil {
		x.fail(err.Error(), show.Hint(err, "make that folder writable for you, or let HOOKLINE_HOME name another; hooks are kept in another place meanwhile"))
		return false
	}
	info, err := os.Stat(dir)
	open := err == nil && info.Mode().Perm()&0o077 != 0
	if open && x.fix {
		err = os.Chmod(dir, 0o700)
	}
	switch {
	case err != nil:
		x.fail(err.Error(), "the folder must belong to you")
	case open && x.fix:
		x.mended("closed to others: " + dir)
	case open:
		x.fail("others can read "+dir, "`hookctl doctor --fix` closes it")
	default:
		x.pass("%s is closed to others", dir)
	}
	return true
}

// fileSystem looks whether locks and memory maps can be trusted where the store lies. A platform that does not report it passes.
func (x *examiner) fileSystem() {
	x.name = "file system"
	fsName, network, err := x.Ground(x.paths.Home)
	switch {
	case err != nil:
	case network:
		x.fail(x.paths.Home+" is on "+fsName+", a network file system: locks and memory maps cannot be trusted there", "HOOKLINE_HOME moves it to a local disk")
	default:
		x.pass("%s", fsName)
	}
}

// disk tells how much room the disk with the home has.
func (x *examiner) disk(room lifecycle.Room) {
	x.name = "disk"
	switch room.Level {
	case lifecycle.Danger:
		x.fail(room.Words, room.Do)
	case lifecycle.Little:
		x.warn(room.Words, room.Do)
	default:
		x.pass("%s", room.Words)
	}
}

func (x *examiner) lastStart() {
	s := x.paths.LastStart()
	if s.Reason == "" {
		return
	}
	do := "mend that and start it; its log is " + x.paths.Log
	if s.Damaged || s.Gone {
		do = "`replay repair --dry-run` tells what is damaged, `replay repair --from EXPORT` restores the events of an export; hooks wait in the spool"
	}
	x.name = "last start"
	x.fail(fmt.Sprintf("failed %s, %s: %s", show.Ago(x.Env, time.UnixMilli(s.Time)), cmdline.Plural(s.Attempts, "attempt"), s.Reason), do)
}
