//go:build unix

package verbs

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"hookline/expect"
	"hookline/hookctl/client"
	"hookline/hookctl/daemon"
	"hookline/hookctl/facts"
	"hookline/hookctl/problem"
	"hookline/hookctl/verbs/env"
	"hookline/hookctl/wire"
)

// reqBench is a bench in a repository on branch feature/x with a daemon behind it. The clock of both is noon.
type reqBench struct {
	*bench
	d     *daemon.Daemon
	dir   string
	clock atomic.Int64 // milliseconds since 1970: the daemon reads it while a test turns it on
	n     int
	pid   int // the client's process; 0: not known
}

const reqRules = `requirements:
  commit_plan: {enabled: true}
  adr_reviewed: {enabled: true}
  sec: {enabled: true, scope: permanent}
  size: {enabled: true, type: dynamic, calculator: branch_size_calculator, approval_ttl: 3600, thresholds: {warn: 20, block: 50}}
  protected_branch: {enabled: true, type: guard, guard_type: protected_branch}
`

func gitIn(t *testing.T, dir string, args ...string) {
	t.Helper()
	cmd := exec.Command("git", append([]string{"-c", "user.name=Dev", "-c", "user.email=dev@example.org", "-c", "commit.gpgsign=false"}, args...)...)
	cmd.Dir, cmd.Env = dir, append(os.Environ(), "GIT_CONFIG_NOSYSTEM=1", "GIT_CONFIG_GLOBAL=/dev/null")
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("git %s: %v\n%s", strings.Join(args, " "), err, out)
	}
}

func newReq(t *testing.T, rules string) *reqBench {
	t.Helper()
	if _, err := exec.LookPath("git"); err != nil {
		t.Skip("there is no git")
	}
	b := &reqBench{bench: newBench(t, nil)}
	b.clock.Store(noon.UnixMilli())
	t.Setenv("HOME", b.env["HOME"])
	t.Setenv("XDG_RUNTIME_DIR", "")
	t.Setenv("HOOKLINE_SOCKET", "")
	t.Setenv("TMPDIR", t.TempDir())
	t.Setenv("HOOKLINE_SECOND", os.Getenv("TMPDIR"))
	real := expect.Value(filepath.EvalSymlinks(t.TempDir()))(t)
	b.dir = real
	gitIn(t, b.dir, "init", "-q", "-b", "main")
	write(t, filepath.Join(b.dir, "a.txt"), "one\n")
	gitIn(t, b.dir, "add", ".")
	gitIn(t, b.dir, "commit", "-q", "-m", "first")
	gitIn(t, b.dir, "switch", "-q", "-c", "feature/x")
	if rules != "" {
		write(t, b.rules(), rules)
	}
	d := expect.Value(daemon.Open(t.Context(), daemon.Options{Home: b.env["HOOKLINE_HOME"], Now: b.time}))(t)
	t.Cleanup(func() {
		if err := d.Close(context.Background()); err != nil {
			t.Error(err)
		}
	})
	b.d, b.handler, b.Cwd = d, d.Handler(), b.dir
	b.Now = b.time
	b.Place = facts.New().Place
	return b
}

// time is the clock's, in UTC.
func (b *reqBench) time() time.Time { return time.UnixMilli(b.clock.Load()).UTC() }

func (b *reqBench) rules() string { return filepath.Join(b.dir, ".claude", "requirements.yaml") }

// hook sends a hook of a session and gives the reason of a denial or a block, "" without one.
func (b *reqBench) hook(session, body string) string {
	b.t.Helper()
	b.n++
	ms := b.clock.Add(1)
	text := strings.Replace(body, "{", fmt.Sprintf(`{"session_id":%q,"cwd":%q,"tool_use_id":"toolu_%d",`, session, b.Cwd, b.n), 1)
	env := map[string]string{"CLAUDE_PROJECT_DIR": b.Cwd}
	if b.pid != 0 {
		env["CLAUDE_PID"] = strconv.Itoa(b.pid)
	}
	a := expect.Value(b.d.Take(b.t.Context(), wire.Frame{ID: wire.NewID(ms), Args: []string{"hook"}, Time: ms, Complete: true, Size: int64(len(text)),
		Body: []byte(text), Binary: "/usr/local/bin/hookctl", Env: env}))(b.t)
	var out struct {
		Reason             string
		HookSpecificOutput struct{ PermissionDecisionReason string }
	}
	_ = json.Unmarshal(a.Stdout, &out)
	return out.Reason + out.HookSpecificOutput.PermissionDecisionReason
}

func (b *reqBench) start(session string) {
	b.hook(session, `{"hook_event_name":"SessionStart","source":"resume"}`)
}

