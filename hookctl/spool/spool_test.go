//go:build unix

package spool

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"hookline/expect"
	"hookline/hookctl/home"
	"hookline/hookctl/home/hometest"
	"hookline/hookctl/safeopen"
)

func mustList(t *testing.T, s *Spool) []Entry {
	t.Helper()
	frames := expect.Value(s.List())(t)
	return frames
}

func TestSpool(t *testing.T) {
	hometest.Isolate(t)
	s := Open(home.PathsOf(filepath.Join(t.TempDir(), "home"), os.Getenv))
	expect.EqualNow(t, s.Count(), 0, "frames before the first write")
	want := []string{"{\"first\":1}\n", "\x00\xff\n\n", ""}
	for _, i := range []int{2, 0, 1} { // written out of order
		expect.OK(t, s.Write(hometest.Frame(int64(1000+i), want[i])))
	}
	frames := mustList(t, s)
	if len(frames) != 3 || s.Count() != 3 {
		t.Fatalf("%v", frames)
	}
	for i, e := range frames {
		f, err := s.Read(e)
		if err != nil || string(f.Body) != want[i] || f.ID != e.ID || f.Time != int64(1000+i) || f.Cwd != "/p" || !f.Complete || f.Env["CLAUDE_PID"] != "7" {
			t.Errorf("%d: %+v %v", i, f, err)
		}
		file, err := os.Stat(e.Path)
		dir, err2 := os.Stat(filepath.Dir(e.Path))
		if err != nil || err2 != nil || file.Mode().Perm() != 0o600 || dir.Mode().Perm() != 0o700 {
			t.Errorf("%v %v", file.Mode(), dir.Mode())
		}
		if err := s.Remove(e); err != nil {
			t.Error(err)
		}
		if err := s.Remove(e); err != nil {
			t.Errorf("removed twice: %v", err)
		}
	}
	expect.Equal(t, s.Count(), 0, "left")
}

// The frame's file, byte for byte.
func TestFile(t *testing.T) {
	hometest.Isolate(t)
	dir := t.TempDir()
	f := hometest.Frame(1, `{"a":1}`)
	f.ID = "01ARZ3NDEKTSV4RRFFQ69G5FAV"
	expect.OK(t, Open(home.PathsOf(dir, os.Getenv)).Write(f))
	got, err := os.ReadFile(filepath.Join(dir, "spool", "01ARZ3NDEKTSV4RRFFQ69G5FAV.frame"))
	want := `{"id":"01ARZ3NDEKTSV4RRFFQ69G5FAV","args":["hook","Stop"],"cwd":"/p","ppid":0,"time":1,"env":{"CLAUDE_PID":"7"},"binary":"","invoked":"","complete":true,"size":7,"sum":"6d3f7d0b5a1e623bbd62ead7a611bab1"}` + "\n" + `{"a":1}`
	if err != nil || string(got) != want {
		t.Errorf("%v\n%s", err, got)
	}
}

func TestUnreadable(t *testing.T) {
	hometest.Isolate(t)
	s := Open(home.PathsOf(t.TempDir(), os.Getenv))
	good := hometest.Frame(1, "{}")
	expect.OK(t, s.Write(good))
	dir := s.paths.Spool
	for name, data := range map[string]string{
		"01ARZ3NDEKTSV4RRFFQ69G5FA0.frame": "",
		"01ARZ3NDEKTSV4RRFFQ69G5FA1.frame": `{"id":`,
		"01ARZ3NDEKTSV4RRFFQ69G5FA2.frame": "{\"id\":\"../../x\",\"args\":[\"hook\"]}\n",
		"01ARZ3NDEKTSV4RRFFQ69G5FA3.frame": string(good.Header()) + "\n", // another frame's content
		"01ARZ3NDEKTSV4RRFFQ69G5FA4.frame": "{\"id\":\"01ARZ3NDEKTSV4RRFFQ69G5FA4\",\"args\":[]}\n",
	} {
		expect.OK(t, os.WriteFile(filepath.Join(dir, name), []byte(data), 0o600))
	}
	bad := 0
	for _, e := range mustList(t, s) {
		if _, err := s.Read(e); err == nil {
			continue
		} else if !errors.Is(err, ErrFrame) {
			t.Errorf("%s: %v", e.ID, err)
		}
		bad++
		if err := s.Quarantine(e); err != nil {
			t.Error(err)
		}
	}
	left, err := os.ReadDir(filepath.Join(dir, "quarantine"))
	if bad != 5 || err != nil || len(left) != 5 || s.Count() != 1 {
		t.Errorf("%d bad, %d in quarantine, %d waiting", bad, len(left), s.Count())
	}
}

// What a crashed writer left is kept, out of the way, once it is old.
func TestStaleTemp(t *testing.T) {
	hometest.Isolate(t)
	s := Open(home.PathsOf(t.TempDir(), os.Getenv))
	expect.OK(t, s.Write(hometest.Frame(1, "{}")))
	for name, age := range map[string]time.Duration{".a.1.tmp": 0, ".b.2.tmp": 2 * time.Hour} {
		path := filepath.Join(s.paths.Spool, name)
		expect.OK(t, os.WriteFile(path, nil, 0o600))
		expect.OK(t, os.Chtimes(path, time.Time{}, time.Now().Add(-age)))
	}
	expect.Equal(t, s.Count(), 1, "frames")
	_, young := os.Stat(filepath.Join(s.paths.Spool, ".a.1.tmp"))
	_, old := os.Stat(filepath.Join(s.paths.Spool, "quarantine", ".b.2.tmp"))
	if young != nil || old != nil {
		t.Error(young, old)
	}
}

