package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net/url"
	"os"
	"sync"
	"time"

	"go.opentelemetry.io/otel"
	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/codes"
	"go.opentelemetry.io/otel/exporters/otlp/otlptrace/otlptracehttp"
	"go.opentelemetry.io/otel/sdk/resource"
	sdk "go.opentelemetry.io/otel/sdk/trace"
	"go.opentelemetry.io/otel/trace"

	"hookline/events"
	"hookline/hookctl/wire"
)

// Traces of OpenTelemetry, made of events and sent by OTLP over HTTP:
//
//	invoke_agent Claude Code      a prompt and its turn: the root of a trace
//	  execute_tool Bash           a call, from its request to its outcome
//	  invoke_agent Explore        a subagent, with its own calls
//
// Names and attributes are those of the GenAI conventions of version 1.37.0. No text of a session is sent: no prompt,
// no input and no output of a tool, no words of an error.

const (
	conventions     = "https://opentelemetry.io/schemas/1.37.0"
	sendTimeout     = 5 * time.Second
	maxOpenSpans    = 1000 // of a session; the client does not end every call
	maxErrorMessage = 200  // bytes; a message may quote the receiver's answer
)

// sendTraces sends the spans of the events that follow gives, until it returns, to an OTLP receiver. The path of a URL
// without one is /v1/traces.
func sendTraces(ctx context.Context, receiver string, follow func(func(events.Record)) error) error {
	endpoint, err := url.Parse(receiver)
	if err != nil {
		return errors.New("the URL cannot be read") // without the URL, which may hold a key
	}
	if endpoint.Path == "" || endpoint.Path == "/" {
		endpoint.Path = "/v1/traces"
	}

	otel.SetErrorHandler(otel.ErrorHandlerFunc(errorLogger(os.Stderr)))
	exporter, err := otlptracehttp.New(ctx,
		otlptracehttp.WithEndpointURL(endpoint.String()),
		otlptracehttp.WithTimeout(sendTimeout),
	)
	if err != nil {
		return fmt.Errorf("prepare to send traces: %w", err)
	}
	service := resource.NewWithAttributes(conventions,
		attribute.String("service.name", "hookline"),
		attribute.String("service.version", wire.Build),
	)
	provider := sdk.NewTracerProvider(sdk.WithBatcher(exporter), sdk.WithResource(service))

	t := newTracer(provider.Tracer("hookline",
		trace.WithSchemaURL(conventions),
		trace.WithInstrumentationVersion(wire.Build),
	))
	err = follow(t.add)
	t.endAll(time.Now())

	grace, cancel := context.WithTimeout(context.WithoutCancel(ctx), sendTimeout)
	defer cancel()
	return errors.Join(err, provider.Shutdown(grace))
}

// errorLogger returns a function that writes the SDK's errors to a log, a line each. An error that repeats the one
// before is not written.
func errorLogger(log io.Writer) func(error) {
	logger := slog.New(slog.NewTextHandler(log, nil))
	var mu sync.Mutex
	previous := ""

	return func(err error) {
		mu.Lock()
		defer mu.Unlock()

		message := err.Error()
		message = message[:min(len(message), maxErrorMessage)]
		if message == previous {
			return
		}
		previous = message
		logger.Warn("send traces", "err", message)
	}
}

// tracer makes spans of events.
type tracer struct {
	spans    trace.Tracer
	sessions map[string]*session
}

func newTracer(spans trace.Tracer) *tracer {
	return &tracer{spans: spans, sessions: map[string]*session{}}
}

// session holds the open spans of one session, each by its context.
type session struct {
	model  string
	calls  map[string]context.Context // by tool_use_id
	agents map[string]context.Context // by id; "" is the prompt
}

// session returns the session of an event.
func (t *tracer) session(r events.Record) *session {
	s := t.sessions[r.Session]
	if s == nil {
		s = &session{calls: map[string]context.Context{}, agents: map[string]context.Context{}}
		t.sessions[r.Session] = s
	}
	return s
}

