package embedded

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"syscall"

	"github.com/nats-io/nats.go/jetstream"

	"hookline/embedded/block"
)

// known is what the files say about the log before the server may touch them.
type known struct {
	blocks int
	last   uint64 // newest sequence in a readable record
}

// survey takes up what the last exit and earlier openings left, and lists the log's blocks.
func (s *Server) survey() (marker block.Marker, blocks []block.Info, err error) {
	marker, err = block.ReadMarker(s.opts.Dir)
	s.report.Clean = err == nil
	if err != nil && !errors.Is(err, block.ErrNoMarker) {
		s.opts.Log.Warn("clean-exit marker", "err", err)
	}
	err = s.readFound()
	if err == nil && !s.dry {
		err = s.uncut()
	}
	if err != nil {
		return marker, nil, err
	}
	s.vouched, s.began = s.vouchedFor(marker), marker.Began()
	blocks, err = s.present()
	return marker, blocks, err
}

// inspect checks the log's blocks, repairs and archives them, and takes the marker away: from here
// on the store is in use. An exit in order leaves only the newest block and what the marker does
// not vouch for to be read.
func (s *Server) inspect() (known, error) {
	marker, blocks, err := s.survey()
	if err != nil { // the marker stays: it is what says that there was a log
		return known{}, err
	}
	if len(blocks) == 0 {
		s.report.Clean = s.report.Clean || !exists(s.opts.jetstreamDir()) // a new store has no bad end behind it
		return known{}, block.RemoveMarker(s.opts.Dir)
	}
	if !s.report.Clean {
		s.uncache(blocks)
	}
	newest := blocks[len(blocks)-1].Name
	trusted := s.report.Clean && marker.VouchesIndex(s.opts.msgsDir())
	vouched := make(map[string]bool, len(blocks))
	for _, b := range blocks {
		vouched[b.Name] = b.Name != newest && trusted && marker.Vouches(b)
	}
	if trusted && slices.ContainsFunc(blocks[:len(blocks)-1], func(b block.Info) bool { return !vouched[b.Name] }) {
		if err := classify(block.DropIndex(s.opts.msgsDir())); err != nil { // a block was exchanged, or brought back: the index does not know what is in it
			return known{}, err
		}
	}
	found, err := s.check(func(name string) bool { return !vouched[name] })
	if errors.Is(err, ErrLogGone) && s.opts.Renew {
		blocks, err = s.renew()
		found.Last = s.vouched
	}
	if err != nil {
		return known{}, err
	}
	k := known{blocks: len(blocks), last: found.Last}
	if !s.report.Clean && !s.found.Whole { // what comes from the archive or a backup may end within a group that was whole
		if err := s.cutUnfinished(&k); err != nil {
			return known{}, err
		}
	}
	// The newest one too: no server appends to it yet, and a link of it survives a removal.
	if _, err := block.Archive(s.opts.msgsDir(), s.opts.archiveDir(), false); err != nil {
		s.opts.Log.Warn("archiving blocks", "err", err)
		if errors.Is(err, block.ErrDamaged) { // in a block that the marker had vouched for
			if found, err = s.check(nil); err != nil {
				return known{}, err
			}
			k.last = found.Last
		}
	}
	if k.last == 0 && !s.report.Clean && len(found.Damage) == 0 && len(found.Holes) == 0 {
		return known{}, s.forgetEmpty()
	}
	return k, block.RemoveMarker(s.opts.Dir)
}

// unsyncedBlocks is how many blocks at the log's end a round of the shared fsync may have had before it: more than one
// where a block was begun since the round before.
const unsyncedBlocks = 2

// uncache makes what is read of the log's end come from the disk. After a failed fsync the kernel shows what the disk
// does not have and has forgotten that it was never written, so that the next fsync finds all in order: what is only
// there would be checked as sound, and a frame that comes again be answered as one that the log has.
func (s *Server) uncache(blocks []block.Info) {
	for _, b := range blocks[max(0, len(blocks)-unsyncedBlocks):] {
		if err := uncacheFile(filepath.Join(s.opts.msgsDir(), b.Name)); err != nil { // what could not be written is gone by that, too
			s.opts.Log.Warn("the log's end is brought to disk before it is checked", "block", b.Name, "err", err)
		}
	}
}

// forgetEmpty removes the files of a log that never held a record: its first one met a full disk. The
// server would go on counting behind it, and the log would begin with a hole for good.
func (s *Server) forgetEmpty() error {
	blocks, err := list(s.opts.msgsDir())
	err = errors.Join(err, block.DropIndex(s.opts.msgsDir()))
	for _, b := range blocks {
		err = errors.Join(err, os.Remove(filepath.Join(s.opts.msgsDir(), b.Name)))
	}
	return err
}

func exists(path string) bool { _, err := os.Stat(path); return err == nil }

// present lists the log's blocks, after restoring them from the archive where they are gone.
func (s *Server) present() ([]block.Info, error) {
	blocks, err := list(s.opts.msgsDir())
	if err != nil || len(blocks) > 0 {
		return blocks, err
	}
	archived, err := list(s.opts.archiveDir())
	if err != nil {
		return nil, err
	}
	s.vouched = max(s.vouched, s.lock.seq)
	switch {
	case len(archived) > 0 && s.dry:
		s.found.restored(s.report.Clean)
		return nil, nil
	case len(archived) > 0:
		return s.restore()
	case s.vouched > 0 && s.opts.Renew:
		return s.renew()
	case s.vouched > 0:
		return nil, s.gone()
	}
	return nil, nil
}

