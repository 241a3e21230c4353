package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
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
	h.stop()
	h.withLog(func(st *embedded.Stream, own []events.Envelope) {
		h.append(st, repeated(h.like(own), each, events.TypeLedgerEntryAdded, func(i int) string {
			kind := []string{"decision", "step", "question"}[i%3]
			return fmt.Sprintf(`{"kind":%q,"text":"number %d of its kind","subject":"subject %d","by":"agent"}`, kind, i, i)
		}))
	})
	d, closed := h.inProcess()
	defer closed()
	h.taken(d, "UserPromptSubmit", h.prompt("Let the client try again when the server is away"))
	for i := range each {
		h.taken(d, "PostToolUse", h.edit("PostToolUse", i, fmt.Sprintf("part%d/file%d.go", i%20, i%500)))
	}

	took := repeat(30, func(int) time.Duration {
		body := h.body("SessionStart", fields{"source": "compact"})
		begin := time.Now()
		text := h.taken(d, "SessionStart", body)
		wall := time.Since(begin)
		if !strings.Contains(text, "try again") {
			check(fmt.Errorf("the goal is not told: %q", text))
		}
		return wall
	})
	return []float64{ms(took, .5)}
}

// like is an event of the session that the home began: it names project and branch.
func (h *home) like(own []events.Envelope) events.Envelope {
	for _, env := range own {
		if env.Session == h.session {
			return env
		}
	}
	check(fmt.Errorf("no event of session %s", h.session))
	return events.Envelope{}
}

// repeated are n events of one type in the place of another event, one a second up to now.
func repeated(like events.Envelope, n int, kind string, data func(i int) string) []events.Envelope {
	at := time.Now().Add(-time.Duration(n) * time.Second).UTC().Truncate(time.Millisecond)
	list := make([]events.Envelope, n)
	for i := range list {
		at = at.Add(time.Second)
		list[i] = events.Envelope{ID: wire.NewID(at.UnixMilli()), Type: kind, Version: 1, Time: at,
			Session: fmt.Sprintf("past-%d", i/50), Project: like.Project, Branch: like.Branch, Data: []byte(data(i))}
	}
	return list
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

	load := repeat(100, func(int) time.Duration {
		begin := time.Now()
		check(json.Unmarshal(cell, &codes.State{}))
		return time.Since(begin)
	})
	format := repeat(100, func(int) time.Duration {
		begin := time.Now()
		sink(strings.Join(state.At(now).Lines("app"), "\n"))
		return time.Since(begin)
	})

	d, closed := b.newHome().inProcess()
	save := repeat(100, func(i int) time.Duration {
		env := events.Envelope{Type: events.TypeCodesAdded, Project: "p", Data: fmt.Appendf(nil, `{"code":"dec:number-%d"}`, i)}
		begin := time.Now()
		must(d.Emit(b.ctx, env))
		return time.Since(begin)
	})
	closed()
	return []float64{ms(load, .5), ms(format, .5), ms(save, .5), b.codesCleaned()}
}

// codesCleaned times the whole process `codes cleanup` where the codes of ten projects have expired.
func (b *bench) codesCleaned() float64 {
	h := b.running()
	h.stop()
	h.withLog(func(st *embedded.Stream, _ []events.Envelope) {
		for p := range 10 {
			seen := events.Envelope{Project: fmt.Sprint("project-", p)}
			h.append(st, repeated(seen, 1, events.TypeProjectSeen, func(int) string { return fmt.Sprintf(`{"path":"/home/dev/%d","git":false,"name":"%d"}`, p, p) }))
			added := repeated(seen, 1, events.TypeCodesAdded, func(int) string { return `{"code":"dec:number-1"}` })
			added[0].Time = added[0].Time.Add(-2 * codes.Lifetime)
			h.append(st, added)
		}
	})
	h.run("hookctl", "start")
	defer h.stop()
	o := h.run("hookctl", "codes", "cleanup")
	if !bytes.Contains(o.stdout, []byte("10 projects")) {
		check(fmt.Errorf("codes cleanup says %q", o.stdout))
	}
	return inMS(o.wall)
}

// imported times `import transcripts` of a gigabyte against the decoding of its lines.
func (b *bench) imported() []float64 {
	h := b.running()
	defer h.stop()
	dir := filepath.Join(h.project, "transcripts")
	check(os.Mkdir(dir, 0o700))
	for size := int64(1e9); size > 0; {
		size -= h.writeTranscript(dir)
	}

	begin := time.Now()
	for _, e := range must(os.ReadDir(dir)) {
		for line := range bytes.Lines(must(os.ReadFile(filepath.Join(dir, e.Name())))) {
			var v any
			check(json.Unmarshal(line, &v))
		}
	}
	decode := time.Since(begin)
	return []float64{float64(h.run("hookctl", "import", "transcripts", dir).wall) / float64(decode)}
}

// entryForm is an entry of a transcript: folder, session, kind twice, content, id, time, result.
const entryForm = `{"parentUuid":null,"isSidechain":false,"userType":"external","cwd":%q,"sessionId":%q,"version":"2.1.330","gitBranch":"main",` +
	`"type":%q,"message":{"role":%q,"content":%s},"uuid":%q,"timestamp":%q,"toolUseResult":%s}` + "\n"

// writeTranscript writes the transcript of a session of 500 calls into a folder, and returns its size: the entries that
// the client has for a prompt and for Bash calls with 2 KB of output and, each tenth, a file's text. Of an output it
// keeps two copies.
func (h *home) writeTranscript(dir string) int64 {
	at := time.Now().Add(-30 * 24 * time.Hour).UTC()
	session := newSession()
	var all bytes.Buffer
	entry := func(kind, content, result string) {
		at = at.Add(time.Second)
		fmt.Fprintf(&all, entryForm, h.project, session, kind, kind, content, newSession(), at.Format(time.RFC3339Nano), result)
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
	check(os.WriteFile(filepath.Join(dir, session+".jsonl"), all.Bytes(), 0o600))
	return int64(all.Len())
}

// before compares the process of a tool hook with that of the build in -against, both daemons running.
func (b *bench) before() []float64 {
	if b.against == "" {
		return nil // there is nothing to compare with
	}
	old := *b
	old.bin = b.against
	h, g := b.running(), old.running()
	defer h.stop()
	defer g.stop()
	sent := 0
	p := take(5, 100, func() time.Duration {
		sent++
		return h.hook("PostToolUse", h.testRun(sent)).wall
	}, func() time.Duration { return g.hook("PostToolUse", g.testRun(sent)).wall })
	return []float64{p.ratio()}
}
