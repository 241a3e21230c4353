package wire

import (
	"bufio"
	"errors"
	"io"
	"os"
	"strconv"
	"strings"
	"time"
)

// The answer's bounds: the client replaces output above 10,000 characters, so 16 MiB is no answer of ours.
const (
	maxHead   = 64 << 10
	maxAnswer = 16 << 20
)

// onePacket is the size up to which a body is written together with the head.
const onePacket = 32 << 10

// Do sends f to the daemon at socket and returns its answer, both before the deadline. Errors are
// [ErrNoDaemon], [ErrBusy], [ErrTimeout] or [ErrProtocol], the last two perhaps after the daemon recorded the frame.
func Do(deadline time.Time, socket, event string, f Frame) (Reply, error) {
	conn, err := Dial(socket, deadline)
	if err != nil {
		return Reply{}, err
	}
	defer conn.Close()

	head, body := requestHead(event, f), f.Body
	if len(body) <= onePacket {
		head, body = append(head, body...), nil
	}
	_, err = conn.Write(head)
	if err == nil && len(body) > 0 {
		_, err = conn.Write(body)
	}
	if errors.Is(err, os.ErrDeadlineExceeded) {
		return Reply{}, ErrTimeout
	}

	// Other errors of writing are not looked at: a daemon that refuses stops reading, and its answer says why.
	return readReply(conn)
}

// AlivePath is the path of the request that a daemon answers as soon as it is there.
const AlivePath = "/v1/alive"

// HookPath begins the path of the request with a hook; the hook's name follows.
const HookPath = "/v1/hook/"

// Misdirected begins the answer of a daemon that serves another home than the one that was meant.
const Misdirected = "HTTP/1.1 421"

// requestHead returns the request's head, with the empty line that ends it.
func requestHead(event string, f Frame) []byte {
	b := append(make([]byte, 0, 4096), "POST "+HookPath...)
	b = append(b, event...)
	b = append(b, " HTTP/1.1\r\nHost: hookline\r\nHookline-Protocol: "...)
	b = strconv.AppendInt(b, Protocol, 10)
	b = append(append(b, "\r\nHookline-Build: "...), Build...)
	if f.Home != "" {
		b = append(append(b, "\r\nHookline-Home: "...), f.Home...)
	}
	b = append(append(b, "\r\nHookline-Frame: "...), f.Header()...)
	b = append(b, "\r\nContent-Type: application/json\r\nContent-Length: "...)
	b = strconv.AppendInt(b, int64(len(f.Body)), 10)
	return append(b, "\r\nConnection: close\r\n\r\n"...)
}

// readReply reads the one answer: as much as its Content-Length says, never to the end of the connection.
func readReply(r io.Reader) (Reply, error) {
	in := bufio.NewReader(io.LimitReader(r, maxHead+maxAnswer))

	status, err := readLine(in)
	if err != nil {
		return Reply{}, err
	}
	if err := statusError(status); err != nil {
		return Reply{}, err
	}
	head, err := readFields(in)
	if err != nil {
		return Reply{}, err
	}

	body := make([]byte, head.length)
	if _, err := io.ReadFull(in, body); err != nil {
		return Reply{}, readError(err)
	}
	return Reply{Stdout: body[:head.stdout], Stderr: body[head.stdout:], Exit: head.exit}, nil
}

// statusError returns the error that an answer's status line stands for, nil for 200.
func statusError(status string) error {
	if strings.HasPrefix(status, Misdirected) {
		return wireError{ErrNoDaemon, "the one that answers serves another home"}
	}
	if strings.HasPrefix(status, "HTTP/1.1 503") {
		return wireError{ErrBusy, status}
	}
	if !strings.HasPrefix(status, "HTTP/1.1 200") {
		return protocolError("status " + strconv.Quote(status[:min(len(status), 100)]))
	}
	return nil
}

// replyHead holds the numbers in an answer's header fields.
type replyHead struct {
	protocol int
	length   int // of the body
	stdout   int // how many bytes of the body are for stdout
	exit     int
}

// readFields reads the header fields up to the empty line.
func readFields(in *bufio.Reader) (replyHead, error) {
	head := replyHead{protocol: -1, length: -1, stdout: -1, exit: -1}
	for {
		field, err := readLine(in)
		if err != nil {
			return replyHead{}, err
		}
		if field == "" {
			break
		}

		name, value, _ := strings.Cut(field, ":")
		value = strings.TrimSpace(value)
		switch strings.ToLower(name) {
		case "content-length":
			head.length = number(value, maxAnswer)
		case "hookline-stdout":
			head.stdout = number(value, maxAnswer)
		case "hookline-exit":
			head.exit = number(value, 255)
		case "hookline-protocol":
			head.protocol = number(value, 1<<20)
		}
	}

	// A stdout that is not above the length, and not negative, means that the length is there, too.
	stdoutFits := head.stdout >= 0 && head.stdout <= head.length
	if head.protocol <= 0 || head.exit < 0 || !stdoutFits {
		return replyHead{}, protocolError("headers missing or out of range")
	}
	return head, nil
}

// readLine returns one line of an answer's head, of 4 KiB at most, without its end.
func readLine(in *bufio.Reader) (string, error) {
	text, err := in.ReadSlice('\n')
	if err != nil {
		return "", readError(err)
	}
	return strings.TrimSuffix(string(text), "\r\n"), nil
}

// number returns s as a number from 0 to limit, else -1.
func number(s string, limit int) int {
	n, err := strconv.Atoi(s)
	if err != nil || n < 0 || n > limit {
		return -1
	}
	return n
}

// readError returns [ErrTimeout] or an [ErrProtocol] for a failed read: a connection that ends early means that the
// daemon died.
func readError(err error) error {
	if errors.Is(err, os.ErrDeadlineExceeded) {
		return ErrTimeout
	}
	return protocolError(err.Error())
}

// wireError adds a detail to one of the sentinels; fmt would cost a hook its start-up time.
type wireError struct {
	kind   error
	detail string
}

func (e wireError) Error() string { return e.kind.Error() + ": " + e.detail }
func (e wireError) Unwrap() error { return e.kind }

func protocolError(detail string) error { return wireError{ErrProtocol, detail} }
