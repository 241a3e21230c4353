package embedded

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
	"time"

	"hookline/events"
	"hookline/expect"
)

// childEnv makes the test binary a second process: "hold" opens a store and waits; "group" appends
// groups of three and syncs for ever, printing each sequence that is on disk.
const childEnv = "HOOKLINE_EMBEDDED_CHILD"

func TestMain(m *testing.M) {
	if role := os.Getenv(childEnv); role != "" {
		child(role, os.Args[1])
		return
	}
	os.Exit(m.Run())
}

func child(role, dir string) {
	ctx := context.Background()
	s, err := Open(ctx, Options{Dir: dir, Holder: "the child"})
	if err != nil {
		fmt.Println("error", err)
		os.Exit(1)
	}
	fmt.Println("open")
	if role == "group" {
		groupsForEver(ctx, s)
	}
	select {}
}

// groupsForEver appends groups of three, and goes on where a predecessor ended.
func groupsForEver(ctx context.Context, s *Server) {
	last, _ := s.Stream().Last()
	for n := last + 1; ; n += 3 {
		r, err := s.Stream().Append(ctx, event(n), event(n+1), event(n+2))
		if err == nil {
			err = s.Stream().Sync(ctx, r[2].Seq)
		}
		if err != nil {
			fmt.Println("error", err)
			os.Exit(1)
		}
		fmt.Println("durable", r[2].Seq)
	}
}

// spawn starts a child and gives its output line by line. The child dies with the test.
func spawn(t *testing.T, role, dir string) (*exec.Cmd, *bufio.Scanner) {
	t.Helper()
	cmd := exec.Command(os.Args[0], dir)
	cmd.Env = append(os.Environ(), childEnv+"="+role)
	out := expect.Value(cmd.StdoutPipe())(t)
	expect.OK(t, cmd.Start())
	t.Cleanup(func() { _ = cmd.Process.Kill(); _ = cmd.Wait() })
	lines := bufio.NewScanner(out)
	if !lines.Scan() || lines.Text() != "open" {
		t.Fatalf("the child says %q", lines.Text())
	}
	return cmd, lines
}

// event is the n-th event of a test; its content tells n.
func event(n uint64) events.Envelope {
	return events.Envelope{
		ID: fmt.Sprintf("01K%023d", n), Type: events.TypeToolRequested, Version: 1,
		Time:    time.Date(2026, 11, 21, 7, 52, 0, int(n%1000)*1e6, time.UTC),
		Session: "c68c8a51-e89d-45af-bd06-f5c764bc3b27", Correlation: "c68c8a51-e89d-45af-bd06-f5c764bc3b27", Project: "1f3a90c2b7de",
		Worktree: "/project", Branch: "main", Hook: "PreToolUse", ToolUseID: fmt.Sprintf("toolu_%d", n),
		Data: []byte(fmt.Sprintf(`{"session_id":"c68c8a51-e89d-45af-bd06-f5c764bc3b27","hook_event_name":"PreToolUse","tool_name":"Bash","tool_input":{"command":"echo %d"}}`, n)),
	}
}

func storeDir(t testing.TB) string { return filepath.Join(t.TempDir(), "store") }

func open(t testing.TB, dir string) *Server {
	t.Helper()
	s := expect.Value(Open(context.Background(), Options{Dir: dir, Holder: "test"}))(t)
	t.Cleanup(func() { _ = s.Close(context.Background()) })
	return s
}

func closeStore(t testing.TB, s *Server) {
	t.Helper()
	expect.OK(t, s.Close(context.Background()))
}

// reopen closes a store and opens it again.
func reopen(t testing.TB, s *Server) *Server {
	t.Helper()
	closeStore(t, s)
	return open(t, s.opts.Dir)
}

// filled is a store with n events of size bytes that do not compress, closed in order.
func filled(t testing.TB, n, size int) *Server {
	t.Helper()
	s := open(t, storeDir(t))
	fill(t, s, n, size)
	closeStore(t, s)
	return s
}

