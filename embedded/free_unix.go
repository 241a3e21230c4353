//go:build unix

package embedded

import "golang.org/x/sys/unix"

// Free is what is left for us on the store's file system, and its size, in bytes.
func (s *Server) Free() (free, total int64, err error) {
	var st unix.Statfs_t
	if err := unix.Statfs(s.opts.Dir, &st); err != nil {
		return 0, 0, err
	}
	size := int64(st.Bsize)
	return int64(st.Bavail) * size, int64(st.Blocks) * size, nil
}
