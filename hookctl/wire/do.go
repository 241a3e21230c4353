package wire

import (
	"bytes"
	"errors"
	"io"
	"os"
	"strconv"
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
	c, err := dial(socket, deadline)
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
	if errors.Is(err, ErrTimeout) {
		return Reply{}, err
	}
	// A daemon that refuses stops reading; its answer says why.
	return answer(c)
}

// conn gives a connection's errors the package's form.
type conn struct{ io.ReadWriteCloser }

func (c conn) Read(p []byte) (int, error) {
	n, err := c.ReadWriteCloser.Read(p)
	return n, typed(err)
}

func (c conn) Write(p []byte) (int, error) {
	n, err := c.ReadWriteCloser.Write(p)
	return n, typed(err)
}

func typed(err error) error {
	if errors.Is(err, os.ErrDeadlineExceeded) {
		return ErrTimeout
	}
	return err
}

// Alive tells whether a daemon accepts connections at socket.
func Alive(socket string, deadline time.Time) bool {
	c, err := dial(socket, deadline)
	if err != nil {
		return false
	}
	c.Close()
	return true
}

// misdirected begins the answer of a daemon that serves another home than the one that was meant.
var misdirected = []byte("HTTP/1.1 421")

// Serves tells whether a daemon accepts connections at socket, and does not say that it serves another home than the
// one with this mark. One that hangs is not waited for.
func Serves(socket, mark string, deadline time.Time) bool {
	if soon := time.Now().Add(100 * time.Millisecond); soon.Before(deadline) && mark != "" {
		deadline = soon
	}
	c, err := dial(socket, deadline)
	if err != nil {
		return false
	}
	defer c.Close()
	if mark == "" {
		return true
	}
	if _, err := c.Write([]byte("GET /v1/alive HTTP/1.1\r\nHost: hookline\r\nHookline-Home: " + mark + "\r\nConnection: close\r\n\r\n")); err != nil {
		return true
	}
	answer := make([]byte, len(misdirected))
	_, err = io.ReadFull(c, answer)
	return err != nil || !bytes.Equal(answer, misdirected)
}

// request is the request's head.
func request(event string, f Frame) []byte {
	b := append(make([]byte, 0, 4096), "POST /v1/hook/"...)
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

// Answer is r in the form in which the daemon answers.
func Answer(r Reply) []byte {
	b := append([]byte("HTTP/1.1 200 OK\r\nHookline-Protocol: "), strconv.Itoa(Protocol)...)
	b = append(append(b, "\r\nHookline-Build: "...), Build...)
	b = strconv.AppendInt(append(b, "\r\nHookline-Exit: "...), int64(r.Exit), 10)
	b = strconv.AppendInt(append(b, "\r\nHookline-Stdout: "...), int64(len(r.Stdout)), 10)
	b = strconv.AppendInt(append(b, "\r\nContent-Length: "...), int64(len(r.Stdout)+len(r.Stderr)), 10)
	return append(append(append(b, "\r\n\r\n"...), r.Stdout...), r.Stderr...)
}

// answer reads the one answer: as much as its Content-Length says, never to the end of the connection.
func answer(c io.Reader) (Reply, error) {
	buf, split := make([]byte, 0, 8<<10), -1
	for split < 0 {
		if len(buf) >= maxHead {
			return Reply{}, protocolError("its head is too long")
		}
		if len(buf) == cap(buf) {
			buf = append(make([]byte, 0, 2*cap(buf)), buf...)
		}
		n, err := c.Read(buf[len(buf):cap(buf)])
		buf = buf[:len(buf)+n]
		if split = bytes.Index(buf, []byte("\r\n\r\n")); split < 0 && err != nil {
			return Reply{}, readError(err)
		}
	}
	h, err := parseHead(buf[:split])
	if err != nil {
		return Reply{}, err
	}
	body := append(make([]byte, 0, h.length), buf[split+4:min(len(buf), split+4+h.length)]...)
	for len(body) < h.length {
		n, err := c.Read(body[len(body):h.length])
		body = body[:len(body)+n]
		if err != nil && len(body) < h.length {
			return Reply{}, readError(err)
		}
	}
	h.Stdout, h.Stderr = body[:h.stdout], body[h.stdout:]
	return h.Reply, nil
}

// answerHead is what the head of an answer says.
type answerHead struct {
	Reply
	length, stdout int
}

func parseHead(head []byte) (answerHead, error) {
	h := answerHead{Reply: Reply{Exit: -1}, length: -1, stdout: -1}
	status, rest, _ := bytes.Cut(head, []byte("\r\n"))
	if bytes.HasPrefix(status, misdirected) {
		return h, wireError{ErrNoDaemon, "the one that answers serves another home"}
	}
	if bytes.HasPrefix(status, []byte("HTTP/1.1 503")) {
		return h, wireError{ErrBusy, string(status)}
	}
	if !bytes.HasPrefix(status, []byte("HTTP/1.1 200")) {
		return h, protocolError("status " + strconv.Quote(string(status[:min(len(status), 100)])))
	}
	for len(rest) > 0 {
		var line []byte
		line, rest, _ = bytes.Cut(rest, []byte("\r\n"))
		name, v, _ := bytes.Cut(line, []byte(":"))
		switch text := string(bytes.TrimSpace(v)); string(bytes.ToLower(name)) {
		case "content-length":
			h.length = number(text, maxAnswer)
		case "hookline-stdout":
			h.stdout = number(text, maxAnswer)
		case "hookline-exit":
			h.Exit = number(text, 255)
		case "hookline-protocol":
			h.Protocol = number(text, 1<<20)
		case "hookline-build":
			h.Build = text
		}
	}
	if h.Protocol <= 0 || h.Exit < 0 || h.length < 0 || h.stdout < 0 || h.stdout > h.length {
		return h, protocolError("headers missing or out of range")
	}
	return h, nil
}

// number is s as a number from 0 to limit, else -1.
func number(s string, limit int) int {
	n, err := strconv.Atoi(s)
	if err != nil || n < 0 || n > limit {
		return -1
	}
	return n
}

// readError is the typed form of a failed read. A connection that ends early is a daemon that died.
func readError(err error) error {
	if errors.Is(err, ErrTimeout) {
		return err
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
