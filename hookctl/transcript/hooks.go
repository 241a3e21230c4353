package transcript

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"hookline/events"
	"hookline/hookctl/safeopen"
)

// Hook is a hook of the client, made of a line.
type Hook struct {
	Name    string // the client's
	ID      string // of its event: the same whenever and from whichever copy of the line it is made
	Time    time.Time
	Session string
	Agent   string // id of the subagent that it is of
	Cwd     string
	Branch  string
	Facts   events.Facts    // what the line has of the client; on a session's start
	Data    json.RawMessage // as the client sends it
}

// Event is the hook as an event.
func (h Hook) Event() events.Event {
	k := events.OfHook(h.Name)
	return events.Decode(k.Type, k.Version(), h.Data)
}

// Counts are what became of the lines of files. Each line is in one of the counts after the first.
type Counts struct {
	Lines   int            `json:"lines" jsonschema_description:"in the files"`
	Used    int            `json:"used" jsonschema_description:"of them, those with what was said and done"`
	Other   int            `json:"other" jsonschema_description:"the client's own entries: progress, titles, snapshots"`
	Copies  int            `json:"copies" jsonschema_description:"that stand in another place too: of a session that was forked or went on in the background"`
	Torn    int            `json:"torn" jsonschema_description:"that are no JSON object, as a last line that was cut off"`
	Unknown map[string]int `json:"unknown" jsonschema_description:"entries of types that this build does not know, by type"`
}

// without are the client's entries that no hook is of, up to 2.1.331.
var without = strings.Fields(`agent-color agent-listing agent-name agent-setting ai-title api-request api-request-blob api-request-resumed api-request-shape
	artifact-autoreact-ledger artifact-comment-monitor atis-latch attachment attribution-snapshot bridge-session content-replacement
	continued-in cost-state custom-title data-flow-incomplete data-flow-records derived-from dev-mods ended-by-model file-history-delta
	file-history-snapshot fork-context-ref frame-link history-suppression hook_progress hybrid-organization isolation-latch last-prompt
	marble-origami-commit marble-origami-snapshot memory-mode mode observer-ref permission-mode pr-link progress queue-operation relocated
	repl-mode resume-head-vouch session-owner speculation-accept summary system tag task-summary tools-used worktree-state`)

// Reader makes hooks of the lines of one file, in their order. It is used by one goroutine.
type Reader struct {
	Counts *Counts // of this file, or of all files that are read with them
	// Batches: every PostToolBatch is made, as the client sends it; else only those with a refused call, which no other
	// hook tells of.
	Batches bool
	// Seen are the uuids of the lines that were met before; an import has one for all of its files.
	Seen map[string]bool

	path    string
	session string // whose file it is; "" where only the lines have it
	agent   string // of a subagent's file: its id
	kind    string // and its type

	calls   map[string]part // that have no outcome yet, by tool_use_id
	line    Line            // the newest
	mode    string
	out     []Hook
	started bool
	copied  bool   // it begins with copies
	cleared bool   // it begins with /clear
	said    string // the newest text of the model, if nothing came after it
	sayer   Line   // its line
	cut     *Line  // a compaction whose summary has not come yet
	batch   []byte // calls with their outcomes, a comma before each
	last    Line   // of the batch
	lastID  string // of its call
	message string // id of the batch's message
}

// NewReader makes a reader for a file, whose name and place say whose it is.
func NewReader(path string) *Reader {
	r := &Reader{path: path, session: sessionOf(path), agent: agentOf(path), calls: map[string]part{}, Seen: map[string]bool{}, Counts: &Counts{Unknown: map[string]int{}}}
	if r.agent != "" {
		r.kind = kindOf(path)
	}
	return r
}

// kindOf is the type of a subagent, which the client writes beside its file; it is never "", which stands for the
// agents that the client makes for itself.
func kindOf(path string) string {
	var meta struct {
		Kind string `json:"agentType"`
	}
	data, err := safeopen.ReadFile(safeopen.Foreign, strings.TrimSuffix(path, suffix)+".meta.json", maxMeta)
	if err != nil || json.Unmarshal(data, &meta) != nil || meta.Kind == "" {
		return "unknown"
	}
	return meta.Kind
}

// maxMeta bounds the file beside a subagent's.
const maxMeta = 1 << 20

