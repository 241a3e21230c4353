package verbs

import (
	"encoding/json"
	"strings"
	"testing"
	"time"

	"hookline/events"
	"hookline/hookctl/facts"
	"hookline/projector/identity"
	"hookline/projector/project"
	"hookline/projector/session"
)

// here is the project that the bench's directory belongs to.
const hereID = "1f3a90c2b7de"

// peopled is a fake with three sessions here, two of one alias, and one elsewhere.
func peopled(t *testing.T) (*bench, *fakeBackend) {
	t.Helper()
	f := newFake()
	b := newBench(t, f)
	seq := uint64(0)
	add := func(typ, sess, data string) {
		seq++
		r := record(seq, typ, sess, data)
		r.Branch, r.Time = "main", noon.Add(-time.Hour+time.Duration(seq)*time.Minute)
		f.events = append(f.events, r)
	}
	for _, s := range []string{sessionC, sessionB, sessionA} {
		add(events.TypeSessionStarted, s, `{"source":"startup","model":"claude-opus-4-5","session_id":"`+s+`","cwd":"/project"}`)
		add(events.TypePromptSubmitted, s, `{"prompt":"do it"}`)
	}
	add(events.TypeSessionEnded, sessionB, `{"reason":"prompt_input_exit"}`)
	for range 3 {
		add(events.TypeToolRequested, sessionA, `{"tool_name":"Bash","tool_use_id":"t","tool_input":{"command":"go test ./..."}}`)
		add(events.TypeToolSucceeded, sessionA, `{"tool_name":"Bash","tool_use_id":"t","tool_input":{"command":"go test ./..."}}`)
	}
	add(events.TypeToolFailed, sessionA, `{"tool_name":"Edit","tool_use_id":"u","tool_input":{"file_path":"/project/a.go"},"error":"no match"}`)
	f.fold(t)
	f.cells[session.Name]["99999999-x"] = session.State{ID: "99999999-x", Project: "another", Status: session.Live, LastActive: noon}
	path := b.place(b.Cwd).Path()
	f.cells[project.Name][hereID] = project.State{ID: hereID, Name: "app", Path: path, Git: true, Remote: "https://example.com/app.git",
		RootCommit: "0123abcd", Paths: []string{"/old/app", path}, FirstSeen: noon.Add(-48 * time.Hour), LastSeen: noon.Add(-time.Minute), Sessions: 3, Joined: []string{"aaaaaaaaaaaa"}}
	f.cells[project.Name]["aaaaaaaaaaaa"] = project.State{ID: "aaaaaaaaaaaa", Name: "app", Path: "/old/app", LastSeen: noon.Add(-72 * time.Hour), JoinedInto: hereID}
	f.cells[project.Name]["bbbbbbbbbbbb"] = project.State{ID: "bbbbbbbbbbbb", Name: "lib", Path: "/lib", LastSeen: noon.Add(-time.Hour), Sessions: 1}
	return b, f
}

func TestSessionList(t *testing.T) {
	b, _ := peopled(t)
	golden(t, "sessions.txt", b.must("session", "list"))
	if out := b.must("session", "list", "--all"); !strings.Contains(out, "99999999") {
		t.Errorf("--all leaves out: %s", out)
	}
	var s session.State
	out := b.must("session", "list", "--json")
	if err := json.Unmarshal([]byte(strings.SplitN(out, "\n", 2)[0]), &s); err != nil || s.ID != sessionA || strings.Count(out, "\n") != 3 {
		t.Errorf("%v: %s", err, out)
	}
	b.place = func(dir string) facts.Place { return facts.Place{Dir: "/elsewhere"} }
	equal(t, b.must("session", "list"), "no session in this project; 4 in others (--all)\n", "elsewhere")
}

func TestSessionShow(t *testing.T) {
	b, _ := peopled(t)
	golden(t, "session.txt", b.must("session", "show", "c68c8a51"))
	for _, name := range []string{sessionA, "c68c8a51", "c68c8a51-"} {
		contains(t, b.must("session", "show", name, "--json"), `"id":"`+sessionA+`"`)
	}
}

