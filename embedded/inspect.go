package embedded

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"syscall"

	"github.com/nats-io/nats.go/jetstream"

	"hookline/embedded/block"
)

// survey takes up what the last exit and earlier openings left, and lists the log's blocks when those that the archive has
// besides are back. A log that is known to have had events and has no block is an [ErrLogGone].
func (s *Server) survey() (marker block.Marker, blocks []block.Info, err error) {
	marker, err = block.ReadMarker(s.opts.Dir)
	s.report.Clean = err == nil
	if err != nil && !errors.Is(err, block.ErrNoMarker) {
		s.opts.Log.Warn("clean-exit marker", "err", err)
	}
	s.vouched = max(marker.LastSeq, s.lock.seq)

	err = s.readFound()
	if err == nil {
		err = s.takeBack()
	}
	if err == nil {
		blocks, err = list(s.opts.msgsDir())
	}
	if err == nil && len(blocks) == 0 && s.vouched > 0 && !s.found.Whole {
		err = s.gone()
	}
	return marker, blocks, err
}

// inspect checks the log's blocks, repairs and archives them, and takes the marker away: from here on the store is in use.
// It returns the newest sequence in them; 0 for a new log.
func (s *Server) inspect() (last uint64, err error) {
	marker, blocks, err := s.survey()
	if err == nil && len(blocks) == 0 {
		s.report.Clean = s.report.Clean || !exists(s.opts.jetstreamDir()) // a new store has no bad end behind it
		return 0, block.RemoveMarker(s.opts.Dir)
	}
	if err == nil {
		last, err = s.checkAfter(marker, blocks)
	}
	if errors.Is(err, ErrLogGone) && s.opts.Renew {
		last, err = s.vouched, s.renew()
	}
	if err != nil { // the marker stays: it is what says that there was a log
		return 0, err
	}

	// The newest one too: no server appends to it yet, and a link of it survives a removal.
	if err := block.Archive(s.opts.msgsDir(), s.opts.archiveDir(), false); err != nil {
		s.opts.Log.Warn("archiving blocks", "err", err)
		if errors.Is(err, block.ErrDamaged) { // in a block that the marker had vouched for
			if last, err = s.check(0); err != nil {
				return 0, err
			}
		}
	}
	return last, block.RemoveMarker(s.opts.Dir)
}

// checkAfter checks the blocks after the exit that a marker tells of: after one in order only the newest, unless others are
// not as they were then. It returns the newest sequence.
func (s *Server) checkAfter(marker block.Marker, blocks []block.Info) (last uint64, err error) {
	from := 0
	if s.report.Clean && marker.Vouches(s.opts.msgsDir(), blocks) {
		from = blocks[len(blocks)-1].Index
	} else if err := block.DropIndex(s.opts.msgsDir()); err != nil { // it does not know what is in them
		return 0, classify(err)
	}
	if !s.report.Clean {
		s.uncache(blocks)
	}
	last, err = s.check(from)
	if err == nil && !s.report.Clean && !s.found.Whole { // what comes from the archive or a backup may end within a group that was whole
		last, err = s.cutUnfinished(last)
	}
	if err == nil && !s.report.Clean && last == 0 {
		err = s.forgetEmpty()
	}
	return last, err
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

// takeBack copies the blocks that the log lacks and the archive has into their place.
func (s *Server) takeBack() error {
	lacking, err := block.Lacking(s.opts.archiveDir(), s.opts.msgsDir())
	if err != nil || len(lacking) == 0 {
		return classify(err)
	}
	blocks, err := list(s.opts.msgsDir())
	if err != nil {
		return err
	}
	if len(blocks) == 0 && !s.found.Whole {
		s.found.Did = append(s.found.Did, "the log was gone and was restored from the archive")
		s.found.Whole, s.found.EndUnknown = true, !s.report.Clean // an exit in order tells how far it had come
	}
	if s.dry {
		return nil
	}

	if len(blocks) > 0 {
		s.found.fromArchive(lacking)
	}
	if err := s.keep(&s.found); err != nil {
		return err
	}
	if err := block.Restore(s.opts.archiveDir(), s.opts.msgsDir(), lacking); err != nil {
		return unread("restoring it from the archive", err)
	}
	s.report.Restored = s.report.Restored || len(blocks) == 0
	s.opts.Log.Warn("blocks of the log were gone and were restored from the archive", "blocks", lacking)
	return nil
}

// list is block.List for a folder that may be missing.
func list(dir string) ([]block.Info, error) {
	blocks, err := block.List(dir)
	if errors.Is(err, os.ErrNotExist) {
		return nil, nil
	}
	return blocks, classify(err)
}

// checked verifies the blocks from a number on.
func (s *Server) checked(from int) (block.Report, block.Options, error) {
	o := block.Options{Stream: streamName, From: from, Archive: s.opts.archiveDir(), Vouched: s.vouched}
	found, err := block.Check(s.opts.msgsDir(), o)
	if err != nil {
		err = unread("it cannot be checked", err)
	}
	return found, o, err
}

// check verifies the blocks from a number on and repairs what is damaged or missing, so that the server does not cut off
// what comes behind, and gives no other event a sequence that was in use. It returns the newest sequence.
func (s *Server) check(from int) (last uint64, err error) {
	found, o, err := s.checked(from)
	s.report.Checked, s.report.Damage = len(found.Blocks), found.Damage
	if err != nil || found.Sound() {
		return found.Last, err
	}

	feared := s.found
	feared.add(found.Damage, block.Fixed{Lost: found.Missing()})
	if err := s.keep(&feared); err != nil {
		return 0, err
	}
	fixed, err := block.Repair(s.opts.msgsDir(), o, found)
	if errors.Is(err, block.ErrGone) {
		return 0, s.gone()
	}
	if err != nil {
		return 0, unread("repairing it", err)
	}
	s.trimmed = s.trimmed || found.Trimmed > 0
	s.found.add(found.Damage, fixed)
	if err := s.keep(&s.found); err != nil {
		return 0, err
	}
	s.opts.Log.Warn("the log was damaged", "damage", found.Damage, "holes", found.Holes, "fixed", fixed)
	found, _, err = s.checked(0)
	return found.Last, err
}

// unread is the error for a log that could not be read: damage, unless this process could not open what may be whole, or a
// file lies where a folder belongs.
func unread(what string, err error) error {
	if errors.Is(err, block.ErrDenied) || errors.Is(err, os.ErrPermission) || errors.Is(err, syscall.ENOTDIR) {
		return classify(err)
	}
	return &DamageError{What: what, Err: err}
}

// takeUp finds the log at the running server. Where the server has none, it is created; if its blocks end with a
// sequence the blocks are given to the server again, from the archive if
// the server has deleted them.
func (s *Server) takeUp(ctx context.Context, last uint64) (jetstream.Stream, error) {
	handle, err := s.js.Stream(ctx, streamName)
	if err == nil {
		return s.ofSchema(ctx, handle)
	}
	if !errors.Is(err, jetstream.ErrStreamNotFound) {
		return nil, fmt.Errorf("look up the log: %w", err)
	}
	if last > 0 {
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
	if err := s.takeBack(); err != nil {
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
