package index

import (
	"context"
	"database/sql"
	"errors"
	"hash/fnv"

	"hookline/events"
	"hookline/hookctl/find"
)

// Bounds of a batch. Each is written in one transaction, with its position.
const (
	maxBatchEvents = 20_000
	maxBatchBytes  = 16 << 20
)

// batch is one transaction. After an error its methods do nothing; write returns the error.
type batch struct {
	ctx        context.Context
	tx         *sql.Tx
	statements map[string]*sql.Stmt
	names      map[string]int64    // keys of interned names
	open       map[string]find.Doc // calls of this batch without an outcome, by the client's id
	err        error

	seq uint64 // of the newest event
	id  string // of the newest event

	events, bytes int
}

// newBatch begins a transaction. names holds the names that earlier batches have interned, and gets those of this one.
func newBatch(ctx context.Context, db *sql.DB, names map[string]int64) *batch {
	tx, err := db.BeginTx(ctx, nil)
	return &batch{
		ctx:        ctx,
		tx:         tx,
		statements: map[string]*sql.Stmt{},
		names:      names,
		open:       map[string]find.Doc{},
		err:        err,
	}
}

// full tells whether the batch should be written before it takes more events.
func (b *batch) full() bool { return b.events >= maxBatchEvents || b.bytes >= maxBatchBytes }

// add adds one event.
func (b *batch) add(r events.Record) {
	b.seq = r.Seq
	b.id = r.ID
	b.events++

	switch e := r.Event.(type) {
	case *events.SessionDeleted:
		b.addOpenCalls()
		b.exec("DELETE FROM doc WHERE session = (SELECT key FROM name WHERE text = ?)", r.Session)
		return
	case *events.RecordRetracted:
		b.addOpenCalls()
		b.exec("DELETE FROM doc WHERE ident = ?", identOf(e.Target))
		return
	}

	d, ok := find.DocOf(r)
	if !ok {
		return
	}
	b.bytes += d.Size()
	if d.Open {
		b.open[d.Call] = d
		return
	}
	b.removeRequest(d.Call)
	b.addDoc(d)
}

// removeRequest removes the document of a call's request, which that of its outcome replaces. It may be in this batch
// or, written by an earlier one, in the file.
func (b *batch) removeRequest(call string) {
	if _, ok := b.open[call]; ok {
		delete(b.open, call)
		return
	}
	if call != "" {
		b.exec("DELETE FROM doc WHERE seq = (SELECT seq FROM open WHERE call = ?)", call)
		b.exec("DELETE FROM open WHERE call = ?", call)
	}
}

// addOpenCalls adds the documents of calls without an outcome, and notes in the file that it is open.
func (b *batch) addOpenCalls() {
	for call, d := range b.open {
		b.addDoc(d)
		b.exec("INSERT OR REPLACE INTO open VALUES(?, ?)", call, int64(d.Seq))
	}
	clear(b.open)
}

// write ends the transaction with the position of its last event. After an error it rolls the transaction back.
func (b *batch) write() error {
	b.addOpenCalls()
	if b.seq != 0 {
		b.exec("INSERT OR REPLACE INTO position VALUES(1, ?, ?)", int64(b.seq), b.id)
	}

	if b.tx == nil {
		return b.err
	}
	if b.err != nil {
		return errors.Join(b.err, b.tx.Rollback())
	}
	return b.tx.Commit()
}

// exec runs a statement, prepared once in the batch.
func (b *batch) exec(query string, args ...any) {
	if b.err != nil {
		return
	}
	st, ok := b.statements[query]
	if !ok {
		st, b.err = b.tx.PrepareContext(b.ctx, query)
		if b.err != nil {
			return
		}
		b.statements[query] = st
	}
	_, b.err = st.ExecContext(b.ctx, args...)
}

// addDoc adds one document.
func (b *batch) addDoc(d find.Doc) {
	seq := int64(d.Seq)
	session := b.intern(d.Session)
	project := b.intern(d.Project)
	typ := b.intern(d.Type)
	tool := b.intern(d.Tool)
	b.exec("INSERT INTO doc VALUES(?, ?, ?, ?, ?, ?, ?, ?)",
		seq, d.Time, session, project, typ, tool, d.Size(), identOf(d.ID))
	b.exec("UPDATE name SET first = min(first, ?1), last = max(last, ?1) WHERE key = ?2", seq, session)

	args := []any{seq}
	for _, text := range d.Text {
		args = append(args, find.Normalize(text))
	}
	b.exec("INSERT INTO texts(rowid, "+columns+") VALUES(?, ?, ?, ?, ?, ?, ?, ?)", args...)
}

// intern returns the key of a session, a project, a type or a tool. A new name gets one, with bounds that any sequence
// narrows.
func (b *batch) intern(text string) int64 {
	if key, ok := b.names[text]; ok || b.err != nil {
		return key
	}

	const maxSequence = int64(1) << 62
	b.exec("INSERT OR IGNORE INTO name(text, first, last) VALUES(?, ?, 0)", text, maxSequence)
	if b.err != nil {
		return 0
	}
	var key int64
	b.err = b.tx.QueryRowContext(b.ctx, "SELECT key FROM name WHERE text = ?", text).Scan(&key)
	b.names[text] = key

	return key
}

// identOf returns a short form of an event's id: 40 bits of its hash.
func identOf(id string) int64 {
	h := fnv.New64a()
	_, _ = h.Write([]byte(id)) // never fails
	return int64(h.Sum64() >> 24)
}
