package main

import (
	"compress/gzip"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	collector "go.opentelemetry.io/proto/otlp/collector/trace/v1"
	wire "go.opentelemetry.io/proto/otlp/trace/v1"
	"google.golang.org/protobuf/proto"

	"hookline/events"
)

// receiver is an OTLP receiver that keeps what it gets.
type receiver struct {
	mu    sync.Mutex
	raw   strings.Builder
	all   []*collector.ExportTraceServiceRequest
	fault error
}

func (r *receiver) ServeHTTP(w http.ResponseWriter, req *http.Request) {
	r.mu.Lock()
	defer r.mu.Unlock()
	body := io.Reader(req.Body)
	if req.Header.Get("Content-Encoding") == "gzip" {
		body, _ = gzip.NewReader(req.Body)
	}
	data, err := io.ReadAll(body)
	var got collector.ExportTraceServiceRequest
	if err == nil {
		err = proto.Unmarshal(data, &got)
	}
	if err != nil || req.URL.Path != "/v1/traces" || req.Header.Get("Content-Type") != "application/x-protobuf" {
		r.fault = fmt.Errorf("%s %v: %w", req.URL.Path, req.Header, err)
	}
	r.raw.Write(data)
	r.all = append(r.all, &got)
}

// lines are the spans, each with its parent, its duration, its status and its attributes.
func (r *receiver) lines() (lines []string, traces map[string]bool) {
	traces = map[string]bool{}
	names := map[string]string{}
	var spans []*wire.Span
	for _, req := range r.all {
		for _, rs := range req.ResourceSpans {
			for _, ss := range rs.ScopeSpans {
				for _, s := range ss.Spans {
					names[string(s.SpanId)] = s.Name
					traces[string(s.TraceId)] = true
					spans = append(spans, s)
				}
			}
		}
	}
	for _, s := range spans {
		var words []string
		for _, a := range s.Attributes {
			if strings.HasPrefix(a.Key, "gen_ai.tool") || strings.HasPrefix(a.Key, "gen_ai.request") || a.Key == "error.type" || a.Key == "gen_ai.conversation.id" {
				words = append(words, a.Key+"="+a.Value.GetStringValue())
			}
		}
		slices.Sort(words)
		lines = append(lines, fmt.Sprintf("%s < %s, %d s, %s", s.Name, names[string(s.ParentSpanId)], (s.EndTimeUnixNano-s.StartTimeUnixNano)/1e9, strings.Join(words, " ")))
	}
	slices.Sort(lines)
	return lines, traces
}

// A prompt is a trace of its calls and subagents, and no text of the session leaves.
func TestTraces(t *testing.T) {
	r := &receiver{}
	srv := httptest.NewServer(r)
	defer srv.Close()
	of := func(agent string) events.Common { return events.Common{AgentID: agent, AgentType: "Explore"} }
	list := []events.Event{
		&events.SessionStarted{Model: "claude-opus-5-5"},
		&events.ToolRequested{ToolName: "Bash", ToolUseID: "0"}, // before a prompt was seen
		&events.PromptSubmitted{Prompt: "s3cret words"},
		&events.ToolRequested{ToolName: "Bash", ToolUseID: "1", ToolInput: []byte(`{"command":"s3cret"}`)},
		&events.SubagentStarted{Common: of("a1")},
		&events.ToolRequested{Common: of("a1"), ToolName: "Read", ToolUseID: "2"},
		&events.ToolFailed{ToolUseID: "1", Error: "s3cret"},
		&events.ToolSucceeded{Common: of("a1"), ToolUseID: "2", ToolResponse: []byte(`"s3cret"`)},
		&events.SubagentStopped{Common: of("a1"), LastAssistantMessage: "s3cret"},
		&events.TurnStopped{LastAssistantMessage: "s3cret"},
		&events.PromptSubmitted{Prompt: "again"},
		&events.ToolRequested{ToolName: "Edit", ToolUseID: "3"},
		&events.TurnFailed{Error: "rate_limit", ErrorDetails: "s3cret"},
		&events.SessionEnded{},
		&events.PromptSubmitted{},
		&events.TurnInterrupted{},
	}
	clients := map[int]string{14: events.Codex, 15: events.Codex}
	err := traces(t.Context(), srv.URL, func(f func(events.Record)) error {
		for i, e := range list {
			f(events.Record{Seq: uint64(i), Event: e, Envelope: events.Envelope{ID: fmt.Sprint(i), Session: "s-1", Project: "p", Client: clients[i], Time: time.Unix(1_800_000_000+int64(i), 0)}})
		}
		return nil
	})
	if err != nil || r.fault != nil {
		t.Fatal(err, r.fault)
	}
	lines, ids := r.lines()
	want := []string{
		"execute_tool Bash < invoke_agent Claude Code, 3 s, error.type=tool_error gen_ai.conversation.id=s-1 gen_ai.tool.call.id=1 gen_ai.tool.name=Bash",
		"execute_tool Edit < invoke_agent Claude Code, 1 s, gen_ai.conversation.id=s-1 gen_ai.tool.call.id=3 gen_ai.tool.name=Edit",
		"execute_tool Read < invoke_agent Explore, 2 s, gen_ai.conversation.id=s-1 gen_ai.tool.call.id=2 gen_ai.tool.name=Read",
		"invoke_agent Claude Code < , 2 s, error.type=rate_limit gen_ai.conversation.id=s-1 gen_ai.request.model=claude-opus-5-5",
		"invoke_agent Claude Code < , 7 s, gen_ai.conversation.id=s-1 gen_ai.request.model=claude-opus-5-5",
		"invoke_agent Codex < , 1 s, gen_ai.conversation.id=s-1",
		"invoke_agent Explore < invoke_agent Claude Code, 4 s, gen_ai.conversation.id=s-1",
	}
	if !slices.Equal(lines, want) || len(ids) != 3 {
		t.Errorf("%d traces:\n%s", len(ids), strings.Join(lines, "\n"))
	}
	if strings.Contains(r.raw.String(), "s3cret") {
		t.Error("a text of the session was sent")
	}
}

// A receiver that answers garbage at each sending fills no log.
func TestTroubleIsSaidOnce(t *testing.T) {
	var log strings.Builder
	say := trouble(&log)
	for range 3 {
		say(fmt.Errorf("malformed HTTP response %q", strings.Repeat("\x00\xff", 4096)))
	}
	say(io.ErrUnexpectedEOF)
	lines := strings.Split(strings.TrimSpace(log.String()), "\n")
	if len(lines) != 2 || len(log.String()) > 800 || !strings.Contains(lines[0], `msg="send traces"`) {
		t.Errorf("%d lines, %d bytes: %s", len(lines), log.Len(), log.String())
	}
}
