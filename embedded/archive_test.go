package embedded

import (
	"bytes"
	"os"
	"path/filepath"
	"testing"
)

// The server writes a sealed block anew when most of it was erased. The archive follows, though no block came or went.
func TestArchiveFollowsAReplacedBlock(t *testing.T) {
	s := open(t, storeDir(t))
	fill(t, s, 40, 512<<10) // three blocks
	live, kept := filepath.Join(s.opts.msgsDir(), "1.blk"), filepath.Join(s.opts.archiveDir(), "1.blk")
	same := func() bool {
		a, errA := os.Stat(live)
		b, errB := os.Stat(kept)
		return errA == nil && errB == nil && os.SameFile(a, b)
	}
	eventually(t, "the first block is archived", same)
	for seq := uint64(2); seq <= 14; seq++ {
		if err := s.stream.handle.SecureDeleteMsg(t.Context(), seq); err != nil {
			t.Fatal(err)
		}
	}
	if same() {
		t.Fatal("the server did not replace the block")
	}
	s.archive.kick()
	eventually(t, "the archive has the new block", same)
	content, err := os.ReadFile(kept)
	if err != nil || bytes.Contains(content, []byte(event(5).ID)) || !bytes.Contains(content, []byte(event(1).ID)) {
		t.Errorf("the archived block has an erased event, or lacks one, %v", err)
	}
}
