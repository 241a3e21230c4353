//go:build !unix

package embedded

import "errors"

// FreeSpace is what is left for us on dir's file system, and its size, in bytes. This platform does
// not tell.
func FreeSpace(string) (free, total int64, err error) { return 0, 0, errors.ErrUnsupported }