// Hooks are the hooks of one line: often none.
func (r *Reader) Hooks(text []byte) []Hook {
	r.Counts.Lines++
	r.out = nil

	var line Line
	err := json.Unmarshal(text, &line)
	switch {
	case err != nil && line.Type == "":
		r.Counts.Torn++
		return nil
	case line.Type == "assistant", line.Type == "user",
		line.Type == "system" && line.Subtype == "compact_boundary",
		line.Type == "attachment" && line.Attachment.Type == "queued_command" && !line.Attachment.Meta:
	case slices.Contains(without, line.Type):
		r.Counts.Other++
		return nil
	default:
		r.Counts.Unknown[line.Type]++
		return nil
	}

	if line.UUID == "" {
		sum := sha256.Sum256(text)
		line.UUID = "line " + hex.EncodeToString(sum[:16])
	}
	copied := r.Seen[line.UUID]
	r.Seen[line.UUID] = true

	switch {
	case r.agent != "":
		line.Agent = r.agent
	case line.Side:
		line.Agent = cmp.Or(line.Agent, "sidechain")
	default:
		line.Agent = ""
	}
	line.Session = cmp.Or(r.session, line.Session) // a copy has that of its origin
	if line.Session == "" {                        // another program's file
		r.Counts.Unknown[line.Type+" without sessionId"]++
		return nil
	}
	if line.Time.IsZero() {
		line.Time = r.line.Time
	}
	r.line = line
	r.mode = cmp.Or(line.Mode, r.mode)
	if copied {
		r.Counts.Copies++
		r.copied = r.copied || !r.started
		for _, p := range partsOf(line.Message.Content) { // the lines after it refer to them
			if p.Type == "tool_use" {
				r.calls[p.ID] = p
			}
			delete(r.calls, p.ToolUseID)
		}
		return nil
	}

	r.Counts.Used++
	switch line.Type {
	case "assistant":
		r.assistant(line)
	case "user":
		r.user(line)
	case "attachment":
		r.prompt(line, promptText(line.Attachment.Prompt))
	case "system":
		r.closeBatch()
		r.closeTurn()
		r.compacted(nil)
		r.cut = &line
		r.emit("PreCompact", line, "", member{"trigger", quoted(line.trigger())})
	}
	return r.out
}

func (r *Reader) assistant(line Line) {
	r.compacted(nil)
	if line.Failed {
		r.said = ""
		return
	}
	if line.Message.ID != r.message {
		r.closeBatch()
		r.message = line.Message.ID
	}
	for _, p := range partsOf(line.Message.Content) {
		switch {
		case p.Type == "text" && strings.TrimSpace(p.Text) != "" && r.main(line):
			r.said = p.Text
			r.sayer = line
		case p.Type == "tool_use":
			if r.main(line) {
				r.said = ""
			}
			if len(p.Input) == 0 {
				p.Input = json.RawMessage("{}")
			}
			r.calls[p.ID] = p
			r.emit("PreToolUse", line, p.ID, callMembers(p)...)
		}
	}
}

// main says whether a line belongs to the conversation that the file is of.
func (r *Reader) main(line Line) bool { return r.agent != "" || line.Agent == "" }

func (r *Reader) user(line Line) {
	if line.Summary {
		r.compacted(&line)
		return
	}
	parts := partsOf(line.Message.Content)
	var texts []string
	results := 0
	for _, p := range parts {
		if p.Type == "tool_result" {
			results++
		}
	}
	for _, p := range parts {
		switch p.Type {
		case "tool_result":
			reply := line.ToolReply
			if results > 1 || len(reply) == 0 {
				reply = p.Content
			}
			r.outcome(line, p, reply)
		case "text":
			texts = append(texts, p.Text)
		}
	}
	if line.Meta || len(texts) == 0 {
		return
	}
	r.prompt(line, strings.Join(texts, "\n"))
}

// refusals are how the answer of a call begins that was refused, by the user, a rule or a hook.
var refusals = []string{"The user doesn't want to", "The user doesn’t want to", "Permission to use", "PreToolUse:"}

