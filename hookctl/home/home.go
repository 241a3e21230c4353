// Package home knows the places of one home (HOOKLINE_HOME): where the daemon's socket, its log and locks, its store and
// the frames that wait for it lie, and who may write there. Nothing is made before somebody asks for a folder.
package home

import (
	"fmt"
	"os"
	"path/filepath"
	"time"

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

	SpawnLock  string // held by whoever starts a daemon, then by that daemon
	SpawnState string // the last start that has not succeeded
}

// Locate is the places for an environment.
func Locate(getenv func(string) string) Paths {
	home, note := wire.Home(getenv)
	p := PathsOf(home, getenv)
	p.Note = note
	return p
}

// PathsOf is the places of a home that is already known.
func PathsOf(home string, getenv func(string) string) Paths {
	at := func(name string) string { return filepath.Join(home, name) }
	// The temporary folder comes first: a daemon that cron or another login started does not know this
	// login's runtime folder, which also goes with the login. But it often has room where all disks are full.
	fallbacks := []string{filepath.Join(wire.Temp(getenv), wire.Hash(home), "spool")}
	if run := getenv("XDG_RUNTIME_DIR"); filepath.IsAbs(run) {
		if info, err := os.Stat(run); err == nil && info.IsDir() {
			fallbacks = append(fallbacks, filepath.Join(run, "hookline", wire.Hash(home), "spool"))
		}
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

// Reach tells whether a daemon accepts connections, at Socket or at the one that a daemon with another
// environment has: then Socket is that one from here on.
func (p *Paths) Reach(within time.Duration) bool {
	until := time.Now().Add(within)
	if wire.Alive(p.Socket, until) {
		return true
	}
	other := wire.Elsewhere(p.Home, p.Socket)
	if other == "" || !wire.Alive(other, until) {
		return false
	}
	p.Socket = other
	return true
}

// PrivateDir makes dir and its parents, 0700, and refuses one that another user made or can write
// to: in a temporary directory anyone can be there first. A folder of ours that others can look into
// is taken as it is, since the files in it are 0600; its mode is not ours to change. A link must be ours.
func PrivateDir(dir string) error {
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return err
	}
	link, err := os.Lstat(dir)
	if err != nil {
		return err
	}
	info, err := os.Stat(dir)
	if err != nil {
		return err
	}
	if !info.IsDir() || !ownedByUs(info) || !ownedByUs(link) || openToOthers(info) {
		return fmt.Errorf("%s is not a folder that only this user can write to (mode %v)", dir, info.Mode())
	}
	return nil
}

// Spools are all places of the spool, the home's first.
func (p Paths) Spools() []string { return append([]string{p.Spool}, p.Fallbacks...) }

// FallbackDir makes a fallback of the spool and checks each folder of ours on the way, from the first,
// which lies in a place that may be open to others.
func FallbackDir(fallback string) error {
	home := filepath.Dir(fallback)
	for _, dir := range []string{filepath.Dir(home), home, fallback} {
		if err := PrivateDir(dir); err != nil {
			return err // of the folders below it would be said again
		}
	}
	return nil
}
