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

	"hookline/hookctl/cmdline"
	"hookline/replay/carry"
	"hookline/replay/check"
	"hookline/replay/mend"
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
	r := replay(t, 0, "export", "-o", file)
	equal(t, plainIDs(r.stdout.String()), file+": 11 events, 0 blobs, N bytes\n", "export")
	info, err := os.Stat(file)
	if err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("%v %v", info.Mode(), err)
	}
	equal(t, replay(t, 1, "export", "-o", file).stderr.String(), "replay: error: "+file+" exists\nreplay: hint: choose another name; nothing is overwritten\n", "again")
	equal(t, replay(t, 1, "export", "-o", "none/x").stderr.String(), "replay: error: open none/x: no such file or directory\nreplay: hint: that path is not there; the folder of a new file must be\n", "nowhere")
	piped := replay(t, 0, "export").stdout.Bytes()
	if e, err := carry.OpenExport(bytes.NewReader(piped)); err != nil || e.Header().Events != 11 || bytes.HasPrefix(piped, []byte("{")) {
		t.Errorf("%.60q %v", piped, err)
	}

	newHome(t) // another machine
	r = replay(t, 0, "import", file)
	equal(t, r.stdout.String(), file+": 11 events added\nevents   11 in the file, written by 0.1.0-dev\nknown    0\nblobs    0\nlog      up to sequence 11\n", "import")
	var all struct{ Files []carry.Imported }
	replay(t, 0, "import", file, file, "--json").decode(t, &all)
	if len(all.Files) != 2 || all.Files[1].Known != 11 || all.Files[1].Added != 0 {
		t.Errorf("%+v", all)
	}
	replay(t, 0, "verify")
}

func TestExportParts(t *testing.T) {
	recorded(t)
	dir := t.TempDir()
	for name, args := range map[string]string{"2 events": "--session last --since 9 --until 10", "11 events": "--until now", "0 events": "--since 2099-01-01"} {
		file := filepath.Join(dir, strings.ReplaceAll(name, " ", "-")+".ndjson")
		out := replay(t, 0, append([]string{"export", "-o", file}, strings.Fields(args)...)...).stdout.String()
		if !strings.HasPrefix(out, file+": "+name) {
			t.Errorf("%s: %s", args, out)
		}
		if text, err := os.ReadFile(file); err != nil || !bytes.HasPrefix(text, []byte(`{"hookline_export":1,`)) {
			t.Errorf("%.60q %v", text, err)
		}
	}
	r := newRun()
	r.showsOut, r.Now = true, newApp().Now
	t.Chdir(dir)
	if out := r.do(t, 0, "export").stdout.String(); !regexp.MustCompile(`^hookline-export-\d{8}T\d{6}Z\.ndjson\.zst: 11 events`).MatchString(out) {
		t.Errorf("on a terminal: %s", out)
	}
}

func TestImportRefuses(t *testing.T) {
	home := newHome(t)
	missing := filepath.Join(t.TempDir(), "none")
	if r := replay(t, 1, "import", missing); !strings.Contains(r.stderr.String(), "replay: hint: `replay export -o FILE` writes what can be imported\n") {
		t.Error(r.stderr.String())
	}
	if _, err := os.Stat(home); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("a home was made: %v", err)
	}
	recorded(t)
	file := filepath.Join(t.TempDir(), "log.ndjson")
	replay(t, 0, "export", "-o", file)
	text := must(os.ReadFile(file))(t)
	lines := bytes.SplitAfter(text, []byte("\n"))
	noError(t, os.WriteFile(file, bytes.Join(lines[:4], nil), 0o600))
	newHome(t)
	equal(t, replay(t, 1, "import", file).stderr.String(), "replay: error: "+file+": the export is cut off after line 4; nothing was imported\nreplay: hint: --partial takes the 3 events before that\n", "cut")
	r := replay(t, 0, "import", "--partial", file)
	if !strings.HasPrefix(r.stdout.String(), file+": 3 events added\n") {
		t.Error(r.stdout.String())
	}
	equal(t, r.stderr.String(), "replay: the file is not whole: the export is cut off after line 4\n", "partial")
}

