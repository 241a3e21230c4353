package block

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"time"
)

// racy is how long after its last change a block must be copied for its time to prove later that it is unchanged: above
// the time stamps' grain of every file system in use (FAT: 2 s).
const racy = 3 * time.Second

// Archive keeps the blocks of msgs, the stream's folder, in archive, so that they outlive the removal of the stream: each
// is verified once and hard-linked, or copied where links fail. A block that became another file since is linked again,
// so that an erased message does not live on in it. skipNewest leaves the block out that a server is appending to. The
// linked names are returned. A damaged block is left out and named in the error ([ErrDamaged]); the others are archived
// all the same. Nothing is ever removed from the archive, not even a block that the server removed because all its messages were deleted: blocks that vanish
// are what it is for.
//
// A link shares the file's bytes. It survives removal and replacement, not a write in place: so blocks are checked before
// a server that might cut them off is started.
func Archive(msgs, archive string, skipNewest bool) (linked []string, err error) {
	blocks, err := List(msgs)
	if err == nil {
		err = os.MkdirAll(archive, 0o700)
	}
	if err != nil {
		return nil, fmt.Errorf("archive blocks: %w", err)
	}
	if skipNewest && len(blocks) > 0 {
		blocks = blocks[:len(blocks)-1]
	}
	var failed []error
	for _, info := range blocks {
		if info.Size == 0 {
			continue
		}
		done, err := keep(filepath.Join(msgs, info.Name), filepath.Join(archive, info.Name))
		if err != nil {
			failed = append(failed, fmt.Errorf("archive %s: %w", info.Name, err))
		} else if done {
			linked = append(linked, info.Name)
		}
	}
	if len(linked) > 0 {
		failed = append(failed, syncDir(archive))
	}
	return linked, errors.Join(failed...)
}

// Follow links the newest block of msgs, to which a server may be appending, into archive when that has nothing under
// its name, so that what is acknowledged outlives the removal of the stream from its first block on. The link shows
// whatever is appended later. Where links fail, nothing is done: a copy would be old at once. It tells whether it has
// linked.
func Follow(msgs, archive string) (bool, error) {
	blocks, err := List(msgs)
	if err != nil || len(blocks) == 0 || blocks[len(blocks)-1].Size == 0 {
		return false, err
	}
	name := blocks[len(blocks)-1].Name
	if os.Link(filepath.Join(msgs, name), filepath.Join(archive, name)) != nil { // it is there already, or there are no links
		return false, nil
	}
	return true, errors.Join(os.Chmod(filepath.Join(archive, name), 0o600), syncDir(archive))
}

// keep brings one block into the archive; false when it is there already.
func keep(live, kept string) (bool, error) {
	now, err := os.Stat(live)
	if err != nil {
		return false, err
	}
	old, err := os.Stat(kept)
	if err == nil && same(now, old) {
		return false, nil
	}
	stream := filepath.Base(filepath.Dir(filepath.Dir(live))) // …/streams/<stream>/msgs/1.blk
	if err := Read(live, stream, func(Record) error { return nil }); err != nil {
		return false, err
	}
	_ = os.Remove(kept + ".tmp") // left by a crash
	if err := os.Link(live, kept+".tmp"); err != nil {
		return true, copyBlock(live, kept, now.ModTime()) // no links here, or none to this file
	}
	if err := os.Rename(kept+".tmp", kept); err != nil {
		return false, err
	}
	return true, os.Chmod(kept, 0o600)
}

// same says whether the archived file is the live one or an unchanged copy of it.
func same(live, kept fs.FileInfo) bool {
	return os.SameFile(live, kept) || live.Size() == kept.Size() && live.ModTime().Equal(kept.ModTime())
}

// copyBlock copies live to kept. The copy gets the time of its source, unless the source is so fresh that a later change
// might leave it with the same time.
func copyBlock(live, kept string, changed time.Time) error {
	content, err := load(live, nil)
	if err == nil {
		err = Replace(kept, content)
	}
	if err != nil || time.Since(changed) < racy {
		return err
	}
	return os.Chtimes(kept, changed, changed)
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

// Restore copies archived blocks back into msgs, which it makes when it is gone. Before the first, index.db is removed,
// since it does not know them. No server may be running.
func Restore(archive, msgs string, names []string) error {
	if err := os.MkdirAll(msgs, 0o700); err != nil {
		return fmt.Errorf("restore blocks: %w", err)
	}
	for _, name := range names {
		if err := errors.Join(DropIndex(msgs), restore(archive, msgs, name)); err != nil {
			return err
		}
	}
	return nil
}

// restore copies one block back. A copy and not a link: the server may append to it or cut it.
func restore(archive, msgs, name string) error {
	content, err := load(filepath.Join(archive, name), nil)
	if err == nil {
		err = Replace(filepath.Join(msgs, name), content)
	}
	if err != nil {
		return fmt.Errorf("restore %s: %w", name, err)
	}
	return nil
}

// DropIndex removes index.db, so that the server reads the blocks. None to remove is no error.
func DropIndex(msgs string) error { return remove(filepath.Join(msgs, indexFile)) }
