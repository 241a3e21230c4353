package embedded

import (
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

// readFound returns what earlier openings left unrecorded.
func (o Options) readFound() (Found, error) {
	content, err := os.ReadFile(o.foundPath())
	if errors.Is(err, fs.ErrNotExist) {
		return Found{}, nil
	}
	if err != nil {
		return Found{}, classify(err)
	}
	var f Found
	if err := json.Unmarshal(content, &f); err != nil { // the file is replaced as a whole, so another program changed it
		o.Log.Warn("what an earlier opening found cannot be read", "err", err)
		return Found{Damage: []block.Damage{{Block: foundFile, Why: "what an earlier opening found cannot be read"}}}, nil
	}
	return f, nil
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

// encode returns the file's content. An f without an id gets one.
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
	if no := syscall.Errno(0); errors.As(cause, &no) {
		cause = no
	}
	words := "the disk refused what was written (" + cause.Error() + "), so the log's end was read from the disk again"
	f, err := s.opts.readFound()
	if !slices.Contains(f.Did, words) {
		f.Did = append(f.Did, words)
	}

	var content []byte
	if err == nil {
		content, err = s.encode(&f)
	}
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
	return classify(errors.Join(err, block.Sync(s.opts.Dir)))
}
