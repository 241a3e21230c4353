// Package top shows sessions in a terminal: a list of them, the events of one with the state of the session at any of
// them, and one event whole.
//
// A screen is a list of lines with one of them chosen; Enter goes into it, Esc back. Every line is text that was cleaned
// for a terminal, the chosen one has a mark before it, so that nothing is said by colour alone. What takes time (the
// source reads a log) runs beside the screen, and its answer counts only while the screen that asked is shown.
package top

import (
	"context"
	"fmt"
	"io"
	"strings"
	"time"

	tea "charm.land/bubbletea/v2"

	"hookline/hookctl/cmdline"
)

// Line is one line of a screen.
type Line struct {
	Key  string // what Enter opens
	Text string // cleaned
	Tone string // good, warn, bad, faint or ""
}

// Source is where the screens come from. Its methods are called from several goroutines.
type Source interface {
	// Sessions are all of them, those that live first.
	Sessions(ctx context.Context) ([]Line, error)
	// Events are those of a session after a key, in the order of the log, all of them after ""; head is what is known of it.
	Events(ctx context.Context, session, after string) (head []string, list []Line, err error)
	// State is that of the session at one of its events.
	State(ctx context.Context, session, event string) ([]string, error)
	// Event is one event, whole.
	Event(ctx context.Context, event string) ([]Line, error)
}

// Options of a run.
type Options struct {
	From  Source
	In    io.Reader
	Out   io.Writer
	Env   []string
	Paint cmdline.Palette
}

// every is how often the screen is brought up to date.
const every = 2 * time.Second

// Run shows the sessions until the user leaves.
func Run(ctx context.Context, o Options) error {
	m := &model{ctx: ctx, Options: o, screens: []*screen{{level: sessions}}}
	_, err := tea.NewProgram(m, tea.WithContext(ctx), tea.WithInput(o.In), tea.WithOutput(o.Out), tea.WithEnvironment(o.Env)).Run()
	if ctx.Err() != nil {
		return nil // Ctrl-C, or the parent process ended it
	}
	return err
}

// Levels of screens, from the list of sessions down.
const (
	sessions = iota
	timeline
	detail
)

// screen is one level: lines, of which the filter shows some.
type screen struct {
	level  int
	of     string // session or event
	head   []string
	lines  []Line
	shown  []int // indexes into lines
	cursor int   // into shown
	top    int   // first line on the screen, into shown
	filter string
	state  []string
	at     string // the event of the state
	follow bool   // the newest line is chosen, and stays so
	asked  bool   // the source has not answered yet
	known  bool   // the source has answered once
	err    error
}

type model struct {
	Options
	ctx           context.Context
	screens       []*screen // the last one is shown
	width, height int
	typing, help  bool
}

// What comes back from the source, for a screen that may be gone.
type (
	tick   struct{}
	loaded struct {
		to   *screen
		head []string
		list []Line
		err  error
	}
	stated struct {
		to    *screen
		at    string
		lines []string
		err   error
	}
)

func (m *model) Init() tea.Cmd { return tea.Batch(m.load(m.shown()), m.tick()) }

func (m *model) tick() tea.Cmd {
	return tea.Tick(every, func(time.Time) tea.Msg { return tick{} })
}

func (m *model) shown() *screen { return m.screens[len(m.screens)-1] }

// load asks the source for a screen; of a timeline, for what is new.
func (m *model) load(s *screen) tea.Cmd {
	after := ""
	if len(s.lines) > 0 {
		after = s.lines[len(s.lines)-1].Key
	}
	s.asked = true
	return func() tea.Msg {
		out := loaded{to: s}
		switch s.level {
		case sessions:
			out.list, out.err = m.From.Sessions(m.ctx)
		case timeline:
			out.head, out.list, out.err = m.From.Events(m.ctx, s.of, after)
		case detail:
			out.list, out.err = m.From.Event(m.ctx, s.of)
		}
		return out
	}
}

