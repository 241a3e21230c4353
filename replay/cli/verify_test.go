package cli

import (
	"bytes"
	"context"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"hookline/hookctl/daemon"
)

// plainTimes replaces what a machine's speed decides.
func plainTimes(s string) string {
	s = regexp.MustCompile(`(?m)^time     .*$`).ReplaceAllString(s, "time     T")
	return regexp.MustCompile(` in [0-9.]+ m?s:`).ReplaceAllString(s, " in T:")
}

func TestVerifyClean(t *testing.T) {
	recorded(t)
	r := replay(t, 0, "verify")
	same(t, "stdout", plainTimes(r.stdout.String()), `clean: every cell is what the log says
events   11
records  11
time     T
`)
	same(t, "stderr", r.stderr.String(), "")
	var v daemon.Verification
	replay(t, 0, "verify", "--json").decode(t, &v)
	if !v.Clean || v.Events != 11 || v.Read != 11 || v.Holes != 0 || len(v.Diffs) != 0 || len(v.Damage) != 0 || v.Exit != 0 {
		t.Errorf("%+v", v)
	}
}

// lie puts another continuity into the stored identity of the ended session.
func lie(t *testing.T, home string) {
	t.Helper()
	falsify(t, home, "snapshot", "identity.v1."+ended, func(b []byte) []byte {
		if !bytes.Contains(b, []byte(`"last_ic":0.9611`)) {
			t.Fatalf("the cell is %s", b)
		}
		return bytes.Replace(b, []byte(`"last_ic":0.9611`), []byte(`"last_ic":0.11`), 1)
	})
}

func TestVerifyNamesTheCell(t *testing.T) {
	lie(t, recorded(t))
	r := replay(t, 1, "verify")
	same(t, "stdout", plainTimes(r.stdout.String()), `identity  snapshot  identity.v1.5f1d0c2e-7b34-4f19-9a55-000000000001
  state.last_ic  want 0.9611  got 0.11

not clean: 1 field of 1 cell differs from the log
events   11
records  11
time     T
`)
	same(t, "stderr", r.stderr.String(), "replay: hint: `replay rebuild` folds the cells again; with --dry-run it only shows what would change\n")
	var v daemon.Verification
	replay(t, 1, "verify", "--json").decode(t, &v)
	if v.Clean || v.Exit != 1 || len(v.Diffs) != 1 {
		t.Fatalf("%+v", v)
	}
	d := v.Diffs[0]
	if d.Projection != "identity" || d.Bucket != "snapshot" || d.Key != "identity.v1."+ended || d.Field != "state.last_ic" || d.Want != "0.9611" || d.Got != "0.11" {
		t.Errorf("%+v", d)
	}
}

func TestVerifyFindsStrangersAndMissing(t *testing.T) {
	home := recorded(t)
	falsify(t, home, "snapshot", "identity.v1.nobody", func([]byte) []byte { return []byte(`{"seq":3,"state":{}}`) })
	falsify(t, home, "snapshot", "session.v1."+ended, func([]byte) []byte { return nil })
	out := replay(t, 1, "verify").stdout.String()
	for _, want := range []string{
		"identity  snapshot  identity.v1.nobody\n  (cell)  want (absent)  got {\"seq\":3,\"state\":{}}\n",
		"session  snapshot  session.v1." + ended + "\n  (cell)  want {\"seq\":8,",
		"not clean: 2 fields of 2 cells differ from the log\n",
	} {
		if !strings.Contains(out, want) {
			t.Errorf("%q is not in\n%s", want, out)
		}
	}
}

func TestVerifyDamagedLog(t *testing.T) {
	home := recorded(t)
	blocks, err := filepath.Glob(filepath.Join(home, "store", "jetstream", "$G", "streams", "EVENTS", "msgs", "*.blk"))
	if err != nil || len(blocks) != 1 {
		t.Fatal(blocks, err)
	}
	b, err := os.ReadFile(blocks[0])
	if err != nil {
		t.Fatal(err)
	}
	b[len(b)/2] ^= 0xff
	if err := os.WriteFile(blocks[0], b, 0o600); err != nil {
		t.Fatal(err)
	}
	r := replay(t, 2, "verify")
	if out := r.stdout.String(); !strings.Contains(out, "log  1.blk: ") || !strings.Contains(out, "\ndamaged: ") {
		t.Errorf("stdout: %s\nstderr: %s", out, &r.stderr)
	}
}

