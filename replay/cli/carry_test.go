package cli

import (
	"bytes"
	"context"
	"errors"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"hookline/expect"
	"hookline/hookctl/api"
	"hookline/hookctl/cmdline"
	"hookline/replay/carry"
)

// plainIDs replaces event ids, digests and sizes, which differ from run to run.
func plainIDs(s string) string {
	for pattern, to := range map[string]string{`\b[0-9A-HJKMNP-TV-Z]{26}\b`: "ID", `\b[0-9a-f]{64}\b`: "SHA", `[0-9,]+ bytes`: "N bytes"} {
		s = regexp.MustCompile(pattern).ReplaceAllString(s, to)
	}
	return s
}

func TestExportAndImport(t *testing.T) {
	recorded(t)
	file := filepath.Join(t.TempDir(), "log.ndjson.zst")
	expect.Equal(t, plainIDs(told(t, "export", "-o", file)), file+": 11 events, 0 blobs, N bytes\n", "export")
	expect.Equal(t, refused(t, "export", "-o", file), "replay: error: "+file+" exists\nreplay: hint: choose another name; nothing is overwritten\n", "again")
	expect.Equal(t, refused(t, "export", "-o", "none/x"), "replay: error: open none/x: no such file or directory\nreplay: hint: that path is not there; the folder of a new file must be\n", "nowhere")
	piped := replay(t, 0, "export").stdout.Bytes()
	if e, err := carry.OpenExport(bytes.NewReader(piped)); err != nil || e.Header().Events != 11 || bytes.HasPrefix(piped, []byte("{")) {
		t.Errorf("%.60q %v", piped, err)
	}

	newHome(t) // another machine
	out := told(t, "import", file)
	expect.Equal(t, out, file+": 11 events added\nevents   11 in the file, written by 0.1.0-dev\nknown    0\nblobs    0\nlog      up to sequence 11\n", "import")
	all := decoded[importedJSON](t, "import", file, "--json")
	if len(all.Files) != 1 || all.Files[0].Known != 11 || all.Files[0].Added != 0 {
		t.Errorf("%+v", all)
	}
	replay(t, 0, "verify")
}

func TestExportParts(t *testing.T) {
	recorded(t)
	dir := t.TempDir()
	for name, args := range map[string]string{"2 events": "--session last --since 9 --until 10", "0 events": "--since 2099-01-01"} {
		file := filepath.Join(dir, strings.ReplaceAll(name, " ", "-")+".ndjson")
		out := told(t, append([]string{"export", "-o", file}, strings.Fields(args)...)...)
		if text, err := os.ReadFile(file); err != nil || !bytes.HasPrefix(text, []byte(`{"hookline_export":1,`)) || !strings.HasPrefix(out, file+": "+name) {
			t.Errorf("%s: %s, %.60q %v", args, out, text, err)
		}
	}
	file := filepath.Join(dir, "session.html")
	if out := told(t, "export", "--html", "last", "-o", file); !strings.HasPrefix(out, file+": 3 events, ") {
		t.Error(out)
	}
}

// A content that is not in the log is counted, and what cannot go to stdout says so.
func TestExportWords(t *testing.T) {
	newHome(t)
	lacking := &canned{lines: []string{`{"hookline_export":1,"events":1}`, `{"seq":1,"data":{}}`, `{"end":true,"events":1,"blobs":0,"missing":1}`}}
	file := filepath.Join(t.TempDir(), "a.ndjson")
	r := newRun().on(lacking).do(t, 0, "export", "-o", file)
	expect.Equal(t, plainIDs(r.stdout.String()), file+": 1 event, 0 blobs, N bytes\n", "stdout")
	expect.Equal(t, r.stderr.String(), "replay: 1 large content that events refer to could not be had; `replay repair` names them\n", "stderr")

	r = newRun()
	r.showsOut = true
	expect.Equal(t, r.do(t, 1, "export").stderr.String(), "replay: error: stdout is a terminal\nreplay: hint: name a file with -o, or pipe it\n", "terminal")
	expect.Equal(t, newRun().do(t, 1, "export", "--json").stderr.String(), "replay: error: --json needs -o FILE: the events themselves go to stdout\n", "json")
}

