//go:build linux

// Package conversations talks to hookline from outside: the real binaries, as real processes, each
// conversation with a home, a socket and a folder of its own. What the client would do is done here
// (hook JSON on stdin, an environment, a working directory), and what it would see is compared
// (stdout, stderr, exit code, time), then what came of it: the log, the cells, the spool.
//
//	testdata/scripts/*.txt     conversations, one a specified case or theme; commands_test.go lists their words
//	testdata/payloads/*.json   one payload for each hook event of the client
//	*_test.go                  what a script cannot say well: floods, planted secrets, comparisons
//
// HOOKLINE_TEST_BIN=DIR uses the hookctl, hookd and replay of DIR instead of building them.
package conversations

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"sync"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"

	"hookline/hookctl/home/hometest"
)

// binaries is the folder of the programs under test.
var binaries string

// scratch is where this run builds; it is removed at its end.
var scratch string

func TestMain(m *testing.M) { os.Exit(withBinaries(m.Run)) }

func withBinaries(run func() int) int {
	hometest.ShortTemp()
	var err error
	if scratch, err = os.MkdirTemp("", "hookline-conversations-"); err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	defer os.RemoveAll(scratch)
	binaries = os.Getenv("HOOKLINE_TEST_BIN")
	if binaries == "" {
		binaries = filepath.Join(scratch, "bin")
		if err := build(binaries, ""); err != nil {
			fmt.Fprintln(os.Stderr, err)
			return 1
		}
	}
	return run()
}

// build makes the programs; version replaces the one they carry unless it is empty.
func build(dir, version string, programs ...string) error {
	if len(programs) == 0 {
		programs = []string{"hookline/hookctl", "hookline/hookctl/hookd", "hookline/hookctl/hookfind", "hookline/replay"}
	}
	args := []string{"build", "-buildvcs=false", "-o", dir + string(filepath.Separator)}
	if version != "" {
		args = append(args, "-ldflags", "-X hookline/hookctl/wire.Build="+version)
	}
	if out, err := exec.Command("go", append(args, programs...)...).CombinedOutput(); err != nil {
		return fmt.Errorf("go build: %w\n%s", err, out)
	}
	return nil
}

// newerBuild is the version of the programs that [newer] builds: above any that is released.
const newerBuild = "999.1.0"

// newer builds the programs once more, as a later release.
var newer = sync.OnceValues(func() (string, error) {
	dir := filepath.Join(scratch, "newer")
	return dir, build(dir, newerBuild, "hookline/hookctl", "hookline/hookctl/hookd")
})

func TestScripts(t *testing.T) { runScripts(t, "scripts") }

func runScripts(t *testing.T, folder string) {
	testscript.Run(t, testscript.Params{
		Dir:                 filepath.Join("testdata", folder),
		Setup:               setup,
		Cmds:                commands,
		Condition:           condition,
		RequireUniqueNames:  true,
		RequireExplicitExec: true,
		ContinueOnError:     true,
	})
}

// setup gives a script its own home; whatever process is left below it at the end is ended.
func setup(env *testscript.Env) error {
	if err := os.Chmod(env.WorkDir, 0o700); err != nil { // the socket lies in it, whatever the umask
		return err
	}
	if err := os.MkdirAll(filepath.Join(env.WorkDir, "home"), 0o700); err != nil {
		return err
	}
	env.Setenv("PATH", binaries+string(filepath.ListSeparator)+os.Getenv("PATH"))
	env.Setenv("BIN", binaries)
	env.Setenv("NEWER_BUILD", newerBuild)
	env.Setenv("HOME", filepath.Join(env.WorkDir, "home"))
	env.Setenv("HOOKLINE_HOME", filepath.Join(env.WorkDir, "state"))
	env.Setenv("HOOKLINE_SOCKET", filepath.Join(env.WorkDir, "s.sock"))
	env.Setenv("HOOKLINE_SECOND", env.Getenv("TMPDIR"))
	env.Defer(func() { endAll(env.WorkDir) })
	return nil
}

// condition knows [linux] and its like by testscript itself; here what a folder of programs may lack.
func condition(name string) (bool, error) {
	if name != "replay" {
		return false, fmt.Errorf("unknown condition %q", name)
	}
	_, err := os.Stat(filepath.Join(binaries, "replay"))
	return err == nil, nil
}
