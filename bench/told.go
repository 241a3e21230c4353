package main

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"time"

	"hookline/embedded"
	"hookline/events"
	"hookline/hookctl/daemon"
	"hookline/hookctl/wire"
	"hookline/projector/codes"
)

// recovery times the daemon's answer to the start of a session behind a compaction, from 5,000 ledger events and
// 5,000 tool calls.
func (b *bench) recovery() []reading {
	const each = 5000
	h := b.running()
	h.stop()
	h.withLog(func(st *embedded.Stream, own []events.Envelope) {
		h.append(st, repeated(h.like(own), each, (*events.LedgerEntryAdded)(nil).Type(), func(i int) string {
			kind := []string{"decision", "step", "question"}[i%3]
			return fmt.Sprintf(`{"kind":%q,"text":"number %d of its kind","subject":"subject %d","by":"agent"}`, kind, i, i)
		}))
	})
	d := must(daemon.Open(b.ctx, daemon.Options{Home: h.state}))
	defer func() { check(d.Close(context.WithoutCancel(b.ctx))) }()
	hook := func(event string, body []byte) string {
		answer := must(d.Take(b.ctx, h.frame(event, body)))
		return string(answer.Stdout)
	}
	hook("UserPromptSubmit", h.body(payload{HookEventName: "UserPromptSubmit", Prompt: "Let the client try again when the server is away"}))
	for i := range each {
		path := fmt.Sprintf("%s/part%d/file%d.go", h.project, i%20, i%500)
		hook("PostToolUse", h.body(payload{HookEventName: "PostToolUse", ToolName: "Edit", ToolUseID: toolUseID(i),
			ToolInput:    map[string]any{"file_path": path, "old_string": "a", "new_string": "b"},
			ToolResponse: map[string]any{"filePath": path, "oldString": "a", "newString": "b"}}))
	}

	size := 0
	took := repeat(b.reps(30), func(int) time.Duration {
		body := h.body(payload{HookEventName: "SessionStart", Source: "compact"})
		begin := time.Now()
		text := hook("SessionStart", body)
		wall := time.Since(begin)
		if !strings.Contains(text, "try again") {
			check(fmt.Errorf("the goal is not told: %q", text))
		}
		size = len(text)
		return wall
	})
	return []reading{times(took, fmt.Sprintf(", %d bytes told", size))}
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
func (b *bench) codes() []reading {
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

	n := b.reps(100)
	load := repeat(n, func(int) time.Duration {
		begin := time.Now()
		check(json.Unmarshal(cell, &codes.State{}))
		return time.Since(begin)
	})
	format := repeat(n, func(int) time.Duration {
		begin := time.Now()
		sink(strings.Join(state.At(now).Lines("app"), "\n"))
		return time.Since(begin)
	})
	return []reading{times(load, fmt.Sprintf(", a cell of %d bytes", len(cell))), times(format, ""), b.codeSaved(n), b.codesCleaned()}
}

// codeSaved times a code on its way through the daemon until it is on disk and folded.
func (b *bench) codeSaved(n int) reading {
	h := b.newHome()
	d := must(daemon.Open(b.ctx, daemon.Options{Home: h.state}))
	defer func() { check(d.Close(context.WithoutCancel(b.ctx))) }()
	must(d.Take(b.ctx, h.frame("SessionStart", h.sessionStart())))
	return times(repeat(n, func(i int) time.Duration {
		env := events.Envelope{Type: events.TypeCodesAdded, Project: "p", Data: fmt.Appendf(nil, `{"code":"dec:number-%d"}`, i)}
		begin := time.Now()
		must(d.Emit(b.ctx, env))
		return time.Since(begin)
	}), "")
}

// codesCleaned times the whole process `codes cleanup` where the codes of ten projects have expired.
func (b *bench) codesCleaned() reading {
	h := b.running()
	h.stop()
	h.withLog(func(st *embedded.Stream, _ []events.Envelope) {
		for p := range 10 {
			seen := events.Envelope{Project: fmt.Sprint("project-", p)}
			h.append(st, repeated(seen, 1, events.TypeProjectSeen, func(int) string { return fmt.Sprintf(`{"path":"/home/dev/%d","git":false,"name":"%d"}`, p, p) }))
			list := repeated(seen, 10, events.TypeCodesAdded, func(i int) string {
				return fmt.Sprintf(`{"code":"dec:number-%d"}`, i)
			})
			for i := range list {
				list[i].Time = list[i].Time.Add(-2 * codes.Lifetime)
			}
			h.append(st, list)
		}
	})
	h.run("hookctl", "start")
	defer h.stop()
	p := h.program("hookctl", "codes", "cleanup")
	o := must(p.run(b.ctx))
	if !bytes.Contains(o.stdout, []byte("10 projects")) {
		check(fmt.Errorf("codes cleanup says %q", o.stdout))
	}
	return reading{inMS(o.wall), "one process"}
}

// imported times `import transcripts` of a gigabyte against the decoding of its lines. A quick run takes 32 MB.
func (b *bench) imported() []reading {
	size := int64(1e9)
	if b.quick {
		size = 32e6
	}
	h := b.running()
	dir := filepath.Join(h.project, "transcripts")
	check(os.Mkdir(dir, 0o700))
	h.writeTranscripts(dir, size)
	begin := time.Now()
	lines := decodeLines(dir)
	decode := time.Since(begin)
	o := must(h.program("hookctl", "import", "transcripts", dir).run(b.ctx))
	h.stop()
	first, _, _ := bytes.Cut(o.stdout, []byte("\n"))
	return []reading{{float64(o.wall) / float64(decode), fmt.Sprintf("%s against %s, %.0f MB, %d lines, %s", o.wall.Round(time.Millisecond), decode.Round(time.Millisecond), float64(size)/1e6, lines, first)}}
}

// writeTranscripts writes transcripts of sessions of 500 calls, `size` bytes in all: the entries that the client has for
// a prompt and for Bash calls with 2 KB of output and, each tenth, a file's text. Of an output it keeps two copies.
func (h *home) writeTranscripts(dir string, size int64) {
	at := time.Now().Add(-30 * 24 * time.Hour).UTC()
	for calls := 0; size > 0; {
		session := newSession()
		f := must(os.Create(filepath.Join(dir, session+".jsonl")))
		w := bufio.NewWriter(f)
		entry := func(kind string, content, result any) {
			at = at.Add(time.Second)
			message := map[string]any{"role": kind, "id": "msg_" + newSession(), "content": content}
			if kind == "assistant" {
				message["model"] = "claude-opus-5-5"
				message["usage"] = map[string]any{"input_tokens": 3, "cache_read_input_tokens": 90210, "output_tokens": 310, "service_tier": "standard"}
			}
			line := must(json.Marshal(map[string]any{"parentUuid": newSession(), "isSidechain": false, "userType": "external", "cwd": h.project, "sessionId": session,
				"version": "2.1.330", "gitBranch": "main", "type": kind, "message": message, "uuid": newSession(), "timestamp": at.Format(time.RFC3339Nano), "toolUseResult": result}))
			size -= int64(must(w.Write(append(line, '\n'))))
		}
		entry("user", "Let the client try again when the server is away", nil)
		for range 500 {
			calls++
			id := fmt.Sprintf("toolu_%d_%s", calls, session)
			text := strings.Repeat(fmt.Sprintf("--- PASS: TestFoldIsTotal/straight_%02d (0.01s)\n", calls%90), 40)
			if calls%10 == 0 {
				text = source + fmt.Sprint(rand.Uint64())
			}
			input := map[string]any{"command": fmt.Sprintf("go test ./part%d/...", calls%20), "description": "Run the tests"}
			entry("assistant", []any{map[string]any{"type": "tool_use", "id": id, "name": "Bash", "input": input}}, nil)
			entry("user", []any{map[string]any{"type": "tool_result", "tool_use_id": id, "content": text}},
				map[string]any{"stdout": text, "stderr": "", "interrupted": false, "isImage": false})
		}
		check(w.Flush())
		check(f.Close())
	}
}

// decodeLines decodes every line of the files in a folder, and counts them.
func decodeLines(dir string) (n int) {
	for _, e := range must(os.ReadDir(dir)) {
		for line := range bytes.Lines(must(os.ReadFile(filepath.Join(dir, e.Name())))) {
			var v any
			check(json.Unmarshal(line, &v))
			n++
		}
	}
	return n
}

// before compares the process of a tool hook with that of the build in -against, both daemons running.
func (b *bench) before() []reading {
	if b.against == "" {
		return nil // there is nothing to compare with
	}
	old := *b
	old.bin = b.against
	h, g := b.running(), old.running()
	sent := 0
	p := take(5, b.reps(100), func() time.Duration {
		sent++
		return h.hook("PostToolUse", h.testRun(sent)).wall
	}, func() time.Duration { return g.hook("PostToolUse", g.testRun(sent)).wall })
	h.stop()
	g.stop()
	return []reading{{p.ratio(), p.note("hook", "before")}}
}
