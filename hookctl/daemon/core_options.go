package daemon

import (
	"cmp"
	"log/slog"
	"time"
)

// Options of a daemon. The zero value of a field means its default.
type Options struct {
	Home     string        // folder of all state, 0700
	Fsync    string        // shared (default) or always
	IdleExit time.Duration // without a live session; default 12 h, negative: never
	Flush    time.Duration // longest time that folded cells stay unwritten; default 2 s
	Redact   []string      // the user's own patterns of secrets, RE2
	Notify   string        // a command or URL that is told of sessions that wait for the user; "" or off: none
	Listen   string        // host and port for clients of NATS; "" or off: none
	Otel     string        // the receiver of traces; "" or off: none
	Renew    bool          // begin a new log where nothing is left of the old one; never without consent
	Log      *slog.Logger
	Now      func() time.Time

	listenWrong string // why what the configuration says of Listen does not count
	unpacked    bool   // the log is taken from the archive because a backup was put there
}

func (o Options) withDefaults() Options {
	o.IdleExit = cmp.Or(o.IdleExit, 12*time.Hour)
	o.Flush = cmp.Or(o.Flush, 2*time.Second)
	o.Log = cmp.Or(o.Log, slog.New(slog.DiscardHandler))
	if o.Now == nil {
		o.Now = time.Now
	}
	return o
}
