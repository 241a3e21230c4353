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

	"github.com/oklog/ulid/v2"

	"hookline/embedded/block"
)

// Found is what openings of the store found wrong with the log and did about it, and nobody has recorded yet:
// see [Server.Recorded]. It is on disk before the log is changed, so that neither a crash nor an opener that
// tells nobody can hide what was done.
type Found struct {
	ID       string         `json:"id"`               // a ULID for the event that records it
	Damage   []block.Damage `json:"damage,omitempty"` // with its sequences
	Lost     []block.Range  `json:"lost,omitempty"`   // sequences whose events are gone; no other event gets them
	Torn     []block.Range  `json:"torn,omitempty"`   // sequences cut off the log's end that nothing vouches for: the next events get them
	Mended   []uint64       `json:"mended,omitempty"`
	Restored []string       `json:"restored,omitempty"` // blocks taken from the archive
	SetAside []string       `json:"set_aside,omitempty"`
	Whole    bool           `json:"whole,omitempty"`   // the log was gone and was taken from the archive
	Renewed  bool           `json:"renewed,omitempty"` // the log was gone and a new one was begun; see Options.Renew

	EndUnknown bool `json:"end_unknown,omitempty"` // with Whole: no exit in order tells how far the log had come
}

// Empty tells that the log was in order.
func (f Found) Empty() bool {
	return len(f.Damage)+len(f.Lost)+len(f.Torn)+len(f.Mended)+len(f.Restored)+len(f.SetAside) == 0 && !f.Whole && !f.Renewed
}

// add takes what one repair did.
func (f *Found) add(damage []block.Damage, x block.Fixed) {
	f.Damage = append(f.Damage, damage...)
	f.Lost = block.Join(append(f.Lost, x.Lost...)...)
	f.Torn = append(f.Torn, x.Torn...)
	f.Mended = append(f.Mended, x.Mended...)
	f.Restored = append(f.Restored, x.Restored...)
	f.SetAside = append(f.SetAside, x.SetAside...)
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
	if err := json.Unmarshal(content, &s.found); err != nil { // it is replaced whole: a hand was at it
		s.opts.Log.Warn("what an earlier opening found cannot be read", "err", err)
		s.found = Found{Damage: []block.Damage{{Block: foundFile, Why: "what an earlier opening found cannot be read"}}}
	}
	return nil
}

// keep brings f to disk, under an id of its own.
func (s *Server) keep(f *Found) error {
	if f.ID == "" {
		id, err := ulid.New(ulid.Timestamp(s.opts.Now()), rand.Reader)
		if err != nil {
			return err
		}
		s.found.ID, f.ID = id.String(), id.String()
	}
	content, err := json.Marshal(f)
	if err != nil {
		return err
	}
	temp := s.opts.foundPath() + ".tmp"
	err = os.WriteFile(temp, content, 0o600)
	if err == nil {
		err = errors.Join(syncFile(temp), os.Rename(temp, s.opts.foundPath()), syncFile(s.opts.Dir))
	}
	if err != nil {
		return fmt.Errorf("keep what was found: %w", classify(err))
	}
	return nil
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
		s.report.Damage, s.report.Fixed.Lost = s.found.Damage, s.found.Lost
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
