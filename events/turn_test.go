package events

import "testing"

func TestUserText(t *testing.T) {
	for _, c := range []struct{ prompt, source, want string }{
		{" Add retries ", "", "Add retries"},
		{"<div> is not closed in index.html", "user", "<div> is not closed in index.html"},
		{"<ide_opened_file>The user opened a.go</ide_opened_file>\n<ide_selection>lines 1 to 3</ide_selection>\nMend this", "", "Mend this"},
		{"<task-notification><summary>done</summary></task-notification>", "", ""},
		{"<local-command-stdout>x</local-command-stdout>", "user", ""},
		{"Another Claude session sent a message:\n<agent-message from=\"review\">\nREVISE\n</agent-message>\n\nThis came from another Claude session", "", ""},
		{"[Request interrupted by user]", "", ""},
		{"Caveat: The messages below were generated", "", ""},
		{"look whether the deploy is done", "schedule_wakeup", ""},
	} {
		e := &PromptSubmitted{Prompt: c.prompt, Source: c.source}
		if got := e.UserText(); got != c.want {
			t.Errorf("%q from %q: %q, want %q", c.prompt, c.source, got, c.want)
		}
	}
}

func TestHeadline(t *testing.T) {
	for prompt, want := range map[string]string{
		"Add retries": "Add retries",
		"<task-notification>\n<task-id>b1</task-id>\n<summary>Monitor event: \"CI\"</summary>\n<event>Test: pass</event>\n</task-notification>": `notification: Monitor event: "CI": Test: pass`,
		"<task-notification> <summary>Agent \"a\" completed</summary> </task-notification>":                                                     `notification: Agent "a" completed`,
		"<task-notification> of another form": "<task-notification> of another form",
		"[Request interrupted by user]":       "[Request interrupted by user]",
	} {
		e := &PromptSubmitted{Prompt: prompt}
		if got := e.Headline(); got != want {
			t.Errorf("%q: %q, want %q", prompt, got, want)
		}
	}
}

func TestWithoutFolder(t *testing.T) {
	for line, want := range map[string]string{
		"cd /srv/app && go test ./...": "go test ./...", `cd "/srv/my app"; ls`: "ls", "cd up\nmake": "make", "cd /srv/app": "cd /srv/app", "cd /srv/app && ": "cd /srv/app && ", "make": "make",
	} {
		if got := WithoutFolder(line); got != want {
			t.Errorf("%q: %q, want %q", line, got, want)
		}
	}
}
