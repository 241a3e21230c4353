//go:build unix

package daemon

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
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
	"hookline/hookctl/api"
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

func mustRepair(t *testing.T, d *Daemon, r api.RepairRequest) api.Repaired {
	t.Helper()
	return expect.Value(api.Repair.Run(t.Context(), surface(d), r, noProgress))(t)
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
	plan := mustRepair(t, d, api.RepairRequest{From: []string{file}, DryRun: true})
	if plan.LostN != 1 || plan.Fetched != 1 || plan.NotHad != 0 || plan.Added != 0 || plan.Sources[0].Events != 1 || plan.Sources[0].Known != 9 {
		t.Fatalf("%+v", plan)
	}
	if recs := logOf(t, d); len(recs) != 10 || recs[9].Type != "log.damaged" { // what the opening did is recorded once, by the opening
		t.Errorf("%q", typesOf(recs))
	}
	r := mustRepair(t, d, api.RepairRequest{From: []string{file}})
	recs := logOf(t, d)
	if r.Added != 1 || r.NotHad != 0 || len(recs) != 12 || recs[10].ID != lost || recs[10].Seq != 12 || recs[4].Seq != 6 || recs[11].Type != "log.repaired" {
		t.Errorf("%+v\n%q", r, typesOf(recs))
	}
	for _, from := range [][]string{{file}, nil} { // the log remembers
		if again := mustRepair(t, d, api.RepairRequest{From: from}); again.Added != 0 || again.BackN != 1 || again.NotHad != 0 {
			t.Errorf("again from %q: %+v", from, again)
		}
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
	r := mustRepair(t, d, api.RepairRequest{From: []string{foreign, filepath.Join(home, "none")}})
	if r.Added != 0 || r.NotHad != 1 || r.Sources[0].Problem != "it shares no event with this log; `replay import` takes such a file" || r.Sources[1].Problem == "" {
		t.Errorf("%+v", r)
	}
	emit(t, d, `{"type":"session.deleted","session":"s-1","data":{}}`)
	if r := mustRepair(t, d, api.RepairRequest{From: []string{file}}); r.Added != 0 || r.Sources[0].Events != 0 {
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
	if r := mustRepair(t, d, api.RepairRequest{DryRun: true}); len(r.BadBlobs) != 1 || len(r.GoneBlobs) != 1 || r.Blobs != 2 || r.NewBlobs != 0 {
		t.Errorf("%+v", r)
	}
	if r := mustRepair(t, d, api.RepairRequest{From: []string{file}}); r.NewBlobs != 2 || r.Sources[0].Blobs != 2 || r.Added != 0 {
		t.Errorf("%+v", r)
	}
	if r := mustRepair(t, d, api.RepairRequest{}); len(r.BadBlobs)+len(r.GoneBlobs) != 0 || r.Blobs != 3 {
		t.Errorf("afterwards: %+v", r)
	}
	if _, err := os.Stat(blobs[0] + ".damaged"); err != nil {
		t.Error(err)
	}
}

// A sealed block that rots under a running daemon is named by a repair, and mended when the store is opened anew.
func TestRepairSealedBlock(t *testing.T) {
	home := thick(t, 48)
	d := open(t, home)
	path := blockPath(home, 1)
	info := expect.Value(os.Stat(path))(t)
	spoil(t, path, allOf(t, d)[2].ID, 60) // its link in the archive shows it too
	expect.OK(t, os.Chtimes(path, info.ModTime(), info.ModTime()))
	r := mustRepair(t, d, api.RepairRequest{})
	if len(r.Damage) != 1 || !strings.HasPrefix(r.Damage[0], "1.blk at byte ") || !strings.HasSuffix(r.Damage[0], ", sequence 3") || r.Blocks != 1 {
		t.Fatalf("%+v", r)
	}
	shut(t, d)
	expect.OK(t, block.RemoveMarker(filepath.Join(home, "store")))
	d = open(t, home)
	defer shut(t, d)
	if r = mustRepair(t, d, api.RepairRequest{}); len(r.Damage) != 0 || r.LostN != 1 || r.NotHad != 1 || len(logOf(t, d)) != 48 { // 47 and log.damaged
		t.Errorf("%+v", r)
	}
}

// writeTranscript is what the client wrote about six hooks, one line before and one after the lost time.
func writeTranscript(t *testing.T, from time.Time) string {
	t.Helper()
	at := func(d time.Duration) string { return from.Add(d).UTC().Format(time.RFC3339Nano) }
	lines := []string{
		`{"type":"user","sessionId":"s-1","timestamp":"` + at(-time.Hour) + `","message":{"role":"user","content":"long before"}}`,
		`{"type":"user","sessionId":"s-1","timestamp":"` + at(0) + `","gitBranch":"main","message":{"role":"user","content":"use ` + givenSecret + `"}}`,
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
	r := mustRepair(t, d, api.RepairRequest{Transcripts: dir})
	if r.Added != 4 || r.Rebuilt != 4 || r.NotHad != 0 || r.Sources[0].Kind != "transcript" || r.Sources[0].Events != 4 {
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
	if e, ok := recs[0].Event.(*events.PromptSubmitted); !ok || e.Prompt != "use [REDACTED:github-token]" || recs[0].Redacted != 1 {
		t.Errorf("%s", recs[0].Data)
	}
	if e, ok := recs[2].Event.(*events.ToolSucceeded); !ok || e.ToolName != "Bash" || string(e.ToolInput) != `{"command":"make"}` || string(e.ToolResponse) != `{"stdout":"ok"}` {
		t.Errorf("%s", recs[2].Data)
	}
	if e, ok := recs[3].Event.(*events.ToolFailed); !ok || e.Error != "Exit code 3" || recs[3].ToolUseID != "lost_2" {
		t.Errorf("%s", recs[3].Data)
	}
	if again := mustRepair(t, d, api.RepairRequest{Transcripts: dir}); again.Added != 0 || again.Rebuilt != 4 || again.NotHad != 0 {
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
	r := mustRepair(t, d, api.RepairRequest{})
	if len(r.Sources) != 1 || r.Sources[0].Name != "3 that the sessions named" || r.Sources[0].Events != 1 || !strings.HasSuffix(r.Sources[0].Problem, "s-1.jsonl: no such file or directory") {
		t.Errorf("%+v", r.Sources)
	}
	if last := logOf(t, d); r.Added != 1 || last[len(last)-1].AgentID != "a1" || last[len(last)-1].ToolUseID != "lost_1" {
		t.Errorf("%+v", r)
	}
}
