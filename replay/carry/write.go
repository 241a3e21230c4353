package carry

import (
	"bytes"
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"hash"
	"io"
	"unicode/utf8"

	"hookline/events"
)

// Writer writes the lines of one export, uncompressed. It is used by one goroutine.
type Writer struct {
	out   io.Writer
	sum   hash.Hash
	wrote Trailer
	want  uint64
}

// NewWriter begins an export with its header, whose format is set here.
func NewWriter(out io.Writer, h Header) (*Writer, error) {
	w := &Writer{out: out, sum: sha256.New(), want: h.Events}
	h.Format = ExportFormat
	return w, w.encode(h)
}

// blobLine is a blob as it is written.
type blobLine struct {
	Digest   string `json:"$blob"`
	Encoding string `json:"encoding,omitempty"`
	Content  string `json:"content"`
}

// Blob writes a content. The caller writes each once, before the first event that needs it.
func (w *Writer) Blob(b Blob) error {
	line := blobLine{Digest: b.Digest, Content: string(b.Content)}
	if !utf8.Valid(b.Content) {
		line.Encoding, line.Content = encodingBase64, base64.StdEncoding.EncodeToString(b.Content)
	}
	w.wrote.Blobs++
	return w.encode(line)
}

// Lacks counts a content that events refer to and that is not to be had.
func (w *Writer) Lacks() { w.wrote.Missing++ }

const encodingBase64 = "base64"

// noData is what stands for data that is written otherwise.
var noData = json.RawMessage("{}")

// Event writes one event. Its data goes out byte for byte.
func (w *Writer) Event(r events.Record) error {
	data, odd := []byte(r.Data), ""
	if len(data) == 0 {
		data = noData
	}
	if bytes.ContainsAny(data, "\r\n") || !json.Valid(data) {
		odd, data = base64.StdEncoding.EncodeToString(data), noData
	}
	r.Data = noData // the encoder would write < as \u003c
	line, err := json.Marshal(r)
	if err != nil {
		return fmt.Errorf("encode event %d: %w", r.Seq, err)
	}
	line, ok := bytes.CutSuffix(line, []byte(`"data":{}}`))
	if !ok {
		return fmt.Errorf("encode event %d: data is not its last member", r.Seq)
	}
	line = append(append(line, `"data":`...), data...)
	if odd != "" {
		line = append(append(append(line, `,"data_base64":"`...), odd...), '"')
	}
	w.wrote.Events++
	return w.line(append(line, '}'))
}

// Close writes the trailer. Other numbers than the header announced are an error: the log changed
// meanwhile.
func (w *Writer) Close() error {
	if w.wrote.Events != w.want {
		return fmt.Errorf("%d events were written and %d announced: the log changed meanwhile", w.wrote.Events, w.want)
	}
	w.wrote.End, w.wrote.SHA256 = true, hex.EncodeToString(w.sum.Sum(nil))
	return w.encode(w.wrote)
}

func (w *Writer) encode(v any) error {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(v); err != nil {
		return err
	}
	return w.line(bytes.TrimSuffix(b.Bytes(), []byte("\n")))
}

func (w *Writer) line(b []byte) error {
	b = append(b, '\n')
	w.sum.Write(b)
	_, err := w.out.Write(b)
	return err
}