// TestReqTalks are talks in a repository with a daemon behind it, whose sessions A, B and C stand as $A, $B and $C.
func TestReqTalks(t *testing.T) {
	for _, file := range expect.Value(filepath.Glob(filepath.Join("testdata", "talks", "req", "*.txt")))(t) {
		t.Run(strings.TrimSuffix(filepath.Base(file), ".txt"), func(t *testing.T) {
			b := newReq(t, "")
			k := &talk{t: t, b: b.bench, names: []string{b.dir, "$DIR", facts.ProjectID(b.Place(b.dir).Path()), "$PROJECT",
				strings.ReplaceAll(sessionA, "-", ""), "$PLAIN", sessionA, "$A", sessionB, "$B", sessionC, "$C"}}
			k.also = func(args []string) bool { return b.set(k, args) }
			k.run(file)
		})
	}
}

// set changes the world of a talk.
func (b *reqBench) set(k *talk, args []string) bool {
	word, rest := args[0], args[1:]
	for i := range rest {
		rest[i] = k.meant(rest[i])
	}
	switch word {
	case "rules": // LINE…: of requirements.yaml
		write(b.t, b.rules(), strings.Join(rest, "\n")+"\n")
	case "put": // FILE LINE…: below the repository; ~ is the home
		file := filepath.Join(b.dir, rest[0])
		if below, ok := strings.CutPrefix(rest[0], "$HOME/"); ok {
			file = filepath.Join(b.env["HOME"], below)
		}
		write(b.t, file, strings.Join(rest[1:], "\n")+"\n")
	case "remove": // FILE
		expect.OK(b.t, os.RemoveAll(filepath.Join(b.dir, rest[0])))
	case "in": // DIR: where commands run, made where it is not there
		b.Cwd = filepath.Join(b.dir, rest[0])
		expect.OK(b.t, os.MkdirAll(b.Cwd, 0o755))
	case "git":
		gitIn(b.t, b.dir, rest...)
	case "later": // DURATION
		b.clock.Add(expect.Value(time.ParseDuration(rest[0]))(b.t).Milliseconds())
	case "start": // SESSION
		b.start(rest[0])
	case "passes", "denied": // SESSION JSON: a hook, and whether it is let pass
		if got := b.hook(rest[0], rest[1]); (got == "") != (word == "passes") {
			b.t.Errorf("%s %s: %q", word, rest, got)
		}
	default:
		return false
	}
	return true
}

// Before anything was recorded the configuration alone is told.
func TestReqWithoutAStore(t *testing.T) {
	b := newReq(t, reqRules)
	b.Connect = func(context.Context, env.Need) (*client.Client, error) {
		return nil, &problem.Error{Message: "there is no store", Status: 404, Exit: 1}
	}
	code, out, errs := b.run("req", "status", "--summary")
	if code != 0 || out != "⚠️  2/5 requirements satisfied (commit_plan, adr_reviewed, sec needed)\n" || errs != "⚠️  No Claude Code session detected\n" {
		t.Errorf("%d %q %q", code, out, errs)
	}
}

// A session whose process is gone is not listed, whoever has its pid now.
func TestPinned_03_DeadSessions(t *testing.T) {
	b := newReq(t, reqRules)
	client := exec.Command("sleep", "60")
	expect.OK(t, client.Start())
	b.pid = client.Process.Pid
	b.start(sessionA)
	contains(t, b.must("req", "sessions"), fmt.Sprintf("(1)\n  c68c8a51 - %s\n    feature/x [PID %d, just now]\n", b.dir, b.pid))
	_ = client.Process.Kill()
	_ = client.Wait()
	b.pid = os.Getpid()
	b.start(sessionB)
	expect.Equal(t, b.must("req", "sessions"), fmt.Sprintf("📋 Active Claude Code Sessions (1)\n  043f0af5 - %s\n    feature/x [PID %d, just now]\n", b.dir, b.pid))
}

// Nothing writes into a configuration that is there, and a new one says that it inherits.
func TestPinned_41_ConfigurationIsNotRewritten(t *testing.T) {
	const own = "# ours\ninherit: false\nrequirements: {commit_plan: {enabled: true}}\nadr_path: docs\n"
	b := newReq(t, own)
	b.start(sessionA)
	b.refuses("req", "init")
	b.must("req", "satisfy", "commit_plan", "--session", "c68c8a51")
	b.must("req", "clear", "commit_plan")
	b.run("req", "validate")
	if text, _ := os.ReadFile(b.rules()); string(text) != own {
		t.Errorf("%q", text)
	}
	expect.OK(t, os.Remove(b.rules()))
	b.must("req", "init")
	if text, _ := os.ReadFile(b.rules()); !strings.Contains(string(text), "\ninherit: true #") {
		t.Errorf("%q", text)
	}
}
