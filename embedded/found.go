package embedded

import (
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"

	"github.com/oklog/ulid/v2"

	"hookline/embedded/block"
)

// Found is what openings of the store found wrong with the log and did about it, and nobody has recorded yet:
// see [Server.Recorded]. It is on disk before the log is changed, so that neither a crash nor an opener that
// tells nobody can hide what was done.
type Found struct {
	ID     string         `json:"id"`               // a ULID for the event that records it
	Damage []block.Damage `json:"damage,omitempty"` // with its sequences
	Lost   []block.Range  `json:"lost,omitempty"`   // sequences whose events are gone; no other event gets them
	Torn   []block.Range  `json:"torn,omitempty"`   // sequences cut off the log's end that nothing vouches for: the next events get them
	Did    []string       `json:"did,omitempty"`    // what was met besides and done, in words
	Whole  bool           `json:"whole,omitempty"`  // the log was gone and was taken from the archive

	EndUnknown bool `json:"end_unknown,omitempty"` // nothing tells how far the log had come
}

// Empty tells that the log was in order.
func (f Found) Empty() bool { return len(f.Damage)+len(f.Lost)+len(f.Torn)+len(f.Did) == 0 }

// add takes what one repair did.
func (f *Found) add(damage []block.Damage, x block.Fixed) {
	f.Damage = append(f.Damage, damage...)
	f.Lost = block.Join(append(f.Lost, x.Lost...)...)
	f.Torn = append(f.Torn, x.Torn...)
	if len(x.Restored) > 0 {
		f.fromArchive(x.Restored)
	}
	if len(x.SetAside) > 0 {
		f.Did = append(f.Did, "set aside: "+strings.Join(x.SetAside, ", "))
	}
}

// fromArchive notes blocks that were taken from the archive.
func (f *Found) fromArchive(blocks []string) {
	f.Did = append(f.Did, "taken from the archive: "+strings.Join(blocks, ", "))
}

// foundFile lies beside the clean-exit marker.
const foundFile = "found.json"

func (o Options) foundPath() string { return filepath.Join(o.Dir, foundFile) }

// readFound takes up what an earlier opening left unrecorded.
func (s *Server) readFound() error {
	s.found = Found{}
	content, err := os.ReadFile(s.opts.foundPath())
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return classify(err)
	}
	if err := json.Unmarshal(content, &s.found); err != nil { // the file is replaced as a whole, so another program changed it
		s.opts.Log.Warn("what an earlier opening found cannot be read", "err", err)
		s.found = Found{Damage: []block.Damage{{Block: foundFile, Why: "what an earlier opening found cannot be read"}}}
	}
	return nil
}

// keep brings f to disk, under an id of its own.
func (s *Server) keep(f *Found) error {
	content, err := s.encode(f)
	if err != nil {
		return err
	}
	s.found.ID = f.ID
	if err := block.Replace(s.opts.foundPath(), content); err != nil {
		return fmt.Errorf("keep what was found: %w", classify(err))
	}
	return nil
}

// encode is the file's content. An f without an id gets one.
func (s *Server) encode(f *Found) ([]byte, error) {
	if f.ID == "" {
		id, err := ulid.New(ulid.Timestamp(s.opts.Now()), rand.Reader)
		if err != nil {
			return nil, err
		}
		f.ID = id.String()
	}
	return json.Marshal(f)
}

// unkept notes for the next opening that the disk refused what the log had written. The note is not synced, as the disk
// may refuse that as well; a power cut loses the note, and then what is on the disk counts anyway. What is found and not
// recorded yet stays with it.
func (s *Server) unkept(cause error) {
	if errors.Is(cause, fs.ErrNotExist) { // the log was removed: no disk did that
		return
	}
	var f Found
	if content, err := os.ReadFile(s.opts.foundPath()); err == nil && json.Unmarshal(content, &f) != nil {
		return // the next opening tells that it cannot be read
	}
	if no := syscall.Errno(0); errors.As(cause, &no) {
		cause = no
	}
	words := "the disk refused what was written (" + cause.Error() + "), so the log's end was read from the disk again"
	if !slices.Contains(f.Did, words) {
		f.Did = append(f.Did, words)
	}
	content, err := s.encode(&f)
	temp := s.opts.foundPath() + ".tmp"
	if err == nil {
		err = os.WriteFile(temp, content, 0o600)
	}
	if err == nil {
		err = os.Rename(temp, s.opts.foundPath())
	}
	s.opts.Log.Error("the disk refused what the log had written", "cause", cause, "err", err)
}

// Recorded says that the event of [Found] is in the log and on disk; it is not told again.
func (s *Server) Recorded() error {
	err := os.Remove(s.opts.foundPath())
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	return classify(errors.Join(err, syncFile(s.opts.Dir)))
}

// confirm takes out of the lost what the log has: an opening that was cut short may have feared for more than
// it lost in the end.
func (s *Server) confirm(ctx context.Context) error {
	if len(s.found.Lost) > 0 {
		hidden, first, err := s.stream.deleted(ctx)
		if err != nil {
			return err
		}
		s.found.Lost = missingOf(s.found.Lost, hidden, first)
	}
	s.found.Torn = slices.DeleteFunc(s.found.Torn, func(r block.Range) bool { return r.First <= s.stream.last })
	s.mu.Lock()
	defer s.mu.Unlock()
	s.report.Found = s.found
	if !s.found.Empty() {
		s.report.Damage = s.found.Damage
	}
	return nil
}

// missingOf are those of the ranges' sequences that a log beginning at first hides.
func missingOf(ranges []block.Range, hidden map[uint64]bool, first uint64) []block.Range {
	var out []block.Range
	for _, r := range ranges {
		if r.First < first {
			out = append(out, block.Range{First: r.First, Last: min(r.Last, first-1)})
		}
		for seq := max(r.First, first); seq <= r.Last; seq++ {
			if hidden[seq] {
				out = append(out, block.Range{First: seq, Last: seq})
			}
		}
	}
	return block.Join(out...)
}
