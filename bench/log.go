package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"hookline/embedded"
	"hookline/embedded/block"
	"hookline/events"
	"hookline/hookctl/wire"
)

// idsRemembered is how long the server remembers the ids of events, to recognise repeated ones. A daemon that starts in
// that time loads all of them again: memory and time that no real day has.
const idsRemembered = 2 * time.Minute

// longLog is a home with a long log and no daemon.
type longLog struct {
	*home
	events  uint64
	point   uint64 // sequence of an event in the middle
	session string // the session of that event
	made    time.Time
}

// longLogOf plays the session, appends what was recorded again and again under other session ids until there are at
// least n events, and folds all of it. Of each session at most `per` events are taken; 0 means all.
func (b *bench) longLogOf(ctx context.Context, n uint64, per int) (*longLog, error) {
	h, err := b.newHome()
	if err != nil {
		return nil, err
	}
	begin := time.Now()
	if _, err := h.play(ctx); err != nil {
		return nil, err
	}
	if err := h.stop(ctx); err != nil {
		return nil, err
	}
	l := &longLog{home: h}
	err = h.withLog(ctx, func(st *embedded.Stream, session []events.Envelope) error {
		if per > 0 {
			session = session[:per]
		}
		last := uint64(0)
		for i := 1; last < n; i++ {
			again := resemble(session, time.Duration(i)*time.Minute)
			if err := appendAll(ctx, st, again); err != nil {
				return err
			}
			last, _ = st.Last()
			if l.point == 0 && last >= n/2 {
				l.point = last
				l.session = again[len(again)-1].Session
			}
		}
		l.events = last
		return st.Sync(ctx, last)
	})
	if err != nil {
		return nil, err
	}
	if _, err := h.run(ctx, "replay", "rebuild"); err != nil {
		return nil, err
	}
	l.made = time.Now()
	b.say("a log of %d events was made in %s", l.events, time.Since(begin).Round(time.Second))
	return l, nil
}

// longer returns the log of 100,000 events.
func (b *bench) longer(ctx context.Context) (*longLog, error) {
	var err error
	if b.long == nil {
		b.long, err = b.longLogOf(ctx, 100_000, 0)
	}
	return b.long, err
}

// forget waits until the server has forgotten the ids of the log. A quick run has no time for that.
func (l *longLog) forget(ctx context.Context) error {
	if l.bench.quick {
		return nil
	}
	return rest(ctx, time.Until(l.made.Add(idsRemembered)))
}

// withLog opens the store of a home without a daemon, for a function that gets all events that are there.
func (h *home) withLog(ctx context.Context, fn func(st *embedded.Stream, own []events.Envelope) error) error {
	server, err := embedded.Open(ctx, embedded.Options{Dir: filepath.Join(h.state, "store")})
	if err != nil {
		return err
	}
	var own []events.Envelope
	err = server.Stream().ReadRaw(ctx, 1, 0, func(_ uint64, _ time.Time, env events.Envelope) error {
		own = append(own, env)
		return nil
	})
	if err == nil && len(own) == 0 {
		err = errors.New("nothing was recorded")
	}
	if err == nil {
		err = fn(server.Stream(), own)
	}
	return errors.Join(err, server.Close(ctx))
}

// appendAll appends events in batches.
func appendAll(ctx context.Context, st *embedded.Stream, envs []events.Envelope) error {
	for part := range slices.Chunk(envs, 500) {
		if _, err := st.Append(ctx, part...); err != nil {
			return err
		}
	}
	return nil
}

// resemble is the same session once more, some time ago: other session ids, other event ids, and the references between
// them kept.
func resemble(session []events.Envelope, ago time.Duration) []events.Envelope {
	ids := map[string]string{"": ""} // of events and of sessions
	out := make([]events.Envelope, len(session))
	for i, env := range session {
		env.Time = env.Time.Add(-ago)
		id := wire.NewID(env.Time.UnixMilli())
		ids[env.ID] = id
		env.ID = id
		old := env.Session
		if _, known := ids[old]; !known {
			ids[old] = newSession()
		}
		env.Session = ids[old]
		if old != "" {
			env.Data = bytes.ReplaceAll(env.Data, []byte(old), []byte(env.Session))
		}
		env.Correlation = ids[env.Correlation]
		env.Causation = ids[env.Causation]
		out[i] = env
	}
	return out
}

func (b *bench) verify(ctx context.Context) ([]reading, error) {
	l, err := b.longer(ctx)
	if err != nil {
		return nil, err
	}
	got, err := l.againstDiscard(ctx, b.reps(5), "verify")
	return []reading{got}, err
}

