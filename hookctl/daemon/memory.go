package daemon

import (
	"math"
	"runtime/debug"
	"runtime/metrics"
	"sync"
	"time"
)

// memoryLimit bounds the server's elastic block caches; the goal is 64 MiB resident when idle. Large
// frames need several times their size for a moment, and so do imports and what folds the whole log: meanwhile
// the limit is largeLimit, or the collector would run all the time (an import of 1 GB took three times as much
// processor time). So it is until the start is over.
const (
	memoryLimit = 96 << 20
	memorySpare = 32 << 20 // between what is in use and a limit; with less the collector would hardly rest
	largeLimit  = 768 << 20
	largeFrame  = 1 << 20
)

// large counts the large frames and long tasks under way. No more than four frames are in memory at a time.
type large struct {
	slots chan struct{}
	mu    sync.Mutex
	n     int   // frames and tasks
	quiet int64 // the limit without any; 0 until the start is over
}

const largeAtOnce = 4

// enter is called with the size of a frame; the function it gives is called when the frame is done.
func (l *large) enter(size int64) func() {
	if size < largeFrame {
		return func() {}
	}
	l.slots <- struct{}{}
	l.add(1)
	return func() {
		l.add(-1)
		<-l.slots
	}
}

// add counts n more, and sets the limit for them. A process without a limit (no daemon) stays without.
func (l *large) add(n int) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.n += n
	switch {
	case unlimited():
	case l.n == 0:
		debug.SetMemoryLimit(max(memoryLimit, l.quiet))
	default:
		debug.SetMemoryLimit(largeLimit)
	}
}

// unlimited tells that this process has no memory limit: it is no daemon, but has the store open for a command.
func unlimited() bool { return debug.SetMemoryLimit(-1) == math.MaxInt64 }

// settle fits the limit to what is in use: a million ids that came within two minutes (an import) are 200 MiB, which
// the server gives up when they are older.
func (l *large) settle() {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.n > 0 || unlimited() {
		return
	}
	inUse := []metrics.Sample{{Name: "/gc/heap/live:bytes"}} // as the last collection found it
	metrics.Read(inUse)
	l.quiet = quietLimit(inUse[0].Value.Uint64())
	debug.SetMemoryLimit(l.quiet)
}

// quietLimit is the limit for so many bytes in use; a quarter on top is the collector's own share and what it needs.
func quietLimit(inUse uint64) int64 {
	return max(memoryLimit, int64(inUse+inUse/4)+memorySpare)
}

// freeAtRest is how many bytes a daemon without hooks may hold that nobody uses.
const freeAtRest = 8 << 20

// giveBack returns memory that nobody uses to the system, where no hook came for a while: the collector, which runs every two
// minutes at least, keeps as much again as is in use.
func (d *Daemon) giveBack() {
	quiet := d.opts.Now().Sub(time.UnixMilli(d.touched.Load())) > healthEvery
	free := []metrics.Sample{{Name: "/memory/classes/heap/free:bytes"}}
	metrics.Read(free)
	if quiet && free[0].Value.Uint64() > freeAtRest {
		debug.FreeOSMemory()
	}
}

// hookStack is what taking a hook needs of its goroutine's stack, in bytes, as far as it is worth to have at once.
const hookStack = 24 << 10

// deepen grows the goroutine's stack in one step. Each hook comes on a connection of its own, so on a new goroutine,
// whose stack begins with a few KiB and is copied at each doubling, frame by frame: the deeper, the dearer.
//
//go:noinline
func deepen() {
	var room [hookStack]byte
	hold(&room)
}

// hold keeps the compiler from leaving the array out.
//
//go:noinline
func hold(*[hookStack]byte) {}
