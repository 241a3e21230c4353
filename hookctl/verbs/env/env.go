// Package env has the environment of one run of a verb: its console, the ways to the daemon and to the world. A test puts
// its own in their place.
//
// A verb says what it needs ([Need]); its first request connects. The environment is an [api.Caller], so a verb asks by
//
//	got, err := api.Retract.Call(ctx, e, api.RetractRequest{…})
//
// and gives [Env.Changing] instead of the environment where a daemon must be started for what it asks.
package env

import (
	"cmp"
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"

	"hookline/embedded"
	"hookline/hookctl/client"
	"hookline/hookctl/cmdline"
	"hookline/hookctl/config"
	"hookline/hookctl/facts"
	"hookline/hookctl/find"
	"hookline/hookctl/home"
)

// Env is the environment of one run. It is used by one goroutine; what goes on beside it has a [Env.Fork].
type Env struct {
	cmdline.Console
	Self string   // path of this executable, links resolved
	Args []string // of the command line, as they came
	Conf config.Config

	Connect func(ctx context.Context, need Need) (*client.Client, error)
	Here    Here

	Alive   func(pid int) bool
	Place   func(dir string) facts.Place
	World   *facts.World                                             // for questions about branches
	Managed string                                                   // folder of an administrator's settings of the client
	Look    func(name string) (string, error)                        // exec.LookPath
	Ground  func(path string) (name string, network bool, err error) // facts.NetworkFS
	Room    func(path string) (free, total int64, err error)         // embedded.FreeSpace

	// OpenIndex is nil in hookd, where the program hookfind runs what needs the index.
	OpenIndex IndexOpener

	door *door // to what answers
}

// IndexOpener opens the index of words in a folder.
type IndexOpener func(ctx context.Context, dir string) (find.Index, error)

// Here opens the store of a home in this process, as of [client.Options].
type Here = func(ctx context.Context, p home.Paths) (*client.Client, error)

// New returns the environment of a run in the real world.
func New(here Here) *Env {
	self, err := os.Executable()
	if err == nil {
		self = config.Resolved(self)
	}
	e := &Env{
		Console: cmdline.New("hookctl"),
		Self:    self,
		Here:    here,
		Alive:   func(pid int) bool { return facts.Probe(pid).Alive },
		Place:   facts.New().Place,
		World:   facts.New(),
		Managed: managedDir(runtime.GOOS),
		Look:    exec.LookPath,
		Ground:  facts.NetworkFS,
		Room:    embedded.FreeSpace,
	}
	e.Connect = e.Dial
	return e
}

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

// MaxFile bounds a file of the project that a verb reads as a whole, in bytes; real ones have some KiB.
const MaxFile = 4 << 20

// Files says where the files of this home lie.
func (e *Env) Files() home.Paths { return home.PathsOf(e.Home(), e.Getenv) }

// Absolute returns a path as it was typed here.
func (e *Env) Absolute(path string) string {
	if filepath.IsAbs(path) {
		return path
	}
	return filepath.Join(e.Cwd, path)
}

// GitPlace returns the work tree that a verb is about: this directory's, as for a hook; without one the client's.
func (e *Env) GitPlace() facts.Place {
	if here := e.Place(e.Cwd); here.Git {
		return here
	}
	return e.Place(e.ProjectDir())
}

// TopDir returns the top of the work tree here, or the directory itself.
func (e *Env) TopDir() string {
	p := e.Place(e.ProjectDir())
	return cmp.Or(p.Worktree, p.Dir)
}

// UserHome returns the user's home folder.
func (e *Env) UserHome() string {
	return cmp.Or(e.Getenv("HOME"), e.Getenv("USERPROFILE"))
}

// Caller says who runs this command: "agent" where a session of the client does, else "person".
func (e *Env) Caller() string {
	if e.Getenv("CLAUDECODE") != "" || e.Getenv("CLAUDE_CODE_SESSION_ID") != "" {
		return "agent"
	}
	return "person"
}
