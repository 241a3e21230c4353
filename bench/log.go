package main

import (
	"bytes"
	"cmp"
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

// longLog is a home with a long log and no daemon.
type longLog struct {
	*home
	events  uint64
	point   uint64 // sequence of an event in the middle
	session string // the session of that event
}

// perSession is how many events a session of a long log has, on average.
const perSession = 100

// longLogOf plays the session, appends what was recorded again and again under other session ids until there are at
// least n events, and folds all of it. Some of the sessions are resumed, so that there is one for [perSession] events.
func (b *bench) longLogOf(n uint64) *longLog {
	l := &longLog{home: b.newHome()}
	l.play()
	for _, id := range l.status().Live { // or thousands would be alive, as in no real log
		l.hook("SessionEnd", fmt.Appendf(nil, `{"session_id":%q,"cwd":%q,"hook_event_name":"SessionEnd","reason":"other"}`, id.ID, l.project))
	}
	l.stop()
	l.withLog(func(st *embedded.Stream, session []events.Envelope) {
		ids, sessions := map[string]string{}, 0
		for i := 1; l.events < n; i++ {
			if uint64(sessions*perSession) <= l.events {
				ids = map[string]string{"": ""}
			}
			sessions -= len(ids)
			again := resemble(session, ids, time.Duration(i)*time.Minute)
			sessions += len(ids)
			l.append(st, again)
			l.events, _ = st.Last()
			if l.events <= n/2 {
				l.point = l.events
				l.session = again[slices.IndexFunc(again, func(e events.Envelope) bool { return e.Session != "" })].Session
			}
		}
		check(st.Sync(b.ctx, l.events))
	})
	l.run("replay", "rebuild")
	rest(b.ctx, 2*time.Minute) // as long as the server remembers ids: a start in that time loads all of them, as on no real day
	return l
}

// longer returns the log of 100,000 events.
func (b *bench) longer() *longLog {
	if b.long == nil {
		b.long = b.longLogOf(100_000)
	}
	return b.long
}

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

// resemble is the same session once more, some time ago: other event ids, the references between them kept, and the
// session ids that are given by the old ones, or new ones, which are added.
func resemble(session []events.Envelope, sessions map[string]string, ago time.Duration) []events.Envelope {
	ids := map[string]string{} // of events
	out := slices.Clone(session)
	for i, env := range session {
		old := env.Session
		if _, known := sessions[old]; !known {
			sessions[old] = newSession()
		}
		again := &out[i]
		again.Time = env.Time.Add(-ago)
		again.ID = wire.NewID(again.Time.UnixMilli())
		ids[env.ID] = again.ID
		again.Session = sessions[old]
		again.Correlation = cmp.Or(ids[env.Correlation], sessions[env.Correlation])
		again.Causation = ids[env.Causation]
		if old != "" {
			again.Data = bytes.ReplaceAll(env.Data, []byte(old), []byte(again.Session))
		}
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
	return ratio(n, func(int) float64 { return r.discard(l.ctx, l.events) }, func(int) float64 { return l.run("replay", verb).wall })
}

func (b *bench) coldStart() []float64 {
	l := b.longer()
	return []float64{median(11, func(int) float64 {
		l.home.session = newSession()
		o := l.hook("SessionStart", l.sessionStart())
		l.stop()
		return o.says("dentity").wall
	})}
}

// starts times `hookctl start`, after an exit in order or after kill -9.
func (l *longLog) starts(killed bool) float64 {
	return median(5, func(int) float64 {
		if killed {
			l.run("hookctl", "start")
			l.kill()
		}
		wall := l.run("hookctl", "start").wall
		l.stop()
		return wall
	})
}

func (b *bench) idle() []float64 { return b.longer().usage() }

// usage reads what a daemon with nothing to do has and uses: its memory after 20 s, when it has given back what its start
// read, and its processor time in the minute after that.
func (l *longLog) usage() []float64 {
	l.run("hookctl", "start")
	pid := l.status().PID
	rest(l.ctx, 20*time.Second)
	rss, before := processUsage(pid)
	rest(l.ctx, time.Minute)
	_, after := processUsage(pid)
	return []float64{rss, (after - before) / 60 * 100}
}

// processUsage reads a process' resident memory in MiB and its processor time in seconds from Linux's /proc. Its name
// has no blanks.
func processUsage(pid int) (rss, cpu float64) {
	fields := strings.Fields(string(must(os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid)))))
	number := func(i int) float64 { return must(strconv.ParseFloat(fields[i], 64)) }
	return number(23) * float64(os.Getpagesize()) / (1 << 20), (number(13) + number(14)) / 100
}

// past times the question for a state of the middle of the long log.
func (b *bench) past() []float64 {
	l := b.longer()
	l.run("hookctl", "start")
	return []float64{l.asked(20, "at", strconv.FormatUint(l.point, 10), "identity", l.session)}
}

// asked times a question of replay.
func (l *longLog) asked(n int, args ...string) float64 {
	return median(n, func(int) float64 { return l.run("replay", args...).wall })
}

// blocks reads the long log as a start after a crash does, every record with its checksum.
func (b *bench) blocks() []float64 {
	l := b.longer()
	msgs := filepath.Join(l.state, "store", "jetstream", "$G", "streams", "EVENTS", "msgs")
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(1))
	var rep block.Report
	took := median(11, func(int) float64 {
		begin := time.Now()
		rep = must(block.Check(msgs, block.Options{Stream: "EVENTS"}))
		return since(begin)
	})
	if !rep.Sound() {
		check(fmt.Errorf("the long log is damaged: %+v", rep))
	}
	var size int64
	for _, one := range rep.Blocks {
		size += one.Size
	}
	return []float64{float64(size) / 1000 / took}
}

// million takes every figure of a log of a million events, some years of one person's work.
func (b *bench) million() []float64 {
	l := b.longLogOf(1_000_000)
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
	return []float64{l.starts(false), l.usage()[0]}
}
