//go:build unix

package daemon

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"hookline/embedded"
	"hookline/embedded/block"
	"hookline/events"
	"hookline/expect"
	"hookline/hookctl/hook"
	"hookline/replay/check"
	"hookline/replay/mend"
)

// spoil overwrites bytes of a file behind a text, so many that no record can be mended.
func spoil(t *testing.T, path, behind string, n int) {
	t.Helper()
	b := expect.Value(os.ReadFile(path))(t)
	at := bytes.Index(b, []byte(behind))
	if at < 0 {
		t.Fatalf("%s has no %q", path, behind)
	}
	for i := range n {
		b[at+len(behind)+i] ^= 0x5a
	}
	expect.OK(t, os.WriteFile(path, b, 0o600))
}

func blockPath(home string, n int) string {
	msgs, _ := embedded.Blocks(filepath.Join(home, "store"))
	return filepath.Join(msgs, fmt.Sprint(n, ".blk"))
}

func mustRepair(t *testing.T, d *Daemon, o mend.RepairOptions) mend.Repaired {
	t.Helper()
	q := url.Values{"from": o.From, "transcripts": {o.Transcripts}}
	if o.DryRun {
		q.Set("dry_run", "1")
	}
	return expect.Value(ran[mend.Repaired](t, d.repair, q))(t)
}

// lossy is a home whose log has lost one event, and an export of it from before.
func lossy(t *testing.T) (home, file, lost string) {
	t.Helper()
	home = newHome(t)
	d := open(t, home)
	for i := range 10 {
		take(t, d, bashOf("s-1", i))
	}
	file = exportOf(t, d, "")
	lost = logOf(t, d)[4].ID
	shut(t, d)
	spoil(t, blockPath(home, 1), lost, 60)
	return home, file, lost
}

// What a start cut out comes back from an export with its own id, at the end of the log; the hole stays.
func TestRepairFromExport(t *testing.T) {
	home, file, lost := lossy(t)
	d := open(t, home)
	defer shut(t, d)
	plan := mustRepair(t, d, mend.RepairOptions{From: []string{file}, DryRun: true})
	if len(plan.Opened) != 2 || plan.Opened[1] != "sequences lost: 5" || plan.LostN != 1 || plan.Lost[0] != (block.Range{First: 5, Last: 5}) || plan.Fetched != 1 || plan.NotHad != 0 || plan.Added != 0 {
		t.Fatalf("%+v", plan)
	}
	if s := plan.Sources[0]; s.Kind != "export" || s.Events != 1 || s.Known != 9 {
		t.Errorf("%+v", s)
	}
	if recs := logOf(t, d); len(recs) != 10 || recs[9].Type != "log.damaged" { // what the opening did is recorded once, by the opening
		t.Errorf("%q", typesOf(recs))
	}
	r := mustRepair(t, d, mend.RepairOptions{From: []string{file}})
	recs := logOf(t, d)
	if r.Added != 1 || r.NotHad != 0 || len(recs) != 12 || recs[10].ID != lost || recs[10].Seq != 12 || recs[4].Seq != 6 || recs[11].Type != "log.repaired" {
		t.Errorf("%+v\n%q", r, typesOf(recs))
	}
	if again := mustRepair(t, d, mend.RepairOptions{From: []string{file}}); again.Added != 0 || again.Fetched != 1 || again.NotHad != 0 || again.Sources[0].Known != 10 || !slices.Equal(again.Back, []block.Range{{First: 5, Last: 5}}) {
		t.Errorf("again: %+v", again)
	}
	if without := mustRepair(t, d, mend.RepairOptions{}); without.BackN != 1 || without.NotHad != 0 || without.Added != 0 { // the log remembers
		t.Errorf("without the export: %+v", without)
	}
	v, err := d.Verify(t.Context(), nil)
	if err != nil || len(v.Diffs) != 0 || v.Holes != 1 {
		t.Errorf("%+v %v", v, err)
	}
}

// An export of another log is not taken for this one's past, and a deleted session does not come back.
func TestRepairRefusesStrangers(t *testing.T) {
	home, file, _ := lossy(t)
	stranger := open(t, filepath.Join(t.TempDir(), "other"))
	for i := range 10 {
		take(t, stranger, bashOf("s-2", i))
	}
	foreign := exportOf(t, stranger, "")
	shut(t, stranger)
	d := open(t, home)
	defer shut(t, d)
	r := mustRepair(t, d, mend.RepairOptions{From: []string{foreign, filepath.Join(home, "none")}})
	if r.Added != 0 || r.NotHad != 1 || r.Sources[0].Problem != "it shares no event with this log; `replay import` takes such a file" || r.Sources[1].Problem == "" {
		t.Errorf("%+v", r)
	}
	emit(t, d, `{"type":"session.deleted","session":"s-1","data":{}}`)
	if r := mustRepair(t, d, mend.RepairOptions{From: []string{file}}); r.Added != 0 || r.Sources[0].Events != 0 {
		t.Errorf("%+v", r)
	}
}

