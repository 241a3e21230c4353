// Package facts asks the machine what an event has to say about it: where a hook ran, which repository and branch that is,
// which process is the client, what the store lies on. It is asked once, when the event is decided; the answers are plain
// values that go into the event, so that a fold never has to ask again.
//
//   - [World.Place] is on the path of every hook: it reads files and never starts a process (a repository that keeps its
//     refs in a reftable is the exception, see there).
//   - git is started only for a new repository, by [World.Origin], and for gates (gitsize.go), with an environment that holds
//     neither the user's secrets nor GIT_DIR and its like.
//   - What cannot be found out is the zero value, not a guess.
package facts

import (
	"cmp"
	"context"
	"errors"
	"io/fs"
	"os"
	"sync"
	"syscall"
	"time"

	"golang.org/x/sync/singleflight"

	"hookline/hookctl/safeopen"
)

// World answers questions about directories and repositories. It is safe for concurrent use and bounded.
type World struct {
	exec      func(ctx context.Context, dir string, args ...string) ([]byte, error) // runs git
	now       func() time.Time
	places    Cache[Place] // the last answer, for a directory that is gone since
	heads     Cache[known] // what git directories said, by their paths
	reftables Cache[reftable]
	sizes     Cache[measured] // of branches
	asking    singleflight.Group
}

// New returns a World that has seen nothing yet.
func New() *World { return &World{exec: Git, now: time.Now} }

// mostKnown bounds a cache that has no bound of its own. A session visits some tens of directories.
const mostKnown = 4096

// Cache remembers the values of the newest keys. Its zero value is ready; it is safe for concurrent use.
type Cache[V any] struct {
	Most  int // keys; 0 means 4096
	mu    sync.Mutex
	by    map[string]V
	order []string // of the keys, oldest first
}

// Get returns the value of a key, and whether there is one.
func (c *Cache[V]) Get(key string) (V, bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	v, ok := c.by[key]
	return v, ok
}

// Put keeps a value and returns the one before.
func (c *Cache[V]) Put(key string, v V) (before V, had bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	before, had = c.by[key]
	c.keep(key, v)
	return before, had
}

// Of returns the value of a key, a new one where there is none.
func (c *Cache[V]) Of(key string, fresh func() V) V {
	c.mu.Lock()
	defer c.mu.Unlock()
	v, ok := c.by[key]
	if !ok {
		v = fresh()
		c.keep(key, v)
	}
	return v
}

func (c *Cache[V]) keep(key string, v V) {
	if c.by == nil {
		c.by = map[string]V{}
	}
	if _, ok := c.by[key]; !ok {
		c.order = append(c.order, key)
	}
	if len(c.order) > cmp.Or(c.Most, mostKnown) {
		delete(c.by, c.order[0])
		c.order = c.order[1:]
	}
	c.by[key] = v
}

// absent reports whether an error says that nothing is at a path; a file where a directory should be counts.
func absent(err error) bool {
	return errors.Is(err, fs.ErrNotExist) || errors.Is(err, syscall.ENOTDIR)
}

// stat returns what is at a path, nil for nothing. An error means that the path could not be looked at.
func stat(path string) (os.FileInfo, error) {
	info, err := os.Stat(path)
	if absent(err) {
		return nil, nil
	}
	return info, err
}

// readSmall reads a file of a repository of at most limit bytes; a longer one is an error, since no file read here
// has a reason to be longer.
func readSmall(path string, limit int64) ([]byte, error) {
	return safeopen.ReadFile(safeopen.Foreign, path, limit)
}
