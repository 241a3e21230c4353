//go:build unix

package daemon

import (
	"encoding/json"
	"errors"
	"fmt"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"hookline/events"
	"hookline/hookctl/problem"
	"hookline/hookctl/wire"
	"hookline/projector"
	"hookline/projector/intake"
	"hookline/projector/project"
	"hookline/projector/session"
)

// clock is a time that tests set.
type clock struct{ at time.Time }

func (c *clock) now() time.Time { return c.at }

func openAt(t *testing.T, home string, c *clock) *Daemon {
	t.Helper()
	d, err := Open(t.Context(), Options{Home: home, Now: c.now, IdleExit: time.Hour})
	if err != nil {
		t.Fatal(err)
	}
	return d
}

func sessionState(t *testing.T, d *Daemon, id string) session.State {
	t.Helper()
	var s session.State
	_ = d.view.Read(t.Context(), func(r projector.Reader) error {
		s, _ = projector.State[session.State](r, session.Name, id)
		return nil
	})
	return s
}

func typesOf(recs []events.Record) []string {
	out := make([]string, 0, len(recs))
	for _, r := range recs {
		out = append(out, r.Type)
	}
	return out
}

// ask sends one request to the handler.
func ask(t *testing.T, d *Daemon, method, target, body string) (int, string) {
	t.Helper()
	w := httptest.NewRecorder()
	d.Handler().ServeHTTP(w, httptest.NewRequest(method, target, strings.NewReader(body)))
	return w.Code, strings.TrimSpace(w.Body.String())
}

// A session whose process has gone is ended and its identity kept; a later event revives it.
func TestReviewReapAndRevive(t *testing.T) {
	d := open(t, reviewHome(t))
	defer shut(t, d)
	child := exec.Command(os.Args[0], "-test.run=TestReviewChild")
	child.Env = append(os.Environ(), "HOOKLINE_TEST_CHILD=1")
	in, err := child.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := child.Start(); err != nil {
		t.Fatal(err)
	}
	f := startOf("s-1")
	f.Env["CLAUDE_PID"] = fmt.Sprint(child.Process.Pid)
	take(t, d, f)
	d.reap(t.Context())
	if s := sessionState(t, d, "s-1"); s.Status != "live" || s.Process().PID != child.Process.Pid || d.live.count() != 1 {
		t.Fatalf("%s, pid %d, %d live", s.Status, s.Process().PID, d.live.count())
	}
	_ = in.Close()
	_ = child.Wait()
	d.reap(t.Context())
	s := sessionState(t, d, "s-1")
	if s.Status != "reaped" || s.EndReason != "process_gone" || s.Ended == nil || d.live.count() != 0 {
		t.Fatalf("%s %s, %d live", s.Status, s.EndReason, d.live.count())
	}
	d.reap(t.Context()) // once
	recs := logOf(t, d)
	last := typesOf(recs)[len(recs)-2:]
	if want := []string{"session.reaped", "identity.persisted"}; !slices.Equal(last, want) || recs[len(recs)-1].Causation != recs[len(recs)-2].ID {
		t.Fatalf("%q, cause %q", last, recs[len(recs)-1].Causation)
	}
	take(t, d, bashOf("s-1", 1))
	if s := sessionState(t, d, "s-1"); s.Status != "live" || s.EndReason != "" || s.Ended != nil || d.live.count() != 1 {
		t.Errorf("%s %s, %d live", s.Status, s.EndReason, d.live.count())
	}
	mustVerify(t, d)
}

// TestReviewChild is the process of a session: it ends with its input.
func TestReviewChild(t *testing.T) {
	if os.Getenv("HOOKLINE_TEST_CHILD") == "" {
		t.Skip("a part of TestReviewReapAndRevive")
	}
	_, _ = os.Stdin.Read(make([]byte, 1))
	os.Exit(0)
}