func TestImportWords(t *testing.T) {
	newHome(t)
	file := filepath.Join(t.TempDir(), "log.ndjson")
	expect.OK(t, os.WriteFile(file, []byte("x"), 0o600))
	h := &canned{results: []string{`{"build":"9.1","events":1204,"added":1200,"known":3,"blobs":7,"missing_blobs":1,"unknown":{"a\u001b[2Jb":2,"moon.rose":1},"seq":5000}`}}
	expect.Equal(t, newRun().on(h).do(t, 0, "import", file).stdout.String(), file+`: 1,200 events added
events   1,204 in the file, written by 9.1
known    3
blobs    7
missing  1 piece of large content that is in no file
unknown  2 events of type a[2Jb, kept as they are
unknown  1 event of type moon.rose, kept as they are
log      up to sequence 5,000
`, "stdout")
}

func TestImportRefuses(t *testing.T) {
	home := newHome(t)
	holds(t, refused(t, "import", filepath.Join(t.TempDir(), "none")), "replay: hint: `replay export -o FILE` writes what can be imported\n")
	if _, err := os.Stat(home); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("a home was made: %v", err)
	}
	recorded(t)
	file := filepath.Join(t.TempDir(), "log.ndjson")
	replay(t, 0, "export", "-o", file)
	text := expect.Value(os.ReadFile(file))(t)
	expect.OK(t, os.WriteFile(file, text[:len(text)-20], 0o600))
	replay(t, 1, "import", file)
	expect.Equal(t, replay(t, 0, "import", "--partial", file).stderr.String(), "replay: the file is not whole: the export is cut off after line 12\n")
}

// A backup inside of the home would go with it.
func TestBackupIntoTheHome(t *testing.T) {
	recorded(t)
	home := newApp().Home()
	link := filepath.Join(t.TempDir(), "link")
	if err := os.Symlink(filepath.Join(home, "store"), link); err != nil {
		t.Skip(err)
	}
	file := filepath.Join(link, "b.backup")
	expect.Equal(t, refused(t, "backup", file), "replay: error: "+file+" is inside of the home that it would be a backup of\n"+
		"replay: hint: choose a place outside of "+home+", best on another disk\n", file)
}

// A home that is a link to an empty folder, of another disk for instance, is filled there.
func TestRestoreThroughLink(t *testing.T) {
	recorded(t)
	dir := t.TempDir()
	file, disk, link := filepath.Join(dir, "b.backup"), filepath.Join(dir, "disk"), filepath.Join(dir, "home")
	replay(t, 0, "backup", file)
	expect.OK(t, os.Mkdir(disk, 0o700))
	if err := os.Symlink(disk, link); err != nil {
		t.Skip(err)
	}
	replay(t, 0, "restore", file, "--home", link)
	if to, err := os.Readlink(link); err != nil || to != disk {
		t.Errorf("the link leads to %q, %v", to, err)
	}
	if _, err := os.Stat(filepath.Join(disk, "store")); err != nil {
		t.Error(err)
	}
}

func TestBackupAndRestore(t *testing.T) {
	recorded(t)
	file := filepath.Join(t.TempDir(), "b.backup")
	expect.Equal(t, plainIDs(told(t, "backup", file)), "backed up to "+file+"\nlog      up to sequence 11: 0 sealed blocks and 11 events behind\nblobs    0\nsize     N bytes\nsha256   SHA\n", "backup")
	expect.Equal(t, refused(t, "backup", file), "replay: error: "+file+" exists\nreplay: hint: choose another name; nothing is overwritten\n", "again")
	holds(t, refused(t, "restore", file), " is not empty\nreplay: hint: restore into another folder with --home DIR, or move this one away first\n")
	home := newHome(t)
	holds(t, told(t, "restore", file), "restored to "+home+"\n", "\nlog      up to sequence 11\n", "\nverify   clean: every cell is what the log says\n",
		"\nnext: the next hook starts the recorder on it, or `hookctl start`\n")
	elsewhere := filepath.Join(t.TempDir(), "elsewhere")
	r := decoded[carry.Restored](t, "restore", file, "--home", elsewhere, "--json")
	if r.Home != elsewhere || r.Last != 11 || !r.Verify.Clean {
		t.Errorf("%+v", r)
	}
	expect.OK(t, os.Truncate(file, 500))
	newHome(t)
	holds(t, refused(t, "restore", file), file+" is damaged: ", "; nothing was restored\n")
}

