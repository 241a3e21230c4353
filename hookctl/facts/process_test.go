package facts

import (
	"bufio"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"testing"
	"time"

	"hookline/expect"
)

// roleVar makes this test binary play another process.
const roleVar = "FACTS_TEST_ROLE"

func TestMain(m *testing.M) {
	switch os.Getenv(roleVar) {
	case "":
		os.Exit(m.Run())
	case "wait": // says that it runs, then lives until its stdin is closed
		fmt.Println("up")
		_, _ = io.Copy(io.Discard, os.Stdin)
	case "client": // starts a hook, through a shell as older clients do, and waits for it
		hook := exec.Command("sh", "-c", `"$0"; true`, os.Getenv("FACTS_TEST_BINARY"))
		hook.Env = append(os.Environ(), roleVar+"=hook")
		hook.Stdout, hook.Stderr = os.Stdout, os.Stderr
		if err := hook.Run(); err != nil {
			fmt.Println(err)
		}
	case "hook":
		p, guessed := ClientOf("", os.Getppid())
		_ = json.NewEncoder(os.Stdout).Encode(report{p, guessed, ClientVersion(p.PID)})
	}
}

// report is what the child in the role of a hook found out.
type report struct {
	Process Process
	Guessed bool
	Version string
}

// child starts a process that lives until kill.
func child(t *testing.T) (pid int, kill func() (reap func())) {
	t.Helper()
	cmd := exec.Command(os.Args[0])
	cmd.Env = append(os.Environ(), roleVar+"=wait")
	in := expect.Value(cmd.StdinPipe())(t)
	out := expect.Value(cmd.StdoutPipe())(t)
	expect.OK(t, cmd.Start())
	t.Cleanup(func() { _ = in.Close() })
	expect.Value(bufio.NewReader(out).ReadString('\n'))(t)
	return cmd.Process.Pid, func() func() {
		_ = cmd.Process.Kill()
		return func() { _ = cmd.Wait() }
	}
}

func TestProbe(t *testing.T) {
	pid, kill := child(t)
	p := Probe(pid)
	if p.PID != pid || !p.Alive || p.Start == 0 && runtime.GOOS == "linux" {
		t.Fatalf("alive: %+v", p)
	}
	expect.Equal(t, Probe(pid), p)
	if !SameProcess(pid, p.Start) || !SameProcess(pid, 0) {
		t.Error("it is the same process")
	}
	if p.Start != 0 && SameProcess(pid, p.Start+1) {
		t.Error("a process with another start time is another process")
	}
	reap := kill()
	gone := false
	for limit := time.Now().Add(30 * time.Second); !gone && time.Now().Before(limit); runtime.Gosched() {
		gone = !Probe(pid).Alive // a zombie until it is reaped
	}
	if got := Probe(pid); !gone || got != (Process{PID: pid}) || SameProcess(pid, p.Start) {
		t.Errorf("killed, not reaped: %+v", got)
	}
	reap()
	if got := Probe(pid); got.Alive {
		t.Errorf("reaped: %+v", got)
	}
}

func TestProbeOfOthers(t *testing.T) {
	if runtime.GOOS != "windows" && !Probe(1).Alive {
		t.Error("the first process belongs to another, and lives")
	}
	for _, pid := range []int{0, -1, -os.Getpid()} {
		expect.Equal(t, Probe(pid), (Process{}), pid)
	}
	if got := Probe(1 << 30); got.Alive {
		t.Errorf("no such process: %+v", got)
	}
}

func TestClientOfEnv(t *testing.T) {
	pid, kill := child(t)
	if p, guessed := ClientOf(strconv.Itoa(pid), os.Getpid()); p != Probe(pid) || guessed {
		t.Errorf("%+v, guessed %v", p, guessed)
	}
	kill()()
	for _, env := range []string{"", "x", "-1", strconv.Itoa(pid)} {
		if p, _ := ClientOf(env, 0); p != (Process{}) {
			t.Errorf("%q: %+v", env, p)
		}
	}
}

// Above names the process of CLAUDE_PID, then the parent and what started it, whatever they are.
func TestAbove(t *testing.T) {
	pid, kill := child(t)
	list := Above(strconv.Itoa(pid), os.Getpid())
	if len(list) < 2 || list[0] != Probe(pid) || list[1] != Probe(os.Getpid()) {
		t.Errorf("%+v", list)
	}
	kill()()
	list = Above(strconv.Itoa(pid), os.Getpid())
	if runtime.GOOS == "linux" && os.Getppid() > 1 && (len(list) < 2 || list[1].PID != os.Getppid()) {
		t.Errorf("the parent's parent: %+v", list)
	}
}

// A client without CLAUDE_PID, a shell below it, the hook below that: all real processes.
func TestClientOfAncestor(t *testing.T) {
	if runtime.GOOS != "linux" && runtime.GOOS != "darwin" {
		t.Skip("ancestors are told apart on linux and macOS with a shell")
	}
	file := filepath.Join(realDir(t), "claude", "versions", "2.1.329")
	copyFile(t, os.Args[0], file)
	cmd := exec.Command(file)
	cmd.Env = append(os.Environ(), roleVar+"=client", "FACTS_TEST_BINARY="+os.Args[0])
	out := expect.Value(cmd.StdoutPipe())(t)
	expect.OK(t, cmd.Start())
	text, _ := io.ReadAll(out)
	if err := cmd.Wait(); err != nil {
		t.Error(err)
	}
	var got report
	if err := json.Unmarshal(text, &got); err != nil {
		t.Fatalf("%v: %s", err, text)
	}
	if got.Process.PID != cmd.Process.Pid || !got.Process.Alive || !got.Guessed || got.Version != "2.1.329" {
		t.Errorf("%+v, want pid %d", got, cmd.Process.Pid)
	}
}

func copyFile(t *testing.T, from, to string) {
	t.Helper()
	b := expect.Value(os.ReadFile(from))(t)
	mkdir(t, filepath.Dir(to))
	expect.OK(t, os.WriteFile(to, b, 0o755))
}

func TestParseProcArgs(t *testing.T) {
	raw := func(n uint32, rest string) []byte {
		return append(binary.NativeEndian.AppendUint32(nil, n), rest...)
	}
	exe, args := parseProcArgs(raw(2, "/usr/bin/node\x00\x00\x00\x00node\x00/x/cli.js\x00API=1\x00"))
	if exe != "/usr/bin/node" || fmt.Sprint(args) != "[node /x/cli.js]" {
		t.Errorf("%q %q", exe, args)
	}
	for _, bad := range [][]byte{nil, {1}, raw(9, ""), raw(200, "/x\x00a"), {255, 255, 255, 255, 'x'}} {
		if exe, args := parseProcArgs(bad); len(args) > 3 {
			t.Errorf("%v: %q %q", bad, exe, args)
		}
	}
}

func TestResumedBy(t *testing.T) {
	for _, c := range []struct {
		args []string
		want string
	}{
		{[]string{"claude", "--resume", "c68c8a51", "--fork-session"}, "c68c8a51"},
		{[]string{"claude", "--fork-session", "--resume=c68c8a51"}, "c68c8a51"},
		{[]string{"claude", "-r", "c68c8a51"}, "c68c8a51"},
		{[]string{"claude", "--resume"}, ""},
		{[]string{"claude", "--resume", "--fork-session"}, ""},
		{[]string{"claude", "--continue", "--fork-session"}, ""},
		{[]string{"claude", "-r", strings.Repeat("x", 101)}, ""},
		{nil, ""},
	} {
		expect.Equal(t, resumedBy(c.args), c.want, "session of", c.args)
	}
}
