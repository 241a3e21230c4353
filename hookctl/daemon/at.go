package daemon

import (
	"context"
	"net/http"

	"hookline/projector/session"
	"hookline/replay/past"
)

func (d *Daemon) pastView() past.View {
	last, _ := d.stream.Last()
	return past.View{Log: d.stream, Last: last, Now: d.opts.Now, Session: func(ctx context.Context, given string) (string, error) {
		keys, err := d.keys(ctx, session.Name)
		if err != nil {
			return "", err
		}
		return pickSession(given, keys)
	}}
}

func (d *Daemon) handleAt(w http.ResponseWriter, r *http.Request) error {
	return answerAt(w, r, d.pastView())
}

func (d *Daemon) handleDiff(w http.ResponseWriter, r *http.Request) error {
	return answerDiff(w, r, d.pastView())
}

func answerAt(w http.ResponseWriter, r *http.Request, v past.View) error {
	state, err := v.At(r.Context(), r.URL.Query())
	if err != nil {
		return err
	}
	return reply(w, state)
}

func answerDiff(w http.ResponseWriter, r *http.Request, v past.View) error {
	change, err := v.Diff(r.Context(), r.URL.Query())
	if err != nil {
		return err
	}
	return reply(w, change)
}

// pointOf is [past.View.Point] of a sequence, a time of capture or "now".
func (d *Daemon) pointOf(ctx context.Context, s string) (uint64, error) {
	return d.pastView().Point(ctx, s, "")
}
