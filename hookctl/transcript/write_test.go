package transcript

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"time"
)

// era is the shape of the files.
type era int

// The eras.
const (
	oldEra era = iota // subagents beside their session's file, progress of every hook
	newEra            // subagents in a folder of their session, attachments, a session that went on in the background
)

// options say what is written.
type options struct {
	Era      era
	Seed     uint64
	Sessions int
	Turns    int       // of each session; a compaction after every third
	Calls    int       // of each turn
	Text     int       // bytes of what a call gives back
	From     time.Time // of the first line
	Cwd      string    // of the sessions
}

// written is what the files hold.
type written struct {
	Sessions []string // ids
	Files    int
	Lines    int
	Bytes    int64
	Calls    int // requests, of subagents too
	Prompts  int
	Compact  int
	Agents   int
	Copies   int    // lines of a session that went on in the background
	Carried  string // id of that session, "" for none
}

// writeTranscripts writes folders of transcripts below dir, as below the client's folder of projects, as clients of two
// eras write them: 2.0.76 to 2.1.63, and 2.1.205 on. What it writes follows from its options alone.
func writeTranscripts(dir string, o options) (written, error) {
	w := &writer{o: o, random: rand.New(rand.NewPCG(o.Seed, 1)), dir: filepath.Join(dir, strings.ReplaceAll(o.Cwd, "/", "-"))}
	if err := os.MkdirAll(w.dir, 0o700); err != nil {
		return w.out, err
	}
	for range o.Sessions {
		if err := w.session(); err != nil {
			return w.out, err
		}
	}
	if o.Era == newEra && o.Sessions > 0 {
		return w.out, w.background()
	}
	return w.out, nil
}

type writer struct {
	o      options
	random *rand.Rand
	dir    string
	out    written

	id     string
	now    time.Time
	lines  []map[string]any
	parent any
}

// object is one line.
type object = map[string]any

func (w *writer) uuid() string {
	a, b := w.random.Uint64(), w.random.Uint64()
	return fmt.Sprintf("%08x-%04x-4%03x-a%03x-%012x", uint32(a>>32), uint16(a>>16), uint16(a)&0xfff, uint16(b>>48)&0xfff, b&0xffffffffffff)
}

func (w *writer) version() string {
	if w.o.Era == oldEra {
		return "2.1.39"
	}
	return "2.1.329"
}

// add adds a line of the conversation.
func (w *writer) add(kind string, more object) object {
	w.now = w.now.Add(time.Duration(200+w.random.IntN(3000)) * time.Millisecond)
	line := object{"parentUuid": w.parent, "isSidechain": false, "userType": "external", "cwd": w.o.Cwd, "sessionId": w.id, "version": w.version(),
		"gitBranch": "main", "type": kind, "uuid": w.uuid(), "timestamp": w.now.UTC().Format("2006-01-02T15:04:05.000Z")}
	if w.o.Era == newEra {
		line["entrypoint"] = "cli"
	}
	for k, v := range more {
		line[k] = v
	}
	w.parent = line["uuid"]
	w.lines = append(w.lines, line)
	return line
}

// bare adds an entry that is no part of the conversation.
func (w *writer) bare(line object) { w.lines = append(w.lines, line) }

func (w *writer) session() error {
	w.id, w.lines, w.parent = w.uuid(), nil, nil
	w.now = w.o.From.Add(time.Duration(len(w.out.Sessions)) * 24 * time.Hour)
	w.out.Sessions = append(w.out.Sessions, w.id)
	w.bare(object{"type": "file-history-snapshot", "messageId": w.uuid(), "snapshot": object{}, "isSnapshotUpdate": false})
	for turn := range w.o.Turns {
		w.turn(turn)
		if turn%3 == 2 {
			w.compact()
		}
	}
	if w.o.Era == newEra {
		w.bare(object{"type": "ai-title", "aiTitle": "A title", "sessionId": w.id})
		w.bare(object{"type": "entry-of-tomorrow", "sessionId": w.id})
	}
	if err := w.agent(); err != nil {
		return err
	}
	return w.file(filepath.Join(w.dir, w.id+".jsonl"), w.lines, `{"type":"user","sessionId":"`+w.id+`","mess`)
}