// A backup inside of the home would go with it.
func TestBackupIntoTheHome(t *testing.T) {
	recorded(t)
	home := newApp().Home()
	link := filepath.Join(t.TempDir(), "link")
	if err := os.Symlink(filepath.Join(home, "store"), link); err != nil {
		t.Skip(err)
	}
	for _, file := range []string{filepath.Join(home, "b.backup"), filepath.Join(home, "store", "b.backup"), filepath.Join(link, "b.backup")} {
		equal(t, replay(t, 1, "backup", file).stderr.String(), "replay: error: "+file+" is inside of the home that it would be a backup of\n"+
			"replay: hint: choose a place outside of "+home+", best on another disk\n", file)
	}
}

// A home that is a link to an empty folder, of another disk for instance, is filled there.
func TestRestoreThroughLink(t *testing.T) {
	recorded(t)
	dir := t.TempDir()
	file, disk, link := filepath.Join(dir, "b.backup"), filepath.Join(dir, "disk"), filepath.Join(dir, "home")
	replay(t, 0, "backup", file)
	noError(t, os.Mkdir(disk, 0o700))
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
	equal(t, plainIDs(replay(t, 0, "backup", file).stdout.String()), "backed up to "+file+"\nlog      up to sequence 11: 0 sealed blocks and 11 events behind\nblobs    0\nsize     N bytes\nsha256   SHA\n", "backup")
	equal(t, replay(t, 1, "backup", file).stderr.String(), "replay: error: "+file+" exists\nreplay: hint: a backup overwrites nothing: choose another name\n", "again")
	if r := replay(t, 1, "restore", file); !strings.Contains(r.stderr.String(), " is not empty\nreplay: hint: restore into another folder with --home DIR, or move this one away first\n") {
		t.Error(r.stderr.String())
	}
	home := newHome(t)
	out := replay(t, 0, "restore", file).stdout.String()
	for _, want := range []string{"restored to " + home + "\n", "\nlog      up to sequence 11\n", "\nverify   clean: every cell is what the log says\n", "\nnext: the next hook starts the recorder on it, or `hookctl start`\n"} {
		if !strings.Contains(out, want) {
			t.Errorf("%s\nhas no %q", out, want)
		}
	}
	var v check.Verdict
	replay(t, 0, "verify", "--json").decode(t, &v)
	if !v.Clean || v.Events != 11 {
		t.Errorf("%+v", v)
	}
	elsewhere := filepath.Join(t.TempDir(), "elsewhere")
	var r carry.Restored
	replay(t, 0, "restore", file, "--home", elsewhere, "--json").decode(t, &r)
	if r.Home != elsewhere || r.Last != 11 || !r.Verify.Clean {
		t.Errorf("%+v", r)
	}
	noError(t, os.Truncate(file, 500))
	newHome(t)
	if r := replay(t, 1, "restore", file); !strings.Contains(r.stderr.String(), file+" is damaged: ") || !strings.Contains(r.stderr.String(), "; nothing was restored\n") {
		t.Error(r.stderr.String())
	}
	replay(t, 1, "restore", file+".none")
}

