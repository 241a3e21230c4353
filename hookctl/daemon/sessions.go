package daemon

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"os/exec"
	"strings"
	"sync/atomic"
	"time"

	"hookline/events"
	"hookline/hookctl/facts"
	"hookline/hookctl/recorder"
	"hookline/projector"
	"hookline/projector/session"
	"hookline/projector/working"
)

// silentAfter ends a session whose process is unknown.
const silentAfter = 12 * time.Hour

// sessionsBy returns the sessions that the session index has under a word, in the order of their ids.
func (d *Daemon) sessionsBy(ctx context.Context, word string) []session.State {
	return seen(ctx, d, func(r projector.Reader) []session.State { return projector.Find[session.State](r, session.Name, word) })
}

// liveIDs returns the ids of the live sessions that the session index has under a word, sorted.
func (d *Daemon) liveIDs(ctx context.Context, word string) []string {
	return seen(ctx, d, func(r projector.Reader) []string { return projector.Lookup(r, session.Name, word) })
}

// onlyIn returns the live session of a project when there is exactly one.
func (d *Daemon) onlyIn(ctx context.Context, project string) string {
	ids := d.liveIDs(ctx, session.AliveIn(project))
	if project == "" || len(ids) != 1 {
		return ""
	}
	return ids[0]
}

// reap ends the sessions that have gone: an event each, and the identity is persisted as at an orderly end.
func (d *Daemon) reap(ctx context.Context) {
	for _, was := range d.sessionsBy(ctx, session.Alive) {
		if ctx.Err() != nil { // the daemon ends; the next one goes on
			return
		}
		p := was.Process()
		e := events.SessionReaped{PID: p.PID, LastActive: was.LastActive.Format(time.RFC3339)}
		switch {
		case p.PID != 0 && !facts.SameProcess(p.PID, p.Start):
			e.Reason = "process_gone"
		case p.PID == 0 && d.opts.Now().Sub(was.LastActive) > silentAfter:
			e.Reason = "silent"
		default:
			continue
		}
		_, err := d.rec.Do(ctx, func(r projector.Reader) ([]events.Envelope, error) {
			now, found := projector.State[session.State](r, session.Name, was.ID)
			heardOf := now.LastActive.After(was.LastActive) // meanwhile
			if !found || now.Status != session.Live || heardOf {
				return nil, nil
			}
			list := []events.Event{&e, &events.IdentityPersisted{Reason: "reaped", AsOf: e.LastActive}}
			work, _ := projector.State[working.State](r, working.Name, was.ID)
			if h := work.HandoffOf("reaped"); h != nil {
				list = append(list, h)
			}
			return recorder.Envelopes(d.opts.Now(), events.Envelope{Session: was.ID, Project: now.Project}, list...)
		})
		if err != nil {
			d.log.Error("reap", "session", was.ID, "err", err)
		}
	}
}

// Bounds of a notification.
const (
	notifyWithin = 10 * time.Second
	notifyAfter  = 5 * time.Second // that a question for permission is open: a user at the terminal needs no notice
)

// Notice is what a notification says, as JSON.
type Notice struct {
	Session string `json:"session"`
	Project string `json:"project,omitempty"`
	Title   string `json:"title,omitempty"`
	Kind    string `json:"kind"`
	Words   string `json:"words"`
}

// notifier is the state of the notifying loop.
type notifier struct {
	told map[string]string // the kind of standing that was told last, by session
	busy atomic.Bool       // a notification is under way
}

// notify sends a notice for each live session that is stuck or waits for the user in the middle of its work: one, until
// the session is in another state. One notification runs at a time; the others wait for the next round.
func (d *Daemon) notify(ctx context.Context) {
	told := map[string]string{}
	for _, s := range d.sessionsBy(ctx, session.Alive) {
		st := s.Standing()
		early := st.Since != nil && d.opts.Now().Sub(*st.Since) < notifyAfter
		needs := st.Stuck || st.Needs && st.Kind != session.WaitsForPrompt
		if !needs || early {
			continue
		}
		told[s.ID] = d.notifier.told[s.ID]
		if told[s.ID] == st.Kind || !d.notifier.busy.CompareAndSwap(false, true) {
			continue
		}
		told[s.ID] = st.Kind
		n := Notice{Session: s.ID, Project: s.Project, Title: s.Title, Kind: st.Kind, Words: st.Words}
		d.effects.Go(func() {
			defer d.notifier.busy.Store(false)
			if err := sendNotice(d.life, d.opts.Notify, n); err != nil {
				d.log.Warn("notify", "session", n.Session, "err", err)
			}
		})
	}
	d.notifier.told = told
}

// sendNotice posts a notice to a URL, or starts a command with the notice on stdin and one line of words as its last
// argument. The command is words without a shell. No error names the URL or the command: they may hold a key.
func sendNotice(ctx context.Context, to string, n Notice) error {
	ctx, cancel := context.WithTimeout(ctx, notifyWithin)
	defer cancel()
	body, err := json.Marshal(n)
	if err != nil {
		return err
	}

	words := strings.Fields(to)
	switch {
	case strings.HasPrefix(to, "http://"), strings.HasPrefix(to, "https://"):
		return post(ctx, to, body)
	case len(words) == 0:
		return errors.New("no command")
	}
	title := ""
	if n.Title != "" {
		title = n.Title + ": "
	}
	line := strings.Join(strings.Fields("hookline: "+title+n.Words), " ")
	cmd := exec.CommandContext(ctx, words[0], append(words[1:], line)...)
	cmd.Stdin = bytes.NewReader(append(body, '\n'))
	cmd.WaitDelay = time.Second
	err = cmd.Run()
	var exit *exec.ExitError
	if err != nil && !errors.As(err, &exit) {
		return errors.New("the command cannot be started")
	}
	return err
}

// post sends JSON to a URL. A redirection is not followed: it would take the body elsewhere.
func post(ctx context.Context, to string, body []byte) error {
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, to, bytes.NewReader(body))
	if err != nil {
		return errors.New("the URL cannot be read")
	}
	req.Header.Set("Content-Type", "application/json")
	c := http.Client{CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
	res, err := c.Do(req)
	var failed *url.Error
	if errors.As(err, &failed) {
		return failed.Err
	}
	if err != nil {
		return err
	}
	defer res.Body.Close()
	if res.StatusCode >= http.StatusBadRequest {
		return fmt.Errorf("the URL answers with status %d", res.StatusCode)
	}
	return nil
}