func (w *writer) turn(n int) {
	text := fmt.Sprintf("Make part %d of session %d work, and say what you changed", n, len(w.out.Sessions))
	w.out.Prompts++
	if w.o.Era == newEra && n%4 == 3 { // written while the model worked
		w.add("attachment", object{"attachment": object{"type": "queued_command", "prompt": text, "commandMode": "prompt"}})
	} else {
		w.add("user", object{"message": object{"role": "user", "content": text}, "permissionMode": "acceptEdits"})
	}
	if n == 0 {
		w.add("user", object{"isMeta": true, "message": object{"role": "user", "content": "the client's own words"}})
		w.add("user", object{"message": object{"role": "user", "content": "<command-name>/model</command-name>\n<command-message>model</command-message>"}})
	}
	for i := range w.o.Calls {
		w.call(n, i, nil)
	}
	w.add("assistant", object{"message": object{"id": "msg_" + w.uuid(), "role": "assistant", "model": "claude-opus-5-5",
		"content": []object{{"type": "text", "text": fmt.Sprintf("Part %d works.", n)}}}})
	w.add("system", object{"subtype": "turn_duration", "durationMs": 1000})
}

// call adds a request and its outcome; more goes into both lines.
func (w *writer) call(turn, n int, more object) {
	w.out.Calls++
	id := "toolu_" + strings.ReplaceAll(w.uuid(), "-", "")
	file := fmt.Sprintf("%s/part%d/file%d.go", w.o.Cwd, turn, n)
	text := w.text(w.o.Text)
	name, input, reply := "Read", object{"file_path": file}, any(object{"type": "text", "file": object{"filePath": file, "content": text}})
	switch n % 4 {
	case 1:
		name, input = "Edit", object{"file_path": file, "old_string": "a", "new_string": "func Part() {}"}
		reply = object{"filePath": file, "oldString": "a", "newString": "func Part() {}", "originalFile": text}
	case 2:
		name, input = "Bash", object{"command": fmt.Sprintf("go test ./part%d", turn)}
		reply = object{"stdout": text, "stderr": "", "interrupted": false}
	}
	add := func(kind string, line object) {
		for k, v := range more {
			line[k] = v
		}
		w.add(kind, line)
	}
	add("assistant", object{"requestId": "req_" + id, "message": object{"id": "msg_" + id, "role": "assistant", "model": "claude-opus-5-5",
		"content": []object{{"type": "tool_use", "id": id, "name": name, "input": input}}, "usage": object{"input_tokens": 3, "output_tokens": 10}}})
	if w.o.Era == oldEra {
		w.progress(id, name)
	}
	result := object{"type": "tool_result", "tool_use_id": id, "content": text}
	if n%16 == 14 {
		result["is_error"], result["content"] = true, "Exit code 1\n--- FAIL: TestPart"
		reply = "Error: Exit code 1"
	}
	add("user", object{"message": object{"role": "user", "content": []object{result}}, "toolUseResult": reply})
}

func (w *writer) progress(id, name string) {
	for range 3 {
		w.add("progress", object{"data": object{"type": "hook_progress", "hookEvent": "PostToolUse", "hookName": "PostToolUse:" + name, "command": "true"},
			"toolUseID": id, "parentToolUseID": id})
	}
}

func (w *writer) compact() {
	w.out.Compact++
	w.parent = nil
	w.add("system", object{"subtype": "compact_boundary", "content": "Conversation compacted", "isMeta": false, "level": "info",
		"compactMetadata": object{"trigger": "auto", "preTokens": 167000}})
	w.add("user", object{"isCompactSummary": true, "isVisibleInTranscriptOnly": true,
		"message": object{"role": "user", "content": "This session is being continued. Edited: " + w.o.Cwd + "/part0/file1.go"}})
}

