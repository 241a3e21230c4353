package e2e

import (
	"bytes"
	"encoding/json"
	"fmt"
	"net/http"
)

// reply is a message of the Messages API.
type reply struct {
	ID           string         `json:"id"`
	Type         string         `json:"type"`
	Role         string         `json:"role"`
	Model        string         `json:"model"`
	Content      []block        `json:"content"`
	StopReason   *string        `json:"stop_reason"`
	StopSequence *string        `json:"stop_sequence"`
	Usage        map[string]int `json:"usage"`
}

// block is a content block: text, or a tool call. Text is a pointer because a started text block says "text":"".
type block struct {
	Type  string          `json:"type"`
	Text  *string         `json:"text,omitempty"`
	ID    string          `json:"id,omitempty"`
	Name  string          `json:"name,omitempty"`
	Input json.RawMessage `json:"input,omitempty"`
}

// textChunk is the length in bytes of one text delta, so that a client sees text grow.
const textChunk = 80

// writeStream sends m as server-sent events: message_start, the blocks each started, filled and stopped, then
// message_delta with the stop reason and message_stop.
func writeStream(w http.ResponseWriter, m *reply) {
	w.Header().Set("Content-Type", "text/event-stream; charset=utf-8")
	opening := *m
	opening.Content, opening.StopReason = []block{}, nil
	send(w, "message_start", map[string]any{"message": opening})
	for i, b := range m.Content {
		writeBlock(w, i, b)
	}
	send(w, "message_delta", map[string]any{
		"delta": map[string]any{"stop_reason": m.StopReason, "stop_sequence": nil}, "usage": m.Usage})
	send(w, "message_stop", map[string]any{})
}

func writeBlock(w http.ResponseWriter, i int, b block) {
	start, deltas := b, []map[string]any{}
	if b.Type == "text" {
		empty := ""
		start.Text = &empty
		for rest := []byte(*b.Text); len(rest) > 0; {
			var chunk []byte
			chunk, rest = cutText(rest, textChunk)
			deltas = append(deltas, map[string]any{"type": "text_delta", "text": string(chunk)})
		}
	} else {
		start.Input = json.RawMessage(`{}`)
		deltas = append(deltas, map[string]any{"type": "input_json_delta", "partial_json": string(b.Input)})
	}
	send(w, "content_block_start", map[string]any{"index": i, "content_block": start})
	for _, d := range deltas {
		send(w, "content_block_delta", map[string]any{"index": i, "delta": d})
	}
	send(w, "content_block_stop", map[string]any{"index": i})
}

// cutText splits after at most n bytes, never inside a UTF-8 sequence.
func cutText(text []byte, n int) (head, rest []byte) {
	if len(text) <= n {
		return text, nil
	}
	for n > 1 && text[n]&0xC0 == 0x80 {
		n--
	}
	return text[:n], text[n:]
}

// send writes one event. A client that went away is no failure of the stand-in, so the error of the write is dropped.
func send(w http.ResponseWriter, event string, data map[string]any) {
	data["type"] = event
	text, err := json.Marshal(data)
	if err != nil {
		text = []byte(fmt.Sprintf(`{"type":"error","error":{"type":"api_error","message":%q}}`, err.Error()))
	}
	fmt.Fprintf(w, "event: %s\ndata: %s\n\n", event, text)
	if f, ok := w.(http.Flusher); ok {
		f.Flush()
	}
}

func writeJSON(w http.ResponseWriter, status int, value any) {
	var text bytes.Buffer
	if err := json.NewEncoder(&text).Encode(value); err != nil {
		http.Error(w, err.Error(), http.StatusInternalServerError)
		return
	}
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	_, _ = w.Write(text.Bytes())
}

// writeFault answers with an error in the API's own form.
func writeFault(w http.ResponseWriter, f *Fault) {
	if f.Status == 0 {
		f = &Fault{Status: http.StatusInternalServerError, Type: f.Type, Message: f.Message}
	}
	kind := f.Type
	if kind == "" {
		kind = "api_error"
	}
	writeJSON(w, f.Status, map[string]any{"type": "error", "error": map[string]string{"type": kind, "message": f.Message}})
}
