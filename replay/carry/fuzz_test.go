package carry

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"io"
	"os"
	"path/filepath"
	"testing"

	"hookline/expect"
)

func digestOf(content []byte) string {
	sum := sha256.Sum256(content)
	return "sha256:" + hex.EncodeToString(sum[:])
}

// Whatever comes, the reader ends with one of its errors, and what it takes for whole can be written again.
func FuzzRead(f *testing.F) {
	whole := written(f, greeting, event(1, `{"a":1}`), event(2, "{\n}"))
	golden := expect.Value(os.ReadFile(filepath.Join("testdata", "format1.ndjson.zst")))(f)
	for _, seed := range [][]byte{whole, pack(f, whole), whole[:len(whole)/2], golden, []byte("{}\n"), nil} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, file []byte) {
		got, err := items(file)
		switch {
		case errors.Is(err, io.EOF):
			again, err := items(written(t, got...))
			if !errors.Is(err, io.EOF) || len(again) != len(got) {
				t.Errorf("written again: %d of %d items, %v", len(again), len(got), err)
			}
		case errors.Is(err, ErrTruncated), errors.Is(err, ErrDamaged), errors.Is(err, ErrNewer), errors.Is(err, ErrNotExport):
		default:
			t.Errorf("%v for %s", err, bytes.ToValidUTF8(file, []byte("?")))
		}
	})
}