// againstDiscard compares processes of replay with an ordered consumer that discards.
func (l *longLog) againstDiscard(ctx context.Context, n int, verb string) (reading, error) {
	dir := filepath.Join(l.bench.temp, "copy")
	defer os.RemoveAll(dir)
	stream := filepath.Join("jetstream", "$G", "streams", "EVENTS")
	if err := os.CopyFS(filepath.Join(dir, stream), os.DirFS(filepath.Join(l.state, "store", stream))); err != nil {
		return reading{}, err
	}
	r, err := openRaw(ctx, dir, false)
	if err != nil {
		return reading{}, err
	}
	defer r.close()
	p, err := take(1, n, func(int) (time.Duration, error) {
		begin := time.Now()
		err := r.discard(ctx, l.events)
		return time.Since(begin), err
	}, func(int) (time.Duration, error) { return l.run(ctx, "replay", verb) })
	return reading{p.ratio(), fmt.Sprintf("%s against %s, %d events, %d pairs", ms(median(p.b)), ms(median(p.a)), l.events, n)}, err
}

func (b *bench) coldStart(ctx context.Context) ([]reading, error) {
	l, err := b.longer(ctx)
	if err != nil {
		return nil, err
	}
	if err := l.forget(ctx); err != nil {
		return nil, err
	}
	n := b.reps(11)
	took, err := repeat(n, func(int) (time.Duration, error) {
		l.home.session = newSession()
		o, err := l.hook("SessionStart", l.sessionStart()).hook(ctx)
		if err == nil && !strings.Contains(string(o.stdout), "session initialized") && !strings.Contains(string(o.stdout), "Identity restored from") {
			err = fmt.Errorf("after %s the answer is %q", o.wall, o.stdout)
		}
		return o.wall, errors.Join(err, l.stop(ctx))
	})
	return []reading{{inMS(median(took)), fmt.Sprintf("max %s, %d starts, %d events", ms(quantile(took, 1)), n, l.events)}}, err
}

// starts times `hookctl start`, after an exit in order or after kill -9.
func (l *longLog) starts(ctx context.Context, n int, killed bool) (reading, error) {
	took, err := repeat(n, func(int) (time.Duration, error) {
		if killed {
			_, err := l.run(ctx, "hookctl", "start")
			if err = errors.Join(err, l.kill(ctx)); err != nil {
				return 0, err
			}
			if err := until(ctx, 10*time.Second, "the killed daemon", l.gone); err != nil {
				return 0, err
			}
		}
		wall, err := l.run(ctx, "hookctl", "start")
		return wall, errors.Join(err, l.stop(ctx))
	})
	return reading{inMS(median(took)), fmt.Sprintf("`hookctl start`, max %s, %d starts, %d events", ms(quantile(took, 1)), n, l.events)}, err
}

func (b *bench) idle(ctx context.Context) ([]reading, error) {
	l, err := b.longer(ctx)
	if err != nil {
		return nil, err
	}
	return l.usage(ctx)
}

// usage reads what a daemon with nothing to do has and uses: its memory after 10 s, and its processor time in the
// minute after that.
func (l *longLog) usage(ctx context.Context) ([]reading, error) {
	if err := l.forget(ctx); err != nil {
		return nil, err
	}
	if _, err := l.run(ctx, "hookctl", "start"); err != nil {
		return nil, err
	}
	s, err := l.status(ctx)
	if err != nil {
		return nil, err
	}
	if err := rest(ctx, 10*time.Second); err != nil {
		return nil, err
	}
	rss, before, err := processUsage(s.PID)
	if err != nil {
		return nil, err
	}
	span := time.Duration(l.bench.reps(60)) * time.Second
	if err := rest(ctx, span); err != nil {
		return nil, err
	}
	later, after, err := processUsage(s.PID)
	used := after - before
	return []reading{
		{rss, fmt.Sprintf("after 10 s; %.1f MiB after %s more", later, span)},
		{100 * float64(used) / float64(span), fmt.Sprintf("%s of processor time in %s", used, span)},
	}, errors.Join(err, l.stop(ctx))
}

// processUsage reads a process' resident memory in MiB and its processor time from Linux's /proc.
func processUsage(pid int) (rss float64, cpu time.Duration, err error) {
	dir := "/proc/" + strconv.Itoa(pid)
	status, err := os.ReadFile(dir + "/status")
	if err != nil {
		return 0, 0, fmt.Errorf("the use of memory is read from /proc: %w", err)
	}
	stat, err := os.ReadFile(dir + "/stat")
	if err != nil {
		return 0, 0, err
	}
	return parseUsage(string(status), string(stat))
}

