package main

import (
	"fmt"
	"slices"
	"strings"

	"hookline/events"
	"hookline/events/wording"
)

// row is how many things there were to know, and how many of them were told: by us, by the client's summary, by one of
// them.
type row struct{ of, told, sum, by int }

// The measures, in the order of the table.
const (
	rowEdited = iota
	rowTouched
	rowCommands
	rowGoal
	rowTask
	rowPrompt
	rowTodos
	rowErrors
	rowTargets
	rowSeen
	rowStartup
	rows
)

// measures are the names of the rows with their goals.
var measures = [rows]struct{ name, goal string }{
	rowEdited:   {"edited files named", "100 %"},
	rowTouched:  {"files touched again, known before", "≥ 99 %"},
	rowCommands: {"commands run again, with their last status", "≥ 85 %"},
	rowGoal:     {"goal", "100 %"},
	rowTask:     {"current task", "100 %"},
	rowPrompt:   {"last prompt", "100 %"},
	rowTodos:    {"pending items", "100 %"},
	rowErrors:   {"open errors whose command is run again", "≥ 95 %"},
	rowTargets:  {"calls between compaction and first edit whose target was named", "≥ 60 %"},
	rowSeen:     {"files opened later, never before, seen in some output", "–"},
	rowStartup:  {"startup: files touched again, from earlier sessions", "≥ 85 %"},
}

// score is the sum over all compactions.
type score struct {
	rows        [rows]row
	tokens      []int
	lacks       []int // tokens without those of seen
	seen        []int // tokens of the files that outputs named
	summaries   []int
	startTokens []int
	allStarts   []int // tokens at every start
	missed      []string

	truths   [truths]truth
	told     int // tokens at all points
	toldSeen int // of them, those of files that outputs named
}

// add adds what another project came to.
func (s *score) add(other score) {
	for i, r := range other.rows {
		was := &s.rows[i]
		was.of += r.of
		was.told += r.told
		was.sum += r.sum
		was.by += r.by
	}
	s.tokens = append(s.tokens, other.tokens...)
	s.lacks = append(s.lacks, other.lacks...)
	s.seen = append(s.seen, other.seen...)
	s.summaries = append(s.summaries, other.summaries...)
	s.startTokens = append(s.startTokens, other.startTokens...)
	s.allStarts = append(s.allStarts, other.allStarts...)
	s.told += other.told
	s.toldSeen += other.toldSeen
	for i, t := range other.truths {
		s.truths[i].of += t.of
		s.truths[i].right += t.right
		s.truths[i].doubtful += t.doubtful
	}
	s.missed = append(s.missed, other.missed...)
}

// back names what was not told with the paths as they were recorded.
func (s *score) back(p project) {
	for i, line := range s.missed {
		s.missed[i] = p.sessions[0].back(line)
	}
}

// point is one compaction, or a start, with what the model has been given.
type point struct {
	session string
	counted map[string]bool // what [score.once] has counted
	told    text
	summary text
}

// count adds one thing that could be known.
func (s *score) count(n int, p point, what string, known func(text) bool) {
	r := &s.rows[n]
	told, sum := known(p.told), known(p.summary)
	r.of++
	if told {
		r.told++
	}
	if sum {
		r.sum++
	}
	if told || sum {
		r.by++
		return
	}
	s.missed = append(s.missed, fmt.Sprintf("%s  not told: %s: %s", p.session[:min(8, len(p.session))], measures[n].name, wording.Chars(wording.Flat(what), 80)))
}

// once counts a thing where it comes first.
func (s *score) once(n int, p point, what string, known func(text) bool) {
	key := fmt.Sprint(n, what)
	if !p.counted[key] {
		p.counted[key] = true
		s.count(n, p, what, known)
	}
}

// judge adds a session: each of its compactions, and its start where sessions of its project came before. The points
// at which a compaction was only asked about go to between.
func (s *score) judge(one *session, sessions []*session, between *score) {
	p := newPast(one.root)
	summary := ""
	for i, st := range one.steps {
		switch e := st.event.(type) {
		case *events.SubagentStopped:
			if e.AgentType == "" {
				summary = e.LastAssistantMessage
			}
		case *events.SessionStarted:
			s.truthOf(sessions, momentOf(sessions, one, i, kindOf(st), st.told))
			if e.Source != "compact" {
				s.allStarts = append(s.allStarts, tokens(st.told))
				s.start(one, sessions, i)
				break
			}
			s.compaction(one, p, i, st.told, summary)
			summary = ""
		}
		p.take(st.event)
		if st.asked != "" {
			between.compaction(one, p, i, st.asked, "")
			between.truthOf(sessions, momentOf(sessions, one, i, "between", st.asked))
		}
	}
}

// tokens is the estimate of the budgets: bytes / 3.5, rounded up.
func tokens(text string) int { return (2*len(text) + 6) / 7 }

