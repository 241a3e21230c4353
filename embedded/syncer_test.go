package embedded

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"syscall"
	"testing"

	"hookline/expect"
)

// blockFiles is a folder for a syncer, whose blocks are files with as many bytes as were added.
type blockFiles struct {
	t   *testing.T
	dir string
}

func (b blockFiles) add(n int) {
	b.t.Helper()
	f := expect.Value(os.OpenFile(filepath.Join(b.dir, fmt.Sprintf("%d.blk", n)), os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o600))(b.t)
	_, err := f.WriteString("x")
	expect.OK(b.t, errors.Join(err, f.Close()))
}

// Every block that came since the last round is synced, and a failure stays. One that the server has removed is passed over.
func TestSyncerCoversEveryBlock(t *testing.T) {
	b := blockFiles{t, t.TempDir()}
	refused := 0
	y := newSyncer(b.dir, 0, func(error) { refused++ })
	for seq, newest := range []int{1, 1, 4, 5} {
		for n := 1; n <= newest; n++ {
			b.add(n)
		}
		if newest == 5 {
			expect.OK(t, os.Remove(filepath.Join(b.dir, "4.blk")))
		}
		expect.OK(t, y.wait(t.Context(), uint64(seq+1)))
		expect.Equal(t, y.newest, newest, "newest")
	}
	expect.OK(t, os.RemoveAll(b.dir))
	if err := y.wait(t.Context(), 4); err != nil {
		t.Errorf("what is on disk already: %v", err)
	}
	for range 2 { // the failure stays
		if err := y.wait(t.Context(), 5); !errors.Is(err, ErrWriteStuck) {
			t.Errorf("sync without files: %v, want ErrWriteStuck", err)
		}
	}
	y.stop()
	expect.Equal(t, refused, 1, "times that the failure was told")
}

// While a block is being synced the server fills it and begins the next. What it wrote into the first is on disk before
// anybody is told so, and before the first is given up for the next.
func TestSyncerLeavesNoBlockUnfinished(t *testing.T) {
	b := blockFiles{t, t.TempDir()}
	y := newSyncer(b.dir, 0, func(err error) { t.Error(err) })
	defer y.stop()
	synced := map[int]int64{} // sizes by block
	beside := func() {}       // what the server does while a block is synced
	y.toDisk = func(n int) error {
		info, err := os.Stat(y.block(n))
		if err != nil {
			return err
		}
		synced[n] = info.Size()
		beside()
		beside = func() {}
		return nil
	}
	b.add(1)
	y.newest = 1
	beside = func() {
		b.add(1)
		b.add(2)
	}
	for seq := 1; seq <= 3; seq++ {
		expect.OK(t, y.wait(t.Context(), uint64(seq)))
	}
	if synced[1] != 2 || synced[2] != 1 || y.newest != 2 {
		t.Errorf("synced %v, newest %d; want two bytes of the first block, one of the second", synced, y.newest)
	}
}

// A caller that waits for the next round while the disk refuses the one under way is refused with it: a second fsync
// finds no dirty page and succeeds.
func TestSyncerFailsWhatWasQueuedBehindAFailure(t *testing.T) {
	b := blockFiles{t, t.TempDir()}
	b.add(1)
	refused := 0
	y := newSyncer(b.dir, 0, func(error) { refused++ })
	y.newest = 1
	syncs, begun, queued := 0, make(chan struct{}), make(chan struct{})
	y.toDisk = func(int) error {
		syncs++
		if syncs > 1 {
			return nil
		}
		close(begun)
		<-queued
		return syscall.EIO
	}

	y.begin(1)
	<-begun
	y.begin(2) // joins the next round
	second := make(chan error, 1)
	y.mu.Lock()
	next := y.next
	y.mu.Unlock()
	go func() { second <- y.wait(t.Context(), 2) }()
	close(queued)
	<-next.done

	if err := <-second; !errors.Is(err, ErrWriteStuck) || !errors.Is(next.err, ErrWriteStuck) {
		t.Errorf("the second round: %v, its caller: %v, want ErrWriteStuck", next.err, err)
	}
	y.stop()
	if syncs != 1 || refused != 1 || y.durable != 0 {
		t.Errorf("%d syncs, told %d times, durable to %d; want 1, 1, 0", syncs, refused, y.durable)
	}
}

// A block that was put in another's place is the one that is synced from then on.
func TestHeldBlockIsReplaced(t *testing.T) {
	y := newSyncer(t.TempDir(), 0, func(err error) { t.Error(err) })
	defer y.stop()
	for _, content := range []string{"a", "b"} {
		expect.OK(t, os.WriteFile(y.block(1)+".tmp", []byte(content), 0o600))
		expect.OK(t, os.Rename(y.block(1)+".tmp", y.block(1)))
		expect.OK(t, y.held(1))
		got := make([]byte, 1)
		if _, err := y.file.ReadAt(got, 0); err != nil || string(got) != content {
			t.Errorf("the block that is held is %q, %v; want %q", got, err, content)
		}
	}
	expect.OK(t, os.Remove(y.block(1)))
	if err := y.held(1); !os.IsNotExist(err) {
		t.Errorf("a block that is gone: %v", err)
	}
}
