package daemon

import (
	"math"
	"runtime"
	"runtime/debug"
	"runtime/metrics"
	"sync"
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

// memory sets the limits of the process's memory by the large frames and long tasks under way. No more than four large frames
// are held at a time.
type memory struct {
	slots chan struct{}
	mu    sync.Mutex
	n     int   // frames and tasks
	tasks int   // of these
	quiet int64 // the limit without any; 0 until the start is over
	loud  int64 // the limit with some, where largeLimit is not enough
}

const largeAtOnce = 4

func newMemory() *memory { return &memory{slots: make(chan struct{}, largeAtOnce)} }

// enter counts a frame of this size, and waits while there are too many large ones. The caller calls the function that it
// returns when the frame is done.
func (m *memory) enter(size int64) func() {
	if size < largeFrame {
		return func() {}
	}
	m.slots <- struct{}{}
	m.add(1, 0)
	return func() {
		m.add(-1, 0)
		<-m.slots
	}
}

// task counts a long task until the function that it returns is called.
func (m *memory) task() func() {
	m.add(1, 1)
	return func() { m.add(-1, -1) }
}

// add counts n more, so many of them tasks, and sets the limit for them.
func (m *memory) add(n, tasks int) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.n += n
	m.tasks += tasks
	m.limit()
}

// settle fits the limit to what is in use: a million ids that came within two minutes (an import) are 200 MiB, which
// the server gives up when they are older; the states of tens of thousands of sessions, folded again, are 1 GiB.
func (m *memory) settle() {
	m.mu.Lock()
	defer m.mu.Unlock()
	inUse := int64(heap("/gc/heap/live:bytes")) // as the last collection found it
	if m.n == 0 {
		m.quiet, m.loud = inUse+inUse/4+memorySpare, 0 // a quarter on top is the collector's own share
	} else {
		m.loud = 2*inUse + memorySpare
	}
	m.limit()
}

// none reports whether nothing large is under way.
func (m *memory) none() bool {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.n == 0
}

// limit sets the process's memory limit, and how much garbage may pile up. A process without a limit stays without: it is no
// daemon, but has the store open for a command.
func (m *memory) limit() {
	garbage := 100
	if m.tasks > 0 && heap("/gc/heap/live:bytes") < taskSmall {
		garbage = taskGarbage
	}
	debug.SetGCPercent(garbage)

	switch {
	case debug.SetMemoryLimit(-1) == math.MaxInt64:
	case m.n > 0:
		debug.SetMemoryLimit(max(largeLimit, m.loud))
	default:
		debug.SetMemoryLimit(max(memoryLimit, m.quiet))
	}
}

// heap returns a number of bytes from [runtime/metrics].
func heap(name string) uint64 {
	one := []metrics.Sample{{Name: name}}
	metrics.Read(one)
	return one[0].Value.Uint64()
}

// free returns to the system what is not in use. It collects twice, since what is in a [sync.Pool], as the server's buffers of
// 8 MiB, outlives one collection.
func free() {
	runtime.GC()
	debug.FreeOSMemory()
}
