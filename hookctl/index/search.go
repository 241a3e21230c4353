package index

import (
	"cmp"
	"context"
	"math"
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
	terms := q.Terms()
	if len(terms) == 0 {
		return x.matches(ctx, q, "doc d", "d.seq", min(q.Limit, mostJudged), 1)
	}
	if q.Every {
		return x.matches(ctx, q, texts, "texts.rowid", q.Limit, 1, expression(terms, nil))
	}

	var all []find.Match
	seen := map[uint64]bool{}
	asked := ""
	for _, tier := range tiers {
		e := expression(terms, tier.kinds)
		if e == asked { // every term says where it stands
			break
		}
		asked = e

		found, err := x.matches(ctx, q, texts, "texts.rowid", mostJudged, tier.worth, e)
		if err != nil {
			return nil, err
		}
		for _, m := range found {
			if !seen[m.Seq] {
				seen[m.Seq] = true
				all = append(all, m)
			}
		}
	}
	return rank(all, q.Limit), nil
}

// texts is where documents stand that have words.
const texts = "texts JOIN doc d ON d.seq = texts.rowid"

// matches are the newest documents that a query's limits allow, each worth so much, at most so many; words are those of
// the engine, if any. seq is the column of the sequence.
func (x *Index) matches(ctx context.Context, q find.Query, from, seq string, most int, worth float64, words ...string) ([]find.Match, error) {
	var conditions []string
	var args []any
	where := func(condition string, values ...any) {
		conditions = append(conditions, condition)
		args = append(args, values...)
	}
	for _, w := range words {
		where("texts MATCH ?", w)
	}

	for _, group := range []struct {
		column, like string
		wanted       []string
	}{{"d.session", "=", q.Sessions}, {"d.project", "=", q.Projects}, {"d.type", "GLOB", q.Types}, {"d.tool", "GLOB", q.Tools}} {
		if len(group.wanted) == 0 {
			continue
		}
		keys := "SELECT key FROM name WHERE text <> '' AND (text " + group.like + " ?" + strings.Repeat(" OR text "+group.like+" ?", len(group.wanted)-1) + ")"
		values := make([]any, len(group.wanted))
		for i, w := range group.wanted {
			values[i] = strings.TrimSpace(w)
		}
		where(group.column+" IN ("+keys+")", values...)
		if group.column == "d.session" { // the engine skips to where they stand
			where(seq+" >= ("+strings.Replace(keys, "key", "min(first)", 1)+")", values...)
			where(seq+" <= ("+strings.Replace(keys, "key", "max(last)", 1)+")", values...)
		}
	}
	for _, bound := range []struct {
		condition string
		value     int64
	}{{seq + " >= ?", int64(q.From)}, {seq + " <= ?", int64(q.To)}, {"d.time >= ?", q.Since}, {"d.time < ?", q.Until}} {
		if bound.value != 0 {
			where(bound.condition, bound.value)
		}
	}

	query := "SELECT d.seq, d.time, (SELECT text FROM name WHERE key = d.session), (SELECT text FROM name WHERE key = d.project) FROM " + from
	if len(conditions) > 0 {
		query += " WHERE " + strings.Join(conditions, " AND ")
	}
	rows, err := x.db.QueryContext(ctx, query+" ORDER BY "+seq+" DESC LIMIT ?", append(args, most)...)
	if err != nil {
		return nil, err
	}
	defer rows.Close()

	var found []find.Match
	for rows.Next() {
		m := find.Match{Score: worth}
		if err := rows.Scan(&m.Seq, &m.Time, &m.Session, &m.Project); err != nil {
			return nil, err
		}
		found = append(found, m)
	}
	return found, rows.Err()
}

// expression is what the engine is asked: all words of all terms, in these kinds of text where a term does not say it
// itself; nil means all kinds. Every word is a quoted string of letters and digits.
func expression(terms []find.Term, kinds []int) string {
	var parts []string
	for _, t := range terms {
		in := t.Kinds
		if len(in) == 0 {
			in = kinds
		}
		part := `("` + strings.Join(t.Words, `" AND "`) + `"`
		if t.Prefix {
			part += "*"
		}

		var names []string
		for _, k := range in {
			names = append(names, find.KindNames[k])
		}
		if len(names) > 0 {
			part = "{" + strings.Join(names, " ") + "} : " + part
		}
		parts = append(parts, part+")")
	}
	return strings.Join(parts, " AND ")
}

// A match has a bonus of a half, which is halved for every 30 days that it is older than the newest one. It is worth less the more matches
// of its session stand before it, so that one session does not fill the page.
const (
	halfLife = 30 * 24 * 3600 * 1000.0 // ms
	bonus    = 0.5
	repeated = 0.35
)

// rank puts the best first.
func rank(all []find.Match, limit int) []find.Match {
	newest := int64(0)
	for _, m := range all {
		newest = max(newest, m.Time)
	}
	for i := range all {
		age := float64(newest-all[i].Time) / halfLife
		all[i].Score *= 1 + bonus*math.Exp2(-age)
	}
	best := func(x, y find.Match) int { return cmp.Or(cmp.Compare(y.Score, x.Score), cmp.Compare(y.Seq, x.Seq)) }
	slices.SortFunc(all, best)

	before := map[string]int{}
	for i, m := range all {
		all[i].Score /= 1 + repeated*float64(before[m.Session])
		before[m.Session]++
	}
	slices.SortStableFunc(all, best)
	return all[:min(len(all), limit)]
}