// The exact words for every outcome.
func TestVerifyWords(t *testing.T) {
	for _, c := range []struct {
		name, result, stdout, stderr string
		exit                         int
	}{
		{"clean", `{"clean":true,"events":1204567,"records":1204567,"holes":0,"diffs":[],"damage":[],"exit":0,"took_ms":5000}`,
			"clean: every cell is what the log says\nevents   1,204,567\nrecords  1,204,567\ntime     5.0 s, 240,913 events/s\n", "", 0},
		{"damaged", `{"clean":false,"events":10,"records":8,"holes":2,"diffs":[],"damage":["the log has holes","3.blk: wrong checksum"],"exit":2,"took_ms":0}`,
			"log  the log has holes\nlog  3.blk: wrong checksum\n\ndamaged: 2 faults in the log\nevents   10\nrecords  8\nholes    2\ntime     0 ms\n", "", 2},
		{"both", `{"clean":false,"events":10,"records":10,"diffs":[{"projection":"gate","bucket":"snapshot","key":"gate.v1.main","field":"","want":"{}","got":"(absent)"}],"damage":["1.blk: cut short"],"exit":2,"took_ms":70000}`,
			"gate  snapshot  gate.v1.main\n  (cell)  want {}  got (absent)\nlog  1.blk: cut short\n\ndamaged: 1 fault in the log, and 1 field of 1 cell differs from the log\nevents   10\nrecords  10\ntime     1m10s, 0 events/s\n", "", 2},
	} {
		t.Run(c.name, func(t *testing.T) {
			newHome(t)
			h := &canned{lines: []string{`{"progress":1024,"of":2048}`, "", `{"result":` + c.result + `}`}}
			r := newRun().on(h).do(t, c.exit, "verify")
			same(t, "stdout", r.stdout.String(), c.stdout)
			same(t, "stderr", r.stderr.String(), c.stderr)
			same(t, "request", strings.Join(h.asked, "\n"), "POST /v1/verify")
			same(t, "json", newRun().on(h).do(t, c.exit, "verify", "--json").stdout.String(), c.result+"\n")
		})
	}
}

func TestVerifyBroken(t *testing.T) {
	newHome(t)
	for _, c := range []struct {
		name, stderr string
		house        *canned
		exit         int
	}{
		{"log damaged while reading", "replay: error: fold: the log is damaged: wrong checksum (sequences 4 to 9) in 1.blk\n" +
			"replay: hint: keep a copy of the store's folder before anything else is tried; `hookctl doctor` tells what can still be read\n",
			&canned{err: &daemon.Problem{Message: "fold: the log is damaged: wrong checksum (sequences 4 to 9) in 1.blk", Exit: 1}}, 2},
		{"daemon gone", "replay: error: the daemon ended before its answer did\nreplay: hint: `replay verify --help` shows how it is called\n",
			&canned{lines: []string{`{"progress":1,"of":2}`}}, 1},
		{"words with control characters", "replay: error: no[31m more\n", &canned{err: &daemon.Problem{Message: "no\x1b[31m\u202e more", Exit: 1}}, 1},
	} {
		t.Run(c.name, func(t *testing.T) {
			same(t, "stderr", newRun().on(c.house).do(t, c.exit, "verify").stderr.String(), c.stderr)
		})
	}
}

func TestProgressBar(t *testing.T) {
	newHome(t)
	house := func() *canned {
		return &canned{lines: []string{`{"progress":1024,"of":4096}`, `{"progress":4096,"of":4096}`, `{"progress":1024,"of":4096}`,
			`{"result":{"projection":"","seq":4096,"changed":[],"took_ms":10}}`}}
	}
	t.Setenv("TERM", "xterm")
	for name, c := range map[string]struct {
		terminal bool
		env      string
		args     []string
		bar      bool
	}{
		"terminal": {terminal: true, bar: true},
		"pipe":     {},
		"NO_COLOR": {terminal: true, env: "NO_COLOR"},
		"CI":       {terminal: true, env: "CI"},
		"json":     {terminal: true, args: []string{"--json"}},
	} {
		t.Run(name, func(t *testing.T) {
			if c.env != "" {
				t.Setenv(c.env, "1")
			}
			r := newRun().on(house())
			r.terminal = c.terminal
			r.do(t, 0, append([]string{"rebuild"}, c.args...)...)
			drawn := strings.Contains(r.stderr.String(), "comparing  25% |") && strings.Contains(r.stderr.String(), "folding  25% |")
			if drawn != c.bar || !c.bar && r.stderr.Len() > 0 {
				t.Errorf("stderr: %q", r.stderr.String())
			}
			if c.bar && !strings.HasSuffix(r.stderr.String(), "\r") {
				t.Errorf("the bar stays: %q", r.stderr.String())
			}
		})
	}
}

func TestInterrupted(t *testing.T) {
	newHome(t)
	ctx, cancel := context.WithCancel(t.Context())
	r := newRun().on(&canned{stream: func(ctx context.Context) error { cancel(); return ctx.Err() }})
	if got := r.main(ctx, []string{"verify"}); got != 130 {
		t.Errorf("exit %d", got)
	}
	same(t, "stderr", r.stderr.String(), "replay: interrupted\n")
}
