package verbs

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"hookline/embedded"
	"hookline/hookctl/cmdline"
	"hookline/hookctl/home"
	"hookline/hookctl/settings"
	"hookline/hookctl/spool"
	"hookline/hookctl/wire"
)

// Checks that need no daemon.

// hooks looks at the client's settings files, and with --fix renews what is outdated.
func (x *examiner) hooks() {
	const name = "hooks"
	st, err := settings.Inspect(x.settingsOptions())
	if err != nil {
		x.fail(name, err.Error(), "HOME names the home whose settings are meant")
		return
	}
	for _, s := range st.Scopes {
		x.scope(name+", "+string(s.Scope), x.settingsOptions(), s)
	}
	x.codex()
	switch {
	case st.Plugin != "" && x.hooked:
		x.warn(name, "the plugin "+st.Plugin+" runs the hooks as well; each is recorded once all the same", "`hookctl install --plugin` takes them out of the user's settings file")
	case st.Plugin != "":
		x.hooked, x.full = true, true
		x.pass(name, "the plugin %s of the client runs them", st.Plugin)
	}
	if !x.hooked {
		x.fail(name, "no settings file has our hooks", "`hookctl install` writes them")
	}
	twice := slices.DeleteFunc(slices.Clone(st.Duplicates), func(d settings.Duplicate) bool { return !d.Twice })
	if len(twice) > 0 {
		x.warn(name, fmt.Sprintf("the client runs %s in each of the scopes %s; each is recorded once all the same", cmdline.Plural(len(twice), "hook"), scopeNames(twice)),
			"`hookctl uninstall` with --user, --project or --local takes one of them out")
	}
}

// codex looks at the hooks of Codex, where there are any.
func (x *examiner) codex() {
	o, err := scopeFlags{Client: string(settings.Codex)}.options(x.app)
	if err != nil {
		return
	}
	st, _ := settings.Inspect(o) // an error is that of the other client, which has said so
	for _, s := range st.Scopes {
		x.scope("hooks of codex, "+string(s.Scope), o, s)
	}
}

// scope looks at one settings file of the client that o names, and with --fix renews what is outdated in it.
func (x *examiner) scope(name string, o settings.Options, s settings.ScopeState) {
	if s.Err != nil {
		x.fail(name, s.Err.Error(), hintOf(s.Err, "correct the file; nothing was changed in it"))
		return
	}
	if !s.Installed {
		return
	}
	x.hooked = true
	x.full = x.full || s.Profile == settings.Full && o.Client == settings.Claude
	before := len(x.checks)
	x.faults(name, s)
	switch {
	case len(x.checks) == before:
		x.pass(name, "%s of profile %s in %s", cmdline.Plural(len(s.Events), "hook"), s.Profile, s.Path)
		return
	case !x.fix:
		return
	}

	o.Scope, o.Profile = s.Scope, s.Profile
	_, err := settings.Install(o)
	var again settings.State
	if err == nil {
		again, err = settings.Inspect(o)
	}
	if err != nil {
		x.fail(name, "renew: "+err.Error(), "correct that file and try again")
		return
	}
	x.checks = x.checks[:before]
	for _, now := range again.Scopes {
		if now.Scope == s.Scope {
			x.faults(name, now)
		}
	}
	if len(x.checks) == before {
		x.mended(name, "renewed in "+s.Path)
	}
}

// faults are what is wrong with the hooks of one settings file.
func (x *examiner) faults(name string, s settings.ScopeState) {
	for _, b := range s.Binaries {
		switch {
		case x.runs(b):
		case filepath.IsAbs(b):
			x.fail(name, "the hooks call "+b+", which is not there", "`hookctl install` again, or `hookctl doctor --fix`")
		default:
			x.fail(name, "the hooks call "+b+", which is not on the PATH", "add "+filepath.Dir(x.hookctl())+" to the PATH that the client is started with")
		}
	}
	if len(s.Missing) > 0 || len(s.Outdated) > 0 {
		x.warn(name, fmt.Sprintf("%s missing, %d outdated in %s", cmdline.Plural(len(s.Missing), "hook"), len(s.Outdated), s.Path),
			"`hookctl install` again, or `hookctl doctor --fix`")
	}
}