func (m *model) Update(msg tea.Msg) (tea.Model, tea.Cmd) {
	s := m.shown()
	switch msg := msg.(type) {
	case tea.WindowSizeMsg:
		m.width, m.height = msg.Width, msg.Height
	case tick:
		if s.level == detail || s.asked {
			return m, m.tick()
		}
		return m, tea.Batch(m.load(s), m.tick())
	case loaded:
		msg.to.take(msg)
		return m, m.ask(msg.to)
	case stated:
		if msg.at == msg.to.chosen() {
			msg.to.state, msg.to.at, msg.to.err = msg.lines, msg.at, msg.err
		}
	case tea.KeyPressMsg:
		return m.press(msg)
	}
	return m, nil
}

// take puts what was loaded on a screen; the line that was chosen stays so.
func (s *screen) take(l loaded) {
	s.err = l.err
	s.asked = false
	if l.err != nil {
		return
	}
	s.known = true
	was := s.chosen()
	s.head = l.head
	if s.level == timeline {
		l.list = append(s.lines, l.list...) // what is new was asked for
	}
	s.lines = l.list
	s.narrow(s.filter)
	if s.follow {
		s.cursor = max(0, len(s.shown)-1)
		return
	}
	for i, n := range s.shown {
		if s.lines[n].Key == was && was != "" {
			s.cursor = i
		}
	}
}

// narrow shows the lines that hold the filter's text.
func (s *screen) narrow(filter string) {
	s.filter = filter
	s.shown = s.shown[:0]
	for i, l := range s.lines {
		if strings.Contains(strings.ToLower(l.Text), strings.ToLower(filter)) {
			s.shown = append(s.shown, i)
		}
	}
	s.cursor = min(s.cursor, max(0, len(s.shown)-1))
}

// chosen is the key of the chosen line, "" for none.
func (s *screen) chosen() string {
	if s.cursor >= len(s.shown) {
		return ""
	}
	return s.lines[s.shown[s.cursor]].Key
}

// ask asks for the state at the chosen event.
func (m *model) ask(s *screen) tea.Cmd {
	at := s.chosen()
	if s.level != timeline || at == "" || at == s.at {
		return nil
	}
	return func() tea.Msg {
		lines, err := m.From.State(m.ctx, s.of, at)
		return stated{to: s, at: at, lines: lines, err: err}
	}
}

func (m *model) press(k tea.KeyPressMsg) (tea.Model, tea.Cmd) {
	s := m.shown()
	name := k.String()
	switch {
	case name == "ctrl+c":
		return m, tea.Quit
	case m.help:
		m.help = false
		return m, nil
	case m.typing:
		m.typed(k, name)
		return m, m.ask(s)
	}

	page := max(1, m.room())
	switch name {
	case "q":
		return m, tea.Quit
	case "?":
		m.help = true
	case "/":
		m.typing = true
	case "up", "left":
		s.move(-1)
	case "down", "right":
		s.move(1)
	case "pgup":
		s.move(-page)
	case "pgdown":
		s.move(page)
	case "g":
		s.move(-len(s.lines))
	case "G":
		s.move(len(s.lines))
	case "enter":
		key := s.chosen()
		if key == "" || s.level == detail {
			return m, nil
		}
		next := &screen{level: s.level + 1, of: key, follow: s.level == sessions}
		m.screens = append(m.screens, next)
		return m, m.load(next)
	case "esc":
		if s.filter != "" {
			s.narrow("")
		} else if len(m.screens) > 1 {
			m.screens = m.screens[:len(m.screens)-1]
		}
	}
	return m, m.ask(m.shown())
}

// typed takes a key of the filter's text.
func (m *model) typed(k tea.KeyPressMsg, name string) {
	s := m.shown()
	switch name {
	case "enter":
		m.typing = false
	case "esc":
		m.typing = false
		s.narrow("")
	case "backspace":
		if text := []rune(s.filter); len(text) > 0 {
			s.narrow(string(text[:len(text)-1]))
		}
	default:
		s.narrow(s.filter + cmdline.Clean(k.Key().Text))
	}
}

