package facts

import "strings"

// Process is one process as a session remembers it. PID and Start together name it: a pid that the
// system gave out again has another start time.
type Process struct {
	PID   int
	Start int64 // in the platform's own unit (Linux: clock ticks since boot; macOS: microseconds, Windows: nanoseconds since 1970); 0 unknown
	Alive bool
}

// running is what the system says about a process, from which it is found out whether it is the client.
type running struct {
	parent int
	exe    string   // path of the executable, "" when it may not be told
	args   []string // command line; empty on Windows
}

// maxResumed bounds the id of a session in a process's arguments.
const maxResumed = 100

// Resumed returns the id of the session that a client's process was started to resume, as its arguments have it; "" where they
// name none, and on Windows.
func Resumed(pid int) string {
	r, _ := inspect(pid)
	return resumedBy(r.args)
}

// resumedBy does what [Resumed] does for a command line.
func resumedBy(args []string) string {
	for i, arg := range args {
		value, given := strings.CutPrefix(arg, "--resume=")
		if arg == "--resume" || arg == "-r" {
			given = i+1 < len(args)
			if given {
				value = args[i+1]
			}
		}
		isOption := strings.HasPrefix(value, "-")
		if given && !isOption && len(value) <= maxResumed {
			return value
		}
	}
	return ""
}

// Probe asks after a process. One that may not be signalled or looked at is alive all the same; a
// zombie is not. A pid below 1 is no process.
func Probe(pid int) Process {
	if pid < 1 {
		return Process{}
	}
	start, alive := probe(pid)
	return Process{PID: pid, Start: start, Alive: alive}
}

// SameProcess reports whether the process that had this pid and start time is still alive. Where one of
// the start times is unknown (0) the pid alone decides: a session is rather kept too long than lost.
func SameProcess(pid int, start int64) bool {
	p := Probe(pid)
	return p.Alive && (start == 0 || p.Start == 0 || p.Start == start)
}
