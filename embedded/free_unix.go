//go:build unix

package embedded

import "golang.org/x/sys/unix"

// FreeSpace is what is left for us on dir's file system, and its size, in bytes.
func FreeSpace(dir string) (free, total int64, err error) {
	var st unix.Statfs_t
	if err := unix.Statfs(dir, &st); err != nil {
		return 0, 0, err
	}
	size := int64(st.Bsize)
	return int64(st.Bavail) * size, int64(st.Blocks) * size, nil
}
