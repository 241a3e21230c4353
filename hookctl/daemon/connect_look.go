package daemon

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"time"

	"hookline/embedded"
	"hookline/hookctl/client"
	"hookline/hookctl/spool"
	"hookline/hookctl/wire"
)

// lookName begins the names of the folders in a store that looks leave only when they are killed.
const lookName = ".look-"

// ConnectLook is [Connect] for a dry run: when no daemon runs, the store is opened as a shadow of itself, so that
// even what an opening mends is only tried. The shadow shares the sealed blocks and goes with the connection; nobody
// else can open the store until then.
func ConnectLook(ctx context.Context, o client.Options) (*client.Client, error) {
	p := o.Paths()
	if _, err := os.Stat(p.Store); err != nil || p.Reach(time.Second) {
		return Connect(ctx, o)
	}
	dir, err := os.MkdirTemp(p.Store, lookName)
	if err != nil {
		return nil, notLooked(p.Store, err)
	}
	release, err := embedded.Shadow(embedded.Options{Dir: p.Store, Holder: "replay " + wire.Build}, filepath.Join(dir, "store"))
	if err != nil {
		return nil, errors.Join(err, os.RemoveAll(dir))
	}
	done := func() error { return errors.Join(clearLooks(p.Store), release()) }
	d, err := Open(ctx, Options{Home: dir, blobs: filepath.Join(p.Store, "blobs")})
	if err != nil {
		return nil, errors.Join(&lookError{err, filepath.Join(dir, "store"), p.Store}, done())
	}
	d.paths, d.spool = p, spool.Open(p)
	d.started = time.Now()
	return d.here(done), nil
}

// notLooked says which place a look could not write to, as an opening of the store there would.
func notLooked(store string, err error) error {
	switch {
	case errors.Is(err, syscall.EROFS):
		err = fmt.Errorf("%w: %w", embedded.ErrReadOnly, err)
	case errors.Is(err, fs.ErrPermission):
		err = fmt.Errorf("%w: %w", embedded.ErrDenied, err)
	}
	return fmt.Errorf("look at %s: %w", store, err)
}

// lookError is an error of a shadow in words of the store: the shadow's folder means nothing to anybody.
type lookError struct {
	err           error
	shadow, store string
}

func (e *lookError) Error() string { return strings.ReplaceAll(e.err.Error(), e.shadow, e.store) }
func (e *lookError) Unwrap() error { return e.err }

// clearLooks removes what this look and killed ones have left. The lock is held, so no other is under way.
func clearLooks(store string) error {
	dirs, err := filepath.Glob(filepath.Join(store, lookName+"*"))
	for _, dir := range dirs {
		err = errors.Join(err, os.RemoveAll(dir))
	}
	return err
}
