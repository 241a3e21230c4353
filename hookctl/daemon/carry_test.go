//go:build unix

package daemon

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"pgregory.net/rapid"

	"hookline/events"
	"hookline/expect"
	"hookline/hookctl/api"
	"hookline/hookctl/hook"
	"hookline/hookctl/wire"
	"hookline/replay/carry"
)

// exportOf writes a daemon's whole log, or a part of it, into a file.
func exportOf(t *testing.T, d *Daemon, query string) string {
	t.Helper()
	code, body := ask(t, d, "GET", "/v1/export"+query, "")
	expect.EqualNow(t, code, 200, body)
	path := filepath.Join(t.TempDir(), "log.ndjson")
	expect.OK(t, os.WriteFile(path, []byte(body+"\n"), 0o600))
	return path
}

func mustImport(t *testing.T, d *Daemon, path string) api.Imported {
	t.Helper()
	return expect.Value(api.Import.Run(t.Context(), surface(d), api.ImportRequest{File: path}, noProgress))(t)
}

// randomHooks draws what sessions could have said.
func randomHooks(t *rapid.T) []wire.Frame {
	var out []wire.Frame
	at := int64(1_795_000_000_000)
	big := strings.Repeat("0123456789abcdef ", 2000)
	for i := range rapid.IntRange(1, 40).Draw(t, "n") {
		s := rapid.SampledFrom([]string{"s-1", "s-2", "s-3"}).Draw(t, "session")
		tool := fmt.Sprintf("toolu_%d", rapid.IntRange(0, 5).Draw(t, "tool"))
		text, _ := json.Marshal(rapid.StringN(0, 40, -1).Draw(t, "text"))
		body := rapid.SampledFrom([]string{
			`{"hook_event_name":"SessionStart","session_id":"%s","source":"startup"}`,
			`{"hook_event_name":"SessionEnd","session_id":"%s","reason":"other"}`,
			`{"hook_event_name":"UserPromptSubmit","session_id":"%s","prompt":` + string(text) + `}`,
			`{"hook_event_name":"PreToolUse","session_id":"%s","tool_name":"Write","tool_use_id":"` + tool + `","tool_input":{"content":"` + big + `"}}`,
			`{"hook_event_name":"PostToolUse","session_id":"%s","tool_name":"Bash","tool_use_id":"` + tool + `","tool_input":{},"tool_response":{"stdout":"<b>&"}}`,
			`{"hook_event_name":"PostToolUseFailure","session_id":"%s","tool_name":"Bash","tool_use_id":"` + tool + `","error":"x"}`,
			"{\"hook_event_name\":\"Stop\",\n \"session_id\":\"%s\"}",
			`{"hook_event_name":"OfTheFuture","session_id":"%s","x":[1.50]}`,
		}).Draw(t, "hook")
		body = fmt.Sprintf(body, s)
		at += rapid.Int64Range(10_000, 100_000).Draw(t, "gap")
		f := hookFrame(body)
		f.ID, f.Time, f.Note = wire.NewID(at), at, fmt.Sprint("frame ", i)
		out = append(out, f)
	}
	return out
}

// What one home exports gives another home the same log, byte for byte but for the mark of an import, and the same cells;
// importing it again adds nothing.
func TestExportImportProperty(t *testing.T) {
	draw := rapid.Custom(randomHooks)
	for seed := range 8 {
		t.Run(fmt.Sprint(seed), func(t *testing.T) {
			d := opened(t)
			for _, f := range draw.Example(seed) {
				take(t, d, f)
			}
			file := exportOf(t, d, "")
			other := open(t, filepath.Join(t.TempDir(), "other"))
			defer shut(t, other)
			want := allOf(t, d)
			if got := mustImport(t, other, file); got.Added != uint64(len(want)) || got.Known != 0 || got.NoBlob != 0 {
				t.Fatalf("%+v", got)
			}
			for i, r := range allOf(t, other) {
				want[i].Imported, want[i].Appended, r.Appended = true, time.Time{}, time.Time{}
				expect.EqualNow(t, inJSON(t, r), inJSON(t, want[i]))
			}
			sameCells(t, "imported", cells(t, d), cells(t, other))
			if got := mustImport(t, other, file); got.Added != 0 || got.Known != uint64(len(want)) || got.Seq != uint64(len(want)) {
				t.Errorf("again: %+v", got)
			}
			mustVerify(t, other)
		})
	}
}