// restore puts the archived blocks in the log's place.
func (s *Server) restore() ([]block.Info, error) {
	s.found.restored(s.report.Clean)
	if err := s.keep(&s.found); err != nil {
		return nil, err
	}
	if _, err := block.Restore(s.opts.archiveDir(), s.opts.msgsDir()); err != nil {
		return nil, unread("restoring it from the archive", err)
	}
	s.report.Restored = true
	s.opts.Log.Warn("the log was gone and was restored from the archive")
	return list(s.opts.msgsDir())
}

// list is block.List for a folder that may be missing.
func list(dir string) ([]block.Info, error) {
	blocks, err := block.List(dir)
	if errors.Is(err, os.ErrNotExist) {
		return nil, nil
	}
	return blocks, classify(err)
}

// checked verifies the chosen blocks, nil for all of them. A log of which nothing is left is an [ErrLogGone].
func (s *Server) checked(only func(name string) bool) (block.Report, block.Options, error) {
	o := block.Options{Stream: streamName, Only: only, Parallel: runtime.GOMAXPROCS(0), RepairFrom: s.opts.archiveDir(), Began: s.began, Vouched: s.vouched}
	found, err := block.Check(s.opts.msgsDir(), o)
	if err != nil {
		return found, o, unread("it cannot be checked", err)
	}
	if found.Last == 0 && s.vouched > 0 && len(found.Missing()) == 0 {
		return found, o, s.gone()
	}
	return found, o, nil
}

// check verifies the chosen blocks and repairs what is damaged or missing, so that the server does not cut off what comes
// behind, and gives no other event a sequence that was in use.
func (s *Server) check(only func(name string) bool) (block.Report, error) {
	found, o, err := s.checked(only)
	s.report.Checked, s.report.Damage = len(found.Blocks), found.Damage
	if err != nil || len(found.Damage)+len(found.Holes) == 0 {
		return found, err
	}

	feared := s.found
	feared.add(found.Damage, block.Fixed{Lost: found.Missing()})
	if err := s.keep(&feared); err != nil {
		return found, err
	}
	fixed, err := block.Repair(s.opts.msgsDir(), o, found)
	if err != nil {
		return found, unread("repairing it", err)
	}
	s.trimmed = s.trimmed || found.Trimmed > 0
	s.found.add(found.Damage, fixed)
	if err := s.keep(&s.found); err != nil {
		return found, err
	}
	s.opts.Log.Warn("the log was damaged", "damage", found.Damage, "holes", found.Holes, "fixed", fixed)
	found, _, err = s.checked(only)
	return found, err
}

// unread is the error for a log that could not be read: damage, unless this process could not open what may be whole, or a
// file lies where a folder belongs.
func unread(what string, err error) error {
	if errors.Is(err, block.ErrDenied) || errors.Is(err, os.ErrPermission) || errors.Is(err, syscall.ENOTDIR) {
		return classify(err)
	}
	return &DamageError{What: what, Err: err}
}

// takeUp finds the log at the running server. Where the server has none, it is created only if no
// block says that there was one; else the blocks are given to the server again, from the archive if
// the server has deleted them.
func (s *Server) takeUp(ctx context.Context, k known) (jetstream.Stream, error) {
	handle, err := s.js.Stream(ctx, streamName)
	if err == nil {
		return s.ofSchema(ctx, handle)
	}
	if !errors.Is(err, jetstream.ErrStreamNotFound) {
		return nil, fmt.Errorf("look up the log: %w", err)
	}
	if k.blocks > 0 {
		if err := s.giveBack(); err != nil {
			return nil, err
		}
	}
	handle, err = s.js.CreateStream(ctx, streamConfig())
	if err != nil {
		return nil, fmt.Errorf("create the log: %w", classify(err))
	}
	s.created = true
	return handle, nil
}

// giveBack makes sure that the blocks lie where a create takes them up.
func (s *Server) giveBack() error {
	blocks, err := list(s.opts.msgsDir())
	if err != nil || len(blocks) > 0 {
		return err
	}
	s.stop()
	if _, err := s.restore(); err != nil {
		return err
	}
	return s.start()
}

// ofSchema refuses a log that a later version of this package has written in another form, and notes that one of schema 1
// goes on in this one: from here on earlier builds cannot read it to its end.
func (s *Server) ofSchema(ctx context.Context, handle jetstream.Stream) (jetstream.Stream, error) {
	switch v := handle.CachedInfo().Config.Metadata["schema"]; v {
	case schema:
		return handle, nil
	case schemaTyped:
		next, err := s.js.UpdateStream(ctx, streamConfig())
		if err != nil {
			return nil, fmt.Errorf("upgrade the log: %w", classify(err))
		}
		return next, classify(os.RemoveAll(filepath.Join(s.opts.Dir, "tables"))) // earlier builds kept contents of blocks there
	default:
		return nil, fmt.Errorf("the log has schema %q, this build reads %q: use the build that wrote it", v, schema)
	}
}
