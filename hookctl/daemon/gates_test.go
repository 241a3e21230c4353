//go:build unix

package daemon

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"hookline/events"
	"hookline/expect"
	"hookline/hookctl/api"
	"hookline/hookctl/wire"
)

// gatedRepo is a repository on branch feature/x with these requirements, and a daemon that serves it.
type gatedRepo struct {
	t     *testing.T
	d     *Daemon
	dir   string
	clock atomic.Int64
	n     int
}

func git(t testing.TB, dir string, args ...string) {
	t.Helper()
	cmd := exec.Command("git", append([]string{"-c", "user.name=Dev", "-c", "user.email=dev@example.org", "-c", "commit.gpgsign=false"}, args...)...)
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), "GIT_CONFIG_NOSYSTEM=1", "GIT_CONFIG_GLOBAL=/dev/null")
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("git %s: %v\n%s", strings.Join(args, " "), err, out)
	}
}

func write(t testing.TB, file, text string) {
	t.Helper()
	expect.OK(t, os.MkdirAll(filepath.Dir(file), 0o755))
	expect.OK(t, os.WriteFile(file, []byte(text), 0o644))
}

func newRepo(t testing.TB, rules string) string {
	t.Helper()
	if _, err := exec.LookPath("git"); err != nil {
		t.Skip("there is no git")
	}
	dir := expect.Value(filepath.EvalSymlinks(t.TempDir()))(t)
	git(t, dir, "init", "-q", "-b", "main")
	write(t, filepath.Join(dir, "a.txt"), "one\n")
	git(t, dir, "add", ".")
	git(t, dir, "commit", "-q", "-m", "first")
	git(t, dir, "switch", "-q", "-c", "feature/x")
	if rules != "" {
		write(t, filepath.Join(dir, ".claude", "requirements.yaml"), rules)
	}
	return dir
}

func newGated(t *testing.T, rules string) *gatedRepo {
	t.Helper()
	home := newHome(t)
	t.Setenv("HOME", t.TempDir())
	g := &gatedRepo{t: t, dir: newRepo(t, rules)}
	g.set(time.Now())
	d := expect.Value(Open(t.Context(), Options{Home: home, Now: g.now}))(t)
	g.d = d
	t.Cleanup(func() { shut(t, g.d) })
	return g
}

// later moves the clock on.
func (g *gatedRepo) later(d time.Duration) { g.clock.Add(d.Milliseconds()) }

// now is the clock of the daemon, whose dreams read it too.
func (g *gatedRepo) now() time.Time { return time.UnixMilli(g.clock.Load()).UTC() }

func (g *gatedRepo) set(t time.Time) { g.clock.Store(t.UnixMilli()) }

// frame is a hook of a session in the repository.
func (g *gatedRepo) frame(session, body string) wire.Frame {
	g.n++
	g.later(time.Millisecond)
	var m map[string]any
	expect.OK(g.t, json.Unmarshal([]byte(body), &m))
	m["session_id"] = session
	if m["cwd"] == nil {
		m["cwd"] = g.dir
	}
	if m["tool_name"] != nil && m["tool_use_id"] == nil {
		m["tool_use_id"] = fmt.Sprintf("toolu_%d", g.n)
	}
	b, _ := json.Marshal(m)
	ms := g.clock.Load()
	f := hookFrame(string(b))
	f.ID, f.Time, f.Binary, f.Env["CLAUDE_PROJECT_DIR"] = wire.NewID(ms), ms, "/usr/local/bin/hookctl", g.dir
	return f
}

// says is the answer to a hook.
func (g *gatedRepo) says(session, body string) string {
	g.t.Helper()
	a := expect.Value(g.d.Take(context.Background(), g.frame(session, body)))(g.t)
	expect.Equal(g.t, a.Exit, 0, "exit")
	return strings.TrimSpace(string(a.Stdout))
}

// hookAnswer is what the client reads of an answer.
type hookAnswer struct {
	Decision, Reason, SystemMessage string
	HookSpecificOutput              struct {
		PermissionDecision, PermissionDecisionReason, AdditionalContext string
		Decision                                                        struct{ Behavior, Message string }
	}
}

func answerOf(t *testing.T, text string) (out hookAnswer) {
	t.Helper()
	if text != "" {
		expect.OK(t, json.Unmarshal([]byte(text), &out))
	}
	return out
}

// reason is why a call is denied or a turn goes on; "" when neither is.
func (g *gatedRepo) reason(session, body string) string {
	g.t.Helper()
	out := answerOf(g.t, g.says(session, body))
	return out.Reason + out.HookSpecificOutput.PermissionDecisionReason
}

func (g *gatedRepo) context(session, body string) string {
	g.t.Helper()
	return answerOf(g.t, g.says(session, body)).HookSpecificOutput.AdditionalContext
}

// types are the gate events in the log, with their names.
func (g *gatedRepo) types() string {
	g.t.Helper()
	var out []string
	for _, r := range logOf(g.t, g.d) {
		if strings.HasPrefix(r.Type, "gate.") {
			out = append(out, strings.TrimPrefix(r.Type, "gate."))
		}
	}
	return strings.Join(out, " ")
}

func (g *gatedRepo) order(o api.Order) {
	g.t.Helper()
	if o.Dir == "" {
		o.Dir = g.dir
	}
	expect.Value(g.d.endpoints.commands.orderGates(g.t.Context(), o))(g.t)
}

// ordered is the one event of an order.
func ordered(typ, data string) []api.Command {
	return []api.Command{{Type: typ, Data: json.RawMessage(data)}}
}

func (g *gatedRepo) satisfy(session, name, scope string) {
	g.t.Helper()
	level := "session"
	if session == "" {
		level = "branch"
	} else if _, err := g.d.resolveSession(g.t.Context(), session); err != nil {
		g.says(session, `{"hook_event_name":"Notification","message":"hello"}`)
	}
	data := fmt.Sprintf(`{"name":%q,"scope":%q,"level":%q,"by":"cli"}`, name, scope, level)
	g.order(api.Order{Session: session, Events: ordered(events.TypeGateSatisfied, data)})
}

func (g *gatedRepo) clear(session, name string) {
	g.t.Helper()
	data := fmt.Sprintf(`{"name":%q,"all_sessions":%t,"reason":"command"}`, name, session == "")
	g.order(api.Order{Session: session, Events: ordered(events.TypeGateCleared, data)})
}

const (
	sessA = "aaaaaaaa-1111-4111-8111-111111111111"
	sessB = "bbbbbbbb-2222-4222-8222-222222222222"
	sessC = "cccccccc-3333-4333-8333-333333333333"
	edit  = `{"hook_event_name":"PreToolUse","tool_name":"Edit","tool_input":{"file_path":"a.txt"}}`
	stop  = `{"hook_event_name":"Stop","stop_hook_active":false,"background_tasks":[]}`
)

func bash(hook, command string) string {
	return fmt.Sprintf(`{"hook_event_name":%q,"tool_name":"Bash","tool_input":{"command":%q},"tool_response":{"stdout":"","interrupted":false}}`, hook, command)
}

func skill(name string) string {
	return fmt.Sprintf(`{"hook_event_name":"PostToolUse","tool_name":"Skill","tool_input":{"skill":%q,"args":"x"},"tool_response":{"success":true,"commandName":%q}}`, name, name)
}

func startAs(source string) string {
	return fmt.Sprintf(`{"hook_event_name":"SessionStart","source":%q}`, source)
}
