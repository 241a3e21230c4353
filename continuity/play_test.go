package main

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"hookline/events"
	"hookline/expect"
	"hookline/hookctl/transcript"
)

// A path begins and ends where a name does, also behind what JSON escapes.
func TestPathsAreReplacedWhole(t *testing.T) {
	p := &places{stage: "/S", stand: map[string]string{}}
	p.add("/a/b")
	for text, want := range map[string]string{
		`/a/b`:               `/S/a/b`,
		`"/a/b/c.go"`:        `"/S/a/b/c.go"`,
		`/a/bc`:              `/a/bc`,
		`/a/b-2/x`:           `/a/b-2/x`,
		`/a/b.git`:           `/a/b.git`,
		`in /a/b.`:           `in /S/a/b.`,
		`/x/a/b`:             `/x/a/b`,
		`~/a/b`:              `~/a/b`,
		`one\n/a/b/c\n/a/b/`: `one\n/S/a/b/c\n/S/a/b/`,
		`/a/b /a/b`:          `/S/a/b /S/a/b`,
	} {
		if got := string(p.mapped([]byte(text))); got != want {
			t.Errorf("mapped(%s) = %s, want %s", text, got, want)
		}
		if got := p.back(want); got != text {
			t.Errorf("back(%s) = %s, want %s", want, got, text)
		}
	}
}

// Paths of Windows become those of the shell there.
func TestPathsOfWindows(t *testing.T) {
	line := `{"cwd":"D:\\app","file":"D:\\app\\! a b\\c.go","text":"see D:\\app\\src\\a.go, c:/x/y and \"C:\\\\Users\\\\me\\\\b.go\" at 12:30"}`
	want := `{"cwd":"/d/app","file":"/d/app/! a b/c.go","text":"see /d/app/src/a.go, /c/x/y and \"/c/Users/me/b.go\" at 12:30"}`
	if got := string(posix([]byte(line))); got != want {
		t.Errorf("posix = %s, want %s", got, want)
	}
	other := `{"cwd":"/home/me","text":"D:\\app\\a.go"}`
	if got := string(posix([]byte(other))); got != other {
		t.Errorf("posix of another machine = %s, want %s", got, other)
	}
}

// A folder's repository and work tree are told by where the client saw a branch.
func TestGround(t *testing.T) {
	g := ground{dirs: []string{"/h/me/app", "/h/me/app/web", "/h/me/x-worktrees/one", "/h/me/worktrees/y/b/y", "/h/me/app/.claude/worktrees/w"}}
	for dir, want := range map[string][2]string{
		"/h/me/app":                         {"/h/me/app", "/h/me/app"},
		"/h/me/app/web/src":                 {"/h/me/app", "/h/me/app"},
		"/h/me/apple":                       {"", ""},
		"/h/me/app/.claude/worktrees/w/src": {"/h/me/app", "/h/me/app/.claude/worktrees/w"},
		"/h/me/x-worktrees/one/src":         {"/h/me/x-worktrees/.main", "/h/me/x-worktrees/one"},
		"/h/me/worktrees/y/b/y":             {"/h/me/worktrees/.main", "/h/me/worktrees/y/b/y"},
		"/h/me/worktrees/y/c":               {"", ""},
	} {
		repo, tree := g.place(dir)
		if repo != want[0] || tree != want[1] {
			t.Errorf("place(%s) = %q, %q, want %q, %q", dir, repo, tree, want[0], want[1])
		}
	}
}

// A command line is taken apart with the folders of its commands and whether they ran.
func TestSimples(t *testing.T) {
	list := simples(`cd sub && rm -f a.txt || mv x y; (cd deep; touch b); git mv "c d" e 2>/dev/null > out.log | tee log`, "/w")
	var got []string
	for _, c := range list {
		got = append(got, fmt.Sprint(c.dir, " ", strings.Join(c.words, "|"), " ", c.sure, c.first, c.written))
	}
	want := []string{
		"/w/sub rm|-f|a.txt false false []", "/w/sub mv|x|y false false []", "/w/sub/deep touch|b true true []",
		"/w/sub git|mv|c d|e true true [out.log]", "/w/sub tee|log true true []",
	}
	if !slices.Equal(got, want) {
		t.Errorf("simples = %q\nwant %q", got, want)
	}
	if c := simples("rm $DIR/x", "/w")[0]; c.known {
		t.Error("a word with a variable is known, want not known")
	}
}

// shellEvents are the request and the outcome of a command.
func shellEvents(id, command, output string) []events.Event {
	in, _ := json.Marshal(map[string]string{"command": command}) // strings cannot fail
	out, _ := json.Marshal(map[string]string{"stdout": output})
	return []events.Event{
		&events.ToolRequested{ToolName: "Bash", ToolUseID: id, ToolInput: in},
		&events.ToolSucceeded{ToolName: "Bash", ToolUseID: id, ToolInput: in, ToolResponse: out},
	}
}

