package verbs

import (
	"bytes"
	"errors"
	"io/fs"
	"time"

	"hookline/hookctl/home"
	"hookline/hookctl/problem"
	"hookline/hookctl/safeopen"
)

// maxLog bounds the daemon's log, in bytes. The daemon begins a new one long before.
const maxLog = 1 << 30

type logVerb struct {
	Last   count `flag:"n,n" help:"the last N lines, or all"`
	Follow bool  `flag:"follow,f" help:"go on with the lines to come"`
}

func (f *logVerb) run(a *app, _ []string) error {
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