// A session without a known process ends by 12 hours of silence, not by less.
func TestReviewReapSilent(t *testing.T) {
	c := &clock{time.Now()}
	d := openAt(t, reviewHome(t), c)
	defer shut(t, d)
	f := startOf("s-1")
	f.PPID = 1
	take(t, d, f)
	start := time.UnixMilli(f.Time)
	c.at = start.Add(12 * time.Hour)
	d.reap(t.Context())
	if s := sessionState(t, d, "s-1"); s.Status != "live" {
		t.Fatalf("after 12 h: %s", s.Status)
	}
	c.at = start.Add(12*time.Hour + time.Millisecond)
	d.reap(t.Context())
	if s := sessionState(t, d, "s-1"); s.Status != "reaped" || s.EndReason != "silent" {
		t.Fatalf("after more: %s %s", s.Status, s.EndReason)
	}
}

// SessionEnd ends; what comes late revives.
func TestReviewEndThenLate(t *testing.T) {
	d := open(t, reviewHome(t))
	defer shut(t, d)
	take(t, d, startOf("s-1"))
	take(t, d, hookFrame(`{"hook_event_name":"SessionEnd","session_id":"s-1","reason":"prompt_input_exit"}`))
	if s := sessionState(t, d, "s-1"); s.Status != "ended" || s.EndReason != "prompt_input_exit" || d.live.count() != 0 {
		t.Fatalf("%s %s", s.Status, s.EndReason)
	}
	take(t, d, bashOf("s-1", 1))
	if s := sessionState(t, d, "s-1"); s.Status != "live" || d.live.count() != 1 {
		t.Fatalf("%s", s.Status)
	}
	if code, body := ask(t, d, "POST", "/v1/emit", `{"type":"session.deleted","session":"s-1","data":{}}`); code != 200 {
		t.Fatalf("%d %s", code, body)
	}
	take(t, d, bashOf("s-1", 2))
	if s := sessionState(t, d, "s-1"); s.Status != "deleted" || s.Events != 0 {
		t.Errorf("%+v", s)
	}
	mustVerify(t, d)
}

func TestReviewIdleExit(t *testing.T) {
	c := &clock{time.Now().Truncate(time.Millisecond)}
	d := openAt(t, reviewHome(t), c)
	defer shut(t, d)
	stopped := func() string {
		d.exitWhenIdle()
		select {
		case r := <-d.stopping:
			return r
		default:
			return ""
		}
	}
	f := startOf("s-1")
	take(t, d, f)
	c.at = c.at.Add(50 * time.Hour)
	if r := stopped(); r != "" {
		t.Fatalf("%q with a live session", r)
	}
	take(t, d, hookFrame(`{"hook_event_name":"SessionEnd","session_id":"s-1"}`))
	if r := stopped(); r != "" {
		t.Fatalf("%q at once", r)
	}
	c.at = c.at.Add(time.Hour)
	if r := stopped(); r != "" {
		t.Fatalf("%q after an hour", r)
	}
	c.at = c.at.Add(time.Millisecond)
	if r := stopped(); r != "idle" {
		t.Fatalf("%q after more", r)
	}
	d.opts.IdleExit = -1
	if r := stopped(); r != "" {
		t.Fatalf("%q though never", r)
	}
}

// A clock that went back is recorded once, and nothing else changes.
func TestReviewClockWentBack(t *testing.T) {
	c := &clock{time.Now()}
	d := openAt(t, reviewHome(t), c)
	defer shut(t, d)
	take(t, d, startOf("s-1"))
	c.at = c.at.Add(-2 * time.Hour)
	for i := range 3 {
		f := bashOf("s-1", i)
		f.Time = c.at.UnixMilli()
		take(t, d, f)
	}
	jumps := 0
	for _, r := range logOf(t, d) {
		if e, ok := r.Event.(*events.ClockJumped); ok {
			jumps++
			if e.BackMS < 7_199_000 || e.BackMS > 7_300_000 {
				t.Errorf("%d ms", e.BackMS)
			}
		}
	}
	if jumps != 1 {
		t.Errorf("%d jumps", jumps)
	}
	mustVerify(t, d)
}

