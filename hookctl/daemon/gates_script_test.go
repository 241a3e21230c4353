//go:build unix

package daemon

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"hookline/expect"
	"hookline/hookctl/wire"
)

// TestPinned runs the cases of testdata/gates.txt; a case is named by the number that its behaviour is known by among the
// users of the requirements framework, where it has one. The file's head describes the lines of a case.
func TestPinned(t *testing.T) {
	text := expect.Value(os.ReadFile("testdata/gates.txt"))(t)
	cases := strings.Split(string(text), "\n== ")
	for _, c := range cases[1:] {
		name, lines, _ := strings.Cut(c, "\n")
		t.Run(strings.TrimSpace(name), func(t *testing.T) {
			s := &script{gatedRepo: newGated(t, "")}
			for line := range strings.Lines(lines) {
				s.run(strings.TrimSpace(line))
			}
			mustVerify(t, s.d)
		})
	}
}

// script is a case while it runs.
type script struct {
	*gatedRepo
	line, answer string
	last         wire.Frame
}

var sessionNames = map[string]string{"A": sessA, "B": sessB, "C": sessC, "all": ""}

func (s *script) run(line string) {
	s.t.Helper()
	if line == "" || line[0] == '#' {
		return
	}
	s.line = line
	line, want, _ := strings.Cut(line, " => ")
	word, rest, _ := strings.Cut(line, " ")
	words := append(strings.Fields(rest), "session", "session")
	switch word {
	case "A", "B", "C":
		s.last = s.frame(sessionNames[word], s.body(rest))
		s.take(fromClient)
	case "late", "skipped", "bare", "second", "brief", "check":
		_, hook, _ := strings.Cut(rest, " ")
		s.last = s.frame(sessionNames[words[0]], s.body(hook))
		switch word {
		case "skipped":
			s.last.Env["CLAUDE_SKIP_REQUIREMENTS"] = "1"
		case "bare":
			s.last.Env = map[string]string{}
		case "second":
			s.last.Binary = "/b/hookctl"
		case "brief":
			s.last.Args = []string{"consciousness", "brief", "--hook"}
		case "check":
			s.last.Args = []string{"consciousness", "check-identity"}
		}
		from := fromClient
		if word == "late" {
			from = fromSpool
		}
		s.take(from)
	case "again":
		first := s.answer
		s.take(fromClient)
		expect.Equal(s.t, s.answer, first, "again", "at first")
	case "rules":
		write(s.t, filepath.Join(s.dir, ".claude", "requirements.yaml"), rest+"\n")
	case "local":
		write(s.t, filepath.Join(s.dir, ".claude", "requirements.local.yaml"), rest+"\n")
	case "write":
		write(s.t, s.path(words[0]), strings.TrimPrefix(rest, words[0]+" ")+"\n")
	case "remove":
		expect.OK(s.t, os.RemoveAll(s.path(rest)))
	case "git":
		git(s.t, s.dir, strings.Fields(rest)...)
	case "commit":
		git(s.t, s.dir, "commit", "-q", "--allow-empty", "-m", "x")
	case "later":
		s.later(expect.Value(time.ParseDuration(rest))(s.t))
	case "satisfy":
		s.satisfy(sessionNames[words[0]], words[1], words[2])
	case "clear":
		s.clear(sessionNames[words[0]], words[1])
	case "delete":
		emit(s.t, s.d, `{"type":"session.deleted","session":"`+sessionNames[rest]+`","data":{"reason":"test"}}`)
	case "events":
		expect.Equal(s.t, s.types(), rest, s.line, "recorded")
	case "and":
		want = rest
	default:
		s.t.Fatalf("unknown word: %s", s.line)
	}
	if want != "" {
		s.expect(want)
	}
}

// path is a file of the repository; ~ is the user's home.
func (s *script) path(name string) string {
	if in, ok := strings.CutPrefix(name, "~/"); ok {
		return filepath.Join(os.Getenv("HOME"), in)
	}
	return filepath.Join(s.dir, name)
}

func (s *script) take(from arrival) {
	s.t.Helper()
	out, err := s.d.intake.take(context.Background(), s.last, from)
	if err != nil || out.answer.Exit != 0 {
		s.t.Fatalf("%s: exit %d, %v", s.line, out.answer.Exit, err)
	}
	s.answer = strings.TrimSpace(string(out.answer.Stdout))
}

// body is the JSON of a hook.
func (s *script) body(hook string) string {
	word, rest, _ := strings.Cut(hook, " ")
	id := ""
	if hook[0] != '{' {
		word, id, _ = strings.Cut(word, ":")
	}
	text := hook
	switch word {
	case "edit":
		text = edit
	case "tool":
		name, file, _ := strings.Cut(rest, " ")
		text = fmt.Sprintf(`{"hook_event_name":"PreToolUse","tool_name":%q,"tool_input":{"file_path":%q}}`, name, file)
	case "bash":
		text = bash("PreToolUse", rest)
	case "ran":
		text = bash("PostToolUse", rest)
	case "ask":
		text = bash("PermissionRequest", rest)
	case "failed":
		text = bash("PostToolUseFailure", rest)
	case "skill":
		text = skill(rest)
	case "start":
		text = startAs(rest)
	case "end":
		text = `{"hook_event_name":"SessionEnd","reason":"other"}`
	case "stop":
		text = strings.Replace(stop, "false", strconv.FormatBool(rest == "again"), 1)
	case "prompt":
		text = fmt.Sprintf(`{"hook_event_name":"UserPromptSubmit","prompt_id":%q,"prompt":%q}`, id, rest)
	}
	if id != "" && word != "prompt" {
		text = strings.Replace(text, "{", `{"tool_use_id":"`+id+`",`, 1)
	}
	return strings.NewReplacer("$DIR", s.dir, "$HOME", os.Getenv("HOME")).Replace(text)
}

// expect compares the last answer: with a verdict and a part of its words, or otherwise as the file's head says.
func (s *script) expect(want string) {
	s.t.Helper()
	out := answerOf(s.t, s.answer)
	own := out.HookSpecificOutput
	verdict, reason := "pass", ""
	switch {
	case out.Decision == "block":
		verdict, reason = "block", out.Reason
	case own.PermissionDecision != "":
		verdict, reason = own.PermissionDecision, own.PermissionDecisionReason
	case own.Decision.Behavior != "":
		verdict, reason = own.Decision.Behavior, own.Decision.Message
	}
	told := reason + own.AdditionalContext

	word, text, _ := strings.Cut(want, " ")
	if quoted, err := strconv.Unquote(text); err == nil {
		text = quoted
	}
	ok := false
	switch word {
	case "pass", "deny", "block":
		ok = verdict == word && strings.Contains(reason, text)
	case "silent":
		ok = s.answer == ""
	case "reason":
		ok = reason == text
	case "context":
		ok = own.AdditionalContext == text
	case "message":
		ok = strings.Contains(out.SystemMessage, text)
	case "quiet":
		ok = out.SystemMessage == ""
	case "is":
		ok = s.answer == text
	case "has":
		ok = strings.Contains(told, text)
	case "not":
		ok = !strings.Contains(told, text)
	}
	if !ok {
		s.t.Errorf("%s:\n%s\nis %s", s.line, s.answer, verdict)
	}
}
