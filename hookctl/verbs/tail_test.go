package verbs

import (
	"encoding/json"
	"strings"
	"testing"

	"hookline/events"
	"hookline/expect"
	"hookline/hookctl/verbs/env"
)

// sampleEvents is one event of every family, and the odd ones.
func sampleEvents() []events.Record {
	var all []events.Record
	for i, e := range [][2]string{
		{events.TypeSessionStarted, `{"source":"startup","model":"claude-opus-4-5"}`},
		{events.TypePromptSubmitted, `{"prompt":"  fix the\n\tparser   \u001b[31mred\u001b[0m, please"}`},
		{events.TypeToolRequested, `{"tool_name":"Bash","tool_input":{"command":"go test ./...","description":"Run tests"}}`},
		{events.TypeToolSucceeded, `{"tool_name":"Edit","tool_input":{"file_path":"/project/cmd/main.go"},"duration_ms":48}`},
		{events.TypeToolFailed, `{"tool_name":"Bash","tool_input":{"command":"exit 3"},"error":"Exit code 3\nmore","duration_ms":67}`},
		{events.TypeToolFailed, `{"tool_name":"Read","tool_input":{"file_path":"/etc/hosts"},"error":"x","is_interrupt":true}`},
		{events.TypeToolSucceeded, `{"tool_name":"Bash","tool_input":{"command":{"$blob":"sha256:00","size":99999,"head":"cat <<EOF\\npackage main"}},"duration_ms":61234}`},
		{events.TypeToolBatchFinished, `{"tool_calls":[{"tool_name":"Read"},{"tool_name":"Grep"}]}`},
		{events.TypePermissionDenied, `{"tool_name":"Bash","tool_input":{"command":"reboot"},"reason":"not allowed"}`},
		{events.TypeSubagentStopped, `{"agent_type":"explorer","last_assistant_message":"found it","agent_id":"a1"}`},
		{events.TypeTaskCreated, `{"task_id":"7","task_subject":"write tests"}`},
		{events.TypeCompactionStarted, `{"trigger":"auto"}`},
		{events.TypeModelSwitched, `{"from_model":"opus","to_model":"sonnet"}`},
		{events.TypeNotificationSent, `{"notification_type":"idle_prompt","message":"Claude is waiting"}`},
		{events.TypeTurnStopped, `{"last_assistant_message":"done","background_tasks":[{"id":"x"}]}`},
		{events.TypeIdentityRestored, `{"source":"startup","outcome":"restored","previous":"` + sessionB + `"}`},
		{events.TypeDreamCompleted, `{"phase":"nrem","before_ic":0.42,"after_ic":0.91,"before_r":0.5,"after_r":0.99}`},
		{events.TypeHookRefused, `{"reason":"not_an_object","head":"[1,2]"}`},
		{events.TypeClockJumped, `{"back_ms":90000}`},
		{"future.thing_happened", `{"session_id":"x","words":"of a newer build"}`},
		{events.TypeSessionEnded, `{"reason":"prompt_input_exit"}`},
	} {
		r := record(uint64(i+1), e[0], sessionA, e[1])
		if e[0] == events.TypeSessionStarted {
			r.Branch = "main"
		}
		if e[0] == events.TypeSubagentStopped {
			r.AgentID = "a1"
		}
		all = append(all, r)
	}
	return all
}

// An event of no session and no project, and what only some events have.
func TestCloudEvents(t *testing.T) {
	f := newFake()
	bare := events.NewRecord(6, events.Envelope{ID: "01KAJ3ZV5T0000000000000006", Type: events.TypeDaemonStarted, Version: 1, Time: noon, Redacted: 2})
	bare.Appended = noon.Add(1500000)
	f.events = []events.Record{bare}
	expect.Equal(t, newBench(t, f).must("tail", "-o", "cloudevents"), `{"specversion":"1.0","id":"01KAJ3ZV5T0000000000000006","source":"/hookline/-/-","type":"daemon.started",`+
		`"time":"2026-11-21T12:00:00Z","datacontenttype":"application/json","sequence":"00000000000000000006","dataversion":1,"appended":"2026-11-21T12:00:00.0015Z","redacted":2,"data":{}}`+"\n")
}

// TestFollowOverRestart: the connection ends twice, once with a daemon that is away for a while and
// then repeats events; every event is shown once, in order.
func TestFollowOverRestart(t *testing.T) {
	f := newFake()
	f.status.Seq = 3
	for i := range 3 {
		f.events = append(f.events, record(uint64(i+1), events.TypeTurnStopped, sessionA, `{}`))
	}
	f.more = []events.Record{record(4, events.TypeTurnStopped, sessionA, `{}`)}
	b := newBench(t, f)
	b.down = []bool{false, true, true}
	pauses := 0
	b.Pause = stopAfter(&pauses, 5, func() {
		if pauses == 3 { // the daemon is back and has new events, one of them appended while it was away
			f.status.Seq = 6
			f.events = append(f.events, record(5, events.TypeTurnStopped, sessionA, `{}`), record(6, events.TypeTurnStopped, sessionA, `{}`))
		}
	})
	out := b.must("tail", "-f", "-n", "2", "-o", "json")
	var seqs []uint64
	for line := range strings.Lines(out) {
		var r events.Record
		expect.OK(t, json.Unmarshal([]byte(line), &r))
		seqs = append(seqs, r.Seq)
	}
	if got := jsonOf(seqs); got != "[2,3,4,5,6]" {
		t.Errorf("shown %s; asked %q", got, f.asked)
	}
	if b.needs[0] != env.Started || b.needs[1] != env.Running {
		t.Errorf("connections %v: only the first may start a daemon", b.needs)
	}
}

func TestFollowRefusedAtOnce(t *testing.T) {
	contains(t, newBench(t, nil).refuses("tail", "-f"), "hookctl: error: no daemon is running")
}