// add begins and ends the spans that an event begins and ends.
func (t *tracer) add(r events.Record) {
	s := t.session(r)

	switch e := r.Event.(type) {
	case *events.SessionStarted:
		s.model = e.Model
	case *events.PromptSubmitted:
		s.end(r.Time, "")
		s.agents[""] = t.startPrompt(r, s.model)
	case *events.ToolRequested:
		t.startCall(s, r, e)
	case *events.ToolSucceeded:
		endSpan(s.calls, e.ToolUseID, r.Time, "")
	case *events.ToolFailed:
		endSpan(s.calls, e.ToolUseID, r.Time, "tool_error")
	case *events.SubagentStarted:
		t.startSubagent(s, r, e)
	case *events.SubagentStopped:
		endSpan(s.agents, e.AgentID, r.Time, "")
	case *events.TurnStopped:
		if len(e.BackgroundTasks) == 0 {
			s.end(r.Time, "")
		}
	case *events.TurnFailed:
		s.end(r.Time, e.Error)
	case *events.TurnInterrupted:
		s.end(r.Time, "")
	case *events.SessionEnded, *events.SessionReaped, *events.SessionDeleted:
		s.end(r.Time, "")
		delete(t.sessions, r.Session)
	}
}

// endAll ends all open spans.
func (t *tracer) endAll(at time.Time) {
	for _, s := range t.sessions {
		s.end(at, "")
	}
}

// startPrompt begins the trace of a prompt.
func (t *tracer) startPrompt(r events.Record, model string) context.Context {
	agent, provider := "Claude Code", "anthropic"
	if r.Client == events.Codex {
		agent, provider = "Codex", "openai"
	}

	attributes := []attribute.KeyValue{
		attribute.String("gen_ai.provider.name", provider),
		attribute.String("gen_ai.agent.name", agent),
	}
	if model != "" {
		attributes = append(attributes, attribute.String("gen_ai.request.model", model))
	}
	return t.start(context.Background(), r, operation{kind: "invoke_agent", name: agent, attributes: attributes})
}

// startCall begins the span of a call, below its subagent or its prompt.
func (t *tracer) startCall(s *session, r events.Record, e *events.ToolRequested) {
	parent := cmp.Or(s.agents[e.AgentID], s.agents[""])
	if parent == nil || e.ToolUseID == "" || len(s.calls) == maxOpenSpans {
		return
	}
	attributes := []attribute.KeyValue{
		attribute.String("gen_ai.tool.name", e.ToolName),
		attribute.String("gen_ai.tool.call.id", e.ToolUseID),
	}
	call := operation{kind: "execute_tool", name: e.ToolName, attributes: attributes}
	s.calls[e.ToolUseID] = t.start(parent, r, call)
}

// startSubagent begins the span of a subagent, below its prompt.
func (t *tracer) startSubagent(s *session, r events.Record, e *events.SubagentStarted) {
	prompt := s.agents[""]
	if prompt == nil || e.AgentID == "" || len(s.agents) == maxOpenSpans {
		return
	}
	attributes := []attribute.KeyValue{
		attribute.String("gen_ai.agent.name", e.AgentType),
		attribute.String("gen_ai.agent.id", e.AgentID),
	}
	subagent := operation{kind: "invoke_agent", name: e.AgentType, attributes: attributes}
	s.agents[e.AgentID] = t.start(prompt, r, subagent)
}

// operation describes a span: the kind in the conventions, the name of the tool or the agent, and attributes.
type operation struct {
	kind, name string
	attributes []attribute.KeyValue
}

// start begins a span at an event and returns its context.
func (t *tracer) start(parent context.Context, r events.Record, o operation) context.Context {
	attributes := append(o.attributes,
		attribute.String("gen_ai.operation.name", o.kind),
		attribute.String("gen_ai.conversation.id", r.Session),
		attribute.String("hookline.event.id", r.ID),
		attribute.String("hookline.project", r.Project),
	)
	name := o.kind + " " + o.name
	ctx, _ := t.spans.Start(parent, name, trace.WithTimestamp(r.Time), trace.WithAttributes(attributes...))

	return ctx
}

// end ends the prompt with everything that is still open in it. failure is the reason of a prompt that failed, or "".
func (s *session) end(at time.Time, failure string) {
	for id := range s.calls {
		endSpan(s.calls, id, at, "")
	}
	endSpan(s.agents, "", at, failure)
	for id := range s.agents {
		endSpan(s.agents, id, at, "")
	}
}

// endSpan ends an open span and removes it. failure is the kind of an error, of which there are few, or "".
func endSpan(spans map[string]context.Context, id string, at time.Time, failure string) {
	ctx, ok := spans[id]
	if !ok {
		return
	}
	delete(spans, id)

	span := trace.SpanFromContext(ctx)
	if failure != "" {
		span.SetStatus(codes.Error, "")
		span.SetAttributes(attribute.String("error.type", failure))
	}
	span.End(trace.WithTimestamp(at))
}
