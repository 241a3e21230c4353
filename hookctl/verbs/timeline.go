package verbs

import (
	"fmt"
	"strings"
	"time"

	"hookline/events"
	"hookline/hookctl/cmdline"
	"hookline/projector/session"
)

// timeline is what happened in a session: its steps in the order of the log.
type timeline struct {
	steps []step
}

// step is a prompt, or something else that a person would tell of a session, with what came of it.
type step struct {
	at      time.Time
	words   string
	tone    string // as in facts.txt
	tools   map[string]int
	failed  int
	blocked int
}

// take adds one event.
func (t *timeline) take(r events.Record) {
	switch e := r.Event.(type) {
	case *events.SessionStarted:
		t.add(r, "faint", join(", ", "started", e.Source, e.Model))
	case *events.PromptSubmitted:
		t.add(r, "plain", e.Headline())
	case *events.CompactionFinished:
		t.add(r, "warn", join(", ", "context compacted", e.Trigger))
	case *events.TurnFailed:
		t.add(r, "bad", "API error: "+join(" — ", e.Error, e.ErrorDetails))
	case *events.SessionEnded:
		t.add(r, "faint", "ended, "+strings.ReplaceAll(e.Reason, "_", " "))
	case *events.SessionReaped:
		t.add(r, "warn", "ended without saying so, "+strings.ReplaceAll(e.Reason, "_", " "))
	case *events.ToolRequested:
		s := t.newest(r)
		s.tools[cmdline.OneLine(e.ToolName)]++
	case *events.ToolFailed:
		t.newest(r).failed++
	case *events.GateBlocked:
		t.newest(r).blocked++
	}
}

func (t *timeline) add(r events.Record, tone, words string) {
	t.steps = append(t.steps, step{at: r.Time, words: cmdline.OneLine(words), tone: tone, tools: map[string]int{}})
}

// newest is the step that an event belongs to; the recorder may have come when the session ran already.
func (t *timeline) newest(r events.Record) *step {
	if len(t.steps) == 0 {
		t.add(r, "faint", "recorded from here on")
	}
	return &t.steps[len(t.steps)-1]
}

// printTimeline prints the last steps and how the session stands or ended.
func (a *app) printTimeline(s session.State, t timeline, last count) {
	steps := t.steps
	if last != allOf && len(steps) > int(last) {
		steps = steps[len(steps)-int(last):]
	}
	a.Printf("\n")
	if earlier := len(t.steps) - len(steps); earlier > 0 {
		a.Printf("%s\n", a.Paint.Faint(fmt.Sprintf("  %s before, -n all shows them", cmdline.Plural(earlier, "step"))))
	}

	var before time.Time
	for _, step := range steps {
		if d := a.day(before, step.at); d != "" {
			a.Printf("%s\n", a.Paint.Faint(d))
		}
		before = step.at
		words := step.words
		if a.Columns > 0 {
			words = cmdline.Fit(words, max(10, a.Columns-len("  15:04:05  ")))
		}
		a.Printf("  %s  %s\n", a.Paint.Faint(step.at.In(a.Zone).Format(time.TimeOnly)), a.Paint.Toned(step.tone, words))
		if line := a.cameOf(step); line != "" {
			a.Printf("            %s\n", line)
		}
	}
	if s.Status == session.Live {
		a.Printf("\n  it is live: %s\n", a.standing(s))
		return
	}
	a.Printf("\n  %s\n", a.standing(s))
}

// cameOf is what came of a step: "Bash 3, Edit 1, 1 failed".
func (a *app) cameOf(s step) string {
	parts := []string{a.Paint.Faint(counts(s.tools))}
	if s.failed > 0 {
		parts = append(parts, a.Paint.Bad(fmt.Sprintf("%d failed", s.failed)))
	}
	if s.blocked > 0 {
		parts = append(parts, a.Paint.Warn(fmt.Sprintf("%d blocked by gates", s.blocked)))
	}
	return join(", ", parts...)
}