// Exactly once: again, conflict and second install, with the answers and the counters.
func TestReviewVerdicts(t *testing.T) {
	home := reviewHome(t)
	d := open(t, home)
	f := startOf("s-1")
	f.Binary = "/a/hookctl"
	first := take(t, d, f)
	again := take(t, d, f)
	if string(first.Stdout) != string(again.Stdout) || !strings.Contains(string(first.Stdout), "New session initialized") {
		t.Errorf("%s then %s", first.Stdout, again.Stdout)
	}
	other := f
	other.Body = []byte(`{"hook_event_name":"SessionStart","session_id":"s-1","source":"resume"}`)
	other.Size = int64(len(other.Body))
	if a := take(t, d, other); string(a.Stdout) != `{"systemMessage":"hookline: a frame id came twice with different content; recorded as frame.conflicted"}`+"\n" || a.Exit != 0 {
		t.Errorf("%+v", a)
	}
	second := startOf("s-1")
	second.Binary = "/b/hookctl"
	for range 2 { // answers nothing, and is named once
		second.ID = wire.NewID(second.Time)
		if a := take(t, d, second); len(a.Stdout)+len(a.Stderr) != 0 {
			t.Errorf("%s", a.Stdout)
		}
	}
	recs := logOf(t, d)
	if got, want := strings.Join(typesOf(recs), " "), "session.started identity.restored frame.conflicted frame.duplicated"; got != want {
		t.Fatalf("%s", got)
	}
	conflict := recs[2].Event.(*events.FrameConflicted)
	if conflict.Frame != f.ID || !strings.HasPrefix(conflict.Digest, "sha256:") || string(conflict.Data) != string(other.Body) {
		t.Errorf("%+v", conflict)
	}
	dup := recs[3].Event.(*events.FrameDuplicated)
	if dup.Original != f.ID || dup.Install != "/b/hookctl" {
		t.Errorf("%+v", dup)
	}
	s := d.Status()
	if s.Again != 1 || s.Conflicts != 1 || s.SecondInstalls["/b/hookctl"] != 2 || s.Hooks["SessionStart"].Count != 1 {
		t.Errorf("%+v", s)
	}
	shut(t, d)

	d = open(t, home) // all of it holds after a restart
	defer shut(t, d)
	if a := take(t, d, f); string(a.Stdout) != string(first.Stdout) {
		t.Errorf("%s", a.Stdout)
	}
	if n := len(logOf(t, d)); n != 4 {
		t.Errorf("%d records", n)
	}
}

// A frame far older than the window is found in the log by its id.
func TestReviewOldFrameIsFound(t *testing.T) {
	home := reviewHome(t)
	c := &clock{time.Now()}
	d := openAt(t, home, c)
	defer shut(t, d)
	f := startOf("s-1")
	take(t, d, f)
	for i := range 20 {
		take(t, d, bashOf("s-1", i))
	}
	before := len(logOf(t, d))
	d.window = newSmallWindow(d, t)
	c.at = c.at.Add(time.Hour)
	take(t, d, f)
	if s := d.Status(); s.Again != 1 || len(logOf(t, d)) != before {
		t.Errorf("again %d, %d records more", s.Again, len(logOf(t, d))-before)
	}
	f.Body = []byte(`{"hook_event_name":"SessionStart","session_id":"s-1","source":"clear"}`)
	f.Size = int64(len(f.Body))
	take(t, d, f)
	if s := d.Status(); s.Conflicts != 1 {
		t.Errorf("conflicts %d", s.Conflicts)
	}
}

