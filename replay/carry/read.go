package carry

import (
	"bufio"
	"bytes"
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"hash"
	"io"

	"github.com/klauspost/compress/zstd"

	"hookline/events"
)

// Reader reads one export. It is used by one goroutine.
type Reader struct {
	in     *bufio.Reader
	unpack *zstd.Decoder // nil where the file is not compressed
	sum    hash.Hash
	header Header
	read   Trailer
	line   int
}

var zstdMagic = []byte{0x28, 0xb5, 0x2f, 0xfd}

// maxWindow bounds what a compressed file may ask for in memory; zstd's own default for reading.
const maxWindow = 128 << 20

// OpenExport begins to read an export and returns after its header. The reader must be closed; that does not
// close in.
func OpenExport(in io.Reader) (*Reader, error) {
	r := &Reader{in: bufio.NewReaderSize(in, 64<<10), sum: sha256.New()}
	head, err := r.in.Peek(len(zstdMagic))
	if len(head) == 0 && errors.Is(err, io.EOF) {
		return nil, fmt.Errorf("%w: it is empty", ErrTruncated)
	}
	if bytes.Equal(head, zstdMagic) {
		if r.unpack, err = zstd.NewReader(r.in, zstd.WithDecoderConcurrency(1), zstd.WithDecoderMaxWindow(maxWindow)); err != nil {
			return nil, fmt.Errorf("%w: %w", ErrDamaged, err)
		}
		r.in = bufio.NewReaderSize(r.unpack, 64<<10)
	}
	if err := r.begin(); err != nil {
		r.Close()
		return nil, err
	}
	return r, nil
}

// begin reads the header.
func (r *Reader) begin() error {
	line, err := r.next()
	if err != nil {
		return err
	}
	err = json.Unmarshal(line, &r.header)
	switch format := r.header.Format; {
	case format > ExportFormat:
		return fmt.Errorf("%w: %d, this build reads up to %d", ErrNewer, format, ExportFormat)
	case err != nil || format < 1:
		return ErrNotExport
	}
	return nil
}

// Close frees what reading needs.
func (r *Reader) Close() {
	if r.unpack != nil {
		r.unpack.Close()
	}
}

// Header is the file's first line.
func (r *Reader) Header() Header { return r.header }

// Read counts what was read so far.
func (r *Reader) Read() (events, blobs uint64) { return r.read.Events, r.read.Blobs }

// member is a line as far as its kind, and the content of a blob, need it.
type member struct {
	End      bool    `json:"end"`
	Blob     *string `json:"$blob"`
	Encoding string  `json:"encoding"`
	Content  string  `json:"content"`
	Odd      *string `json:"data_base64"`
}

// Next returns the next event or blob. io.EOF comes after a trailer that is true of everything before;
// [ErrTruncated] and [ErrDamaged] say what is wrong otherwise, and where.
func (r *Reader) Next() (Item, error) {
	before := r.sum.Sum(nil)
	line, err := r.next()
	if err != nil {
		return Item{}, err
	}
	var m member
	if err := json.Unmarshal(line, &m); err != nil {
		return Item{}, r.damaged(err.Error())
	}
	switch {
	case m.Blob != nil:
		return r.blob(m)
	case m.End:
		return Item{}, r.end(line, before)
	}
	return r.event(line, m)
}

func (r *Reader) event(line []byte, m member) (Item, error) {
	var rec events.Record
	if err := rec.UnmarshalJSON(line); err != nil {
		return Item{}, r.damaged(err.Error())
	}
	if rec.ID == "" || rec.Type == "" {
		return Item{}, r.damaged("neither an event, a blob nor the end")
	}
	if m.Odd != nil {
		data, err := base64.StdEncoding.DecodeString(*m.Odd)
		if err != nil {
			return Item{}, r.damaged(err.Error())
		}
		rec.Data = data
		rec.Event = events.Decode(rec.Type, rec.Version, data)
	}
	r.read.Events++
	return Item{Event: &rec}, nil
}

func (r *Reader) blob(m member) (Item, error) {
	b := Blob{Digest: *m.Blob, Content: []byte(m.Content)}
	switch m.Encoding {
	case "":
	case encodingBase64:
		var err error
		if b.Content, err = base64.StdEncoding.DecodeString(m.Content); err != nil {
			return Item{}, r.damaged(err.Error())
		}
	default:
		return Item{}, r.damaged(fmt.Sprintf("encoding %q", m.Encoding))
	}
	if b.Digest != events.Digest(b.Content) {
		return Item{}, r.damaged("the content has another digest")
	}
	r.read.Blobs++
	return Item{Blob: &b}, nil
}

// end judges the trailer; io.EOF when it is true.
func (r *Reader) end(line, sum []byte) error {
	var t Trailer
	if err := json.Unmarshal(line, &t); err != nil {
		return r.damaged(err.Error())
	}
	switch {
	case t.SHA256 != hex.EncodeToString(sum):
		return r.damaged("the digest of the lines before is another one")
	case t.Events != r.read.Events || t.Blobs != r.read.Blobs || r.header.Events != r.read.Events:
		return r.damaged(fmt.Sprintf("%d events and %d blobs were read, %d and %d written, %d announced",
			r.read.Events, r.read.Blobs, t.Events, t.Blobs, r.header.Events))
	}
	if _, err := r.in.Peek(1); !errors.Is(err, io.EOF) {
		return r.damaged("something stands behind its end")
	}
	return io.EOF
}

// next reads one line, without its end.
func (r *Reader) next() ([]byte, error) {
	var line []byte
	for {
		part, err := r.in.ReadSlice('\n')
		line = append(line, part...)
		if r.line == 0 && len(line) > maxHeader {
			return nil, ErrNotExport
		}
		if len(line) > maxLine {
			return nil, r.damaged(fmt.Sprintf("a line above %d bytes", maxLine))
		}
		switch {
		case err == nil:
			r.line++
			r.sum.Write(line)
			return line[:len(line)-1], nil
		case errors.Is(err, bufio.ErrBufferFull):
		case errors.Is(err, io.EOF), errors.Is(err, io.ErrUnexpectedEOF):
			return nil, fmt.Errorf("%w after line %d", ErrTruncated, r.line)
		case r.unpack != nil:
			r.line++
			return nil, r.damaged(err.Error())
		default:
			return nil, err
		}
	}
}

func (r *Reader) damaged(why string) error {
	return fmt.Errorf("%w: line %d: %s", ErrDamaged, r.line, why)
}
