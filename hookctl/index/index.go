// Package index keeps the words of the log's texts in one file, so that they are found in milliseconds. The file is
// derived from the log: it has the sequence and the id of the last event in it, and is built again if it is damaged,
// has another format, or does not fit the log. It holds no texts, only words and the events that have them.
//
// One process at a time has the file open; others wait. Hooks and the daemon never read or write it.
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

// format is the version of the file. Raise it with a change of the tables, of [find.DocOf] or of how a text is divided
// into words.
const format = 3

// schema makes the tables. For each word the full-text engine keeps the events and the kinds of text that have it, not
// the places in the text (decision 0013): words side by side are looked for in the texts of the few events that are
// shown. A document that is deleted loses only its row in doc, without which it is not found. Texts come from
// [find.Normalize], of which the tokenizer makes the same words.
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

// columns are the columns of texts, one for each kind of text.
var columns = strings.Join(find.KindNames[:], ", ")

// Errors of a file that has to be built again.
var (
	errFormat   = errors.New("the index has another format")
	errOtherLog = errors.New("the index is of another log") // the event at its position is not the log's
)

// Index is the file of one home. See [find.Index].
type Index struct {
	path string
	lock *flock.Flock
	db   *sql.DB
}

var _ find.Index = (*Index)(nil)

// Open opens the index in a folder and creates both if they do not exist. It waits for another process that has the
// index open.
func Open(ctx context.Context, dir string) (*Index, error) {
	if err := home.PrivateDir(dir); err != nil {
		return nil, err
	}
	x := &Index{
		path: filepath.Join(dir, "words.db"),
		lock: flock.New(filepath.Join(dir, "lock")),
	}
	if _, err := x.lock.TryLockContext(ctx, 5*time.Millisecond); err != nil {
		return nil, fmt.Errorf("lock the index: %w", err)
	}

	err := x.open(ctx)
	if needsRebuild(err) {
		err = x.recreate(ctx)
	}
	if err != nil {
		return nil, errors.Join(fmt.Errorf("open the index: %w", err), x.Close())
	}
	return x, nil
}

// Close closes the file and unlocks it for other processes.
func (x *Index) Close() error {
	var err error
	if x.db != nil {
		err = x.db.Close()
	}
	return errors.Join(err, x.lock.Close())
}

// pragmas are the settings of a connection. No other process has the file open, so the journal needs no shared memory.
// A power cut may take the last commits; their events are read from the log again.
const pragmas = "_pragma=locking_mode(EXCLUSIVE)" +
	"&_pragma=journal_mode(WAL)" +
	"&_pragma=synchronous(NORMAL)" +
	"&_pragma=cache_size(-16384)" +
	"&_pragma=temp_store(MEMORY)"

// open opens the file and creates the tables of a new one.
func (x *Index) open(ctx context.Context) error {
	uri := url.URL{Scheme: "file", OmitHost: true, Path: filepath.ToSlash(x.path), RawQuery: pragmas}
	var err error
	x.db, err = sql.Open("sqlite", uri.String())
	if err != nil {
		return err
	}
	x.db.SetMaxOpenConns(1)

	var version, tables int
	err = x.db.QueryRowContext(ctx,
		"SELECT user_version, (SELECT count(*) FROM sqlite_master) FROM pragma_user_version").Scan(&version, &tables)
	if err != nil {
		return err
	}
	if tables == 0 {
		_, err = x.db.ExecContext(ctx, fmt.Sprintf(schema, columns, format))
		return err
	}
	if version != format {
		return errFormat
	}
	return nil
}

// fileSuffixes are the ends of the names of all files of a database.
var fileSuffixes = []string{"", "-wal", "-shm", "-journal"}

// recreate removes the file and opens an empty one.
func (x *Index) recreate(ctx context.Context) error {
	if x.db != nil {
		_ = x.db.Close() // the file is removed
		x.db = nil
	}
	for _, suffix := range fileSuffixes {
		if err := os.Remove(x.path + suffix); err != nil && !errors.Is(err, os.ErrNotExist) {
			return err
		}
	}
	return x.open(ctx)
}

// needsRebuild tells whether an error means that the file is damaged or does not fit, so that a new one has to be
// built. Others, such as a full disk, would come back with a new one.
func needsRebuild(err error) bool {
	if errors.Is(err, errFormat) || errors.Is(err, errOtherLog) {
		return true
	}
	var e *sqlite.Error
	if !errors.As(err, &e) {
		return false
	}

	switch e.Code() & 0xff { // the primary code
	case lib.SQLITE_CORRUPT, lib.SQLITE_NOTADB, lib.SQLITE_FORMAT, lib.SQLITE_CONSTRAINT, lib.SQLITE_MISMATCH:
		return true
	case lib.SQLITE_ERROR:
		return strings.Contains(e.Error(), "no such ") // a table or a column is missing
	}
	return false
}

// Size counts what is searched: documents, bytes of their texts, and bytes of the index on disk.
type Size struct{ Docs, Text, File int64 }

// Size returns the size of the index.
func (x *Index) Size(ctx context.Context) (Size, error) {
	var s Size
	err := x.db.QueryRowContext(ctx, "SELECT count(*), coalesce(sum(bytes), 0) FROM doc").Scan(&s.Docs, &s.Text)
	if err != nil {
		return s, fmt.Errorf("count the documents of the index: %w", err)
	}
	for _, suffix := range []string{"", "-wal"} {
		if info, err := os.Stat(x.path + suffix); err == nil {
			s.File += info.Size()
		}
	}
	return s, nil
}

// Update adds the events that the log has gained. See [find.Index].
func (x *Index) Update(ctx context.Context, log find.Log, report func(seq uint64)) error {
	err := x.update(ctx, log, report)
	if needsRebuild(err) {
		err = x.recreate(ctx)
		if err == nil {
			err = x.update(ctx, log, report)
		}
	}
	if err != nil {
		return fmt.Errorf("bring the index up to date: %w", err)
	}
	return nil
}

// update adds the events behind the position. It returns errOtherLog if the event at the position is not the log's.
func (x *Index) update(ctx context.Context, log find.Log, report func(seq uint64)) error {
	var position uint64
	var id string
	err := x.db.QueryRowContext(ctx, "SELECT seq, id FROM position").Scan(&position, &id)
	if err != nil && !errors.Is(err, sql.ErrNoRows) {
		return fmt.Errorf("read the position: %w", err)
	}

	names := map[string]int64{}
	b := newBatch(ctx, x.db, names)
	positionChecked := position == 0
	err = log(ctx, max(position, 1), func(r events.Record) error {
		if !positionChecked {
			positionChecked = true
			if r.Seq != position || r.ID != id {
				return errOtherLog
			}
			return nil
		}

		b.add(r)
		if !b.full() || b.err != nil {
			return b.err
		}
		if report != nil {
			report(r.Seq)
		}
		err := b.write()
		b = newBatch(ctx, x.db, names)
		return err
	})
	if err == nil && !positionChecked { // the log ends before the position
		err = errOtherLog
	}

	if b.err == nil {
		b.err = err
	}
	return b.write()
}
