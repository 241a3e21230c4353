package daemon

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"hookline/expect"
	"hookline/hookctl/client"
	"hookline/hookctl/problem"
	"hookline/projector"
)

// TestVerifyAfterFullDisk fills a small file system until the buckets cannot be written. A verification then says
// that the store has to be opened anew and ends the daemon; the next opening verifies.
func TestVerifyAfterFullDisk(t *testing.T) {
	disk := t.TempDir()
	if err := syscall.Mount("tmpfs", disk, "tmpfs", 0, "size=24m"); err != nil {
		t.Skip("cannot mount a small file system:", err)
	}
	t.Cleanup(func() {
		if err := syscall.Unmount(disk, syscall.MNT_DETACH); err != nil {
			t.Error(err)
		}
	})
	newHome(t)
	home := filepath.Join(disk, "home")
	d := open(t, home)
	for i := range 20 {
		take(t, d, bashOf(fmt.Sprint("s-", i), i))
	}
	var stat syscall.Statfs_t
	expect.OK(t, syscall.Statfs(disk, &stat))
	ballast := filepath.Join(disk, "ballast")
	expect.OK(t, os.WriteFile(ballast, make([]byte, int64(stat.Bavail)*stat.Bsize), 0o600))
	// Cells of other keys until one is refused; nothing of the log is written, as between two hooks.
	var err error
	for i := 0; i < 2000 && err == nil; i++ {
		cell := projector.Cell{Key: fmt.Sprint(projector.ProbePrefix, i), Value: []byte(strings.Repeat(fmt.Sprint(i), 8<<10))}
		err = d.ground.Store().Save(t.Context(), projector.BucketSnapshot, []projector.Cell{cell})
	}
	if err == nil {
		t.Fatal("the disk did not fill up")
	}
	expect.OK(t, os.Remove(ballast))
	var p *problem.Error
	if _, err := d.Verify(t.Context(), nil); !errors.As(err, &p) || p.Hint != client.HintReopened || p.Status != http.StatusServiceUnavailable {
		t.Fatalf("verify: %v", err)
	}
	select {
	case reason := <-d.stopping:
		if reason != "write_stuck" {
			t.Errorf("the daemon ends because of %s", reason)
		}
	default:
		t.Error("the daemon does not end")
	}
	_ = d.Close(context.Background()) // what is stuck is left as it is
	d = open(t, home)
	defer shut(t, d)
	if v := verified(t, d); !v.Clean || v.Read != 20 {
		t.Errorf("%+v", v)
	}
}
