package embedded

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"strings"
	"sync"
	"time"
)

// keptWarnings bounds the server's lines that are kept for the report.
const keptWarnings = 100

// Warning is one line the server said at level warning or above. It says what was lost in a
// recovery there and nowhere else.
type Warning struct {
	Time  time.Time
	Level slog.Level
	Text  string
}

// serverLog is the server's logger. Notices are dropped: they tell the life of a network server.
type serverLog struct {
	out *slog.Logger
	now func() time.Time
	cut func(path string) // called before the server cuts a damaged block off, and waited for

	mu      sync.Mutex
	ring    []Warning
	refused map[string]int // by stream: how often a file of it could not be read
}

func (l *serverLog) keep(level slog.Level, format string, v []any) {
	w := Warning{Time: l.now().UTC(), Level: level, Text: fmt.Sprintf(format, v...)}
	if path := aboutToCut(w.Text); path != "" && l.cut != nil {
		l.cut(path)
	}
	l.out.Log(context.Background(), level, "server", "text", w.Text)
	l.mu.Lock()
	defer l.mu.Unlock()
	if stream := unreadable(w.Text); stream != "" {
		if l.refused == nil {
			l.refused = map[string]int{}
		}
		l.refused[stream]++
	}
	if len(l.ring) == keptWarnings {
		l.ring = l.ring[1:]
	}
	l.ring = append(l.ring, w)
}

func (l *serverLog) last() []Warning {
	l.mu.Lock()
	defer l.mu.Unlock()
	return slices.Clone(l.ring)
}

// unreadable returns the stream of which a server's line says that a block could not be read; "" for any other line.
func unreadable(line string) string {
	rest, _ := strings.CutPrefix(line, "Filestore [")
	stream, what, _ := strings.Cut(rest, "] ")
	if !strings.HasPrefix(what, "loadBlock error: ") {
		return ""
	}
	return stream
}

// errUnread says that the disk does not give what the store has.
var errUnread = errors.New("the disk does not give it")

// reads begins a request that may have the server read a stream's files. The function it gives is called after the
// answer, and is an [errUnread] where one of the files could not be read since: the server answers then as if what is
// asked for were not there.
func (l *serverLog) reads(stream string) (unread func() error) {
	before := l.refusals(stream)
	return func() error {
		if l.refusals(stream) == before {
			return nil
		}
		return errUnread
	}
}

func (l *serverLog) refusals(stream string) int {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.refused[stream]
}

// Noticef implements the server's Logger.
func (l *serverLog) Noticef(string, ...any) {}

// Debugf implements the server's Logger.
func (l *serverLog) Debugf(string, ...any) {}

// Tracef implements the server's Logger.
func (l *serverLog) Tracef(string, ...any) {}

// Warnf implements the server's Logger.
func (l *serverLog) Warnf(format string, v ...any) { l.keep(slog.LevelWarn, format, v) }

// Errorf implements the server's Logger.
func (l *serverLog) Errorf(format string, v ...any) { l.keep(slog.LevelError, format, v) }

// Fatalf implements the server's Logger. It must not end the process: the store's owner decides.
func (l *serverLog) Fatalf(format string, v ...any) { l.keep(slog.LevelError, format, v) }
