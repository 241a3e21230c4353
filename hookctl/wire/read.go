package wire

import (
	"bytes"
	"errors"
	"io"
	"os"
	"strconv"
	"time"
)

// Input is what was read from stdin. Body is one JSON value, from its first byte to its last; only
// its structure was looked at (strings, and the depth of brackets), so it need not be valid.
type Input struct {
	Body     []byte
	Size     int64  // of the value, also where Body is only its head
	Complete bool   // the value's end was seen and Body is all of it
	Note     string // what was odd; "" when nothing was
}

// Patience is how long an input is waited for: Quiet without a byte, Whole in all.
type Patience struct{ Quiet, Whole time.Duration }

// ReadValue reads exactly one JSON value: it stops at the value's last byte and does not wait for
// the end of the input, since the client may keep the pipe open. White space and a byte order mark
// before it are skipped. When nothing comes any more it returns what came so far; a reader without
// SetReadDeadline, such as a file, is read to its end. A value above limit bytes is read on but only
// its first MiB is kept; Size and the digest in Note are of all of it.
//
// Objects, arrays and strings end at their last byte; anything else, which is no hook, with the input.
func ReadValue(r io.Reader, limit int64, p Patience) Input {
	v := value{limit: limit, buf: make([]byte, 0, 64<<10)}
	paced, _ := r.(interface{ SetReadDeadline(time.Time) error })
	begin := time.Now()
	for now := begin; !v.ended; now = time.Now() {
		if paced != nil { // one that cannot is waited for by the client program's own timeout
			_ = paced.SetReadDeadline(now.Add(min(p.Quiet, p.Whole-now.Sub(begin))))
		}
		n, err := r.Read(v.room())
		v.take(n, err)
	}
	return v.Input
}

// value collects the one value.
type value struct {
	Input
	scan    scanner
	limit   int64
	buf     []byte // all of the input up to limit, with what stands before the value
	scratch []byte // where the rest goes above limit
	sum     uint64 // FNV-1a of the value, only above limit
	ended   bool
}

// room is where the next read goes.
func (v *value) room() []byte {
	if v.scratch != nil {
		return v.scratch
	}
	if len(v.buf) == cap(v.buf) { // by four: most of it stays untouched, and copying costs more than address space
		v.buf = append(make([]byte, 0, max(4*cap(v.buf), 64<<10)), v.buf...)
	}
	return v.buf[len(v.buf):cap(v.buf)]
}

// take looks at the n bytes and the error of one read.
func (v *value) take(n int, err error) {
	p, at := v.scratch, 0
	if p == nil {
		at = len(v.buf)
		v.buf = v.buf[:at+n]
		p = v.buf[at:]
	}
	p = p[:n]
	end := v.scan.next(p)
	if end >= 0 {
		v.Complete = true
		if len(bytes.TrimSpace(p[end:])) > 0 {
			v.note("more input behind the value was ignored")
		}
		p = p[:end]
	}
	v.keep(p, at)
	if v.Size > v.limit || v.Size == v.limit && end < 0 {
		v.overflow(p)
	}

	switch {
	case end >= 0:
		v.end("")
	case err == io.EOF && v.scan.in == lead:
		v.end("no input")
	case err == io.EOF && v.scan.in == other:
		v.Complete = true
		v.end("")
	case err == io.EOF:
		v.end("input ended inside the value")
	case errors.Is(err, os.ErrDeadlineExceeded):
		v.end("input not complete at the deadline")
	case err != nil:
		v.end("read: " + err.Error())
	}
}

// keep counts p, which stands at offset at of the buffer, and drops what stands before the value.
func (v *value) keep(p []byte, at int) {
	v.Size += int64(len(p))
	if v.scratch != nil {
		return
	}
	v.buf = v.buf[:at+len(p)]
	if skip := min(v.scan.skipped, len(v.buf)); skip > 0 {
		v.Size -= int64(skip)
		v.buf, v.scan.skipped = v.buf[skip:], 0
	}
}

// overflow hashes p, and the first time all that was kept.
func (v *value) overflow(p []byte) {
	if v.scratch == nil {
		v.scratch, v.sum = make([]byte, 256<<10), 14695981039346656037
		p = v.buf
	}
	for _, c := range p {
		v.sum = (v.sum ^ uint64(c)) * 1099511628211
	}
}

func (v *value) note(s string) {
	if v.Note != "" {
		s = v.Note + "; " + s
	}
	v.Note = s
}

// end fixes the outcome.
func (v *value) end(why string) {
	v.ended, v.Body = true, v.buf
	if v.scratch != nil {
		v.Complete, v.Body = false, v.buf[:min(len(v.buf), headSize)]
		v.note("above the limit, only the head was kept; fnv1a64:" + strconv.FormatUint(v.sum, 16))
	}
	if why != "" {
		v.note(why)
	}
}

// The scanner's states.
const (
	lead  = iota // before the value
	open         // between brackets
	text         // in a string
	other        // a number, a literal or no JSON: no byte is known to be its last
)

// scanner finds the end of one JSON value in pieces of input. It counts depth instead of
// recursing, so 10,000 levels cost nothing.
type scanner struct {
	in, depth, skipped int
	escaped            bool // the piece before ended with an open backslash
}

// next is the offset behind the value's last byte, or -1 when the value goes on behind p.
func (s *scanner) next(p []byte) int {
	for i := 0; i < len(p); {
		switch s.in {
		case lead:
			i += s.start(p[i])
		case text:
			if i = s.text(p, i); s.in == open && s.depth == 0 {
				return i
			}
		case open:
			if i = s.open(p, i); s.depth == 0 {
				return i
			}
		case other:
			return -1
		}
	}
	return -1
}

// start looks at a byte before the value; it returns 1 when the byte is consumed.
func (s *scanner) start(c byte) int {
	switch c {
	case ' ', '\t', '\r', '\n', 0xEF, 0xBB, 0xBF: // the last three are the byte order mark's
		s.skipped++
		return 1
	case '{', '[':
		s.in = open
		return 0
	case '"':
		s.in = text
		return 1
	}
	s.in = other
	return 0
}

// open walks over what stands between strings.
func (s *scanner) open(p []byte, i int) int {
	for ; i < len(p); i++ {
		switch p[i] {
		case '"':
			s.in = text
			return i + 1
		case '{', '[':
			s.depth++
		case '}', ']':
			if s.depth--; s.depth == 0 {
				return i + 1
			}
		}
	}
	return i
}

// text jumps from quote to quote; one behind an odd number of backslashes is part of the string.
func (s *scanner) text(p []byte, i int) int {
	if s.escaped {
		s.escaped = false
		i++
	}
	for i < len(p) {
		quote := bytes.IndexByte(p[i:], '"')
		end := i + quote
		if quote < 0 {
			end = len(p)
		}
		odd := false
		for b := end - 1; b >= i && p[b] == '\\'; b-- {
			odd = !odd
		}
		if quote < 0 {
			s.escaped = odd
			return end
		}
		if i = end + 1; !odd {
			s.in = open
			return i
		}
	}
	return i
}
