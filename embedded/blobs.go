package embedded

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"

	"hookline/embedded/block"
	"hookline/events"
)

// Errors of [Blobs.Get].
var (
	// ErrNoBlob: no content with that digest is stored.
	ErrNoBlob = errors.New("no such blob")
	// ErrBlobDamaged: what is stored under the digest has another one.
	ErrBlobDamaged = errors.New("the blob is damaged")
)

const (
	digestPrefix = "sha256:"
	blobSuffix   = ".zst"
)

var digestForm = regexp.MustCompile(`^sha256:[0-9a-f]{64}$`)

// Blobs keeps large strings by their content: the same content is stored once however often it
// recurs. Its methods may be used by many goroutines, and by many processes, at once.
type Blobs struct {
	dir   string
	codec *codec
}

// path returns where a digest's content lies.
func (b *Blobs) path(digest string) (string, error) {
	if !digestForm.MatchString(digest) {
		return "", fmt.Errorf("digest %q: %w", digest, ErrNoBlob)
	}
	return filepath.Join(b.dir, strings.TrimPrefix(digest, digestPrefix)+blobSuffix), nil
}

// Put stores content and returns its digest, "sha256:<64 hex>". When it returns the content is on
// disk. Content above 64 MiB is an [ErrTooLarge].
func (b *Blobs) Put(content []byte) (string, error) {
	if len(content) > maxPlain {
		return "", fmt.Errorf("%w: a blob of %d bytes", ErrTooLarge, len(content))
	}
	digest := events.Digest(content)
	if b.Has(digest) {
		return digest, nil
	}
	path, err := b.path(digest)
	if err != nil {
		return "", err
	}
	// Always a frame, also where that is larger: the name says .zst.
	if err := block.Replace(path, b.codec.frame(content)); err != nil {
		return "", fmt.Errorf("put %s: %w", digest, classify(err))
	}
	return digest, nil
}

// Has says whether the content is stored.
func (b *Blobs) Has(digest string) bool {
	path, err := b.path(digest)
	if err != nil {
		return false
	}
	info, err := os.Stat(path)
	return err == nil && info.Mode().IsRegular()
}

// Get returns the content after comparing it with its digest.
func (b *Blobs) Get(digest string) ([]byte, error) {
	path, err := b.path(digest)
	if err != nil {
		return nil, err
	}
	packed, err := os.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("%s: %w", digest, ErrNoBlob)
	}
	if err != nil {
		return nil, err
	}
	content, err := b.codec.unpack(encodingZstd, packed, nil)
	if err != nil {
		return nil, fmt.Errorf("%s: %w: %w", digest, ErrBlobDamaged, err)
	}
	if events.Digest(content) != digest {
		return nil, fmt.Errorf("%s: %w", digest, ErrBlobDamaged)
	}
	return content, nil
}

// Walk calls fn with each stored digest, in order. An error of fn ends it.
func (b *Blobs) Walk(ctx context.Context, fn func(digest string) error) error {
	return filepath.WalkDir(b.dir, func(path string, e fs.DirEntry, err error) error {
		if errors.Is(err, fs.ErrNotExist) {
			return nil
		}
		if err != nil || e.IsDir() {
			return errors.Join(err, ctx.Err())
		}
		hexa, ok := strings.CutSuffix(e.Name(), blobSuffix)
		if _, err := b.path(digestPrefix + hexa); !ok || err != nil {
			return nil // a temporary file of a writer that died
		}
		return fn(digestPrefix + hexa)
	})
}