// What commands remove and move is removed and moved; after what only git knows, what the sessions wrote is doubtful.
func TestDisk(t *testing.T) {
	root := t.TempDir()
	d := newDisk(root)
	n := 0
	run := func(command string) {
		n++
		for _, e := range shellEvents(fmt.Sprint(n), command, "") {
			d.take(e, root)
		}
	}
	is := func(name string, want path) {
		t.Helper()
		if got := d.look(filepath.Join(root, name)); got != want {
			t.Errorf("%s is %v, want %v", name, got, want)
		}
	}
	for _, name := range []string{"a.go", "b.go", "c.go", "lib/d.go", "lib/e.go", "tmp1.log", "tmp2.log"} {
		d.write(filepath.Join(root, name), "x\n")
	}

	run("rm a.go && git mv b.go lib/")
	is("a.go", absent)
	is("b.go", absent)
	is("lib/b.go", present)
	run("rm lib")
	is("lib/d.go", present)
	run("cd lib && git rm -r -q d.go; mv e.go f.go; rm ../tmp*.log")
	is("lib/d.go", absent)
	is("lib/f.go", present)
	is("tmp2.log", absent)
	run("test -f c.go || rm c.go")
	is("c.go", doubtful)
	run("git checkout -b new")
	is("lib/f.go", present)
	run("git checkout main")
	is("lib/f.go", doubtful)
	d.take(&events.ToolSucceeded{ToolName: "Read", ToolInput: []byte(`{"file_path":"` + root + `/c.go"}`)}, root)
	is("c.go", present)
	run("rm -rf lib")
	is("lib/f.go", absent)
	d.take(&events.ToolFailed{ToolName: "Read", ToolInput: []byte(`{"file_path":"` + root + `/c.go"}`), Error: "File does not exist."}, root)
	is("c.go", absent)
}

// A command that failed has run its first part, and nobody knows which of the others.
func TestDiskAfterAFailure(t *testing.T) {
	root := t.TempDir()
	d := newDisk(root)
	for _, name := range []string{"a", "b"} {
		d.write(filepath.Join(root, name), "x")
	}
	in := []byte(`{"command":"rm a && rm b"}`)
	d.take(&events.ToolRequested{ToolName: "Bash", ToolUseID: "1", ToolInput: in}, root)
	d.take(&events.ToolFailed{ToolName: "Bash", ToolUseID: "1", ToolInput: in, Error: "Exit code 1"}, root)
	if got := d.look(filepath.Join(root, "a")); got != absent {
		t.Errorf("a is %v, want absent", got)
	}
	if got := d.look(filepath.Join(root, "b")); got != doubtful {
		t.Errorf("b is %v, want doubtful", got)
	}
}

// What is read or listed before a call makes it was there from the beginning.
func TestSeeds(t *testing.T) {
	s := newSeeds()
	list := []events.Event{
		&events.ToolSucceeded{ToolName: "Read", ToolInput: []byte(`{"file_path":"/w/read.go"}`)},
		&events.ToolSucceeded{ToolName: "Write", ToolInput: []byte(`{"file_path":"/w/made.go"}`), ToolResponse: []byte(`{"type":"create"}`)},
		&events.ToolSucceeded{ToolName: "Read", ToolInput: []byte(`{"file_path":"/w/made.go"}`)},
		&events.ToolSucceeded{ToolName: "Write", ToolInput: []byte(`{"file_path":"/w/old.go"}`), ToolResponse: []byte(`{"type":"update"}`)},
		&events.ToolSucceeded{ToolName: "Glob", ToolResponse: []byte(`{"filenames":["/w/found.go","up/below.go"]}`)},
	}
	list = append(list, shellEvents("1", "ls up", "listed.go\ndeep\n")...)
	list = append(list, shellEvents("2", "ls -la", "total 8\n-rw-r--r-- 1 me me 5 Jan 1 10:00 long.go\ndrwxr-xr-x 2 me me 5 Jan 1 10:00 folder\n")...)
	list = append(list, shellEvents("3", "mv read.go moved.go", "")...)
	list = append(list, shellEvents("4", "cat nothing.go || true", "")...)
	list = append(list, &events.ToolSucceeded{ToolName: "Read", ToolInput: []byte(`{"file_path":"/w/moved.go"}`)})
	for _, e := range list {
		s.take(e, "/w")
	}
	want := []string{"/w/read.go", "/w/old.go", "/w/found.go", "/w/up/below.go", "/w/up/listed.go", "/w/up/deep", "/w/long.go", "/w/folder"}
	if !slices.Equal(s.order, want) {
		t.Errorf("seeds = %q\nwant %q", s.order, want)
	}
}

