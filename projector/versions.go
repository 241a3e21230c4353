package projector

import (
	"context"
	"fmt"
	"strconv"
	"strings"
)

// dropOtherVersions removes what a build with another version of these tables has left: its cells, its positions
// and what its views wrote. All of it follows from the log, which the tables are now folded from anew.
func (v *View) dropOtherVersions(ctx context.Context, tables []*tableView) error {
	gone := map[string][]Cell{}
	for _, t := range tables {
		before := len(gone[BucketSnapshot])
		for _, prefix := range []string{t.name + ".v", positionPrefix + t.name + ".v"} {
			keys, err := v.store.Keys(ctx, BucketSnapshot, prefix)
			if err != nil {
				return fmt.Errorf("list bucket %s: %w", BucketSnapshot, err)
			}
			for _, k := range keys {
				if t.ofOtherVersion(k) {
					gone[BucketSnapshot] = append(gone[BucketSnapshot], Cell{Key: k})
				}
			}
		}
		if len(gone[BucketSnapshot]) == before {
			continue
		}
		for _, bucket := range t.buckets {
			list, err := v.store.Keys(ctx, bucket, "")
			if err != nil {
				return fmt.Errorf("list bucket %s: %w", bucket, err)
			}
			for _, k := range list {
				gone[bucket] = append(gone[bucket], Cell{Key: k})
			}
		}
	}
	for _, bucket := range []string{BucketCache, BucketLatest, BucketSnapshot} { // the cells last: they are what is looked for
		if len(gone[bucket]) == 0 {
			continue
		}
		if err := v.store.Save(ctx, bucket, gone[bucket]); err != nil {
			return fmt.Errorf("empty bucket %s of another version: %w", bucket, err)
		}
	}
	return nil
}

// ofOtherVersion tells whether a key of the snapshot bucket is a cell or the position of this projection
// in another version.
func (t *Table) ofOtherVersion(key string) bool {
	key = strings.TrimPrefix(key, positionPrefix)
	rest, ok := strings.CutPrefix(key, t.name+".v")
	number, _, _ := strings.Cut(rest, ".")
	n, err := strconv.Atoi(number)
	return ok && err == nil && n != t.version
}
