package embedded

import (
	"errors"
	"strings"
	"testing"

	"hookline/expect"
	"hookline/projector"
)

// The facts of a bucket count live values; a revision is the number of a write, and a write wakes who waits for it.
func TestBucketFacts(t *testing.T) {
	s := open(t, storeDir(t))
	for _, bucket := range BucketNames {
		empty := expect.Value(s.Bucket(t.Context(), bucket))(t)
		expect.Equal(t, empty.Revision, uint64(0), "revision of the new bucket", bucket)
		expect.Equal(t, empty.Changed.IsZero(), true, "no time of the new bucket", bucket)

		long := strings.Repeat(`{"facet":0.2774}`, 100) // stored compressed
		written := s.BucketsWritten()
		save(t, s, bucket, projector.Cell{Key: "a", Value: []byte("old")}, projector.Cell{Key: "b.*", Value: []byte("b")})
		<-written
		save(t, s, bucket, projector.Cell{Key: "a", Value: []byte(long)}, projector.Cell{Key: "gone", Value: []byte("x")})
		save(t, s, bucket, projector.Cell{Key: "gone"})

		info := expect.Value(s.Bucket(t.Context(), bucket))(t)
		expect.Equal(t, info.Keys, uint64(2), "keys of", bucket)
		expect.Equal(t, info.Revision, uint64(4), "revision of", bucket)

		entry := expect.Value(s.BucketEntry(t.Context(), bucket, "a"))(t)
		expect.Equal(t, string(entry.Value), long, "value of a in", bucket)
		expect.Equal(t, entry.Revision, uint64(3), "revision of a in", bucket)
		_, err := s.BucketEntry(t.Context(), bucket, "gone")
		expect.Equal(t, errors.Is(err, projector.ErrNoCell), true, "a deleted key is none in", bucket)

		for after, want := range map[uint64]string{0: "b.* a", 2: "a", 3: ""} {
			var keys []string
			expect.OK(t, s.BucketEntries(t.Context(), bucket, after, func(e BucketEntry) error {
				keys = append(keys, e.Key)
				return nil
			}))
			expect.Equal(t, strings.Join(keys, " "), want, "written after", after, "in", bucket)
		}
	}
}
