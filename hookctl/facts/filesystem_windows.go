package facts

import (
	"path/filepath"

	"golang.org/x/sys/windows"
)

func networkFS(path string) (name string, network bool, err error) {
	root, err := volumeOf(path)
	if err != nil {
		return "", false, err
	}
	network = windows.GetDriveType(&root[0]) == windows.DRIVE_REMOTE
	var kind [windows.MAX_PATH + 1]uint16
	if err := windows.GetVolumeInformation(&root[0], nil, 0, nil, nil, nil, &kind[0], uint32(len(kind))); err != nil {
		return "", network, err
	}
	return windows.UTF16ToString(kind[:]), network, nil
}

// volumeOf is the mount point of a path's volume, for a share its root.
func volumeOf(path string) ([]uint16, error) {
	full, err := filepath.Abs(path)
	if err != nil {
		return nil, err
	}
	p, err := windows.UTF16PtrFromString(full)
	if err != nil {
		return nil, err
	}
	root := make([]uint16, windows.MAX_LONG_PATH)
	return root, windows.GetVolumePathName(p, &root[0], uint32(len(root)))
}

func diskFree(path string) (free, total uint64, err error) {
	p, err := windows.UTF16PtrFromString(path)
	if err != nil {
		return 0, 0, err
	}
	err = windows.GetDiskFreeSpaceEx(p, &free, &total, nil)
	return free, total, err
}
