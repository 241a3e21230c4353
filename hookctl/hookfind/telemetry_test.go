package main

import (
	"compress/gzip"
	"errors"
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
	otlp "go.opentelemetry.io/proto/otlp/trace/v1"
	"google.golang.org/protobuf/proto"

	"hookline/events"
	"hookline/expect"
)

// receiver is an OTLP receiver that keeps the requests.
type receiver struct {
	mu       sync.Mutex
	raw      strings.Builder
	requests []*collector.ExportTraceServiceRequest
	err      error // of the last request that was not as it should be
}

func (r *receiver) ServeHTTP(_ http.ResponseWriter, req *http.Request) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if err := r.add(req); err != nil {
		r.err = fmt.Errorf("request of %s with headers %v: %w", req.URL.Path, req.Header, err)
	}
}

func (r *receiver) add(req *http.Request) error {
	if req.URL.Path != "/v1/traces" {
		return errors.New("want the path /v1/traces")
	}
	if req.Header.Get("Content-Type") != "application/x-protobuf" {
		return errors.New("want the content type application/x-protobuf")
	}

	body := io.Reader(req.Body)
	if req.Header.Get("Content-Encoding") == "gzip" {
		var err error
		body, err = gzip.NewReader(req.Body)
		if err != nil {
			return err
		}
	}
	data, err := io.ReadAll(body)
	if err != nil {
		return err
	}
	r.raw.Write(data)

	var request collector.ExportTraceServiceRequest
	if err := proto.Unmarshal(data, &request); err != nil {
		return err
	}
	r.requests = append(r.requests, &request)
	return nil
}

// spans returns all spans that were received.
func (r *receiver) spans() []*otlp.Span {
	var spans []*otlp.Span
	for _, request := range r.requests {
		for _, rs := range request.ResourceSpans {
			for _, ss := range rs.ScopeSpans {
				spans = append(spans, ss.Spans...)
			}
		}
	}
	return spans
}

// describe returns a sorted line for each span: its name, its parent, its duration and the attributes that are tested.
func describe(spans []*otlp.Span) []string {
	names := map[string]string{}
	for _, s := range spans {
		names[string(s.SpanId)] = s.Name
	}

	var lines []string
	for _, s := range spans {
		seconds := (s.EndTimeUnixNano - s.StartTimeUnixNano) / 1e9
		parent := names[string(s.ParentSpanId)]
		lines = append(lines, fmt.Sprintf("%s < %s, %d s, %s", s.Name, parent, seconds, attributesOf(s)))
	}
	slices.Sort(lines)
	return lines
}

// attributesOf returns the attributes of a span that are tested, as text.
func attributesOf(s *otlp.Span) string {
	tested := []string{
		"gen_ai.tool.name",
		"gen_ai.tool.call.id",
		"gen_ai.request.model",
		"gen_ai.conversation.id",
		"error.type",
	}
	var words []string
	for _, a := range s.Attributes {
		if slices.Contains(tested, a.Key) {
			words = append(words, a.Key+"="+a.Value.GetStringValue())
		}
	}
	slices.Sort(words)
	return strings.Join(words, " ")
}

