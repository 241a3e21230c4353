package facts

import "golang.org/x/sys/unix"

// NetworkFS returns the type of the file system that an existing path lies on, and whether another machine may write to it:
// locks and memory maps are not to be trusted there.
func NetworkFS(path string) (name string, network bool, err error) {
	var st unix.Statfs_t
	if err := unix.Statfs(path, &st); err != nil {
		return "", false, err
	}
	return unix.ByteSliceToString(st.Fstypename[:]), uint64(st.Flags)&unix.MNT_LOCAL == 0, nil
}
