package facts

import (
	"context"
	"errors"
	"os"
	"os/exec"
	"slices"
	"strings"
	"time"
)

// passed are the variables that git gets from us: where programs, its configuration (for
// safe.directory and includes) and temporary files are. No GIT_* variable, no key, no token.
var passed = []string{
	"PATH", "HOME", "XDG_CONFIG_HOME", "TMPDIR", // everywhere
	"SYSTEMROOT", "USERPROFILE", "PATHEXT", "APPDATA", "PROGRAMDATA", "TEMP", "TMP", // Windows
}

// quiet makes git read only: no lock, no prompt, no fetch of missing objects over any protocol, and
// the history as it was recorded.
var quiet = []string{
	"GIT_OPTIONAL_LOCKS=0", "GIT_TERMINAL_PROMPT=0", "GIT_NO_LAZY_FETCH=1", "GIT_ALLOW_PROTOCOL=none",
	"GIT_NO_REPLACE_OBJECTS=1", "LC_ALL=C",
}

// programless are the settings by which git runs none of the programs that a repository's configuration names for any
// command. Filters have names of their own, see [World.SizeOf].
var programless = []string{"-c", "core.fsmonitor=false", "-c", "core.hooksPath=" + os.DevNull}

// Git runs a command of the git on the PATH that only reads, in a work tree that anybody may have made: no hook, filter or
// pager of its configuration runs.
func Git(ctx context.Context, dir string, args ...string) ([]byte, error) {
	cmd := exec.CommandContext(ctx, "git", append(slices.Clone(programless), args...)...)
	cmd.Dir, cmd.Env = dir, cleanEnv(os.LookupEnv)
	cmd.WaitDelay = 100 * time.Millisecond // a helper of git's that keeps the pipe open is not waited for
	out, err := cmd.Output()
	if ctx.Err() != nil {
		return nil, ctx.Err()
	}
	return out, err
}

func cleanEnv(lookup func(string) (string, bool)) []string {
	env := slices.Clone(quiet)
	for _, name := range passed {
		if v, ok := lookup(name); ok && !strings.ContainsRune(v, 0) {
			env = append(env, name+"="+v)
		}
	}
	return env
}

// exitCode is the status that a program ended with, -1 when it did not end by itself.
func exitCode(err error) int {
	var ended interface{ ExitCode() int }
	if errors.As(err, &ended) {
		return ended.ExitCode()
	}
	return -1
}
