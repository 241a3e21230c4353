package check

import (
	"bytes"
	"maps"
	"runtime"
	"slices"
	"strings"
	"sync"
)

// blobRefs are the blobs that events name.
type blobRefs map[string]struct{}

// A reference is {"$blob":"<digest>"; the rare part of it is looked for.
var (
	blobRef  = []byte(`$blob":"`)
	blobOpen = []byte(`{"`)
)

// collect finds the references in an event's data, where [hook.Cut] put them.
func (b blobRefs) collect(data []byte) {
	for {
		i := bytes.Index(data, blobRef)
		if i < 0 {
			return
		}
		opened := bytes.HasSuffix(data[:i], blobOpen)
		data = data[i+len(blobRef):]
		if end := bytes.IndexByte(data, '"'); opened && end > 0 {
			if _, known := b[string(data[:end])]; !known {
				b[string(data[:end])] = struct{}{}
			}
		}
	}
}

// check reads each blob and compares it with its digest, on all processors; it names what cannot be had.
func (b blobRefs) check(blobs Contents) []string {
	digests := slices.Sorted(maps.Keys(b))
	bad := make([]string, len(digests))
	todo := make(chan int)
	var workers sync.WaitGroup
	for range min(len(digests), runtime.GOMAXPROCS(0)) {
		workers.Go(func() {
			for i := range todo {
				if _, err := blobs.Get(digests[i]); err != nil {
					bad[i] = "blob " + digests[i] + ": " + strings.TrimPrefix(err.Error(), digests[i]+": ")
				}
			}
		})
	}
	for i := range digests {
		todo <- i
	}
	close(todo)
	workers.Wait()
	return slices.DeleteFunc(bad, func(s string) bool { return s == "" })
}
