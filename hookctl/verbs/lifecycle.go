package verbs

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"slices"
	"strings"
	"time"

	"hookline/hookctl/api"
	"hookline/hookctl/client"
	"hookline/hookctl/problem"
	"hookline/hookctl/safeopen"
	"hookline/hookctl/verbs/command"
	"hookline/hookctl/verbs/env"
)

// patience is how long start and stop wait. A start folds the tail of the log (100,000 events in half a second); a stop lets
// requests end, writes the cells and closes the store, and may compact a long log.
const patience = time.Minute

// lifecycleJSON is what start, stop and restart print with --json.
type lifecycleJSON struct {
	PID    int    `json:"pid" jsonschema_description:"of the daemon that runs now, or ran; 0 when stop found none"`
	Did    string `json:"did" jsonschema_description:"started, stopped, restarted or nothing"`
	Before int    `json:"before,omitempty" jsonschema_description:"process id of the daemon before; only of restart"`
}

func startVerb(ctx context.Context, e *env.Env, _ []string) error {
	did, pid, err := start(ctx, e)
	if err != nil {
		return err
	}
	return sayLifecycle(e, lifecycleJSON{PID: pid, Did: did}, map[string]string{
		"started": "hookd started, pid %d\n", "nothing": "hookd runs already, pid %d\n"}[did])
}

// start gives what it did, "started" or "nothing", and the daemon's pid.
func start(ctx context.Context, e *env.Env) (did string, pid int, err error) {
	if st, err := runningStatus(ctx, e); err == nil {
		return "nothing", pidOf(st), nil
	} else if !env.NotRunning(err) {
		return "", 0, err
	}
	err = e.With(ctx, env.Started, func() error {
		st, err := e.Status(ctx)
		pid = pidOf(st)
		return err
	})
	return "started", pid, err
}

// runningStatus is the status of a running daemon, client.ErrNotRunning when there is none.
func runningStatus(ctx context.Context, e *env.Env) (st api.Status, err error) {
	err = e.With(ctx, env.Running, func() error {
		st, err = e.Status(ctx)
		return err
	})
	return st, err
}

func pidOf(st api.Status) int {
	if st.PID == nil {
		return 0
	}
	return *st.PID
}

// sayLifecycle prints what was done, and what of the configuration the daemon does without.
func sayLifecycle(e *env.Env, l lifecycleJSON, words string) error {
	if l.Did != "stopped" {
		for _, p := range e.Conf.Problems {
			e.Say("warning: " + p.Error())
			if p.Hint != "" {
				e.Say("hint: " + p.Hint)
			}
		}
	}
	return e.Result(l, words, l.PID)
}

func stopVerb(ctx context.Context, e *env.Env, _ []string) error {
	pid, err := stop(ctx, e)
	if env.NotRunning(err) {
		return e.Result(lifecycleJSON{Did: "nothing"}, "hookd does not run\n")
	}
	if err != nil {
		return err
	}
	return sayLifecycle(e, lifecycleJSON{PID: pid, Did: "stopped"}, "hookd stopped, pid %d is gone\n")
}

// stop ends the daemon and gives its pid, client.ErrNotRunning when there was none. One that is just starting is waited for;
// a long log is read for minutes after an upgrade.
func stop(ctx context.Context, e *env.Env) (int, error) {
	var st api.Status
	end := func() (err error) {
		if st, err = e.Status(ctx); err != nil {
			return err
		}
		_, err = api.Stop.Call(ctx, e, api.StopRequest{})
		if env.NotRunning(err) { // another command was faster
			return nil
		}
		return err
	}
	err := e.With(ctx, env.Running, end)
	for waited := time.Duration(0); env.NotRunning(err); waited += env.Glance {
		busy := client.Busy(e.Files())
		if busy == nil {
			break
		}
		if waited >= patience {
			return 0, busy
		}
		if err := e.Pause(ctx, env.Glance); err != nil {
			return 0, err
		}
		err = e.With(ctx, env.Running, end)
	}
	if err != nil {
		return 0, err
	}
	return pidOf(st), gone(ctx, e, pidOf(st))
}

// gone waits for the end of a process.
func gone(ctx context.Context, e *env.Env, pid int) error {
	for waited := time.Duration(0); e.Alive(pid); waited += env.Glance {
		if waited >= patience {
			return problem.Faultf("hookd (pid %d) has not ended within %s", pid, patience).Advise("its log, hookd.log in " + e.Home() + ", tells what it does")
		}
		if err := e.Pause(ctx, env.Glance); err != nil {
			return err
		}
	}
	return nil
}

func restartVerb(ctx context.Context, e *env.Env, _ []string) error {
	before, err := stop(ctx, e)
	if err != nil && !env.NotRunning(err) {
		return err
	}
	_, pid, err := start(ctx, e)
	if err != nil {
		return err
	}
	if before == 0 {
		return sayLifecycle(e, lifecycleJSON{PID: pid, Did: "started"}, "hookd was not running; started, pid %d\n")
	}
	return sayLifecycle(e, lifecycleJSON{PID: pid, Did: "restarted", Before: before}, fmt.Sprintf("hookd restarted, pid %d → %%d\n", before))
}

// maxLog bounds the daemon's log, in bytes. The daemon begins a new one long before.
const maxLog = 1 << 30

type logVerb struct {
	Last   command.Count `flag:"n,n" help:"the last N lines, or all"`
	Follow bool          `flag:"follow,f" help:"goes on with what is written until Ctrl-C"`
}

func (f *logVerb) Run(ctx context.Context, e *env.Env, _ []string) error {
	path := e.Files().Log
	text, err := safeopen.ReadFile(safeopen.Own, path, maxLog)
	if err != nil {
		return problem.Because(err).Advise("the daemon writes it when it starts; `hookctl start` starts one")
	}

	lines := slices.Collect(strings.Lines(string(text)))
	for _, line := range lines[f.Last.From(len(lines)):] {
		e.Verbatim(strings.TrimSuffix(line, "\n") + "\n")
	}
	if f.Follow {
		return followLog(ctx, e, path, int64(len(text)))
	}
	return nil
}

// logEvery is how often the daemon's log is looked at for what is new.
const logEvery = 200 * time.Millisecond

// followLog prints what is written to the daemon's log behind an offset until the context ends. A log that is shorter than
// it was has been begun anew by a start of the daemon.
func followLog(ctx context.Context, e *env.Env, path string, offset int64) error {
	tick := time.NewTicker(logEvery)
	defer tick.Stop()
	for {
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-tick.C:
		}

		text, err := readFrom(path, offset)
		if errors.Is(err, errShorter) {
			offset = 0
			continue
		}
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			return fmt.Errorf("follow the daemon's log: %w", err)
		}

		whole := text[:bytes.LastIndexByte(text, '\n')+1] // a line that is being written comes with the next look
		e.Verbatim(string(whole))
		offset += int64(len(whole))
	}
}

// errShorter says that a file ends before the offset from which it was to be read.
var errShorter = errors.New("the file is shorter than it was")

// readFrom returns what a file has behind an offset, at most 1 MiB.
func readFrom(path string, offset int64) ([]byte, error) {
	file, err := safeopen.Open(safeopen.Own, path)
	if err != nil {
		return nil, err
	}
	defer file.Close()

	info, err := file.Stat()
	if err != nil {
		return nil, err
	}
	if info.Size() < offset {
		return nil, errShorter
	}
	return io.ReadAll(io.NewSectionReader(file, offset, 1<<20))
}
