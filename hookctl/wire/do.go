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

// Do sends f to the daemon at socket and returns its answer, both before the deadline. Errors are
// [ErrNoDaemon], [ErrBusy], [ErrTimeout] or [ErrProtocol], the last two perhaps after the daemon took the frame.
func Do(deadline time.Time, socket, event string, f Frame) (Reply, error) {
	c, err := Dial(socket, deadline)
	if err != nil {
		return Reply{}, err
	}
	defer c.Close()
	head, body := request(event, f), f.Body
	if len(body) <= 32<<10 { // one packet
		head, body = append(head, body...), nil
	}
	_, err = c.Write(head)
	if err == nil && len(body) > 0 {
		_, err = c.Write(body)
	}
	if errors.Is(err, os.ErrDeadlineExceeded) {
		return Reply{}, ErrTimeout
	}
	return answer(c) // a daemon that refuses stops reading; its answer says why
}

// AlivePath is the path of the request that a daemon answers as soon as it is there.
const AlivePath = "/v1/alive"

// HookPath begins the path of the request with a hook; the hook's name follows.
const HookPath = "/v1/hook/"

// Misdirected begins the answer of a daemon that serves another home than the one that was meant.
const Misdirected = "HTTP/1.1 421"

// request returns the request's head.
func request(event string, f Frame) []byte {
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

// answer reads the one answer: as much as its Content-Length says, never to the end of the connection.
func answer(c io.Reader) (Reply, error) {
	in := bufio.NewReader(io.LimitReader(c, maxHead+maxAnswer))
	reply := Reply{Exit: -1}
	protocol, length, stdout := -1, -1, -1
	status, err := line(in)
	switch {
	case err != nil:
		return Reply{}, err
	case strings.HasPrefix(status, Misdirected):
		return Reply{}, wireError{ErrNoDaemon, "the one that answers serves another home"}
	case strings.HasPrefix(status, "HTTP/1.1 503"):
		return Reply{}, wireError{ErrBusy, status}
	case !strings.HasPrefix(status, "HTTP/1.1 200"):
		return Reply{}, protocolError("status " + strconv.Quote(status[:min(len(status), 100)]))
	}

	for {
		field, err := line(in)
		if err != nil {
			return Reply{}, err
		}
		if field == "" {
			break
		}
		name, value, _ := strings.Cut(field, ":")
		switch value = strings.TrimSpace(value); strings.ToLower(name) {
		case "content-length":
			length = number(value, maxAnswer)
		case "hookline-stdout":
			stdout = number(value, maxAnswer)
		case "hookline-exit":
			reply.Exit = number(value, 255)
		case "hookline-protocol":
			protocol = number(value, 1<<20)
		}
	}
	if protocol <= 0 || reply.Exit < 0 || stdout < 0 || stdout > length {
		return Reply{}, protocolError("headers missing or out of range")
	}

	body := make([]byte, length)
	if _, err := io.ReadFull(in, body); err != nil {
		return Reply{}, readError(err)
	}
	reply.Stdout, reply.Stderr = body[:stdout], body[stdout:]
	return reply, nil
}

// line returns one line of an answer's head, of 4 KiB at most.
func line(in *bufio.Reader) (string, error) {
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

// readError returns the typed form of a failed read. A connection that ends early is a daemon that died.
func readError(err error) error {
	if errors.Is(err, os.ErrDeadlineExceeded) {
		return ErrTimeout
	}
	return protocolError(err.Error())
}

// wireError is one of the sentinels with its detail; fmt would cost a hook its start-up time.
type wireError struct {
	kind   error
	detail string
}

func (e wireError) Error() string { return e.kind.Error() + ": " + e.detail }
func (e wireError) Unwrap() error { return e.kind }

func protocolError(detail string) error { return wireError{ErrProtocol, detail} }