// A folder that moved is the same project, recorded once.
func TestReviewProjectMoved(t *testing.T) {
	if _, err := exec.LookPath("git"); err != nil {
		t.Skip("no git")
	}
	d := open(t, reviewHome(t))
	defer shut(t, d)
	root := t.TempDir()
	old := filepath.Join(root, "old")
	git := func(args ...string) {
		t.Helper()
		c := exec.Command("git", args...)
		c.Env = append(os.Environ(), "GIT_CONFIG_GLOBAL="+os.DevNull, "GIT_AUTHOR_NAME=a", "GIT_AUTHOR_EMAIL=a@x", "GIT_COMMITTER_NAME=a", "GIT_COMMITTER_EMAIL=a@x")
		if out, err := c.CombinedOutput(); err != nil {
			t.Fatalf("%s: %s", err, out)
		}
	}
	git("init", "-q", "-b", "main", old)
	git("-C", old, "commit", "-q", "--allow-empty", "-m", "x")
	git("-C", old, "remote", "add", "origin", "https://me:"+reviewSecret+"@example.org/x.git")
	at := func(dir, s string) {
		f := startOf(s)
		f.Env["CLAUDE_PROJECT_DIR"] = dir
		take(t, d, f)
	}
	at(old, "s-1")
	if err := os.Rename(old, filepath.Join(root, "new")); err != nil {
		t.Fatal(err)
	}
	at(filepath.Join(root, "new"), "s-2")
	at(filepath.Join(root, "new"), "s-3")
	if a, b := sessionState(t, d, "s-1"), sessionState(t, d, "s-2"); a.Project == "" || a.Project != b.Project || b.Branch != "main" {
		t.Errorf("%q and %q on %q", a.Project, b.Project, b.Branch)
	}
	n := map[string]int{}
	for _, r := range logOf(t, d) {
		n[r.Type]++
		if e, ok := r.Event.(*events.ProjectSeen); ok && (e.Remote != "https://example.org/x.git" || e.RootCommit == "") {
			t.Errorf("%+v", e)
		}
	}
	if n["project.moved"] != 1 {
		t.Errorf("%v", n)
	}
	keys, _ := d.keys(t.Context(), project.Name)
	if len(keys) != 1 {
		t.Errorf("%q", keys)
	}
}

func TestReviewAliases(t *testing.T) {
	d := open(t, reviewHome(t))
	defer shut(t, d)
	for _, s := range []string{"c68c8a51-e89d-45af-bd06-f5c764bc3b27", "c68c8a51-ffff-45af-bd06-f5c764bc3b27", "d1", "d1-2"} {
		take(t, d, startOf(s))
	}
	for given, want := range map[string]string{
		"": "", "c68c8a51-e89d-45af-bd06-f5c764bc3b27": "c68c8a51-e89d-45af-bd06-f5c764bc3b27", "c68c8a51e89d": "c68c8a51-e89d-45af-bd06-f5c764bc3b27",
		"c68c8a51-ff": "c68c8a51-ffff-45af-bd06-f5c764bc3b27", "d1": "d1",
	} {
		if got, err := d.resolveSession(t.Context(), given); err != nil || got != want {
			t.Errorf("%q: %q %v", given, got, err)
		}
	}
	for given, want := range map[string]string{
		"c68c8a51": `"c68c8a51" is ambiguous: c68c8a51-e89d-45af-bd06-f5c764bc3b27, c68c8a51-ffff-45af-bd06-f5c764bc3b27`,
		"c68":      `there is no session "c68"`, "nobody": `there is no session "nobody"`,
	} {
		_, err := d.resolveSession(t.Context(), given)
		var p *problem.Error
		if !errors.As(err, &p) || p.Message != want || p.Exit != 1 {
			t.Errorf("%q: %v", given, err)
		}
	}
}

func TestReviewTailFilters(t *testing.T) {
	d := open(t, reviewHome(t))
	defer shut(t, d)
	take(t, d, startOf("s-1")) // 1, 2
	take(t, d, startOf("s-2")) // 3, 4
	take(t, d, bashOf("s-1", 1))
	take(t, d, hookFrame(`{"hook_event_name":"PostToolUseFailure","session_id":"s-2","tool_name":"Bash","tool_use_id":"toolu_2","error":"x"}`))
	for query, want := range map[string]string{
		"": "1 2 3 4 5 6", "n=2": "5 6", "n=0": "1 2 3 4 5 6", "n=100": "1 2 3 4 5 6", "session=s-1": "1 2 5", "session=s-1&n=1": "5", "type=tool.*": "5 6",
		"type=tool.failed,session.*": "1 3 6", "type=nothing.*": "", "since=4": "4 5 6", "since=4&n=2": "5 6", "since=10m": "1 2 3 4 5 6", "since=7": "", "since=2001-01-01": "1 2 3 4 5 6",
		"type=identity.*&n=1": "4",
	} {
		code, body := ask(t, d, "GET", "/v1/events?"+query, "")
		var seqs []string
		for _, line := range strings.Split(body, "\n") {
			var r events.Record
			if line != "" && json.Unmarshal([]byte(line), &r) == nil {
				seqs = append(seqs, fmt.Sprint(r.Seq))
			}
		}
		if got := strings.Join(seqs, " "); code != 200 || got != want {
			t.Errorf("%s: %d %q", query, code, got)
		}
	}
	for query, want := range map[string]string{
		"n=-1": `{"error":"n: \"-1\" is no count","exit":1}`, "n=x": `{"error":"n: \"x\" is no count","exit":1}`,
		"type=[":       `{"error":"type: \"[\" is no pattern","hint":"for example --type 'tool.*'","exit":1}`,
		"since=xyz":    `{"error":"\"xyz\" is no sequence, time or duration","hint":"for example 120, 2026-11-21T08:00:00Z or 10m","exit":1}`,
		"session=none": "{\"error\":\"there is no session \\\"none\\\"\",\"hint\":\"`hookctl session list --all` lists them\",\"exit\":1}",
		"project=none": "{\"error\":\"there is no project \\\"none\\\"\",\"hint\":\"`hookctl project list` lists them\",\"exit\":1}",
	} {
		if code, body := ask(t, d, "GET", "/v1/events?"+query, ""); code < 400 || code >= 500 || strings.ReplaceAll(body, `\u0027`, "'") != want {
			t.Errorf("%s: %d %s", query, code, body)
		}
	}
}

