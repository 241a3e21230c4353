package past

import (
	"context"
	"errors"
	"net/http"
	"slices"
	"strings"

	"hookline/events"
	"hookline/hookctl/problem"
	"hookline/projector"
	"hookline/projector/identity"
	"hookline/projector/session"
	"hookline/projector/tables"
	"hookline/projector/working"
)

// Which cells a question about the past means, and what must be read for them.

// cellID names a cell.
type cellID struct{ table, key string }

// chosen are cells: all of some projections, or some.
type chosen struct {
	tables []*projector.Table
	cells  map[cellID]bool // nil = all
	want   []projector.Selector
}

// choose reads which cells are meant. A session may be named by its alias; one that is gone now may have been there then.
// A key without a projection means the cell of that key in each.
func (v View) choose(ctx context.Context, table, key string) (chosen, error) {
	c := chosen{tables: tables.All()}
	if table != "" {
		if err := KnownTable(table); err != nil {
			return c, err
		}
		c.tables = tables.Named(table)
	}
	if key == "" {
		for _, t := range c.tables {
			c.want = append(c.want, t.Needs("")...)
		}
		return c, nil
	}
	bySession := []string{session.Name, identity.Name, working.Name} // their keys are whole ids, so an alias names one
	if slices.Contains(bySession, table) {
		full, err := v.Session(ctx, key)
		switch gone := (*problem.Error)(nil); {
		case err == nil:
			key = full
		case !errors.As(err, &gone) || gone.Status != http.StatusNotFound: // an ambiguous one is an error
			return c, err
		}
	}
	c.cells = map[cellID]bool{}
	for _, t := range c.tables {
		c.add(t, key)
	}
	return c, nil
}

// add means one cell more.
func (c *chosen) add(t *projector.Table, key string) {
	c.cells[cellID{t.Name(), key}] = true
	c.want = append(c.want, t.Needs(key)...)
}

// maxTouched bounds for how many cells the log is read selectively; a difference of more is folded from all of it.
const maxTouched = 32

// errTouched ends a search that has found more.
var errTouched = errors.New("more cells than are looked for")

// touched narrows all cells to those that a record between two points folds into: no other can differ.
func (v View) touched(ctx context.Context, c chosen, lo, hi uint64) (chosen, error) {
	if c.cells != nil || lo >= hi {
		return c, nil
	}
	few := chosen{tables: c.tables, cells: map[cellID]bool{}}
	err := v.Log.Select(ctx, lo+1, hi, c.want, func(r events.Record) error {
		for _, t := range c.tables {
			for _, key := range t.Keys(r) {
				if key == "" || few.cells[cellID{t.Name(), key}] {
					continue
				}
				if len(few.cells) == maxTouched {
					return errTouched
				}
				few.add(t, key)
			}
		}
		return nil
	})
	if errors.Is(err, errTouched) {
		return c, nil
	}
	return few, err
}

// states returns the chosen cells of a view, in which others may be folded in part.
func (c chosen) states(ctx context.Context, view *projector.View) ([]NamedCell, error) {
	out := []NamedCell{}
	err := view.Read(ctx, func(rd projector.Reader) error {
		for _, table := range c.tables {
			t := table.Name()
			keys, err := rd.Keys(t)
			if err != nil {
				return err
			}
			for _, k := range keys {
				if c.cells != nil && !c.cells[cellID{t, k}] {
					continue
				}
				if st, seq, ok := rd.Raw(t, k); ok {
					out = append(out, NamedCell{Projection: t, Cell: Cell{Key: k, Seq: seq, State: st}})
				}
			}
		}
		return nil
	})
	return out, err
}

// KnownTable refuses a projection that is none of ours, with the nearest of their names.
func KnownTable(table string) error {
	names := tables.Names()
	if slices.Contains(names, table) {
		return nil
	}
	hint := "projections: " + strings.Join(names, ", ")
	if near := problem.Nearest(table, names); near != "" {
		hint = "did you mean " + near + "?"
	}
	return problem.Missing("no projection is called %q", table).Advise(hint)
}
