package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"hookline/embedded"
	"hookline/events"
	"hookline/hookctl/wire"
	"hookline/projector/codes"
)

// recovery times the daemon's answer to the start of a session after a compaction, from 5,000 ledger events and
// 5,000 tool calls.
func (b *bench) recovery() []float64 {
	const each = 5000
	h := b.running()
	h.repeated(each, events.TypeLedgerEntryAdded, func(i int) string {
		kind := []string{"decision", "step", "question"}[i%3]
		return fmt.Sprintf(`{"kind":%q,"text":"number %d of its kind","subject":"subject %d","by":"agent"}`, kind, i, i)
	})
	d, closed := h.inProcess()
	defer closed()
	h.taken(d, "UserPromptSubmit", h.prompt("Let the client try again when the server is away"))
	for i := range each {
		h.taken(d, "PostToolUse", h.edit("PostToolUse", i, fmt.Sprintf("part%d/file%d.go", i%20, i%500)))
	}

	return []float64{median(30, func(int) float64 {
		body := h.body("SessionStart", fields{"source": "compact"})
		begin := time.Now()
		text := h.taken(d, "SessionStart", body)
		return outcome{since(begin), text}.says("try again").wall
	})}
}

// repeated stops the daemon and adds n events of one type to the log, in the place of the session that the home began,
// one a second up to now.
func (h *home) repeated(n int, kind string, data func(i int) string) {
	h.stop()
	h.withLog(func(st *embedded.Stream, own []events.Envelope) {
		like := own[slices.IndexFunc(own, func(env events.Envelope) bool { return env.Session == h.session })]
		at := time.Now().Add(-time.Duration(n) * time.Second).UTC().Truncate(time.Millisecond)
		list := make([]events.Envelope, n)
		for i := range list {
			at = at.Add(time.Second)
			list[i] = events.Envelope{ID: wire.NewID(at.UnixMilli()), Type: kind, Version: 1, Time: at,
				Session: fmt.Sprintf("past-%d", i/50), Project: like.Project, Branch: like.Branch, Data: []byte(data(i))}
		}
		h.append(st, list)
	})
}

// codes times what S4 has limits for, with 100 files and functions and 20 codes of each other kind.
func (b *bench) codes() []float64 {
	now := time.Now().UTC()
	list := func(n int, form string) (out []codes.Code) {
		for i := range n {
			out = append(out, codes.Code{Code: fmt.Sprintf(form, i), Event: wire.NewID(now.UnixMilli()), Session: newSession(), Time: now})
		}
		return out
	}
	state := codes.State{Project: "p", Now: codes.Context{Branch: "main", Started: now, Updated: now,
		Files: list(100, "part/file%d.go"), Functions: list(100, "impl:Client.Send%d"), Decisions: list(20, "dec:number-%d"),
		Blockers: list(20, "block:number-%d"), Next: list(20, "next:number-%d"), Done: list(20, "done:number-%d")}}
	cell := must(json.Marshal(state))

	load := median(100, func(int) float64 {
		begin := time.Now()
		check(json.Unmarshal(cell, &codes.State{}))
		return since(begin)
	})
	format := median(100, func(int) float64 {
		begin := time.Now()
		sink(strings.Join(state.At(now).Lines("app"), "\n"))
		return since(begin)
	})

	d, closed := b.newHome().inProcess()
	defer closed()
	save := median(100, func(i int) float64 {
		env := events.Envelope{Type: events.TypeCodesAdded, Project: "p", Data: fmt.Appendf(nil, `{"code":"dec:number-%d"}`, i)}
		begin := time.Now()
		must(d.Emit(b.ctx, env))
		return since(begin)
	})
	return []float64{load, format, save, b.codesCleaned()}
}

// codesCleaned times the whole process `codes cleanup` where the codes of ten projects have expired.
func (b *bench) codesCleaned() float64 {
	h := b.running()
	h.stop()
	h.withLog(func(st *embedded.Stream, _ []events.Envelope) {
		old := time.Now().Add(-2 * codes.Lifetime).UTC().Truncate(time.Millisecond)
		for p := range 10 {
			env := events.Envelope{Version: 1, Time: old, Project: fmt.Sprint("project-", p)}
			env.ID = wire.NewID(old.UnixMilli())
			env.Type = events.TypeProjectSeen
			env.Data = fmt.Appendf(nil, `{"path":"/home/dev/%d","git":false,"name":"%d"}`, p, p)
			h.append(st, []events.Envelope{env})
			env.ID = wire.NewID(old.UnixMilli())
			env.Type = events.TypeCodesAdded
			env.Data = []byte(`{"code":"dec:number-1"}`)
			h.append(st, []events.Envelope{env})
		}
	})
	h.run("hookctl", "start")
	return h.run("hookctl", "codes", "cleanup").says("10 projects").wall
}

// imported times `import transcripts` of a gigabyte against the decoding of its lines.
func (b *bench) imported() []float64 {
	h := b.running()
	dir := filepath.Join(h.project, "transcripts")
	check(os.Mkdir(dir, 0o700))
	size, decode := 0, 0.0
	for size < 1e9 {
		session := newSession()
		text := h.transcript(session)
		check(os.WriteFile(filepath.Join(dir, session+".jsonl"), text, 0o600))
		size += len(text)
		begin := time.Now()
		for line := range bytes.Lines(text) {
			var v any
			check(json.Unmarshal(line, &v))
		}
		decode += since(begin)
	}
	return []float64{h.run("hookctl", "import", "transcripts", dir).wall / decode}
}

// entryForm is an entry of a transcript: folder, session, kind twice, content, id, time, result.
const entryForm = `{"parentUuid":null,"isSidechain":false,"userType":"external","cwd":%q,"sessionId":%q,"version":"2.1.330","gitBranch":"main",` +
	`"type":%q,"message":{"role":%q,"content":%s},"uuid":%q,"timestamp":%q,"toolUseResult":%s}` + "\n"

// transcript is that of a session of 500 calls: the entries that the client has for a prompt and for Bash calls with
// 2 KB of output and, each tenth, a file's text. Of an output it keeps two copies.
func (h *home) transcript(session string) []byte {
	at := time.Now().Add(-30 * 24 * time.Hour).UTC()
	var all []byte
	entry := func(kind, content, result string) {
		at = at.Add(time.Second)
		all = fmt.Appendf(all, entryForm, h.project, session, kind, kind, content, newSession(), at.Format(time.RFC3339Nano), result)
	}
	entry("user", `"Let the client try again when the server is away"`, "null")
	for n := range 500 {
		id := "toolu_" + newSession()
		text := strings.Repeat(fmt.Sprintf("--- PASS: TestFoldIsTotal/straight_%02d (0.01s)\n", n%90), 40)
		if n%10 == 0 {
			text = source + id
		}
		output := string(must(json.Marshal(text)))
		entry("assistant", fmt.Sprintf(`[{"type":"tool_use","id":%q,"name":"Bash","input":{"command":"go test ./part%d/..."}}]`, id, n%20), "null")
		entry("user", fmt.Sprintf(`[{"type":"tool_result","tool_use_id":%q,"content":%s}]`, id, output), `{"stdout":`+output+`,"stderr":"","interrupted":false}`)
	}
	return all
}

// before compares the process of a tool hook with that of the build in -against, both daemons running.
func (b *bench) before() []float64 {
	old := *b
	old.bin = must(filepath.Abs(b.against))
	h, before := b.running(), old.running()
	defer before.stop()
	return []float64{ratio(100, h.tool, before.tool)}
}