func TestSessionAliasAmbiguous(t *testing.T) {
	b, _ := peopled(t)
	code, _, errs := b.run("session", "show", "043f0af5")
	want := `hookctl: error: "043f0af5" is ambiguous: ` + sessionB + " (53m ago), " + sessionC + " (58m ago)\nhookctl: hint: give more of the id\n"
	if code != 1 || errs != want {
		t.Errorf("exit %d, %q", code, errs)
	}
	contains(t, b.must("session", "show", sessionC), sessionC)
	contains(t, b.must("session", "show", "043f0af5-9c"), sessionB)
	if code, _, errs := b.run("session", "show", "deadbeef"); code != 1 || errs != "hookctl: error: there is no session \"deadbeef\"\nhookctl: hint: `hookctl session list --all` lists them\n" {
		t.Errorf("exit %d, %q", code, errs)
	}
}

func TestSessionDelete(t *testing.T) {
	b, f := peopled(t)
	code, _, errs := b.run("session", "delete", "c68c8a51")
	if code != 1 || !strings.Contains(errs, "there is no terminal to ask") || len(f.emitted) != 0 {
		t.Errorf("without a terminal: exit %d, %q, emitted %v", code, errs, f.emitted)
	}
	b.Asks, b.In = true, strings.NewReader("n\n")
	if code, _, errs := b.run("session", "delete", "c68c8a51"); code != 1 || !strings.Contains(errs, "[y/N]") || len(f.emitted) != 0 {
		t.Errorf("answered no: exit %d, %q", code, errs)
	}
	b.In = strings.NewReader("yes\n")
	equal(t, b.must("session", "delete", "c68c8a51"), "session "+sessionA+" is deleted (event 10)\n", "stdout")
	b.Asks = false
	b.must("session", "delete", "c68c8a51", "--yes", "--reason", "test")
	for i, reason := range []string{"command", "test"} {
		if e := f.emitted[i]; e.Type != "session.deleted" || e.Session != sessionA || e.Project != hereID || e.Data != `{"reason":"`+reason+`"}` {
			t.Errorf("emitted %+v", e)
		}
	}
}

func TestProject(t *testing.T) {
	b, f := peopled(t)
	out := b.must("project", "list")
	for i, want := range []string{"PROJECT", "*  1f3a90c2b7de  app   3", "bbbbbbbbbbbb  lib   0", "aaaaaaaaaaaa  app   –"} {
		if line := strings.Split(out, "\n")[i]; !strings.Contains(line, want) {
			t.Errorf("line %d: %q lacks %q", i, line, want)
		}
	}
	contains(t, out, "joined into 1f3a90c2b7de\n")
	contains(t, b.must("project", "show"), "app  1f3a90c2b7de", "https://example.com/app.git", "took in       aaaaaaaaaaaa")
	contains(t, b.must("project", "show", "lib", "--json"), `"id":"bbbbbbbbbbbb"`)
	if code, _, errs := b.run("project", "show", "app"); code != 1 || !strings.Contains(errs, `"app" is ambiguous`) {
		t.Errorf("exit %d, %q", code, errs)
	}
	equal(t, b.must("project", "rehome", "lib", hereID), "bbbbbbbbbbbb (lib) counts for 1f3a90c2b7de (app) from now on (event 10)\n", "stdout")
	if e := f.emitted[0]; e.Type != "project.rehomed" || e.Project != hereID || e.Data != `{"from":"bbbbbbbbbbbb","path":"/lib"}` {
		t.Errorf("emitted %+v", e)
	}
	if out := b.must("project", "rehome", "aaaaaaaaaaaa", hereID); out != "aaaaaaaaaaaa already counts for 1f3a90c2b7de\n" || len(f.emitted) != 1 {
		t.Errorf("again: %q, %d emitted", out, len(f.emitted))
	}
	if code, _, errs := b.run("project", "rehome", hereID, hereID); code != 1 || !strings.Contains(errs, "are the same project") {
		t.Errorf("exit %d, %q", code, errs)
	}
	b.place = func(string) facts.Place { return facts.Place{Dir: "/nowhere"} }
	if code, _, errs := b.run("project", "show"); code != 1 || !strings.Contains(errs, "this directory is no project yet") {
		t.Errorf("exit %d, %q", code, errs)
	}
}

