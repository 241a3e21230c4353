//go:build linux

package conversations

import (
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"strings"
	"testing"
	"time"

	collector "go.opentelemetry.io/proto/otlp/collector/trace/v1"
	"google.golang.org/protobuf/proto"

	"hookline/expect"
)

// The daemon sends what hooks tell to the receiver of the user's configuration, and the program that does so ends with it.
func TestTraces(t *testing.T) {
	names := make(chan string, 10_000)
	srv := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		var got collector.ExportTraceServiceRequest
		data, err := io.ReadAll(r.Body)
		if err != nil || proto.Unmarshal(data, &got) != nil {
			t.Error("what came is no OTLP")
		}
		if strings.Contains(string(data), "planted") {
			t.Error("a text of the session was sent")
		}
		for _, rs := range got.ResourceSpans {
			for _, ss := range rs.ScopeSpans {
				for _, s := range ss.Spans {
					names <- s.Name
				}
			}
		}
	}))
	defer srv.Close()

	h := newHome(t)
	h.verb(t, "config", "set", "otel", srv.URL)
	h.verb(t, "start")
	turn := func(n int) {
		for _, hook := range [][2]string{{"UserPromptSubmit", `"prompt":"planted"`}, {"PreToolUse", `"tool_name":"Bash","tool_use_id":"t","tool_input":{"command":"planted"}`},
			{"PostToolUse", `"tool_name":"Bash","tool_use_id":"t","tool_input":{"command":"planted"},"tool_response":{"stdout":"planted"}`}, {"Stop", `"stop_hook_active":false`}} {
			h.hook(t, hook[0], fmt.Sprintf(`{"session_id":"s-%d","hook_event_name":%q,"cwd":%q,%s}`, n, hook[0], h.dir, hook[1]))
		}
	}

	seen := map[string]bool{}
	until := time.Now().Add(time.Minute)
	for n := 0; !seen["execute_tool Bash"] || !seen["invoke_agent Claude Code"]; n++ { // it sees what comes behind its own start
		if time.Now().After(until) {
			t.Fatalf("only %v came", seen)
		}
		turn(n)
		select {
		case name := <-names:
			seen[name] = true
		case <-time.After(time.Second):
		}
		for len(names) > 0 {
			seen[<-names] = true
		}
	}
	h.verb(t, "stop")
	expect.OK(t, eventually(func() error { return wantCount("processes", "0", len(processesOf(filepath.Dir(h.state())))) }))
}