// compaction judges one: everything up to it is known, everything up to the next one is what could be known.
func (s *score) compaction(one *session, p *past, at int, told, summary string) {
	s.tokens = append(s.tokens, tokens(told))
	lacks, _, _ := strings.Cut(told, "\nSeen, not opened: ")
	s.lacks = append(s.lacks, tokens(lacks))
	s.seen = append(s.seen, tokens(told)-tokens(lacks))
	if summary != "" {
		s.summaries = append(s.summaries, tokens(summary))
	}
	pt := point{session: one.id, counted: map[string]bool{}, told: textOf(one.root, told), summary: textOf(one.root, summary)}

	gone := one.steps[at].gone
	for _, file := range sorted(p.edited) {
		if gone[file] {
			continue
		}
		s.count(rowEdited, pt, file, func(t text) bool { return t.names(file) })
	}
	for i, what := range []string{p.goal, p.task, p.prompt} {
		n := rowGoal + i
		if n == rowGoal && p.perhaps {
			continue
		}
		if what != "" {
			s.count(n, pt, what, func(t text) bool { return t.says(what, 60) })
		}
	}
	for _, todo := range p.todos {
		s.count(rowTodos, pt, todo, func(t text) bool { return t.says(todo, 40) })
	}
	s.after(one, p, at, pt)
}

// after judges what the session works with between a compaction and the next one.
func (s *score) after(one *session, p *past, at int, pt point) {
	var calls []call
	for _, st := range one.steps[at+1:] {
		if _, next := st.event.(*events.CompactionStarted); next {
			break
		}
		if e, ok := st.event.(*events.ToolRequested); ok && e.AgentID == "" {
			calls = append(calls, callOf(one.root, e.ToolName, e.ToolInput))
		}
	}
	first := slices.IndexFunc(calls, func(c call) bool { return edits[c.tool] })
	for i, c := range calls {
		if i < first && c.file+c.command != "" {
			s.count(rowTargets, pt, c.tool+" "+c.file+c.command, func(t text) bool { return t.knows(c) })
		}
		s.call(p, pt, c)
	}
}

// call judges one call of the time after a compaction, each thing once.
func (s *score) call(p *past, pt point, c call) {
	named := func(t text) bool { return t.names(c.file) }
	switch opened := edits[c.tool] || c.tool == "Read"; {
	case opened && p.touched[c.file]:
		s.once(rowTouched, pt, c.file, named)
	case c.tool == "Read" && p.saw(c.file):
		s.once(rowSeen, pt, c.file, named)
	}
	if ok, ran := p.commands[c.command]; ran {
		s.once(rowCommands, pt, c.command, func(t text) bool { return t.ran(c.command, ok) })
		if !ok {
			s.once(rowErrors, pt, c.command, func(t text) bool { return t.failure(c.command) })
		}
	}
}

// saw reports whether a path stood in some output.
func (p *past) saw(path string) bool {
	return slices.ContainsFunc(p.outputs, func(out text) bool { return out.names(path) })
}

// start judges the start of a session: what it touches of the files that earlier sessions of its project touched.
func (s *score) start(one *session, sessions []*session, at int) {
	earlier := newPast(one.root)
	for _, b := range sessions {
		if b == one || b.root != one.root {
			continue
		}
		for _, st := range b.steps {
			if st.time.Before(one.steps[at].time) {
				earlier.take(st.event)
			}
		}
	}
	if len(earlier.touched) == 0 {
		return
	}
	told := one.steps[at].told
	s.startTokens = append(s.startTokens, tokens(told))
	pt := point{session: one.id, told: textOf(one.root, told)}
	now := newPast(one.root)
	for _, st := range one.steps[at+1:] {
		now.take(st.event)
	}
	for _, file := range sorted(now.touched) {
		if earlier.touched[file] && !one.steps[at].gone[file] {
			s.count(rowStartup, pt, file, func(t text) bool { return t.names(file) })
		}
	}
}

// table is the outcome, for docs/benchmarks.md: what we tell without a summary, the summary, what we tell beside one.
func table(alone, beside score) string {
	b := "| measure | judged | told alone | client's summary | told beside it | both | goal |\n|---|---|---|---|---|---|---|\n"
	for n, m := range measures {
		a, r := alone.rows[n], beside.rows[n]
		b += fmt.Sprintf("| %s | %d | %s | %s | %s | %s | %s |\n", m.name, r.of, share(a.told, a.of), share(r.sum, r.of), share(r.told, r.of), share(r.by, r.of), m.goal)
	}
	spent := func(name string, alone, summary, beside []int, goal string) {
		b += fmt.Sprintf("| %s | %d | %s | %s | %s | | %s |\n", name, len(beside), spread(alone), spread(summary), spread(beside), goal)
	}
	spent("tokens at a compaction, mean (most)", alone.tokens, beside.summaries, beside.tokens, "alone ≤ 500 (≤ 800)")
	spent("… of them for what the summary lacks", alone.lacks, nil, beside.lacks, "beside ≤ 350")
	spent("… of them for files seen in some output", alone.seen, nil, beside.seen, "≤ 200 further")
	spent("tokens at such a start, mean (most)", alone.startTokens, nil, beside.startTokens, "≤ 1,000")
	return b
}

func share(n, of int) string {
	if of == 0 {
		return "–"
	}
	return fmt.Sprintf("%.0f %%", 100*float64(n)/float64(of))
}

func spread(list []int) string {
	if len(list) == 0 {
		return "–"
	}
	sum := 0
	for _, n := range list {
		sum += n
	}
	return fmt.Sprintf("%d (%d)", sum/len(list), slices.Max(list))
}
