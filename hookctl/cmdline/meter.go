package cmdline

import (
	"io"
	"time"

	"github.com/schollz/progressbar/v3"
)

// barWidth leaves room for the words, the counts and the time on 80 columns.
const barWidth = 24

// Meter is a progress bar on stderr, or nothing where stderr is no terminal. Work may go over the log more than
// once; each time has its own bar. It is used by one goroutine.
type Meter struct {
	to    io.Writer
	on    bool
	word  string
	Bytes bool // it counts bytes, not events
	bar   *progressbar.ProgressBar
	last  uint64
}

// Meter makes one with a word for the work. Nothing is drawn before the first [Meter.At].
func (c *Console) Meter(word string) *Meter {
	return &Meter{to: c.Err, on: c.Rich() && !c.JSON, word: word}
}

// At shows how far the work is; going back to the start begins another bar.
func (m *Meter) At(done, of uint64) {
	if !m.on {
		return
	}
	if m.bar == nil || done < m.last {
		m.End()
		m.bar = progressbar.NewOptions64(int64(of), progressbar.OptionSetWriter(m.to), progressbar.OptionSetWidth(barWidth),
			progressbar.OptionSetDescription(m.word), progressbar.OptionShowCount(), progressbar.OptionShowIts(),
			progressbar.OptionSetItsString("events"), progressbar.OptionShowBytes(m.Bytes), progressbar.OptionThrottle(50*time.Millisecond))
	}
	m.last = done
	_ = m.bar.Set64(int64(min(done, of))) // a bar that cannot be drawn is no trouble of the command
}

// End takes the bar off the screen.
func (m *Meter) End() {
	if m.bar != nil {
		_ = m.bar.Clear()
		m.bar = nil
	}
}
