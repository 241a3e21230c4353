package cli

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"net/url"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"hookline/hookctl/cmdline"
	"hookline/hookctl/problem"
)

// scope is which cells are meant: all, those of one projection, or one; and by which time a point is read.
type scope struct{ projection, key, by string }

func scopeOf(args []string, by byFlag) scope {
	s := scope{by: by.By}
	if len(args) > 0 {
		s.projection = args[0]
	}
	if len(args) > 1 {
		s.key = args[1]
	}
	return s
}

// query adds the scope to a request.
func (s scope) query(q url.Values) url.Values {
	if s.projection != "" {
		q.Set("projection", s.projection)
	}
	if s.key != "" {
		q.Set("key", s.key)
	}
	if s.by == byAppend {
		q.Set("by", s.by)
	}
	return q
}

func (a *app) atCmd() *cobra.Command {
	by := byFlag{byCapture}
	return a.verb(&cobra.Command{
		Use:   "at POINT [PROJECTION [KEY]]",
		Short: "Show any state at any past point",
		Long: "Show which cells there were at a point of the log; with a projection or a key, their states.\n" +
			"Of a session the key is its id, any unique prefix of it, or last.\n\n" + pastHelp,
		Example: "  replay at 120\n  replay at '2026-11-21 08:00' identity c68c8a51\n  replay at 10m session --json | jq '.cells[].state'\n" +
			"  replay at '2026-11-21 08:00' gate --by append",
		Args:              cmdline.Between(1, "a point", "a projection", "a key"),
		ValidArgsFunction: completeScope(1),
	}, func(ctx context.Context, args []string) error {
		s := scopeOf(args[1:], by)
		key, err := a.session(ctx, s.key)
		if err != nil {
			return err
		}
		s.key = key
		points, err := a.pointsBy(s.by, args[0])
		if err != nil {
			return err
		}
		return a.with(ctx, func(h backend) error {
			var raw json.RawMessage
			if err := h.Get(ctx, "/v1/at", s.query(url.Values{"point": points}), &raw); err != nil {
				return err
			}
			p, err := decode[past](raw)
			if err != nil {
				return err
			}
			if s.key != "" && len(p.Cells) == 0 {
				return problem.Faultf("projection %s had no cell %q at sequence %d", s.projection, s.key, p.Seq).Advise(fmt.Sprintf("`replay at %d %s` shows those it had", p.Seq, s.projection))
			}
			if a.JSON {
				return a.PrintRaw(raw)
			}
			a.Printf("%s\n", a.Paint.Faint("sequence "+a.named(ctx, h, p.Seq)))
			if s.projection == "" {
				a.listCells(p)
				return nil
			}
			return a.printStates(p)
		})
	}, &by)
}

// past is the answer about one point.
type past struct {
	Seq   uint64      `json:"seq" jsonschema_description:"sequence of the point"`
	Cells []namedCell `json:"cells" jsonschema_description:"those there were, of what was asked for"`
}

// namedCell is a cell at a point.
type namedCell struct {
	Projection string          `json:"projection" jsonschema_description:"name, as session or identity"`
	Key        string          `json:"key" jsonschema_description:"of the cell"`
	Seq        uint64          `json:"seq" jsonschema_description:"event that the state was folded at"`
	State      json.RawMessage `json:"state" jsonschema_description:"by projection, see the objects of that name"`
}

func (a *app) listCells(p past) {
	if len(p.Cells) == 0 {
		a.Printf("no cells yet\n")
		return
	}
	rows := make([][]string, 0, len(p.Cells))
	for _, c := range p.Cells {
		rows = append(rows, []string{cmdline.Clean(c.Projection), fmt.Sprint(c.Seq), cmdline.Clean(c.Key)})
	}
	t := a.Table("PROJECTION", "SEQ", "KEY")
	t.Rows, t.Columns = rows, 0
	t.Print()
}

func (a *app) printStates(p past) error {
	if len(p.Cells) == 0 {
		a.Printf("no cells yet\n")
	}
	for _, c := range p.Cells {
		list, err := fields(c.State)
		if err != nil {
			return fmt.Errorf("read the state of %s %s: %w", c.Projection, c.Key, err)
		}
		a.Printf("%s  %s\n", a.Paint.Bold(cmdline.Clean(c.Projection+"  "+c.Key)), a.Paint.Faint(fmt.Sprintf("folded at %d", c.Seq)))
		a.printFields(list)
	}
	return nil
}

// field is one member of a state by its path.
type field struct{ path, text string }

func (a *app) printFields(list []field) {
	var names int
	for _, f := range list {
		names = max(names, cmdline.Width(f.path))
	}
	for _, f := range list {
		text := f.text
		if a.Columns > 0 {
			text = cmdline.Fit(text, max(16, a.Columns-names-len("    ")))
		}
		a.Printf("  %s  %s\n", cmdline.Pad(f.path, names), text)
	}
}

// fields takes a state apart: objects into their members, by name, everything else as JSON text.
func fields(state []byte) ([]field, error) {
	var v any
	d := json.NewDecoder(bytes.NewReader(state))
	d.UseNumber() // numbers as they are written, not as float64 prints them
	if err := d.Decode(&v); err != nil {
		return nil, err
	}
	return flatten("", v)
}

func flatten(path string, v any) ([]field, error) {
	members, ok := v.(map[string]any)
	if !ok || len(members) == 0 {
		var b strings.Builder
		e := json.NewEncoder(&b)
		e.SetEscapeHTML(false)
		err := e.Encode(v)
		return []field{{cmdline.Clean(path), strings.TrimSpace(b.String())}}, err
	}
	var out []field
	for _, name := range slices.Sorted(maps.Keys(members)) {
		sub, err := flatten(strings.TrimPrefix(path+"."+name, "."), members[name])
		if err != nil {
			return nil, err
		}
		out = append(out, sub...)
	}
	return out, nil
}
