package embedded

import (
	"os"
	"path/filepath"
	"testing"

	"hookline/embedded/block"
	"hookline/expect"
)

// The server removes a block whose messages are all erased, the newest one too, and goes on with another number. What
// comes then is synced although the number between is missing.
func TestSyncBehindAGap(t *testing.T) {
	s := open(t, storeDir(t))
	fill(t, s, 17, 512<<10) // more than a block: the next message begins a third
	for last, _ := s.Stream().Last(); ; last++ {
		names, err := block.Numbers(s.opts.msgsDir())
		if err != nil || last > 40 {
			t.Fatal(names, err)
		}
		expect.OK(t, s.Stream().Sync(t.Context(), last))
		env := event(last + 1)
		env.Data = incompressible(string(make([]byte, 512<<10)), last)
		msg := expect.Value(s.stream.codec.encode(env))(t)
		ack := expect.Value(s.stream.publish(t.Context(), msg.natsMsg()))(t) // nobody has it brought to disk
		s.stream.advance(ack.Sequence, env.ID)
		if now, err := block.Numbers(s.opts.msgsDir()); err != nil || len(now) == len(names) {
			continue
		}
		expect.OK(t, s.stream.handle.DeleteMsg(t.Context(), ack.Sequence))
		break
	}
	last, _ := s.Stream().Last()
	r, err := s.Stream().Append(t.Context(), event(last+1))
	if err == nil {
		err = s.Stream().Sync(t.Context(), r[0].Seq)
	}
	names, listErr := block.Numbers(s.opts.msgsDir())
	if err != nil || listErr != nil {
		t.Fatal(err, listErr)
	}
	newest := names[len(names)-1]
	if newest-names[len(names)-2] < 2 {
		t.Fatalf("no gap in %v", names)
	}
	expect.Equal(t, s.stream.sync.newest, newest, "synced up to block", names)
}

// A block that was put in another's place is the one that is synced from then on.
func TestHeldBlockIsReplaced(t *testing.T) {
	path := filepath.Join(t.TempDir(), "1.blk")
	var h held
	defer h.release()
	for _, content := range []string{"a", "b"} {
		expect.OK(t, os.WriteFile(path+".tmp", []byte(content), 0o600))
		expect.OK(t, os.Rename(path+".tmp", path))
		expect.OK(t, h.sync(1, path))
		got := make([]byte, 1)
		if _, err := h.file.ReadAt(got, 0); err != nil || string(got) != content {
			t.Errorf("the block that is held is %q, %v; want %q", got, err, content)
		}
	}
	expect.OK(t, os.Remove(path))
	if err := h.sync(1, path); !os.IsNotExist(err) {
		t.Errorf("a block that is gone: %v", err)
	}
}