func (r *Reader) outcome(line Line, p part, reply json.RawMessage) {
	call, ok := r.calls[p.ToolUseID]
	if !ok {
		call = part{ID: p.ToolUseID, Input: json.RawMessage("{}")}
	}
	delete(r.calls, p.ToolUseID)

	text, refused := "", line.Denied != ""
	if p.IsError {
		text = promptText(p.Content)
	}
	for _, begin := range refusals {
		refused = refused || strings.HasPrefix(text, begin)
	}
	if r.Batches || refused {
		r.batch = appendObject(append(r.batch, ','), append(callMembers(call), member{"tool_response", orNull(p.Content)})...)
		r.last = line
		r.lastID = call.ID
	}
	switch {
	case refused:
	case p.IsError:
		if text == "" {
			text = string(p.Content)
		}
		r.emit("PostToolUseFailure", line, call.ID, append(callMembers(call), member{"error", quoted(text)})...)
	default:
		r.emit("PostToolUse", line, call.ID, append(callMembers(call), member{"tool_response", orNull(reply)})...)
	}
}

// prompt makes the hook of what the user wrote, after that of the end of the turn before it.
func (r *Reader) prompt(line Line, text string) {
	text, typed := submitted(text)
	if strings.HasPrefix(text, "[Request interrupted") {
		r.said = ""
	}
	if !r.started && strings.HasPrefix(text, "<command-name>/clear<") {
		r.cleared = true
	}
	if !typed || r.agent != "" || line.Agent != "" {
		return
	}
	r.compacted(nil)
	r.closeBatch()
	r.closeTurn()
	r.emit("UserPromptSubmit", line, "", member{"prompt", quoted(text)})
}

// submitted is a prompt as the hook has it, and whether there was a hook: what the client put there, and commands that it
// carries out itself, have none.
func submitted(text string) (string, bool) {
	if strings.HasPrefix(text, "<command-message>") {
		return strings.TrimSpace(between(text, "<command-name>", "</command-name>") + " " + between(text, "<command-args>", "</command-args>")), true
	}
	for _, mark := range []string{"<command-name>", "<local-command", "<bash-", "<user-memory-input>", "[Request interrupted", "Caveat: The messages below", "/compact",
		"This session is being continued from a previous conversation"} {
		if strings.HasPrefix(text, mark) {
			return text, false
		}
	}
	return text, strings.TrimSpace(text) != ""
}

func between(text, from, to string) string {
	_, rest, _ := strings.Cut(text, from)
	inner, _, _ := strings.Cut(rest, to)
	return strings.TrimSpace(inner)
}

func (l Line) trigger() string { return cmp.Or(l.Compacted.Trigger, "auto") }

// compacted makes the hooks that follow a compaction, with its summary if there is one.
func (r *Reader) compacted(summary *Line) {
	if r.cut == nil {
		return
	}
	line, text := *r.cut, ""
	r.cut = nil
	if summary != nil {
		line.Time = summary.Time
		text = promptText(summary.Message.Content)
		own, sum := line, sha256.Sum256([]byte(line.UUID))
		own.Agent = "compact-" + hex.EncodeToString(sum[:4]) // the client's own agent, which no transcript names
		kind := r.kind
		r.kind = ""
		r.emit("SubagentStop", own, "", lastWords(text)...)
		r.kind = kind
	}
	r.emit("SessionStart", line, "compact", member{"source", []byte(`"compact"`)})
	r.emit("PostCompact", line, "", member{"trigger", quoted(line.trigger())}, member{"compact_summary", quoted(text)})
}

// closeTurn makes the Stop of a turn whose last text nothing came after.
func (r *Reader) closeTurn() {
	if r.said == "" || r.agent != "" {
		return
	}
	text, line := r.said, r.sayer
	r.said = ""
	line.Agent = ""
	r.emit("Stop", line, "", lastWords(text)...)
}

func (r *Reader) closeBatch() {
	if len(r.batch) == 0 {
		return
	}
	list := append([]byte("["), r.batch[1:]...)
	r.batch = nil
	r.emit("PostToolBatch", r.last, r.lastID, member{"tool_calls", append(list, ']')})
}