// agent writes the file of a subagent.
func (w *writer) agent() error {
	w.out.Agents++
	main, at := w.lines, w.now
	w.lines, w.parent, w.now = nil, nil, w.now.Add(-time.Hour)
	id := "a" + w.uuid()[:7]
	of := object{"isSidechain": true, "agentId": id}
	w.add("user", object{"isSidechain": true, "agentId": id, "message": object{"role": "user", "content": "Look around"}})
	for i := range 4 {
		w.call(0, i, of)
	}
	w.add("assistant", object{"isSidechain": true, "agentId": id, "message": object{"id": "msg_a", "role": "assistant", "content": []object{{"type": "text", "text": "I looked around."}}}})
	dir := w.dir
	if w.o.Era == newEra {
		dir = filepath.Join(w.dir, w.id, "subagents")
		if err := w.beside(dir, id); err != nil {
			return err
		}
	}
	err := w.file(filepath.Join(dir, "agent-"+id+".jsonl"), w.lines, "")
	w.lines, w.now = main, at
	return err
}

// beside writes what the client keeps beside a subagent's file: its type, an agent of the client's own, a journal.
func (w *writer) beside(dir, id string) error {
	if err := os.MkdirAll(filepath.Join(dir, "workflows", "wf_1"), 0o700); err != nil {
		return err
	}
	for name, text := range map[string]string{"agent-" + id + ".meta.json": `{"agentType":"Explore"}`, "agent-acompact-1.jsonl": `{"type":"user"}` + "\n",
		filepath.Join("workflows", "wf_1", "journal.jsonl"): `{"type":"started"}` + "\n"} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			return err
		}
	}
	return nil
}

// background writes the first session once more, as it went on in the background: its lines with another session, and one
// more turn.
func (w *writer) background() error {
	first := filepath.Join(w.dir, w.out.Sessions[0]+".jsonl")
	data, err := os.ReadFile(first)
	if err != nil {
		return err
	}
	w.id, w.lines, w.parent = w.uuid(), nil, nil
	w.now = w.o.From.Add(20 * time.Hour)
	w.out.Carried = w.id
	var copied []object
	for line := range strings.Lines(string(data)) {
		var l object
		if json.Unmarshal([]byte(line), &l) != nil || l["uuid"] == nil {
			continue
		}
		l["sessionId"], l["sessionKind"] = w.id, "bg"
		copied = append(copied, l)
		switch l["type"] {
		case "user", "assistant":
			w.out.Copies++
		case "attachment":
			w.out.Copies++
		case "system":
			if l["subtype"] == "compact_boundary" {
				w.out.Copies++
			}
		}
	}
	w.turn(0)
	for _, l := range w.lines {
		l["sessionKind"] = "bg"
	}
	w.out.Sessions = append(w.out.Sessions, w.id)
	empty := w.uuid()
	if err := w.file(filepath.Join(w.dir, empty+".jsonl"), []object{{"type": "ai-title", "sessionId": empty}, {"type": "agent-name", "sessionId": empty}}, ""); err != nil {
		return err
	}
	return w.file(filepath.Join(w.dir, w.id+".jsonl"), append(copied, w.lines...), "")
}

// file writes lines, and a torn one behind them.
func (w *writer) file(path string, lines []object, torn string) error {
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		return err
	}
	f, err := os.Create(path)
	if err != nil {
		return err
	}
	out := json.NewEncoder(f)
	out.SetEscapeHTML(false)
	for _, l := range lines {
		if err := out.Encode(l); err != nil {
			f.Close()
			return err
		}
	}
	if torn != "" {
		if _, err := f.WriteString(torn); err != nil {
			f.Close()
			return err
		}
		w.out.Lines++
	}
	size, err := f.Seek(0, 2)
	w.out.Lines += len(lines)
	w.out.Bytes += size
	w.out.Files++
	if closed := f.Close(); err == nil {
		err = closed
	}
	return err
}

// text is n bytes that read like code.
func (w *writer) text(n int) string {
	words := []string{"func", "return", "err", "value", "package", "context", "if", "range", "the", "of", "string", "buffer", "0x1f", "\"quoted\"", "// note"}
	var b strings.Builder
	for b.Len() < n {
		b.WriteString(words[w.random.IntN(len(words))])
		if w.random.IntN(9) == 0 {
			fmt.Fprintf(&b, "%d\n\t", w.random.IntN(1e6))
		} else {
			b.WriteByte(' ')
		}
	}
	return b.String()
}
