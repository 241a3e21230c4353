package projector

import (
	"bytes"
	"context"
	"strings"
)

// scanner is what a [Store] may have besides: the cells of a prefix in one go, which is some ten times faster than
// one by one. A cell that is written meanwhile may come twice; none is left out.
type scanner interface {
	Scan(ctx context.Context, bucket, prefix string, fn func(key string, value []byte) error) error
}

// Each calls fn with every state of a table, in no order. Unlike [State] it leaves nothing behind in memory, so that a
// look at all of them does not cost their size from then on. Stored cells whose JSON does not contain hint are passed
// over undecoded, which is what such a look costs most; fn must not rely on that. The empty hint is in all of them.
func Each[S any](r Reader, table, hint string, fn func(key string, s S)) error {
	t := r.v.table(table)
	if t == nil {
		return nil
	}
	give := func(key string, c *cell) {
		if s, ok := c.state.(*S); ok && c.seq > 0 {
			fn(key, *s)
		}
	}
	for key, c := range t.cells {
		give(key, c)
	}
	inMemory := make(map[string]bool, len(t.cells))
	for key := range t.cells {
		inMemory[key] = true
	}
	return r.v.scan(r.ctx, t.prefix(), func(stored string, b []byte) error {
		key := strings.TrimPrefix(stored, t.prefix())
		if inMemory[key] || !bytes.Contains(b, []byte(hint)) { // what is in memory is as new as what is stored, or newer
			return nil
		}
		c, err := t.load(b)
		if err != nil { // the one place that deals with broken cells
			if c, err = r.v.cell(r.ctx, t, key); err != nil {
				return err
			}
		}
		give(key, c)
		return nil
	})
}

// scan calls fn with the stored cells of a prefix.
func (v *View) scan(ctx context.Context, prefix string, fn func(key string, value []byte) error) error {
	if s, ok := v.store.(scanner); ok {
		return s.Scan(ctx, BucketSnapshot, prefix, fn)
	}
	keys, err := v.store.Keys(ctx, BucketSnapshot, prefix)
	if err != nil {
		return err
	}
	for _, key := range keys {
		b, err := v.store.Load(ctx, BucketSnapshot, key)
		if err != nil {
			return err
		}
		if err := fn(key, b); err != nil {
			return err
		}
	}
	return nil
}
