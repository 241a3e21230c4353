package embedded

import (
	"os"
	"path/filepath"
	"testing"

	"hookline/expect"
)

// Whoever reads the lock file while it is written finds its holder, and how far the log has come.
func TestLockFileIsAlwaysWhole(t *testing.T) {
	path := filepath.Join(t.TempDir(), "hookd.lock")
	l := expect.Value(takeLock(path, "test"))(t)
	defer func() { expect.OK(t, l.release()) }()
	expect.OK(t, l.note(1))

	done := make(chan error, 1)
	go func() {
		var err error
		for seq := uint64(2); seq < 5000 && err == nil; seq++ {
			err = l.note(seq)
		}
		done <- err
	}()
	for {
		pid, text, seq := readLock(path)
		expect.EqualNow(t, pid, os.Getpid())
		expect.EqualNow(t, text, "test")
		expect.EqualNow(t, seq > 0, true, "a sequence is noted")
		select {
		case err := <-done:
			expect.OK(t, err)
			return
		default:
		}
	}
}
