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

	"hookline/hookctl/problem"
	"hookline/hookctl/safeopen"
)

// Lines calls line with an export's lines, each without its end; the daemon sends them so. It ends at
// line's first error.
type Lines func(line func([]byte) error) error

// Saved is what was written.
type Saved struct {
	File    string `json:"file" jsonschema_description:"as it was named"`
	Events  uint64 `json:"events" jsonschema_description:"in it"`
	Blobs   uint64 `json:"blobs" jsonschema_description:"large contents in it"`
	Missing int    `json:"missing_blobs" jsonschema_description:"contents that events refer to and the log does not have"`
	Bytes   int64  `json:"bytes" jsonschema_description:"size of the file"`
	Header  Header `json:"-"`
}

// Save writes the lines of source into a new file that nobody else can read; a name that ends in .ndjson
// leaves the zstd out. It returns when the file is on disk; on any trouble there is none. told is called
// for every event.
func Save(file string, source Lines, told func(done, of uint64)) (Saved, error) {
	var out Saved
	size, err := Create(file, func(w io.Writer) (err error) {
		out, err = Pack(w, !strings.HasSuffix(file, ".ndjson"), source, told)
		return err
	})
	out.File, out.Bytes = file, size
	return out, err
}

// Create makes a new file that nobody else can read, and returns its size. It returns when the file is on disk; on any
// trouble there is none.
func Create(file string, write func(io.Writer) error) (size int64, err error) {
	f, err := os.OpenFile(file, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600) //nolint:forbidigo // O_EXCL makes it
	if errors.Is(err, os.ErrExist) {
		return 0, problem.FaultBy(err, "%s exists", file).Advise("choose another name; nothing is overwritten")
	}
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

// Pack writes the lines of source to w, as one zstd stream if so wanted. A source that ends before the
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

	var out Saved
	var events uint64
	var end Trailer
	begun := false
	err := source(func(line []byte) (err error) {
		switch {
		case !begun:
			begun = true
			err = json.Unmarshal(line, &out.Header)
		case bytes.HasPrefix(line, []byte(`{"end":true,`)):
			err = json.Unmarshal(line, &end)
		case bytes.HasPrefix(line, []byte(`{"seq":`)):
			events++
			told(events, out.Header.Events)
		}
		if err != nil {
			return err
		}
		_, err = to.Write(append(line, '\n'))
		return err
	})
	if err == nil && !end.End {
		err = errors.New("the daemon ended before the export did")
	}
	if !begun { // the frame of an empty stream would be all that w gets
		return Saved{}, err
	}
	out.Events, out.Blobs, out.Missing = end.Events, end.Blobs, end.Missing
	return out, cmp.Or(err, finish(), buffered.Flush()) // of a disk that is full each of them would say the same
}

// ReadBack reads a file to its end, every digest included, and returns what is in it. The error is [Reader]'s
// where the file is not whole.
func ReadBack(file string) (Saved, error) {
	out := Saved{File: file}
	err := readExport(file, func(r *Reader) (err error) {
		out.Header = r.Header()
		for err == nil {
			_, err = r.Next()
		}
		out.Events, out.Blobs = r.Read()
		return err
	})
	if errors.Is(err, io.EOF) {
		return out, nil
	}
	return Saved{}, fmt.Errorf("%s: %w", file, err)
}
