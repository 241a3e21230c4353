package projector

import (
	"context"
	"errors"
)

// The three buckets. Snapshot holds one cell per aggregate, Latest the pointers, Cache what is
// printed on the hot path.
const (
	BucketSnapshot = "snapshot"
	BucketLatest   = "latest"
	BucketCache    = "cache"
)

// ProbePrefix begins the keys of cells that belong to no projection: a health check writes and
// deletes them, and one that was left behind is no difference to the log.
const ProbePrefix = "canary."

// ErrNoCell says that a bucket has no such cell. It is no trouble: the aggregate is new.
var ErrNoCell = errors.New("no such cell")

// Cell is one value of a bucket. Keys are free text (a Store escapes what its buckets do not
// allow, without collisions); a nil Value deletes the cell.
type Cell struct {
	Key   string
	Value []byte
}

// Store is the engine's only touch of the world: named buckets of cells. Implementations are safe
// for concurrent use. Errors other than [ErrNoCell] mean that the disk or the server is in trouble; nothing is
// lost then, since every cell can be folded again from the log.
type Store interface {
	// Load returns the value of one cell, or ErrNoCell. The caller may keep the slice.
	Load(ctx context.Context, bucket, key string) ([]byte, error)
	// Save writes cells in the given order: after a crash at any moment a prefix of them is there.
	// The engine puts the position cell last, so a position is never newer than the values.
	Save(ctx context.Context, bucket string, cells []Cell) error
	// Keys lists the keys that begin with prefix, sorted bytewise.
	Keys(ctx context.Context, bucket, prefix string) ([]string, error)
	// Scan calls fn with the cells of a prefix in no order, which is some ten times faster than one by one. A cell that
	// is written meanwhile may come twice; none is left out. It returns fn's first error.
	Scan(ctx context.Context, bucket, prefix string, fn func(key string, value []byte) error) error
}
