// Package index keeps the words of the log's texts in one file, so that they are found in milliseconds. The file is
// derived: it keeps how far it has come as a sequence and the id of the event there, and is made anew where it is
// damaged, of another format, or does not fit the log. It holds no text, only words and where they stand.
//
// One process at a time has it open; others wait. Nothing of it is read or written by hooks or by the daemon.
package index

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/gofrs/flock"
	"modernc.org/sqlite"
	lib "modernc.org/sqlite/lib"

	"hookline/events"
	"hookline/hookctl/find"
	"hookline/hookctl/home"
)

// format changes with the tables, with what [find.Of] takes and with how words are parted.
const format = 3

// The engine keeps of each word in which kind of text of which event it stands, not where in it (decision 0013): words
// side by side are looked for in the texts of the few events that are shown. What is deleted loses its line in doc,
// without which nothing is found. Words come folded by [find.Fold]: of these the tokenizer makes one word each.

const schema = `
CREATE TABLE position(one INTEGER PRIMARY KEY CHECK (one = 1), seq INTEGER NOT NULL, id TEXT NOT NULL);
CREATE TABLE name(key INTEGER PRIMARY KEY, text TEXT NOT NULL UNIQUE, first INTEGER NOT NULL, last INTEGER NOT NULL);
CREATE TABLE doc(seq INTEGER PRIMARY KEY, time INTEGER NOT NULL, session INTEGER NOT NULL, project INTEGER NOT NULL,
	type INTEGER NOT NULL, tool INTEGER NOT NULL, bytes INTEGER NOT NULL, ident INTEGER NOT NULL);
CREATE TABLE open(call TEXT PRIMARY KEY, seq INTEGER NOT NULL) WITHOUT ROWID;
CREATE VIRTUAL TABLE texts USING fts5(%s, content='', columnsize=0, detail=column, tokenize='ascii');
INSERT INTO texts(texts, rank) VALUES('hashsize', 16777216);
PRAGMA user_version = %d;
`

var columns = strings.Join(find.KindNames[:], ", ")

// Index is the file of one home. See [find.Index].
type Index struct {
	path string
	lock *flock.Flock
	db   *sql.DB
}

var _ find.Index = (*Index)(nil)

// Open opens the index in a folder, makes both where they are not there, and waits for another process that has it open.
func Open(ctx context.Context, dir string) (*Index, error) {
	if err := home.PrivateDir(dir); err != nil {
		return nil, err
	}
	x := &Index{path: filepath.Join(dir, "words.db"), lock: flock.New(filepath.Join(dir, "lock"))}
	if _, err := x.lock.TryLockContext(ctx, 5*time.Millisecond); err != nil {
		return nil, fmt.Errorf("lock the index: %w", err)
	}
	err := x.open(ctx)
	if damaged(err) {
		err = x.anew(ctx)
	}
	if err != nil {
		return nil, errors.Join(fmt.Errorf("open the index: %w", err), x.Close())
	}
	return x, nil
}

// Close closes the file and lets others in.
func (x *Index) Close() error {
	var err error
	if x.db != nil {
		err = x.db.Close()
	}
	return errors.Join(err, x.lock.Close())
}

// pragmas: no other process has the file open, so the journal needs no shared memory; a commit that a power cut takes is
// taken from the log again.
const pragmas = "_pragma=locking_mode(EXCLUSIVE)&_pragma=journal_mode(WAL)&_pragma=synchronous(NORMAL)&_pragma=cache_size(-16384)&_pragma=temp_store(MEMORY)"

// errFormat says that another build made the file.
var errFormat = errors.New("the index has another format")

func (x *Index) open(ctx context.Context) error {
	uri := url.URL{Scheme: "file", OmitHost: true, Path: filepath.ToSlash(x.path), RawQuery: pragmas}
	var err error
	if x.db, err = sql.Open("sqlite", uri.String()); err != nil {
		return err
	}
	x.db.SetMaxOpenConns(1)

	var found, tables int
	err = x.db.QueryRowContext(ctx, "SELECT user_version, (SELECT count(*) FROM sqlite_master) FROM pragma_user_version").Scan(&found, &tables)
	switch {
	case err != nil:
		return err
	case tables == 0:
		_, err = x.db.ExecContext(ctx, fmt.Sprintf(schema, columns, format))
		return err
	case found != format:
		return errFormat
	}
	return nil
}

// anew removes the file and begins an empty one.
func (x *Index) anew(ctx context.Context) error {
	if x.db != nil {
		_ = x.db.Close() // it goes
		x.db = nil
	}
	for _, end := range []string{"", "-wal", "-shm", "-journal"} {
		if err := os.Remove(x.path + end); err != nil && !errors.Is(err, os.ErrNotExist) {
			return err
		}
	}
	return x.open(ctx)
}

// damaged parts an index that has to be made anew from trouble that would come again, as a full disk.
func damaged(err error) bool {
	var e *sqlite.Error
	if !errors.As(err, &e) {
		return errors.Is(err, errFormat) || errors.Is(err, errOther)
	}
	switch e.Code() & 0xff {
	case lib.SQLITE_CORRUPT, lib.SQLITE_NOTADB, lib.SQLITE_FORMAT, lib.SQLITE_CONSTRAINT, lib.SQLITE_MISMATCH:
		return true
	case lib.SQLITE_ERROR:
		return strings.Contains(e.Error(), "no such ")
	}
	return false
}

// Size is how much is searched, and in how large a file.
type Size struct{ Docs, Text, File int64 }

// Size counts documents, bytes of their texts, and bytes of the index.
func (x *Index) Size(ctx context.Context) (Size, error) {
	var s Size
	err := x.db.QueryRowContext(ctx, "SELECT count(*), coalesce(sum(bytes), 0) FROM doc").Scan(&s.Docs, &s.Text)
	for _, end := range []string{"", "-wal"} {
		if info, bad := os.Stat(x.path + end); bad == nil {
			s.File += info.Size()
		}
	}
	return s, err
}

// errOther says that the event at the index's position is not the log's.
var errOther = errors.New("the index is of another log")

// Update takes what the log has gained. See [find.Index].
func (x *Index) Update(ctx context.Context, log find.Log, report func(seq uint64)) error {
	err := x.update(ctx, log, report)
	if damaged(err) {
		if err = x.anew(ctx); err == nil {
			err = x.update(ctx, log, report)
		}
	}
	if err != nil {
		return fmt.Errorf("bring the index up to date: %w", err)
	}
	return nil
}

func (x *Index) update(ctx context.Context, log find.Log, report func(seq uint64)) error {
	var at uint64
	var id string
	err := x.db.QueryRowContext(ctx, "SELECT seq, id FROM position").Scan(&at, &id)
	if err != nil && !errors.Is(err, sql.ErrNoRows) {
		return err
	}
	names := map[string]int64{}
	b := newBatch(ctx, x.db, names)
	known := at == 0
	err = log(ctx, max(at, 1), func(r events.Record) error {
		if !known {
			known = true
			if r.Seq != at || r.ID != id {
				return errOther
			}
			return nil
		}
		b.take(r)
		if !b.full || b.err != nil {
			return b.err
		}
		if report != nil {
			report(r.Seq)
		}
		err := b.write()
		b = newBatch(ctx, x.db, names)
		return err
	})
	if err == nil && !known { // the log ends before
		err = errOther
	}
	if b.err == nil {
		b.err = err
	}
	return b.write()
}