func parseUsage(status, stat string) (rss float64, cpu time.Duration, err error) {
	_, line, _ := strings.Cut(status, "\nVmRSS:")
	var kb, user, system int64
	if _, err := fmt.Sscan(line, &kb); err != nil {
		return 0, 0, fmt.Errorf("/proc tells no VmRSS: %w", err)
	}
	fields := strings.Fields(stat[strings.LastIndex(stat, ")")+1:]) // the name before it may hold blanks
	if len(fields) < 13 {
		return 0, 0, fmt.Errorf("/proc tells no times: %q", stat)
	}
	_, err = fmt.Sscan(fields[11]+" "+fields[12], &user, &system) // in 1/100 s on every Linux
	return float64(kb) / 1024, time.Duration(user+system) * 10 * time.Millisecond, err
}

func (b *bench) past(ctx context.Context) ([]reading, error) {
	l, err := b.longer(ctx)
	if err != nil {
		return nil, err
	}
	got, err := l.asked(ctx, b.reps(20), "at", strconv.FormatUint(l.point, 10), "identity", l.session)
	return []reading{got}, err
}

// asked times a question of replay, without the daemon and with it.
func (l *longLog) asked(ctx context.Context, n int, args ...string) (reading, error) {
	ask := func(int) (time.Duration, error) { return l.run(ctx, "replay", args...) }
	alone, err := repeat(n, ask)
	if err != nil {
		return reading{}, err
	}
	if _, err := l.run(ctx, "hookctl", "start"); err != nil {
		return reading{}, err
	}
	took, err := repeat(n, ask)
	note := fmt.Sprintf("p90 %s; without the daemon %s (p90 %s); %d of each, %d events", ms(quantile(took, .9)), ms(median(alone)),
		ms(quantile(alone, .9)), n, l.events)
	return reading{inMS(median(took)), note}, errors.Join(err, l.stop(ctx))
}

// check reads the blocks of the long log as a start after a crash does, every record with its checksum.
func (b *bench) check(ctx context.Context) ([]reading, error) {
	l, err := b.longer(ctx)
	if err != nil {
		return nil, err
	}
	msgs := filepath.Join(l.state, "store", "jetstream", "$G", "streams", "EVENTS", "msgs")
	var size int64
	n := b.reps(11)
	took, err := repeat(n, func(int) (time.Duration, error) {
		begin := time.Now()
		rep, err := block.Check(msgs, block.Options{Stream: "EVENTS", Parallel: 1})
		if err == nil && len(rep.Damage)+len(rep.Holes) > 0 {
			err = fmt.Errorf("the long log is damaged: %+v", rep)
		}
		size = 0
		for _, one := range rep.Blocks {
			size += one.Size
		}
		return time.Since(begin), err
	})
	mb := float64(size) / 1e6
	return []reading{{mb / median(took).Seconds(), fmt.Sprintf("%.0f MB in %s, %d times", mb, ms(median(took)), n)}}, err
}

// million takes every figure of a log of a million events, some years of one person's work.
func (b *bench) million(ctx context.Context) ([]reading, error) {
	l, err := b.longLogOf(ctx, 1_000_000, 0)
	if err != nil {
		return nil, err
	}
	if err := l.forget(ctx); err != nil {
		return nil, err
	}
	before, at := strconv.FormatUint(l.point-300, 10), strconv.FormatUint(l.point, 10)
	var errs [6]error
	var out [6]reading
	out[0], errs[0] = l.starts(ctx, b.reps(5), false)
	out[1], errs[1] = l.starts(ctx, b.reps(5), true)
	out[2], errs[2] = l.asked(ctx, b.reps(11), "at", at, "identity", l.session)
	out[3], errs[3] = l.asked(ctx, b.reps(11), "diff", before, at, "identity")
	out[4], errs[4] = l.againstDiscard(ctx, b.reps(3), "verify")
	out[5], errs[5] = l.againstDiscard(ctx, b.reps(3), "rebuild")
	return out[:], errors.Join(errs[:]...)
}

// sixMillion takes start and memory of a log of six million events of 60,000 sessions.
func (b *bench) sixMillion(ctx context.Context) ([]reading, error) {
	l, err := b.longLogOf(ctx, 6_000_000, 100)
	if err != nil {
		return nil, err
	}
	if err := l.forget(ctx); err != nil {
		return nil, err
	}
	started, err := l.starts(ctx, b.reps(5), false)
	if err != nil {
		return nil, err
	}
	used, err := l.usage(ctx)
	if err != nil {
		return nil, err
	}
	return []reading{started, used[0]}, nil
}
