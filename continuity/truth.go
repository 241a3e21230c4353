package main

import (
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"hookline/events/wording"
)

// The rows of truth, in the order of their table. The transcript is the witness of each.
const (
	truthFailed = iota
	truthPassed
	truthCounts
	truthOpen
	truthPaths
	truthSeen
	truthGoals
	truthSession
	truthRanAgain
	truthOpened
	truths
)

// truthMeasures are the names of the rows with their goals.
var truthMeasures = [truths]struct{ name, goal string }{
	truthFailed:   {"told outcome of checks that failed", "≥ 98 %"},
	truthPassed:   {"told outcome of checks that passed", "≥ 98 %"},
	truthCounts:   {"told counts of checks", "100 %"},
	truthOpen:     {"told as not mended", "≥ 90 %"},
	truthPaths:    {"told paths that exist", "100 %"},
	truthSeen:     {"… of them those seen in some output", "100 %"},
	truthGoals:    {"told goals and tasks that are not done", "100 %"},
	truthSession:  {"right session at a start", "100 %"},
	truthRanAgain: {"told commands that are run again", "≥ 40 %"},
	truthOpened:   {"told seen paths that are opened", "≥ 25 %"},
}

// truth is how many told things were judged, and how many of them are true. Those of which the transcript does not plainly
// say it are apart.
type truth struct{ of, right, doubtful int }

// verdict is what the transcript says of something that was told.
type verdict int

const (
	doubted verdict = iota
	right
	wrong
)

// verdictOf is right or wrong.
func verdictOf(holds bool) verdict {
	if holds {
		return right
	}
	return wrong
}

// moment is one point at which a session was told something, as the rows of truth judge it.
type moment struct {
	session *session
	at      int    // the step
	raw     string // what was told
	told    text   // the same with whole paths
	kind    string
	paths   map[string]path
	source  *history // of the session whose work is told, up to the moment; nil where none is
	later   *history // of the session itself, as far as it goes, from the moment on
}

// truthOf judges what was told at a moment.
func (s *score) truthOf(all []*session, m moment) {
	for line := range strings.SplitSeq(m.raw, "\n") {
		s.told += tokens(line)
		if strings.HasPrefix(line, "Seen, not opened: ") {
			s.toldSeen += tokens(line)
		}
	}
	items := itemsOf(m.session.root, m.told, m.raw)
	if m.kind != "between" && m.kind != "compaction" {
		v, what := rightSession(all, m)
		s.judged(truthSession, m, what, v)
	}
	s.pathsTrue(m, items)
	if m.source == nil {
		return
	}
	for _, it := range items {
		switch it.kind {
		case "ran":
			s.ranTrue(m, it)
		case "open":
			if c := m.source.newest(it.command); c != nil && readOutcome(c.command, c.output, c.failed) == failed {
				s.judged(truthFailed, m, it.text, right)
			}
			s.judged(truthOpen, m, it.text, m.source.stillOpen(it))
		case "goal":
			s.judged(truthGoals, m, it.text, m.source.notDone(it.text))
		}
	}
	s.usedLater(m, items)
}

// momentOf returns a moment of a session; of a start the work that is told is that of the session which it names.
func momentOf(all []*session, s *session, at int, kind, raw string) moment {
	m := moment{session: s, at: at, raw: raw, told: toldOf(s.root, raw), kind: kind, paths: s.steps[at].paths}
	m.later = historyOf(s, len(s.steps)).after(at)
	if kind == "compaction" || kind == "between" {
		m.source = historyOf(s, at+1)
		return m
	}
	found := toldFrom.FindStringSubmatch(raw)
	if found == nil {
		return m
	}
	for _, other := range all {
		if strings.HasPrefix(other.id, found[1]) {
			to := slices.IndexFunc(other.steps, func(st step) bool { return !st.time.Before(s.steps[at].time) })
			if to < 0 {
				to = len(other.steps)
			}
			m.source = historyOf(other, to)
		}
	}
	return m
}

// judged counts one told thing.
func (s *score) judged(n int, m moment, what string, v verdict) {
	r := &s.truths[n]
	if v == doubted {
		r.doubtful++
		s.note(n, m, "doubtful", what)
		return
	}
	r.of++
	if v == right {
		r.right++
		return
	}
	s.note(n, m, "false", what)
}

// note names a told thing that is not true, or doubtful, with its place.
func (s *score) note(n int, m moment, verdict, what string) {
	st := m.session.steps[m.at]
	line := fmt.Sprintf("%s %s:%d  %s: %s: %s", m.kind, st.file, st.line, verdict, truthMeasures[n].name, wording.Chars(wording.Flat(what), 160))
	s.missed = append(s.missed, line)
}

// pathsTrue judges the told paths by the disk as it was.
func (s *score) pathsTrue(m moment, items []item) {
	for _, it := range items {
		for _, name := range it.paths {
			v := doubted
			switch m.paths[name] {
			case present:
				v = right
			case absent:
				v = wrong
			}
			s.judged(truthPaths, m, name, v)
			if it.kind == "seen" {
				s.judged(truthSeen, m, name, v)
			}
		}
	}
}