func TestProjectAtFollowsJoins(t *testing.T) {
	all := []cell[project.State]{
		{State: project.State{ID: "a", Path: "/x", LastSeen: noon, JoinedInto: "b"}},
		{State: project.State{ID: "b", Path: "/y", LastSeen: noon, JoinedInto: "c"}},
		{State: project.State{ID: "c", Path: "/z", LastSeen: noon}},
	}
	equal(t, projectAt(all, "/x"), "c", "got")
	equal(t, projectAt(nil, "/x"), facts.ProjectID("/x"), "unknown path")
	ring := []cell[project.State]{{State: project.State{ID: "a", Path: "/x", LastSeen: noon, JoinedInto: "a"}}}
	equal(t, projectAt(ring, "/x"), "a", "ring")
}

// TestCurrentSession: flag, environment, the live one, newest snapshot, in this order.
func TestCurrentSession(t *testing.T) {
	b, f := peopled(t)
	shown := func(args ...string) string {
		t.Helper()
		var out struct{ Session string }
		noError(t, json.Unmarshal([]byte(b.must(append([]string{"identity", "show", "--json"}, args...)...)), &out))
		return out.Session
	}
	b.env["CLAUDE_PID"] = "1" // nobody's client
	f.cells[identity.PointerName][identity.PointerKey(hereID)] = identity.Pointer{Session: sessionB}
	equal(t, shown(), sessionA, "live")
	for id, c := range f.cells[session.Name] {
		s := c.(session.State)
		s.Status = session.Ended
		f.cells[session.Name][id] = s
	}
	equal(t, shown(), sessionB, "newest snapshot")
	b.env["CLAUDE_CODE_SESSION_ID"] = sessionC
	equal(t, shown(), sessionC, "environment")
	equal(t, shown("--session", "c68c8a51"), sessionA, "flag")
}

func TestIdentityShow(t *testing.T) {
	b, f := peopled(t)
	golden(t, "identity.txt", b.must("identity", "show", "--session", "c68c8a51"))
	var out identityJSON
	noError(t, json.Unmarshal([]byte(b.must("identity", "show", "--session", "c68c8a51", "--json")), &out))
	s := f.cells[identity.Name][sessionA].(identity.State)
	if out.IC != s.LastIC || out.R != s.Integration || out.C != s.Consciousness || out.Brief != s.Brief() || len(out.Facets) != 13 || out.Class == "" || out.Guidance == "" || out.Johari.Name == "" {
		t.Errorf("got %+v", out)
	}
	f.cells[identity.Name][sessionB] = identity.State{}
	if code, _, errs := b.run("identity", "show", "--session", sessionB); code != 1 || !strings.Contains(errs, "has no identity") {
		t.Errorf("exit %d, %q", code, errs)
	}
}

func TestIdentityHistory(t *testing.T) {
	b, f := peopled(t)
	equal(t, b.must("identity", "history"), "no snapshot yet; one is taken at the end of a session\n", "stdout")
	s := f.cells[identity.Name][sessionB].(identity.State)
	at := s.TimestampMS + 600_000
	s.TimestampMS, s.Persisted, s.PersistedAtMS, s.LastIC, s.PreviousSessionID = at, true, at, 0.8765, sessionA
	f.cells[identity.Name][sessionB] = s
	f.cells[identity.PointerName][identity.TimeKey(at, sessionB)] = identity.Pointer{Session: sessionB, AtMS: at}
	f.cells[identity.PointerName][identity.TimeKey(at-599_999_999, sessionB)] = identity.Pointer{Session: sessionB, AtMS: at}
	f.cells[identity.PointerName][identity.TimeKey(at+1, "gone")] = identity.Pointer{}
	golden(t, "history.txt", b.must("identity", "history"))
	out := b.must("identity", "history", "--json")
	contains(t, out, `"ic":null`, `"ic":0.8765,"class":"good"`)
	equal(t, strings.Count(b.must("identity", "history", "-n", "1"), "\n"), 2, "-n 1 printed")
}

