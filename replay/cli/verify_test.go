package cli

import (
	"bytes"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"hookline/expect"
	"hookline/hookctl/api"
)

// plainTimes replaces what a machine's speed, or the packing of the records before, decides.
func plainTimes(s string) string {
	s = regexp.MustCompile(`(?m)^time     .*$`).ReplaceAllString(s, "time     T")
	s = regexp.MustCompile(`at byte [0-9]+:`).ReplaceAllString(s, "at byte N:")
	return regexp.MustCompile(` in [0-9.]+m?s:`).ReplaceAllString(s, " in T:")
}

func TestVerifyClean(t *testing.T) {
	recorded(t)
	r := replay(t, 0, "verify")
	expect.Equal(t, plainTimes(r.stdout.String()), `clean: every cell is what the log says
events   11
records  11
time     T
`, "stdout")
	expect.Equal(t, r.stderr.String(), "", "stderr")
	v := decoded[api.Verdict](t, "verify", "--json")
	if !v.Clean || v.Events != 11 || v.Read != 11 || v.Holes != 0 || v.Exit != 0 {
		t.Errorf("%+v", v)
	}
}

// lie puts another continuity into the stored identity of the ended session.
func lie(t *testing.T, home string) {
	t.Helper()
	falsify(t, home, "snapshot", "identity.v7."+ended, func(b []byte) []byte {
		if !bytes.Contains(b, []byte(`"last_ic":0.9614`)) {
			t.Fatalf("the cell is %s", b)
		}
		return bytes.Replace(b, []byte(`"last_ic":0.9614`), []byte(`"last_ic":0.11`), 1)
	})
}

func TestVerifyNamesTheCell(t *testing.T) {
	lie(t, recorded(t))
	r := replay(t, 1, "verify")
	expect.Equal(t, plainTimes(r.stdout.String()), `identity  snapshot  identity.v7.5f1d0c2e-7b34-4f19-9a55-000000000001
  state.last_ic  want 0.9614  got 0.11

not clean: a difference from the log in 1 field of 1 cell
events   11
records  11
time     T
`, "stdout")
	expect.Equal(t, r.stderr.String(), "replay: hint: `replay rebuild` folds the cells again; with --dry-run it only shows what would change\n", "stderr")
}

func TestVerifyDamagedLog(t *testing.T) {
	home := recorded(t)
	blocks, err := filepath.Glob(filepath.Join(home, "store", "jetstream", "$G", "streams", "EVENTS", "msgs", "*.blk"))
	if err != nil || len(blocks) != 1 {
		t.Fatal(blocks, err)
	}
	b := expect.Value(os.ReadFile(blocks[0]))(t)
	at := 0 // in the sixth message
	for range 6 {
		at += bytes.Index(b[at:], []byte("Nats-Msg-Id")) + 1
	}
	b[at] ^= 0xff
	expect.OK(t, os.WriteFile(blocks[0], b, 0o600))
	r := replay(t, 2, "verify")
	expect.Equal(t, plainTimes(r.stdout.String()), `log  1.blk at byte N: checksum does not match, sequence 6

damaged: 1 fault in the log
events   12
records  11
holes    1
compared `+strings.Join(projections(), ", ")+`
unsure   none
time     T
`, "stdout")
	if !strings.HasSuffix(r.stderr.String(), "replay: hint: `replay repair --dry-run` tells what others still have\n") {
		t.Errorf("stderr: %s", &r.stderr)
	}
	v := decoded[api.Verdict](t, "verify", "--json") // it is recorded now
	if len(v.Known) != 1 || v.Known[0].First != 6 || v.Known[0].Event == "" || len(v.New) != 0 || v.New == nil {
		t.Fatalf("%+v", v)
	}
	expect.Equal(t, plainTimes(told(t, "verify")), `clean: every cell is what the log says
events   12
records  11
holes    1
known    sequence 6, lost: event `+v.Known[0].Event+` says so
time     T
`, "stdout")
}

// The exact words for every outcome.
func TestVerifyWords(t *testing.T) {
	const repairHint = "replay: hint: `replay repair --dry-run` tells what others still have\n"
	for _, c := range []struct {
		name, result, stdout, stderr string
		exit                         int
	}{
		{"known", `{"clean":true,"events":40,"records":30,"unknown":2,"holes":10,"known":[{"first":3,"last":11,"kind":"erased"},{"first":15,"last":15,"kind":"cut","event":"01K5"}],"new":[],"exit":0,"took_ms":0}`,
			"clean: every cell is what the log says\nevents   40\nrecords  30\nunknown  2 events of kinds that this build does not know; they are kept\nholes    10\n" +
				"known    sequences 3 to 11, erased on request\nknown    sequence 15, lost: event 01K5 says so\ntime     0s\n", "", 0},
		{"new damage", `{"clean":false,"events":10,"records":9,"holes":1,"known":[],"new":[{"first":4,"last":4,"kind":"damaged","block":"2.blk","offset":70,"why":"checksum does not match"}],"compared":[],"unsure":["session"],"diffs":[],"damage":["2.blk at byte 70: checksum does not match, sequence 4"],"exit":2,"took_ms":0}`,
			"log  2.blk at byte 70: checksum does not match, sequence 4\n\ndamaged: 1 fault in the log\nevents   10\nrecords  9\nholes    1\ncompared none\nunsure   session\ntime     0s\n",
			"replay: hint: `hookctl restart` has the log checked and mended; then `replay repair --dry-run` tells what others still have\n", 2},
		{"both", `{"clean":false,"events":10,"records":10,"diffs":[{"projection":"gate","bucket":"snapshot","key":"gate.v1.main","field":"","want":"{}","got":"(absent)"}],"damage":["1.blk: cut short"],"exit":2,"took_ms":70000}`,
			"gate  snapshot  gate.v1.main\n  (cell)  want {}  got (absent)\nlog  1.blk: cut short\n\ndamaged: 1 fault in the log, and a difference from the log in 1 field of 1 cell\nevents   10\nrecords  10\ntime     1m10s, 0 events/s\n", repairHint, 2},
	} {
		t.Run(c.name, func(t *testing.T) {
			newHome(t)
			h := &canned{lines: []string{`{"progress":1024,"of":2048}`, "", `{"result":` + c.result + `}`}}
			r := newRun().on(h).do(t, c.exit, "verify")
			expect.Equal(t, r.stdout.String(), c.stdout, "stdout")
			expect.Equal(t, r.stderr.String(), c.stderr, "stderr")
		})
	}
}
