package wire

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
)

// maxSocket is the longest path of a unix socket, in bytes, that every platform takes (104 with the
// NUL on the BSDs, 108 on Linux).
const maxSocket = 100

// Home returns the folder of all state: HOOKLINE_HOME, else $XDG_STATE_HOME/hookline, else ~/.local/state/hookline;
// absolute. Without HOME it is the first of [FallbackFolders] that no other user has made, and note says so.
func Home(getenv func(string) string) (home, note string) {
	if getenv("HOOKLINE_HOME") != "" {
		return pathIn(getenv, "HOOKLINE_HOME"), ""
	}
	if state := getenv("XDG_STATE_HOME"); filepath.IsAbs(state) { // the XDG standard ignores relative ones
		return filepath.Join(state, "hookline"), ""
	}
	if user := getenv("HOME"); user != "" {
		return absolute(filepath.Join(user, ".local", "state", "hookline")), ""
	}
	if user := getenv("USERPROFILE"); user != "" && runtime.GOOS == "windows" {
		return filepath.Join(user, ".local", "state", "hookline"), ""
	}

	folders := FallbackFolders(getenv)
	home = folders[0]
	for _, folder := range folders {
		_, err := os.Lstat(folder)
		if errors.Is(err, fs.ErrNotExist) || private(folder) {
			home = folder
			break
		}
	}
	return home, Homeless + home
}

// Homeless begins the note of a home that nothing in the environment names.
const Homeless = "HOME is not set, state is in "

// Socket returns the unix socket of the daemon of the home: HOOKLINE_SOCKET, else
// $XDG_RUNTIME_DIR/hookline/<8 hex of home>.sock where that folder exists, else home/hookd.sock. A
// path too long for the platform is replaced by one in the user's folder of the temporary directory.
func Socket(getenv func(string) string) string {
	path := preferredSocket(getenv)
	if len(path) <= maxSocket {
		return path
	}

	folder, name := Temp(getenv), Hash(path)+".sock"
	short := filepath.Join(folder, name)
	if len(short) > maxSocket {
		short = filepath.Join("/tmp", filepath.Base(folder), name)
	}
	return short
}

// preferredSocket returns the path of [Socket] that is used where it is not too long.
func preferredSocket(getenv func(string) string) string {
	if getenv("HOOKLINE_SOCKET") != "" {
		return pathIn(getenv, "HOOKLINE_SOCKET")
	}

	home, _ := Home(getenv)
	run := getenv("XDG_RUNTIME_DIR")
	info, err := os.Stat(run)
	if err == nil && info.IsDir() && filepath.IsAbs(run) {
		return filepath.Join(run, "hookline", Hash(home)+".sock")
	}
	return filepath.Join(home, "hookd.sock")
}

// OtherSocket returns the socket of a daemon of the home that was started in another environment, as of a login, a
// container or cron; "" where that is socket, too. Such a daemon leaves home/hookd.sock as a link to its socket.
func OtherSocket(home, socket string) string {
	path := filepath.Join(home, "hookd.sock")
	if target, err := os.Readlink(path); err == nil {
		path = target
	}
	if path == socket {
		return ""
	}
	return path
}

// FallbackFolders returns folders of this user outside the home, in the order in which they are tried: for frames
// that the home has no room for, and for the state of a user without a home. They do not depend on TMPDIR: a daemon
// that another login started must find what is in them. HOOKLINE_SECOND lists folders to use instead, as PATH does.
func FallbackFolders(getenv func(string) string) []string {
	parents := sharedFolders()
	if list := getenv("HOOKLINE_SECOND"); list != "" {
		parents = filepath.SplitList(list)
	}

	folders := make([]string, len(parents))
	for i, parent := range parents {
		folders[i] = filepath.Join(absolute(parent), userFolder())
	}
	return folders
}

// Temp returns this user's folder in the temporary directory. It is made with mode 0700, and
// a process that finds it checks that it is the user's.
func Temp(getenv func(string) string) string {
	dir := getenv("TMPDIR")
	if !filepath.IsAbs(dir) {
		dir = os.TempDir()
	}
	return filepath.Join(dir, userFolder())
}

// userFolder returns the name of this user's folder in a directory that all users share.
func userFolder() string { return "hookline-" + strconv.Itoa(os.Getuid()) }

// Hash returns eight hex digits of a path (FNV-1a), for names where the path itself is too long.
func Hash(path string) string {
	const offset, prime = 2166136261, 16777619
	sum := uint32(offset)
	for i := range len(path) {
		sum = (sum ^ uint32(path[i])) * prime
	}

	digits := strconv.FormatUint(uint64(sum), 16)
	return "00000000"[len(digits):] + digits
}

// pathIn returns the path that a variable holds, absolute. It may begin with "~/" for HOME: no shell has read what
// the client's settings.json sets.
func pathIn(getenv func(string) string, variable string) string {
	path := getenv(variable)
	if below, ok := strings.CutPrefix(path, "~/"); ok && getenv("HOME") != "" {
		path = filepath.Join(getenv("HOME"), below)
	}
	return absolute(path)
}

// absolute returns path from the root; it stays as it is where the current directory is gone.
func absolute(path string) string {
	if abs, err := filepath.Abs(path); err == nil {
		return abs
	}
	return path
}
