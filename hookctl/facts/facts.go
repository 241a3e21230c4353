// Package facts asks the world what an event has to say about it: where a hook ran, which
// repository and branch that is, which process is the client, what time it is, what the store lies
// on. It is asked once, at decide time; the answers are plain values that go into the event, so that
// a fold never has to ask again.
//
// # What is promised
//
//   - [World.Place] is on the path of every hook: it reads files, never starts a process (a repository
//     that keeps its refs in a reftable is the exception, see there), and answers a directory it
//     knows in some microseconds.
//   - A cached answer is good for as long as everything it was read from looks as it did. A switch of
//     branch, a `git init`, a retargeted link are seen by the next call.
//   - git is started only for a new repository, by [World.Origin], with an environment that holds neither
//     the user's secrets nor GIT_DIR and its like.
//   - What cannot be found out is the zero value, not a guess.
package facts

import (
	"context"
	"time"

	"golang.org/x/sync/singleflight"
)

// Options are the ways of a [World] to the outside. The zero value is the real world.
type Options struct {
	// Exec runs git with args in dir and returns its standard output. It must be safe for concurrent
	// use and end when ctx does. Nil means the git on the PATH with a clean environment.
	Exec func(ctx context.Context, dir string, args ...string) ([]byte, error)
}

// World answers questions about directories and repositories and remembers the answers. It is safe
// for concurrent use and bounded.
type World struct {
	exec    func(ctx context.Context, dir string, args ...string) ([]byte, error)
	now     func() time.Time
	places  cache[string, *answer]
	origins cache[string, *origin]
	asking  singleflight.Group
}

// New makes a World that knows nothing yet.
func New(o Options) *World {
	if o.Exec == nil {
		o.Exec = Git
	}
	return &World{exec: o.Exec, now: time.Now}
}
