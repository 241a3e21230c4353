package embedded

import (
	"os"
	"path/filepath"
	"testing"

	"hookline/embedded/block"
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
		if err := s.Stream().Sync(t.Context(), last); err != nil {
			t.Fatal(err)
		}
		env := event(last + 1)
		env.Data = incompressible(string(make([]byte, 512<<10)), last)
		msg, err := s.stream.codec.encode(env)
		if err != nil {
			t.Fatal(err)
		}
		ack, err := s.stream.publish(t.Context(), msg.natsMsg()) // nobody has it brought to disk
		if err != nil {
			t.Fatal(err)
		}
		s.stream.advance(ack.Seq, env.ID)
		if now, err := block.Numbers(s.opts.msgsDir()); err != nil || len(now) == len(names) {
			continue
		}
		if err := s.stream.handle.DeleteMsg(t.Context(), ack.Seq); err != nil {
			t.Fatal(err)
		}
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
	if s.stream.sync.newest != newest {
		t.Errorf("synced up to block %d of %v", s.stream.sync.newest, names)
	}
}

// A block that was put in another's place is the one that is synced from then on.
func TestHeldBlockIsReplaced(t *testing.T) {
	path := filepath.Join(t.TempDir(), "1.blk")
	var h held
	defer h.release()
	for _, content := range []string{"a", "b"} {
		if err := os.WriteFile(path+".tmp", []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
		if err := os.Rename(path+".tmp", path); err != nil {
			t.Fatal(err)
		}
		if err := h.sync(1, path); err != nil {
			t.Fatal(err)
		}
		got := make([]byte, 1)
		if _, err := h.file.ReadAt(got, 0); err != nil || string(got) != content {
			t.Errorf("the block that is held is %q, %v; want %q", got, err, content)
		}
	}
	if err := os.Remove(path); err != nil {
		t.Fatal(err)
	}
	if err := h.sync(1, path); !os.IsNotExist(err) {
		t.Errorf("a block that is gone: %v", err)
	}
}
