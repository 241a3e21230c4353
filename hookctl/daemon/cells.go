package daemon

import (
	"cmp"
	"encoding/json"
	"maps"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"hookline/projector"
	"hookline/projector/identity"
	"hookline/projector/project"
	"hookline/projector/session"
	"hookline/replay/past"
)

// handleCells answers with the cells of a projection: those with the keys that the query names, those of sessions that it
// describes (like, newest), those that begin with prefix, or all.
func (d *Daemon) handleCells(w http.ResponseWriter, r *http.Request) error {
	table := r.PathValue("projection")
	if err := past.KnownTable(d.view.Tables(), table); err != nil {
		return err
	}
	cells := map[string]past.Cell{} // gathered first: a reader that stalls must not hold up the view
	err := d.view.Read(r.Context(), func(rd projector.Reader) error {
		keys, some, err := chosenKeys(rd, table, r.URL.Query())
		if err != nil {
			return err
		}
		for _, k := range keys {
			if st, seq, ok := rd.Raw(table, k); ok {
				cells[k] = past.Cell{Key: k, Seq: seq, State: st}
			}
		}
		if some {
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

// chosenKeys are the keys of the cells that a query means; some is false where it means all, or where only all can tell.
func chosenKeys(rd projector.Reader, table string, q url.Values) (keys []string, some bool, err error) {
	n, _ := strconv.Atoi(q.Get("newest"))
	switch {
	case q.Has("like"):
		keys, err = alike(rd, table, q["like"])
		return keys, true, err
	case n > 0 && table == session.Name:
		return newest(rd, n, q["project"])
	}
	return q["key"], q.Has("key"), nil
}

// alike are the keys that begin with one of the words, dashes left out. A word that is a key means that one alone, and
// the keys are not listed for it.
func alike(rd projector.Reader, table string, words []string) ([]string, error) {
	var found, begins []string
	for _, word := range words {
		if _, _, whole := rd.Raw(table, word); whole {
			found = append(found, word)
		} else {
			begins = append(begins, undashed(word))
		}
	}
	if len(begins) == 0 {
		return found, nil
	}

	keys, err := rd.Keys(table)
	for _, k := range keys {
		if slices.ContainsFunc(begins, func(word string) bool { return strings.HasPrefix(undashed(k), word) }) {
			found = append(found, k)
		}
	}
	return found, err
}

func undashed(id string) string { return strings.ReplaceAll(id, "-", "") }

// newestKept is how many of a project's newest snapshots its pointer surely has. newestSpare more than asked for are looked
// at: a session may be active after its snapshot, or be recovered as it was long ago.
const (
	newestKept  = 32
	newestSpare = 8
)

// newest are the keys of sessions among which are the n of these projects, without any of all, that were active last: the
// live ones, and those with the newest snapshots, which every session leaves at its end. enough is false where the
// projects had more sessions than these and fewer than n were found.
func newest(rd projector.Reader, n int, projects []string) (keys []string, enough bool, err error) {
	var live []string
	if len(projects) == 0 {
		live = projector.Lookup(rd, session.Name, session.Alive)
		projects, err = rd.Keys(project.Name)
		projects = append(projects, "")
	}

	var ended []identity.PointerEntry
	begun := 0
	for _, p := range projects {
		live = append(live, projector.Lookup(rd, session.Name, session.AliveIn(p))...)
		latest, _ := projector.State[identity.Pointer](rd, identity.PointerName, identity.PointerKey(p))
		ended = append(ended, latest.History...)
		s, _ := projector.State[project.State](rd, project.Name, p)
		begun += s.Sessions
	}
	slices.SortFunc(ended, func(x, y identity.PointerEntry) int { return cmp.Compare(y.AtMS, x.AtMS) })
	for _, e := range ended[:min(n+newestSpare, len(ended))] {
		live = append(live, e.Session)
	}

	slices.Sort(live)
	keys = slices.Compact(live)
	found := 0
	for _, k := range keys {
		if s, ok := projector.State[session.State](rd, session.Name, k); ok && s.Status != session.Deleted {
			found++
		}
	}
	return keys, found >= begun || found >= n && n <= newestKept, err
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