// A large content that is damaged or gone comes back from an export; the damaged one stays beside it.
func TestRepairBlobs(t *testing.T) {
	home := newHome(t)
	d := open(t, home)
	defer shut(t, d)
	for i, c := range []string{"a", "b", "c"} {
		take(t, d, readOf(i, strings.Repeat(c, 20000)))
	}
	file := exportOf(t, d, "")
	blobs, err := filepath.Glob(filepath.Join(home, "store", "blobs", "*.zst"))
	if err != nil || len(blobs) != 3 {
		t.Fatalf("%q %v", blobs, err)
	}
	expect.OK(t, os.WriteFile(blobs[0], []byte("rubbish"), 0o600))
	expect.OK(t, os.Remove(blobs[1]))
	if r := mustRepair(t, d, mend.RepairOptions{DryRun: true}); len(r.BadBlobs) != 1 || len(r.GoneBlobs) != 1 || r.Blobs != 2 || r.NewBlobs != 0 {
		t.Errorf("%+v", r)
	}
	if r := mustRepair(t, d, mend.RepairOptions{From: []string{file}}); r.NewBlobs != 2 || r.Sources[0].Blobs != 2 || r.Added != 0 {
		t.Errorf("%+v", r)
	}
	if r := mustRepair(t, d, mend.RepairOptions{}); len(r.BadBlobs)+len(r.GoneBlobs) != 0 || r.Blobs != 3 {
		t.Errorf("afterwards: %+v", r)
	}
	if _, err := os.Stat(blobs[0] + ".damaged"); err != nil {
		t.Error(err)
	}
	for _, rec := range logOf(t, d) {
		if _, err := hook.Restore(rec.Data, d.ground.Blobs().Get); err != nil {
			t.Error(err)
		}
	}
}

// writeTranscript is what the client wrote about six hooks, one line before and one after the lost time.
func writeTranscript(t *testing.T, from time.Time) string {
	t.Helper()
	secret := "ghp" + "_" + strings.Repeat("aB3dE6gH9", 4)
	at := func(d time.Duration) string { return from.Add(d).UTC().Format(time.RFC3339Nano) }
	lines := []string{
		`{"type":"user","sessionId":"s-1","timestamp":"` + at(-time.Hour) + `","message":{"role":"user","content":"long before"}}`,
		`{"type":"user","sessionId":"s-1","timestamp":"` + at(0) + `","gitBranch":"main","message":{"role":"user","content":"use ` + secret + `"}}`,
		`{"type":"user","sessionId":"s-1","timestamp":"` + at(0) + `","isMeta":true,"message":{"role":"user","content":"of the client"}}`,
		`{"type":"user","sessionId":"s-1","timestamp":"` + at(0) + `","message":{"role":"user","content":"<command-name>/clear</command-name>"}}`,
		`{"type":"assistant","sessionId":"s-1","timestamp":"` + at(0) + `","message":{"content":[{"type":"text","text":"well"},{"type":"tool_use","id":"lost_1","name":"Bash","input":{"command":"make"}}]}}`,
		`{"type":"user","sessionId":"s-1","timestamp":"` + at(time.Second) + `","toolUseResult":{"stdout":"ok"},"message":{"content":[{"type":"tool_result","tool_use_id":"lost_1","content":"ok"}]}}`,
		`{"type":"user","sessionId":"s-1","timestamp":"` + at(time.Second) + `","message":{"content":[{"type":"tool_result","tool_use_id":"toolu_1","content":"known"}]}}`,
		`{"type":"user","sessionId":"s-1","timestamp":"` + at(time.Second) + `","message":{"content":[{"type":"tool_result","tool_use_id":"lost_2","is_error":true,"content":"Exit code 3"}]}}`,
		`{"type":"user","sessionId":"another","timestamp":"` + at(0) + `","message":{"role":"user","content":"not here"}}`,
		`{"type":"user","sessionId":"s-1","timestamp":"` + at(time.Hour) + `","message":{"role":"user","content":"long after"}}`,
		`{"type":"user","sessionId":"s-1","torn`,
	}
	dir := t.TempDir()
	expect.OK(t, os.WriteFile(filepath.Join(dir, "s-1.jsonl"), []byte(strings.Join(lines, "\n")), 0o600))
	return dir
}

