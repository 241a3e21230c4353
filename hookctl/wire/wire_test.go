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
	header := string(f.Header())
	if strings.Contains(header, "ANTHROPIC") {
		t.Error("header holds a variable that is not listed")
	}
	expect.Equal(t, strings.Count(header, "x"), 4096, "length of an argument of 9000 bytes")
}

// A header is of printable ASCII, and what it says comes back.
func FuzzHeader(f *testing.F) {
	f.Add("a\xffb", "/tmp/\u2028", "𝄞")
	f.Add("a\"b\\c\r\n\x00", "/home/me/é€", "n")
	f.Fuzz(func(t *testing.T, arg, cwd, note string) {
		want := Frame{
			ID: NewID(1), Args: []string{"hook", arg}, Cwd: cwd, PPID: 4711, Time: 1763712720123,
			Env: map[string]string{"CLAUDE_PID": arg}, Binary: "/bin/hookctl", Complete: true, Size: 12, Note: note,
		}
		header := want.Header()
		notPrintable := func(r rune) bool { return r < ' ' || r > '~' }
		if i := bytes.IndexFunc(header, notPrintable); i >= 0 {
			t.Errorf("byte %d of a header = %#x, want printable ASCII: %q", i, header[i], header)
		}

		var got Frame
		expect.OK(t, json.Unmarshal(header, &got))
		all := arg + cwd + note
		keepsAll := len(all) <= 4096 && utf8.ValidString(arg) && utf8.ValidString(cwd) && utf8.ValidString(note)
		if keepsAll && !reflect.DeepEqual(got, want) {
			t.Errorf("frame that was read back = %+v, want %+v", got, want)
		}
	})
}

func TestNewID(t *testing.T) {
	made := map[string]bool{}
	for range 10_000 {
		id := NewID(1763712720123)
		parsed := expect.Value(ulid.ParseStrict(id))(t)
		expect.EqualNow(t, parsed.Time(), 1763712720123, "time of", id)
		expect.EqualNow(t, made[id], false, id, "was made before:")
		made[id] = true
	}

	earlier, later := NewID(1)[:10], NewID(2)[:10]
	if later <= earlier {
		t.Errorf("id of a later millisecond = %s, want it above %s", later, earlier)
	}
}

// What a hook's process links costs the user on every tool call.
func TestThinClientLinks(t *testing.T) {
	const format = "{{if not .Standard}}module {{end}}{{.ImportPath}}"
	out, err := exec.Command("go", "list", "-buildvcs=false", "-deps", "-f", format, "hookline/hookctl").Output()
	if err != nil {
		t.Skipf("go list: %v", err)
	}
	// Their tables and self-tests at start cost each hook, as those of net, fmt and encoding/json would, which
	// docs/floors keeps out.
	bad := []string{"reflect", "crypto/sha256", "os/exec", "log/slog"}
	for line := range strings.Lines(string(out)) {
		name, outsideStd := strings.CutPrefix(strings.TrimSpace(line), "module ")
		allowed := strings.HasPrefix(name, "hookline/hookctl") || name == "github.com/oklog/ulid/v2"
		if outsideStd && !allowed {
			t.Errorf("hookctl links %s: only std, ulid and packages of hookctl are allowed", name)
		}
		if slices.Contains(bad, name) {
			t.Errorf("hookctl links %s", name)
		}
	}
	if !strings.Contains(string(out), "module hookline/hookctl/wire\n") {
		t.Errorf("go list does not list hookline/hookctl/wire: %.400s", out)
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
		args := os.Args[1:]
		if os.Args[0] != "hookctl" {
			os.Exit(fakeHookd(args))
		}
		inHurry := os.Getenv("WIRE_TEST_HURRY") != ""
		if IsHook(args) && !inHurry {
			os.Exit(hook(args, "", patient))
		}
		os.Exit(Run(args))
	}
	os.Exit(99)
}
