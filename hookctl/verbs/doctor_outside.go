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

func seconds(s float64) time.Duration { return time.Duration(s * float64(time.Second)) }

// hooks looks at the client's settings files, and with --fix renews what is outdated.
func (x *examiner) hooks() []check {
	const name = "hooks"
	st, err := settings.Inspect(x.settingsOptions())
	if err != nil {
		return []check{failed(name, err.Error(), "HOME names the home whose settings are meant")}
	}
	var all []check
	for _, s := range st.Scopes {
		all = append(all, x.scope(name+", "+s.Scope.String(), x.settingsOptions(), s)...)
	}
	all = append(all, x.codex()...)
	switch {
	case st.Plugin != "" && x.hooked:
		all = append(all, warned(name, "the plugin "+st.Plugin+" runs the hooks as well; each runs twice but is recorded once", "`hookctl install --plugin` takes them out of the user's settings file"))
	case st.Plugin != "":
		x.hooked, x.full = true, true
		all = append(all, passed(name, "the plugin %s of the client runs them", st.Plugin))
	}
	if !x.hooked {
		all = append(all, failed(name, "no settings file has our hooks", "`hookctl install` writes them"))
	}
	twice := slices.DeleteFunc(slices.Clone(st.Duplicates), func(d settings.Duplicate) bool { return !d.Twice })
	if len(twice) > 0 {
		all = append(all, warned(name, fmt.Sprintf("the client runs %s in each of the scopes %s; each runs twice but is recorded once", cmdline.Plural(len(twice), "hook"), scopeNames(twice)),
			"`hookctl uninstall` with --user, --project or --local takes one of them out"))
	}
	return all
}

// codex looks at the hooks of Codex, where there are any.
func (x *examiner) codex() []check {
	o, err := scopeFlags{Client: settings.Codex.String()}.options(x.app)
	if err != nil {
		return nil
	}
	st, err := settings.Inspect(o)
	if err != nil {
		return nil // as of the other client, which has said so
	}
	var all []check
	for _, s := range st.Scopes {
		all = append(all, x.scope("hooks of codex, "+s.Scope.String(), o, s)...)
	}
	return all
}

// scope looks at one settings file of the client that o names, and with --fix renews what is outdated in it.
func (x *examiner) scope(name string, o settings.Options, s settings.ScopeState) []check {
	if s.Err != nil {
		return []check{failed(name, s.Err.Error(), hintOf(s.Err, "correct the file; nothing was changed in it"))}
	}
	if !s.Installed {
		return nil
	}
	x.hooked = true
	x.full = x.full || s.Profile == settings.Full && o.Client == settings.Claude
	bad := x.faults(name, s)
	switch {
	case len(bad) == 0:
		return []check{passed(name, "%s of profile %s in %s", cmdline.Plural(len(s.Events), "hook"), s.Profile, s.Path)}
	case !x.fix:
		return bad
	}

	o.Scope, o.Profile = s.Scope, s.Profile
	if _, err := settings.Install(o); err != nil {
		return append(bad, failed(name, "renew: "+err.Error(), "correct that file and try again"))
	}
	again, err := settings.Inspect(o)
	if err != nil {
		return append(bad, failed(name, "renew: "+err.Error(), "correct that file and try again"))
	}
	for _, now := range again.Scopes {
		if now.Scope == s.Scope {
			bad = x.faults(name, now)
		}
	}
	if len(bad) > 0 {
		return bad // renewed, and still wrong
	}
	return []check{fixed(name, "renewed in "+s.Path)}
}

