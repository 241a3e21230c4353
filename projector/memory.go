package projector

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
)

// Memory is a [Store] in memory, for tests, dry runs and verification: what it holds goes with it.
type Memory struct {
	mu      sync.RWMutex
	buckets map[string]map[string][]byte
}

var _ Store = (*Memory)(nil)

// NewMemory returns an empty store. A bucket is there once a cell is saved in it.
func NewMemory() *Memory { return &Memory{buckets: make(map[string]map[string][]byte)} }

// Load implements [Store].
func (m *Memory) Load(ctx context.Context, bucket, key string) ([]byte, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	m.mu.RLock()
	defer m.mu.RUnlock()

	value, there := m.buckets[bucket][key]
	if !there {
		return nil, fmt.Errorf("cell %s of %s: %w", key, bucket, ErrNoCell)
	}
	return bytes.Clone(value), nil
}

// Save implements [Store].
func (m *Memory) Save(ctx context.Context, bucket string, cells []Cell) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	m.mu.Lock()
	defer m.mu.Unlock()

	if m.buckets[bucket] == nil {
		m.buckets[bucket] = make(map[string][]byte)
	}
	for _, c := range cells {
		if c.Value == nil {
			delete(m.buckets[bucket], c.Key)
			continue
		}
		m.buckets[bucket][c.Key] = bytes.Clone(c.Value) // not nil, even when empty
	}
	return nil
}

// Keys implements [Store].
func (m *Memory) Keys(ctx context.Context, bucket, prefix string) ([]string, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	m.mu.RLock()
	defer m.mu.RUnlock()

	var keys []string
	for key := range m.buckets[bucket] {
		if strings.HasPrefix(key, prefix) {
			keys = append(keys, key)
		}
	}
	slices.Sort(keys)
	return keys, nil
}

// Scan implements [Store].
func (m *Memory) Scan(ctx context.Context, bucket, prefix string, fn func(key string, value []byte) error) error {
	keys, err := m.Keys(ctx, bucket, prefix)
	if err != nil {
		return err
	}

	for _, key := range keys {
		value, err := m.Load(ctx, bucket, key)
		if errors.Is(err, ErrNoCell) { // deleted since
			continue
		}
		if err != nil {
			return err
		}
		if err := fn(key, value); err != nil {
			return err
		}
	}
	return nil
}
