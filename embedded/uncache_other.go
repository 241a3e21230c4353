//go:build !linux

package embedded

import "hookline/embedded/block"

// uncacheFile only brings a file to disk. What a failed fsync left in memory, and not on the disk, is then read as if it
// were there: no portable call makes these systems forget it.
func uncacheFile(path string) error { return block.Sync(path) }