func TestRecover(t *testing.T) {
	recorded(t)
	expect.Equal(t, refused(t, "recover"), "replay: error: --at is missing\nreplay: hint: for example --at '2026-11-21 08:00', --at 2h or --at 120\n", "no moment")
	out := told(t, "recover", "--at", "4", "--session", ended[:8], "--dry-run")
	expect.Equal(t, out, "from     "+ended+" (at sequence 4)\ninto     "+live+"\ninstead  "+ended+"\n"+
		"before   IC=0.96 (healthy) C=0.63 r=0.97\nafter    IC=1.00 (healthy) C=0.88 r=1.00\nnothing was changed: this was a dry run\n", "dry run")
	out = told(t, "recover", "--at", "4", "--session", ended[:len(ended)-2])
	if !strings.HasSuffix(plainIDs(out), "\nrecovered; the next session of the project starts from it\nevent    ID\n") {
		t.Error(out)
	}
	replay(t, 0, "verify")
}

// spoilt is a home that has lost sequence 4, and an export from before.
func spoilt(t *testing.T) (file string) {
	t.Helper()
	home := recorded(t)
	file = filepath.Join(t.TempDir(), "log.ndjson.zst")
	replay(t, 0, "export", "-o", file)
	path := filepath.Join(home, "store", "jetstream", "$G", "streams", "EVENTS", "msgs", "1.blk")
	b := expect.Value(os.ReadFile(path))(t)
	at := bytes.Index(b, []byte("prompt.submitted"))
	copy(b[at+16:], bytes.Repeat([]byte{0x5a}, 80))
	expect.OK(t, os.WriteFile(path, b, 0o600))
	return file
}

func TestRepairAsks(t *testing.T) {
	file := spoilt(t)
	r := replay(t, 1, "repair", "--from", file)
	expect.Equal(t, r.stderr.String(), "replay: error: repair it: there is no terminal to ask\nreplay: hint: --yes answers for you\n", "stderr")
	r = newRun()
	r.Asks, r.In = true, strings.NewReader("n\n")
	expect.Equal(t, r.do(t, 1, "repair", "--from", file).stderr.String(), "repair it? [y/N] replay: error: nothing was done\n", "no")
	r = newRun()
	r.Asks, r.In = true, strings.NewReader("yes\n")
	holds(t, r.do(t, 0, "repair", "--from", file).stdout.String(), "found   sequences lost: 4\n", "\n1 event added, up to sequence 14\n")
	expect.Equal(t, told(t, "repair"), `back    sequence 4, at the end of the log
blocks   0 sealed, read
blobs    0 read
lost     1 sequence: 1 back, 0 in exports, 0 events rebuilt from transcripts, 0 nowhere
everything that was lost is back: nothing left to do
`, "stdout")
}

// logFiles are the files of the log and what vouches for it, by name, with their contents.
func logFiles(t *testing.T, home string) map[string]string {
	t.Helper()
	files := map[string]string{}
	for _, pattern := range []string{"jetstream/$G/streams/EVENTS/msgs/*", "archive/*", "*.json"} {
		names := expect.Value(filepath.Glob(filepath.Join(home, "store", pattern)))(t)
		for _, name := range names {
			b := expect.Value(os.ReadFile(name))(t)
			files[name] = string(b)
		}
	}
	return files
}

