package daemon

import (
	"encoding/json"
	"maps"
	"net/http"
	"slices"

	"hookline/projector"
	"hookline/replay/past"
)

func (d *Daemon) handleCells(w http.ResponseWriter, r *http.Request) error {
	table := r.PathValue("projection")
	if err := past.KnownTable(d.view.Tables(), table); err != nil {
		return err
	}
	cells := map[string]past.Cell{} // gathered first: a reader that stalls must not hold up the view
	err := d.view.Read(r.Context(), func(rd projector.Reader) error {
		keys := r.URL.Query()["key"] // whole ones; none: all that begin with prefix
		for _, k := range keys {
			if st, seq, ok := rd.Raw(table, k); ok {
				cells[k] = past.Cell{Key: k, Seq: seq, State: st}
			}
		}
		if len(keys) > 0 {
			return nil
		}
		return rd.Each(table, r.URL.Query().Get("prefix"), func(k string, seq uint64, st json.RawMessage) {
			cells[k] = past.Cell{Key: k, Seq: seq, State: st}
		})
	})
	if err != nil {
		return err
	}
	w.Header().Set("Content-Type", "application/x-ndjson")
	out := json.NewEncoder(w)
	for _, k := range slices.Sorted(maps.Keys(cells)) {
		if err := out.Encode(cells[k]); err != nil {
			return nil // the reader is gone
		}
	}
	return nil
}

func (d *Daemon) cell(r *http.Request) (any, error) {
	table, key := r.PathValue("projection"), r.PathValue("key")
	if err := past.KnownTable(d.view.Tables(), table); err != nil {
		return nil, err
	}
	if table == "session" || table == "identity" {
		full, err := d.resolveSession(r.Context(), key)
		if err != nil {
			return nil, err
		}
		key = full
	}
	var c past.Cell
	err := d.view.Read(r.Context(), func(rd projector.Reader) error {
		st, seq, ok := rd.Raw(table, key)
		if !ok {
			return past.NoCell(table, key)
		}
		c = past.Cell{Key: key, Seq: seq, State: st}
		return nil
	})
	return c, err
}
