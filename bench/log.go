package main

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
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
// least n events, and folds all of it.
func (b *bench) longLogOf(n uint64) *longLog {
	l := &longLog{home: b.newHome()}
	l.play()
	for _, id := range l.status().Live { // or thousands would be alive, as in no real log
		l.hook("SessionEnd", fmt.Appendf(nil, `{"session_id":%q,"cwd":%q,"hook_event_name":"SessionEnd","reason":"other"}`, id.ID, l.project))
	}
	l.stop()
	l.withLog(func(st *embedded.Stream, session []events.Envelope) {
		for i := 1; l.events < n; i++ {
			again := resemble(session, time.Duration(i)*time.Minute)
			l.append(st, again)
			l.events, _ = st.Last()
			if l.point == 0 && l.events >= n/2 {
				l.point = l.events
				l.session = again[slices.IndexFunc(again, func(e events.Envelope) bool { return e.Session != "" })].Session
			}
		}
		check(st.Sync(b.ctx, l.events))
	})
	l.run("replay", "rebuild")
	l.made = time.Now()
	return l
}

// longer returns the log of 100,000 events.
func (b *bench) longer() *longLog {
	if b.long == nil {
		b.long = b.longLogOf(100_000)
	}
	return b.long
}

// forget waits until the server has forgotten the ids of the log.
func (l *longLog) forget() { rest(l.ctx, time.Until(l.made.Add(idsRemembered))) }

// withLog opens the store of a home without a daemon, for a function that gets all events that are there.
func (h *home) withLog(fn func(st *embedded.Stream, own []events.Envelope)) {
	server := must(embedded.Open(h.ctx, embedded.Options{Dir: filepath.Join(h.state, "store")}))
	defer func() { check(server.Close(h.ctx)) }()
	var own []events.Envelope
	check(server.Stream().ReadRaw(h.ctx, 1, 0, func(r events.Record) error {
		own = append(own, r.Envelope)
		return nil
	}))
	fn(server.Stream(), own)
}

// append adds events in batches.
func (h *home) append(st *embedded.Stream, envs []events.Envelope) {
	for part := range slices.Chunk(envs, 500) {
		must(st.Append(h.ctx, part...))
	}
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

func (b *bench) verify() []float64 {
	return []float64{b.longer().againstDiscard(5, "verify")}
}

// againstDiscard compares processes of replay with an ordered consumer that discards, on a copy of the log.
func (l *longLog) againstDiscard(n int, verb string) float64 {
	dir := filepath.Join(l.temp, "copy")
	defer os.RemoveAll(dir)
	stream := filepath.Join("jetstream", "$G", "streams", "EVENTS")
	check(os.CopyFS(filepath.Join(dir, stream), os.DirFS(filepath.Join(l.state, "store", stream))))
	r := openRaw(l.ctx, dir, false)
	defer r.close()
	return take(1, n, func() time.Duration {
		begin := time.Now()
		check(r.discard(l.ctx, l.events))
		return time.Since(begin)
	}, func() time.Duration { return l.run("replay", verb).wall }).ratio()
}

func (b *bench) coldStart() []float64 {
	l := b.longer()
	l.forget()
	took := repeat(11, func(int) time.Duration {
		l.home.session = newSession()
		o := l.hook("SessionStart", l.sessionStart())
		if !strings.Contains(string(o.stdout), "session initialized") && !strings.Contains(string(o.stdout), "Identity restored from") {
			check(fmt.Errorf("after %s the answer is %q", o.wall, o.stdout))
		}
		l.stop()
		return o.wall
	})
	return []float64{ms(took, .5)}
}

// starts times `hookctl start`, after an exit in order or after kill -9.
func (l *longLog) starts(killed bool) float64 {
	return ms(repeat(5, func(int) time.Duration {
		if killed {
			l.run("hookctl", "start")
			l.kill()
			l.until("the killed daemon", l.gone)
		}
		wall := l.run("hookctl", "start").wall
		l.stop()
		return wall
	}), .5)
}

func (b *bench) idle() []float64 { return b.longer().usage() }

// usage reads what a daemon with nothing to do has and uses: its memory after 10 s, and its processor time in the
// minute after that.
func (l *longLog) usage() []float64 {
	l.forget()
	l.run("hookctl", "start")
	defer l.stop()
	pid := l.status().PID
	rest(l.ctx, 10*time.Second)
	rss, before := processUsage(pid)
	rest(l.ctx, time.Minute)
	_, after := processUsage(pid)
	return []float64{rss, 100 * float64(after-before) / float64(time.Minute)}
}

// processUsage reads a process' resident memory in MiB and its processor time from Linux's /proc.
func processUsage(pid int) (rss float64, cpu time.Duration) {
	dir := "/proc/" + strconv.Itoa(pid)
	return parseUsage(string(must(os.ReadFile(dir+"/status"))), string(must(os.ReadFile(dir+"/stat"))))
}

func parseUsage(status, stat string) (rss float64, cpu time.Duration) {
	_, line, _ := strings.Cut(status, "\nVmRSS:")
	fields := strings.Fields(stat[strings.LastIndex(stat, ")")+1:]) // the name before it may hold blanks
	var kb, user, system int64
	must(fmt.Sscan(line, &kb))
	must(fmt.Sscan(strings.Join(fields[11:13], " "), &user, &system)) // in 1/100 s on every Linux
	return float64(kb) / 1024, time.Duration(user+system) * 10 * time.Millisecond
}

// past times the question for a state of the middle of the long log.
func (b *bench) past() []float64 {
	l := b.longer()
	l.run("hookctl", "start")
	defer l.stop()
	return []float64{l.asked(20, "at", strconv.FormatUint(l.point, 10), "identity", l.session)}
}

// asked times a question of replay.
func (l *longLog) asked(n int, args ...string) float64 {
	return ms(repeat(n, func(int) time.Duration { return l.run("replay", args...).wall }), .5)
}

// blocks reads the long log as a start after a crash does, every record with its checksum.
func (b *bench) blocks() []float64 {
	l := b.longer()
	msgs := filepath.Join(l.state, "store", "jetstream", "$G", "streams", "EVENTS", "msgs")
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(1))
	var rep block.Report
	took := repeat(11, func(int) time.Duration {
		begin := time.Now()
		rep = must(block.Check(msgs, block.Options{Stream: "EVENTS"}))
		return time.Since(begin)
	})
	if !rep.Sound() {
		check(fmt.Errorf("the long log is damaged: %+v", rep))
	}
	var size int64
	for _, one := range rep.Blocks {
		size += one.Size
	}
	return []float64{float64(size) / 1e6 / quantile(took, .5).Seconds()}
}

// million takes every figure of a log of a million events, some years of one person's work.
func (b *bench) million() []float64 {
	l := b.longLogOf(1_000_000)
	l.forget()
	before, at := strconv.FormatUint(l.point-300, 10), strconv.FormatUint(l.point, 10)
	starts := []float64{l.starts(false), l.starts(true)}
	l.run("hookctl", "start")
	asked := []float64{l.finds(5), l.asked(11, "at", at, "identity", l.session), l.asked(11, "diff", before, at, "identity")}
	l.stop()
	return slices.Concat(starts, asked, []float64{l.againstDiscard(3, "verify"), l.againstDiscard(3, "rebuild")})
}

// sixMillion takes start and memory of a log of six million events.
func (b *bench) sixMillion() []float64 {
	l := b.longLogOf(6_000_000)
	l.forget()
	return []float64{l.starts(false), l.usage()[0]}
}
