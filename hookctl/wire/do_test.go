package wire

import (
	"bufio"
	"bytes"
	"errors"
	"io"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"hookline/expect"
)

// listen is a socket in a short folder; serve gets one connection, which stays open until the end of
// the test unless serve closes it.
func listen(t *testing.T, serve func(net.Conn)) string {
	t.Helper()
	parent := ""
	if len(os.TempDir()) > 80 {
		parent = "/tmp" // a socket's path may have 100 bytes
	}
	dir := expect.Value(os.MkdirTemp(parent, "w"))(t)
	socket := filepath.Join(dir, "s")
	l := expect.Value(net.Listen("unix", socket))(t)
	done := make(chan struct{})
	var held net.Conn
	go func() {
		defer close(done)
		if c, err := l.Accept(); err == nil {
			held = c
			serve(c)
		}
	}()
	t.Cleanup(func() {
		l.Close()
		<-done
		if held != nil {
			held.Close()
		}
		os.RemoveAll(dir)
	})
	return socket
}

// takeRequest reads a whole request as net/http does.
func takeRequest(c net.Conn) (*http.Request, []byte) {
	r, err := http.ReadRequest(bufio.NewReader(c))
	if err != nil {
		return nil, nil
	}
	body, _ := io.ReadAll(r.Body)
	return r, body
}

func soon() time.Time { return time.Now().Add(30 * time.Second) }

const okHead = "HTTP/1.1 200 OK\r\nHookline-Protocol: 1\r\nhookline-build: 9.9\r\nHookline-Exit: 1\r\n"

func TestDo(t *testing.T) {
	for _, size := range []int{0, 32 << 10, 6 << 20} {
		f := Frame{ID: NewID(1), Args: []string{"hook", "Stop"}, Note: "a\r\nb", Body: bytes.Repeat([]byte("x"), size)}
		var req *http.Request
		var body []byte
		socket := listen(t, func(c net.Conn) {
			req, body = takeRequest(c)
			io.WriteString(c, okHead+"Hookline-Stdout: 3\r\nContent-Length: 5\r\n\r\n")
			io.WriteString(c, "outER")
		})
		reply := expect.Value(Do(soon(), socket, "Stop", f))(t)
		if string(reply.Stdout) != "out" || string(reply.Stderr) != "ER" || reply.Exit != 1 {
			t.Errorf("%+v", reply)
		}
		if req.Method != "POST" || req.URL.Path != "/v1/hook/Stop" || req.Header.Get("Hookline-Protocol") != "1" ||
			req.Header.Get("Hookline-Build") != Build || req.Header.Get("Hookline-Frame") != string(f.Header()) || !req.Close {
			t.Errorf("%v", req)
		}
		if !bytes.Equal(body, f.Body) {
			t.Errorf("body of %d bytes, want %d", len(body), size)
		}
	}
}

func TestDoTrouble(t *testing.T) {
	answer := func(s string) func(net.Conn) {
		return func(c net.Conn) { takeRequest(c); io.WriteString(c, s); c.Close() }
	}
	for _, c := range []struct {
		name  string
		serve func(net.Conn)
		want  error
	}{
		{"garbage", answer("SSH-2.0-OpenSSH\r\n\r\n"), ErrProtocol},
		{"busy", answer("HTTP/1.1 503 Service Unavailable\r\nContent-Length: 0\r\n\r\n"), ErrBusy},
		{"stdout longer than the body", answer(okHead + "Hookline-Stdout: 3\r\nContent-Length: 2\r\n\r\nok"), ErrProtocol},
		{"endless head", answer("HTTP/1.1 200 OK\r\nX: " + strings.Repeat("x", 200<<10)), ErrProtocol},
		{"partial body", answer(okHead + "Hookline-Stdout: 3\r\nContent-Length: 9\r\n\r\nabc"), ErrProtocol},
		{"reads nothing, says nothing", func(net.Conn) {}, ErrTimeout},
	} {
		t.Run(c.name, func(t *testing.T) {
			deadline := soon()
			if c.want == ErrTimeout {
				deadline = time.Now().Add(60 * time.Millisecond)
			}
			f := Frame{ID: NewID(1), Args: []string{"hook"}, Body: bytes.Repeat([]byte("x"), 2<<20)}
			_, err := Do(deadline, listen(t, c.serve), "Stop", f)
			if !errors.Is(err, c.want) {
				t.Errorf("got %v, want %v", err, c.want)
			}
		})
	}
}

// A daemon that refuses stops reading in the middle; its answer is read all the same.
func TestDoStoppedWriting(t *testing.T) {
	socket := listen(t, func(c net.Conn) {
		c.Read(make([]byte, 100))
		io.WriteString(c, okHead+"Hookline-Stdout: 2\r\nContent-Length: 2\r\n\r\nno")
		c.Close()
	})
	reply, err := Do(soon(), socket, "Stop", Frame{Body: bytes.Repeat([]byte("x"), 8<<20)})
	if err != nil || string(reply.Stdout) != "no" {
		t.Errorf("%+v %v", reply, err)
	}
}

func TestDoNoDaemon(t *testing.T) {
	stale := listen(t, func(net.Conn) {})
	dir := filepath.Dir(stale)
	left := filepath.Join(dir, "left")
	l := expect.Value(net.Listen("unix", left))(t)
	l.(*net.UnixListener).SetUnlinkOnClose(false)
	l.Close()
	for name, socket := range map[string]string{
		"missing": filepath.Join(dir, "none"), "stale": left, "a file in the way": stale + "/x", "too long": "/" + strings.Repeat("x", 200),
	} {
		if _, err := Do(soon(), socket, "Stop", Frame{}); !errors.Is(err, ErrNoDaemon) {
			t.Errorf("%s: %v", name, err)
		}
	}
	if c, err := net.Dial("unix", stale); err == nil {
		c.Close()
	}
}
