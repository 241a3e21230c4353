package daemon

import (
	"bufio"
	"context"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/oklog/ulid/v2"

	"hookline/events"
	"hookline/hookctl/hook"
	"hookline/projector"
	"hookline/projector/session"
)

// Lost events from the client's transcripts: what a tool was called with, what it gave back, what the user
// wrote. They are new events with ids of their own: a transcript does not know ours.

// causedByLoss begins the causation of an event that was made from a transcript; the lost range follows.
const causedByLoss = "lost:"

func isRebuilt(env events.Envelope) bool { return strings.HasPrefix(env.Causation, causedByLoss) }

// errEnough ends a reading early; it never reaches a caller.
var errEnough = errors.New("enough")

// transcriptLine is what matters of one line of a transcript.
type transcriptLine struct {
	Type      string          `json:"type"`
	Session   string          `json:"sessionId"`
	Time      time.Time       `json:"timestamp"`
	Cwd       string          `json:"cwd"`
	Branch    string          `json:"gitBranch"`
	Agent     string          `json:"agentId"`
	Side      bool            `json:"isSidechain"`
	Meta      bool            `json:"isMeta"`
	Summary   bool            `json:"isCompactSummary"`
	Mode      string          `json:"permissionMode"`
	ToolReply json.RawMessage `json:"toolUseResult"`
	Message   struct {
		Content json.RawMessage `json:"content"`
	} `json:"message"`
}

// transcriptPart is one part of a message.
type transcriptPart struct {
	Type      string          `json:"type"`
	Text      string          `json:"text"`
	ID        string          `json:"id"`
	Name      string          `json:"name"`
	Input     json.RawMessage `json:"input"`
	ToolUseID string          `json:"tool_use_id"`
	Content   json.RawMessage `json:"content"`
	IsError   bool            `json:"is_error"`
}

// rebuilder makes events of transcripts.
type rebuilder struct {
	d       *Daemon
	dry     bool
	windows []window
	known   map[string]map[string]bool // by session: what the log has, by keyOf
	states  map[string]session.State
	calls   map[string]transcriptPart // requests by tool_use_id: an outcome does not say what was called
	made    []events.Envelope
}

