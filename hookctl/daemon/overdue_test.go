//go:build unix

package daemon

import (
	"context"
	"errors"
	"net/http"
	"net/http/httptest"
	"strconv"
	"strings"
	"sync"
	"testing"

	"hookline/expect"
	"hookline/hookctl/wire"
)

// promptOf is a prompt of a session.
func promptOf(session string) wire.Frame {
	return hookFrame(`{"hook_event_name":"UserPromptSubmit","session_id":"` + session + `","prompt":"Go on with the parser of yesterday"}`)
}

// tells reports whether an answer greets a session.
func tells(stdout []byte) bool { return strings.Contains(string(stdout), "New session initialized") }

// deliverTo sends a frame over HTTP; gone says that the client has left before the answer.
func deliverTo(t *testing.T, d *Daemon, f wire.Frame, w http.ResponseWriter, gone bool) {
	t.Helper()
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	if gone {
		cancel()
	}
	r := httptest.NewRequest(http.MethodPost, wire.HookPath+wire.Event(f.Args, f.Body), strings.NewReader(string(f.Body))).WithContext(ctx)
	r.Header.Set("Hookline-Protocol", strconv.Itoa(wire.Protocol))
	r.Header.Set("Hookline-Frame", string(f.Header()))
	d.intake.handleHook(w, r)
	settled(t, d)
}

// broken is the connection of a client that leaves while the answer is written.
type broken struct{ http.ResponseWriter }

func (broken) Write([]byte) (int, error) { return 0, errors.New("broken pipe") }

// A start whose client has gone, or whose frame waited in the spool, is told with the next prompt, once, also by the next
// daemon; one that was told is not.
func TestStartWhoseAnswerCameTooLate(t *testing.T) {
	for name, start := range map[string]func(t *testing.T, d *Daemon, f wire.Frame){
		"the client has gone":                 func(t *testing.T, d *Daemon, f wire.Frame) { deliverTo(t, d, f, httptest.NewRecorder(), true) },
		"the client goes while it is written": func(t *testing.T, d *Daemon, f wire.Frame) { deliverTo(t, d, f, broken{httptest.NewRecorder()}, false) },
		"the frame waited in the spool":       func(t *testing.T, d *Daemon, f wire.Frame) { expect.Value(d.intake.take(t.Context(), f, fromSpool))(t) },
		"the client never read what it was sent": func(t *testing.T, d *Daemon, f wire.Frame) {
			deliverTo(t, d, f, httptest.NewRecorder(), false)
			expect.Value(d.intake.take(t.Context(), f, fromSpool))(t) // it has kept the frame
			settled(t, d)
		},
	} {
		t.Run(name, func(t *testing.T) {
			d := open(t, newHome(t))
			start(t, d, startOf("s-1"))
			home := d.opts.Home
			shut(t, d)
			d = open(t, home)
			defer shut(t, d)

			if a := take(t, d, promptOf("s-1")); !tells(a.Stdout) {
				t.Errorf("answer to the next prompt = %s, want what the start had to say", a.Stdout)
			}
			if a := take(t, d, promptOf("s-1")); tells(a.Stdout) {
				t.Errorf("answer to the prompt after that = %s, want nothing of the start", a.Stdout)
			}
			mustVerify(t, d)
		})
	}

	d := opened(t)
	deliverTo(t, d, startOf("s-1"), httptest.NewRecorder(), false)
	if a := take(t, d, promptOf("s-1")); tells(a.Stdout) {
		t.Errorf("answer to a prompt = %s, want nothing of the start that was told", a.Stdout)
	}
}

// The delivery of a client that gave up sends the start again, and has the answer: that is no later one.
func TestStartThatIsToldAtItsSecondDelivery(t *testing.T) {
	d := opened(t)
	f := startOf("s-1")
	deliverTo(t, d, f, httptest.NewRecorder(), true)
	again := httptest.NewRecorder()
	deliverTo(t, d, f, again, false)
	if !tells(again.Body.Bytes()) {
		t.Errorf("answer to the second delivery = %s, want what the start had to say", again.Body)
	}
	if a := take(t, d, promptOf("s-1")); tells(a.Stdout) {
		t.Errorf("answer to the next prompt = %s, want nothing of the start", a.Stdout)
	}
	told := toldOf(t, d)
	expect.EqualNow(t, len(told), 2, "events of what was told")
	expect.Equal(t, told[0].Causation, f.ID, "cause of the first")
}

// A prompt whose answer told a start and did not reach the client either leaves it to the next hook.
func TestStartWhosePromptCameTooLate(t *testing.T) {
	d := opened(t)
	expect.Value(d.intake.take(t.Context(), startOf("s-1"), fromSpool))(t)
	deliverTo(t, d, promptOf("s-1"), httptest.NewRecorder(), true)

	next := httptest.NewRecorder()
	call := bashOf("s-1", 1)
	deliverTo(t, d, call, next, false)
	if !tells(next.Body.Bytes()) {
		t.Errorf("answer to the first call = %s, want what the start had to say", next.Body)
	}
	expect.Value(d.intake.take(t.Context(), call, fromSpool))(t) // its client has kept it: there was no answer
	settled(t, d)
	if a := take(t, d, bashOf("s-1", 2)); !tells(a.Stdout) {
		t.Errorf("answer to the second call = %s, want what the start had to say", a.Stdout)
	}
	mustVerify(t, d)
}

// Of calls that come at once one tells the start.
func TestStartIsToldByOneOfManyCalls(t *testing.T) {
	d := opened(t)
	expect.Value(d.intake.take(t.Context(), startOf("s-1"), fromSpool))(t)

	var all sync.WaitGroup
	answers := make([]*httptest.ResponseRecorder, 16)
	for i := range answers {
		answers[i] = httptest.NewRecorder()
		all.Go(func() { deliverTo(t, d, bashOf("s-1", i), answers[i], false) })
	}
	all.Wait()
	telling := 0
	for _, a := range answers {
		if tells(a.Body.Bytes()) {
			telling++
		}
	}
	expect.Equal(t, telling, 1, "answers that tell the start")
}
