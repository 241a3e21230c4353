package facts

import "golang.org/x/sys/unix"

func networkFS(path string) (name string, network bool, err error) {
	var st unix.Statfs_t
	if err := unix.Statfs(path, &st); err != nil {
		return "", false, err
	}
	return unix.ByteSliceToString(st.Fstypename[:]), uint64(st.Flags)&unix.MNT_LOCAL == 0, nil
}

func diskFree(path string) (free, total uint64, err error) {
	var st unix.Statfs_t
	if err := unix.Statfs(path, &st); err != nil {
		return 0, 0, err
	}
	unit := uint64(st.Bsize)
	return uint64(max(0, int64(st.Bavail))) * unit, uint64(st.Blocks) * unit, nil // Bavail is negative in root's reserve
}