// keyOf is what tells that an event of the log and a line of a transcript are the same thing.
func keyOf(e events.Event) string {
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

// fromTranscripts rebuilds what the sessions of the lost ranges said and did then.
func (d *Daemon) fromTranscripts(ctx context.Context, o RepairOptions, out *Repaired, l *losses) error {
	open := &losses{lost: map[uint64]bool{}}
	for seq := range l.lost {
		if !l.fetched[seq] {
			open.lose(seq)
		}
	}
	windows, err := d.windows(ctx, open.ranges())
	if err != nil {
		return err
	}
	b := &rebuilder{d: d, dry: o.DryRun, windows: windows, calls: map[string]transcriptPart{}}
	if err := b.load(ctx, l); err != nil {
		return err
	}
	for _, path := range b.files(o.Transcripts) {
		before := len(b.made)
		s := RepairSource{Kind: "transcript", Name: path}
		if err := b.file(ctx, path); err != nil {
			if ctx.Err() != nil {
				return ctx.Err()
			}
			s.Problem = err.Error()
		}
		s.Events = uint64(len(b.made) - before)
		if s.Events > 0 || s.Problem != "" || o.Transcripts == "" {
			out.Sources = append(out.Sources, s)
		}
	}
	out.Rebuilt = l.rebuilt + uint64(len(b.made))
	if o.DryRun {
		return nil
	}
	added, err := b.append(ctx)
	out.Added += uint64(added)
	return err
}

// append takes the rebuilt events into the log, oldest first.
func (b *rebuilder) append(ctx context.Context) (int, error) {
	slices.SortStableFunc(b.made, func(x, y events.Envelope) int { return x.Time.Compare(y.Time) })
	total := 0
	for batch := range slices.Chunk(b.made, importBatch) {
		if err := ctx.Err(); err != nil {
			return total, err
		}
		n, err := b.d.takeIn(ctx, batch)
		if total += n; err != nil {
			return total, err
		}
	}
	return total, nil
}

// load finds the sessions that were at work around the lost ranges, and what the log has of them.
func (b *rebuilder) load(ctx context.Context, l *losses) error {
	b.known, b.states = map[string]map[string]bool{}, map[string]session.State{}
	for id, x := range l.extents {
		if l.deleted[id] {
			continue
		}
		for _, w := range b.windows {
			if !x.last.Before(w.from) && !x.first.After(w.to) {
				b.known[id] = map[string]bool{}
			}
		}
	}
	if len(b.known) == 0 {
		return nil
	}
	err := b.d.view.Read(ctx, func(r projector.Reader) error {
		for id := range b.known {
			b.states[id], _ = projector.State[session.State](r, session.Name, id)
		}
		return nil
	})
	if err != nil {
		return err
	}
	return b.d.stream.Read(ctx, 1, 0, func(r events.Record) error {
		if set := b.known[r.Session]; set != nil {
			if key := keyOf(r.Event); key != "" {
				set[key] = true
			}
		}
		return nil
	})
}

// files are the transcripts in the folder, or those that the sessions named, with those of their subagents, which the
// client keeps in a folder beside.
func (b *rebuilder) files(dir string) []string {
	var out []string
	if dir == "" {
		for _, s := range b.states {
			if s.Transcript != "" {
				out = append(out, s.Transcript)
				agents, _ := filepath.Glob(filepath.Join(strings.TrimSuffix(s.Transcript, transcriptSuffix), "subagents", "*"+transcriptSuffix)) // a bad pattern finds none
				out = append(out, agents...)
			}
		}
	} else {
		_ = filepath.WalkDir(dir, func(path string, e fs.DirEntry, err error) error {
			if err == nil && !e.IsDir() && strings.HasSuffix(path, transcriptSuffix) {
				out = append(out, path)
			}
			return nil // what cannot be looked into has nothing for us
		})
	}
	slices.Sort(out)
	return slices.Compact(out)
}

// transcriptSuffix ends the names of transcripts.
const transcriptSuffix = ".jsonl"

// maxTranscriptLine bounds a line in memory; one with several pasted images is a few MB. A longer one is passed over.
const maxTranscriptLine = 64 << 20

func (b *rebuilder) file(ctx context.Context, path string) error {
	info, err := os.Stat(path)
	if err != nil {
		return err
	}
	if !info.Mode().IsRegular() { // whoever sends a hook names it: a pipe would never end
		return fmt.Errorf("%s is no regular file", path)
	}
	f, err := os.Open(path)
	if err != nil {
		return err
	}
	defer f.Close()
	return eachLine(f, maxTranscriptLine, func(text []byte) error {
		if err := ctx.Err(); err != nil {
			return err
		}
		var line transcriptLine
		if json.Unmarshal(text, &line) != nil || b.known[line.Session] == nil {
			return nil // a torn last line, or another session's
		}
		return b.line(line, path)
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

// line makes the events of one line.
func (b *rebuilder) line(line transcriptLine, path string) error {
	var parts []transcriptPart
	var text string
	if json.Unmarshal(line.Message.Content, &text) == nil {
		parts = []transcriptPart{{Type: "text", Text: text}}
	} else if json.Unmarshal(line.Message.Content, &parts) != nil {
		return nil
	}
	common := events.Common{SessionID: line.Session, TranscriptPath: path, Cwd: line.Cwd, PermissionMode: line.Mode, AgentID: line.Agent}
	for _, p := range parts {
		var e events.Event
		switch {
		case line.Type == "assistant" && p.Type == "tool_use":
			b.calls[p.ID] = p
			common.HookEventName = "PreToolUse"
			e = &events.ToolRequested{Common: common, ToolName: p.Name, ToolInput: p.Input, ToolUseID: p.ID}
		case line.Type == "user" && p.Type == "tool_result":
			e = b.outcome(common, line, p)
		case line.Type == "user" && p.Type == "text" && !line.Side && !line.Meta && !line.Summary && typed(p.Text):
			common.HookEventName = "UserPromptSubmit"
			e = &events.PromptSubmitted{Common: common, Prompt: p.Text}
		default:
			continue
		}
		if err := b.make(line, e); err != nil {
			return err
		}
	}
	return nil
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

func (b *rebuilder) outcome(common events.Common, line transcriptLine, p transcriptPart) events.Event {
	call := b.calls[p.ToolUseID]
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

// make keeps the event when the log lacks it and it falls into a lost range's time.
func (b *rebuilder) make(line transcriptLine, e events.Event) error {
	at := slices.IndexFunc(b.windows, func(w window) bool { return !line.Time.Before(w.from) && !line.Time.After(w.to) })
	if at < 0 {
		return nil
	}
	data, err := json.Marshal(e)
	if err != nil {
		return fmt.Errorf("encode %s: %w", e.Type(), err)
	}
	data, report := b.d.redactor.JSON(data)
	put := b.d.ground.Blobs().Put
	if b.dry {
		put = digestOnly
	}
	if data, err = hook.Cut(data, put); err != nil {
		return err
	}
	k, _ := events.Lookup(e.Type())
	clean := events.Decode(k.Type, k.Version(), data)
	key := keyOf(clean)
	if b.known[line.Session][key] {
		return nil
	}
	b.known[line.Session][key] = true
	s := b.states[line.Session]
	b.made = append(b.made, events.Envelope{ID: idOf(line.Time, line.Session+" "+key), Type: k.Type, Version: k.Version(),
		Time: line.Time.UTC().Truncate(time.Millisecond), Session: line.Session, Project: s.Project, Worktree: s.Worktree, Branch: b.d.clean(line.Branch),
		Phase: hook.PhaseOf(clean), Hook: k.Hook, ToolUseID: hook.ToolUseID(clean), AgentID: line.Agent, Correlation: line.Session,
		Causation: causedByLoss + b.windows[at].LostRange.String(), Redacted: report.Count,
		Facts: &events.Facts{Note: "rebuilt from the transcript"}, Data: data})
	return nil
}

// digestOnly stands for the blob store in a dry run.
func digestOnly(content []byte) (string, error) {
	sum := sha256.Sum256(content)
	return "sha256:" + hex.EncodeToString(sum[:]), nil
}

// idOf is a ULID that the same line always gives, so that two repairs make one event.
func idOf(at time.Time, key string) string {
	var id ulid.ULID
	ms := uint64(max(0, at.UnixMilli()))
	var b [8]byte
	binary.BigEndian.PutUint64(b[:], ms)
	copy(id[:6], b[2:])
	sum := sha256.Sum256([]byte(key))
	copy(id[6:], sum[:10])
	return id.String()
}