// move chooses another line. At the end of a timeline the newest event stays chosen when there are new ones.
func (s *screen) move(by int) {
	s.cursor = max(0, min(s.cursor+by, len(s.shown)-1))
	s.follow = s.level == timeline && s.cursor == len(s.shown)-1
}

// stateLines is how many lines of the state there is room for.
func (m *model) stateLines() int {
	if m.shown().level != timeline {
		return 0
	}
	return min(len(m.shown().state), max(0, m.height/3))
}

// room is how many lines of the list there is room for.
func (m *model) room() int {
	used := 2 + len(m.shown().head) // title and keys
	if n := m.stateLines(); n > 0 {
		used += n + 1
	}
	return m.height - used
}

var keys = []string{
	"Up, Down      the line before, the next one; Left, Right too",
	"              of events: with the state at that event below",
	"PgUp, PgDn    a page up, a page down",
	"g, G          the first line, the last one",
	"              of events: what is new stays chosen then",
	"Enter         open the session, or the event",
	"Esc           show all again, or go back",
	"/             show only lines with a text",
	"?             these keys",
	"q, Ctrl-C     leave",
}

func (m *model) View() tea.View {
	v := tea.NewView(cmdline.Show(strings.Join(m.rows(), "\n")))
	v.AltScreen = true
	v.WindowTitle = "hookline"
	return v
}

// rows are the lines of the terminal, none wider than it and no more than it has.
func (m *model) rows() []string {
	if m.width < 1 || m.height < 1 {
		return nil
	}
	fit := func(s string) string { return cmdline.Fit(s, m.width) }
	if m.help {
		out := []string{m.Paint.Bold(fit("hookline: keys"))}
		for _, k := range keys {
			out = append(out, fit(k))
		}
		return out[:min(len(out), m.height)]
	}

	s := m.shown()
	title := "hookline: sessions"
	switch s.level {
	case timeline:
		title = "hookline: session " + s.of
	case detail:
		title = "hookline: event " + s.of
	}
	if n := len(s.shown); n > 0 {
		title += fmt.Sprintf("  %d/%d", s.cursor+1, n)
	}
	out := []string{m.Paint.Bold(fit(title))}
	for _, h := range s.head {
		out = append(out, m.Paint.Faint(fit(h)))
	}
	out = append(out, m.list(s, fit)...)
	if n := m.stateLines(); n > 0 {
		out = append(out, m.Paint.Faint(fit("── state at event "+s.at+" "+strings.Repeat("─", m.width))))
		for _, l := range s.state[:n] {
			out = append(out, fit(l))
		}
	}
	out = append(out, fit(m.foot(s)))
	return out[max(0, len(out)-m.height):]
}

// list is the part of the screen's lines that there is room for, with the chosen one in it.
func (m *model) list(s *screen, fit func(string) string) []string {
	room := max(1, m.room())
	s.top = max(min(s.top, s.cursor), s.cursor-room+1)
	s.top = max(0, min(s.top, len(s.shown)-room))
	var out []string
	for i := s.top; i < min(s.top+room, len(s.shown)); i++ {
		l := s.lines[s.shown[i]]
		mark := "  "
		if i == s.cursor {
			mark = "> "
		}
		out = append(out, m.Paint.Toned(l.Tone, fit(mark+l.Text)))
	}
	switch {
	case len(s.shown) > 0 || s.err != nil:
	case !s.known:
		out = append(out, fit("  reading …"))
	default:
		out = append(out, fit("  nothing to show"))
	}
	for len(out) < room {
		out = append(out, "")
	}
	return out
}

// foot is the last line: what went wrong, the filter, or the keys.
func (m *model) foot(s *screen) string {
	switch {
	case s.err != nil:
		return "error: " + cmdline.OneLine(s.err.Error())
	case m.typing:
		return "/" + s.filter + "▏"
	case s.filter != "":
		return "/" + s.filter + "  Esc shows all"
	}
	return "? keys  / filter  Enter open  Esc back  q leave"
}
