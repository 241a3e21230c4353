package main

import (
	"fmt"
	"path/filepath"
	"strings"
	"time"

	"hookline/hookctl/index"
)

// questions are searches that people make of the demo's session: words of few events and of most, side by side, within
// limits, and one that finds nothing.
var questions = [][]string{
	{"retries"}, {"fetch", "client"}, {"go", "test"}, {`"cancelled context"`}, {"leaks", "races"}, {"conf*"},
	{"fetch", "--type", "tool.failed"}, {"--file", "client_test.go"}, {"nothing-like-it"},
}

// search takes the figures of `hookctl find` on the log of 100,000 events.
func (b *bench) search() []reading {
	l := b.longer()
	l.run("hookctl", "start")
	defer l.stop()
	first := l.run("hookctl", "find", "retries") // makes the index
	asked := l.finds(b.reps(10))
	asked.note += ", the first, which made the index, took " + first.Round(time.Millisecond).String()
	return []reading{asked, l.findable(b.reps(10)), l.indexSize()}
}

// searched takes the process `find` on a log whose index is made first.
func (l *longLog) searched() reading {
	l.run("hookctl", "start")
	defer l.stop()
	first := l.run("hookctl", "find", "retries")
	r := l.finds(l.reps(5))
	r.note += ", the first, which made the index, took " + first.Round(time.Millisecond).String()
	return r
}

// finds gives the p95 of whole processes over all questions.
func (l *longLog) finds(n int) reading {
	var took []time.Duration
	for _, q := range questions {
		took = append(took, repeat(n, func(int) time.Duration { return l.run("hookctl", append([]string{"find"}, q...)...) })...)
	}
	return reading{inMS(quantile(took, .95)), fmt.Sprintf("median %s, max %s, %d questions %d times each, %d events", ms(median(took)), ms(quantile(took, 1)), len(questions), n, l.events)}
}

// findable is the time from the end of a hook's process until its words are found.
func (l *longLog) findable(n int) reading {
	l.home.session = newSession()
	l.hook("SessionStart", l.sessionStart())
	took := repeat(n, func(round int) time.Duration {
		word := fmt.Sprintf("findable%d", round)
		l.hook("UserPromptSubmit", l.body(payload{HookEventName: "UserPromptSubmit", Prompt: "Look for " + word}))
		begin := time.Now()
		until(l.ctx, 10*time.Second, "a hook's words to be found", func() bool {
			return strings.Contains(string(must(l.program("hookctl", "find", word).run(l.ctx)).stdout), word)
		})
		return time.Since(begin)
	})
	return times(took, "")
}

// indexSize is the index's size over that of the texts that it searches.
func (l *longLog) indexSize() reading {
	x := must(index.Open(l.ctx, filepath.Join(l.state, "find")))
	defer x.Close()
	s := must(x.State(l.ctx))
	return reading{float64(s.File) / float64(s.Bytes), fmt.Sprintf("%.1f of %.1f MB, %d texts of %d bytes on average", float64(s.File)/1e6, float64(s.Bytes)/1e6, s.Docs, s.Bytes/max(1, s.Docs))}
}
