package cli

import (
	"time"

	"github.com/schollz/progressbar/v3"
)

// barWidth leaves room for the words, the counts and the time on 80 columns.
const barWidth = 24

// meter is a progress bar on stderr, or nothing where nobody looks. A request may go over the log
// more than once; each time is a phase with its own word and its own bar.
type meter struct {
	app    *app
	on     bool
	phases []string
	bar    *progressbar.ProgressBar
	last   uint64
}

func (a *app) meter(phases ...string) *meter {
	return &meter{app: a, on: a.Rich() && !a.JSON, phases: phases}
}

// at shows how far the current phase is; going back to the start begins the next one.
func (m *meter) at(done, of uint64) {
	if !m.on {
		return
	}
	if m.bar == nil || done < m.last {
		m.next(of)
	}
	m.last = done
	_ = m.bar.Set64(int64(min(done, of))) // a bar that cannot be drawn is no trouble of the command
}

func (m *meter) next(of uint64) {
	m.end()
	var word string
	if len(m.phases) > 0 {
		word, m.phases = m.phases[0], m.phases[1:]
	}
	m.bar = progressbar.NewOptions64(int64(of), progressbar.OptionSetWriter(m.app.Err), progressbar.OptionSetWidth(barWidth),
		progressbar.OptionSetDescription(word), progressbar.OptionShowCount(), progressbar.OptionShowIts(),
		progressbar.OptionSetItsString("events"), progressbar.OptionThrottle(50*time.Millisecond))
}

// end takes the bar off the screen.
func (m *meter) end() {
	if m.bar != nil {
		_ = m.bar.Clear()
		m.bar = nil
	}
}
