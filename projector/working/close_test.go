package working

import (
	"fmt"
	"reflect"
	"strings"
	"testing"

	"hookline/events"
	"hookline/expect"
	"hookline/projector"
)

// S2 "task_contract": what was promised.
func TestS2TaskContract(t *testing.T) {
	s := folded(prompt("Add retries to the upload client:\n- back off\n2. [ ] log each try\nnot this"), &events.TurnStopped{}, prompt("why is it slow?"), prompt("looks good to me"))
	want := &Contract{Goal: "Add retries to the upload client: - back off 2. [ ] log each try not this", Criteria: []string{"back off", "log each try"},
		Evidence: []string{"test_pass", "build_success"}, Event: "e1"}
	if !reflect.DeepEqual(s.Contract, want) {
		t.Errorf("%+v", s.Contract)
	}
	s = projector.Fold(Table, s, record(9, prompt("Now rename the client")))
	if s.Contract.Turn != 1 || s.Contract.Event != "e9" {
		t.Errorf("%+v", s.Contract)
	}
	if s := folded(prompt("Explain the upload client")); s.Contract != nil {
		t.Errorf("no change is asked for: %+v", s.Contract)
	}
}

// Confidence 75, +25 tests, +20 build, +10 lint, at most 100, -5 a failure; a change of code takes the evidence away.
func TestS2Confidence(t *testing.T) {
	edit := did("Edit", `{"file_path":"/w/a.go"}`, `{}`)
	run := func(command string) events.Event { return did("Bash", `{"command":"`+command+`"}`, `{}`) }
	for want, list := range map[int][]events.Event{
		75:  {edit},
		85:  {edit, run("go vet ./...")},
		95:  {edit, run("go build ./...")},
		100: {edit, run("go test ./..."), run("go build ./...")},
		70:  {failure("Bash", `{"command":"go test"}`, "x")},
		90:  {edit, run("go build ./..."), failure("Bash", `{"command":"npm ci"}`, "x"), failure("Bash", `{"command":"curl x"}`, "x")},
	} {
		if s := folded(list...); s.Confidence() != want {
			t.Errorf("%d instead of %d: %+v", s.Confidence(), want, s.Evidence)
		}
	}

	s := folded(run("go test ./..."), edit)
	if s.Confidence() != 75 || s.Unproved == nil || s.Unproved.Event != "e2" {
		t.Errorf("%d, %+v", s.Confidence(), s.Unproved)
	}
	if s = projector.Fold(Table, s, record(3, run("go vet ./..."))); s.Unproved == nil {
		t.Error("a lint proves it")
	}
	if s = projector.Fold(Table, s, record(4, run("go test ./..."))); s.Unproved != nil || s.Confidence() != 100 {
		t.Errorf("%d, %+v", s.Confidence(), s.Unproved)
	}
	if s = projector.Fold(Table, s, record(5, did("Write", `{"file_path":"/w/README.md"}`, `{}`))); s.Unproved != nil || s.Confidence() != 100 {
		t.Errorf("prose needs no proof: %+v", s.Unproved)
	}
}

func TestNextStepsAndSync(t *testing.T) {
	s := folded(&events.TurnStopped{LastAssistantMessage: "Done:\n1. wrote it\n\n**Next steps:**\n\n1. run the smoke tests\n- tell the team\n\nThat is all.\n- no"})
	expect.Equal(t, strings.Join(s.Steps.Texts, "|"), "run the smoke tests|tell the team")
	if s := folded(&events.TurnStopped{LastAssistantMessage: "Done:\n1. wrote it\n2. tested it"}); s.Steps != nil {
		t.Errorf("%+v", s.Steps)
	}
	run := func(command string) events.Event {
		return did("Bash", fmt.Sprintf(`{"command":%q}`, command), `{}`)
	}
	if s := folded(run("cd x && bd close X-1 --reason done")); s.Unsynced == nil {
		t.Error("an issue was changed")
	}
	if s := folded(run("br update X-1"), run("br sync --flush-only")); s.Unsynced != nil {
		t.Errorf("%+v", s.Unsynced)
	}
	if s := folded(run("bd ready"), run("abd close x")); s.Unsynced != nil {
		t.Errorf("%+v", s.Unsynced)
	}
}

// The next steps are those of the newest report: one without any ends them, where calls were made since.
func TestNextStepsAreThoseOfTheNewestReport(t *testing.T) {
	named := &events.TurnStopped{LastAssistantMessage: "Half of it is there.\n\nNext steps:\n- run the smoke tests"}
	silent := &events.TurnStopped{LastAssistantMessage: "The smoke tests pass."}
	run := did("Bash", `{"command":"make smoke"}`, `{}`)
	if s := folded(named, run, silent); s.Steps != nil {
		t.Errorf("next steps after a call and a report without any = %q, want none", s.Steps.Texts)
	}
	if s := folded(named, silent); s.Steps == nil {
		t.Error("next steps after a report without any and without a call = none, want those named before")
	}
	if s := folded(named, run); s.Steps == nil {
		t.Error("next steps after a call = none, want those named before it")
	}

	s := folded(named, run, &events.TurnStopped{LastAssistantMessage: "They pass.\n\nNext steps:\n- tell the team"})
	expect.Equal(t, strings.Join(s.Steps.Texts, "|"), "tell the team", "next steps of two reports")
}