// ranTrue judges the told outcome of a check and its counts.
func (s *score) ranTrue(m moment, it item) {
	c := m.source.newest(it.command)
	if c == nil {
		return // a subagent's, or of a session before: the disk and the client have no other witness
	}
	is := readOutcome(c.command, c.output, c.failed)
	row := truthPassed
	if is == failed {
		row = truthFailed
	}
	checks := 0
	for _, one := range simples(c.command, "/") {
		if isCheck(one) {
			checks++
		}
	}
	part := checks > 1 && bare(c.line) != bare(it.command)
	switch {
	case checks == 0:
	case part && is == failed: // perhaps the other one
		s.judged(row, m, it.text, doubted)
	case is == unclear, it.outcome == "", c.agent: // of a run by a subagent the session may not be told
		s.judged(row, m, it.text, doubted)
	default:
		s.judged(row, m, it.text, verdictOf(it.outcome == is.String()))
	}

	have, counted := readCounts(c.output)
	said, says := readCounts(it.result)
	if says {
		v := doubted
		if counted && !c.agent {
			v = verdictOf(have == said)
		}
		s.judged(truthCounts, m, it.text+" ("+it.result+")", v)
	}
}

// looksAt are programs that only look: nothing is to be mended where they fail.
var looksAt = strings.Fields("ls cat head tail which find grep rg test [ stat file pwd type wc tree lsof ps pgrep command echo curl")

// stillOpen says whether something that is told as not mended was open: it failed, and nothing after it mended it.
func (h *history) stillOpen(it item) verdict {
	if it.file != "" {
		return h.editStillOpen(it.file)
	}
	var last *ran
	for _, c := range h.calls {
		if c.has(it.command) && c.ended && (c.failed || readOutcome(c.command, c.output, c.failed) == failed) {
			last = c
		}
	}
	if last == nil {
		return doubted // what it says is not of this session, or not a command's
	}
	program, _, _ := strings.Cut(last.call.command, " ")
	if slices.Contains(looksAt, program) {
		return wrong
	}

	v := right
	was := aimOf(last.command)
	for _, c := range h.calls {
		if c.begun <= last.begun || !c.ended || c.line == "" {
			continue
		}
		now := aimOf(c.command)
		unlimited := was.limited || !now.limited
		same := c.call.command == last.call.command || c.has(it.command) && unlimited
		whole := same || now.covers(was) && unlimited
		part := was.covers(now) || now.covers(was)
		if !whole && !part {
			continue
		}
		switch is := readAny(c); {
		case is == passed && whole && !c.agent:
			return wrong
		case is == passed, is == unclear:
			v = doubted // another part of it, or nobody knows
		}
	}
	return v
}

// readAny reads a command that may be no check: then the client's word counts, where it is that command's.
func readAny(c *ran) reading {
	list := simples(c.command, "/")
	switch {
	case slices.ContainsFunc(list, isCheck):
		return readOutcome(c.command, c.output, c.failed)
	case c.failed:
		return failed
	case slices.ContainsFunc(list, func(s simple) bool { return s.piped || !s.sure }):
		return unclear
	}
	return passed
}

// editStillOpen says whether an edit that failed was not made up for by another one of the file.
func (h *history) editStillOpen(file string) verdict {
	v := doubted // no such failure
	for _, c := range h.calls {
		if !edits[c.tool] || c.file != file || !c.ended {
			continue
		}
		if v = wrong; c.failed {
			v = right
		}
	}
	return v
}

// doneWords are how an agent says that it has done what was asked.
var doneWords = regexp.MustCompile(`(?i)\b(done|complete[ds]?|finished|committed|pushed|merged|implemented|shipped|fixed|all (tests|checks) pass|successfully|fertig|erledigt|abgeschlossen|listo|hecho|terminé)\b|完了|完成`)

// carriedOut are commands that end work.
var carriedOut = regexp.MustCompile(`\bgit (commit|push|merge)\b|\bgh pr merge\b|\bgh release create\b`)

// notDone says whether a told goal or task was not done: nothing of the session, after its prompt, shows it and says it.
func (h *history) notDone(told string) verdict {
	begin := strings.TrimSuffix(strings.TrimSpace(told), "…")
	begin = wording.Chars(begin, 40)
	asked, newest := -1, -1
	for i, p := range h.prompts() {
		if strings.Contains(plain(wording.Flat(p.text)), plain(begin)) {
			asked = i
		}
		newest = i
	}
	if asked < 0 {
		return doubted
	}
	if asked < newest && !h.session.onlyGoesOn(h.prompts()[asked+1:]) {
		return right // the session went on with something else: what of it is open nobody can say plainly
	}
	from := h.prompts()[asked].step

	lastEdit, ended := -1, -1
	for _, c := range h.calls {
		if c.end <= from || !c.ended || c.failed {
			continue
		}
		if edits[c.tool] {
			lastEdit = c.end
		}
		if carriedOut.MatchString(c.line) {
			ended = c.end
		}
	}
	said, saidAt := h.lastWords()
	shown := ended > lastEdit
	says := saidAt > max(from, lastEdit) && doneWords.MatchString(said)
	switch {
	case shown && says && !strings.Contains(told, "?"):
		return wrong
	case shown:
		return doubted
	}
	return right
}

