package speech

import (
	"slices"
	"testing"
)

func TestOrdersThatOneActCarriesOut(t *testing.T) {
	for _, text := range []string{
		"commit", "commit everything, please", "Commit and push it to main", "push", "ok, push it now", "can you commit this please?",
		"open a PR for these changes", "create a draft PR", "merge feature/retries into main", "Merge #412 and deploy it to staging", "deploy to production",
		"commit with the message \"pool: close it in the end\"", "ship it!", "rebase on main and push again", "nice, now commit",
		"Bitte alles committen und pushen", "Mach einen Commit", "haz commit y push, por favor", "sube los cambios", "commite et pousse tout", "faça o commit das mudanças agora",
		"提交代码并推送", "コミットしてください", "커밋하고 푸시해줘",
		"yes", "ok do it", "sounds good, go ahead", "go on with it please now",
	} {
		if !Order(text) {
			t.Errorf("Order(%q) = false, want true", text)
		}
		if Substantial(text) {
			t.Errorf("Substantial(%q) = true, want false: it is an order", text)
		}
	}
	for _, text := range []string{
		"commit messages should name the ticket", "Write a script that commits the lock file", "add a merge queue", "push notifications do not arrive",
		"deploy the new search index with less downtime", "fix the typo and commit", "the release notes of 2.1", "continue with the retries", "run all the tests", "",
	} {
		if Order(text) {
			t.Errorf("Order(%q) = true, want false", text)
		}
	}
}

func TestWordsToGoOn(t *testing.T) {
	for _, text := range []string{
		"go on", "continue", "go on with it please now", "please continue with the next step", "Ok, keep going!", "continue from where we left off", "and now go ahead with phase 2",
		"yes, proceed with the rest", "weiter", "und jetzt bitte weiter", "Mach weiter!", "continúa por favor", "vas-y, continue", "prossiga", "продолжай", "继续", "请继续吧", "続けてください", "계속해줘",
	} {
		if !GoesOn(text) {
			t.Errorf("GoesOn(%q) = false, want true", text)
		}
		if Substantial(text) {
			t.Errorf("Substantial(%q) = true, want false: it says to go on", text)
		}
	}
	for _, text := range []string{"", "hi", "yes", "commit and push", "/resume", "continue with the retries", "go fix it", "next release notes", "keep the old name"} {
		if GoesOn(text) {
			t.Errorf("GoesOn(%q) = true, want false", text)
		}
	}
}

func TestChoices(t *testing.T) {
	for _, text := range []string{"the second one", "option B please", "1", "1 and 3", "#2", "let's go with the first option", "both please", "neither", "yes, the latter", "die zweite bitte", "la primera opción por favor", "B."} {
		if !Choice(text) {
			t.Errorf("Choice(%q) = false, want true", text)
		}
		if Substantial(text) {
			t.Errorf("Substantial(%q) = true, want false: it chooses", text)
		}
	}
	for _, text := range []string{"change the title of the first task", "use two spaces in YAML", "yes", "go on", "add a second worker"} {
		if Choice(text) {
			t.Errorf("Choice(%q) = true, want false", text)
		}
	}
}

func TestPromptsOfSubstance(t *testing.T) {
	for _, text := range []string{
		"Add retries to the upload client", "why is the pool empty?", "can you look into the flaky login test?", "Schreib die Tests für den Pool", "añade una prueba para el pool",
		"修复登录页面的错误", "アップロードに再試行を追加", "업로드에 재시도 기능을 추가", "continue with the retries of the upload", "commit only the parser and leave the rest",
		"make the commit button blue", "[Image #1] the button in the header is cut",
	} {
		if !Substantial(text) {
			t.Errorf("Substantial(%q) = false, want true", text)
		}
	}
	for _, text := range []string{
		"", "hi", "thanks, great!", "fix it", "try again now", "/model opus", "status", "[Image #1]", "[Pasted text #1 +40 lines]", "screenshot of the issue", "here is the log output", "see the attached screenshot",
		"[Image #2] see the screenshot above", "修一下", "好的，谢谢", pastes["a log"], pastes["a shell"],
	} {
		if Substantial(text) {
			t.Errorf("Substantial(%q) = true, want false", text)
		}
	}
}

