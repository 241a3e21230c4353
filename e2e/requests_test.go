package e2e

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"
)

// Names of the routes that every scenario has.
const (
	RouteMain  = "main"  // the main thread
	RouteSide  = "side"  // requests without tools
	RouteCount = "count" // token counting
	RouteOther = "other" // paths that the stand-in does not know
)

// Request is one call of the API as the client made it.
type Request struct {
	Path string `json:"path"`
	// Route says who asked; Turn is the index of the answer within its list.
	Route string          `json:"route"`
	Turn  int             `json:"turn"`
	Body  json.RawMessage `json:"body,omitempty"`
}

// Text is everything the model can read in the request: the system prompt and all messages with their tool results.
func (r *Request) Text() string {
	body, err := parseBody(r.Body)
	if err != nil {
		return string(r.Body)
	}
	parts := []string{textOf(body.System)}
	for _, m := range body.Messages {
		parts = append(parts, textOf(m.Content))
	}
	return strings.Join(parts, "\n")
}

// requestBody is the part of a Messages request that routing and assertions read.
type requestBody struct {
	Model    string            `json:"model"`
	Stream   bool              `json:"stream"`
	System   json.RawMessage   `json:"system"`
	Messages []message         `json:"messages"`
	Tools    []json.RawMessage `json:"tools"`
}

type message struct {
	Role    string          `json:"role"`
	Content json.RawMessage `json:"content"`
}

func parseBody(raw []byte) (*requestBody, error) {
	body := &requestBody{}
	if err := json.Unmarshal(raw, body); err != nil {
		return nil, fmt.Errorf("parse request: %w", err)
	}
	return body, nil
}

// user returns the text of the user's first or last message.
func (b *requestBody) user(first bool) string {
	found := ""
	for _, m := range b.Messages {
		if m.Role != "user" {
			continue
		}
		found = textOf(m.Content)
		if first {
			break
		}
	}
	return found
}

// textOf flattens content: a string, or blocks of which text and tool results (nested content) are kept.
func textOf(content json.RawMessage) string {
	var plain string
	if json.Unmarshal(content, &plain) == nil {
		return plain
	}
	var blocks []struct {
		Text    string          `json:"text"`
		Content json.RawMessage `json:"content"`
	}
	if json.Unmarshal(content, &blocks) != nil {
		return ""
	}
	var parts []string
	for _, b := range blocks {
		if b.Text != "" {
			parts = append(parts, b.Text)
		}
		if len(b.Content) > 0 {
			parts = append(parts, textOf(b.Content))
		}
	}
	return strings.Join(parts, "\n")
}

// readLines decodes a file of JSON lines. A file that does not exist yet has none; a last line still being written is
// left out.
func readLines[T any](file string) ([]T, error) {
	f, err := os.Open(file)
	if errors.Is(err, os.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	defer f.Close()
	var all []T
	for in := bufio.NewReader(f); ; {
		line, err := in.ReadBytes('\n')
		if errors.Is(err, io.EOF) {
			return all, nil
		}
		if err != nil {
			return nil, err
		}
		var one T
		if err := json.Unmarshal(line, &one); err != nil {
			return nil, fmt.Errorf("%s: line %d: %w", file, len(all)+1, err)
		}
		all = append(all, one)
	}
}
