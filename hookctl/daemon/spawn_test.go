//go:build unix

package daemon

import (
	"context"
	"errors"
	"io"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"hookline/embedded"
	"hookline/hookctl/home"
	"hookline/hookctl/home/hometest"
)

// The processes that [Spawn] starts are this test binary; they take their part before any test runs.
var _ = actAsHookd()

func actAsHookd() bool {
	if len(os.Args) < 2 || os.Getenv("HOOKLINE_TEST_SERVE") == "" {
		return false
	}
	switch os.Args[1] {
	case "deliver":
		os.Exit(DeliverCommand(context.Background(), os.Args[2:]))
	case "serve":
		os.Exit(fakeServe(os.Getenv("HOOKLINE_TEST_SERVE"), home.Locate(os.Getenv)))
	}
	return false
}

// fakeServe is a daemon that answers every hook with "restored" until it is told to quit.
func fakeServe(mode string, p home.Paths) int {
	starts, err := os.OpenFile(filepath.Join(p.Home, "starts"), os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o600)
	if err != nil {
		return 1
	}
	_, _ = starts.WriteString(strconv.Itoa(os.Getpid()) + " " + strconv.Itoa(os.Getppid()) + "\n")
	_ = os.WriteFile(filepath.Join(p.Home, "environ"), []byte(strings.Join(os.Environ(), "\n")), 0o600)
	switch mode {
	case "die":
		_ = StartFailed(p, errors.New("the store is on fire"))
		return 1
	case "gone":
		_ = StartFailed(p, &embedded.DamageError{What: "its files are gone", Gone: true})
		return 1
	}
	l, err := net.Listen("unix", p.Socket)
	if err != nil {
		return 1
	}
	time.AfterFunc(20*time.Second, func() { os.Exit(3) }) // a test that fails leaves nothing behind
	_ = StartSucceeded(p)
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

// spawnHome is a home whose daemon is fakeServe, with a socket short enough for every platform.
func spawnHome(t *testing.T, mode string) home.Paths {
	t.Helper()
	dir, err := os.MkdirTemp("", "hl") // t.TempDir is too long for a socket on some platforms
	if err != nil {
		t.Fatal(err)
	}
	hometest.Isolate(t)
	t.Setenv("HOOKLINE_HOME", dir)
	t.Setenv("HOOKLINE_TEST_SERVE", mode)
	p := home.Locate(os.Getenv)
	t.Cleanup(func() {
		quit(p)
		os.RemoveAll(dir)
	})
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

// eventually polls a condition.
func eventually(t *testing.T, what string, ok func() bool) {
	t.Helper()
	for end := time.Now().Add(10 * time.Second); time.Now().Before(end); time.Sleep(2 * time.Millisecond) {
		if ok() {
			return
		}
	}
	t.Fatal(what)
}

func starts(p home.Paths) []string {
	data, _ := os.ReadFile(filepath.Join(p.Home, "starts"))
	return strings.Fields(strings.ReplaceAll(string(data), " ", ":"))
}

func listening(p home.Paths) func() bool {
	return func() bool {
		c, err := net.Dial("unix", p.Socket)
		if err == nil {
			c.Close()
		}
		return err == nil
	}
}

// Many hooks at once start one daemon, outside of their own process tree and without their keys.
func TestSpawnOnce(t *testing.T) {
	p := spawnHome(t, "answer")
	for _, name := range []string{"ANTHROPIC_API_" + "KEY", "CLAUDE_CODE_MESSAGING_" + "TOKEN", "CLAUDE_CODE_SESSION_ID", "DATABASE_URL", "HOOKLINE_X_" + "SECRET"} {
		t.Setenv(name, "canary")
	}
	t.Setenv("CLAUDE_CONFIG_DIR", "/etc/claude")
	var wg sync.WaitGroup
	errs := make([]error, 40)
	for i := range errs {
		wg.Go(func() { errs[i] = Spawn(p, time.Now()) })
	}
	wg.Wait()
	eventually(t, "no daemon", listening(p))
	won := 0
	for _, err := range errs {
		switch {
		case err == nil:
			won++
		case !errors.Is(err, ErrStarting):
			t.Error(err)
		}
	}
	if won != 1 || len(starts(p)) != 1 {
		t.Errorf("%d started, processes %v", won, starts(p))
	}
	if err := Spawn(p, time.Now()); !errors.Is(err, ErrStarting) {
		t.Errorf("beside a running daemon: %v", err)
	}
	if _, parent, _ := strings.Cut(starts(p)[0], ":"); parent == strconv.Itoa(os.Getpid()) {
		t.Error("the daemon is our child")
	}
	env, _ := os.ReadFile(filepath.Join(p.Home, "environ"))
	lines := strings.Split(string(env), "\n")
	if strings.Contains(string(env), "canary") || !slices.Contains(lines, "CLAUDE_CONFIG_DIR=/etc/claude") || !slices.Contains(lines, "HOOKLINE_HOME="+p.Home) {
		t.Errorf("%s", env)
	}
	if LastStart(p) != (Attempt{}) {
		t.Errorf("%+v", LastStart(p))
	}
}

// onDone is a context that calls a function when somebody begins to wait for its end.
type onDone struct {
	context.Context
	call func()
}

func (c onDone) Done() <-chan struct{} {
	c.call()
	return c.Context.Done()
}

// A daemon that is ending keeps the lock until its last thread is gone: who starts one then starts it after that.
func TestStartBehindOneThatEnds(t *testing.T) {
	p := spawnHome(t, "answer")
	ending, err := lockSpawn(p.SpawnLock)
	if err != nil {
		t.Fatal(err)
	}
	c, err := startAndConnect(onDone{t.Context(), sync.OnceFunc(func() { ending.Close() })}, p, ConnectOptions{Wait: 10 * time.Second, Answer: 10 * time.Second})
	if err != nil || len(starts(p)) != 1 {
		t.Fatalf("processes %v, %v", starts(p), err)
	}
	c.http.CloseIdleConnections()
}

// That the log is the reason is told by exit code and hint, at the first try and at one that is too early for another start.
func TestStartOnDamagedLog(t *testing.T) {
	p := spawnHome(t, "gone")
	for _, message := range []string{"start the daemon: the log is damaged: its files are gone",
		"start the daemon: the daemon failed to start a moment ago: the log is damaged: its files are gone"} {
		_, err := startAndConnect(t.Context(), p, ConnectOptions{Wait: 10 * time.Second})
		want := Problem{Message: message, Exit: 2, Status: 500,
			Hint: "`replay repair --from EXPORT` fetches back what an export has; hooks are kept in the spool meanwhile"}
		var got *Problem
		if !errors.As(err, &got) || *got != want {
			t.Errorf("%+v\nwant %+v", err, want)
		}
	}
}

// A daemon that cannot start is not started again by every hook.
func TestSpawnBackoff(t *testing.T) {
	p := spawnHome(t, "die")
	now := time.Now()
	if err := Spawn(p, now); err != nil {
		t.Fatal(err)
	}
	eventually(t, "no reason", func() bool { return LastStart(p).Reason != "" })
	eventually(t, "lock still held", func() bool {
		err := Spawn(p, now.Add(900*time.Millisecond))
		return err != nil && err.Error() == "the daemon failed to start a moment ago: the store is on fire"
	})
	if err := Spawn(p, now.Add(1100*time.Millisecond)); err != nil {
		t.Fatal(err)
	}
	eventually(t, "second start", func() bool { return len(starts(p)) == 2 })
	if got := LastStart(p); got.Attempts != 2 {
		t.Errorf("%+v", got)
	}
}

func TestBackoff(t *testing.T) {
	at := time.UnixMilli(1_000_000)
	for _, c := range []struct {
		attempts    int
		since, want time.Duration
	}{
		{0, 0, 0}, {1, 0, time.Second}, {1, 400 * time.Millisecond, 600 * time.Millisecond}, {1, time.Second, 0},
		{2, 0, 2 * time.Second}, {5, 0, 16 * time.Second}, {7, 0, time.Minute}, {1000, time.Second, 59 * time.Second},
		{1000, 11 * time.Minute, 0}, {3, -time.Hour, 0}, // the clock went back
	} {
		s := Attempt{Time: at.UnixMilli(), Attempts: c.attempts}
		if got := s.wait(at.Add(c.since)); got != c.want {
			t.Errorf("%d attempts, %v ago: %v, want %v", c.attempts, c.since, got, c.want)
		}
	}
}

// A daemon that is ending holds the lock a moment longer than it can be seen: whoever finds it taken tries again.
func TestStartBehindAnEndingDaemon(t *testing.T) {
	p := spawnHome(t, "answer")
	lock, err := lockSpawn(p.SpawnLock)
	if err != nil {
		t.Fatal(err)
	}
	time.AfterFunc(50*time.Millisecond, func() { lock.Close() })
	c, err := Connect(t.Context(), ConnectOptions{Mode: Start})
	if err != nil {
		t.Fatal(err)
	}
	_ = c.Close()
	if n := len(starts(p)); n != 1 {
		t.Errorf("%d daemons were started: %v", n, starts(p))
	}
}
