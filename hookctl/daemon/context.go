package daemon

import (
	"net/http"

	"hookline/hookctl/hook"
	"hookline/projector"
)

// handleContext answers with what a session would be told after a compaction, and what each item of it costs.
func (d *Daemon) handleContext(w http.ResponseWriter, r *http.Request) error {
	var out hook.Recovery
	err := d.view.Read(r.Context(), func(rd projector.Reader) error {
		out = hook.RecoveryOf(hook.Reader{Reader: rd}, r.PathValue("session"))
		return nil
	})
	if err != nil {
		return err
	}
	return reply(w, out)
}
