package wire

import (
	"bytes"
	"errors"
	"io"
	"os"
	"strings"
	"time"
)

// Patience is how long an input is waited for: Quiet without a byte, Whole in all.
type Patience struct{ Quiet, Whole time.Duration }

// ReadValue reads exactly one JSON value into a frame's Body, Size, Complete and Note: it stops at the value's last byte and
// does not wait for the end of the input, since the client may keep the pipe open. Only the value's structure is looked at
// (strings, and the depth of brackets), so it need not be valid. White space and a byte order mark before it are skipped. When
// nothing comes any more it returns what came so far; a reader without SetReadDeadline, such as a file, is read to its end. A
// value above limit bytes is read on, but only its first MiB is kept; Size is of all of it.
//
// Objects, arrays and strings end at their last byte; anything else, which is no hook, with the input.
func ReadValue(r io.Reader, limit int64, p Patience) Frame {
	var in Frame
	var s scanner
	buf := make([]byte, 0, 64<<10)
	paced, _ := r.(interface{ SetReadDeadline(time.Time) error })
	begin := time.Now()
	for end, err := -1, error(nil); end < 0 && err == nil; {
		if paced != nil { // one that cannot is waited for by the client program's own timeout
			now := time.Now()
			_ = paced.SetReadDeadline(now.Add(min(p.Quiet, p.Whole-now.Sub(begin))))
		}
		if len(buf) == cap(buf) { // by four: most of it stays untouched, and copying costs more than address space
			buf = append(make([]byte, 0, 4*cap(buf)), buf...)
		}
		var n int
		n, err = r.Read(buf[len(buf):cap(buf)])
		piece := buf[len(buf) : len(buf)+n]
		if end = s.next(piece); end >= 0 {
			piece = piece[:end]
		}

		in.Size += int64(len(piece))
		buf = buf[:len(buf)+len(piece)]
		if in.Size > limit {
			buf = buf[:min(len(buf), headSize)]
		}
		in.Complete = end >= 0 || err == io.EOF && s.in == other
		if !in.Complete && err != nil {
			in.Note = why(err, s)
		}
	}

	if in.Size > limit {
		in.Complete = false
		in.Note = "above the limit, only the head was kept"
	}
	in.Body = bytes.TrimLeft(buf, blanks)
	in.Size -= int64(len(buf) - len(in.Body))
	return in
}

// why returns the reason for which a value did not come to its end.
func why(err error, s scanner) string {
	switch {
	case err == io.EOF && s.in == lead:
		return "no input"
	case err == io.EOF:
		return "input ended inside the value"
	case errors.Is(err, os.ErrDeadlineExceeded):
		return "input not complete at the deadline"
	}
	return "read: " + err.Error()
}

// blanks may stand before a value; the last one is the byte order mark.
const blanks = " \t\r\n\ufeff"

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
	in, depth int
	escaped   bool // the piece before ended with an open backslash
}

// next returns the offset after the value's last byte, or -1 when the value goes on after p.
func (s *scanner) next(p []byte) int {
	for i := 0; i < len(p) && s.in != other; {
		c := p[i]
		switch {
		case s.in == text:
			i = s.text(p, i) - 1
		case c == '"':
			s.in = text
		case c == '{' || c == '[':
			s.in = open
			s.depth++
		case s.in == lead && strings.IndexByte(blanks, c) < 0:
			s.in = other
		case s.in == open && (c == '}' || c == ']'):
			s.depth--
		}
		i++
		if s.in == open && s.depth == 0 {
			return i
		}
	}
	return -1
}

// text jumps from quote to quote and returns the offset after the string; a quote after an odd number of backslashes is
// part of it.
func (s *scanner) text(p []byte, i int) int {
	if s.escaped {
		s.escaped = false
		i++
	}
	for i < len(p) {
		end := len(p)
		quote := bytes.IndexByte(p[i:], '"')
		if quote >= 0 {
			end = i + quote
		}
		odd := false
		for b := end - 1; b >= i && p[b] == '\\'; b-- {
			odd = !odd
		}
		if quote < 0 {
			s.escaped = odd
			return end
		}
		i = end + 1
		if !odd {
			s.in = open
			return i
		}
	}
	return i
}
