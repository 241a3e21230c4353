package index

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"slices"
	"strings"

	"hookline/hookctl/find"
)

// maxRanked is the number of matches of a tier that are ranked: the newest ones. A word of every event would cost a
// second else.
const maxRanked = 300

// tiers orders the kinds of text by what a hit in them means, the best first: what people and the agent said and what
// went wrong; what was done; what came out. A match belongs to the first tier whose kinds have all words.
var tiers = []struct {
	kinds []find.Kind
	score float64
}{
	{[]find.Kind{find.Prompt, find.Words, find.Error}, 3},
	{[]find.Kind{find.Prompt, find.Words, find.Error, find.Command, find.Path, find.Note}, 2},
	{nil, 1},
}

// Search returns the best matches, the best one first. See [find.Index].
func (x *Index) Search(ctx context.Context, q find.Query) ([]find.Match, error) {
	terms := q.Terms()
	if len(terms) == 0 {
		return x.selectDocs(ctx, q, selection{limit: min(q.Limit, maxRanked), score: 1})
	}
	if q.Every {
		return x.selectDocs(ctx, q, selection{words: expression(terms, nil), limit: q.Limit, score: 1})
	}

	var all []find.Match
	seen := map[uint64]bool{}
	previous := ""
	for _, tier := range tiers {
		words := expression(terms, tier.kinds)
		if words == previous { // every term names its kind of text: the tiers are the same
			break
		}
		previous = words

		matches, err := x.selectDocs(ctx, q, selection{words: words, limit: maxRanked, score: tier.score})
		if err != nil {
			return nil, err
		}
		for _, m := range matches {
			if !seen[m.Seq] {
				seen[m.Seq] = true
				all = append(all, m)
			}
		}
	}
	return rank(all, q.Limit), nil
}

// selection says which documents [Index.selectDocs] returns.
type selection struct {
	words string  // an expression of the full-text engine; "" for all documents
	limit int     // number of documents, the newest ones
	score float64 // of each
}

// selectDocs returns the documents that a query's restrictions and the words of the selection allow, the newest first.
func (x *Index) selectDocs(ctx context.Context, q find.Query, s selection) ([]find.Match, error) {
	var where conditions
	tables := "doc d"
	seqColumn := "d.seq"
	if s.words != "" {
		tables = "texts JOIN doc d ON d.seq = texts.rowid"
		seqColumn = "texts.rowid"
		where.add("texts MATCH ?", s.words)
	}
	where.addQuery(q, seqColumn)

	statement := "SELECT d.seq, d.time, (SELECT text FROM name WHERE key = d.session), " +
		"(SELECT text FROM name WHERE key = d.project) FROM " + tables + where.sql() +
		" ORDER BY " + seqColumn + " DESC LIMIT ?"
	rows, err := x.db.QueryContext(ctx, statement, append(where.args, s.limit)...)
	if err != nil {
		return nil, fmt.Errorf("search the index: %w", err)
	}
	defer rows.Close()

	var matches []find.Match
	for rows.Next() {
		m := find.Match{Score: s.score}
		if err := rows.Scan(&m.Seq, &m.Time, &m.Session, &m.Project); err != nil {
			return nil, fmt.Errorf("read a match from the index: %w", err)
		}
		matches = append(matches, m)
	}
	return matches, rows.Err()
}

// conditions collects the conditions of a statement, all of which must hold, with their arguments.
type conditions struct {
	parts []string
	args  []any
}

func (c *conditions) add(condition string, args ...any) {
	c.parts = append(c.parts, condition)
	c.args = append(c.args, args...)
}

// sql returns the WHERE clause, or "" without conditions.
func (c *conditions) sql() string {
	if len(c.parts) == 0 {
		return ""
	}
	return " WHERE " + strings.Join(c.parts, " AND ")
}

