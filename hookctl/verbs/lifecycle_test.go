package verbs

import (
	"context"
	"fmt"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"hookline/embedded"
	"hookline/expect"
	"hookline/hookctl/client"
	"hookline/hookctl/verbs/env"
)

func TestStop(t *testing.T) {
	f := newFake()
	b := newBench(t, f)
	looks := 0
	b.Alive = func(pid int) bool { looks++; return pid == 4711 && looks < 3 }
	if out := b.must("stop"); out != "hookd stopped, pid 4711 is gone\n" || f.stopped != 1 || looks != 3 {
		t.Errorf("stdout %q, %d stops, %d looks", out, f.stopped, looks)
	}
	b.Alive = func(int) bool { return true }
	contains(t, b.refuses("stop"), "hookctl: error: hookd (pid 4711) has not ended within 1m0s\n")
}

// A daemon that has the store and no socket yet is waited for.
func TestStopWhileStarting(t *testing.T) {
	f := newFake()
	b := newBench(t, f)
	s := expect.Value(embedded.Open(t.Context(), embedded.Options{Dir: filepath.Join(b.Home(), "store"), Holder: "hookd test"}))(t)
	defer s.Close(context.Background())
	b.down = []bool{true, true}
	if out := b.must("stop"); out != "hookd stopped, pid 4711 is gone\n" || f.stopped != 1 {
		t.Errorf("stdout %q, %d stops", out, f.stopped)
	}

	b.handler = nil // it reads a long log for longer than anybody waits
	expect.OK(t, s.Doing("reading the log (5 of 9)"))
	busy := fmt.Sprintf("the daemon (process %d) is reading the log (5 of 9)\n", os.Getpid())
	contains(t, b.refuses("stop"), "hookctl: error: "+busy+"hookctl: hint: it answers when that is done")
	contains(t, b.must("status"), "hookd does not answer  "+busy)
}

// TestStatusWarnsOfSpace: below 1 GiB and below a twentieth of the disk, in people's words and in JSON.
func TestStatusWarnsOfSpace(t *testing.T) {
	f := newFake()
	f.status.FreeBytes, f.status.TotalBytes = 1<<30, 20<<30+20
	b := newBench(t, f)
	contains(t, b.must("status"), "\nwarnings\n  disk: 1.0 GiB free of 20.0 GiB, less than 5 %: make room in time\n")
	f.status.FreeBytes = 1<<30 - 1
	contains(t, b.must("status", "--json"), `"warnings":["disk: 1024.0 MiB free of 20.0 GiB: make room; while the home has none, hooks are kept in another place"]`)
}

func write(t *testing.T, path, text string) {
	t.Helper()
	expect.OK(t, os.MkdirAll(filepath.Dir(path), 0o700))
	expect.OK(t, os.WriteFile(path, []byte(text), 0o600))
}

// TestStatuslineSilentStdin: a stdin that never says anything does not hold the line up.
func TestStatuslineSilentStdin(t *testing.T) {
	b := newBench(t, newFake())
	r, w, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	defer w.Close()
	b.In = r
	begin := time.Now()
	if out := b.must("statusline"); !strings.Contains(out, "[C:? r=? IC=?]") || time.Since(begin) > 30*time.Second {
		t.Errorf("stdout %q after %s", out, time.Since(begin))
	}
}

// TestStoreInUse: a daemon that is just starting holds the store; reading waits for it, not for ever.
func TestStoreInUse(t *testing.T) {
	b := newBench(t, newFake())
	b.locked = 3
	b.must("tail")
	expect.Equal(t, len(b.needs), 4, "connections")
	b.locked = 1000
	expect.Equal(t, b.refuses("tail"), "hookctl: error: the store is in use by process 99 (hookd test)\nhookctl: hint: another command reads the store, or a daemon is starting: try again in a moment; `hookctl status` tells whether it is the daemon\n")
}

// ending is a daemon that another command stops meanwhile: after so many answers it is gone.
func (b *bench) ending(answers int) {
	socket := filepath.Join(b.t.TempDir(), "s")
	l := expect.Value(net.Listen("unix", socket))(b.t)
	b.t.Cleanup(func() { l.Close() })
	serve := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if answers--; answers < 0 {
			panic(http.ErrAbortHandler)
		}
		b.handler.ServeHTTP(w, r)
	})
	go func() { _ = http.Serve(l, serve) }() // until the listener is closed
	b.Connect = func(context.Context, env.Need) (*client.Client, error) { return client.Over(socket), nil }
}

func TestStopTwiceAtOnce(t *testing.T) {
	b := newBench(t, newFake())
	b.Alive = func(int) bool { return false }
	for answers, want := range []string{"hookd does not run\n", "hookd stopped, pid 4711 is gone\n"} {
		b.ending(answers)
		expect.Equal(t, b.must("stop"), want)
	}
	b.ending(0)
	contains(t, b.must("status"), "hookd is not running")
	expect.Equal(t, b.refuses("session", "list"), "hookctl: error: the daemon ended before it answered\nhookctl: hint: try again: another command may have stopped or restarted it\n")
}