// item is one thing that was told.
type item struct {
	kind    string // ran, open, goal, seen, paths
	line    string // all of its line
	text    string
	command string // of ran and open
	outcome string // of ran: passed, failed, "" for unknown
	result  string // behind it
	file    string // of open: an edit's
	paths   []string
}

// Forms of what is told.
var (
	goalLine  = regexp.MustCompile(`^(Goal|Current task): (.*)$`)
	ranEntry  = regexp.MustCompile("(``?)\\s?(.+?)\\s?(``?) \\((ok|failed|unknown|outcome unknown|not known)((?:[^()]|\\([^()]*\\))*)\\)")
	openTitle = regexp.MustCompile(`^Not mended(, too)?: `)
	openEdit  = regexp.MustCompile(`^(?:Edit|MultiEdit|Write|NotebookEdit) of (\S+) ended`)
	openCode  = regexp.MustCompile("^(``?)\\s?(.+?)\\s?(``?)[ :]")
)

// itemsOf takes apart what was told, raw with the braces of lists of files.
func itemsOf(root string, told text, raw string) []item {
	var items []item
	for line := range strings.SplitSeq(raw, "\n") {
		title, _, ok := titled(withoutMarks(line), pathTitles)
		if !ok {
			continue
		}
		it := item{kind: "paths", line: line, paths: pathsTold(root, line)}
		if title == "Seen, not opened" {
			it.kind = "seen"
		}
		items = append(items, it)
	}
	for line := range strings.SplitSeq(string(told), "\n") {
		rest := withoutMarks(line)
		if m := goalLine.FindStringSubmatch(rest); m != nil {
			items = append(items, item{kind: "goal", line: line, text: m[2]})
			continue
		}
		if list, ok := strings.CutPrefix(rest, "Ran: "); ok {
			for _, m := range ranEntry.FindAllStringSubmatch(list, -1) {
				outcome := map[string]string{"ok": "passed", "failed": "failed"}[m[4]]
				items = append(items, item{kind: "ran", line: line, text: m[0], command: m[2], outcome: outcome, result: m[5]})
			}
			continue
		}
		if m := openTitle.FindString(rest); m != "" {
			items = append(items, openItem(line, strings.TrimPrefix(rest, m)))
			continue
		}
	}
	return items
}

// openItem takes apart what is told as not mended.
func openItem(line, rest string) item {
	it := item{kind: "open", line: line, text: rest}
	if m := openEdit.FindStringSubmatch(rest); m != nil {
		it.file = m[1]
		return it
	}
	if m := openCode.FindStringSubmatch(rest); m != nil {
		it.command = m[2]
		return it
	}
	it.command, _, _ = strings.Cut(rest, ": ")
	return it
}

// usedLater judges whether what was told is used: commands that are run again, seen paths that are opened. Where the session
// runs nothing and opens nothing after the moment, nothing is judged.
func (s *score) usedLater(m moment, items []item) {
	runs, opens := false, false
	for _, c := range m.later.calls {
		runs = runs || c.line != ""
		opens = opens || edits[c.tool] || c.tool == "Read"
	}
	for _, it := range items {
		switch {
		case it.kind == "ran" && runs:
			again := slices.ContainsFunc(m.later.calls, func(c *ran) bool { return c.has(it.command) })
			s.judged(truthRanAgain, m, it.command, verdictOf(again))
		case it.kind == "seen" && opens:
			for _, name := range it.paths {
				opened := slices.ContainsFunc(m.later.calls, func(c *ran) bool { return (edits[c.tool] || c.tool == "Read") && c.file == name })
				s.judged(truthOpened, m, name, verdictOf(opened))
			}
		}
	}
}

// truthTable is the table of truth: what was told as the client sends its hooks, and between.
func truthTable(s score) string {
	b := "| what is told | judged | true | doubtful, apart | goal |\n|---|---|---|---|---|\n"
	for n, m := range truthMeasures {
		r := s.truths[n]
		b += fmt.Sprintf("| %s | %d | %s | %d | %s |\n", m.name, r.of, share(r.right, r.of), r.doubtful, m.goal)
	}
	b += fmt.Sprintf("| tokens that seen paths take | %d | %s | | ≤ 5 %% |\n", s.told, share(s.toldSeen, s.told))
	b += "| tokens above the most that are allowed | " + strconv.Itoa(len(s.tokens)+len(s.allStarts)) + " | " + strconv.Itoa(s.above()) + " | | 0 |\n"
	return b
}

// above counts the compactions with more than 800 tokens, and the starts with more than 1,000.
func (s *score) above() int {
	n := 0
	for _, t := range s.tokens {
		if t > 800 {
			n++
		}
	}
	for _, t := range s.allStarts {
		if t > 1000 {
			n++
		}
	}
	return n
}
