package embedded

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"
)

// TestFullDisk fills a small file system under a running store: what was synced survives, the store
// says why it is stuck, and works again after space was made and it was opened anew.
func TestFullDisk(t *testing.T) {
	disk := t.TempDir()
	if err := syscall.Mount("tmpfs", disk, "tmpfs", 0, "size=8m"); err != nil {
		t.Skip("cannot mount a small file system:", err)
	}
	t.Cleanup(func() {
		if err := syscall.Unmount(disk, syscall.MNT_DETACH); err != nil {
			t.Error(err)
		}
	})
	ballast := filepath.Join(disk, "ballast")
	if err := os.WriteFile(ballast, make([]byte, 4<<20), 0o600); err != nil {
		t.Fatal(err)
	}
	dir := filepath.Join(disk, "home", "store")
	s := open(t, dir)
	durable, err := appendUntilFull(s)
	if !errors.Is(err, ErrNoSpace) {
		t.Errorf("append on a full disk: %v, want ErrNoSpace", err)
	}
	if err := s.Health(); !errors.Is(err, ErrWriteStuck) || !errors.Is(err, ErrNoSpace) {
		t.Errorf("health: %v, want ErrWriteStuck for lack of space", err)
	}
	_ = s.Close(context.Background()) // there is no room for a clean exit
	if err := os.Remove(ballast); err != nil {
		t.Fatal(err)
	}
	s = open(t, dir)
	if r := s.Report(); r.Clean {
		t.Error("a stuck store left the marker of a clean exit")
	}
	last, _ := s.Stream().Last()
	if n := count(t, s, 0, 0); n < durable || n != last {
		t.Errorf("%d events of %d, %d were on disk", n, last, durable)
	}
	if _, err := s.Stream().Append(t.Context(), event(last+1)); err != nil {
		t.Error(err)
	}
}

// appendUntilFull appends until the disk is full. Without room the server does not answer, so little time is given; on
// a busy machine a store that is well may need more, and is asked again.
func appendUntilFull(s *Server) (durable uint64, err error) {
	for n, late := uint64(1), 0; n < 1000; n++ {
		ctx, cancel := context.WithTimeout(context.Background(), time.Second)
		env := event(n)
		env.Data = incompressible(strings.Repeat("0", 64<<10), n)
		r, err := s.Stream().Append(ctx, env)
		if err == nil {
			err = s.Stream().Sync(ctx, r[0].Seq)
		}
		cancel()
		if errors.Is(err, context.DeadlineExceeded) && s.Health() == nil && late < 30 {
			n, late = n-1, late+1
			continue
		}
		if err != nil {
			return durable, err
		}
		durable = r[0].Seq
	}
	return durable, nil
}
