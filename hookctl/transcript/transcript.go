// Package transcript reads the client's transcripts: one file of JSON lines a session, as the client keeps them. What a
// tool was called with, what it gave back and what the user wrote become events again.
package transcript

import (
	"bufio"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"io"
	"io/fs"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"hookline/events"
	"hookline/hookctl/safeopen"
)

// Line is what matters of one line.
type Line struct {
	Type      string          `json:"type"`
	Session   string          `json:"sessionId"`
	Time      time.Time       `json:"timestamp"`
	Cwd       string          `json:"cwd"`
	Branch    string          `json:"gitBranch"`
	Agent     string          `json:"agentId"`
	Side      bool            `json:"isSidechain"`      // a subagent's
	Meta      bool            `json:"isMeta"`           // the client's own words
	Summary   bool            `json:"isCompactSummary"` // what a compaction left
	Mode      string          `json:"permissionMode"`
	ToolReply json.RawMessage `json:"toolUseResult"`
	Message   struct {
		Content json.RawMessage `json:"content"`
	} `json:"message"`
}

// part is one part of a message.
type part struct {
	Type      string          `json:"type"`
	Text      string          `json:"text"`
	ID        string          `json:"id"`
	Name      string          `json:"name"`
	Input     json.RawMessage `json:"input"`
	ToolUseID string          `json:"tool_use_id"`
	Content   json.RawMessage `json:"content"`
	IsError   bool            `json:"is_error"`
}

// suffix ends the names of transcripts.
const suffix = ".jsonl"

// Files are the transcripts below a folder, in order of their names. What cannot be looked into has nothing for us.
func Files(dir string) []string {
	var out []string
	_ = filepath.WalkDir(dir, func(path string, e fs.DirEntry, err error) error {
		if err == nil && !e.IsDir() && strings.HasSuffix(path, suffix) {
			out = append(out, path)
		}
		return nil
	})
	slices.Sort(out)
	return out
}

// OfSession is the transcript that a session named and those of its subagents, which the client keeps in a folder beside.
func OfSession(path string) []string {
	agents, _ := filepath.Glob(filepath.Join(strings.TrimSuffix(path, suffix), "subagents", "*"+suffix)) // a bad pattern finds none
	return append([]string{path}, agents...)
}

// maxLine bounds a line in memory; one with several pasted images is a few MB. A longer one is passed over.
const maxLine = 64 << 20

// Read calls fn for each line that is JSON, until it gives an error. A torn last line is none.
func Read(path string, fn func(Line) error) error {
	f, err := safeopen.Open(safeopen.Foreign, path) // whoever sends a hook names it
	if err != nil {
		return err
	}
	defer f.Close()
	return eachLine(f, maxLine, func(text []byte) error {
		var line Line
		if json.Unmarshal(text, &line) != nil {
			return nil
		}
		return fn(line)
	})
}

// eachLine calls fn for each line that is not longer than most; the slice is valid during the call.
func eachLine(from io.Reader, most int, fn func(text []byte) error) error {
	in := bufio.NewReaderSize(from, 64<<10)
	var long []byte // the beginning of a line that does not fit the reader
	over := false   // the line is too long
	for {
		part, err := in.ReadSlice('\n')
		if over = over || len(long)+len(part) > most; over {
			long = long[:0]
		} else if err != nil || len(long) > 0 {
			long = append(long, part...)
			part = long
		}
		switch {
		case errors.Is(err, bufio.ErrBufferFull):
			continue
		case err != nil && !errors.Is(err, io.EOF):
			return err
		}
		if !over && len(part) > 0 {
			if err := fn(part); err != nil {
				return err
			}
		}
		if err != nil {
			return nil
		}
		long, over = long[:0], false
	}
}

// Reader makes events of lines. The zero value is ready; it remembers the calls of the lines it has seen, since an outcome
// does not say what was called. Used by one goroutine.
type Reader struct {
	calls map[string]part // by tool_use_id
}

// Events are the events of one line of a transcript that lies at path, in its order: usually one, often none.
func (r *Reader) Events(line Line, path string) []events.Event {
	var parts []part
	var text string
	if json.Unmarshal(line.Message.Content, &text) == nil {
		parts = []part{{Type: "text", Text: text}}
	} else if json.Unmarshal(line.Message.Content, &parts) != nil {
		return nil
	}
	var out []events.Event
	common := events.Common{SessionID: line.Session, TranscriptPath: path, Cwd: line.Cwd, PermissionMode: line.Mode, AgentID: line.Agent}
	for _, p := range parts {
		switch {
		case line.Type == "assistant" && p.Type == "tool_use":
			r.remember(p)
			common.HookEventName = "PreToolUse"
			out = append(out, &events.ToolRequested{Common: common, ToolName: p.Name, ToolInput: p.Input, ToolUseID: p.ID})
		case line.Type == "user" && p.Type == "tool_result":
			out = append(out, r.outcome(common, line, p))
		case line.Type == "user" && p.Type == "text" && !line.Side && !line.Meta && !line.Summary && typed(p.Text):
			common.HookEventName = "UserPromptSubmit"
			out = append(out, &events.PromptSubmitted{Common: common, Prompt: p.Text})
		}
	}
	return out
}

func (r *Reader) remember(call part) {
	if r.calls == nil {
		r.calls = map[string]part{}
	}
	r.calls[call.ID] = call
}

func (r *Reader) outcome(common events.Common, line Line, p part) events.Event {
	call := r.calls[p.ToolUseID]
	if p.IsError {
		common.HookEventName = "PostToolUseFailure"
		var text string
		if json.Unmarshal(p.Content, &text) != nil {
			text = string(p.Content)
		}
		return &events.ToolFailed{Common: common, ToolName: call.Name, ToolInput: call.Input, ToolUseID: p.ToolUseID, Error: text}
	}
	common.HookEventName = "PostToolUse"
	reply := line.ToolReply
	if len(reply) == 0 {
		reply = p.Content
	}
	return &events.ToolSucceeded{Common: common, ToolName: call.Name, ToolInput: call.Input, ToolResponse: reply, ToolUseID: p.ToolUseID}
}

// typed tells whether a text is the user's own, and not what the client put there.
func typed(text string) bool {
	for _, mark := range []string{"<command-", "<local-command", "[Request interrupted", "Caveat: The messages below"} {
		if strings.HasPrefix(text, mark) {
			return false
		}
	}
	return strings.TrimSpace(text) != ""
}

// Key is what tells that an event of the log and a line of a transcript are the same thing.
func Key(e events.Event) string {
	switch e := e.(type) {
	case *events.ToolRequested:
		return "request " + e.ToolUseID
	case *events.ToolSucceeded:
		return "outcome " + e.ToolUseID
	case *events.ToolFailed:
		return "outcome " + e.ToolUseID
	case *events.PermissionDenied:
		return "outcome " + e.ToolUseID
	case *events.PromptSubmitted:
		sum := sha256.Sum256([]byte(strings.TrimSpace(e.Prompt)))
		return "prompt " + hex.EncodeToString(sum[:])
	}
	return ""
}
