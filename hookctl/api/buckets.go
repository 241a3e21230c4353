package api

import (
	"encoding/json"
	"time"
)

// Buckets is what the buckets hold, and how far the projections are written to them.
type Buckets struct {
	Seq         uint64             `json:"seq" jsonschema_description:"sequence of the log's newest event"`
	Buckets     []Bucket           `json:"buckets" jsonschema_description:"the buckets: snapshot (a cell for each aggregate), latest (pointers), cache (in memory, what hooks print at once)"`
	Projections []BucketProjection `json:"projections" jsonschema_description:"the projections, each with how far it is written"`
}

// Bucket is a bucket without its values.
type Bucket struct {
	Name     string    `json:"name" jsonschema_description:"name of the bucket"`
	Keys     uint64    `json:"keys" jsonschema_description:"number of keys"`
	Bytes    uint64    `json:"bytes" jsonschema_description:"size of the bucket as it is stored: values are compressed"`
	Revision uint64    `json:"revision" jsonschema_description:"number of the newest write to the bucket; 0 where there was none"`
	Changed  time.Time `json:"changed,omitzero" jsonschema_description:"time of the newest write; absent where there was none"`
}

// BucketProjection is a projection with how far it is written.
type BucketProjection struct {
	Name    string `json:"name" jsonschema_description:"name of the projection"`
	Version int    `json:"version" jsonschema_description:"version of the projection's states, which is part of its keys"`
	Seq     uint64 `json:"seq" jsonschema_description:"sequence of the event up to which the written cells are folded"`
	Lag     uint64 `json:"lag" jsonschema_description:"number of newer events in the log, which are folded and not yet written"`
}

// BucketCell is a value of a bucket with its facts.
type BucketCell struct {
	Bucket     string          `json:"bucket" jsonschema_description:"name of the bucket"`
	Key        string          `json:"key" jsonschema_description:"key of the value"`
	Revision   uint64          `json:"revision" jsonschema_description:"number of the write in its bucket; of a deleted key that of the bucket's newest write"`
	Bytes      int             `json:"bytes" jsonschema_description:"size of the value, not compressed"`
	Time       time.Time       `json:"time,omitzero" jsonschema_description:"time of the write; absent of a deleted key"`
	Projection string          `json:"projection,omitempty" jsonschema_description:"name of the projection that the value belongs to; absent where no projection of this build wrote it"`
	Version    int             `json:"version,omitempty" jsonschema_description:"version of the projection's states"`
	Position   uint64          `json:"position" jsonschema_description:"sequence of the event up to which the projection's written cells are folded"`
	Seq        uint64          `json:"seq,omitempty" jsonschema_description:"sequence of the event that the cell was folded at; absent of pointers and cache"`
	Deleted    bool            `json:"deleted,omitempty" jsonschema_description:"whether the key is gone"`
	Value      json.RawMessage `json:"value,omitempty" jsonschema_description:"the value that was asked for by its key, where it is JSON"`
	Text       string          `json:"text,omitempty" jsonschema_description:"the value that was asked for by its key, where it is no JSON"`
}
