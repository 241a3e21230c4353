package e2e

import (
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
	start, delta := b, map[string]any{"type": "input_json_delta", "partial_json": string(b.Input)}
	if b.Type == "text" {
		empty := ""
		start.Text = &empty
		delta = map[string]any{"type": "text_delta", "text": *b.Text}
	} else {
		start.Input = json.RawMessage(`{}`)
	}
	send(w, "content_block_start", map[string]any{"index": i, "content_block": start})
	send(w, "content_block_delta", map[string]any{"index": i, "delta": delta})
	send(w, "content_block_stop", map[string]any{"index": i})
}

// send writes one event. A client that went away is no failure of the stand-in, so the error of the write is dropped.
func send(w http.ResponseWriter, event string, data map[string]any) {
	data["type"] = event
	text, _ := json.Marshal(data) // texts, numbers and what came from JSON
	fmt.Fprintf(w, "event: %s\ndata: %s\n\n", event, text)
	if f, ok := w.(http.Flusher); ok {
		f.Flush()
	}
}

func writeJSON(w http.ResponseWriter, value any) {
	w.Header().Set("Content-Type", "application/json")
	_ = json.NewEncoder(w).Encode(value) // a client that went away is no failure
}