// A home that cannot be written: the frame goes to the second place and is found there.
func TestFallback(t *testing.T) {
	hometest.Isolate(t)
	s := Open(home.PathsOf(hometest.Unwritable(t), os.Getenv))
	expect.OK(t, s.Write(hometest.Frame(1, "{}")))
	frames := mustList(t, s)
	if len(frames) != 1 || filepath.Dir(frames[0].Path) != s.paths.Fallbacks[0] {
		t.Errorf("%v", frames)
	}
	t.Setenv("HOOKLINE_SECOND", hometest.Unwritable(t))
	err := Open(home.PathsOf(hometest.Unwritable(t), os.Getenv)).Write(hometest.Frame(2, "{}"))
	if err == nil || !strings.Contains(err.Error(), "; in the next place: ") {
		t.Errorf("%v", err)
	}
}

// Whatever TMPDIR is, as of a login, of nix-shell or of cron: what a hook of the one spools is found by a daemon of the other.
func TestFallbackOtherLogin(t *testing.T) {
	hometest.Isolate(t)
	dir := hometest.Unwritable(t)
	cron := Open(home.PathsOf(dir, os.Getenv))
	t.Setenv("XDG_RUNTIME_DIR", t.TempDir())
	t.Setenv("TMPDIR", t.TempDir())
	login := Open(home.PathsOf(dir, os.Getenv))
	expect.OK(t, login.Write(hometest.Frame(1, "{}")))
	expect.OK(t, cron.Write(hometest.Frame(2, "{}")))
	if a, b := cron.Count(), login.Count(); a != 2 || b != 2 {
		t.Errorf("%d and %d frames instead of 2", a, b)
	}
}

// What others put into a place that they can write to is not read; the same in a place of ours is.
func TestPlantedFrame(t *testing.T) {
	hometest.Isolate(t)
	s := Open(home.PathsOf(t.TempDir(), os.Getenv))
	planted := s.paths.Fallbacks[0]
	expect.OK(t, home.FallbackDir(planted))
	f := hometest.Frame(1, "{}")
	expect.OK(t, os.WriteFile(filepath.Join(planted, f.ID+".frame"), append(append(f.Header(), '\n'), f.Body...), 0o600))
	if s.Count() != 1 || s.Waiting(10) != 1 {
		t.Errorf("%d frames in a place of ours", s.Count())
	}
	expect.OK(t, os.Chmod(filepath.Dir(planted), 0o777))
	if s.Count() != 0 || s.Waiting(10) != 0 || s.Quarantined() != 0 {
		t.Errorf("%d frames of others", s.Count())
	}
}

// A pipe, a link and a folder that are named like frames hold nobody up, and are not bad frames.
func TestNoFiles(t *testing.T) {
	hometest.Isolate(t)
	s := Open(home.PathsOf(t.TempDir(), os.Getenv))
	expect.OK(t, s.Write(hometest.Frame(1, "{}")))
	at := func(n string) string {
		return filepath.Join(s.paths.Spool, "01ARZ3NDEKTSV4RRFFQ69G5FA"+n+".frame")
	}
	if err := errors.Join(syscall.Mkfifo(at("0"), 0o600), os.Symlink(at("1"), at("1")), os.Symlink("/dev/ptmx", at("2")), os.Mkdir(at("3"), 0o700)); err != nil {
		t.Skip(err)
	}
	refused, bad := 0, 0
	for _, e := range mustList(t, s) {
		switch _, err := s.Read(e); {
		case errors.Is(err, safeopen.ErrRefused):
			refused++
			if err := s.Quarantine(e); err != nil {
				t.Error(err)
			}
		case errors.Is(err, ErrFrame):
			t.Errorf("%s: %v", e.ID, err)
		case err != nil:
			bad++
		}
	}
	if refused != 3 || bad != 1 || s.Quarantined() != 3 || s.Count() != 2 {
		t.Errorf("%d refused, %d not opened, %d set aside, %d left", refused, bad, s.Quarantined(), s.Count())
	}
}

func FuzzReadFrame(f *testing.F) {
	f.Add(string(hometest.Frame(1, "").Header()) + "\n{\"a\":1}")
	f.Add("{\"id\":\"01ARZ3NDEKTSV4RRFFQ69G5FAV\",\"args\":[\"hook\"],\"later\":{}}\n")
	f.Add("\n")
	f.Fuzz(func(t *testing.T, in string) {
		got, err := ReadFrame(strings.NewReader(in))
		if err != nil {
			if !errors.Is(err, ErrFrame) {
				t.Fatal(err)
			}
			return
		}
		again, err := ReadFrame(strings.NewReader(string(got.Header()) + "\n" + string(got.Body)))
		if err != nil || again.ID != got.ID || string(again.Body) != string(got.Body) || len(again.Args) != len(got.Args) {
			t.Fatalf("%+v %+v %v", got, again, err)
		}
	})
}
