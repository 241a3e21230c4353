package main

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"hookline/expect"
	agents "hookline/hookctl/verbs/mcp"
)

// echo answers every question with its arguments, and with err.
type echo struct{ err error }

func (e echo) answer(args ...any) (string, error) { return fmt.Sprint(args...), e.err }

func (e echo) Find(_ context.Context, q agents.FindQuestion) (string, error) {
	return e.answer("find ", q.Words, " ", q.Error, " ", q.Limit)
}

func (e echo) Session(_ context.Context, name string, steps int) (string, error) {
	return e.answer("session ", name, " ", steps)
}

func (e echo) Event(_ context.Context, id string) (string, error) {
	return e.answer("event ", id)
}

func (e echo) File(_ context.Context, q agents.FileQuestion) (string, error) {
	return e.answer("file ", q.Path, " ", q.At, " ", q.From)
}

func (e echo) StateAt(_ context.Context, point, projection, key string) (string, error) {
	return e.answer("state ", point, " ", projection, " ", key)
}

func (e echo) Why(_ context.Context, text, session string) (string, error) {
	return e.answer("why ", text, " ", session)
}

func (e echo) Decisions(_ context.Context, all bool) (string, error) {
	return e.answer("decisions ", all)
}

func (e echo) Sessions(context.Context, int) ([]agents.SessionRef, error) {
	return []agents.SessionRef{{ID: "aaaaaaaa-1", Title: "Add retries"}, {ID: "bbbbbbbb-2"}, {ID: "z%/\x1b b"}}, e.err
}

// connect returns a client of a server with the given answers.
func connect(t *testing.T, a answers) *mcp.ClientSession {
	t.Helper()
	clientEnd, serverEnd := mcp.NewInMemoryTransports()
	expect.Value(newServer(t.Context(), a).Connect(t.Context(), serverEnd, nil))(t)
	client := mcp.NewClient(&mcp.Implementation{Name: "test", Version: "1"}, nil)
	c := expect.Value(client.Connect(t.Context(), clientEnd, nil))(t)
	t.Cleanup(func() { _ = c.Close() })
	return c
}

// callTool returns the text of a tool's answer, and whether it is an error.
func callTool(t *testing.T, c *mcp.ClientSession, tool string, args map[string]any) (text string, isError bool) {
	t.Helper()
	r := expect.Value(c.CallTool(t.Context(), &mcp.CallToolParams{Name: tool, Arguments: args}))(t)
	var parts []string
	for _, part := range r.Content {
		parts = append(parts, part.(*mcp.TextContent).Text)
	}
	return strings.Join(parts, "\n"), r.IsError
}

func TestTools(t *testing.T) {
	c := connect(t, echo{})
	for _, q := range []struct {
		tool string
		args map[string]any
		want string
	}{
		{"find", map[string]any{"words": "retry", "error": "x", "limit": 3}, "find retry x 3"},
		{"session", map[string]any{"session": "last", "steps": 5}, "session last 5"},
		{"event", map[string]any{"event": "4711"}, "event 4711"},
		{"file", map[string]any{"path": "a.go", "at": "10m", "from": 7}, "file a.go 10m 7"},
		{"state_at", map[string]any{"point": "10m", "projection": "working", "key": "s"}, "state 10m working s"},
		{"why", map[string]any{"text": "proxy.go"}, "why proxy.go "},
		{"decisions", map[string]any{"all": true}, "decisions true"},
	} {
		got, isError := callTool(t, c, q.tool, q.args)
		expect.Equal(t, got, q.want, "answer of the tool", q.tool)
		expect.Equal(t, isError, false, "answer of the tool", q.tool, "is an error")
	}
}

func TestToolsOnlyRead(t *testing.T) {
	list := expect.Value(connect(t, echo{}).ListTools(t.Context(), nil))(t)
	var names []string
	for _, tool := range list.Tools {
		names = append(names, tool.Name)
		if tool.Description == "" {
			t.Errorf("tool %s has no description", tool.Name)
		}
		if tool.InputSchema == nil {
			t.Errorf("tool %s has no input schema", tool.Name)
		}
		if tool.Annotations == nil {
			t.Errorf("tool %s has no annotations", tool.Name)
			continue
		}
		expect.Equal(t, tool.Annotations.ReadOnlyHint, true, "read-only hint of the tool", tool.Name)
		expect.Equal(t, *tool.Annotations.DestructiveHint, false, "destructive hint of the tool", tool.Name)
		expect.Equal(t, *tool.Annotations.OpenWorldHint, false, "open-world hint of the tool", tool.Name)
	}

	slices.Sort(names)
	if want := []string{"decisions", "event", "file", "find", "session", "state_at", "why"}; !slices.Equal(names, want) {
		t.Errorf("tools = %v, want %v", names, want)
	}
}

func TestToolFails(t *testing.T) {
	c := connect(t, echo{err: errors.New("there is no session \"x\"")})
	for _, q := range []struct {
		name string
		args map[string]any
		want string
	}{
		{"an error of the answer", map[string]any{"session": "x"}, "there is no session"},
		{"an argument that does not exist", map[string]any{"other": true}, "other"},
	} {
		got, isError := callTool(t, c, "session", q.args)
		expect.Equal(t, isError, true, q.name, "is an error")
		if !strings.Contains(got, q.want) {
			t.Errorf("answer to %s = %q, want it to contain %q", q.name, got, q.want)
		}
	}
}

func TestListResources(t *testing.T) {
	list := expect.Value(connect(t, echo{}).ListResources(t.Context(), nil))(t)
	expect.EqualNow(t, len(list.Resources), 3, "number of resources")
	expect.Equal(t, list.Resources[0].URI, "hookline://session/aaaaaaaa-1", "URI of the first session")
	expect.Equal(t, list.Resources[0].Title, "Add retries", "title of a session")
	expect.Equal(t, list.Resources[1].Title, "bbbbbbbb-2", "title of a session without one")
}

func TestReadResource(t *testing.T) {
	c := connect(t, echo{})
	for uri, want := range map[string]string{
		"hookline://session/aaaaaaaa-1":     "session aaaaaaaa-1 200",
		"hookline://session/last":           "session last 200",
		"hookline://session/z%25%2F%1B%20b": "session z%/\x1b b 200",
	} {
		r := expect.Value(c.ReadResource(t.Context(), &mcp.ReadResourceParams{URI: uri}))(t)
		expect.Equal(t, r.Contents[0].Text, want, "text of", uri)
	}

	if _, err := c.ReadResource(t.Context(), &mcp.ReadResourceParams{URI: "file:///etc/passwd"}); err == nil {
		t.Error("reading the resource file:///etc/passwd = no error, want one")
	}
}
