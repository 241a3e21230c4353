package embedded

import (
	"bytes"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"hookline/expect"
)

func TestBlobs(t *testing.T) {
	s := open(t, storeDir(t))
	b := s.Blobs()
	expect.OK(t, b.Walk(t.Context(), func(string) error { t.Error("a blob in an empty store"); return nil }))
	text := bytes.Repeat([]byte("package main\n"), 2000)
	digest, err := b.Put(text)
	if err != nil || len(digest) != len("sha256:")+64 || !strings.HasPrefix(digest, "sha256:") {
		t.Fatalf("put: %s, %v", digest, err)
	}
	path, _ := b.path(digest)
	first, err := os.Stat(path)
	if err != nil || first.Mode().Perm() != 0o600 || first.Size() > 200 {
		t.Fatalf("%v, %v", first, err)
	}
	if again, err := b.Put(text); err != nil || again != digest {
		t.Errorf("put again: %s, %v", again, err)
	}
	if second, err := os.Stat(path); err != nil || !os.SameFile(first, second) {
		t.Errorf("the same content was written twice: %v", err)
	}
	if got, err := b.Get(digest); err != nil || !bytes.Equal(got, text) || !b.Has(digest) {
		t.Errorf("get: %d bytes, %v", len(got), err)
	}
	if empty, err := b.Put(nil); err != nil || empty != "sha256:e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855" {
		t.Errorf("put of nothing: %s, %v", empty, err)
	}
	expect.OK(t, os.WriteFile(filepath.Join(filepath.Dir(path), ".tmp-1"), nil, 0o600))
	var seen []string
	if err := b.Walk(t.Context(), func(d string) error { seen = append(seen, d); return nil }); err != nil || len(seen) != 2 {
		t.Errorf("walk: %v, %v", seen, err)
	}
}

func TestBlobsRefuse(t *testing.T) {
	b := open(t, storeDir(t)).Blobs()
	none := "sha256:" + strings.Repeat("0", 64)
	for _, d := range []string{"", "sha256:", none, "sha256:../../../../etc/passwd", "md5:" + strings.Repeat("0", 64), strings.ToUpper(none), none + "0"} {
		if _, err := b.Get(d); !errors.Is(err, ErrNoBlob) || b.Has(d) {
			t.Errorf("get %q: %v, want ErrNoBlob", d, err)
		}
	}
	digest := expect.Value(b.Put([]byte("some text that is long enough to be kept")))(t)
	other := expect.Value(b.Put([]byte("other")))(t)
	path, _ := b.path(digest)
	from, _ := b.path(other)
	content := expect.Value(os.ReadFile(from))(t)
	for _, damage := range [][]byte{content, nil, []byte("garbage"), content[:len(content)-1]} {
		expect.OK(t, os.WriteFile(path, damage, 0o600))
		if _, err := b.Get(digest); !errors.Is(err, ErrBlobDamaged) {
			t.Errorf("get of %q: %v, want ErrBlobDamaged", damage, err)
		}
	}
	if _, err := b.Put(make([]byte, maxPlain+1)); !errors.Is(err, ErrTooLarge) {
		t.Errorf("a blob above 64 MiB: %v", err)
	}
}

func TestBlobsConcurrently(t *testing.T) {
	b := open(t, storeDir(t)).Blobs()
	var all sync.WaitGroup
	for range 8 {
		all.Go(func() {
			for j := range 5 {
				content := bytes.Repeat([]byte{byte('a' + j)}, 1000)
				d, err := b.Put(content)
				got, getErr := b.Get(d)
				if err != nil || getErr != nil || !bytes.Equal(got, content) {
					t.Error(err, getErr)
				}
			}
		})
	}
	all.Wait()
	n := 0
	expect.OK(t, b.Walk(t.Context(), func(string) error { n++; return nil }))
	expect.Equal(t, n, 5, "blobs")
}
