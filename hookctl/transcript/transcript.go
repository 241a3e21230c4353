// Package transcript reads the client's transcripts: one file of JSON lines a session, and one for each of its subagents.
// What the client wrote there becomes the hooks that it sent, or would have sent.
//
//	Sessions   the files of folders, by session
//	Read       the lines of a file
//	Reader     the hooks of the lines
//	Import     takes past sessions into the log
//
// An imported hook has its own time, and an id that follows from its line, so that taking it again adds nothing; what hooks
// have recorded live is left out, and the log's own word stays.
package transcript

import (
	"bufio"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"time"

	"hookline/events"
	"hookline/hookctl/hook"
	"hookline/hookctl/safeopen"
)

// Line is what matters of one line.
type Line struct {
	Type       string          `json:"type"`
	Subtype    string          `json:"subtype"`
	UUID       string          `json:"uuid"` // a copy of the line in another file has the same
	Session    string          `json:"sessionId"`
	Time       time.Time       `json:"timestamp"`
	Cwd        string          `json:"cwd"`
	Branch     string          `json:"gitBranch"`
	Client     string          `json:"version"`
	Entrypoint string          `json:"entrypoint"`
	Agent      string          `json:"agentId"`
	Side       bool            `json:"isSidechain"`       // a subagent's
	Meta       bool            `json:"isMeta"`            // the client's own words
	Summary    bool            `json:"isCompactSummary"`  // what a compaction left
	Failed     bool            `json:"isApiErrorMessage"` // the client's words for an error of the API
	Mode       string          `json:"permissionMode"`
	Kind       string          `json:"sessionKind"` // "bg": the session went on in the background, in a file of its own
	Forked     json.RawMessage `json:"forkedFrom"`
	Denied     string          `json:"toolDenialKind"` // why a call did not run, as 2.1.331 writes it
	ToolReply  json.RawMessage `json:"toolUseResult"`
	Compacted  struct {
		Trigger string `json:"trigger"`
	} `json:"compactMetadata"`
	Attachment struct {
		Type   string          `json:"type"`
		Prompt json.RawMessage `json:"prompt"`
		Meta   bool            `json:"isMeta"`
	} `json:"attachment"`
	Message struct {
		ID      string          `json:"id"`
		Model   string          `json:"model"`
		Content json.RawMessage `json:"content"`
		Usage   *struct {
			Input    int64 `json:"input_tokens"`
			Output   int64 `json:"output_tokens"`
			Read     int64 `json:"cache_read_input_tokens"`
			Creation int64 `json:"cache_creation_input_tokens"`
		} `json:"usage"`
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

// OfSession is the transcript that a session named and those of its subagents, which the client keeps in a folder beside.
func OfSession(path string) []string {
	agents, _ := filepath.Glob(filepath.Join(strings.TrimSuffix(path, suffix), "subagents", "*"+suffix)) // a bad pattern finds none
	return append([]string{path}, agents...)
}

// maxLine bounds a line in memory; one with several pasted images is a few MB.
const maxLine = 64 << 20

// openLines opens a file for reading its lines. One that is too long ends them with bufio.ErrTooLong.
func openLines(path string) (*os.File, *bufio.Scanner, error) {
	f, err := safeopen.Open(safeopen.Foreign, path) // the sender of a hook names it
	if err != nil {
		return nil, nil, err
	}
	lines := bufio.NewScanner(f)
	lines.Buffer(make([]byte, 64<<10), maxLine)
	return f, lines, nil
}

// Read calls fn for each line, until it gives an error; the text is valid during the call.
func Read(path string, fn func(text []byte) error) error {
	f, lines, err := openLines(path)
	if err != nil {
		return err
	}
	defer f.Close()

	for lines.Scan() {
		if err := fn(lines.Bytes()); err != nil {
			return err
		}
	}
	return lines.Err()
}

// Key is the same for an event of the log and a line of a transcript that stand for one thing; "" for other events.
func Key(e events.Event) string {
	switch e := e.(type) {
	case *events.ToolRequested:
		return "request " + e.ToolUseID
	case *events.ToolSucceeded, *events.ToolFailed, *events.PermissionDenied:
		return "outcome " + hook.ToolUseID(e)
	case *events.PromptSubmitted:
		sum := sha256.Sum256([]byte(strings.TrimSpace(e.Prompt)))
		return "prompt " + hex.EncodeToString(sum[:])
	}
	return ""
}
