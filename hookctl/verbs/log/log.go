package log

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

	"github.com/spf13/cobra"

	"hookline/hookctl/problem"
	"hookline/hookctl/safeopen"
	"hookline/hookctl/verbs/command"
	"hookline/hookctl/verbs/env"
)

// DaemonCommand returns the command that shows the daemon's own log.
func DaemonCommand(e *env.Env) *cobra.Command {
	return command.Verb(e, env.Store, command.Text{
		Use:   "log",
		Short: "Show the daemon's own log, hookd.log",
		Long: "Show the newest lines of the daemon's own log, hookd.log: what it did and what went wrong. What the client's\n" +
			"hooks told is in `hookctl tail`.",
		Example: "  hookctl log\n" +
			"  hookctl log -f\n" +
			"  hookctl log -n all",
	}, &logVerb{Last: 50})
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
