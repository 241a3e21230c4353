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

// Home returns the folder of all state: HOOKLINE_HOME, else $XDG_STATE_HOME/hookline, else
// ~/.local/state/hookline; absolute. Without HOME it is the first of [Places] that no other user has taken, and note
// says so.
func Home(getenv func(string) string) (home, note string) {
	switch {
	case getenv("HOOKLINE_HOME") != "":
		return named(getenv, "HOOKLINE_HOME"), ""
	case filepath.IsAbs(getenv("XDG_STATE_HOME")): // the XDG standard ignores relative ones
		return filepath.Join(getenv("XDG_STATE_HOME"), "hookline"), ""
	case getenv("HOME") != "":
		return absolute(filepath.Join(getenv("HOME"), ".local", "state", "hookline")), ""
	case runtime.GOOS == "windows" && getenv("USERPROFILE") != "":
		return filepath.Join(getenv("USERPROFILE"), ".local", "state", "hookline"), ""
	}
	places := Places(getenv)
	home = places[0]
	for _, place := range places {
		if _, err := os.Lstat(place); errors.Is(err, fs.ErrNotExist) || private(place) {
			home = place
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
	home, _ := Home(getenv)
	path := filepath.Join(home, "hookd.sock")
	if run := getenv("XDG_RUNTIME_DIR"); getenv("HOOKLINE_SOCKET") != "" {
		path = named(getenv, "HOOKLINE_SOCKET")
	} else if info, err := os.Stat(run); err == nil && info.IsDir() && filepath.IsAbs(run) {
		path = filepath.Join(run, "hookline", Hash(home)+".sock")
	}
	if len(path) <= maxSocket {
		return path
	}
	short := filepath.Join(Temp(getenv), Hash(path)+".sock")
	if len(short) > maxSocket {
		short = filepath.Join("/tmp", filepath.Base(filepath.Dir(short)), filepath.Base(short))
	}
	return short
}

// Elsewhere returns where a daemon of the home listens whose environment was another one, as of a login, a
// container or cron; "" where that is socket too. It leaves home/hookd.sock as a link to its socket.
func Elsewhere(home, socket string) string {
	path := filepath.Join(home, "hookd.sock")
	if to, err := os.Readlink(path); err == nil {
		path = to
	}
	if path == socket {
		return ""
	}
	return path
}

// Places returns folders of the user's own outside the home, in the order in which they are tried: for what the home has no
// room for, and for the home of who has none. They do not depend on TMPDIR: a daemon that another login started must
// find what is in them. HOOKLINE_SECOND lists folders to use instead, as PATH does.
func Places(getenv func(string) string) []string {
	dirs := openDirs()
	if own := getenv("HOOKLINE_SECOND"); own != "" {
		dirs = filepath.SplitList(own)
	}
	list := make([]string, len(dirs))
	for i, dir := range dirs {
		list[i] = filepath.Join(absolute(dir), "hookline-"+strconv.Itoa(os.Getuid()))
	}
	return list
}

// Temp returns the user's own folder in the temporary directory. It is made with mode 0700, and
// a process that finds it checks that it is the user's.
func Temp(getenv func(string) string) string {
	dir := getenv("TMPDIR")
	if !filepath.IsAbs(dir) {
		dir = os.TempDir()
	}
	return filepath.Join(dir, "hookline-"+strconv.Itoa(os.Getuid()))
}

// Hash returns eight hex digits of a path (FNV-1a), for names where the path itself is too long.
func Hash(path string) string {
	sum := uint32(2166136261)
	for i := range len(path) {
		sum = (sum ^ uint32(path[i])) * 16777619
	}
	s := strconv.FormatUint(uint64(sum), 16)
	return "00000000"[len(s):] + s
}

// named returns the path in a variable, absolute. It may begin with "~/" for HOME: no shell has read what the client's
// settings.json sets.
func named(getenv func(string) string, variable string) string {
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
