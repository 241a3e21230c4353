package verbs

import (
	"bytes"
	"errors"
	"io/fs"
	"time"

	"github.com/spf13/cobra"

	"hookline/hookctl/home"
	"hookline/hookctl/problem"
	"hookline/hookctl/safeopen"
)

// maxLog bounds the daemon's log, in bytes. The daemon begins a new one long before.
const maxLog = 1 << 30

func (a *app) logCmd() *cobra.Command {
	var f struct {
		Last   count `flag:"n,n" help:"the last N lines, or all"`
		Follow bool  `flag:"follow,f" help:"go on with the lines to come"`
	}
	f.Last = 50
	return a.verb(needStore, &cobra.Command{
		Use:   "log",
		Short: "Show the daemon's own log, hookd.log",
		Long: "Show the newest lines of the daemon's own log, hookd.log: what it did and what went wrong. What the client's\n" +
			"hooks told is in `hookctl tail`. -f goes on until it is interrupted.",
		Example: "  hookctl log\n  hookctl log -f",
	}, func([]string) error {
		path := home.PathsOf(a.Home(), a.Getenv).Log

		text, err := safeopen.ReadFile(safeopen.Own, path, maxLog)
		if errors.Is(err, fs.ErrNotExist) {
			return problem.FaultBy(err, "%s is not there", path).Advise("the daemon writes it when it starts; `hookctl start` starts one")
		}
		if err != nil {
			return err
		}

		lines := bytes.SplitAfter(text, []byte("\n"))
		if n := len(lines); n > 0 && len(lines[n-1]) == 0 {
			lines = lines[:n-1]
		}
		if f.Last != allOf {
			lines = lines[max(0, len(lines)-int(f.Last)):]
		}
		a.printLog(lines)
		if !f.Follow {
			return nil
		}
		return a.followLog(path, len(text))
	}, &f)
}

func (a *app) printLog(lines [][]byte) {
	for _, line := range lines {
		a.Verbatim(string(bytes.TrimRight(line, "\n")) + "\n")
	}
}

// followLog prints what is added to the log behind a place, also when the file is another one by then.
func (a *app) followLog(path string, at int) error {
	const look = 200 * time.Millisecond
	var rest []byte
	for a.Pause(a.ctx, look) == nil {
		text, err := safeopen.ReadFile(safeopen.Own, path, maxLog)
		if err != nil {
			continue // it is being replaced
		}
		if len(text) < at {
			at, rest = 0, nil
		}
		rest = append(rest, text[at:]...)
		at = len(text)

		whole := bytes.LastIndexByte(rest, '\n') + 1
		if whole > 0 {
			a.printLog(bytes.SplitAfter(rest[:whole-1], []byte("\n")))
		}
		rest = rest[whole:]
	}
	return nil
}