// What no export has is made anew from the transcripts: new events that name the lost sequences, once.
func TestRepairFromTranscripts(t *testing.T) {
	home, _, _ := lossy(t)
	d := open(t, home)
	defer shut(t, d)
	before := logOf(t, d)
	dir := writeTranscript(t, before[3].Appended)
	plan := mustRepair(t, d, mend.RepairOptions{Transcripts: dir, DryRun: true})
	if plan.Rebuilt != 4 || plan.Added != 0 || plan.Sources[0].Kind != "transcript" || plan.Sources[0].Events != 4 {
		t.Fatalf("%+v", plan)
	}
	r := mustRepair(t, d, mend.RepairOptions{Transcripts: dir})
	if r.Added != 4 || r.Rebuilt != 4 || r.NotHad != 0 {
		t.Errorf("%+v", r)
	}
	recs := logOf(t, d)[len(before):]
	if want := []string{"prompt.submitted", "tool.requested", "tool.succeeded", "tool.failed"}; !slices.Equal(typesOf(recs), want) {
		t.Fatalf("%q", typesOf(recs))
	}
	for _, rec := range recs {
		if rec.Causation != "lost:5" || rec.Session != "s-1" || rec.Hook == "" || rec.Facts == nil || rec.Facts.Note != "from the transcript" || !json.Valid(rec.Data) {
			t.Errorf("%+v", rec.Envelope)
		}
	}
	if e, ok := recs[0].Event.(*events.PromptSubmitted); !ok || e.Prompt != "use [REDACTED:github-token]" && !strings.HasPrefix(e.Prompt, "use [REDACTED:") || recs[0].Redacted != 1 {
		t.Errorf("%s", recs[0].Data)
	}
	if e, ok := recs[2].Event.(*events.ToolSucceeded); !ok || e.ToolName != "Bash" || string(e.ToolInput) != `{"command":"make"}` || string(e.ToolResponse) != `{"stdout":"ok"}` {
		t.Errorf("%s", recs[2].Data)
	}
	if e, ok := recs[3].Event.(*events.ToolFailed); !ok || e.Error != "Exit code 3" || recs[3].ToolUseID != "lost_2" {
		t.Errorf("%s", recs[3].Data)
	}
	if again := mustRepair(t, d, mend.RepairOptions{Transcripts: dir}); again.Added != 0 || again.Rebuilt != 4 || again.NotHad != 0 {
		t.Errorf("again: %+v", again)
	}
}

// Without a folder those transcripts are asked that the sessions named, and those of their subagents beside them; what is
// no file is not waited for.
func TestRepairFromNamedTranscripts(t *testing.T) {
	home := newHome(t)
	d := open(t, home)
	dir := t.TempDir()
	pipe := filepath.Join(dir, "pipe.jsonl")
	expect.OK(t, syscall.Mkfifo(pipe, 0o600))
	for i := range 10 {
		named := filepath.Join(dir, "s-1.jsonl")
		if i%2 > 0 {
			named = pipe
		}
		take(t, d, hookFrame(fmt.Sprintf(`{"hook_event_name":"PostToolUse","session_id":"s-%d","transcript_path":%q,"tool_name":"Bash","tool_use_id":"t%d"}`, 1+i%2, named, i)))
	}
	recs := logOf(t, d)
	shut(t, d)
	spoil(t, blockPath(home, 1), recs[4].ID, 60)
	of := filepath.Join(dir, "s-1", "subagents", "agent-a1.jsonl")
	line := fmt.Sprintf(`{"type":"assistant","sessionId":"s-1","isSidechain":true,"agentId":"a1","timestamp":%q,"message":{"content":[{"type":"tool_use","id":"lost_1","name":"Bash","input":{}}]}}`,
		recs[4].Appended.UTC().Format(time.RFC3339Nano))
	expect.OK(t, errors.Join(os.MkdirAll(filepath.Dir(of), 0o700), os.WriteFile(of, []byte(line), 0o600)))
	d = open(t, home)
	defer shut(t, d)
	r := mustRepair(t, d, mend.RepairOptions{})
	if len(r.Sources) != 1 || r.Sources[0].Name != "3 that the sessions named" || r.Sources[0].Events != 1 || !strings.HasSuffix(r.Sources[0].Problem, "s-1.jsonl: no such file or directory") {
		t.Errorf("%+v", r.Sources)
	}
	if last := logOf(t, d); r.Added != 1 || last[len(last)-1].AgentID != "a1" || last[len(last)-1].ToolUseID != "lost_1" {
		t.Errorf("%+v", r)
	}
}

// Sequences that were recorded as lost and that the log has again, since their block was brought back, are not missed.
func TestBroughtBackIsNotLost(t *testing.T) {
	home := newHome(t)
	d := open(t, home)
	take(t, d, bashOf("s-1", 1))
	expect.Value(d.rec.Note(t.Context(), events.Envelope{}, check.EventOf(embedded.Found{Lost: []block.Range{{First: 1, Last: 2}}})))(t)
	defer shut(t, d)
	l, err := check.ReadLosses(t.Context(), d.stream, nil)
	if err != nil || len(l.Lost) != 0 {
		t.Errorf("lost %v, %v", l.Lost, err)
	}
	if code, body := ask(t, d, "GET", "/v1/losses", ""); code != 200 || !strings.HasPrefix(body, `{"lost":[],`) {
		t.Errorf("%d %s", code, body)
	}
}
