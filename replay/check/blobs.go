package check

import (
	"maps"
	"runtime"
	"slices"
	"strings"
	"sync"

	"hookline/embedded"
)

// badContents reads each content and compares it with its digest, on all processors; it names what cannot be had.
func badContents(refs map[string]bool, blobs *embedded.Blobs) []string {
	digests := slices.Sorted(maps.Keys(refs))
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