func TestReviewEventByID(t *testing.T) {
	d := open(t, reviewHome(t))
	defer shut(t, d)
	f := startOf("s-1")
	take(t, d, f)
	for _, id := range []string{f.ID, strings.ToLower(f.ID), "1"} {
		if code, body := ask(t, d, "GET", "/v1/events/"+id, ""); code != 200 || !strings.HasPrefix(body, `{"seq":1,`) {
			t.Errorf("%s: %d %.80s", id, code, body)
		}
		if code, body := ask(t, d, "GET", "/v1/events/"+id+"?raw=1", ""); code != 200 || body != string(f.Body) {
			t.Errorf("%s: %d %.80s", id, code, body)
		}
	}
	for _, id := range []string{"0", "99", "01ARZ3NDEKTSV4RRFFQ69G5FAV", "01arz3ndektsv4rrffq69g5fav", "x", "18446744073709551616", strings.Repeat("9", 40)} {
		if code, body := ask(t, d, "GET", "/v1/events/"+id, ""); code != 404 || !strings.Contains(body, "no event "+id+" is in the log") {
			t.Errorf("%s: %d %.100s", id, code, body)
		}
	}
}

// The names of `status --json` never change.
func TestReviewStatusKeys(t *testing.T) {
	d := open(t, reviewHome(t))
	defer shut(t, d)
	take(t, d, startOf("s-1"))
	take(t, d, hookFrame(`{"hook_event_name":"Brandnew","session_id":"s-1"}`))
	_, body := ask(t, d, "GET", "/v1/status", "")
	var m map[string]json.RawMessage
	if err := json.Unmarshal([]byte(body), &m); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"pid", "version", "protocol", "uptime_s", "seq", "fsync", "home", "socket", "clean_start", "projections", "spool", "hooks", "again",
		"conflicts", "second_installs", "free_bytes", "total_bytes", "warnings", "damage", "live_sessions", "unknown_types"} {
		if _, ok := m[name]; !ok {
			t.Errorf("%s is missing", name)
		}
	}
	s := d.Status()
	if s.Seq != 3 || s.Protocol != 1 || s.Fsync != "shared" || *s.PID != os.Getpid() || s.LiveSessions != 1 || s.Hooks["Brandnew"].Count != 1 || s.UnknownTypes["hook Brandnew"] != 1 {
		t.Errorf("%+v", s)
	}
	names := make([]string, 0, 4)
	for _, p := range s.Projections {
		names = append(names, p.Name)
		if p.Lag != 3 || p.Seq != 0 {
			t.Errorf("%+v", p)
		}
	}
	if got := strings.Join(names, " "); got != "session identity latest project gate" {
		t.Error(got)
	}
	if _, err := d.view.Flush(t.Context()); err != nil {
		t.Fatal(err)
	}
	for _, p := range d.Status().Projections {
		if p.Lag != 0 || p.Seq != 3 {
			t.Errorf("%+v", p)
		}
	}
}

