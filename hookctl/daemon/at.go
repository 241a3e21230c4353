package daemon

import (
	"encoding/json"
	"net/http"

	"hookline/replay/past"
)

func (d *Daemon) pastView() past.View {
	last, _ := d.stream.Last()
	return past.View{Log: d.stream, Last: last, Now: d.opts.Now, Session: d.resolveSession}
}

// handleWalk writes the events of a session with what each changed of its state, as NDJSON; with only=events or
// only=states as [past.View.Walk] has it.
func (d *Daemon) handleWalk(w http.ResponseWriter, r *http.Request) error {
	id, err := d.resolveSession(r.Context(), r.PathValue("session"))
	if err != nil {
		return err
	}
	w.Header().Set("Content-Type", "application/x-ndjson")
	out := json.NewEncoder(w)
	out.SetEscapeHTML(false)
	return d.pastView().Walk(r.Context(), id, r.URL.Query().Get("only"), func(s past.Step) error { return out.Encode(s) })
}