// What is done, and what another agent of the team does at the moment, is no next step.
func TestNextStepsAreToBeDone(t *testing.T) {
	for _, entry := range []string{
		"**dev-carol** — implementing Story 4.1 now, then 4.2",
		"**reviewer-3** — standing by for 4.1 and 4.2 reviews",
		"**devils-advocate** — waiting to activate after all reviews complete",
		"agent docs is waiting for the loader",
		"dev-2 is now working on the parser",
		"Notified verify agent to run VF-1 (frontend verification)",
		"Tasks #8 and #9 marked as completed in task list",
		"`install.sh` - Fixed and checked",
		"✅ the parser",
		"[x] the parser",
		"~~the parser~~",
	} {
		if steps := stepsOf("Next steps:\n- " + entry); steps != nil {
			t.Errorf("next steps of the entry %q = %q, want none", entry, steps)
		}
	}
	for _, entry := range []string{
		"**Run the migration** against your instance",
		"Complete the parser",
		"Fix what is marked in the list",
		"Wait for the review of dev-carol",
		"[ ] Review the story",
		"Ask whether someone is working on the loader",
	} {
		expect.Equal(t, len(stepsOf("Next steps:\n- done: x\n- "+entry+"\n")), 2, "number of next steps with the entry "+entry)
	}
}

// A word of another language is no heading of next steps.
func TestHeadingsOfNextSteps(t *testing.T) {
	for heading, want := range map[string]int{"To do:": 1, "## TODO list": 1, "**Next steps for you:**": 1, "Todo o processo foi documentado em:": 0, "To do this I changed:": 0} {
		expect.Equal(t, len(stepsOf(heading+"\n- ROADMAP.md")), want, "number of next steps below "+heading)
	}
}

// S2 "Explicit handoff": at most 5 next steps of 80 characters, 3 blockers, 5 files.
func TestS2HandoffBounds(t *testing.T) {
	list := []events.Event{prompt("Add retries to the upload client"), prompt("Write the documentation of them")}
	for i := range 9 {
		list = append(list, did("Edit", fmt.Sprintf(`{"file_path":"/w/%d.go"}`, i), `{}`), failure("Edit", fmt.Sprintf(`{"file_path":"/w/f%d.go"}`, i), "no"),
			&events.TaskCreated{TaskID: fmt.Sprint(i), TaskSubject: strings.Repeat("x", 100)})
	}
	h := folded(append(list, &events.CheckpointCreated{Schema: Schema, Trigger: "auto"})...).HandoffOf("reaped")
	if len(h.NextSteps) != 5 || len([]rune(h.NextSteps[0])) != 80 || len(h.Blockers) != 3 || len(h.Files) != 5 || h.Files[0] != "/w/8.go" || h.Checkpoint == "" {
		t.Errorf("%+v", h)
	}
	if h.Text != "Add retries to the upload client; last: Write the documentation of them" || h.By != "reaped" {
		t.Errorf("%+v", h)
	}
	if h := folded(prompt("Add retries to the upload client")).HandoffOf("stop"); h != nil {
		t.Errorf("nothing was done: %+v", h)
	}
	if s := folded(&events.HandoffWritten{Text: "mine"}, &events.HandoffWritten{Text: "its own", By: "session_end"}); s.Handoff.Text != "mine" {
		t.Errorf("%+v", s.Handoff)
	}
}

// S2 tier 1 "serena_project", "pal_continuation_id": what servers keep beside the context.
func TestS2ServersOfTheSession(t *testing.T) {
	s := folded(did("mcp__plugin_x_serena__activate_project", `{"project":"up"}`, `{}`), did("mcp__pal__chat", `{}`, `[{"type":"text","text":"{\"continuation_id\": \"0b17d482-9054\"}"}]`))
	if s.Serena == nil || s.Serena.Text != "up" || s.Thread == nil || s.Thread.Text != "0b17d482-9054" {
		t.Errorf("%+v, %+v", s.Serena, s.Thread)
	}
	s = folded(did("mcp__other__chat", `{}`, `{"continuation_id":"0b17d482-9054"}`), did("mcp__serena__find", `{"project":"up"}`, `{}`), did("mcp__", `{}`, `{}`))
	if s.Serena != nil || s.Thread != nil {
		t.Errorf("%+v, %+v", s.Serena, s.Thread)
	}
}