// A prompt is a trace of its calls and subagents, and no text of the session is sent.
func TestTraces(t *testing.T) {
	r := &receiver{}
	srv := httptest.NewServer(r)
	defer srv.Close()

	explore := events.Common{AgentID: "a1", AgentType: "Explore"}
	session := []events.Event{
		&events.SessionStarted{Model: "claude-opus-5-5"},
		&events.ToolRequested{ToolName: "Bash", ToolUseID: "0"}, // before the first prompt: not in a trace
		&events.PromptSubmitted{Prompt: "s3cret words"},
		&events.ToolRequested{ToolName: "Bash", ToolUseID: "1", ToolInput: []byte(`{"command":"s3cret"}`)},
		&events.SubagentStarted{Common: explore},
		&events.ToolRequested{Common: explore, ToolName: "Read", ToolUseID: "2"},
		&events.ToolFailed{ToolUseID: "1", Error: "s3cret"},
		&events.ToolSucceeded{Common: explore, ToolUseID: "2", ToolResponse: []byte(`"s3cret"`)},
		&events.SubagentStopped{Common: explore, LastAssistantMessage: "s3cret"},
		&events.TurnStopped{LastAssistantMessage: "s3cret"},
		&events.PromptSubmitted{Prompt: "again"},
		&events.ToolRequested{ToolName: "Edit", ToolUseID: "3"},
		&events.TurnFailed{Error: "rate_limit", ErrorDetails: "s3cret"},
		&events.SessionEnded{},
		&events.PromptSubmitted{},
		&events.TurnInterrupted{},
	}
	clients := map[int]string{14: events.Codex, 15: events.Codex} // of the last prompt

	expect.OK(t, sendTraces(t.Context(), srv.URL, func(add func(events.Record)) error {
		for i, e := range session {
			add(events.Record{Seq: uint64(i), Event: e, Envelope: events.Envelope{
				ID:      fmt.Sprint(i),
				Session: "s-1",
				Project: "p",
				Client:  clients[i],
				Time:    time.Unix(1_800_000_000+int64(i), 0),
			}})
		}
		return nil
	}))
	expect.OK(t, r.err)

	got := describe(r.spans())
	want := []string{
		"execute_tool Bash < invoke_agent Claude Code, 3 s, " +
			"error.type=tool_error gen_ai.conversation.id=s-1 gen_ai.tool.call.id=1 gen_ai.tool.name=Bash",
		"execute_tool Edit < invoke_agent Claude Code, 1 s, " +
			"gen_ai.conversation.id=s-1 gen_ai.tool.call.id=3 gen_ai.tool.name=Edit",
		"execute_tool Read < invoke_agent Explore, 2 s, " +
			"gen_ai.conversation.id=s-1 gen_ai.tool.call.id=2 gen_ai.tool.name=Read",
		"invoke_agent Claude Code < , 2 s, " +
			"error.type=rate_limit gen_ai.conversation.id=s-1 gen_ai.request.model=claude-opus-5-5",
		"invoke_agent Claude Code < , 7 s, gen_ai.conversation.id=s-1 gen_ai.request.model=claude-opus-5-5",
		"invoke_agent Codex < , 1 s, gen_ai.conversation.id=s-1",
		"invoke_agent Explore < invoke_agent Claude Code, 4 s, gen_ai.conversation.id=s-1",
	}
	if !slices.Equal(got, want) {
		t.Errorf("spans =\n  %s\nwant\n  %s", strings.Join(got, "\n  "), strings.Join(want, "\n  "))
	}

	traces := map[string]bool{}
	for _, s := range r.spans() {
		traces[string(s.TraceId)] = true
	}
	expect.Equal(t, len(traces), 3, "number of traces, one a prompt")
	expect.Equal(t, strings.Contains(r.raw.String(), "s3cret"), false, "a text of the session was sent")
}

// The log of a receiver that answers garbage each time stays small.
func TestErrorLogger(t *testing.T) {
	var log strings.Builder
	write := errorLogger(&log)
	for range 3 {
		write(fmt.Errorf("malformed HTTP response %q", strings.Repeat("\x00\xff", 4096)))
	}
	write(io.ErrUnexpectedEOF)

	lines := strings.Split(strings.TrimSpace(log.String()), "\n")
	expect.Equal(t, len(lines), 2, "number of lines of the same error three times and another one")
	if log.Len() > 800 {
		t.Errorf("size of the log = %d bytes, want at most 800", log.Len())
	}
	if !strings.Contains(lines[0], `msg="send traces"`) {
		t.Errorf("first line of the log = %q, want it to say that traces were sent", lines[0])
	}
}
