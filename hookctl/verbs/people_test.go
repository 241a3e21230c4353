package verbs

import (
	"context"
	"net/http"
	"path/filepath"
	"strings"
	"testing"

	"hookline/expect"
	"hookline/hookctl/client"
	"hookline/hookctl/problem"
	"hookline/hookctl/verbs/doctor"
	"hookline/hookctl/verbs/env"
)

// A home that is a file is found; nothing else is looked at then.
func TestDoctorHomeThatCannotBe(t *testing.T) {
	b := newBench(t, nil)
	file := filepath.Join(b.env["HOME"], "file")
	write(t, file, "mine")
	b.env["HOOKLINE_HOME"] = file
	_, checks := b.diagnose()
	c, do := checks["permissions"], "make that folder writable for you, or let HOOKLINE_HOME name another; hooks are kept in another place meanwhile"
	if _, more := checks["daemon"]; c.Result != doctor.Fail || c.Words != "mkdir "+file+": not a directory" || c.Do != do || more {
		t.Errorf("%+v", c)
	}
}

// What people see where something is wrong around the recorder: each cause once, with what can be done.

// A daemon that was stopped in its tracks: doctor goes on with what needs no daemon, the others end with the advice.
func TestStoppedDaemon(t *testing.T) {
	b, _ := healthy(t)
	b.Connect = func(context.Context, env.Need) (*client.Client, error) {
		return nil, &problem.Error{Message: "the daemon (process 7) does not answer within 3s", Hint: "it may be stopped", Exit: 1, Status: http.StatusGatewayTimeout}
	}
	_, checks := b.diagnose()
	if c := checks["daemon"]; c.Result != doctor.Fail || c.Words != "the daemon (process 7) does not answer within 3s" || c.Do != "it may be stopped" {
		t.Errorf("%+v", c)
	}
	if _, ok := checks["spool"]; !ok {
		t.Error("doctor ended there")
	}
	const said = "hookctl: error: the daemon (process 7) does not answer within 3s\nhookctl: hint: it may be stopped"
	for _, args := range []string{"status", "tail", "tail -f", "start", "stop", "restart"} {
		expect.Equal(t, b.refuses(strings.Fields(args)...), said+"\n", args)
	}
}

// What the store's server says while it builds its index again is no finding; what else it says is, with advice.
func TestRecoveryLinesAreNoFindings(t *testing.T) {
	b, f := healthy(t)
	normal := "2026-11-21T10:00:00Z Filestore [EVENTS] Stream state outdated, last block has additional entries, will rebuild"
	f.status.Warnings = []string{normal}
	_, checks := b.diagnose()
	if c := checks["log"]; c.Result != doctor.OK {
		t.Errorf("%+v", c)
	}
	if out := b.must("status"); strings.Contains(out, "Filestore") {
		t.Error(out)
	}
	f.status.Warnings = append(f.status.Warnings, "2026-11-21T10:00:01Z write: input/output error")
	_, checks = b.diagnose()
	if c := checks["log"]; c.Words != "2026-11-21T10:00:01Z write: input/output error" || !strings.HasPrefix(c.Do, "`replay verify` checks the log; the daemon's log is ") {
		t.Errorf("%+v", c)
	}
}

// What of the configuration does not count is said when the daemon starts.
func TestConfigurationIsTold(t *testing.T) {
	b := newBench(t, newFake())
	path := filepath.Join(b.env["HOME"], ".config", "hookline", "config.yaml")
	write(t, path, "fsnyc: always\n")
	const hint = "hookctl: hint: did you mean fsync?\n"
	if code, out, errs := b.run("start"); code != 0 || out != "hookd runs already, pid 4711\n" || errs != "hookctl: warning: "+path+":1:1: unknown key \"fsnyc\"\n"+hint {
		t.Errorf("exit %d, %q, %q", code, out, errs)
	}
	if code, _, errs := b.run("restart"); code != 0 || !strings.HasSuffix(errs, hint) {
		t.Errorf("exit %d, %q", code, errs)
	}
}

// A verb that was interrupted ends by 130, and says so; tail -f ends as it should.
func TestInterrupted(t *testing.T) {
	b := newBench(t, newFake())
	ctx, cancel := context.WithCancel(t.Context())
	b.Connect = func(context.Context, env.Need) (*client.Client, error) { cancel(); return nil, ctx.Err() }
	for args, want := range map[string]int{"session list": 130, "doctor": 130, "tail -f": 0} {
		b.err.Reset()
		if code := execute(ctx, b.Env, Searcher{}, strings.Fields(args)); code != want || want == 130 && b.err.String() != "hookctl: interrupted\n" {
			t.Errorf("%s: exit %d, %q", args, code, b.err)
		}
	}
}

// A word that was mistyped starts no daemon.
func TestWrongNamesStartNothing(t *testing.T) {
	b, _ := peopled(t)
	for args, want := range map[string]string{
		"identity observe --accuracy 0.5 --session nobody":    "there is no session \"nobody\"",
		"dream trigger --session nobody":                      "there is no session \"nobody\"",
		"events emit --type canary.sent --session nobodyhere": "there is no session \"nobodyhere\"",
	} {
		b.needs = nil
		contains(t, b.refuses(strings.Fields(args)...), "hookctl: error: "+want+"\nhookctl: hint: `hookctl ")
		if len(b.needs) != 1 || b.needs[0] != env.Store {
			t.Errorf("%s: %v", args, b.needs)
		}
	}
}