func TestIdentityObserve(t *testing.T) {
	b, f := peopled(t)
	thirteen := strings.TrimSuffix(strings.Repeat("0.5,", 13), ",")
	for _, tc := range []struct{ flag, value, want string }{
		{"vector", "1,2,3", "observation refused: purpose_vector: 3 values instead of 13"},
		{"vector", strings.Replace(thirteen, "0.5", "NaN", 1), "observation refused: purpose_vector[1]: NaN is not a finite number"},
		{"vector", strings.Replace(thirteen, "0.5", "1.5", 1), "observation refused: purpose_vector[1]: 1.5 is outside [-1, 1]"},
		{"vector", strings.TrimSuffix(strings.Repeat("0,", 13), ","), "observation refused: purpose_vector: all values are zero"},
		{"phases", strings.Replace(thirteen, "0.5", "x", 1), `observation refused: kuramoto_phases[1]: "x" is no number`},
		{"coupling", "2.5", "observation refused: coupling: 2.5 is outside [0, 2]"},
		{"accuracy", "+Inf", "observation refused: accuracy: +Inf is not a finite number"},
		{"consciousness", "-0.1", "observation refused: consciousness: -0.1 is outside [0, 1]"},
		{"observer", "me", "observation refused: no value is given"},
	} {
		code, _, errs := b.run("identity", "observe", "--session", "c68c8a51", "--"+tc.flag+"="+tc.value)
		if code != 1 || !strings.HasPrefix(errs, "hookctl: error: "+tc.want+"\n") || len(f.emitted) != 0 {
			t.Errorf("%s=%s: exit %d, %q", tc.flag, tc.value, code, errs)
		}
	}
	b.must("identity", "observe", "--session", "c68c8a51", "--vector", thirteen, "--accuracy", ".75")
	want := `{"purpose_vector":[` + thirteen + `],"accuracy":0.75,"observer":"command"}`
	if e := f.emitted[0]; e.Type != "identity.observed" || e.Session != sessionA || e.Data != want {
		t.Errorf("emitted %+v", e)
	}
	b.must("identity", "reset-kuramoto", "--session", "c68c8a51")
	if e := f.emitted[1]; e.Type != "identity.phases_reset" || e.Data != `{"reason":"command"}` || e.Project != hereID {
		t.Errorf("emitted %+v", e)
	}
}

func TestDreamTrigger(t *testing.T) {
	b, f := peopled(t)
	out := b.must("dream", "trigger", "--phase", "full", "--session", "c68c8a51")
	if out != "dream full: IC 0.42 → 0.91, r 0.40 → 0.99, 12 entries replayed\n  unused for three sessions: ordering\n" {
		t.Errorf("stdout %q", out)
	}
	contains(t, b.must("dream", "trigger", "--session", "c68c8a51", "--json"), `"type":"dream.completed"`)
	if last := f.asked[len(f.asked)-1]; !strings.Contains(last, "since=11") || !strings.Contains(last, "session="+sessionA) {
		t.Errorf("asked %s", last)
	}
}