// runs tells whether the client can start a program that an entry calls.
func (x *examiner) runs(binary string) bool {
	if !filepath.IsAbs(binary) {
		_, err := x.look(binary)
		return err == nil
	}
	info, err := os.Stat(binary)
	return err == nil && info.Mode().IsRegular()
}

// program asks whether a person's shell finds us.
func (x *examiner) program() {
	const name = "program"
	found, err := x.look("hookctl")
	if err != nil {
		x.warn(name, "hookctl is not on the PATH", "add "+filepath.Dir(x.self)+" to PATH")
		return
	}
	if !sameFile(found, x.hookctl()) {
		x.warn(name, "PATH leads to another hookctl: "+found, "this one is "+x.hookctl()+"; put its folder first, or remove the other")
		return
	}
	x.pass(name, "%s, version %s", found, wire.Build)
}

func (x *examiner) configuration() {
	const name = "config"
	for _, p := range x.conf.Problems {
		x.warn(name, p.Error(), p.Hint)
	}
	faults := x.ruleFaults()
	if len(faults) > 0 {
		x.warn(name, fmt.Sprintf("%s of the gates' configuration left out, the first at %s", cmdline.Plural(len(faults), "part"), faults[0].Error()),
			"`hookctl req validate` names all of it")
	}
	if len(x.conf.Problems)+len(faults) == 0 {
		x.pass(name, "%s", "fsync "+x.conf.Values.Fsync+", "+cmdline.Plural(existing(x.conf), "file"))
	}
}

// permissions asks whether others can read what sessions said: folders 0700, files 0600.
func (x *examiner) permissions() {
	const name = "permissions"
	if x.stuck = !x.buildable(name); x.stuck {
		return
	}
	var open []string
	err := filepath.WalkDir(x.paths.Home, func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		info, err := d.Info()
		if errors.Is(err, fs.ErrNotExist) {
			return nil // it went while we looked
		}
		if err != nil || info.Mode().Type()&^fs.ModeDir != 0 {
			return err // sockets and links have no mode of their own that would count
		}
		// Inside a closed folder nothing can be reached; only the first floor is looked at.
		if info.Mode().Perm()&0o077 != 0 {
			open = append(open, path)
		}
		if d.IsDir() && path != x.paths.Home {
			return fs.SkipDir
		}
		return nil
	})
	some := strings.Join(open[:min(3, len(open))], ", ")
	switch {
	case errors.Is(err, fs.ErrNotExist):
		x.pass(name, "%s does not exist yet", x.paths.Home)
		return
	case err == nil && len(open) == 0:
		x.pass(name, "%s is closed to others", x.paths.Home)
		return
	case err == nil && !x.fix && !slices.Contains(open, x.paths.Home): // other users cannot reach them in a closed home
		x.warn(name, "not closed to others: "+some+" (the home around it is)", "`hookctl doctor --fix` closes it")
		return
	case err == nil && !x.fix:
		x.fail(name, "others can read "+some, "`hookctl doctor --fix` closes it")
		return
	}
	for _, path := range open {
		var info fs.FileInfo
		if err == nil {
			info, err = os.Stat(path)
		}
		if err == nil {
			err = os.Chmod(path, info.Mode().Perm()&0o700)
		}
	}
	if err != nil {
		x.fail(name, err.Error(), "the folder must belong to you")
		return
	}
	x.mended(name, "closed to others: "+strings.Join(open, ", "))
}

// buildable tells whether the home is there or can be made.
func (x *examiner) buildable(name string) bool {
	home := x.paths.Home
	if info, err := os.Stat(home); err == nil {
		if !info.IsDir() {
			x.fail(name, home+" is not a folder", "HOOKLINE_HOME names the folder of the recorder's state: name another one, or take it out of the environment")
		}
		return info.IsDir()
	}
	above := nearestDir(home)
	probe, err := os.MkdirTemp(above, ".hookline-probe-")
	if err == nil {
		err = os.Remove(probe)
	}
	if err == nil {
		return true
	}
	var named *fs.PathError
	if errors.As(err, &named) {
		err = named.Err
	}
	x.fail(name, fmt.Sprintf("%s is not there and cannot be made in %s: %s", home, above, err),
		"make that folder writable for you, or let HOOKLINE_HOME name another; hooks are kept in another place meanwhile")
	return false
}