// A dry run is the first to look at a damaged log, and leaves every byte of it as it is.
func TestRepairDryRunChangesNothing(t *testing.T) {
	file := spoilt(t)
	home := os.Getenv("HOOKLINE_HOME")
	before := logFiles(t, home)
	holds(t, replay(t, 1, "repair", "--dry-run", "--from", file).stdout.String(), "found   sequences lost: 4\n",
		"nothing was changed yet: `replay repair` mends what was found, then asks exports and transcripts for what is lost\n")
	if after := logFiles(t, home); len(before) < 3 || !maps.Equal(after, before) {
		t.Errorf("%d files before, %d after, or others", len(before), len(after))
	}
}

// Without any file of the log and an archive nothing begins by itself; repair begins a new one after the sequences that
// were there and fetches them from an export.
func TestRepairGoneLog(t *testing.T) {
	home := recorded(t)
	file := filepath.Join(t.TempDir(), "log.ndjson.zst")
	replay(t, 0, "export", "-o", file)
	for _, dir := range []string{"archive", "jetstream/$G/streams/EVENTS"} {
		expect.OK(t, os.RemoveAll(filepath.Join(home, "store", dir)))
	}
	gone := "open " + filepath.Join(home, "store") + ": the log is damaged: its files are gone and the archive has none; `replay repair` begins a new log behind it (sequences 1 to 11)"
	for _, verb := range []string{"verify", "repair --dry-run"} {
		r := replay(t, 2, strings.Fields(verb)...)
		expect.Equal(t, r.stderr.String(), "replay: error: "+gone+"\nreplay: hint: hooks are kept in the spool meanwhile; `replay repair --from EXPORT` restores the events of an export\n", verb)
	}
	replay(t, 1, "repair", "--from", file) // nobody is there to ask
	expect.Equal(t, told(t, "repair", "--yes", "--from", file), "damage  "+gone+`
a new log begins behind the lost sequences; whatever is left of the old one is set aside
back    sequence 1-11, at the end of the log
export      `+file+`: 11 events added, 0 known, 0 blobs
blocks   0 sealed, read
blobs    0 read
lost     11 sequences: 11 back, 0 in exports, 0 events rebuilt from transcripts, 0 nowhere
11 events added, up to sequence 24
`, "stdout")
	v := decoded[api.Verdict](t, "verify", "--json")
	if v.Exit != 0 || len(v.Known) != 1 || v.Known[0].First != 1 || v.Known[0].Last != 11 || v.Events != 24 {
		t.Errorf("%+v", v)
	}
	if found, err := filepath.Glob(filepath.Join(home, "store", "aside", "*", "jetstream", "$G", "streams", "KV_snapshot")); err != nil || len(found) != 1 {
		t.Errorf("set aside: %q, %v", found, err)
	}
}

// Ctrl-C ends a verb with 130 and one line.
func TestInterrupted(t *testing.T) {
	newHome(t)
	file := filepath.Join(t.TempDir(), "f")
	expect.OK(t, os.WriteFile(file, []byte("x"), 0o600))
	for _, args := range []string{"import " + file, "export -o " + file + ".export", "repair", "restore " + file} {
		ctx, cancel := context.WithCancel(t.Context())
		r := newRun().on(&canned{stream: cancel})
		if strings.HasPrefix(args, "restore") {
			cancel()
		}
		expect.Equal(t, r.main(ctx, strings.Fields(args)), cmdline.ExitInterrupted, args)
		expect.Equal(t, r.stderr.String(), "replay: interrupted\n", args)
		cancel()
	}
}

// A daemon that stops in the middle has given no answer, and one of another kind is not taken for it.
func TestBrokenAnswers(t *testing.T) {
	newHome(t)
	for want, h := range map[string]*canned{
		"the daemon ended before its answer did":                                          {},
		"read the answer: json: cannot unmarshal array into Go value of type api.Verdict": {results: []string{`[]`}},
		"no[31m more": {lines: []string{`{"error":"no\u001b[31m\u202e more","exit":1}`}},
	} {
		expect.Equal(t, newRun().on(h).do(t, 1, "verify").stderr.String(), "replay: error: "+want+"\n")
	}
}
