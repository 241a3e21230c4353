package cli

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// What the verbs that carry a log say of answers that a sound store does not give.

func result(text string) *canned { return &canned{lines: []string{`{"result":` + text + `}`}} }

func TestImportWords(t *testing.T) {
	newHome(t)
	file := filepath.Join(t.TempDir(), "log.ndjson")
	noError(t, os.WriteFile(file, []byte("x"), 0o600))
	h := result(`{"build":"9.1","events":1204,"added":1200,"known":3,"blobs":7,"missing_blobs":1,"unknown":{"zoo.opened":2,"moon.rose":1},"seq":5000}`)
	r := newRun().on(h).do(t, 0, "import", file)
	equal(t, r.stdout.String(), file+`: 1,200 events added
events   1,204 in the file, written by 9.1
known    3
blobs    7
missing  1 piece of large content that is in no file
unknown  1 event of type moon.rose, kept as they are
unknown  2 events of type zoo.opened, kept as they are
log      up to sequence 5,000
`, "stdout")
	equal(t, r.stderr.String(), "", "stderr")
	h = result(`{"unknown":{"a\u001b[2Jb":1},"build":"\u001b]0;x\u0007"}`)
	equal(t, newRun().on(h).do(t, 0, "import", file).stdout.String(), file+": 0 events added\nevents   0 in the file, written by ]0;x\nknown    0\nblobs    0\nunknown  1 event of type a[2Jb, kept as they are\nlog      up to sequence 0\n", "hostile")
}

func TestBackupWords(t *testing.T) {
	newHome(t)
	const answer = `{"file":"b","bytes":12345678,"seq":1204,"blocks":1,"events":1,"blobs":1000,"frames":1,"sha256":"ab12"}`
	equal(t, newRun().on(result(answer)).do(t, 0, "backup", "b").stdout.String(), "backed up to b\nlog      up to sequence 1,204: 1 sealed block and 1 event behind\nblobs    1,000\nspool    1 frame waiting\nsize     12,345,678 bytes\nsha256   ab12\n", "stdout")
}

// What goes over a pipe elsewhere is a file here, and says so.
func TestBackupIsAFile(t *testing.T) {
	newHome(t)
	t.Chdir(t.TempDir())
	equal(t, replay(t, 1, "backup", "-").stderr.String(), "replay: error: a backup goes to a file, not to stdout\nreplay: hint: name a file; `replay export` writes the events to stdout\n", "backup")
	equal(t, replay(t, 1, "restore", "-").stderr.String(), "replay: error: a backup is read from a file, not from stdin\nreplay: hint: it is read twice: write it to a file first\n", "restore")
	if left, err := os.ReadDir("."); err != nil || len(left) != 0 {
		t.Errorf("left behind: %v %v", left, err)
	}
}

func TestExportWords(t *testing.T) {
	newHome(t)
	dir := t.TempDir()
	lacking := &canned{lines: []string{`{"hookline_export":1,"events":1}`, `{"seq":1,"data":{"output":{"$blob":"sha256:` + strings.Repeat("ab", 32) + `"}}}`, `{"end":true,"events":1,"blobs":0}`}}
	file := filepath.Join(dir, "a.ndjson")
	r := newRun().on(lacking).do(t, 0, "export", "-o", file)
	equal(t, plainIDs(r.stdout.String()), file+": 1 event, 0 blobs, N bytes\n", "stdout")
	equal(t, r.stderr.String(), "replay: 1 large content that events refer to could not be had; `replay repair` names them\n", "stderr")
	file = filepath.Join(dir, "b.ndjson")
	r = newRun().on(lacking).do(t, 0, "export", "-o", file, "--json")
	equal(t, r.stdout.String(), `{"file":"`+file+`","events":1,"blobs":0,"missing_blobs":1,"bytes":179}`+"\n", "json")
	equal(t, r.stderr.String(), "", "stderr")

	r = newRun()
	r.showsOut = true
	r.on(lacking).do(t, 1, "export", "-o", "-")
	equal(t, r.stderr.String(), "replay: error: stdout is a terminal\nreplay: hint: name a file with -o, or pipe it\n", "terminal")
	equal(t, newRun().on(lacking).do(t, 1, "export", "--json").stderr.String(), "replay: error: --json needs -o FILE: the events themselves go to stdout\n", "json")
}

func TestRecoverWords(t *testing.T) {
	newHome(t)
	h := result(`{"seq":1204,"session":"s-1","snapshot":1795262400000,"target":"s-2","before":{},"after":{"ic":0.5,"consciousness":0.25,"r":1,"class":"crisis"},"event":"01K"}`)
	equal(t, newRun().on(h).do(t, 0, "recover", "--at", "1204").stdout.String(), "from     s-1 (at sequence 1,204, snapshot of 2026-11-21 12:00:00)\ninto     s-2\nbefore   no identity\nafter    IC=0.50 (crisis) C=0.25 r=1.00\n"+
		"recovered; the next session of the project starts from it\nevent    01K\n", "stdout")
	equal(t, newRun().on(h).do(t, 1, "recover", "--at", "soon").stderr.String(), "replay: error: \"soon\" is no sequence, time or duration\nreplay: hint: for example 120, 2026-11-21T08:00:00Z, '2026-11-21 08:00', 08:00, 10m, 3h, 1d, 2w, today, yesterday or now\n", "no point")
}

// A daemon that stops in the middle has given no answer, and one of another kind is not taken for it.
func TestBrokenAnswers(t *testing.T) {
	newHome(t)
	for _, c := range []struct {
		backend *canned
		args    []string
		want    string
	}{
		{&canned{}, []string{"verify"}, "the daemon ended before its answer did"},
		{&canned{lines: []string{`<html>`}}, []string{"verify"}, "read the answer: invalid character '<' looking for beginning of value"},
		{result(`[]`), []string{"backup", "b"}, "read the answer: json: cannot unmarshal array into Go value of type carry.BackedUp"},
		{&canned{gets: map[string]string{"/v1/at": `[]`}}, []string{"at", "1"}, "read the answer: json: cannot unmarshal array into Go value of type cli.past"},
	} {
		equal(t, newRun().on(c.backend).do(t, 1, c.args...).stderr.String(), "replay: error: "+c.want+"\n", c.args[0])
	}
}

// TestImportJSON: of files that follow each other those before the one that cannot be taken are told.
func TestImportJSON(t *testing.T) {
	recorded(t)
	dir := t.TempDir()
	good, bad := filepath.Join(dir, "good.ndjson"), filepath.Join(dir, "bad.ndjson")
	replay(t, 0, "export", "-o", good)
	text := must(os.ReadFile(good))(t)
	noError(t, os.WriteFile(bad, text[:len(text)/2], 0o600))
	r := replay(t, 1, "import", good, bad, "--json")
	if out := r.stdout.String(); !strings.HasPrefix(out, `{"files":[{"file":"`+good+`",`) || strings.Count(out, `"file":`) != 1 || !strings.HasPrefix(r.stderr.String(), "replay: error: ") {
		t.Errorf("stdout %s, stderr %s", out, &r.stderr)
	}
	if r := replay(t, 1, "import", bad, good, "--json"); r.stdout.Len() != 0 {
		t.Errorf("stdout %s", &r.stdout)
	}
}
