package session

import (
	"encoding/json"
	"fmt"
	"slices"
	"testing"
	"time"

	"hookline/events"
)

func callOf(id int, tool, about string) *events.ToolRequested {
	return &events.ToolRequested{ToolName: tool, ToolUseID: fmt.Sprint(id), ToolInput: commandOf(about)}
}

func commandOf(about string) json.RawMessage { return json.RawMessage(`{"command":"` + about + `"}`) }

func repeat(n int, make func(i int) []events.Event) []events.Event {
	var list []events.Event
	for i := range n {
		list = append(list, make(i)...)
	}
	return list
}

func join(lists ...[]events.Event) (all []events.Event) {
	for _, l := range lists {
		all = append(all, l...)
	}
	return all
}

// TestStanding plays the ends of sessions and the ways in which they get nowhere.
func TestStanding(t *testing.T) {
	start := []events.Event{&events.SessionStarted{Source: "startup"}}
	prompt := []events.Event{&events.PromptSubmitted{Prompt: "do it"}}
	call := []events.Event{callOf(1, "Bash", "make")}
	answer := []events.Event{&events.ToolSucceeded{ToolName: "Bash", ToolUseID: "1", ToolInput: commandOf("make")}}
	asked := []events.Event{&events.PermissionRequested{ToolName: "Bash", ToolInput: commandOf("make")}, &events.NotificationSent{}}
	stop := []events.Event{&events.TurnStopped{}}
	fail := func(kind string) []events.Event {
		return []events.Event{&events.TurnFailed{Error: kind, ErrorDetails: "try\nlater"}}
	}
	ended := func(reason string) []events.Event { return []events.Event{&events.SessionEnded{Reason: reason}} }
	reaped := func(reason string) []events.Event { return []events.Event{&events.SessionReaped{Reason: reason}} }
	compacted := repeat(3, func(i int) []events.Event {
		return []events.Event{&events.CompactionFinished{Trigger: "auto"}, callOf(i, "Bash", fmt.Sprint(i))}
	})
	same := repeat(5, func(i int) []events.Event { return []events.Event{callOf(i, "Bash", "make")} })

	for name, tc := range map[string]struct {
		events []events.Event
		want   string
	}{
		"live, new":                            {start, "waiting_for_prompt needs"},
		"live, stopped":                        {join(start, prompt, call, answer, stop), "waiting_for_prompt needs"},
		"live, work goes on in the background": {join(start, prompt, []events.Event{&events.TurnStopped{BackgroundTasks: []events.BackgroundTask{{}}}}), "working"},
		"live, a server runs":                  {join(start, prompt, []events.Event{&events.TurnStopped{BackgroundTasks: []events.BackgroundTask{{Kind: "shell"}}}}), "waiting_for_prompt needs"},
		"live, asked":                          {join(start, prompt, call, asked), "waiting_for_permission needs"},
		"live, asked, refused":                 {join(start, prompt, call, asked, []events.Event{&events.ToolBatchFinished{ToolCalls: []events.ToolCall{{ToolUseID: "1"}}}}), "working"},
		"live, a subagent is asked":            {join(start, prompt, []events.Event{&events.PermissionRequested{Common: events.Common{AgentID: "x"}, ToolName: "Bash"}}, call, answer, stop), "waiting_for_permission needs"},
		"live, API error":                      {join(start, prompt, fail("overloaded")), "api_error needs"},
		"live, limit":                          {join(start, prompt, fail("rate_limit")), "limit needs"},
		"live, the same call":                  {join(start, prompt, same), "same_call stuck"},
		"live, polling":                        {join(start, prompt, repeat(9, func(i int) []events.Event { return []events.Event{callOf(i, "Bash", "sleep 5; make status")} })), "working"},
		"live, errors": {join(start, prompt, repeat(8, func(i int) []events.Event {
			return []events.Event{callOf(i, "Bash", fmt.Sprint(i)), &events.ToolFailed{ToolUseID: fmt.Sprint(i)}}
		})), "error_streak stuck"},
		"live, in circles": {join(start, prompt, repeat(19, func(i int) []events.Event { return []events.Event{callOf(i, "Bash", fmt.Sprint(i%3))} })), "no_progress stuck"},
		"live, in circles with edits": {join(start, prompt, repeat(19, func(i int) []events.Event {
			return []events.Event{callOf(i, "Bash", fmt.Sprint(i%3)), &events.ToolSucceeded{ToolName: "Edit"}}
		})), "working"},
		"live, compacts again and again": {join(start, prompt, compacted), "compaction_loop stuck"},

		"print run":                    {join(start, prompt, call, answer, stop, ended("other")), "clean"},
		"exit":                         {join(start, prompt, stop, ended("prompt_input_exit")), "clean"},
		"clear":                        {join(start, prompt, fail("overloaded"), ended("clear")), "clean"},
		"API error":                    {join(start, prompt, fail("server_error"), ended("other")), "api_error"},
		"API error, killed":            {join(start, prompt, fail(""), reaped("process_gone")), "api_error"},
		"limit":                        {join(start, prompt, fail("rate_limit"), ended("other")), "limit"},
		"signal while a tool ran":      {join(start, prompt, call, ended("other")), "killed"},
		"signal, or a hook that ended": {join(start, prompt, call, answer, ended("other")), "unknown"},
		"kill -9":                      {join(start, prompt, call, reaped("process_gone")), "killed"},
		"silent":                       {join(start, prompt, call, reaped("silent")), "silent"},
		"killed at a question":         {join(start, prompt, call, asked, reaped("process_gone")), "waiting_for_permission"},
		"killed in a compaction loop":  {join(start, prompt, compacted, reaped("process_gone")), "compaction_loop"},
	} {
		t.Run(name, func(t *testing.T) {
			var s State
			for i, e := range tc.events {
				r := events.Record{Seq: uint64(i + 1), Event: e, Envelope: events.Envelope{ID: fmt.Sprint(i), Type: e.Type(), Session: "s", Time: time.Unix(int64(i), 0).UTC()}}
				s = Fold(s, r)
			}
			st := s.Standing()
			got := st.Kind
			if st.Stuck {
				got += " stuck"
			}
			if st.Needs {
				got += " needs"
			}
			if got != tc.want || st.Words == "" {
				t.Errorf("%q (%s), want %q; %+v", got, st.Words, tc.want, s.Course)
			}
		})
	}
}

func TestWords(t *testing.T) {
	s := State{Status: Live, Project: "p", Processes: []Process{{PID: 6}, {PID: 7, Start: 1}}}
	if got := Words(s); !slices.Equal(got, []string{Alive, AliveIn("p"), RunBy(7)}) {
		t.Errorf("%q", got)
	}
}
