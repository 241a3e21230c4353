//go:build !unix

package embedded

import "errors"

// Free is what is left for us on the store's file system, and its size, in bytes. This platform
// does not tell.
func (s *Server) Free() (free, total int64, err error) { return 0, 0, errors.ErrUnsupported }
