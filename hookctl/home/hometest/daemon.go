//go:build unix

package hometest

import (
	"context"
	"io"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"hookline/embedded"
	"hookline/hookctl/home"
)

// Act plays the part of the process that [home.Paths.StartDaemon] starts, if this is one, and does not return then. A test binary
// calls it before any test runs; deliver is what "hookd deliver" does with its arguments, nil where no test needs more
// than the start.
func Act(deliver func(args []string) int) bool {
	if len(os.Args) < 2 || os.Getenv("HOOKLINE_TEST_SERVE") == "" {
		return false
	}
	p := home.Locate(os.Getenv)
	switch os.Args[1] {
	case "deliver":
		if deliver == nil {
			deliver = func([]string) int { return again(p) }
		}
		os.Exit(deliver(os.Args[2:]))
	case "serve":
		os.Exit(serve(os.Getenv("HOOKLINE_TEST_SERVE"), p))
	}
	return false
}

func again(p home.Paths) int {
	if p.StartDetached() != nil {
		return 1
	}
	return 0
}

// serve is a daemon that answers every hook with "restored" until a request to quit.
func serve(mode string, p home.Paths) int {
	starts, err := os.OpenFile(filepath.Join(p.Home, "starts"), os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o600)
	if err != nil {
		return 1
	}
	_, _ = starts.WriteString(strconv.Itoa(os.Getpid()) + " " + strconv.Itoa(os.Getppid()) + "\n")
	_ = os.WriteFile(filepath.Join(p.Home, "environ"), []byte(strings.Join(os.Environ(), "\n")), 0o600)
	switch mode {
	case "die":
		_ = p.StartFailed(home.Attempt{Reason: "the store is on fire"})
		return 1
	case "gone":
		_ = p.StartFailed(home.Attempt{Reason: (&embedded.DamageError{What: "its files are gone", Gone: true}).Error(), Damaged: true, Gone: true})
		return 1
	}
	l, err := net.Listen("unix", p.Socket)
	if err != nil {
		return 1
	}
	time.AfterFunc(time.Minute, func() { os.Exit(3) }) // a test that fails leaves no process running
	_ = p.Started()
	_ = http.Serve(l, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/quit" {
			os.Remove(p.Socket)
			os.Exit(0)
		}
		_, _ = io.Copy(io.Discard, r.Body)
		w.Header().Set("Hookline-Protocol", "1")
		w.Header().Set("Hookline-Exit", "0")
		w.Header().Set("Hookline-Stdout", "8")
		_, _ = io.WriteString(w, "restored")
	}))
	return 1
}

// Home is a home whose daemon is this test binary, with a socket short enough for every platform. The mode "answer"
// answers every hook with "restored", "die" fails to start, "gone" fails because nothing is left of the log; "none" is
// for tests that start no daemon.
func Home(t *testing.T, mode string) home.Paths {
	t.Helper()
	dir := SocketDir(t)
	Isolate(t)
	t.Setenv("HOOKLINE_HOME", dir)
	t.Setenv("HOOKLINE_TEST_SERVE", mode)
	p := home.Locate(os.Getenv)
	t.Cleanup(func() { quit(p) })
	return p
}

func quit(p home.Paths) {
	client := http.Client{Transport: &http.Transport{DialContext: func(ctx context.Context, _, _ string) (net.Conn, error) {
		return (&net.Dialer{}).DialContext(ctx, "unix", p.Socket)
	}}}
	if r, err := client.Get("http://hookline/quit"); err == nil {
		r.Body.Close()
	}
}

// Eventually polls a condition, for thirty seconds.
func Eventually(t *testing.T, what string, ok func() bool) {
	t.Helper()
	for end := time.Now().Add(30 * time.Second); time.Now().Before(end); time.Sleep(2 * time.Millisecond) {
		if ok() {
			return
		}
	}
	t.Fatal(what)
}

// Starts are the daemons that were started, each as "pid:parent".
func Starts(p home.Paths) []string {
	data, _ := os.ReadFile(filepath.Join(p.Home, "starts"))
	return strings.Fields(strings.ReplaceAll(string(data), " ", ":"))
}

// Listening reports whether a daemon accepts connections.
func Listening(p home.Paths) func() bool {
	return func() bool {
		c, err := net.Dial("unix", p.Socket)
		if err == nil {
			c.Close()
		}
		return err == nil
	}
}
