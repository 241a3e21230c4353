//go:build unix

package index

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"syscall"
	"testing"
	"time"

	"hookline/expect"
	"hookline/hookctl/safeopen"
)

// laid are what may lie under a name instead of a file.
var laid = map[string]func(path string) error{
	"pipe":   func(path string) error { return syscall.Mkfifo(path, 0o600) },
	"device": func(path string) error { return os.Symlink("/dev/zero", path) },
	"folder": func(path string) error { return os.Mkdir(path, 0o700) },
}

// What lies under a name of the index and is no file is not waited at, and goes when the index is made anew.
func TestStrangeFiles(t *testing.T) {
	for _, name := range []string{"words.db", "words.db-wal", "words.db-journal", "words.db-shm"} {
		for what, lay := range laid {
			dir, m := t.TempDir(), sample()
			expect.OK(t, opened(t, dir, m).Close())
			path := filepath.Join(dir, name)
			expect.OK(t, errors.Join(os.RemoveAll(path), lay(path)))
			wantFound(t, opened(t, dir, m), words("client"), 1)
			if t.Failed() {
				t.Fatalf("%s is a %s", name, what)
			}
		}
	}
}

func TestStrangeLock(t *testing.T) {
	for what, lay := range laid {
		dir := t.TempDir()
		expect.OK(t, lay(filepath.Join(dir, "lock")))
		ctx, cancel := context.WithTimeout(t.Context(), 30*time.Second)
		ended := make(chan error, 1)
		go func() {
			_, err := Open(ctx, dir)
			ended <- err
		}()
		select {
		case err := <-ended:
			if !errors.Is(err, safeopen.ErrRefused) && !errors.Is(err, syscall.EISDIR) {
				t.Errorf("a %s: %v", what, err)
			}
		case <-ctx.Done():
			t.Errorf("a %s is waited at", what)
		}
		cancel()
	}
}
