package embedded

import (
	"context"
	"fmt"
	"log/slog"
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

	mu   sync.Mutex
	ring []Warning
}

func (l *serverLog) keep(level slog.Level, format string, v []any) {
	w := Warning{Time: l.now().UTC(), Level: level, Text: fmt.Sprintf(format, v...)}
	if path := aboutToCut(w.Text); path != "" && l.cut != nil {
		l.cut(path)
	}
	l.out.Log(context.Background(), level, "server", "text", w.Text)
	l.mu.Lock()
	defer l.mu.Unlock()
	if len(l.ring) == keptWarnings {
		l.ring = l.ring[1:]
	}
	l.ring = append(l.ring, w)
}

func (l *serverLog) last() []Warning {
	l.mu.Lock()
	defer l.mu.Unlock()
	return append([]Warning(nil), l.ring...)
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
