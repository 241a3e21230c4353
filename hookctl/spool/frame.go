package spool

import (
	"bufio"
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io"

	"github.com/oklog/ulid/v2"

	"hookline/hookctl/wire"
)

// ErrFrame is a frame that this build cannot read.
var ErrFrame = errors.New("unreadable frame")

// ReadFrame reads the form in which frames are spooled and handed to "hookd deliver": the header's
// line, then the body to the end.
func ReadFrame(r io.Reader) (wire.Frame, error) {
	b := bufio.NewReader(r)
	line, err := b.ReadString('\n')
	if err != nil {
		return wire.Frame{}, fmt.Errorf("%w: its first line ends early", ErrFrame)
	}
	return ParseFrame(line, b)
}

// ParseFrame returns the frame with this header ([wire.Frame.Header], or the request's Hookline-Frame)
// and body. Unknown fields are ignored, so a newer client is understood. A body above [wire.Limit]
// is an error; the client sends only the head of such an input.
func ParseFrame(header string, body io.Reader) (wire.Frame, error) {
	var f wire.Frame
	if err := json.Unmarshal([]byte(header), &f); err != nil {
		return f, fmt.Errorf("%w: header: %w", ErrFrame, err)
	}
	if _, err := ulid.ParseStrict(f.ID); err != nil {
		return f, fmt.Errorf("%w: id %.40q: %w", ErrFrame, f.ID, err)
	}
	if len(f.Args) == 0 {
		return f, fmt.Errorf("%w: no arguments", ErrFrame)
	}
	var err error
	if f.Body, err = readAll(io.LimitReader(body, wire.Limit+1), f.Size); err != nil {
		return f, fmt.Errorf("%w: body: %w", ErrFrame, err)
	}
	if len(f.Body) > wire.Limit {
		return f, fmt.Errorf("%w: body above %d bytes", ErrFrame, wire.Limit)
	}
	return f, nil
}

// readAll reads like io.ReadAll, with room for the size that the client announced, so that a large body is not
// copied again and again.
func readAll(r io.Reader, size int64) ([]byte, error) {
	b := bytes.NewBuffer(make([]byte, 0, min(max(size, 0), wire.Limit)+bytes.MinRead))
	_, err := b.ReadFrom(r)
	return b.Bytes(), err
}

// Session returns the session of a frame by its body, else by its environment; "" where neither says.
func Session(f wire.Frame) string {
	return cmp.Or(wire.StringIn(f.Body, "session_id"), f.Env["CLAUDE_CODE_SESSION_ID"])
}

// Launch returns the client's project directory by a frame's environment, else its working directory.
func Launch(f wire.Frame) string {
	return cmp.Or(f.Env["CLAUDE_PROJECT_DIR"], f.Cwd)
}
