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

// batch collects what is written next.
type batch struct {
	db      *sql.DB
	docs    []find.Doc
	calls   map[string]int // of the batch's open documents: where they stand in docs
	closed  []string       // calls whose outcome is here, and whose request was written before
	dropped []string       // sessions that were deleted
	undone  []string       // ids of events that were retracted
	seq     uint64
	id      string
	events  int
	bytes   int

	names     map[string]int64 // keys of interned names
	retracted map[string]bool  // ids that were taken back before they came, as an import brings them
}

// newBatch is an empty batch that knows what was retracted.
func newBatch(ctx context.Context, db *sql.DB) (*batch, error) {
	b := &batch{db: db, calls: map[string]int{}, names: map[string]int64{}, retracted: map[string]bool{}}
	rows, err := db.QueryContext(ctx, "SELECT id FROM retracted")
	if err != nil {
		return nil, err
	}
	for rows.Next() {
		var id string
		if err := rows.Scan(&id); err != nil {
			return nil, errors.Join(err, rows.Close())
		}
		b.retracted[id] = true
	}
	return b, errors.Join(rows.Err(), rows.Close())
}

func (b *batch) full() bool { return b.events >= batchEvents || b.bytes >= batchBytes }

// take adds one event.
func (b *batch) take(ctx context.Context, r events.Record) error {
	b.seq, b.id = r.Seq, r.ID
	b.events++
	switch e := r.Event.(type) {
	case *events.SessionDeleted:
		if err := b.write(ctx); err != nil { // what came before goes, what comes behind stays
			return err
		}
		b.seq, b.id = r.Seq, r.ID
		b.dropped = append(b.dropped, r.Session)
		return b.write(ctx)
	case *events.RecordRetracted:
		if err := b.write(ctx); err != nil {
			return err
		}
		b.seq, b.id = r.Seq, r.ID
		b.undone = append(b.undone, e.Target)
		b.retracted[e.Target] = true
		return b.write(ctx)
	}
	d, ok := find.Of(r)
	if !ok {
		return nil
	}
	if i, here := b.calls[d.Call]; here && d.Call != "" {
		b.bytes -= b.docs[i].Size()
		b.docs[i].Seq = 0
		delete(b.calls, d.Call)
	} else if d.Call != "" && !d.Open {
		b.closed = append(b.closed, d.Call)
	}
	if d.Open {
		b.calls[d.Call] = len(b.docs)
	}
	b.docs = append(b.docs, d)
	b.bytes += d.Size()
	return nil
}

// write brings the batch to the file.
func (b *batch) write(ctx context.Context) error {
	if b.seq == 0 {
		return nil
	}
	tx, err := b.db.BeginTx(ctx, nil)
	if err != nil {
		return err
	}
	w := &writer{ctx: ctx, tx: tx, made: map[string]*sql.Stmt{}, names: b.names}
	w.batch(b)
	if w.err != nil {
		return errors.Join(w.err, tx.Rollback())
	}
	if err := tx.Commit(); err != nil {
		return err
	}
	*b = batch{db: b.db, calls: map[string]int{}, names: b.names, retracted: b.retracted}
	return nil
}

// writer is one transaction. After an error it does nothing more.
type writer struct {
	ctx   context.Context
	tx    *sql.Tx
	names map[string]int64
	made  map[string]*sql.Stmt
	err   error
}

func (w *writer) exec(query string, args ...any) {
	if w.err != nil {
		return
	}
	st, ok := w.made[query]
	if !ok {
		if st, w.err = w.tx.PrepareContext(w.ctx, query); w.err != nil {
			return
		}
		w.made[query] = st
	}
	_, w.err = st.ExecContext(w.ctx, args...)
}

func (w *writer) batch(b *batch) {
	for _, call := range b.closed {
		w.remove("SELECT seq FROM open WHERE call = ?", call)
		w.exec("DELETE FROM open WHERE call = ?", call)
	}
	for _, session := range b.dropped {
		w.remove("SELECT seq FROM doc WHERE session = (SELECT key FROM name WHERE text = ?)", session)
	}
	for _, id := range b.undone {
		w.exec("INSERT OR IGNORE INTO retracted VALUES(?)", id)
		w.remove("SELECT seq FROM doc WHERE ident = ?", ident(id))
	}
	for _, d := range b.docs {
		if d.Seq != 0 && !b.retracted[d.ID] {
			w.add(d)
		}
	}
	w.exec("INSERT OR REPLACE INTO position VALUES(1, ?, ?)", int64(b.seq), b.id)
}

// remove takes documents out, by a query for their sequences.
func (w *writer) remove(query string, arg any) {
	if w.err != nil {
		return
	}
	rows, err := w.tx.QueryContext(w.ctx, query, arg)
	if err != nil {
		w.err = err
		return
	}
	var gone []int64
	for rows.Next() {
		var seq int64
		if err := rows.Scan(&seq); err != nil {
			w.err = err
		}
		gone = append(gone, seq)
	}
	w.err = errors.Join(w.err, rows.Err(), rows.Close())
	for _, seq := range gone {
		w.exec("DELETE FROM doc WHERE seq = ?", seq)
	}
}

// add writes one document.
func (w *writer) add(d find.Doc) {
	session, project := w.name(d.Session), w.name(d.Project)
	typ, tool := w.name(d.Type), w.name(d.Tool)
	seq := int64(d.Seq)
	w.exec("INSERT INTO doc VALUES(?, ?, ?, ?, ?, ?, ?, ?)", seq, d.Time, session, project, typ, tool, d.Size(), ident(d.ID))
	w.exec("UPDATE name SET first = min(first, ?1), last = max(last, ?1) WHERE key = ?2", seq, session)
	args := []any{seq}
	for _, text := range d.Text {
		args = append(args, find.Fold(text))
	}
	w.exec("INSERT INTO texts(rowid, "+columns+") VALUES(?, ?, ?, ?, ?, ?, ?, ?)", args...)
	if d.Open {
		w.exec("INSERT OR REPLACE INTO open VALUES(?, ?)", d.Call, seq)
	}
}

// name is the key of a session, a project, a type or a tool.
func (w *writer) name(text string) int64 {
	if key, known := w.names[text]; known || w.err != nil {
		return key
	}
	w.exec("INSERT OR IGNORE INTO name(text, first, last) VALUES(?, ?, 0)", text, int64(1)<<62)
	var key int64
	if w.err == nil {
		w.err = w.tx.QueryRowContext(w.ctx, "SELECT key FROM name WHERE text = ?", text).Scan(&key)
	}
	w.names[text] = key
	return key
}

// ident is a short form of an event's id.
func ident(id string) int64 {
	h := fnv.New64a()
	_, _ = h.Write([]byte(id)) // never fails
	return int64(h.Sum64() >> 24)
}
