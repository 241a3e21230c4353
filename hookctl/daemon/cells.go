package daemon

import (
	"encoding/json"
	"net/http"
	"slices"
	"strconv"
	"strings"

	"hookline/hookctl/problem"
	"hookline/hookctl/spelling"
	"hookline/projector"
)

// CellJSON is one cell of a projection as it travels over the socket.
type CellJSON struct {
	Key   string          `json:"key"`
	Seq   uint64          `json:"seq"`
	State json.RawMessage `json:"state"`
}

func (d *Daemon) handleCells(w http.ResponseWriter, r *http.Request) error {
	return writeCells(w, r, d.view)
}

func writeCells(w http.ResponseWriter, r *http.Request, v *projector.View) error {
	table := r.PathValue("projection")
	if err := knownTable(v, table); err != nil {
		return err
	}
	var cells []CellJSON // gathered first: a reader that stalls must not hold up the view
	err := v.Read(r.Context(), func(rd projector.Reader) error {
		keys, err := rd.Keys(table)
		if err != nil {
			return err
		}
		for _, k := range keys {
			if !strings.HasPrefix(k, r.URL.Query().Get("prefix")) {
				continue
			}
			if st, seq, ok := rd.Raw(table, k); ok {
				cells = append(cells, CellJSON{Key: k, Seq: seq, State: st})
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

func knownTable(v *projector.View, table string) error { return tableAmong(v.Tables(), table) }

// tableAmong refuses a projection that is none of the names, with the nearest of them.
func tableAmong(names []string, table string) error {
	if slices.Contains(names, table) {
		return nil
	}
	hint := "projections: " + strings.Join(names, ", ")
	if near := spelling.Nearest(table, names); near != "" {
		hint = "did you mean " + near + "?"
	}
	return problem.New(http.StatusNotFound, "no projection is called "+strconv.Quote(table), hint)
}

func noCell(table, key string) error {
	return problem.New(http.StatusNotFound, "projection "+table+" has no cell "+strconv.Quote(key), "")
}

func (d *Daemon) handleCell(w http.ResponseWriter, r *http.Request) error {
	table, key := r.PathValue("projection"), r.PathValue("key")
	if err := knownTable(d.view, table); err != nil {
		return err
	}
	if table == "session" || table == "identity" {
		full, err := d.resolveSession(r.Context(), key)
		if err != nil {
			return err
		}
		key = full
	}
	var c CellJSON
	err := d.view.Read(r.Context(), func(rd projector.Reader) error {
		st, seq, ok := rd.Raw(table, key)
		if !ok {
			return noCell(table, key)
		}
		c = CellJSON{Key: key, Seq: seq, State: st}
		return nil
	})
	if err != nil {
		return err
	}
	return reply(w, c)
}
