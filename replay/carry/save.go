package carry

import (
	"bufio"
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"

	"github.com/klauspost/compress/zstd"

	"hookline/events"
	"hookline/hookctl/safeopen"
)

// Lines gives an export's lines, each without its end, to line; the daemon sends them so. It ends at
// line's first error.
type Lines func(line func([]byte) error) error

// Saved tells what was written.
type Saved struct {
	File    string `json:"file" jsonschema_description:"as it was named"`
	Events  uint64 `json:"events" jsonschema_description:"in it"`
	Blobs   uint64 `json:"blobs" jsonschema_description:"large contents in it"`
	Missing int    `json:"missing_blobs" jsonschema_description:"contents that events refer to and the log does not have"`
	Bytes   int64  `json:"bytes" jsonschema_description:"size of the file"`
	Header  Header `json:"-"`
}

// Save writes what source gives into a new file that nobody else can read; a name that ends in .ndjson
// leaves the zstd out. It returns when the file is on disk; on any trouble there is none. told hears of
// every event.
func Save(file string, source Lines, told func(done, of uint64)) (Saved, error) {
	var out Saved
	size, err := Create(file, func(w io.Writer) (err error) {
		out, err = Pack(w, !strings.HasSuffix(file, ".ndjson"), source, told)
		return err
	})
	out.File, out.Bytes = file, size
	return out, err
}

// Create makes a new file that nobody else can read, and gives its size. It returns when the file is on disk; on any
// trouble there is none.
func Create(file string, write func(io.Writer) error) (size int64, err error) {
	f, err := os.OpenFile(file, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600) //nolint:forbidigo // O_EXCL makes it
	if err != nil {
		return 0, err
	}
	err = write(f)
	if err == nil {
		size, err = f.Seek(0, io.SeekCurrent)
	}
	if err = cmp.Or(err, f.Sync(), f.Close()); err != nil {
		return size, errors.Join(err, os.Remove(file))
	}
	return size, safeopen.SyncDir(filepath.Dir(file))
}

// Pack writes what source gives to w, as one zstd stream if so wanted. A source that ends before the
// trailer is an error; w has what came until then, and nothing where nothing came.
func Pack(w io.Writer, zstandard bool, source Lines, told func(done, of uint64)) (Saved, error) {
	buffered := bufio.NewWriterSize(w, 256<<10)
	to, finish := io.Writer(buffered), func() error { return nil }
	if zstandard {
		z, err := zstd.NewWriter(buffered, zstd.WithEncoderConcurrency(1))
		if err != nil {
			return Saved{}, err
		}
		to, finish = z, z.Close
	}
	c, begun := passing{missing: map[string]bool{}, told: told}, false
	err := source(func(line []byte) error {
		begun = true
		if err := c.line(line); err != nil {
			return err
		}
		_, err := to.Write(append(line, '\n'))
		return err
	})
	if err == nil && !c.ended {
		err = errors.New("the daemon ended before the export did")
	}
	if !begun { // the frame of an empty stream would be all that w gets
		return Saved{}, err
	}
	for _, lacks := range c.missing {
		if lacks {
			c.out.Missing++
		}
	}
	return c.out, cmp.Or(err, finish(), buffered.Flush()) // of a disk that is full each of them would say the same
}

// passing knows what went by.
type passing struct {
	out     Saved
	missing map[string]bool // digests that were referred to and have not come; false once they came
	ended   bool
	told    func(done, of uint64)
}

func (c *passing) line(line []byte) error {
	switch {
	case bytes.HasPrefix(line, []byte(`{"$blob":"`)):
		digests := events.Refs(line[:min(len(line), 100)])
		if len(digests) == 0 {
			return fmt.Errorf("a blob without a digest: %.100s", line)
		}
		c.out.Blobs++
		c.missing[digests[0]] = false
		return nil
	case bytes.HasPrefix(line, []byte(`{"end":true,`)):
		c.ended = true
		return nil
	case bytes.HasPrefix(line, []byte(`{"hookline_export":`)):
		return json.Unmarshal(line, &c.out.Header)
	}
	c.out.Events++
	c.told(c.out.Events, c.out.Header.Events)
	for _, digest := range events.Refs(line) {
		if _, seen := c.missing[digest]; !seen {
			c.missing[digest] = true
		}
	}
	return nil
}

// ReadBack reads a file to its end, every digest included, and gives what is in it. The error is [Reader]'s
// where the file is not whole.
func ReadBack(file string) (Saved, error) {
	f, err := safeopen.Open(safeopen.Foreign, file)
	if err != nil {
		return Saved{}, err
	}
	defer f.Close()
	r, err := OpenExport(f)
	if err != nil {
		return Saved{}, fmt.Errorf("%s: %w", file, err)
	}
	defer r.Close()
	for {
		if _, err = r.Next(); err != nil {
			break
		}
	}
	events, blobs := r.Read()
	if !errors.Is(err, io.EOF) {
		return Saved{}, fmt.Errorf("%s: %w", file, err)
	}
	return Saved{File: file, Events: events, Blobs: blobs, Header: r.Header()}, nil
}
