package block

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
)

// Archive keeps the blocks of msgs, the stream's folder, in archive, so that they outlive the removal of the stream: each
// is verified once and hard-linked, or copied where links fail. A block that became another file since is linked again,
// so that an erased message does not live on in it. skipNewest leaves the block out that a server is appending to. A
// damaged block is left out and named in the error ([ErrDamaged]); the others are archived all the same. Nothing is ever
// removed from the archive, not even a block that the server removed because all its messages were deleted: blocks that
// vanish are what it is for.
//
// A link shares the file's bytes. It survives removal and replacement, not a write in place: so blocks are checked before
// a server that might cut them off is started.
func Archive(msgs, archive string, skipNewest bool) error {
	blocks, err := List(msgs)
	if err == nil {
		err = os.MkdirAll(archive, 0o700)
	}
	if err != nil {
		return fmt.Errorf("archive blocks: %w", err)
	}
	if skipNewest && len(blocks) > 0 {
		blocks = blocks[:len(blocks)-1]
	}

	for _, info := range blocks {
		if info.Size == 0 {
			continue
		}
		if why := keep(filepath.Join(msgs, info.Name), filepath.Join(archive, info.Name)); why != nil {
			err = errors.Join(err, fmt.Errorf("archive %s: %w", info.Name, why))
		}
	}
	return err
}

// keep brings one block into the archive. Where links fail, a copy of the same size stays as it is.
func keep(live, kept string) error {
	now, err := os.Stat(live)
	if err != nil {
		return err
	}
	old, err := os.Stat(kept)
	if err == nil && os.SameFile(now, old) {
		return nil
	}

	temp := kept + ".tmp"
	_ = os.Remove(temp) // left by a crash
	defer os.Remove(temp)
	unlinked := os.Link(live, temp)
	if unlinked != nil && err == nil && now.Size() == old.Size() {
		return nil
	}

	stream := filepath.Base(filepath.Dir(filepath.Dir(live))) // …/streams/<stream>/msgs/1.blk
	if err := Read(live, stream, func(Record) error { return nil }); err != nil {
		return err
	}
	if unlinked != nil {
		return copyBlock(live, kept)
	}
	return errors.Join(os.Rename(temp, kept), Sync(filepath.Dir(kept)))
}

// copyBlock writes the content of a block under another path.
func copyBlock(from, to string) error {
	content, err := load(from, nil)
	if err == nil {
		err = Replace(to, content)
	}
	return err
}

// Follow links the newest block of msgs, to which a server may be appending, into archive when that has nothing under
// its name, so that what is acknowledged outlives the removal of the stream from its first block on. The link shows
// whatever is appended later. Where links fail, nothing is done: a copy would be old at once.
func Follow(msgs, archive string) error {
	blocks, err := List(msgs)
	if err != nil || len(blocks) == 0 || blocks[len(blocks)-1].Size == 0 {
		return err
	}
	name := blocks[len(blocks)-1].Name
	if os.Link(filepath.Join(msgs, name), filepath.Join(archive, name)) != nil { // it is there already, or there are no links
		return nil
	}
	return Sync(archive)
}

// Lacking names the archived blocks that msgs lacks or has empty.
func Lacking(archive, msgs string) ([]string, error) {
	blocks, err := List(archive)
	if errors.Is(err, os.ErrNotExist) {
		return nil, nil
	}
	var names []string
	for _, info := range blocks {
		if st, err := os.Stat(filepath.Join(msgs, info.Name)); info.Size > 0 && (err != nil || st.Size() == 0) {
			names = append(names, info.Name)
		}
	}
	return names, err
}

// Restore copies archived blocks back into msgs, which it makes when it is gone. They are copies and not links, since the
// server may append to one or cut it. Before the first, index.db is removed, since it does not know them. No server may
// be running.
func Restore(archive, msgs string, names []string) error {
	if err := os.MkdirAll(msgs, 0o700); err != nil {
		return fmt.Errorf("restore blocks: %w", err)
	}
	for _, name := range names {
		err := DropIndex(msgs)
		if err == nil {
			err = copyBlock(filepath.Join(archive, name), filepath.Join(msgs, name))
		}
		if err != nil {
			return fmt.Errorf("restore %s: %w", name, err)
		}
	}
	return nil
}

// DropIndex removes index.db, so that the server reads the blocks. None to remove is no error.
func DropIndex(msgs string) error { return remove(filepath.Join(msgs, indexFile)) }
