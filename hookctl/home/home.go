// Package home has the places of one home (HOOKLINE_HOME): where the daemon's socket, its log and locks, its store and
// the frames that wait for it lie, and who may write there. A folder is made when it is first asked for.
// It starts the home's daemon as a process that outlives the hook that wants it, once at a time and with a back-off after
// a start that failed, and replaces it by a newer build.
package home

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"hookline/hookctl/problem"
	"hookline/hookctl/safeopen"
	"hookline/hookctl/wire"
)

// Paths are the places of one home. The client computes Home and Socket by the same rules.
type Paths struct {
	Home   string // all state, 0700
	Note   string // why Home is not where it is expected; "" normally
	Socket string // where the environment says; see [Paths.Reach]
	Near   string // the socket within the home: where the daemon listens when it cannot at Socket
	Link   string // leads to the daemon's socket where that is not in the home, for callers with another environment
	Log    string // the daemon's stdio and slog
	Lock   string // held by the daemon while it runs
	Store  string // the embedded server's files
	Keys   string

	Spool     string   // frames waiting for the daemon
	Fallbacks []string // the spool's places when Home cannot be written, in the order in which they are tried
	Told      string   // which warnings the user has seen lately

	SpawnLock  string // held by the process that starts a daemon, then by that daemon
	SpawnState string // the last start that has not succeeded
}

// Locate returns the places for an environment.
func Locate(getenv func(string) string) Paths {
	home, note := wire.Home(getenv)
	p := PathsOf(home, getenv)
	p.Note = note
	return p
}

// PathsOf returns the places of a home that is already known.
func PathsOf(home string, getenv func(string) string) Paths {
	at := func(name string) string { return filepath.Join(home, name) }
	var fallbacks []string
	for _, place := range wire.FallbackFolders(getenv) {
		fallbacks = append(fallbacks, filepath.Join(place, wire.Hash(home), "spool"))
	}
	near := func(name string) string {
		switch name {
		case "HOOKLINE_HOME":
			return home
		case "HOOKLINE_SOCKET", "XDG_RUNTIME_DIR":
			return ""
		}
		return getenv(name)
	}
	return Paths{
		Home: home, Socket: wire.Socket(getenv), Near: wire.Socket(near), Link: at("hookd.sock"),
		Log: at("hookd.log"), Lock: at("hookd.lock"), Store: at("store"), Keys: at("keys"),
		Spool: at("spool"), Fallbacks: fallbacks, Told: at("told"),
		SpawnLock: at("spawn.lock"), SpawnState: at("spawn.json"),
	}
}

// Reach reports whether a daemon accepts connections, at Socket or at the one that a daemon with another
// environment has: then Socket is that one from here on.
func (p *Paths) Reach(within time.Duration) bool {
	until := time.Now().Add(within)
	mark := wire.Mark(p.Home)
	if Serves(p.Socket, mark, until) {
		return true
	}
	other := wire.OtherSocket(p.Home, p.Socket)
	if other == "" || !Serves(other, mark, until) {
		return false
	}
	p.Socket = other
	return true
}

// Why a home is not used; both come with the path and the reason.
var (
	ErrForeign = errors.New("belongs to another user") // nothing of ours may be made in it
	ErrOpen    = errors.New("can be changed by others")
)

const ownHome = "run it as the user who owns it, or let HOOKLINE_HOME name a folder of your own"

// Check returns nil for a home that only this user can write to, and for one that is not there yet; else a [*problem.Error], which wraps
// [ErrForeign] or [ErrOpen].
// It comes before anything is opened in the home: a user who can write to it, or made it, may have put links there.
func (p Paths) Check() error {
	for _, path := range []string{p.Home, p.Lock, p.Log, p.SpawnLock, p.SpawnState, p.Spool, p.Told, p.Store} {
		err := Private(path)
		switch {
		case errors.Is(err, fs.ErrNotExist) && path == p.Home:
			return MayMake(p.Home)
		case errors.Is(err, ErrForeign):
			return problem.Because(err).Advise(ownHome)
		case errors.Is(err, ErrOpen):
			return problem.Because(err).Advise("`chmod go-w " + path + "` closes it; hooks are kept in another place meanwhile")
		}
	}
	return nil
}

// MayMake keeps root from making a file or folder below a folder of another user, who could not use it afterwards; the
// error is a [*problem.Error].
func MayMake(path string) error {
	dir := filepath.Dir(path)
	info, err := os.Stat(dir)
	for err != nil && dir != filepath.Dir(dir) {
		dir = filepath.Dir(dir)
		info, err = os.Stat(dir)
	}
	if err != nil || !root() || ownedByUs(info) {
		return nil
	}
	return problem.Faultf("%s, where %s would be made, %w", dir, path, ErrForeign).Advise(ownHome)
}

// Private returns an error for a path that another user made, or can write to. A link must be ours, and so must what it
// leads to.
func Private(path string) error {
	link, err := os.Lstat(path)
	if err != nil {
		return err
	}
	info, err := os.Stat(path)
	if err != nil {
		return err
	}
	switch {
	case !ownedByUs(link) || !ownedByUs(info):
		return fmt.Errorf("%s %w", path, ErrForeign)
	case openToOthers(info):
		return fmt.Errorf("%s %w (mode %v)", path, ErrOpen, info.Mode())
	}
	return nil
}

// PrivateDir makes dir and its parents, 0700, and refuses one that another user made or can write
// to: in a temporary directory anyone can be there first. A folder of ours that others can look into
// is taken as it is, since the files in it are 0600; its mode is not ours to change.
func PrivateDir(dir string) error {
	if err := Make(dir); err != nil {
		return err
	}
	return Private(dir)
}

// Make makes dir and its parents, 0700, and brings the names of those that it made to disk: what is kept in a new home would
// be gone with the home's name. A parent that may not be opened is passed over.
func Make(dir string) error {
	var grown []string
	for d := filepath.Clean(dir); d != filepath.Dir(d); d = filepath.Dir(d) {
		if _, err := os.Stat(d); err == nil {
			break
		}
		grown = append(grown, filepath.Dir(d))
	}
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return err
	}

	for _, d := range grown {
		err := safeopen.SyncDir(d)
		if err != nil && !errors.Is(err, fs.ErrPermission) {
			return err
		}
	}
	return nil
}

// Spools returns all places of the spool, the home's first.
func (p Paths) Spools() []string { return append([]string{p.Spool}, p.Fallbacks...) }

// FallbackDir makes a fallback of the spool and checks each folder of ours on the way, from the first,
// which lies in a place that is open to others.
func FallbackDir(fallback string) error { return onTheWay(fallback, PrivateDir) }

// CheckFallback returns nil for a fallback that is there, and is ours with each folder on the way.
func CheckFallback(fallback string) error { return onTheWay(fallback, Private) }

func onTheWay(fallback string, check func(string) error) error {
	home := filepath.Dir(fallback)
	for _, dir := range []string{filepath.Dir(home), home, fallback} {
		if err := check(dir); err != nil {
			return err // of the folders below it would be said again
		}
	}
	return nil
}
