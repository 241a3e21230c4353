package daemon

import (
	"encoding/json"
	"net/http"
	"strings"

	"hookline/projector"
	"hookline/replay/past"
)

func (d *Daemon) handleCells(w http.ResponseWriter, r *http.Request) error {
	table := r.PathValue("projection")
	if err := knownTable(d.view, table); err != nil {
		return err
	}
	var cells []past.Cell // gathered first: a reader that stalls must not hold up the view
	err := d.view.Read(r.Context(), func(rd projector.Reader) error {
		keys := r.URL.Query()["key"] // whole ones; none: all
		if len(keys) == 0 {
			var err error
			if keys, err = rd.Keys(table); err != nil {
				return err
			}
		}
		for _, k := range keys {
			if !strings.HasPrefix(k, r.URL.Query().Get("prefix")) {
				continue
			}
			if st, seq, ok := rd.Raw(table, k); ok {
				cells = append(cells, past.Cell{Key: k, Seq: seq, State: st})
			}
		}
		return nil
	})
	if err != nil {
		return err
	}
	w.Header().Set("Content-Type", "application/x-ndjson")
	out := json.NewEncoder(w)
	for _, c := range cells {
		if err := out.Encode(c); err != nil {
			return nil // the reader is gone
		}
	}
	return nil
}

func knownTable(v *projector.View, table string) error { return past.KnownTable(v.Tables(), table) }

func (d *Daemon) cell(r *http.Request) (any, error) {
	table, key := r.PathValue("projection"), r.PathValue("key")
	if err := knownTable(d.view, table); err != nil {
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
