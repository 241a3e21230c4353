package daemon

import (
	"math"
	"runtime"
	"runtime/debug"
	"runtime/metrics"
	"sync"
	"time"
)

// memoryLimit bounds the server's elastic block caches; the goal is 64 MiB resident when idle. Large
// frames need several times their size for a moment, and so do imports and what folds the whole log: meanwhile
// the limit is largeLimit or twice what is in use, or the collector would run all the time (an import of 1 GB took three
// times as much processor time; a check of six million events did not end). So it is until the start is over.
const (
	memoryLimit = 96 << 20
	memorySpare = 32 << 20 // between what is in use and a limit; with less the collector would hardly rest
	largeLimit  = 768 << 20
	largeFrame  = 1 << 20
)

// A long task lets garbage pile up, in percent of what is in use, while that is no more than taskSmall bytes.
const (
	taskGarbage = 400
	taskSmall   = largeLimit / 4
)

// large counts the large frames and long tasks under way. No more than four frames are in memory at a time.
type large struct {
	slots chan struct{}
	mu    sync.Mutex
	n     int   // frames and tasks
	tasks int   // of these
	quiet int64 // the limit without any; 0 until the start is over
	loud  int64 // the limit with some, where largeLimit is not enough
}

const largeAtOnce = 4

// enter counts a frame of this size, and waits while there are too many large ones. The caller calls the function that it
// returns when the frame is done.
func (l *large) enter(size int64) func() {
	if size < largeFrame {
		return func() {}
	}
	l.slots <- struct{}{}
	l.add(1, 0)
	return func() {
		l.add(-1, 0)
		<-l.slots
	}
}

// task counts a long task until the function that it returns is called.
func (l *large) task() func() {
	l.add(1, 1)
	return func() { l.add(-1, -1) }
}

// add counts n more, so many of them tasks, and sets the limit for them.
func (l *large) add(n, tasks int) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.n += n
	l.tasks += tasks
	l.limit()
}

// settle fits the limit to what is in use: a million ids that came within two minutes (an import) are 200 MiB, which
// the server gives up when they are older; the states of tens of thousands of sessions, folded again, are 1 GiB.
func (l *large) settle() {
	l.mu.Lock()
	defer l.mu.Unlock()
	inUse := int64(heap("/gc/heap/live:bytes")) // as the last collection found it
	if l.n == 0 {
		l.quiet, l.loud = inUse+inUse/4+memorySpare, 0 // a quarter on top is the collector's own share
	} else {
		l.loud = 2*inUse + memorySpare
	}
	l.limit()
}

// none reports whether nothing large is under way.
func (l *large) none() bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.n == 0
}

// limit sets the process's memory limit, and how much garbage may pile up. A process without a limit stays without: it is no
// daemon, but has the store open for a command.
func (l *large) limit() {
	garbage := 100
	if l.tasks > 0 && heap("/gc/heap/live:bytes") < taskSmall {
		garbage = taskGarbage
	}
	debug.SetGCPercent(garbage)

	switch {
	case debug.SetMemoryLimit(-1) == math.MaxInt64:
	case l.n > 0:
		debug.SetMemoryLimit(max(largeLimit, l.loud))
	default:
		debug.SetMemoryLimit(max(memoryLimit, l.quiet))
	}
}

// heap returns a number of bytes from [runtime/metrics].
func heap(name string) uint64 {
	one := []metrics.Sample{{Name: name}}
	metrics.Read(one)
	return one[0].Value.Uint64()
}

// restless is how many bytes a daemon without hooks may allocate before it collects them.
const restless = 8 << 20

// giveBack collects what was allocated since the last time and returns it to the system, where neither a hook nor a long task came for a while. The
// collector itself, which runs every two minutes at least, keeps as much again as is in use, and leaves what a start read.
func (d *Daemon) giveBack() {
	const allocated = "/gc/heap/allocs:bytes" // of the whole life of the process
	quiet := d.opts.Now().Sub(time.UnixMilli(d.touched.Load())) > healthEvery
	if quiet && d.large.none() && heap(allocated)-d.freed > restless {
		free()
		d.freed = heap(allocated)
	}
}

// free returns to the system what is not in use. It collects twice, since what is in a [sync.Pool], as the server's buffers of
// 8 MiB, outlives one collection.
func free() {
	runtime.GC()
	debug.FreeOSMemory()
}

// hookStack is the part of its goroutine's stack, in bytes, that taking a hook needs and that is made at once.
const hookStack = 24 << 10

// deepen grows the goroutine's stack in one step. Each hook comes on a connection of its own, so on a new goroutine,
// whose stack begins with a few KiB and is copied at each doubling, frame by frame, which costs more the deeper it is.
//
//go:noinline
func deepen() {
	var room [hookStack]byte
	hold(&room)
}

// hold uses the array, so that the compiler does not leave it out.
//
//go:noinline
func hold(*[hookStack]byte) {}
