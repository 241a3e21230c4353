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
	"hookline/hookctl/verbs"
)

// fake answers with what it was asked.
type fake struct{ err error }

func (f fake) said(args ...any) (string, error) { return fmt.Sprint(args...), f.err }

func (f fake) Find(_ context.Context, q verbs.FindQuestion) (string, error) {
	return f.said("find ", q.Words, " ", q.Error, " ", q.Limit)
}
func (f fake) Session(_ context.Context, name string, steps int) (string, error) {
	return f.said("session ", name, " ", steps)
}
func (f fake) Event(_ context.Context, id string) (string, error) { return f.said("event ", id) }
func (f fake) StateAt(_ context.Context, point, projection, key string) (string, error) {
	return f.said("state ", point, " ", projection, " ", key)
}
func (f fake) Why(_ context.Context, text, session string) (string, error) {
	return f.said("why ", text, " ", session)
}
func (f fake) Decisions(_ context.Context, all bool) (string, error) {
	return f.said("decisions ", all)
}
func (f fake) Sessions(context.Context, int) ([]verbs.SessionRef, error) {
	return []verbs.SessionRef{{ID: "aaaaaaaa-1", Title: "Add retries"}, {ID: "bbbbbbbb-2"}, {ID: "z%/\x1b b"}}, f.err
}

// connected is a client of a server with these answers.
func connected(t *testing.T, a answers) *mcp.ClientSession {
	t.Helper()
	here, there := mcp.NewInMemoryTransports()
	expect.Value(newServer(t.Context(), a).Connect(t.Context(), there, nil))(t)
	c := expect.Value(mcp.NewClient(&mcp.Implementation{Name: "test", Version: "1"}, nil).Connect(t.Context(), here, nil))(t)
	t.Cleanup(func() { _ = c.Close() })
	return c
}

// text is the answer of a tool.
func text(t *testing.T, c *mcp.ClientSession, tool string, args map[string]any) (string, bool) {
	t.Helper()
	r := expect.Value(c.CallTool(t.Context(), &mcp.CallToolParams{Name: tool, Arguments: args}))(t)
	var out []string
	for _, part := range r.Content {
		out = append(out, part.(*mcp.TextContent).Text)
	}
	return strings.Join(out, "\n"), r.IsError
}

func TestTools(t *testing.T) {
	c := connected(t, fake{})
	for _, q := range []struct {
		tool string
		args map[string]any
		want string
	}{
		{"find", map[string]any{"words": "retry", "error": "x", "limit": 3}, "find retry x 3"},
		{"session", map[string]any{"session": "last", "steps": 5}, "session last 5"},
		{"event", map[string]any{"event": "4711"}, "event 4711"},
		{"state_at", map[string]any{"point": "10m", "projection": "working", "key": "s"}, "state 10m working s"},
		{"why", map[string]any{"text": "proxy.go"}, "why proxy.go "},
		{"decisions", map[string]any{"all": true}, "decisions true"},
	} {
		if got, failed := text(t, c, q.tool, q.args); got != q.want || failed {
			t.Errorf("%s: %q, want %q", q.tool, got, q.want)
		}
	}
}

func TestToolsOnlyRead(t *testing.T) {
	list := expect.Value(connected(t, fake{}).ListTools(t.Context(), nil))(t)
	var names []string
	for _, tool := range list.Tools {
		names = append(names, tool.Name)
		a := tool.Annotations
		if a == nil || !a.ReadOnlyHint || *a.DestructiveHint || *a.OpenWorldHint {
			t.Errorf("%s: %+v", tool.Name, a)
		}
		if tool.Description == "" || tool.InputSchema == nil {
			t.Errorf("%s is not described", tool.Name)
		}
	}
	slices.Sort(names)
	if want := []string{"decisions", "event", "find", "session", "state_at", "why"}; !slices.Equal(names, want) {
		t.Errorf("tools %v", names)
	}
}

func TestToolFails(t *testing.T) {
	c := connected(t, fake{err: errors.New("there is no session \"x\"")})
	for want, args := range map[string]map[string]any{"there is no session": {"session": "x"}, "other": {"other": true}} {
		if got, failed := text(t, c, "session", args); !failed || !strings.Contains(got, want) {
			t.Errorf("%q, error %v", got, failed)
		}
	}
}

func TestResources(t *testing.T) {
	c := connected(t, fake{})
	list, err := c.ListResources(t.Context(), nil)
	if err != nil || len(list.Resources) != 3 || list.Resources[0].URI != "hookline://session/aaaaaaaa-1" || list.Resources[0].Title != "Add retries" || list.Resources[1].Title != "bbbbbbbb-2" {
		t.Fatalf("%+v %v", list, err)
	}
	for uri, want := range map[string]string{"hookline://session/aaaaaaaa-1": "session aaaaaaaa-1 200", "hookline://session/last": "session last 200",
		"hookline://session/z%25%2F%1B%20b": "session z%/\x1b b 200"} {
		r, err := c.ReadResource(t.Context(), &mcp.ReadResourceParams{URI: uri})
		if err != nil || r.Contents[0].Text != want {
			t.Errorf("%s: %+v %v", uri, r, err)
		}
	}
	if _, err := c.ReadResource(t.Context(), &mcp.ReadResourceParams{URI: "file:///etc/passwd"}); err == nil {
		t.Error("a file is read")
	}
}
