package embedded

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
)

// A server that loads a block while it runs and finds a record whose lengths make no sense cuts the file off there, in
// place: everything behind is gone, from the archive's link too. It says so just before, in the same goroutine. So the
// archive gets a copy of the block then, nothing more is appended, and the next opening takes the copy and cuts the bad
// record out alone.

// cutWords begins what the server says before it cuts a block of the log, up to the block's path.
const cutWords = "Filestore [" + streamName + "] indexCacheBuf corrupt "

// aboutToCut is the path of the block that a server's line says will be cut off; "" for any other line.
func aboutToCut(line string) string {
	rest, ok := strings.CutPrefix(line, cutWords)
	_, path, found := strings.Cut(rest, " in ")
	path, _, end := strings.Cut(path, blockSuffix+": ")
	if !ok || !found || !end {
		return ""
	}
	return path + blockSuffix
}

const blockSuffix = ".blk"

// keepWhole puts a copy of a block that the server is about to cut off into the archive. A copy of as many bytes that the
// archive has already, where there are no links, is the sound one.
func (s *Server) keepWhole(path string) {
	s.archiving.Lock()
	defer s.archiving.Unlock()
	s.distrust()
	broken := fmt.Errorf("%w: the server has cut off %s, which is damaged", ErrWriteStuck, filepath.Base(path))
	if st := s.appends.Load(); st != nil {
		st.stuck.CompareAndSwap(nil, &broken)
		seq, _ := st.Last()
		_ = s.lock.note(seq) // of the newest block, which is all that else tells what it had
	}

	kept := filepath.Join(s.opts.archiveDir(), filepath.Base(path))
	live, err := os.Stat(path)
	old, oldErr := os.Stat(kept)
	if err == nil && oldErr == nil && !os.SameFile(live, old) && old.Size() >= live.Size() {
		return
	}
	var content []byte
	if err == nil {
		content, err = os.ReadFile(path)
	}
	if err == nil {
		err = writeDurably(kept, content)
	}
	if err != nil {
		s.opts.Log.Error("keep a damaged block that the server cuts off", "err", err)
	}
}
