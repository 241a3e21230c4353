package facts

import (
	"errors"
	"io/fs"
	"testing"
)

func TestFileSystemOfATemporaryFolder(t *testing.T) {
	dir := t.TempDir()
	name, _, err := NetworkFS(dir)
	if err != nil || name == "" {
		t.Errorf("file system %q, %v", name, err)
	}
	free, total, err := Free(dir)
	if err != nil || free == 0 || free > total {
		t.Errorf("free %d of %d, %v", free, total, err)
	}
}

func TestFileSystemOfNothing(t *testing.T) {
	gone := t.TempDir() + "/gone"
	if name, network, err := NetworkFS(gone); err == nil || name != "" || network || !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("%q, %v, %v", name, network, err)
	}
	if free, total, err := Free(gone); err == nil || free != 0 || total != 0 {
		t.Errorf("%d, %d, %v", free, total, err)
	}
}