// add appends events from..to, one message each, and syncs the last.
func add(t testing.TB, s *Server, from, to uint64) {
	t.Helper()
	ctx := context.Background()
	for n := from; n <= to; n++ {
		r, err := s.Stream().Append(ctx, event(n))
		if err != nil || r[0].Seq != n {
			t.Fatalf("append %d: %+v, %v", n, r, err)
		}
	}
	expect.OK(t, s.Stream().Sync(ctx, to))
}

// wantLog fails unless the log is exactly events 1..n.
func wantLog(t testing.TB, s *Server, n uint64) {
	t.Helper()
	next := uint64(1)
	err := s.Stream().Read(context.Background(), 0, 0, func(r events.Record) error {
		want := event(next)
		if r.Seq != next || r.ID != want.ID || string(r.Data) != string(want.Data) {
			return fmt.Errorf("event %d is %d %s", next, r.Seq, r.ID)
		}
		next++
		return nil
	})
	if err != nil || next != n+1 {
		t.Fatalf("the log has %d events, want %d: %v", next-1, n, err)
	}
}

func TestSecondOpenerIsTold(t *testing.T) {
	dir := storeDir(t)
	cmd, _ := spawn(t, "hold", dir)
	_, err := Open(t.Context(), Options{Dir: dir})
	var locked *LockedError
	if !errors.As(err, &locked) || !errors.Is(err, ErrLocked) {
		t.Fatalf("second Open: %v, want a LockedError", err)
	}
	if locked.PID != cmd.Process.Pid || locked.Holder != "the child" {
		t.Errorf("holder %d %q, want %d %q", locked.PID, locked.Holder, cmd.Process.Pid, "the child")
	}
	if pid, text, held, err := Holder(locked.Path); pid != cmd.Process.Pid || text != "the child" || !held || err != nil {
		t.Errorf("Holder = %d %q %v %v", pid, text, held, err)
	}
	expect.OK(t, cmd.Process.Kill())
	_ = cmd.Wait()
	if _, _, held, err := Holder(locked.Path); held || err != nil {
		t.Errorf("after the holder's death: held %v, %v", held, err)
	}
	open(t, dir)
}

func TestOpenTwiceInSequence(t *testing.T) {
	dir := storeDir(t)
	for round := uint64(0); round < 3; round++ {
		s := open(t, dir)
		if r := s.Report(); !r.Clean || len(r.Damage) > 0 || r.Restored {
			t.Errorf("round %d: %+v", round, r)
		}
		if seq, id := s.Stream().Last(); seq != round*10 || round > 0 && id != event(seq).ID {
			t.Errorf("last = %d %q", seq, id)
		}
		add(t, s, round*10+1, round*10+10)
		wantLog(t, s, round*10+10)
		closeStore(t, s)
		closeStore(t, s) // the second call is a no-op
	}
	if info, err := os.Stat(dir); err != nil || info.Mode().Perm() != 0o700 {
		t.Errorf("the store's mode: %v, %v", info.Mode(), err)
	}
	for _, f := range []string{"hookd.lock", "store/clean.json", "store/jetstream/$G/streams/EVENTS/msgs/1.blk"} {
		info, err := os.Stat(filepath.Join(filepath.Dir(dir), f))
		if err != nil || info.Mode().Perm()&0o077 != 0 {
			t.Errorf("%s: %v, %v", f, info, err)
		}
	}
}

func TestAppendAfterCloseFails(t *testing.T) {
	s := open(t, storeDir(t))
	closeStore(t, s)
	if _, err := s.Stream().Append(t.Context(), event(1)); err == nil {
		t.Error("append to a closed store: no error")
	}
	if err := s.Stream().Sync(t.Context(), 5); !errors.Is(err, ErrClosed) {
		t.Errorf("sync of a closed store: %v", err)
	}
}