// lines is a transcript that a test writes.
type lines struct {
	session string
	at      time.Time
	text    strings.Builder
	calls   int
}

// began is when the sessions of the tests began.
var began = time.Date(2026, 3, 1, 9, 0, 0, 0, time.UTC)

func transcriptOf(session string, at time.Duration) *lines {
	return &lines{session: session, at: began.Add(at)}
}

func (l *lines) line(members string) {
	l.calls++
	l.at = l.at.Add(time.Second)
	fmt.Fprintf(&l.text, `{"uuid":"%s-%d","sessionId":%q,"timestamp":%q,"cwd":"/home/me/app","gitBranch":"main","version":"2.1.0","entrypoint":"cli",%s}`+"\n",
		l.session, l.calls, l.session, l.at.Format(time.RFC3339Nano), members)
}

func (l *lines) prompt(text string) *lines {
	l.line(fmt.Sprintf(`"type":"user","message":{"content":%q}`, text))
	return l
}

func (l *lines) says(text string) *lines {
	l.line(fmt.Sprintf(`"type":"assistant","message":{"id":"m%d","content":[{"type":"text","text":%q}]}`, l.calls, text))
	return l
}

// call is a call with its outcome: a response as JSON, or an error.
func (l *lines) call(tool, input, response, failure string) *lines {
	id := fmt.Sprintf("%s-call-%d", l.session, l.calls)
	l.line(fmt.Sprintf(`"type":"assistant","message":{"id":"m%d","content":[{"type":"tool_use","id":%q,"name":%q,"input":%s}]}`, l.calls, id, tool, input))
	if failure != "" {
		l.line(fmt.Sprintf(`"type":"user","message":{"content":[{"type":"tool_result","tool_use_id":%q,"is_error":true,"content":%q}]}`, id, failure))
		return l
	}
	l.line(fmt.Sprintf(`"type":"user","toolUseResult":%s,"message":{"content":[{"type":"tool_result","tool_use_id":%q,"content":"done"}]}`, response, id))
	return l
}

func (l *lines) bash(command, output string) *lines {
	return l.call("Bash", fmt.Sprintf(`{"command":%q}`, command), fmt.Sprintf(`{"stdout":%q,"stderr":""}`, output), "")
}

func (l *lines) fails(command, output string) *lines {
	return l.call("Bash", fmt.Sprintf(`{"command":%q}`, command), "", "Exit code 1\n"+output)
}

func (l *lines) writes(file string) *lines {
	return l.call("Write", fmt.Sprintf(`{"file_path":"/home/me/app/%s","content":"x\n"}`, file), `{"type":"create"}`, "")
}

func (l *lines) reads(file string) *lines {
	return l.call("Read", fmt.Sprintf(`{"file_path":"/home/me/app/%s"}`, file), `{"type":"text"}`, "")
}

func (l *lines) compacts() *lines {
	l.line(`"type":"system","subtype":"compact_boundary","compactMetadata":{"trigger":"auto"}`)
	l.line(`"type":"user","isCompactSummary":true,"message":{"content":"This session is being continued from a previous conversation. Things were done."}`)
	return l
}

// projectOf writes transcripts into a folder, and loads them.
func projectOf(t *testing.T, list ...*lines) project {
	t.Helper()
	dir := filepath.Join(t.TempDir(), "app")
	expect.OK(t, os.MkdirAll(dir, 0o700))
	for _, l := range list {
		expect.OK(t, os.WriteFile(filepath.Join(dir, l.session+".jsonl"), []byte(l.text.String()), 0o600))
	}
	found, problems := transcript.Sessions([]string{dir})
	if len(problems) > 0 {
		t.Fatalf("problems = %q", problems)
	}
	all := projects([]string{dir}, found, false)
	if len(all) != 1 {
		t.Fatalf("%d projects, want 1", len(all))
	}
	return all[0]
}

// Ids of sessions.
const (
	firstID  = "11111111-1111-4111-8111-111111111111"
	secondID = "22222222-2222-4222-8222-222222222222"
	thirdID  = "33333333-3333-4333-8333-333333333333"
)

// The hooks of sessions that ran at once interleave by their times.
func TestSessionsInterleave(t *testing.T) {
	one := transcriptOf(firstID, 0).prompt("Add the retries to the client").bash("ls", "").bash("ls", "")
	two := transcriptOf(secondID, 2500*time.Millisecond).prompt("Make the page of the reports faster").bash("ls", "")
	p := projectOf(t, one, two)
	var changes []string
	hooks := inOrder(p.sessions)
	for i, h := range hooks {
		if i > 0 && h.at.Before(hooks[i-1].at) {
			t.Errorf("hook %d is of %v, before that of %v", i, h.at, hooks[i-1].at)
		}
		if id := h.session.id[:1]; len(changes) == 0 || changes[len(changes)-1] != id {
			changes = append(changes, id)
		}
	}
	if got, want := strings.Join(changes, ""), "121212"; got != want {
		t.Errorf("sessions in the order of their hooks = %s, want %s", got, want)
	}
}

