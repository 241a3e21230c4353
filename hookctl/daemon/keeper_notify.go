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

	"hookline/projector/session"
)

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
	sent map[string]string // the kind of standing of the last notice, by session
	busy atomic.Bool       // a notification is under way
}

// notify sends a notice for each live session that is stuck or waits for the user in the middle of its work: one, until
// the session is in another state. One notification runs at a time; the others wait for the next round.
func (k *keeper) notify(ctx context.Context) {
	sent := map[string]string{}
	for _, s := range k.sessionsBy(ctx, session.Alive) {
		st := s.Standing()
		early := st.Since != nil && k.opts.Now().Sub(*st.Since) < notifyAfter
		needs := st.Stuck || st.Needs && st.Kind != session.WaitsForPrompt
		if !needs || early {
			continue
		}
		sent[s.ID] = k.notifier.sent[s.ID]
		if sent[s.ID] == st.Kind || !k.notifier.busy.CompareAndSwap(false, true) {
			continue
		}
		sent[s.ID] = st.Kind
		n := Notice{Session: s.ID, Project: s.Project, Title: s.Title, Kind: st.Kind, Words: st.Words}
		k.effects.Go(func() {
			defer k.notifier.busy.Store(false)
			if err := sendNotice(k.life, k.opts.Notify, n); err != nil {
				k.log.Warn("notify", "session", n.Session, "err", err)
			}
		})
	}
	k.notifier.sent = sent
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