func TestReviewCanarySteps(t *testing.T) {
	d := open(t, reviewHome(t))
	defer shut(t, d)
	c := d.canary(t.Context())
	names := make([]string, 0, len(c.Steps))
	for _, s := range c.Steps {
		names = append(names, s.Name)
		if !s.OK {
			t.Errorf("%+v", s)
		}
	}
	if got := strings.Join(names, ", "); got != "append, fold and sync, read back from the log, projections written, bucket snapshot, bucket latest, bucket cache, blob store" || !c.OK || c.Seq != 1 {
		t.Errorf("%v %d %s", c.OK, c.Seq, got)
	}
	mustVerify(t, d)
}

// A long spool holds up no hook: one that comes while it is drained is answered before its end.
func TestReviewLongSpoolHoldsUpNoHook(t *testing.T) {
	d := open(t, reviewHome(t))
	defer shut(t, d)
	for i := range 400 {
		if err := d.spool.Write(bashOf("s-1", i)); err != nil {
			t.Fatal(err)
		}
	}
	done := make(chan int, 1)
	go func() { done <- d.drain(t.Context()) }()
	deadline := time.Now().Add(10 * time.Second)
	for last, _ := d.stream.Last(); last == 0; last, _ = d.stream.Last() {
		if time.Now().After(deadline) {
			t.Fatal("nothing is drained")
		}
		time.Sleep(time.Millisecond)
	}
	f := startOf("s-2")
	r := httptest.NewRequest("POST", "/v1/hook/SessionStart", strings.NewReader(string(f.Body)))
	r.Header.Set("Hookline-Protocol", "1")
	r.Header.Set("Hookline-Frame", string(f.Header()))
	w := httptest.NewRecorder()
	d.Handler().ServeHTTP(w, r)
	if w.Code != 200 {
		t.Fatalf("%d %s", w.Code, w.Body)
	}
	select {
	case <-done:
		t.Error("the hook waited for the whole spool")
	default:
		if n := <-done; n != 400 {
			t.Errorf("%d taken", n)
		}
	}
	if n := len(logOf(t, d)); n != 402 || d.spool.Count() != 0 {
		t.Errorf("%d records, %d wait", n, d.spool.Count())
	}
}

// What the hook's door refuses, and with which status.
func TestReviewHookDoor(t *testing.T) {
	d := open(t, reviewHome(t))
	defer shut(t, d)
	f := startOf("s-1")
	for _, c := range []struct {
		name, protocol, frame string
		code                  int
	}{
		{"another protocol", "2", string(f.Header()), 505}, {"none", "", string(f.Header()), 505}, {"no frame", "1", "", 400}, {"no JSON", "1", "{", 400},
		{"bad id", "1", `{"id":"x","args":["hook"]}`, 400}, {"no arguments", "1", `{"id":"01ARZ3NDEKTSV4RRFFQ69G5FAV"}`, 400}, {"good", "1", string(f.Header()), 200},
	} {
		r := httptest.NewRequest("POST", "/v1/hook/SessionStart", strings.NewReader(string(f.Body)))
		if c.protocol != "" {
			r.Header.Set("Hookline-Protocol", c.protocol)
		}
		r.Header.Set("Hookline-Frame", c.frame)
		w := httptest.NewRecorder()
		d.Handler().ServeHTTP(w, r)
		if w.Code != c.code || w.Header().Get("Hookline-Protocol") != "1" {
			t.Errorf("%s: %d %s", c.name, w.Code, w.Body)
		}
		if c.code == 200 && (w.Header().Get("Hookline-Exit") != "0" || w.Header().Get("Hookline-Stdout") != fmt.Sprint(w.Body.Len())) {
			t.Errorf("%v", w.Header())
		}
	}
	if n := len(logOf(t, d)); n != 2 {
		t.Errorf("%d records", n)
	}
}

// newSmallWindow is a window that remembers the newest ten records only.
func newSmallWindow(d *Daemon, t *testing.T) *intake.Window {
	t.Helper()
	w := intake.New(10)
	for _, r := range logOf(t, d) {
		w.Add(&r.Envelope, r.Seq, r.Appended, intake.DigestOf(r.Data), "")
	}
	return w
}
