package wire

import (
	"bytes"
	"errors"
	"io"
	"os"
	"strings"
	"time"
)

// Patience bounds the wait for an input: Quiet is the longest time without a byte, Whole that of all of it.
type Patience struct {
	Quiet time.Duration
	Whole time.Duration
}

// ReadValue reads exactly one JSON value into a frame's Body, Size, Complete and Note.
//
// It stops at the value's last byte and does not wait for the end of the input, since the client may keep the pipe
// open. Only the value's structure is looked at (strings, and the depth of brackets), so it need not be valid. White
// space and a byte order mark before it are skipped. Objects, arrays and strings end at their last byte; anything
// else, which no hook sends, ends with the input.
//
// When nothing comes any more it returns what came so far; a reader without SetReadDeadline, such as a file, is read
// to its end. A value above limit bytes is read on, but only its first MiB is kept; Size counts all of it.
func ReadValue(r io.Reader, limit int64, p Patience) Frame {
	var in Frame
	var s scanner
	buf := make([]byte, 0, 64<<10)
	paced := newPacedReader(r, p)

	for !in.Complete && in.Note == "" {
		if len(buf) == cap(buf) {
			buf = enlarge(buf)
		}
		n, err := paced.Read(buf[len(buf):cap(buf)])
		piece := buf[len(buf) : len(buf)+n]
		end := s.next(piece)
		if end >= 0 {
			piece = piece[:end]
		}

		in.Size += int64(len(piece))
		buf = buf[:len(buf)+len(piece)]
		if in.Size > limit {
			buf = buf[:min(len(buf), headSize)]
		}

		endsWithInput := err == io.EOF && s.state == untilEOF
		if end >= 0 || endsWithInput {
			in.Complete = true
		} else if err != nil {
			in.Note = incompleteNote(err, s)
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

// enlarge returns buf with four times the capacity: most of it stays untouched, and copying costs more than address
// space.
func enlarge(buf []byte) []byte {
	return append(make([]byte, 0, 4*cap(buf)), buf...)
}

// pacedReader is a reader whose reads end when its patience does, where the reader below it has deadlines. One without
// deadlines is bounded by the client program's own timeout only.
type pacedReader struct {
	io.Reader
	deadliner interface{ SetReadDeadline(time.Time) error } // nil for a reader without deadlines
	patience  Patience
	begin     time.Time
}

func newPacedReader(r io.Reader, p Patience) pacedReader {
	deadliner, _ := r.(interface{ SetReadDeadline(time.Time) error })
	return pacedReader{r, deadliner, p, time.Now()}
}

func (r pacedReader) Read(buf []byte) (int, error) {
	if r.deadliner != nil {
		now := time.Now()
		left := r.patience.Whole - now.Sub(r.begin)
		_ = r.deadliner.SetReadDeadline(now.Add(min(r.patience.Quiet, left)))
	}
	return r.Reader.Read(buf)
}

// incompleteNote returns the note of a value that did not come to its end because of err.
func incompleteNote(err error, s scanner) string {
	if err == io.EOF && s.state == beforeValue {
		return "no input"
	}
	if err == io.EOF {
		return "input ended inside the value"
	}
	if errors.Is(err, os.ErrDeadlineExceeded) {
		return "input not complete at the deadline"
	}
	return "read: " + err.Error()
}

// blanks may stand before a value; the last one is the byte order mark.
const blanks = " \t\r\n\ufeff"

type scanState int

const (
	beforeValue scanState = iota
	inBrackets
	inString
	untilEOF // a number, a literal or no JSON: no byte is known to be its last
)

// scanner finds the end of one JSON value in pieces of input. It counts depth instead of
// recursing, so 10,000 levels cost nothing.
type scanner struct {
	state   scanState
	depth   int
	escaped bool // the piece before ended with an open backslash
}

// next returns the offset after the value's last byte, or -1 when the value goes on after p.
func (s *scanner) next(p []byte) int {
	for i := 0; i < len(p); {
		switch s.state {
		case untilEOF:
			return -1
		case inString:
			i = s.skipString(p, i)
		default:
			s.step(p[i])
			i++
		}

		if s.state == inBrackets && s.depth == 0 {
			return i
		}
	}
	return -1
}

// step takes one byte that is outside strings.
func (s *scanner) step(c byte) {
	switch c {
	case '"':
		s.state = inString
		return
	case '{', '[':
		s.state = inBrackets
		s.depth++
		return
	}

	if s.state == beforeValue {
		if strings.IndexByte(blanks, c) < 0 {
			s.state = untilEOF
		}
		return
	}
	if c == '}' || c == ']' {
		s.depth--
	}
}

// skipString jumps from quote to quote and returns the offset after the string, or len(p) when the string goes on; a
// quote after an odd number of backslashes is part of it.
func (s *scanner) skipString(p []byte, i int) int {
	if s.escaped {
		s.escaped = false
		i++
	}

	for i < len(p) {
		quote := bytes.IndexByte(p[i:], '"')
		if quote < 0 {
			s.escaped = endsEscaped(p[i:])
			return len(p)
		}

		text := p[i : i+quote]
		i += quote + 1
		if !endsEscaped(text) {
			s.state = inBrackets
			return i
		}
	}
	return i
}

// endsEscaped reports whether text ends with an odd number of backslashes, so that the byte after it is escaped.
func endsEscaped(text []byte) bool {
	odd := false
	for i := len(text) - 1; i >= 0 && text[i] == '\\'; i-- {
		odd = !odd
	}
	return odd
}