// A hook can read the lines that the client had written when it sent it: none of what came later.
func TestReadableLines(t *testing.T) {
	p := projectOf(t, transcriptOf(firstID, 0).prompt("Add the retries to the client").bash("ls", "").says("That is all.").prompt("Now the docs").compacts())
	want := map[string]int{"SessionStart": 0, "UserPromptSubmit": 0, "PreToolUse": 2, "PostToolUse": 2, "PostToolBatch": 3, "Stop": 4, "PreCompact": 5, "SubagentStop": 5}
	for _, h := range p.sessions[0].files[0].hooks {
		if got, first := want[h.Name]; first && h.readable() != got {
			t.Errorf("%s can read %d lines, want %d", h.Name, h.readable(), got)
		}
		delete(want, h.Name)
	}
	if len(want) > 0 {
		t.Errorf("no hooks of %v", want)
	}
}

// play plays transcripts as the client's hooks.
func play(t *testing.T, list ...*lines) project {
	t.Helper()
	p := projectOf(t, list...)
	expect.OK(t, played(t.Context(), options{}, p, false))
	return p
}

// startOf returns what a session was told with its start.
func startOf(t *testing.T, p project, id string) string {
	t.Helper()
	for _, s := range p.sessions {
		for _, st := range s.steps {
			if _, ok := st.event.(*events.SessionStarted); ok && s.id == id {
				return st.told
			}
		}
	}
	t.Fatalf("no start of session %s", id)
	return ""
}

// A session whose client is gone without a word is handed over, at its real age.
func TestStartAtItsRealAge(t *testing.T) {
	one := transcriptOf(firstID, 0).prompt("Add the retries to the client").writes("retry.go")
	two := transcriptOf(secondID, 3*time.Hour).prompt("Make the page of the reports faster")
	told := startOf(t, play(t, one, two), secondID)
	for _, want := range []string{"11111111, 2 h ago", "Goal: Add the retries to the client", "Edited: retry.go"} {
		if !strings.Contains(told, want) {
			t.Errorf("told at the start = %q, want %q in it", told, want)
		}
	}
}

// A file that the session removed is not on the disk when the next one starts.
func TestRemovedFileIsGone(t *testing.T) {
	one := transcriptOf(firstID, 0).prompt("Add the retries to the client").writes("retry.go").writes("left.go").bash("rm retry.go", "")
	two := transcriptOf(secondID, time.Hour).prompt("Make the page of the reports faster")
	told := startOf(t, play(t, one, two), secondID)
	if want := "Edited: left.go"; !slices.Contains(strings.Split(told, "\n"), want) {
		t.Errorf("told at the start = %q, want the line %q", told, want)
	}
}

// A point's file says where it is in the transcript, and what was told there, with the recorded paths.
func TestPointsAreWritten(t *testing.T) {
	one := transcriptOf(firstID, 0).prompt("Add the retries to the client").writes("retry.go").
		call("Write", `{"file_path":"/home/me/notes.md","content":"x"}`, `{"type":"create"}`, "").compacts().reads("retry.go")
	two := transcriptOf(secondID, time.Hour).prompt("Make the page of the reports faster")
	p := play(t, one, two)
	dir := t.TempDir()
	expect.OK(t, writePoints(dir, p, false))

	at := expect.Value(os.ReadFile(filepath.Join(dir, "app-11111111-compaction-02.txt")))(t)
	start := expect.Value(os.ReadFile(filepath.Join(dir, "app-22222222-startup-01.txt")))(t)
	for _, c := range []struct {
		in   []byte
		want string
	}{
		{at, "kind     compaction\n"}, {at, "time     2026-03-01T09:00:07Z\n"}, {at, firstID + ".jsonl:7 of 9 lines\n"}, {at, "  1  "}, {at, "/home/me/notes.md"},
		{start, "kind     startup\n"}, {start, "before   " + firstID + ", last active 2026-03-01T09:00:09Z"}, {start, "/home/me/notes.md"},
	} {
		if !strings.Contains(string(c.in), c.want) {
			t.Errorf("point = %s\nwant %q in it", c.in, c.want)
		}
	}
	if strings.Contains(string(at), "stage-") {
		t.Errorf("point = %s\nwant no path of the stage", at)
	}
}