// faults are what is wrong with the hooks of one settings file.
func (x *examiner) faults(name string, s settings.ScopeState) []check {
	var bad []check
	for _, b := range s.Binaries {
		switch {
		case x.runs(b):
		case filepath.IsAbs(b):
			bad = append(bad, failed(name, "the hooks call "+b+", which is not there", "`hookctl install` again, or `hookctl doctor --fix`"))
		default:
			bad = append(bad, failed(name, "the hooks call "+b+", which is not on the PATH", "add "+filepath.Dir(x.hookctl())+" to the PATH that the client is started with"))
		}
	}
	if len(s.Missing) > 0 || len(s.Outdated) > 0 {
		bad = append(bad, warned(name, fmt.Sprintf("%s missing, %d outdated in %s", cmdline.Plural(len(s.Missing), "hook"), len(s.Outdated), s.Path),
			"`hookctl install` again, or `hookctl doctor --fix`"))
	}
	return bad
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
func (x *examiner) program() []check {
	const name = "program"
	found, err := x.look("hookctl")
	if err != nil {
		return []check{warned(name, "hookctl is not on the PATH", "add "+filepath.Dir(x.self)+" to PATH")}
	}
	if !sameFile(found, x.hookctl()) {
		return []check{warned(name, "PATH leads to another hookctl: "+found, "this one is "+x.hookctl()+"; put its folder first, or remove the other")}
	}
	return []check{passed(name, "%s, version %s", found, wire.Build)}
}

func (x *examiner) configuration() []check {
	const name = "config"
	var all []check
	for _, p := range x.conf.Problems {
		all = append(all, warned(name, p.Error(), p.Hint))
	}
	if faults := x.ruleFaults(); len(faults) > 0 {
		all = append(all, warned(name, fmt.Sprintf("%s of the gates' configuration left out, the first at %s", cmdline.Plural(len(faults), "part"), faults[0].Error()),
			"`hookctl req validate` names all of it"))
	}
	if len(all) == 0 {
		return []check{passed(name, "%s", "fsync "+x.conf.Values.Fsync+", "+cmdline.Plural(existing(x.conf), "file"))}
	}
	return all
}

// permissions asks whether others can read what sessions said: folders 0700, files 0600.
func (x *examiner) permissions() []check {
	const name = "permissions"
	if c := x.buildable(name); c != nil {
		return c
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
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return []check{passed(name, "%s does not exist yet", x.paths.Home)}
	case err != nil:
		return []check{failed(name, err.Error(), "the folder must belong to you")}
	case len(open) == 0:
		return []check{passed(name, "%s is closed to others", x.paths.Home)}
	case !x.fix && !slices.Contains(open, x.paths.Home): // other users cannot reach them in a closed home
		return []check{warned(name, "not closed to others: "+strings.Join(open[:min(3, len(open))], ", ")+" (the home around it is)", "`hookctl doctor --fix` closes it")}
	case !x.fix:
		return []check{failed(name, "others can read "+strings.Join(open[:min(3, len(open))], ", "), "`hookctl doctor --fix` closes it")}
	}
	for _, path := range open {
		if err := closeToOthers(path); err != nil {
			return []check{failed(name, err.Error(), "the folder must belong to you")}
		}
	}
	return []check{fixed(name, fmt.Sprintf("closed to others: %s", strings.Join(open, ", ")))}
}

// buildable looks at the place of a home that is no folder, or is not there and cannot be made.
func (x *examiner) buildable(name string) []check {
	home := x.paths.Home
	if info, err := os.Stat(home); err == nil {
		x.stuck = !info.IsDir()
		if x.stuck {
			return []check{failed(name, home+" is not a folder", "HOOKLINE_HOME names the folder of the recorder's state: name another one, or take it out of the environment")}
		}
		return nil
	}
	above := nearestDir(home)
	probe, err := os.MkdirTemp(above, ".hookline-probe-")
	if err == nil {
		err = os.Remove(probe)
	}
	if err == nil {
		return nil
	}
	x.stuck = true
	var named *fs.PathError
	if errors.As(err, &named) {
		err = named.Err
	}
	return []check{failed(name, fmt.Sprintf("%s is not there and cannot be made in %s: %s", home, above, err),
		"make that folder writable for you, or let HOOKLINE_HOME name another; hooks are kept in another place meanwhile")}
}

func closeToOthers(path string) error {
	info, err := os.Stat(path)
	if err != nil {
		return err
	}
	return os.Chmod(path, info.Mode().Perm()&0o700)
}

// ground asks whether locks and memory maps can be trusted where the store lies.
func (x *examiner) fileSystem() []check {
	fsName, network, err := x.ground(nearestDir(x.paths.Home))
	return []check{groundCheck(x.paths.Home, fsName, network, err)}
}

func groundCheck(home, fsName string, network bool, err error) check {
	const name = "file system"
	switch {
	case err != nil:
		return passed(name, "this platform does not tell")
	case network:
		return failed(name, home+" is on "+fsName+", a network file system: locks and memory maps cannot be trusted there", "HOOKLINE_HOME moves it to a local disk")
	}
	return passed(name, "%s", fsName)
}

// Below lowSpace the store is in danger within days of heavy use; a twentieth of the disk is where
// file systems become slow.
const lowSpace = 1 << 30

func (x *examiner) space() []check {
	const name = "disk"
	free, total, err := x.room(nearestDir(x.paths.Home))
	if err != nil {
		return []check{passed(name, "this platform does not tell")}
	}
	return []check{spaceCheck(name, free, total)}
}

func spaceCheck(name string, free, total uint64) check {
	words := fmt.Sprintf("%s free of %s", cmdline.Bytes(free), cmdline.Bytes(total))
	switch {
	case free < lowSpace:
		return failed(name, words, "make room; while the home has none, hooks are kept in another place")
	case total > 0 && free < total/20:
		return warned(name, words+", less than 5 %", "make room in time")
	}
	return passed(name, "%s", words)
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

func (x *examiner) lastStart() []check {
	s := x.paths.LastStart()
	if s.Reason == "" {
		return nil
	}
	do := "mend that and start it; its log is " + x.paths.Log
	switch {
	case s.Gone:
		do = "`replay repair` begins a new log; with --from EXPORT it restores the events of an export. Hooks wait in the spool"
	case s.Damaged:
		do = "`replay repair --dry-run` tells what is damaged; hooks wait in the spool. The daemon's log is " + x.paths.Log
	}
	return []check{failed("last start", fmt.Sprintf("failed %s, %s: %s", x.ago(time.UnixMilli(s.Time)), cmdline.Plural(s.Attempts, "attempt"), s.Reason), do)}
}

// lock tells who holds the store while no daemon answers.
func (x *examiner) lock() []check {
	pid, text, held, err := embedded.Holder(x.paths.Lock)
	switch {
	case err != nil:
		return []check{failed("lock", err.Error(), "the home must belong to you")}
	case held && !x.alive(pid): // the file still has the last daemon's words, the lock is another's
		return []check{failed("lock", fmt.Sprintf("the store is held by a process that is no daemon of ours; the last one, process %d, is gone", pid),
			"close the program that has "+x.paths.Lock+" open; the next hook then starts the daemon")}
	case held && embedded.Doing(text) != "":
		return []check{warned("lock", fmt.Sprintf("the daemon (process %d) is %s", pid, embedded.Doing(text)), "it answers when that is done")}
	case held:
		return []check{failed("lock", fmt.Sprintf("the store is held by process %d (%s), which does not answer", pid, text),
			"it may be starting or reading; if it stays so, end that process")}
	}
	return nil
}

// waiting tells what waits in the spool while no daemon takes it.
func (x *examiner) waiting() []check {
	if n := spool.Open(x.paths).Count(); n > 0 {
		do := "`hookctl start` takes them in"
		if x.stuck {
			do = "the daemon takes them in once the home can be made"
		}
		return []check{warned("spool", cmdline.Plural(n, "frame")+" waiting for the daemon", do)}
	}
	return []check{passed("spool", "empty")}
}

func (x *examiner) sameVersion() []check {
	if x.status.Version == wire.Build {
		return nil
	}
	return []check{warned("version", "the daemon is "+x.status.Version+", this is "+wire.Build, "`hookctl restart` brings both to one version")}
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