func TestRecover(t *testing.T) {
	recorded(t)
	equal(t, replay(t, 1, "recover").stderr.String(), "replay: error: --at is missing\nreplay: hint: for example --at '2026-11-21 08:00', --at 2h or --at 120\n", "no moment")
	out := replay(t, 0, "recover", "--at", "4", "--session", ended[:8], "--dry-run").stdout.String()
	equal(t, out, "from     "+ended+" (at sequence 4)\ninto     "+live+"\ninstead  "+ended+"\n"+
		"before   IC=0.96 (healthy) C=0.63 r=0.97\nafter    IC=1.00 (healthy) C=0.88 r=1.00\nnothing was changed: this was a dry run\n", "dry run")
	out = replay(t, 0, "recover", "--at", "4", "--session", ended[:len(ended)-2]).stdout.String()
	if !strings.HasSuffix(plainIDs(out), "\nrecovered; the next session of the project starts from it\nevent    ID\n") {
		t.Error(out)
	}
	var r mend.Recovered
	replay(t, 0, "recover", "--at", "now", "--session", live, "--dry-run", "--json").decode(t, &r)
	if r.Replaces != live || r.Target != live || !r.DryRun || r.Before.R != 1 {
		t.Errorf("%+v", r)
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
	b := must(os.ReadFile(path))(t)
	at := bytes.Index(b, []byte("prompt.submitted"))
	copy(b[at+16:], bytes.Repeat([]byte{0x5a}, 80))
	noError(t, os.WriteFile(path, b, 0o600))
	return file
}

func TestRepairAsks(t *testing.T) {
	file := spoilt(t)
	r := replay(t, 1, "repair", "--from", file)
	equal(t, r.stderr.String(), "replay: error: nothing was changed: repair asks first\nreplay: hint: --yes repairs without asking, --dry-run only shows\n", "stderr")
	if out := r.stdout.String(); !strings.Contains(out, "found   sequences lost: 4\n") || !strings.Contains(out, "blobs    0 read\nnothing was changed yet: ") {
		t.Error(out)
	}
	for answer, exit := range map[string]int{"n\n": 1, "": 1, "\n": 1} {
		r := newRun()
		r.Asks, r.In = true, strings.NewReader(answer)
		r.do(t, exit, "repair", "--from", file)
		equal(t, r.stderr.String(), "replay: repair it? [y/N] replay: error: nothing was changed\n", "stderr")
	}
	r = newRun()
	r.Asks, r.In = true, strings.NewReader("yes\n")
	r.do(t, 0, "repair", "--from", file)
	if !strings.HasSuffix(r.stdout.String(), "\n1 event added, up to sequence 14\n") {
		t.Error(r.stdout.String())
	}
	var again mend.Repaired
	replay(t, 0, "repair", "--from", file, "--yes", "--json").decode(t, &again)
	if again.Added != 0 || again.LostN != 1 || again.NotHad != 0 {
		t.Errorf("%+v", again)
	}
	equal(t, replay(t, 0, "repair").stdout.String(), `back    sequence 4, at the end of the log
blocks   0 sealed, read
blobs    0 read
lost     1 sequence: 1 back, 0 in exports, 0 events rebuilt from transcripts, 0 nowhere
everything that was lost is back: nothing left to do
`, "stdout")
}

// A file that is no export is named, and is no success.
func TestRepairFromNoExport(t *testing.T) {
	recorded(t)
	file := filepath.Join(t.TempDir(), "notes.txt")
	noError(t, os.WriteFile(file, []byte("no export"), 0o600))
	if r := replay(t, 1, "repair", "--from", file); !strings.Contains(r.stdout.String(), "export      "+file+": 0 events to add, 0 known, 0 blobs; ") {
		t.Error(r.stdout.String())
	}
}

// logFiles are the files of the log and what vouches for it, by name, with their contents.
func logFiles(t *testing.T, home string) map[string]string {
	t.Helper()
	files := map[string]string{}
	for _, pattern := range []string{"jetstream/$G/streams/EVENTS/msgs/*", "archive/*", "*.json"} {
		names := must(filepath.Glob(filepath.Join(home, "store", pattern)))(t)
		for _, name := range names {
			b := must(os.ReadFile(name))(t)
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
	r := replay(t, 1, "repair", "--dry-run", "--from", file)
	for _, want := range []string{"found   sequences lost: 4\n", "nothing was changed yet: `replay repair` mends what was found, then asks exports and transcripts for what is lost\n"} {
		if !strings.Contains(r.stdout.String(), want) {
			t.Errorf("%q is not in\n%s", want, &r.stdout)
		}
	}
	if after := logFiles(t, home); len(before) < 3 || !maps.Equal(after, before) {
		t.Errorf("%d files before, %d after, or others", len(before), len(after))
	}
}

// Without any file of the log and an archive nothing begins by itself; repair begins a new one behind the sequences that
// were there and fetches them from an export.
func TestRepairGoneLog(t *testing.T) {
	home := recorded(t)
	file := filepath.Join(t.TempDir(), "log.ndjson.zst")
	replay(t, 0, "export", "-o", file)
	var v check.Verdict
	replay(t, 0, "verify", "--json").decode(t, &v)
	for _, dir := range []string{"archive", "jetstream/$G/streams/EVENTS"} {
		noError(t, os.RemoveAll(filepath.Join(home, "store", dir)))
	}
	gone := "open " + filepath.Join(home, "store") + ": the log is damaged: its files are gone and the archive has none; `replay repair` begins a new log behind it (sequences 1 to 11)"
	for _, verb := range []string{"verify", "rebuild", "export -o -", "repair --dry-run", "repair --dry-run --json"} {
		r := replay(t, 2, strings.Fields(verb)...)
		equal(t, r.stderr.String(), "replay: error: "+gone+"\nreplay: hint: hooks are kept in the spool meanwhile; `replay repair --from EXPORT` restores the events of an export\n", verb)
	}
	r := replay(t, 1, "repair", "--from", file)
	equal(t, r.stderr.String(), "replay: error: nothing was changed: repair asks first\nreplay: hint: --yes repairs without asking, --dry-run only shows\n", "stderr")
	r = replay(t, 0, "repair", "--yes", "--from", file)
	equal(t, r.stdout.String(), "damage  "+gone+`
a new log begins behind the lost sequences; whatever is left of the old one is set aside

back    sequence 1-11, at the end of the log
export      `+file+`: 11 events added, 0 known, 0 blobs
blocks   0 sealed, read
blobs    0 read
lost     11 sequences: 11 back, 0 in exports, 0 events rebuilt from transcripts, 0 nowhere
11 events added, up to sequence 24
`, "stdout")
	equal(t, replay(t, 0, "repair", "--from", file).stdout.String(), `back    sequence 1-11, at the end of the log
export      `+file+`: 0 events to add, 11 known, 0 blobs
blocks   0 sealed, read
blobs    0 read
lost     11 sequences: 11 back, 0 in exports, 0 events rebuilt from transcripts, 0 nowhere
everything that was lost is back: nothing left to do
`, "again")
	replay(t, 0, "verify", "--json").decode(t, &v)
	if v.Exit != 0 || len(v.Known) != 1 || v.Known[0].First != 1 || v.Known[0].Last != 11 || v.Events != 24 {
		t.Errorf("%+v", v)
	}
	if found, err := filepath.Glob(filepath.Join(home, "store", "aside", "*", "jetstream", "$G", "streams", "KV_snapshot")); err != nil || len(found) != 1 {
		t.Errorf("set aside: %q, %v", found, err)
	}
}

// Ctrl-C ends each of them with 130 and one line.
func TestInterruptedCarriers(t *testing.T) {
	newHome(t)
	file := filepath.Join(t.TempDir(), "f")
	noError(t, os.WriteFile(file, []byte("x"), 0o600))
	for args, want := range map[string]string{
		"import " + file:                "replay: interrupted; what was imported stays, and importing the file again takes the rest\n",
		"backup " + file + ".new":       "replay: interrupted; no backup was written\n",
		"export -o " + file + ".export": "replay: interrupted\n",
		"recover --at now":              "replay: interrupted\n",
		"repair":                        "replay: interrupted\n",
		"verify":                        "replay: interrupted\n",
		"restore " + file:               "replay: interrupted; nothing was restored\n",
	} {
		ctx, cancel := context.WithCancel(t.Context())
		r := newRun().on(&canned{stream: func(ctx context.Context) error { cancel(); return ctx.Err() }})
		if strings.HasPrefix(args, "restore") {
			cancel()
		}
		if got := r.main(ctx, strings.Fields(args)); got != cmdline.ExitInterrupted {
			t.Errorf("%s: exit %d, %s", args, got, &r.stderr)
		}
		equal(t, r.stderr.String(), want, args)
		cancel()
	}
}