// An export of the first build, with an event of every type and one that this build does not know.
func TestImportGolden(t *testing.T) {
	d := opened(t)
	file := expect.Value(filepath.Abs(filepath.Join("..", "..", "replay", "carry", "testdata", "format1.ndjson.zst")))(t)
	got := mustImport(t, d, file)
	if got.Added != got.Events || got.Events < 60 || got.Blobs != 2 || got.Build != "0.1.0" || got.Unknown["future.event"] != 1 || len(got.Unknown) != 1 || got.NoBlob != 0 {
		t.Errorf("%+v", got)
	}
	last := allOf(t, d)[got.Added-1]
	if last.Type != "future.event" || last.Version != 3 || last.Seq != got.Seq {
		t.Errorf("%+v", last.Envelope)
	}
	raw, err := hook.Restore(last.Data, d.server.Blobs().Get)
	if err != nil || string(raw) != `{"thing":"hello"}` {
		t.Errorf("%s %v", raw, err)
	}
	mustVerify(t, d)
}

// exported is an export of more frames than a batch of an import has.
func exported(t *testing.T) (file string, all []wire.Frame) {
	t.Helper()
	d := opened(t)
	for i := range 1200 {
		all = append(all, bashOf("s-1", i))
		take(t, d, all[i])
	}
	return exportOf(t, d, ""), all
}

// A cancelled import leaves whole batches; the next one takes the rest.
func TestImportCancelled(t *testing.T) {
	file, _ := exported(t)
	d := open(t, filepath.Join(t.TempDir(), "other"))
	defer shut(t, d)
	ctx, cancel := context.WithCancel(t.Context())
	run := expect.Value(d.endpoints.work.importFile(api.ImportRequest{File: file}))(t)
	_, err := run(ctx, func(uint64) {
		if last, _ := d.stream.Last(); last > 0 {
			cancel()
		}
	})
	if last, _ := d.stream.Last(); !errors.Is(err, context.Canceled) || last != 1000 {
		t.Fatalf("%d events, %v", last, err)
	}
	mustVerify(t, d)
	if got := mustImport(t, d, file); got.Added != 200 || got.Known != 1000 {
		t.Errorf("%+v", got)
	}
	mustVerify(t, d)
}

// An event that stands twice in a file, and one that comes in beside the import, count once.
func TestImportOnce(t *testing.T) {
	file, all := exported(t)
	other := open(t, filepath.Join(t.TempDir(), "other"))
	defer shut(t, other)
	var both sync.WaitGroup
	both.Go(func() {
		for i := len(all) - 1; i >= 0; i -= 7 {
			if _, err := other.Take(context.Background(), all[i]); err != nil {
				t.Error(err)
			}
		}
	})
	got := mustImport(t, other, file)
	both.Wait()
	if got.Added+got.Known != uint64(len(all)) {
		t.Fatalf("%+v", got)
	}
	ids := map[string]int{}
	for _, r := range allOf(t, other) {
		ids[r.ID]++
	}
	for _, f := range all {
		expect.Equal(t, ids[f.ID], 1, f.ID, "stands", "times")
	}
	mustVerify(t, other)
}

// Rules that are newer than a file hold for what comes out of it.
func TestImportRedacts(t *testing.T) {
	var b bytes.Buffer
	w, err := carry.NewWriter(&b, carry.Header{Events: 1})
	rec := events.Record{Seq: 1, Envelope: events.Envelope{ID: "1", Type: events.TypePromptSubmitted, Version: 1, Time: tuesday, Session: "s-1", Data: []byte(`{"prompt":"use ` + givenSecret + `"}`)}}
	expect.OK(t, errors.Join(err, w.Event(rec), w.Close()))
	file := filepath.Join(t.TempDir(), "old.ndjson")
	expect.OK(t, os.WriteFile(file, b.Bytes(), 0o600))
	d := opened(t)
	mustImport(t, d, file)
	if got := allOf(t, d)[0]; bytes.Contains(got.Data, []byte(givenSecret)) || got.Redacted != 1 {
		t.Errorf("%s", got.Data)
	}
}

// Two that carry whole logs about do not run at once.
func TestOneAtATime(t *testing.T) {
	d := opened(t)
	d.endpoints.work.carrying.Lock()
	defer d.endpoints.work.carrying.Unlock()
	c := surface(d)
	_, importErr := api.Import.Run(t.Context(), c, api.ImportRequest{File: "/x"}, noProgress)
	_, backupErr := api.Backup.Run(t.Context(), c, api.BackupRequest{File: "/x"}, noProgress)
	_, repairErr := api.Repair.Run(t.Context(), c, api.RepairRequest{}, noProgress)
	for work, err := range map[string]error{"import": importErr, "backup": backupErr, "repair": repairErr} {
		expect.Equal(t, fmt.Sprint(err), "another import, backup or repair is running", "error of the second", work)
	}
}
