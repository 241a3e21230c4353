package index

import (
	"cmp"
	"context"
	"math"
	"path"
	"slices"
	"strings"

	"hookline/hookctl/find"
)

// mostJudged bounds how many matches of a tier are judged: the newest ones. A word that stands in every event would
// else cost a second.
const mostJudged = 300

// tiers are the kinds of text by what a hit in them says, the best first: what people and the agent said and what went
// wrong; what was done; what came out. A match belongs to the first tier that, with those before it, has all words.
var tiers = []struct {
	kinds []int
	worth float64
}{
	{[]int{find.Prompt, find.Words, find.Error}, 3},
	{[]int{find.Prompt, find.Words, find.Error, find.Command, find.Path, find.Note}, 2},
	{nil, 1},
}

// Search gives the best matches, the best one first. See [find.Index].
func (x *Index) Search(ctx context.Context, q find.Query) ([]find.Match, error) {
	found, err := x.search(ctx, q)
	if !damaged(err) || x.log == nil {
		return found, err
	}
	if err = x.anew(ctx); err == nil {
		err = x.update(ctx, x.log, nil)
	}
	if err != nil {
		return nil, err
	}
	return x.search(ctx, q)
}

func (x *Index) search(ctx context.Context, q find.Query) ([]find.Match, error) {
	limits := &selection{}
	ok, err := x.limits(ctx, q, limits)
	if err != nil || !ok {
		return nil, err
	}
	terms := q.Terms()
	if len(terms) == 0 {
		all, err := x.rows(ctx, limits.query("doc d", "d.seq"), limits.args, mostJudged, 1)
		if err != nil {
			return nil, err
		}
		return x.named(ctx, all[:min(len(all), q.Limit)])
	}

	if q.Every {
		limits.where("texts MATCH ?", expression(terms, nil))
		all, err := x.rows(ctx, limits.query("texts JOIN doc d ON d.seq = texts.rowid", "texts.rowid"), limits.args, q.Limit, 1)
		if err != nil {
			return nil, err
		}
		return x.named(ctx, all)
	}

	var all []row
	seen := map[uint64]bool{}
	asked := ""
	for _, tier := range tiers {
		e := expression(terms, tier.kinds)
		if e == asked { // every term says where it stands
			break
		}
		asked = e
		s := &selection{}
		s.where("texts MATCH ?", e)
		s.conditions = append(s.conditions, limits.conditions...)
		s.args = append(s.args, limits.args...)
		found, err := x.rows(ctx, s.query("texts JOIN doc d ON d.seq = texts.rowid", "texts.rowid"), s.args, mostJudged, tier.worth)
		if err != nil {
			return nil, err
		}
		for _, m := range found {
			if !seen[m.seq] {
				seen[m.seq] = true
				all = append(all, m)
			}
		}
	}
	return x.named(ctx, rank(all, q.Limit))
}

// row is a document that matches, with the keys of its names.
type row struct {
	seq                    uint64
	time                   int64
	session, project, kind int64
	score                  float64
}

func (x *Index) rows(ctx context.Context, query string, args []any, most int, worth float64) ([]row, error) {
	rows, err := x.db.QueryContext(ctx, query, append(slices.Clone(args), most)...)
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	var all []row
	for rows.Next() {
		m := row{score: worth}
		if err := rows.Scan(&m.seq, &m.time, &m.session, &m.project, &m.kind); err != nil {
			return nil, err
		}
		all = append(all, m)
	}
	return all, rows.Err()
}

// named gives matches their names.
func (x *Index) named(ctx context.Context, found []row) ([]find.Match, error) {
	known := map[int64]string{}
	var out []find.Match
	for _, m := range found {
		for _, key := range []int64{m.session, m.project, m.kind} {
			if _, ok := known[key]; ok {
				continue
			}
			var text string
			if err := x.db.QueryRowContext(ctx, "SELECT text FROM name WHERE key = ?", key).Scan(&text); err != nil {
				return nil, err
			}
			known[key] = text
		}
		out = append(out, find.Match{Seq: m.seq, Time: m.time, Session: known[m.session], Project: known[m.project], Type: known[m.kind], Score: m.score})
	}
	return out, nil
}

// selection is a query under construction.
type selection struct {
	conditions []string
	args       []any
}

func (s *selection) where(condition string, args ...any) {
	s.conditions = append(s.conditions, condition)
	s.args = append(s.args, args...)
}

// in wants a column to have one of the keys.
func (s *selection) in(column string, keys []int64) {
	args := make([]any, len(keys))
	for i, k := range keys {
		args[i] = k
	}
	s.where(column+" IN ("+strings.TrimSuffix(strings.Repeat("?,", len(keys)), ",")+")", args...)
}

// query is the SQL, the newest first; seq is the column that orders. Its last argument is how many.
func (s *selection) query(from, seq string) string {
	where := ""
	if len(s.conditions) > 0 {
		where = " WHERE " + strings.ReplaceAll(strings.Join(s.conditions, " AND "), "$seq", seq)
	}
	return "SELECT d.seq, d.time, d.session, d.project, d.type FROM " + from + where + " ORDER BY " + seq + " DESC LIMIT ?"
}

