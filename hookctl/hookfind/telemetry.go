package main

import (
	"cmp"
	"context"
	"errors"
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
// Names and attributes are those of the GenAI conventions of version 1.37.0. No text of a session is sent: no prompt, no
// input and no output of a tool, no words of an error.

const (
	conventions = "https://opentelemetry.io/schemas/1.37.0"
	sendWithin  = 5 * time.Second
	mostOpen    = 1000 // spans of a session; the client does not end every call
	mostSaid    = 200  // bytes of a trouble, which may quote what the receiver answered
)

// traces sends the spans of the events that follow gives, until it returns, to an OTLP receiver; in its URL the path is
// /v1/traces where there is none.
func traces(ctx context.Context, receiver string, follow func(func(events.Record)) error) error {
	to, err := url.Parse(receiver)
	if err != nil {
		return errors.New("the URL cannot be read") // it may hold a key
	}
	if to.Path == "" || to.Path == "/" {
		to.Path = "/v1/traces"
	}
	otel.SetErrorHandler(otel.ErrorHandlerFunc(trouble(os.Stderr)))
	out, err := otlptracehttp.New(ctx, otlptracehttp.WithEndpointURL(to.String()), otlptracehttp.WithTimeout(sendWithin))
	if err != nil {
		return err
	}
	about := resource.NewWithAttributes(conventions, attribute.String("service.name", "hookline"), attribute.String("service.version", wire.Build))
	provider := sdk.NewTracerProvider(sdk.WithBatcher(out), sdk.WithResource(about))
	t := &tracer{spans: provider.Tracer("hookline", trace.WithSchemaURL(conventions), trace.WithInstrumentationVersion(wire.Build)), sessions: map[string]*session{}}

	err = follow(t.take)
	for _, s := range t.sessions {
		s.end(time.Now(), "")
	}
	last, cancel := context.WithTimeout(context.WithoutCancel(ctx), sendWithin)
	defer cancel()
	return errors.Join(err, provider.Shutdown(last))
}

// trouble returns what writes the SDK's errors, a line each, to the daemon's log; the same error again and again is written
// once.
func trouble(log io.Writer) func(error) {
	var mu sync.Mutex
	last := ""
	return func(err error) {
		mu.Lock()
		defer mu.Unlock()
		said := err.Error()
		said = said[:min(len(said), mostSaid)]
		if said == last {
			return
		}
		last = said
		slog.New(slog.NewTextHandler(log, nil)).Warn("send traces", "err", said)
	}
}

// tracer makes spans of events.
type tracer struct {
	spans    trace.Tracer
	sessions map[string]*session
}

// session is what is under way in one session: spans, each by its context.
type session struct {
	model  string
	calls  map[string]context.Context // by tool_use_id
	agents map[string]context.Context // by id; "" is the prompt
}

func (t *tracer) take(r events.Record) {
	s := t.sessions[r.Session]
	if s == nil {
		s = &session{calls: map[string]context.Context{}, agents: map[string]context.Context{}}
		t.sessions[r.Session] = s
	}

	switch e := r.Event.(type) {
	case *events.SessionStarted:
		s.model = e.Model
	case *events.PromptSubmitted:
		s.end(r.Time, "")
		name := "Claude Code"
		provider := "anthropic"
		if r.Client == events.Codex {
			name = "Codex"
			provider = "openai"
		}
		prompt := t.begin(context.Background(), r, "invoke_agent", name,
			attribute.String("gen_ai.provider.name", provider), attribute.String("gen_ai.agent.name", name))
		if s.model != "" {
			trace.SpanFromContext(prompt).SetAttributes(attribute.String("gen_ai.request.model", s.model))
		}
		s.agents[""] = prompt
	case *events.ToolRequested:
		within := cmp.Or(s.agents[e.AgentID], s.agents[""])
		if within == nil || e.ToolUseID == "" || len(s.calls) == mostOpen {
			return
		}
		s.calls[e.ToolUseID] = t.begin(within, r, "execute_tool", e.ToolName,
			attribute.String("gen_ai.tool.name", e.ToolName), attribute.String("gen_ai.tool.call.id", e.ToolUseID))
	case *events.ToolSucceeded:
		finish(s.calls, e.ToolUseID, r.Time, "")
	case *events.ToolFailed:
		finish(s.calls, e.ToolUseID, r.Time, "tool_error")
	case *events.SubagentStarted:
		prompt := s.agents[""]
		if prompt == nil || e.AgentID == "" || len(s.agents) == mostOpen {
			return
		}
		s.agents[e.AgentID] = t.begin(prompt, r, "invoke_agent", e.AgentType,
			attribute.String("gen_ai.agent.name", e.AgentType), attribute.String("gen_ai.agent.id", e.AgentID))
	case *events.SubagentStopped:
		finish(s.agents, e.AgentID, r.Time, "")
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

func (t *tracer) begin(in context.Context, r events.Record, operation, name string, more ...attribute.KeyValue) context.Context {
	more = append(more, attribute.String("gen_ai.operation.name", operation), attribute.String("gen_ai.conversation.id", r.Session),
		attribute.String("hookline.event.id", r.ID), attribute.String("hookline.project", r.Project))
	ctx, _ := t.spans.Start(in, operation+" "+name, trace.WithTimestamp(r.Time), trace.WithAttributes(more...))
	return ctx
}

// end ends the prompt and what is still under way in it.
func (s *session) end(at time.Time, failure string) {
	for id := range s.calls {
		finish(s.calls, id, at, "")
	}
	finish(s.agents, "", at, failure)
	for id := range s.agents {
		finish(s.agents, id, at, "")
	}
}

// finish ends a span that is under way and takes it out; a failure is the low-cardinality kind of an error.
func finish(spans map[string]context.Context, id string, at time.Time, failure string) {
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