// End makes the hooks that end the file: of a batch and a turn, or of the subagent. Nothing is said of the session's
// end, which the transcript does not have.
func (r *Reader) End() []Hook {
	r.out = nil
	r.compacted(nil)
	r.closeBatch()
	if r.agent == "" {
		r.closeTurn()
		return r.out
	}
	if !r.started {
		return nil
	}
	r.emit("SubagentStop", r.line, "", append(lastWords(r.said), member{"agent_transcript_path", quoted(r.path)})...)
	return r.out
}

// member is one of a JSON object.
type member struct {
	name  string
	value []byte
}

func callMembers(p part) []member {
	return []member{{"tool_name", quoted(p.Name)}, {"tool_input", p.Input}, {"tool_use_id", quoted(p.ID)}}
}

// lastWords are the members of a hook that ends what the model did.
func lastWords(text string) []member {
	return []member{{"stop_hook_active", []byte("false")}, {"last_assistant_message", quoted(text)}}
}

// start makes the hook that begins the session, or the subagent.
func (r *Reader) start(line Line) {
	r.started = true
	if r.agent != "" {
		r.emit("SubagentStart", line, "")
		return
	}
	source := "startup"
	switch {
	case r.copied:
		source = "fork"
	case r.cleared:
		source = "clear"
	}
	members := []member{{"source", quoted(source)}}
	if line.Type == "assistant" && line.Message.Model != "" {
		members = append(members, member{"model", quoted(line.Message.Model)})
	}
	line.Agent = ""
	r.emit("SessionStart", line, "", members...)
	r.out[len(r.out)-1].Facts = events.Facts{Client: line.Client, Entrypoint: line.Entrypoint, LaunchDir: line.Cwd}
}

// emit makes a hook, after that of the start of what it belongs to; of parts those of one line and name.
func (r *Reader) emit(name string, line Line, of string, more ...member) {
	if !r.started {
		r.start(line)
	}
	members := []member{{"session_id", quoted(line.Session)}, {"transcript_path", quoted(r.path)}, {"cwd", quoted(line.Cwd)}}
	if r.mode != "" {
		members = append(members, member{"permission_mode", quoted(r.mode)})
	}
	if line.Agent != "" {
		members = append(members, member{"agent_id", quoted(line.Agent)}, member{"agent_type", quoted(r.kind)})
	}
	members = append(members, member{"hook_event_name", quoted(name)})
	data := appendObject(nil, append(members, more...)...)

	key := line.UUID + " " + name + " " + of
	r.out = append(r.out, Hook{Name: name, ID: events.StableID(line.Time, key), Time: line.Time.UTC().Truncate(time.Millisecond),
		Session: line.Session, Agent: line.Agent, Cwd: line.Cwd, Branch: line.Branch, Data: data})
}

// appendObject writes members whose values are JSON already.
func appendObject(b []byte, members ...member) []byte {
	n := 2
	for _, m := range members {
		n += len(m.name) + len(m.value) + 4
	}
	if b == nil {
		b = make([]byte, 0, n)
	}
	b = append(b, '{')
	for i, m := range members {
		if i > 0 {
			b = append(b, ',')
		}
		b = append(append(append(b, '"'), m.name...), `":`...)
		b = append(b, m.value...)
	}
	return append(b, '}')
}

// quoted is a string as JSON.
func quoted(s string) []byte {
	b, _ := json.Marshal(s) // a string cannot fail
	return b
}

func orNull(raw json.RawMessage) json.RawMessage {
	if len(raw) == 0 {
		return json.RawMessage("null")
	}
	return raw
}

// partsOf are the parts of a message; a text alone is one part.
func partsOf(content json.RawMessage) []part {
	var text string
	if len(content) > 0 && content[0] == '"' && json.Unmarshal(content, &text) == nil {
		return []part{{Type: "text", Text: text}}
	}
	var parts []part
	_ = json.Unmarshal(content, &parts) // content of an unknown form has no parts
	return parts
}

// promptText joins the texts of a message.
func promptText(content json.RawMessage) string {
	var texts []string
	for _, p := range partsOf(content) {
		if p.Type == "text" {
			texts = append(texts, p.Text)
		}
	}
	return strings.Join(texts, "\n")
}

// agentOf is the id of the subagent that a file is of, "" for a session's own.
func agentOf(path string) string {
	id, ok := strings.CutPrefix(strings.TrimSuffix(filepath.Base(path), suffix), "agent-")
	if !ok {
		return ""
	}
	return id
}
