package session

import (
	"encoding/json"
	"fmt"
	"slices"
	"testing"
	"time"

	"hookline/events"
	"hookline/projector"
)

func callOf(id int, about string) events.Event {
	return &events.ToolRequested{ToolName: "Bash", ToolUseID: fmt.Sprint(id), ToolInput: commandOf(about)}
}

func commandOf(about string) json.RawMessage { return json.RawMessage(`{"command":"` + about + `"}`) }

// done is what happens in a session after its start.
type done []events.Event

// repeat is a prompt and n times what make gives.
func repeat(n int, make func(i int) done) done {
	list := done{&events.PromptSubmitted{Prompt: "do it"}}
	for i := range n {
		list = append(list, make(i)...)
	}
	return list
}

// TestStanding plays the ends of sessions and the ways in which they get nowhere.
func TestStanding(t *testing.T) {
	prompt, call, stop := &events.PromptSubmitted{Prompt: "do it"}, callOf(1, "make"), &events.TurnStopped{}
	answer := &events.ToolSucceeded{ToolName: "Bash", ToolUseID: "1", ToolInput: commandOf("make")}
	asked, told := &events.PermissionRequested{ToolName: "Bash", ToolInput: commandOf("make")}, &events.NotificationSent{}
	fail := func(kind string) events.Event { return &events.TurnFailed{Error: kind, ErrorDetails: "try\nlater"} }
	ended := func(reason string) events.Event { return &events.SessionEnded{Reason: reason} }
	gone := &events.SessionReaped{Reason: "process_gone"}
	compacted := repeat(3, func(i int) done {
		return done{&events.CompactionFinished{Trigger: "auto"}, callOf(i, fmt.Sprint(i))}
	})

	for name, tc := range map[string]struct {
		events done
		want   string
	}{
		"live, new":                            {nil, "waiting_for_prompt needs"},
		"live, stopped":                        {done{prompt, call, answer, stop}, "waiting_for_prompt needs"},
		"live, work goes on in the background": {done{prompt, &events.TurnStopped{BackgroundTasks: []events.BackgroundTask{{}}}}, "working"},
		"live, a server runs":                  {done{prompt, &events.TurnStopped{BackgroundTasks: []events.BackgroundTask{{Kind: "shell"}}}}, "waiting_for_prompt needs"},
		"live, asked":                          {done{prompt, call, asked, told}, "waiting_for_permission needs"},
		"live, asked, refused":                 {done{prompt, call, asked, told, &events.ToolBatchFinished{ToolCalls: []events.ToolCall{{ToolUseID: "1"}}}}, "working"},
		"live, a subagent is asked":            {done{prompt, &events.PermissionRequested{Common: events.Common{AgentID: "x"}, ToolName: "Bash"}, call, answer, stop}, "waiting_for_permission needs"},
		"live, API error":                      {done{prompt, fail("overloaded")}, "api_error needs"},
		"live, the same call":                  {repeat(5, func(i int) done { return done{callOf(i, "make")} }), "same_call stuck"},
		"live, polling":                        {repeat(9, func(i int) done { return done{callOf(i, "sleep 5; make status")} }), "working"},
		"live, errors":                         {repeat(8, func(i int) done { return done{callOf(i, fmt.Sprint(i)), &events.ToolFailed{ToolUseID: fmt.Sprint(i)}} }), "error_streak stuck"},
		"live, in circles":                     {repeat(19, func(i int) done { return done{callOf(i, fmt.Sprint(i%3))} }), "no_progress stuck"},
		"live, in circles with edits":          {repeat(19, func(i int) done { return done{callOf(i, fmt.Sprint(i%3)), &events.ToolSucceeded{ToolName: "Edit"}} }), "working"},
		"live, compacts again and again":       {compacted, "compaction_loop stuck"},

		"print run":                    {done{prompt, call, answer, stop, ended("other")}, "clean"},
		"exit":                         {done{prompt, stop, ended("prompt_input_exit")}, "clean"},
		"clear":                        {done{prompt, fail("overloaded"), ended("clear")}, "clean"},
		"API error, killed":            {done{prompt, fail(""), gone}, "api_error"},
		"limit":                        {done{prompt, fail("rate_limit"), ended("other")}, "limit"},
		"signal while a tool ran":      {done{prompt, call, ended("other")}, "killed"},
		"signal, or a hook that ended": {done{prompt, call, answer, ended("other")}, "unknown"},
		"kill -9":                      {done{prompt, call, gone}, "killed"},
		"silent":                       {done{prompt, call, &events.SessionReaped{Reason: "silent"}}, "silent"},
		"killed at a question":         {done{prompt, call, asked, told, gone}, "waiting_for_permission"},
		"killed in a compaction loop":  {append(compacted, gone), "compaction_loop"},
	} {
		t.Run(name, func(t *testing.T) {
			var s State
			for i, e := range append(done{&events.SessionStarted{Source: "startup"}}, tc.events...) {
				r := events.Record{Seq: uint64(i + 1), Event: e, Envelope: events.Envelope{ID: fmt.Sprint(i), Type: e.Type(), Session: "s", Time: time.Unix(int64(i), 0).UTC()}}
				s = projector.Fold(Table, s, r)
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