func TestRepair(t *testing.T) {
	f := newFake()
	f.rebuild = `{"progress":5,"of":9}` + "\n" + `{"result":{"projection":"identity","dry_run":false,"seq":9,"changed":[{"projection":"identity","key":"k","field":"last_ic","want":"0.9","got":"0.1"}],"took_ms":12.4}}` + "\n"
	b := newBench(t, f)
	for args, path := range map[string]string{
		"--cf session_identity":     "POST /v1/rebuild?projection=identity",
		"--bucket latest":           "POST /v1/rebuild?projection=latest",
		"--bucket snapshot":         "POST /v1/rebuild",
		"--bucket session":          "POST /v1/rebuild?projection=session",
		"--bucket latest --dry-run": "POST /v1/rebuild?dry_run=1&projection=latest",
	} {
		out := b.must(append([]string{"repair"}, strings.Fields(args)...)...)
		if got := f.asked[len(f.asked)-1]; got != path {
			t.Errorf("%s asked %s", args, got)
		}
		if out != "projection identity: folded again up to sequence 9 in 12 ms, 1 value differed\n  identity k last_ic: was 0.1, is 0.9 by the log\n" {
			t.Errorf("stdout %q", out)
		}
	}
	contains(t, b.must("repair", "--bucket", "cache", "--json"), `"seq":9`)
	if code, _, errs := b.run("repair", "--bucket", "pail"); code != 1 || errs != "hookctl: error: there is no bucket \"pail\"\nhookctl: hint: one of cache, gate, identity, latest, project, session, session_identity, snapshot\n" {
		t.Errorf("exit %d, %q", code, errs)
	}
	f.rebuild = `{"progress":5,"of":9}` + "\n"
	if code, _, errs := b.run("repair", "--bucket", "session"); code != 1 || !strings.Contains(errs, "the daemon ended before the result") {
		t.Errorf("cut off: exit %d, %q", code, errs)
	}
}

// A dream that failed is told by the exit code with --json, too.
func TestDreamFailedJSON(t *testing.T) {
	b, f := peopled(t)
	f.dreams = `{"phase":"full","error":"no entries","ic":0.42}`
	for _, flags := range [][]string{nil, {"--json"}} {
		code, out, errs := b.run(append([]string{"dream", "trigger", "--session", "c68c8a51"}, flags...)...)
		if code != 1 || errs != "hookctl: error: Dream trigger failed: no entries. IC remains at 0.42\n" || strings.Contains(out, `"type":"dream.failed"`) != (flags != nil) {
			t.Errorf("%v: exit %d, %q, %q", flags, code, out, errs)
		}
	}
}

// A project that was joined before is told by the event that did it: the verb prints one kind of object.
func TestRehomeTwiceJSON(t *testing.T) {
	b, f := peopled(t)
	contains(t, b.must("project", "rehome", "lib", hereID, "--json"), `"seq":10,`, `"type":"project.rehomed"`)
	code, out, errs := b.run("project", "rehome", "aaaaaaaaaaaa", hereID, "--json")
	if code != 1 || out != "" || !strings.HasPrefix(errs, "hookctl: error: the event that joined aaaaaaaaaaaa into 1f3a90c2b7de is not in the log any more\n") {
		t.Errorf("without the event: exit %d, %q, %q", code, out, errs)
	}
	f.events = append(f.events, record(7, events.TypeProjectRehomed, "", `{"from":"aaaaaaaaaaaa"}`), record(8, events.TypeProjectRehomed, "", `{"from":"cccccccccccc"}`))
	var r events.Record
	if err := json.Unmarshal([]byte(b.must("project", "rehome", "aaaaaaaaaaaa", hereID, "--json")), &r); err != nil || r.Seq != 7 || len(f.emitted) != 1 {
		t.Errorf("event %d, %d emitted, %v", r.Seq, len(f.emitted), err)
	}
}

// In the list what somebody should look at is marked, also of sessions that ended.
func TestStandingsThatWarn(t *testing.T) {
	for _, s := range []session.State{
		{Status: session.Reaped}, {Status: session.Reaped, EndReason: "process_gone"},
		{Status: session.Ended, EndReason: "other", Course: session.Course{Turn: true}},
		{Status: session.Ended, EndReason: "other", Course: session.Course{Error: "rate_limit"}},
	} {
		if word := standingWord(s.Standing()); !warns[word] {
			t.Errorf("%q is not marked", word)
		}
	}
	for _, s := range []session.State{{Status: session.Live}, {Status: session.Live, Course: session.Course{Turn: true}}, {Status: session.Ended, EndReason: "logout"}} {
		if word := standingWord(s.Standing()); warns[word] {
			t.Errorf("%q is marked", word)
		}
	}
}
