package index

import (
	"context"
	"database/sql"
	"errors"
	"hash/fnv"

	"hookline/events"
	"hookline/hookctl/find"
)

// A batch is written as a whole, with its position.
const (
	batchEvents = 20_000
	batchBytes  = 16 << 20
)

// batch is one transaction. After an error it does nothing more.
type batch struct {
	ctx   context.Context
	tx    *sql.Tx
	made  map[string]*sql.Stmt
	names map[string]int64    // keys of interned names
	open  map[string]find.Doc // calls whose outcome is not here yet, by the client's id
	seq   uint64              // of the newest event
	id    string              // its id
	full  bool
	err   error

	events, bytes int
}

// newBatch begins a transaction. names are those of the batches before it.
func newBatch(ctx context.Context, db *sql.DB, names map[string]int64) *batch {
	tx, err := db.BeginTx(ctx, nil)
	return &batch{ctx: ctx, tx: tx, made: map[string]*sql.Stmt{}, names: names, open: map[string]find.Doc{}, err: err}
}

// take adds one event.
func (b *batch) take(r events.Record) {
	b.seq, b.id = r.Seq, r.ID
	b.events++
	switch e := r.Event.(type) {
	case *events.SessionDeleted:
		b.addOpen()
		b.exec("DELETE FROM doc WHERE session = (SELECT key FROM name WHERE text = ?)", r.Session)
		return
	case *events.RecordRetracted:
		b.addOpen()
		b.exec("DELETE FROM doc WHERE ident = ?", ident(e.Target))
		return
	}

	d, ok := find.Of(r)
	if !ok {
		return
	}
	b.bytes += d.Size()
	b.full = b.events >= batchEvents || b.bytes >= batchBytes
	if d.Open {
		b.open[d.Call] = d
		return
	}
	if _, here := b.open[d.Call]; !here && d.Call != "" {
		b.exec("DELETE FROM doc WHERE seq = (SELECT seq FROM open WHERE call = ?)", d.Call)
		b.exec("DELETE FROM open WHERE call = ?", d.Call)
	}
	delete(b.open, d.Call)
	b.add(d)
}

// addOpen writes the calls that have no outcome.
func (b *batch) addOpen() {
	for call, d := range b.open {
		b.add(d)
		b.exec("INSERT OR REPLACE INTO open VALUES(?, ?)", call, int64(d.Seq))
	}
	clear(b.open)
}

// write ends the transaction with its position.
func (b *batch) write() error {
	b.addOpen()
	if b.seq != 0 {
		b.exec("INSERT OR REPLACE INTO position VALUES(1, ?, ?)", int64(b.seq), b.id)
	}
	switch {
	case b.tx == nil:
		return b.err
	case b.err != nil:
		return errors.Join(b.err, b.tx.Rollback())
	}
	return b.tx.Commit()
}

func (b *batch) exec(query string, args ...any) {
	if b.err != nil {
		return
	}
	st, ok := b.made[query]
	if !ok {
		if st, b.err = b.tx.PrepareContext(b.ctx, query); b.err != nil {
			return
		}
		b.made[query] = st
	}
	_, b.err = st.ExecContext(b.ctx, args...)
}

// add writes one document.
func (b *batch) add(d find.Doc) {
	session, project := b.name(d.Session), b.name(d.Project)
	typ, tool := b.name(d.Type), b.name(d.Tool)
	seq := int64(d.Seq)
	b.exec("INSERT INTO doc VALUES(?, ?, ?, ?, ?, ?, ?, ?)", seq, d.Time, session, project, typ, tool, d.Size(), ident(d.ID))
	b.exec("UPDATE name SET first = min(first, ?1), last = max(last, ?1) WHERE key = ?2", seq, session)

	args := []any{seq}
	for _, text := range d.Text {
		args = append(args, find.Fold(text))
	}
	b.exec("INSERT INTO texts(rowid, "+columns+") VALUES(?, ?, ?, ?, ?, ?, ?, ?)", args...)
}

// name is the key of a session, a project, a type or a tool.
func (b *batch) name(text string) int64 {
	if key, known := b.names[text]; known || b.err != nil {
		return key
	}
	b.exec("INSERT OR IGNORE INTO name(text, first, last) VALUES(?, ?, 0)", text, int64(1)<<62)
	var key int64
	if b.err == nil {
		b.err = b.tx.QueryRowContext(b.ctx, "SELECT key FROM name WHERE text = ?", text).Scan(&key)
	}
	b.names[text] = key
	return key
}

// ident is a short form of an event's id.
func ident(id string) int64 {
	h := fnv.New64a()
	_, _ = h.Write([]byte(id)) // never fails
	return int64(h.Sum64() >> 24)
}
