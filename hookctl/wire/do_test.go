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

// listen returns a socket in a folder with a short path. serve gets one connection, which stays open until the end of
// the test unless serve closes it.
func listen(t *testing.T, serve func(net.Conn)) string {
	t.Helper()

	parent := ""
	if len(os.TempDir()) > 80 {
		parent = "/tmp" // a socket's path may have 100 bytes
	}
	dir := expect.Value(os.MkdirTemp(parent, "w"))(t)
	socket := filepath.Join(dir, "s")
	listener := expect.Value(net.Listen("unix", socket))(t)

	done := make(chan struct{})
	var accepted net.Conn
	go func() {
		defer close(done)
		if conn, err := listener.Accept(); err == nil {
			accepted = conn
			serve(conn)
		}
	}()

	t.Cleanup(func() {
		listener.Close()
		<-done
		if accepted != nil {
			accepted.Close()
		}
		os.RemoveAll(dir)
	})
	return socket
}

// readRequest reads a whole request as net/http does.
func readRequest(c net.Conn) (*http.Request, []byte) {
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
		f := Frame{
			ID: NewID(1), Args: []string{"hook", "Stop"}, Note: "a\r\nb",
			Body: bytes.Repeat([]byte("x"), size),
		}
		var req *http.Request
		var body []byte
		socket := listen(t, func(conn net.Conn) {
			req, body = readRequest(conn)
			io.WriteString(conn, okHead+"Hookline-Stdout: 3\r\nContent-Length: 5\r\n\r\n")
			io.WriteString(conn, "outER")
		})

		reply := expect.Value(Do(soon(), socket, "Stop", f))(t)
		expect.Equal(t, string(reply.Stdout), "out", "stdout")
		expect.Equal(t, string(reply.Stderr), "ER", "stderr")
		expect.Equal(t, reply.Exit, 1, "exit code")

		expect.Equal(t, req.Method, "POST", "method")
		expect.Equal(t, req.URL.Path, "/v1/hook/Stop", "path")
		expect.Equal(t, req.Header.Get("Hookline-Protocol"), "1", "protocol")
		expect.Equal(t, req.Header.Get("Hookline-Build"), Build, "build")
		expect.Equal(t, req.Header.Get("Hookline-Frame"), string(f.Header()), "frame")
		expect.Equal(t, req.Close, true, "Connection: close")
		if !bytes.Equal(body, f.Body) {
			t.Errorf("body has %d bytes, want the %d that were sent", len(body), size)
		}
	}
}

func TestDoTrouble(t *testing.T) {
	answer := func(text string) func(net.Conn) {
		return func(conn net.Conn) {
			readRequest(conn)
			io.WriteString(conn, text)
			conn.Close()
		}
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
				t.Errorf("error = %v, want %v", err, c.want)
			}
		})
	}
}

// A daemon that refuses stops reading in the middle; its answer is read all the same.
func TestDoStoppedWriting(t *testing.T) {
	socket := listen(t, func(conn net.Conn) {
		conn.Read(make([]byte, 100))
		io.WriteString(conn, okHead+"Hookline-Stdout: 2\r\nContent-Length: 2\r\n\r\nno")
		conn.Close()
	})

	f := Frame{Body: bytes.Repeat([]byte("x"), 8<<20)}
	reply := expect.Value(Do(soon(), socket, "Stop", f))(t)
	expect.Equal(t, string(reply.Stdout), "no", "stdout")
}

func TestDoNoDaemon(t *testing.T) {
	live := listen(t, func(net.Conn) {})
	dir := filepath.Dir(live)
	stale := filepath.Join(dir, "stale")
	listener := expect.Value(net.Listen("unix", stale))(t)
	listener.(*net.UnixListener).SetUnlinkOnClose(false)
	listener.Close()

	for name, socket := range map[string]string{
		"missing":           filepath.Join(dir, "none"),
		"stale":             stale,
		"a file in the way": live + "/x",
		"too long":          "/" + strings.Repeat("x", 200),
	} {
		_, err := Do(soon(), socket, "Stop", Frame{})
		if !errors.Is(err, ErrNoDaemon) {
			t.Errorf("%s: error = %v, want %v", name, err, ErrNoDaemon)
		}
	}
	if conn, err := net.Dial("unix", live); err == nil { // ends the wait for a connection
		conn.Close()
	}
}
