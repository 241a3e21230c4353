package verbs

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"

	"hookline/hookctl/client"
	"hookline/hookctl/cmdline"
	"hookline/hookctl/config"
	"hookline/hookctl/facts"
	"hookline/hookctl/home"
)

// app is one run of a verb: its flags and every way to the outside.
type app struct {
	cmdline.Console
	self string // this executable, links resolved

	connect func(ctx context.Context, need need) (*client.Client, error)
	here    Here
	alive   func(pid int) bool
	place   func(dir string) facts.Place
	managed string                                                   // folder of an administrator's settings of the client
	look    func(name string) (string, error)                        // exec.LookPath
	ground  func(path string) (name string, network bool, err error) // facts.NetworkFS
	room    func(path string) (free, total uint64, err error)        // facts.Free

	ctx    context.Context // of the run; an interrupt ends it
	door   *door           // to what answers it
	conf   config.Config
	args   []string  // of the command line, as they came
	search *Searcher // nil in hookd
}

// Here opens the store of a home in this process, as of [client.Options].
type Here = func(ctx context.Context, p home.Paths) (*client.Client, error)

// newApp is the app on the real world.
func newApp(here Here) *app {
	self, err := os.Executable()
	if err == nil {
		if real, bad := filepath.EvalSymlinks(self); bad == nil {
			self = real
		}
	}
	a := &app{ctx: context.Background(), Console: cmdline.New("hookctl"), self: self, here: here, alive: func(pid int) bool { return facts.Probe(pid).Alive },
		place: facts.New(facts.Options{}).Place, managed: managedDir(runtime.GOOS), look: exec.LookPath, ground: facts.NetworkFS, room: facts.Free}
	a.connect = a.dial
	return a
}

// settle reads the configuration and decides about colour, once the flags are known.
func (a *app) settle() (err error) {
	a.conf, err = a.Settle()
	return err
}