// addQuery adds the restrictions of a query.
func (c *conditions) addQuery(q find.Query, seqColumn string) {
	c.addSessions(q.Sessions, seqColumn)
	c.addNames("d.project", "=", q.Projects)
	c.addNames("d.type", "GLOB", q.Types)
	c.addNames("d.tool", "GLOB", q.Tools)

	c.addBound(seqColumn+" >= ?", int64(q.From))
	c.addBound(seqColumn+" <= ?", int64(q.To))
	c.addBound("d.time >= ?", q.Since)
	c.addBound("d.time < ?", q.Until)
}

// addSessions restricts the sessions, if any are named. The bounds of their sequences let the engine skip the others.
func (c *conditions) addSessions(sessions []string, seqColumn string) {
	if len(sessions) == 0 {
		return
	}
	c.addNames("d.session", "=", sessions)
	c.add(seqColumn+" >= ("+namesSQL("min(first)", "=", len(sessions))+")", trimmed(sessions)...)
	c.add(seqColumn+" <= ("+namesSQL("max(last)", "=", len(sessions))+")", trimmed(sessions)...)
}

// addNames restricts a column to the names that any of the values matches by the operator, if there are any.
func (c *conditions) addNames(column, operator string, values []string) {
	if len(values) > 0 {
		c.add(column+" IN ("+namesSQL("key", operator, len(values))+")", trimmed(values)...)
	}
}

// addBound adds a condition with one value, unless that is 0.
func (c *conditions) addBound(condition string, value int64) {
	if value != 0 {
		c.add(condition, value)
	}
}

// namesSQL returns a statement that selects a column of the names that match one of n values.
func namesSQL(column, operator string, n int) string {
	match := "text " + operator + " ?"
	return "SELECT " + column + " FROM name WHERE text <> '' AND (" + match + strings.Repeat(" OR "+match, n-1) + ")"
}

func trimmed(values []string) []any {
	args := make([]any, len(values))
	for i, v := range values {
		args[i] = strings.TrimSpace(v)
	}
	return args
}

// expression returns the engine's form of the terms: all words of all of them, in texts of the given kinds where a term
// does not name its own; nil means all kinds. Every word is a quoted string of letters and digits.
func expression(terms []find.Term, kinds []find.Kind) string {
	var parts []string
	for _, t := range terms {
		part := `("` + strings.Join(t.Words, `" AND "`) + `"`
		if t.Prefix {
			part += "*"
		}

		termKinds := t.Kinds
		if len(termKinds) == 0 {
			termKinds = kinds
		}
		if len(termKinds) > 0 {
			var names []string
			for _, k := range termKinds {
				names = append(names, find.KindNames[k])
			}
			part = "{" + strings.Join(names, " ") + "} : " + part
		}
		parts = append(parts, part+")")
	}
	return strings.Join(parts, " AND ")
}

// A match gets a bonus of a half, which is halved for every 30 days that it is older than the newest one. It is worth
// less the more matches of its session are ranked before it, so that one session does not fill the answer.
const (
	halfLife       = 30 * 24 * 3600 * 1000.0 // ms
	recencyBonus   = 0.5
	repeatedWeight = 0.35
)

// rank returns the best matches, the best first.
func rank(all []find.Match, limit int) []find.Match {
	newest := int64(0)
	for _, m := range all {
		newest = max(newest, m.Time)
	}
	for i := range all {
		age := float64(newest-all[i].Time) / halfLife
		all[i].Score *= 1 + recencyBonus*math.Exp2(-age)
	}
	byScore := func(x, y find.Match) int {
		return cmp.Or(cmp.Compare(y.Score, x.Score), cmp.Compare(y.Seq, x.Seq))
	}
	slices.SortFunc(all, byScore)

	before := map[string]int{} // matches of each session
	for i, m := range all {
		all[i].Score /= 1 + repeatedWeight*float64(before[m.Session])
		before[m.Session]++
	}
	slices.SortStableFunc(all, byScore)

	return all[:min(len(all), limit)]
}
