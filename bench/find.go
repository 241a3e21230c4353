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
func (b *bench) search() []float64 {
	l := b.longer()
	l.run("hookctl", "start")
	p95 := l.finds(10)

	l.home.session = newSession()
	l.hook("SessionStart", l.sessionStart())
	found := median(10, func(round int) float64 {
		word := fmt.Sprintf("findable%d", round)
		l.hook("UserPromptSubmit", l.prompt("Look for "+word))
		begin := time.Now()
		for !strings.Contains(l.run("hookctl", "find", word).stdout, word) {
			rest(l.ctx, 5*time.Millisecond)
		}
		return since(begin)
	})

	x := must(index.Open(l.ctx, filepath.Join(l.state, "find")))
	defer x.Close()
	s := must(x.Size(l.ctx))
	return []float64{p95, found, float64(s.File) / float64(s.Text)}
}

// finds makes the index, and returns the p95 of whole processes over all questions in milliseconds.
func (l *longLog) finds(n int) float64 {
	l.run("hookctl", "find", "retries")
	var took []float64
	for range n {
		for _, q := range questions {
			took = append(took, l.run("hookctl", append([]string{"find"}, q...)...).wall)
		}
	}
	return quantile(took, .95)
}
