package block

import (
	"bytes"
	"errors"
	"os"
	"path/filepath"
	"reflect"
	"testing"
	"time"

	"hookline/expect"
)

const n, size = 100, 900 // four blocks of 32,000 bytes, the fourth the newest

// archived makes a store of four blocks and an archive of the sealed ones.
func archived(t *testing.T) (dir, archive string) {
	t.Helper()
	dir, archive = store(t, n, size, small), filepath.Join(t.TempDir(), "archive")
	linked, err := Archive(msgsOf(dir), archive, true)
	if want := []string{"1.blk", "2.blk", "3.blk"}; err != nil || !reflect.DeepEqual(linked, want) {
		t.Fatalf("linked %v, %v, want %v", linked, err, want)
	}
	return dir, archive
}

// The newest block is linked once, whatever is appended shows in the link, and what the archive has is left as it is.
func TestFollow(t *testing.T) {
	dir, archive := store(t, 30, 100, 0), t.TempDir()
	newest := func(in string) string {
		blocks, err := List(in)
		if err != nil || len(blocks) == 0 {
			t.Fatalf("%v, %v", blocks, err)
		}
		return filepath.Join(in, blocks[len(blocks)-1].Name)
	}
	for _, want := range []bool{true, false} {
		if done, err := Follow(msgsOf(dir), archive); done != want || err != nil {
			t.Errorf("linked %v, %v, want %v", done, err, want)
		}
	}
	live, kept := newest(msgsOf(dir)), newest(archive)
	f, err := os.OpenFile(live, os.O_WRONLY|os.O_APPEND, 0)
	if err == nil {
		_, err = f.WriteString("more")
		err = errors.Join(err, f.Close())
	}
	if err != nil || !bytes.HasSuffix(read1(t, kept), []byte("more")) {
		t.Errorf("the link does not show what was appended, %v", err)
	}
	empty := t.TempDir()
	write1(t, filepath.Join(empty, "1.blk"), nil)
	if done, err := Follow(empty, archive); done || err != nil {
		t.Errorf("a block without content: %v, %v", done, err)
	}
	if _, err := Follow(filepath.Join(empty, "none"), archive); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("a log that is gone: %v", err)
	}
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

func TestArchiveLinks(t *testing.T) {
	dir, archive := archived(t)
	if linked, err := Archive(msgsOf(dir), archive, true); err != nil || len(linked) != 0 {
		t.Errorf("again: linked %v, %v", linked, err)
	}
	st, err := os.Stat(archive)
	if err != nil || st.Mode().Perm() != 0o700 {
		t.Errorf("archive %v, %v", st.Mode(), err)
	}
	live, _ := os.Stat(filepath.Join(msgsOf(dir), "1.blk"))
	link, err := os.Stat(filepath.Join(archive, "1.blk"))
	if err != nil || !os.SameFile(live, link) || link.Mode().Perm() != 0o600 {
		t.Errorf("link %v, %v", link.Mode(), err)
	}
	if linked, err := Archive(msgsOf(dir), archive, false); err != nil || !reflect.DeepEqual(linked, []string{"4.blk"}) {
		t.Errorf("with the newest: linked %v, %v", linked, err)
	}
}

// A securely deleted message does not live on in the archive.
func TestArchiveFollowsErasure(t *testing.T) {
	dir, archive := archived(t)
	r := serve(t, dir, small)
	expect.OK(t, r.stream.SecureDeleteMsg(t.Context(), 3))
	r.stop()
	if !bytes.Contains(read1(t, filepath.Join(archive, "1.blk")), []byte("id-000003")) {
		t.Fatal("erased before the archive was brought up to date")
	}
	if linked, err := Archive(msgsOf(dir), archive, true); err != nil || !reflect.DeepEqual(linked, []string{"1.blk"}) {
		t.Errorf("linked %v, %v", linked, err)
	}
	if bytes.Contains(read1(t, filepath.Join(archive, "1.blk")), []byte("id-000003")) {
		t.Error("the erased message is in the archive")
	}
}

// A damaged block is not taken.
func TestArchiveRefuses(t *testing.T) {
	dir, archive := archived(t)
	path := filepath.Join(msgsOf(dir), "2.blk")
	bad := read1(t, path)
	bad[700] ^= 0xff
	_ = os.Remove(path)
	write1(t, path, bad)
	before := read1(t, filepath.Join(archive, "2.blk"))
	if _, err := Archive(msgsOf(dir), archive, true); !errors.Is(err, ErrDamaged) || !bytes.Equal(before, read1(t, filepath.Join(archive, "2.blk"))) {
		t.Errorf("damaged: %v", err)
	}
}

// Where links fail, blocks are copied, and an unchanged copy is known by size and time.
func TestArchiveCopies(t *testing.T) {
	dir := store(t, n, size, small)
	live, copied := filepath.Join(msgsOf(dir), "1.blk"), filepath.Join(t.TempDir(), "1.blk")
	old := time.Now().Add(-time.Hour)
	expect.OK(t, os.Chtimes(live, old, old))
	for _, c := range []struct {
		changed time.Time
		same    bool
	}{{old, true}, {time.Now().Add(time.Minute), false}} { // fresh, however long the copy takes
		expect.OK(t, os.Chtimes(live, c.changed, c.changed))
		st, err := os.Stat(live)
		expect.OK(t, err)
		expect.OK(t, copyBlock(live, copied, st.ModTime()))
		now, err := os.Stat(copied)
		if err != nil || same(st, now) != c.same || !bytes.Equal(read1(t, live), read1(t, copied)) {
			t.Errorf("changed %v: same is %v, want %v, %v", c.changed, same(st, now), c.same, err)
		}
	}
}