func TestAnswers(t *testing.T) {
	for _, text := range []string{"the second one", "yes, add retries too", "no, leave it", "in the utils folder", "the staging one for now please", "ja, aber nur im Importer", "postgres", "用第二个方案"} {
		if !Answers(text, true) {
			t.Errorf("Answers(%q) after a question = false, want true", text)
		}
	}
	for _, text := range []string{"Add a health check to the server", "can you also update the changelog?", "please rename the pool as well", "what does the pool do?", "commit it",
		"I would rather have one pool for each host, with a bound of its own and a metric", "把登录页面的背景改成和模板一样的深色主题"} {
		if Answers(text, true) {
			t.Errorf("Answers(%q) after a question = true, want false", text)
		}
	}
	if Answers("in the utils folder", false) {
		t.Error("a prompt answers a question that nobody asked")
	}
}

func TestAsks(t *testing.T) {
	for _, text := range []string{
		"I found two ways. Which one do you prefer?", "Shall I commit it? ", "**Should I go on?**", "Which one?\n\n1. a pool for each host\n2. one pool", "Where should it go?\n\n- `src/`\n- `lib/`\n", "要我继续吗？", "Which?\nA) this\nB) that",
	} {
		if !Asks(text) {
			t.Errorf("Asks(%q) = false, want true", text)
		}
	}
	for _, text := range []string{"", "Done.", "Why did it fail? The pool was closed. It is mended now.", "```\nreally?\n```\nThat is the text.", "The tests pass:\n\n1. pool\n2. web"} {
		if Asks(text) {
			t.Errorf("Asks(%q) = true, want false", text)
		}
	}
}

func TestTeammates(t *testing.T) {
	order := "<teammate-message teammate_id=\"team-lead\" color=\"blue\" summary=\"tests\">\nWrite the tests of the pool.\nNever skip one.\n</teammate-message>"
	idle := `<teammate-message teammate_id="web">{"type":"idle_notification","from":"web","idleReason":"available"}</teammate-message>`
	lead := Message{From: "team-lead", Text: "Write the tests of the pool.\nNever skip one."}
	report := Message{From: "docs", Text: "The page is written."}
	for _, c := range []struct {
		prompt string
		want   []Message
	}{
		{order, []Message{lead}},
		{"Another Claude session sent a message:\n" + order + "\n\nThis came from another Claude session, not typed by the user.", []Message{lead}},
		{"Another Claude session sent a message while you were working:\n" + order, []Message{lead}},
		{idle + "\n\n" + order + "\n" + `<teammate-message teammate_id="docs">The page is written.</teammate-message>`, []Message{lead, report}},
		{idle, nil},
		{`<teammate-message teammate_id="web">{"type":"shutdown_request","requestId":"r1"}</teammate-message>`, nil},
		{`<teammate-message teammate_id="docs">The page is written.`, []Message{report}},
		{`<teammate-message>no name</teammate-message>`, nil},
		{"What does <teammate-message teammate_id=\"x\">y</teammate-message> mean?", nil},
		{"Another Claude session sent a message: what does that mean?", nil},
		{"", nil},
	} {
		if got := Teammates(c.prompt); !slices.Equal(got, c.want) {
			t.Errorf("Teammates(%q) = %+v, want %+v", c.prompt, got, c.want)
		}
	}
	if !lead.IsLead() || report.IsLead() {
		t.Errorf("lead: %v, report: %v; want the first alone to be of the lead", lead.IsLead(), report.IsLead())
	}
}

func TestAnAgentSaysThatItIsDone(t *testing.T) {
	for _, text := range []string{
		"Committed as 1a2b3c4; the tree is clean. Done.", "All tests pass (0 failed) and the change is pushed.", "The retries are implemented and merged into main.", "Fertig: alles ist committet.", "Listo, los cambios están subidos.",
		"C'est terminé.", "Pronto, tudo enviado.", "已提交，全部完成。", "Everything is in place.\n\nNo remaining failures.",
	} {
		if !SaysDone(text) {
			t.Errorf("SaysDone(%q) = false, want true", text)
		}
	}
	for _, text := range []string{
		"", "I read the files.", "Phase 1 is done and committed.", "It is not done yet.", "The parser is done; the writer remains.", "Committed. Next steps:\n- the writer", "The commit failed.", "Once it's merged I will go on.",
		"```\nDone.\n```\nThat is what it prints.", "The first part is committed, the tests are still failing.", "Noch nicht fertig.",
	} {
		if SaysDone(text) {
			t.Errorf("SaysDone(%q) = true, want false", text)
		}
	}
}
