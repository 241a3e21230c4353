package wire

import (
	"bytes"
	"encoding/json"
	"os"
	"os/exec"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/oklog/ulid/v2"

	"hookline/expect"
)

func TestHeaderLiteral(t *testing.T) {
	got := string(Frame{ID: "01", Args: []string{}, Env: map[string]string{}}.Header())
	want := `{"id":"01","args":[],"cwd":"","ppid":0,"time":0,"env":{},"binary":"","invoked":"","complete":false,"size":0}`
	expect.Equal(t, got, want)
}

// Only the listed variables travel, whatever the map holds, and a string is bounded.
func TestHeaderBounds(t *testing.T) {
	f := Frame{Args: []string{strings.Repeat("x", 9000)}, Env: map[string]string{"ANTHROPIC_API" + "_KEY": "k"}}
	if h := string(f.Header()); strings.Contains(h, "ANTHROPIC") || strings.Count(h, "x") != 4096 {
		t.Errorf("%.200s", h)
	}
}

// A header is of printable ASCII, and what it says comes back.
func FuzzHeader(f *testing.F) {
	f.Add("a\xffb", "/tmp/\u2028", "𝄞")
	f.Add("a\"b\\c\r\n\x00", "/home/me/é€", "n")
	f.Fuzz(func(t *testing.T, arg, cwd, note string) {
		want := Frame{ID: NewID(1), Args: []string{"hook", arg}, Cwd: cwd, PPID: 4711, Time: 1763712720123, Env: map[string]string{"CLAUDE_PID": arg},
			Binary: "/bin/hookctl", Complete: true, Size: 12, Note: note}
		h := want.Header()
		if i := bytes.IndexFunc(h, func(r rune) bool { return r < ' ' || r > '~' }); i >= 0 {
			t.Errorf("byte %#x in a header: %s", h[i], h)
		}
		var got Frame
		expect.OK(t, json.Unmarshal(h, &got))
		valid := utf8.ValidString(arg) && utf8.ValidString(cwd) && utf8.ValidString(note)
		if valid && len(arg+cwd+note) <= 4096 && !reflect.DeepEqual(got, want) {
			t.Errorf("got %+v want %+v", got, want)
		}
	})
}

func TestNewID(t *testing.T) {
	seen := map[string]bool{}
	for range 10_000 {
		id := NewID(1763712720123)
		u, err := ulid.ParseStrict(id)
		if err != nil || u.Time() != 1763712720123 || seen[id] {
			t.Fatalf("%s: %v", id, err)
		}
		seen[id] = true
	}
	if NewID(2)[:10] <= NewID(1)[:10] {
		t.Error("ids of a later millisecond must sort behind")
	}
}

// What a hook's process links costs the user on every tool call.
func TestThinClientLinks(t *testing.T) {
	out, err := exec.Command("go", "list", "-buildvcs=false", "-deps", "-f", "{{if not .Standard}}own {{end}}{{.ImportPath}}", "hookline/hookctl").Output()
	if err != nil {
		t.Skipf("go list: %v", err)
	}
	// Their tables and self-tests at start cost each hook, as those of net, fmt and encoding/json would, which
	// docs/floors keeps out.
	bad := []string{"reflect", "crypto/sha256", "os/exec", "log/slog"}
	for _, name := range strings.Split(strings.TrimSpace(string(out)), "\n") {
		own, ours := strings.CutPrefix(name, "own ")
		if ours && !strings.HasPrefix(own, "hookline/hookctl") && own != "github.com/oklog/ulid/v2" {
			t.Errorf("hookctl links %s: only std, ulid and hookctl's own packages are allowed", own)
		}
		if slices.Contains(bad, name) {
			t.Errorf("hookctl links %s", name)
		}
	}
	if !strings.Contains(string(out), "own hookline/hookctl/wire\n") {
		t.Errorf("go list said nothing of use: %s", out)
	}
}

// patient is the deadline of a hook whose answer a test wants, also of a machine that is busy.
func patient(args []string, event, dir string) time.Duration {
	return 20 * Deadline(args, event, dir)
}

func TestMain(m *testing.M) {
	switch os.Getenv("WIRE_TEST_AS") {
	case "":
		os.Exit(m.Run())
	case "hookctl":
		if args := os.Args[1:]; os.Args[0] == "hookctl" && IsHook(args) && os.Getenv("WIRE_TEST_HURRY") == "" {
			os.Exit(hook(args, "", patient))
		} else if os.Args[0] == "hookctl" {
			os.Exit(Run(args))
		}
		os.Exit(fakeHookd(os.Args[1:]))
	}
	os.Exit(99)
}
