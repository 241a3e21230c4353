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

// Look checks the log as [Open] does after an exit out of order, every block of it, and changes nothing: what it finds is
// in the report's Found, and what an opening would do about it is not tried. A log of which nothing is left is an
// [ErrLogGone], or Whole where the archive has it.
func Look(o Options) (Report, error) {
	o = o.withDefaults()
	l, err := takeLock(o.lockPath(), o.Holder)
	if err != nil {
		return Report{}, fmt.Errorf("open %s: %w", o.Dir, err)
	}
	s := &Server{opts: o, lock: l, dry: true}
	_, blocks, err := s.survey()
	if err == nil && len(blocks) > 0 {
		var found block.Report
		found, err = s.checked(0)
		s.found.add(found.Damage, block.Fixed{Lost: found.Missing(), Torn: found.Torn})
		if err == nil && found.Last == 0 && s.vouched > 0 {
			err = s.gone()
		}
	}
	if err := errors.Join(err, l.release()); err != nil {
		return Report{}, fmt.Errorf("open %s: %w", o.Dir, err)
	}
	s.report.Found = s.found
	return s.report, nil
}

// survey takes up what the last exit and earlier openings left, and lists the log's blocks when those that the archive has
// besides are back. A log that is known to have had events and has no block is an [ErrLogGone].
func (s *Server) survey() (marker block.Marker, blocks []block.Info, err error) {
	marker, err = block.ReadMarker(s.opts.Dir)
	s.report.Clean = err == nil
	if err != nil && !errors.Is(err, block.ErrNoMarker) {
		s.opts.Log.Warn("clean-exit marker", "err", err)
	}
	s.vouched = max(marker.LastSeq, s.lock.seq)

	s.found, err = s.opts.readFound()
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
// It returns the newest sequence in them; 0 for a new log. After an exit in order only the newest block is checked, unless
// others are not as they were then.
func (s *Server) inspect() (last uint64, err error) {
	marker, blocks, err := s.survey()
	if err == nil && len(blocks) == 0 {
		s.report.Clean = s.report.Clean || !exists(s.opts.jetstreamDir()) // a new store has no bad end behind it
		return 0, block.RemoveMarker(s.opts.Dir)
	}
	if err == nil && s.report.Clean && marker.Vouches(s.opts.msgsDir(), blocks) {
		last, err = s.check(blocks[len(blocks)-1].Index)
	} else if err == nil {
		last, err = s.checkAll(blocks)
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

// unsyncedBlocks is how many blocks at the log's end a round of the shared fsync may have had before it: more than one
// where a block was begun since the round before.
const unsyncedBlocks = 2

// checkAll checks every block where nothing vouches for them, and returns the newest sequence. After an exit out of order
// the log's end is read from the disk: after a failed fsync the kernel shows what the disk does not have and has forgotten
// that it was never written, so that the next fsync finds all in order. What is only there would be checked as sound, and a
// frame that comes again be answered as one that the log has.
func (s *Server) checkAll(blocks []block.Info) (last uint64, err error) {
	if err := block.DropIndex(s.opts.msgsDir()); err != nil { // it does not know what is in them
		return 0, classify(err)
	}
	if s.report.Clean {
		return s.check(0)
	}
	for _, b := range blocks[max(0, len(blocks)-unsyncedBlocks):] {
		if err := uncacheFile(filepath.Join(s.opts.msgsDir(), b.Name)); err != nil { // what could not be written is gone by that, too
			s.opts.Log.Warn("the log's end is brought to disk before it is checked", "block", b.Name, "err", err)
		}
	}

	last, err = s.check(0)
	if err == nil && !s.found.Whole { // what comes from the archive or a backup may end within a group that was whole
		last, err = s.cutUnfinished(last)
	}
	if err != nil || last > 0 {
		return last, err
	}
	// The log never held a record: its first one met a full disk. The server would go on counting behind it, and the log
	// would begin with a hole for good.
	blocks, err = list(s.opts.msgsDir())
	err = errors.Join(err, block.DropIndex(s.opts.msgsDir()))
	for _, b := range blocks {
		err = errors.Join(err, os.Remove(filepath.Join(s.opts.msgsDir(), b.Name)))
	}
	return 0, err
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

// list is [block.List] for a folder that may be missing.
func list(dir string) ([]block.Info, error) {
	blocks, err := block.List(dir)
	return blocks, classify(ignoreGone(err))
}

// checkOptions are those of a check of the blocks from a number on.
func (s *Server) checkOptions(from int) block.Options {
	return block.Options{Stream: streamName, From: from, Archive: s.opts.archiveDir(), Vouched: s.vouched}
}

// checked verifies the blocks from a number on.
func (s *Server) checked(from int) (block.Report, error) {
	found, err := block.Check(s.opts.msgsDir(), s.checkOptions(from))
	if err != nil {
		return found, unread("it cannot be checked", err)
	}
	s.report.Checked = len(found.Blocks)
	return found, nil
}

// check verifies the blocks from a number on and repairs what is damaged or missing, so that the server does not cut off
// what comes behind, and gives no other event a sequence that was in use. It returns the newest sequence. What is found is
// on disk before anything is changed: a start that is killed in between may tell more as lost than was.
func (s *Server) check(from int) (last uint64, err error) {
	found, err := s.checked(from)
	s.report.Damage = found.Damage
	if err != nil || found.Sound() {
		return found.Last, err
	}

	feared := s.found
	feared.add(found.Damage, block.Fixed{Lost: found.Missing()})
	if err := s.keep(&feared); err != nil {
		return 0, err
	}
	fixed, err := block.Repair(s.opts.msgsDir(), s.checkOptions(from), found)
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
	found, err = s.checked(0)
	return found.Last, err
}

// unread returns the error for a log that could not be read: damage, unless this process could not open what may be whole,
// or a file lies where a folder belongs.
func unread(what string, err error) error {
	if errors.Is(err, block.ErrDenied) || errors.Is(err, os.ErrPermission) || errors.Is(err, syscall.ENOTDIR) {
		return classify(err)
	}
	return &DamageError{What: what, Err: err}
}

// gone returns the error for a log of which nothing is left.
func (s *Server) gone() error {
	return &DamageError{What: "its files are gone and the archive has none; `replay repair` begins a new log behind it", FirstSeq: 1, LastSeq: s.vouched, Gone: true}
}

// renew begins a new log behind the sequences of the one that is gone. What is left of that is set aside with its archive,
// and so are the buckets, which are folded again.
func (s *Server) renew() error {
	lost := block.Range{First: 1, Last: s.vouched}
	aside := filepath.Join(s.opts.Dir, "aside", s.opts.Now().UTC().Format("20060102T150405.000Z"))
	s.found.Did = append(s.found.Did, "the log was gone and a new one begins behind it", "set aside: "+filepath.Base(aside))
	s.found.add(nil, block.Fixed{Lost: []block.Range{lost}})
	if err := s.keep(&s.found); err != nil {
		return err
	}
	s.opts.Log.Warn("the log was gone; a new one begins behind it", "lost", lost)

	err := os.MkdirAll(aside, 0o700)
	for _, dir := range []string{s.opts.jetstreamDir(), s.opts.archiveDir()} {
		if err == nil {
			err = ignoreGone(os.Rename(dir, filepath.Join(aside, filepath.Base(dir))))
		}
	}
	if err == nil {
		err = block.Lose(s.opts.msgsDir(), streamName, lost)
	}
	if err != nil {
		return fmt.Errorf("set aside what is left of the log: %w", classify(err))
	}
	return nil
}

// takeUp finds the log at the running server. Where the server has none, it is created; if its blocks end with a
// sequence the blocks are given to the server again, from the archive if the server has deleted them. A log that a later
// version of this package has written in another form is refused. One of schema 1 goes on in this form: from here on
// earlier builds cannot read it to its end.
func (s *Server) takeUp(ctx context.Context, last uint64) (jetstream.Stream, error) {
	handle, err := s.js.Stream(ctx, streamName)
	if errors.Is(err, jetstream.ErrStreamNotFound) {
		return s.create(ctx, last)
	}
	if err != nil {
		return nil, fmt.Errorf("look up the log: %w", err)
	}
	switch v := handle.CachedInfo().Config.Metadata["schema"]; v {
	case schema:
		return handle, nil
	case schemaTyped:
		if handle, err = s.js.UpdateStream(ctx, streamConfig()); err != nil {
			return nil, fmt.Errorf("upgrade the log: %w", classify(err))
		}
		return handle, nil
	default:
		return nil, fmt.Errorf("the log has schema %q, this build reads %q: use the build that wrote it", v, schema)
	}
}

// create creates the log, or has the server take up blocks that end with a sequence.
func (s *Server) create(ctx context.Context, last uint64) (jetstream.Stream, error) {
	blocks, err := list(s.opts.msgsDir())
	if err == nil && last > 0 && len(blocks) == 0 {
		s.stop()
		if err = s.takeBack(); err == nil {
			err = s.start()
		}
	}
	if err != nil {
		return nil, err
	}
	handle, err := s.js.CreateStream(ctx, streamConfig())
	if err != nil {
		return nil, fmt.Errorf("create the log: %w", classify(err))
	}
	s.created = true
	return handle, nil
}