// limits adds what a query demands besides words; false where nothing can match.
func (x *Index) limits(ctx context.Context, q find.Query, s *selection) (bool, error) {
	names, err := x.names(ctx, q)
	if err != nil {
		return false, err
	}
	if len(q.Sessions) > 0 { // the engine skips to where they stand
		first, last := uint64(math.MaxInt64), uint64(1)
		for _, n := range names {
			if slices.Contains(q.Sessions, n.text) {
				first, last = min(first, n.first), max(last, n.last)
			}
		}
		q.From = max(q.From, first)
		if q.To == 0 || last < q.To {
			q.To = last
		}
	}
	for _, group := range []struct {
		column string
		wanted []string
		like   func(pattern, name string) bool
	}{{"d.session", q.Sessions, same}, {"d.project", q.Projects, same}, {"d.type", q.Types, glob}, {"d.tool", q.Tools, glob}} {
		if len(group.wanted) == 0 {
			continue
		}
		var keys []int64
		for _, n := range names {
			if slices.ContainsFunc(group.wanted, func(w string) bool { return group.like(w, n.text) }) {
				keys = append(keys, n.key)
			}
		}
		if len(keys) == 0 {
			return false, nil
		}
		s.in(group.column, keys)
	}
	for _, bound := range []struct {
		condition string
		value     int64
	}{{"$seq >= ?", int64(q.From)}, {"$seq <= ?", int64(q.To)}, {"d.time >= ?", q.Since}, {"d.time < ?", q.Until}} {
		if bound.value != 0 {
			s.where(bound.condition, bound.value)
		}
	}
	return true, nil
}

func same(want, name string) bool { return want == name }

func glob(pattern, name string) bool {
	ok, _ := path.Match(strings.TrimSpace(pattern), name)
	return ok && name != ""
}

// name is a session, a project, a type or a tool, and where documents of a session stand.
type name struct {
	key         int64
	text        string
	first, last uint64
}

// names are all that could be meant; none are read for a query that names nothing.
func (x *Index) names(ctx context.Context, q find.Query) ([]name, error) {
	if len(q.Sessions)+len(q.Projects)+len(q.Types)+len(q.Tools) == 0 {
		return nil, nil
	}
	rows, err := x.db.QueryContext(ctx, "SELECT key, text, first, last FROM name")
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	var all []name
	for rows.Next() {
		var n name
		if err := rows.Scan(&n.key, &n.text, &n.first, &n.last); err != nil {
			return nil, err
		}
		all = append(all, n)
	}
	return all, rows.Err()
}

// expression is what the engine is asked: all terms, in these kinds of text where they do not say it themselves; nil
// means all kinds. Words of one term stand in one text. Every word is a quoted string of letters and digits.
func expression(terms []find.Term, kinds []int) string {
	var parts []string
	for _, t := range terms {
		in := t.Kinds
		if len(in) == 0 {
			in = kinds
		}
		if len(t.Words) == 1 {
			parts = append(parts, within(in)+quoted(t))
			continue
		}
		if in == nil {
			in = every
		}
		var either []string
		for _, k := range in {
			either = append(either, "("+within([]int{k})+quoted(t)+")")
		}
		parts = append(parts, "("+strings.Join(either, " OR ")+")")
	}
	return strings.Join(parts, " AND ")
}

// every is all kinds.
var every = []int{find.Prompt, find.Words, find.Command, find.Path, find.Error, find.Output, find.Note}

func within(kinds []int) string {
	if kinds == nil {
		return ""
	}
	var names []string
	for _, k := range kinds {
		names = append(names, find.KindNames[k])
	}
	return "{" + strings.Join(names, " ") + "} : "
}

func quoted(t find.Term) string {
	out := `("` + strings.Join(t.Words, `" AND "`) + `"`
	if t.Prefix {
		out += "*"
	}
	return out + ")"
}

// A match has a bonus of a half, which is halved every 30 days behind the newest one. It is worth less the more matches
// of its session stand before it, so that one session does not fill the page.
const (
	halfLife = 30 * 24 * 3600 * 1000.0 // ms
	bonus    = 0.5
	repeated = 0.35
)

// rank puts the best first.
func rank(all []row, limit int) []row {
	if len(all) == 0 {
		return nil
	}
	newest := slices.MaxFunc(all, func(x, y row) int { return cmp.Compare(x.time, y.time) }).time
	for i := range all {
		age := float64(newest-all[i].time) / halfLife
		all[i].score *= 1 + bonus*math.Exp2(-age)
	}
	best := func(x, y row) int { return cmp.Or(cmp.Compare(y.score, x.score), cmp.Compare(y.seq, x.seq)) }
	slices.SortFunc(all, best)
	before := map[int64]int{}
	for i, m := range all {
		all[i].score /= 1 + repeated*float64(before[m.session])
		before[m.session]++
	}
	slices.SortStableFunc(all, best)
	if limit > 0 && len(all) > limit {
		all = all[:limit]
	}
	return all
}
