package embedded

import (
	"errors"
	"os"

	"golang.org/x/sys/unix"
)

// uncacheFile writes what the kernel has of a file and not the disk, and then has it forget the file's content, so that
// the next read is one of the disk. File systems that live in memory keep it.
func uncacheFile(path string) error {
	f, err := os.Open(path)
	if err != nil {
		return err
	}
	defer f.Close()
	return errors.Join(f.Sync(), unix.Fadvise(int(f.Fd()), 0, 0, unix.FADV_DONTNEED))
}
