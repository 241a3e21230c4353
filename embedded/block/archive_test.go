package block

import (
	"bytes"
	"errors"
	"os"
	"path/filepath"
	"reflect"
	"testing"

	"hookline/expect"
)

const n, size = 100, 900 // four blocks of 32,000 bytes, the fourth the newest

// archived makes a store of four blocks and an archive of the sealed ones.
func archived(t *testing.T) (dir, archive string) {
	t.Helper()
	dir, archive = store(t, n, size, small), filepath.Join(t.TempDir(), "archive")
	expect.OK(t, Archive(msgsOf(dir), archive, true))
	expect.Equal(t, len(expect.Value(List(archive))(t)), 3, "archived blocks")
	return dir, archive
}

// kept fails the test unless the store is sound and a real server serves all messages but the missing ones.
func kept(t *testing.T, dir string, missing []uint64) {
	t.Helper()
	if rep := mustCheck(t, msgsOf(dir)); len(rep.Damage) != 0 {
		t.Errorf("damage %+v", rep.Damage)
	}
	if got := served(t, dir, n, size); !reflect.DeepEqual(got, missing) {
		t.Errorf("the server lacks %v, want %v", got, missing)
	}
}

// The archive has links of the blocks. That of the newest shows whatever is appended.
func TestArchiveLinks(t *testing.T) {
	dir, archive := archived(t)
	for range 2 {
		expect.OK(t, Archive(msgsOf(dir), archive, true))
		expect.OK(t, Follow(msgsOf(dir), archive))
	}
	st, err := os.Stat(archive)
	if err != nil || st.Mode().Perm() != 0o700 {
		t.Errorf("archive %v, %v", st.Mode(), err)
	}
	for _, name := range []string{"1.blk", "4.blk"} {
		live, liveErr := os.Stat(filepath.Join(msgsOf(dir), name))
		link, err := os.Stat(filepath.Join(archive, name))
		if err != nil || liveErr != nil || !os.SameFile(live, link) || link.Mode().Perm() != 0o600 {
			t.Errorf("%s: link %v, %v, %v", name, link.Mode(), err, liveErr)
		}
	}
	empty := t.TempDir()
	write1(t, filepath.Join(empty, "5.blk"), nil)
	expect.OK(t, Follow(empty, archive))
	expect.Equal(t, len(expect.Value(List(archive))(t)), 4, "archived blocks, a block without content left out")
	if err := Follow(filepath.Join(empty, "none"), archive); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("a log that is gone: %v", err)
	}
}

// A securely deleted message does not live on in the archive, and a damaged block does not replace a sound one there.
func TestArchiveFollowsErasure(t *testing.T) {
	dir, archive := archived(t)
	r := serve(t, dir, small)
	expect.OK(t, r.stream.SecureDeleteMsg(t.Context(), 3))
	r.stop()
	kept := filepath.Join(archive, "1.blk")
	if !bytes.Contains(read1(t, kept), []byte("id-000003")) {
		t.Fatal("erased before the archive was brought up to date")
	}
	expect.OK(t, Archive(msgsOf(dir), archive, true))
	if bytes.Contains(read1(t, kept), []byte("id-000003")) {
		t.Error("the erased message is in the archive")
	}

	path, kept := filepath.Join(msgsOf(dir), "2.blk"), filepath.Join(archive, "2.blk")
	bad := read1(t, path)
	before := bytes.Clone(bad)
	bad[700] ^= 0xff
	_ = os.Remove(path)
	write1(t, path, bad)
	if err := Archive(msgsOf(dir), archive, true); !errors.Is(err, ErrDamaged) || !bytes.Equal(before, read1(t, kept)) {
		t.Errorf("damaged: %v", err)
	}
}