// fileSystem asks whether locks and memory maps can be trusted where the store lies.
func (x *examiner) fileSystem() {
	const name = "file system"
	fsName, network, err := x.ground(nearestDir(x.paths.Home))
	switch {
	case err != nil:
		x.pass(name, "this platform does not tell")
	case network:
		x.fail(name, x.paths.Home+" is on "+fsName+", a network file system: locks and memory maps cannot be trusted there", "HOOKLINE_HOME moves it to a local disk")
	default:
		x.pass(name, "%s", fsName)
	}
}

// Below lowSpace the store is in danger within days of heavy use; a twentieth of the disk is where
// file systems become slow.
const lowSpace = 1 << 30

func (x *examiner) space() {
	const name = "disk"
	free, total, err := x.room(nearestDir(x.paths.Home))
	if err != nil {
		x.pass(name, "this platform does not tell")
		return
	}
	x.checks = append(x.checks, spaceCheck(name, uint64(free), uint64(total)))
}

func spaceCheck(name string, free, total uint64) check {
	c := check{Name: name, Result: resultOK, Words: fmt.Sprintf("%s free of %s", cmdline.Bytes(free), cmdline.Bytes(total))}
	switch {
	case free < lowSpace:
		c.Result = resultFail
		c.Do = "make room; while the home has none, hooks are kept in another place"
	case total > 0 && free < total/20:
		c.Result = resultWarn
		c.Words += ", less than 5 %"
		c.Do = "make room in time"
	}
	return c
}

// nearestDir is the nearest folder on the way up that exists.
func nearestDir(path string) string {
	for {
		if _, err := os.Stat(path); err == nil || path == filepath.Dir(path) {
			return path
		}
		path = filepath.Dir(path)
	}
}

func (x *examiner) lastStart() {
	s := x.paths.LastStart()
	if s.Reason == "" {
		return
	}
	do := "mend that and start it; its log is " + x.paths.Log
	switch {
	case s.Gone:
		do = "`replay repair` begins a new log; with --from EXPORT it restores the events of an export. Hooks wait in the spool"
	case s.Damaged:
		do = "`replay repair --dry-run` tells what is damaged; hooks wait in the spool. The daemon's log is " + x.paths.Log
	}
	x.fail("last start", fmt.Sprintf("failed %s, %s: %s", x.ago(time.UnixMilli(s.Time)), cmdline.Plural(s.Attempts, "attempt"), s.Reason), do)
}

// locked says who holds the store while no daemon answers, if it is held.
func (x *examiner) locked() bool {
	pid, text, held, err := embedded.Holder(x.paths.Lock)
	switch {
	case err != nil:
		x.fail("lock", err.Error(), "the home must belong to you")
	case held && !x.alive(pid): // the file still has the last daemon's words, the lock is another's
		x.fail("lock", fmt.Sprintf("the store is held by a process that is no daemon of ours; the last one, process %d, is gone", pid),
			"close the program that has "+x.paths.Lock+" open; the next hook then starts the daemon")
	case held && embedded.Doing(text) != "":
		x.warn("lock", fmt.Sprintf("the daemon (process %d) is %s", pid, embedded.Doing(text)), "it answers when that is done")
	case held:
		x.fail("lock", fmt.Sprintf("the store is held by process %d (%s), which does not answer", pid, text),
			"it may be starting or reading; if it stays so, end that process")
	}
	return held || err != nil
}

// waiting tells what waits in the spool while no daemon takes it.
func (x *examiner) waiting() {
	if n := spool.Open(x.paths).Count(); n > 0 {
		do := "`hookctl start` takes them in"
		if x.stuck {
			do = "the daemon takes them in once the home can be made"
		}
		x.warn("spool", cmdline.Plural(n, "frame")+" waiting for the daemon", do)
		return
	}
	x.pass("spool", "empty")
}

// quarantined counts files that could not be read as frames.
func quarantined(p home.Paths) int {
	n := 0
	for _, dir := range p.Spools() {
		entries, err := os.ReadDir(filepath.Join(dir, "quarantine"))
		if err == nil {
			n += len(entries)
		}
	}
	return n
}
