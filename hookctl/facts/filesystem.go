package facts

import "fmt"

// NetworkFS tells the file system that an existing path lies on and whether another machine may have its hands on it:
// locks and memory maps are not to be trusted there. Shares between a virtual machine and its host count as network. On
// Linux a local file system that the mount table does not name has its number as name ("0x…").
func NetworkFS(path string) (name string, network bool, err error) {
	if name, network, err = networkFS(path); err != nil {
		return "", false, fmt.Errorf("ask file system of %s: %w", path, err)
	}
	return name, network, nil
}

// Free tells the bytes that this user may still write to the file system of an existing path, and its
// size.
func Free(path string) (free, total uint64, err error) {
	if free, total, err = diskFree(path); err != nil {
		return 0, 0, fmt.Errorf("ask free space of %s: %w", path, err)
	}
	return free, total, nil
}
