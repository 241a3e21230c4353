package top

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"

	tea "charm.land/bubbletea/v2"

	"hookline/hookctl/cmdline"
)

// log is a source of two sessions; the first has events.
type log struct {
	events int
	err    error
}

func (l *log) Sessions(context.Context) ([]Line, error) {
	return []Line{{Key: "one", Text: "one  working"}, {Key: "two", Text: "two  stuck", Tone: "warn"}}, l.err
}

func (l *log) Events(_ context.Context, id, after string) (head []string, lines []Line, err error) {
	from := 0
	_, _ = fmt.Sscan(after, &from)
	for n := from + 1; n <= l.events; n++ {
		lines = append(lines, Line{Key: fmt.Sprint(n), Text: fmt.Sprintf("event %d of %s", n, strings.Repeat("long ", 30))})
	}
	return []string{"session " + id + " works"}, lines, l.err
}

func (l *log) State(_ context.Context, _, event string) ([]string, error) {
	return []string{"goal   of " + event}, l.err
}

func (l *log) Event(_ context.Context, event string) ([]Line, error) {
	return []Line{{Text: "{"}, {Text: `  "seq": ` + event}, {Text: "}"}}, l.err
}

// play has the model take messages, and what its commands answer.
func play(m *model, msgs ...tea.Msg) {
	for _, msg := range msgs {
		if _, ticks := msg.(tick); ticks {
			play(m, m.load(m.shown())())
			continue
		}
		_, cmd := m.Update(msg)
		if cmd != nil {
			play(m, cmd())
		}
	}
}

func press(names ...string) (msgs []tea.Msg) {
	codes := map[string]rune{"up": tea.KeyUp, "down": tea.KeyDown, "left": tea.KeyLeft, "right": tea.KeyRight, "enter": tea.KeyEnter, "esc": tea.KeyEscape,
		"backspace": tea.KeyBackspace, "pgup": tea.KeyPgUp, "pgdown": tea.KeyPgDown}
	for _, n := range names {
		k := tea.KeyPressMsg{Code: codes[n]}
		if codes[n] == 0 {
			k = tea.KeyPressMsg{Code: rune(n[0]), Text: n}
		}
		msgs = append(msgs, k)
	}
	return msgs
}

func begin(l *log, width, height int) *model {
	m := &model{ctx: context.Background(), Options: Options{From: l, Paint: cmdline.Palette{}}, screens: []*screen{{}}}
	play(m, tea.WindowSizeMsg{Width: width, Height: height}, tick{})
	return m
}

// shows fails unless the screen has these lines, and fits the terminal.
func shows(t *testing.T, m *model, want ...string) {
	t.Helper()
	rows := m.rows()
	text := strings.Join(rows, "\n")
	for _, w := range want {
		if !strings.Contains(text, w) {
			t.Errorf("%q is not on the screen:\n%s", w, text)
		}
	}
	if len(rows) > m.height {
		t.Errorf("%d lines on a terminal of %d", len(rows), m.height)
	}
	for _, r := range rows {
		if cmdline.Width(r) > m.width {
			t.Errorf("%d columns on a terminal of %d: %q", cmdline.Width(r), m.width, r)
		}
	}
}

func TestDrillDown(t *testing.T) {
	l := &log{events: 40}
	m := begin(l, 60, 14)
	shows(t, m, "hookline: sessions  1/2\n> one  working\n  two  stuck\n", "? keys")
	play(m, press("enter")...)
	shows(t, m, "hookline: session one  40/40\nsession one works\n", "> event 40 of", "── state at event 40 ", "\ngoal   of 40\n")

	// The arrow keys go through the events, and the state goes with them.
	play(m, press("left", "up")...)
	shows(t, m, "38/40", "> event 38 of", "goal   of 38")
	play(m, press("g")...)
	shows(t, m, "\n> event 1 of", "goal   of 1\n")
	play(m, press("pgdown", "pgup")...)
	shows(t, m, "1/40")
	play(m, press("right")...)
	shows(t, m, "2/40", "\n  event 1 of", "> event 2 of", "goal   of 2\n")

	// What is new comes below; the newest event is followed once it was chosen.
	l.events = 41
	play(m, tick{})
	shows(t, m, "2/41", "> event 2 of")
	play(m, press("G")...)
	l.events = 43
	play(m, tick{})
	shows(t, m, "43/43", "> event 43 of")

	play(m, press("enter")...)
	shows(t, m, "hookline: event 43", `  "seq": 43`)
	play(m, press("enter", "esc", "esc", "esc")...)
	shows(t, m, "hookline: sessions  1/2")
}

func TestFilter(t *testing.T) {
	m := begin(&log{events: 40}, 60, 14)
	play(m, press("enter", "/", "T", " ", "3", "7")...)
	shows(t, m, "1/1", "> event 37 of", "goal   of 37", "\n/T 37▏")
	play(m, press("backspace", "enter")...)
	shows(t, m, "/11\n", "/T 3  Esc shows all")
	play(m, press("esc")...)
	shows(t, m, "/40\n")
	play(m, press("/", "q", "x")...)
	shows(t, m, "nothing to show")
}

// A long timeline is asked for once, and the screen says that it is on its way.
func TestReading(t *testing.T) {
	m := begin(&log{events: 40}, 60, 14)
	_, answer := m.Update(press("enter")[0])
	shows(t, m, "reading …")
	_, again := m.Update(tick{})
	if _, more := again().(tea.BatchMsg); more {
		t.Error("the timeline is asked for while it is on its way")
	}
	play(m, answer())
	shows(t, m, "40/40")
}

func TestHelpAndTrouble(t *testing.T) {
	l := &log{events: 3}
	for _, size := range [][2]int{{60, 14}, {20, 4}, {1, 1}, {200, 60}} {
		m := begin(l, size[0], size[1])
		play(m, press("?")...)
		shows(t, m)
		play(m, press("x", "enter")...)
		shows(t, m)
	}

	m := begin(l, 60, 14)
	play(m, press("?")...)
	shows(t, m, "hookline: keys\n", "\n?             these keys\n")
	play(m, press("x")...)
	l.err = errors.New("no daemon\x1b[2J")
	play(m, tick{})
	shows(t, m, "> one  working", "error: no daemon")
	if strings.Contains(strings.Join(m.rows(), ""), "\x1b") {
		t.Error("what the source says reaches the terminal as it is")
	}
	if _, cmd := m.Update(tea.KeyPressMsg{Code: 'q', Text: "q"}); cmd == nil {
		t.Error("q does not leave")
	}
}
