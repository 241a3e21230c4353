package page

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"hookline/events"
	"hookline/expect"
	"hookline/hookctl/api"
	"hookline/hookctl/client"
	"hookline/hookctl/problem"
	"hookline/projector"
	"hookline/projector/session"
	"hookline/replay/past"
)

// source is a daemon of one session that is told from records in memory, by the same code as the daemon's.
type source struct{ log []events.Record }

const demoID = "5b0f6c2e-8f1d-4c57-9a55-1d2a7d0c9e11"

func (s source) Select(_ context.Context, from, to uint64, want []projector.Selector, fn func(events.Record) error) error {
	for _, r := range s.log {
		meant := slices.ContainsFunc(want, func(w projector.Selector) bool { return w.Match(r.Session, r.Project, r.Type) })
		if !meant || r.Seq < from || r.Seq > to {
			continue
		}
		if err := fn(r); err != nil {
			return err
		}
	}
	return nil
}

func (source) SeqCaptured(context.Context, time.Time) (uint64, error) { return 0, nil }
func (source) SeqAtTime(context.Context, time.Time) (uint64, error)   { return 0, nil }

func (s source) state() session.State {
	var st session.State
	for _, r := range s.log {
		st = projector.Fold(session.Table, st, r)
	}
	return st
}

// Send implements [api.Caller].
func (s source) Send(r *http.Request) (*http.Response, error) {
	server := s.states()
	api.Events.Serve(server, s.giveEvents)
	return sendTo(server, r)
}

// sendTo sends a request to a server of this process.
func sendTo(server *api.Server, r *http.Request) (*http.Response, error) {
	return client.InProcess(client.Local{Handler: server, Close: func() error { return nil }}).Send(r)
}

// states serves the session and its events, but not those to come.
func (s source) states() *api.Server {
	server := api.NewServer()
	api.Cell.Serve(server, func(_ context.Context, r api.CellRequest) (past.Cell, error) {
		if r.Projection != session.Name || r.Key != demoID {
			return past.Cell{}, problem.Missing("there is no such thing")
		}
		return s.cell()
	})
	api.Cells.Serve(server, func(_ context.Context, _ api.CellsRequest, out api.Lines[past.Cell]) error {
		cell, err := s.cell()
		if err != nil {
			return err
		}
		return out.Send(cell)
	})
	api.Event.Serve(server, func(_ context.Context, r api.EventRequest) (events.Record, error) {
		for _, record := range s.log {
			if r.ID == fmt.Sprint(record.Seq) {
				return record, nil
			}
		}
		return events.Record{}, problem.Missing("no event %q", r.ID)
	})
	api.Walk.Serve(server, func(ctx context.Context, _ api.WalkRequest, out api.Lines[past.Step]) error {
		v := past.View{Log: s, Last: uint64(len(s.log)), Now: time.Now}
		return v.Walk(ctx, demoID, out.Send)
	})
	return server
}

func (s source) cell() (past.Cell, error) {
	state, err := json.Marshal(s.state())
	return past.Cell{Key: demoID, Seq: uint64(len(s.log)), State: state}, err
}

// giveEvents sends the newest event; nothing comes after it.
func (s source) giveEvents(ctx context.Context, r api.EventsRequest, out api.Lines[events.Record]) error {
	err := out.Send(s.log[len(s.log)-1])
	if err == nil && r.Follow {
		<-ctx.Done()
	}
	return err
}

// logOf makes a session of hooks: a type and its data each, a second apart.
func logOf(hooks ...[2]string) source {
	var s source
	for i, h := range hooks {
		s.log = append(s.log, events.NewRecord(uint64(i+1), events.Envelope{ID: fmt.Sprintf("E%04d", i), Type: h[0], Version: 1, Session: demoID, Project: "p",
			Time: time.Date(2026, 11, 21, 8, 0, 0, 0, time.UTC).Add(time.Duration(i) * time.Second), Worktree: "/w/app", Branch: "main", Data: []byte(h[1])}))
	}
	return s
}

// demoSource is a short session with a prompt, an edit, a failed test and its mending.
func demoSource() source {
	return logOf(
		[2]string{events.TypeSessionStarted, `{"source":"startup","model":"claude-opus-5-5"}`},
		[2]string{events.TypePromptSubmitted, `{"prompt":"Add retries to the upload client"}`},
		[2]string{events.TypeToolRequested, `{"tool_name":"Edit","tool_use_id":"t1","tool_input":{"file_path":"/w/app/up.go","old_string":"a","new_string":"b\nc"}}`},
		[2]string{events.TypeToolSucceeded, `{"tool_name":"Edit","tool_use_id":"t1","duration_ms":6,"tool_input":{"file_path":"/w/app/up.go","old_string":"a","new_string":"b\nc"},"tool_response":{"structuredPatch":[{"oldStart":4,"newStart":4,"lines":[" x","-a","+b","+c"]}]}}`},
		[2]string{events.TypeToolRequested, `{"tool_name":"Bash","tool_use_id":"t2","tool_input":{"command":"go test ./..."}}`},
		[2]string{events.TypeToolFailed, `{"tool_name":"Bash","tool_use_id":"t2","tool_input":{"command":"go test ./..."},"error":"Exit code 1\nFAIL up"}`},
		[2]string{events.TypeTurnStopped, `{"last_assistant_message":"Done."}`},
	)
}

// serve runs the page for a test and gives its link.
func serve(t testing.TB, from api.Caller, o Options) string {
	t.Helper()
	ctx, stop := context.WithCancel(t.Context())
	links, ended := make(chan string, 1), make(chan error, 1)
	o.From, o.Zone, o.Now = from, time.UTC, time.Now
	go func() { ended <- Serve(ctx, o, func(link string) { links <- link }) }()
	t.Cleanup(func() {
		stop()
		if err := <-ended; err != nil {
			t.Error(err)
		}
	})
	select {
	case link := <-links:
		return link
	case err := <-ended:
		ended <- nil
		t.Fatal(err)
		return ""
	}
}

// tab is the browser that opened a link.
type tab struct {
	t    *testing.T
	own  *http.Client
	base string
	list string // what the link showed
}

// opened runs the page and opens its link.
func opened(t *testing.T, from api.Caller, o Options) tab {
	t.Helper()
	link := serve(t, from, o)
	b := tab{t: t, own: browser(t)}
	b.own.Timeout = 30 * time.Second
	b.base, _, _ = strings.Cut(link, "/open")
	_, b.list, _ = ask(t, b.own, link)
	return b
}

// page is what a path shows.
func (b tab) page(path string) string {
	b.t.Helper()
	status, body, _ := ask(b.t, b.own, b.base+path)
	expect.EqualNow(b.t, status, http.StatusOK, path, body)
	return body
}

// session is what a path below that of the session shows.
func (b tab) session(path string) string {
	b.t.Helper()
	return b.page("/session/" + demoID + path)
}

// has wants each of some texts.
func has(t *testing.T, what, text string, wants ...string) {
	t.Helper()
	for _, want := range wants {
		if !strings.Contains(text, want) {
			t.Errorf("%s lacks %q: %.2000s", what, want, text)
		}
	}
}

func TestTimeline(t *testing.T) {
	b := opened(t, demoSource(), Options{})
	has(t, "the list", b.list, "waiting for you", "waiting for a prompt", "Add retries to the upload client", "app · on main")
	has(t, "the session", b.session(""), `<span class="prompt">Add retries to the upload client</span>`, "Bash 1, Edit 1", "1 failed", `<span class="what">up.go</span>`,
		`<li class="row bad" id="r5">`, `<span class="state">failed</span>`, "7 events")
	has(t, "the change", b.session("/body/r3"), "<h3>/w/app/up.go</h3>", `<span class="del">- a`, `<span class="add">&#43; b`, "line 4, now 4", `href="/event/4"`)
	expect.Equal(t, b.session("/grep?q=nowhere"), "[]\n", "found")
	expect.Equal(t, b.session("/grep?q=EXIT+code"), "[\"r5\"]\n", "found")
	if status, _, _ := ask(t, b.own, b.base+"/session/nobody"); status != http.StatusNotFound {
		t.Errorf("a session that is not there: %d", status)
	}
}

// What is found leads to its event.
func TestFind(t *testing.T) {
	find := func(_ context.Context, words string) ([]Hit, error) {
		return []Hit{{Session: demoID, Title: "<b>", Seq: 5, Kind: "tool.failed", Text: "FAIL " + words + " TOKEN=" + "ghp_" + strings.Repeat("k3Yx", 9)}}, nil
	}
	found := opened(t, demoSource(), Options{Find: find}).page("/find?q=%3Ci%3E")
	has(t, "what was found", found, `href="/session/`+demoID+`#e5"`, "FAIL &lt;i&gt; TOKEN=[REDACTED:", "&lt;b&gt; ·", `value="&lt;i&gt;"`)
	none := func(context.Context, string) ([]Hit, error) { return nil, nil }
	has(t, "what was not found", opened(t, demoSource(), Options{Find: none}).page("/find?q=x"), "Nothing has these words.")
}

// A secret that only an event names is in neither the rows nor the states.
func TestSecretOfAnEvent(t *testing.T) {
	secret := "q7Rk2Vw9" + "Tz4Lm8Xc1Bn5"
	b := opened(t, logOf(
		[2]string{events.TypePromptSubmitted, `{"prompt":"Look at the key"}`},
		[2]string{events.TypeToolSucceeded, `{"tool_name":"Bash","tool_use_id":"t1","tool_input":{"command":"cat .env"},"tool_response":{"stdout":"API_KEY=` + secret + `"}}`},
		[2]string{events.TypeToolFailed, `{"tool_name":"Bash","tool_use_id":"t2","tool_input":{"command":"go test ./... -args ` + secret + `"},"error":"FAIL ` + secret + `"}`},
	), Options{})
	page, moves := b.session(""), b.session("/moves")
	has(t, "the page", page, `id="r3"`, "3 events", "open failures, 1 at most")
	has(t, "the states", moves, "FAIL [REDACTED:")
	if strings.Contains(page+moves, secret) {
		t.Error("the secret is shown")
	}
}

// What came between the timeline and the wait for new events is told at once.
func TestLiveTellsWhatThePageLacks(t *testing.T) {
	b := opened(t, demoSource(), Options{})
	answer, err := b.own.Get(b.base + "/session/" + demoID + "/live?after=6")
	expect.OK(t, err)
	defer answer.Body.Close()
	told, err := bufio.NewReader(answer.Body).ReadString('7')
	if err != nil || !strings.HasSuffix(told, "\ndata: 7") {
		t.Errorf("%q, %v", told, err)
	}
}

// stopped is a daemon that answers nothing.
type stopped struct{ why error }

func (s stopped) Send(*http.Request) (*http.Response, error) { return nil, s.why }

// A page that cannot be had says why and what can be done, with the way back.
func TestTroubleIsSaid(t *testing.T) {
	down := &problem.Error{Message: "the daemon ended", Hint: "`hookctl start` starts one"}
	b := opened(t, stopped{down}, Options{})
	want := "the daemon ended; `hookctl start` starts one"
	_, page, _ := ask(t, b.own, b.base+"/session/"+demoID)
	has(t, "the page", page, want)
	_, words, _ := ask(t, b.own, b.base+"/session/"+demoID+"/live?after=0")
	has(t, "what who follows gets", words, "event: lost\ndata: "+want+"\n")
	status, page, _ := ask(t, b.own, b.base+"/nowhere")
	expect.Equal(t, status, http.StatusNotFound)
	has(t, "a page that is not there", page, "there is no such page", `<a class="brand" href="/">`)
}

// The name of an event or a session in a path of the page stays a name: it leads to no other endpoint of the daemon.
func TestNameIsNoPathOfTheDaemon(t *testing.T) {
	b := opened(t, demoSource(), Options{})
	status, text, _ := ask(t, b.own, b.base+"/event/1")
	expect.Equal(t, status, http.StatusOK, "status of an event")
	has(t, "an event", text, `"type": "session.started"`)

	for _, path := range []string{"/event/..%2Fcells%2Fsession", "/event/1%3Fraw=1", "/session/..%2F..%2Fevents%2F1"} {
		status, text, _ := ask(t, b.own, b.base+path)
		expect.Equal(t, status, http.StatusNotFound, "status of "+path)
		if strings.Contains(text, "claude-opus-5-5") {
			t.Errorf("%s shows what it does not name:\n%s", path, text)
		}
	}
}

// Every event has a row, and what the script is told adds up to the state.
func TestMoves(t *testing.T) {
	b := opened(t, demoSource(), Options{})
	var moves []move
	expect.OK(t, json.Unmarshal([]byte(b.session("/moves")), &moves))
	page := b.session("")
	for i, m := range moves {
		if m.Seq != uint64(i+1) || !strings.Contains(page, `id="`+m.Row+`"`) {
			t.Errorf("event %d is %d in row %q, which the page lacks", i+1, m.Seq, m.Row)
		}
	}
	expect.Equal(t, string(moves[1].Set["goal"]), `{"text":"Add retries to the upload client"}`, "goal")
	expect.Equal(t, string(moves[5].Set["error go test ./..."]), `{"target":"go test ./...","kind":"check","tool":"Bash","text":"FAIL up","event":"E0005","time":"2026-11-21T08:00:05Z","times":1,"call":2}`, "error")
}

// hostile is what others may write: tags, scripts, escapes of terminals, signs that turn the direction of writing, ends of
// elements, and a line without an end.
var hostile = "</script><script>alert(1)</script><img src=x onerror=alert(1)>\"'`--><!-- \x1b]0;title\x07 \x1b[31mred\x1b[0m \u202egnp.exe \u2028 &lt;b&gt; javascript:alert(1) {{.}} " +
	strings.Repeat("A", 5<<20)

func TestHostileContentIsText(t *testing.T) {
	bad := string(expect.Value(json.Marshal(hostile))(t))
	head := string(expect.Value(json.Marshal(hostile[:160]))(t))
	from := logOf(
		[2]string{events.TypeSessionStarted, `{"source":` + head + `,"model":` + head + `}`},
		[2]string{events.TypePromptSubmitted, `{"prompt":` + bad + `}`},
		[2]string{events.TypeToolRequested, `{"tool_name":` + head + `,"tool_use_id":"t1","tool_input":{"command":` + head + `}}`},
		[2]string{events.TypeToolFailed, `{"tool_name":` + head + `,"tool_use_id":"t1","tool_input":{"file_path":` + head + `},"error":` + bad + `}`},
		[2]string{events.TypeToolSucceeded, `{"tool_name":"Edit","tool_use_id":"t2","tool_input":{"file_path":` + head + `,"old_string":` + bad + `,"new_string":` + bad + `},"tool_response":{"structuredPatch":[{"lines":[` + head + `]}]}}`},
		[2]string{"strange.kind", `{"x":` + head + `}`},
		[2]string{events.TypeTurnStopped, `[]`},
	)
	b := opened(t, from, Options{})
	file, _ := exported(t, from)
	texts := map[string]string{"list": b.list, "file": file}
	expect.Equal(t, strings.Count(file, "<script"), 3, "scripts of the file: its own and the two packed parts")
	for _, path := range []string{"", "/body/r2", "/body/r3", "/body/r5", "/body/r6", "/body/r7"} {
		texts[path] = b.session(path)
	}

	script := regexp.MustCompile(`(?s)<script>.*?</script>`)
	for path, body := range texts {
		left := script.ReplaceAllString(body, "")
		for _, no := range []string{"<script>alert", "<img", "\x1b", "\x07", "\u202e", "\u2028"} {
			if strings.Contains(left, no) {
				t.Errorf("%s has %q as it is", path, no)
			}
		}
		if n := strings.Count(body, "<script>"); n > 1 || strings.HasPrefix(path, "/body") && n > 0 {
			t.Errorf("%s has %d scripts", path, n)
		}
		if len(body) > 1<<20 {
			t.Errorf("%s has %d bytes", path, len(body))
		}
	}
}

// The script and the style come into the page as they are: else their hashes would allow nothing.
func TestPolicyAllowsTheOwnScript(t *testing.T) {
	has(t, "the page", opened(t, demoSource(), Options{}).session(""), "<script>"+script+"</script>", "<style>"+style+"</style>")
}

func TestClean(t *testing.T) {
	for in, want := range map[string]string{
		"plain\n\ttext":           "plain\n\ttext",
		"\x1b[1;31mred\x1b[0m":    "red",
		"\x1b]0;x\x07":            "⟨U+001B⟩]0;x⟨U+0007⟩",
		"a\u202eb":                "a⟨U+202E⟩b",
		"\xff":                    "\uFFFD",
		"line\rback\u2028\u0085x": "line⟨U+000D⟩back⟨U+2028⟩⟨U+0085⟩x",
	} {
		expect.Equal(t, clean(in), want, in)
	}
}

// What ended in silence warns of nothing; what failed or waits does.
func TestStatusOf(t *testing.T) {
	for want, st := range map[tone]session.State{
		"faint": {Status: session.Reaped, EndReason: "silent"},
		"warn":  {Status: session.Ended, EndReason: "other", Course: session.Course{Error: "overloaded"}},
		"good":  {Status: session.Live, Course: session.Course{Turn: true}},
		"bad":   {Status: session.Live, Course: session.Course{Turn: true, Same: 9}},
	} {
		if words, tone := statusOf(st); tone != want || words == "" {
			t.Errorf("%q is %s, want %s", words, tone, want)
		}
	}
}

// The row of a start has the words that the agent was told, and those that it was not; an event that was taken back is marked.
func TestWhatWasToldAndWhatWasTakenBack(t *testing.T) {
	from := logOf(
		[2]string{events.TypePromptSubmitted, `{"prompt":"Add retries"}`},
		[2]string{events.TypeSessionStarted, `{"source":"compact"}`},
		[2]string{events.TypeContextInjected, `{"hook":"SessionStart","tokens":10,"items":[{"id":"working.goal","event":"E0000","tokens":4,"digest":"d","text":"Goal: add <b>retries</b>"},{"id":"working.edited","event":"E0000","tokens":9}],"left":1,"left_out":[{"id":"working.todos","what":"todos","entries":["write <i>docs</i>"]}]}`},
		[2]string{events.TypeToolFailed, `{"tool_name":"Bash","tool_use_id":"t1","tool_input":{"command":"make"},"error":"no"}`},
		[2]string{events.TypeRecordRetracted, `{"target":"E0003","reason":"wrong"}`})
	from.log[2] = events.NewRecord(3, events.Envelope{ID: "E0002", Type: events.TypeContextInjected, Version: 1, Session: demoID, Causation: "E0001", Data: from.log[2].Data})
	b := opened(t, from, Options{})
	has(t, "the start", b.session("/body/r2"), "<li>Goal: add &lt;b&gt;retries&lt;/b&gt;\n  working.goal (4 tokens), from 1, ", "<li>working.edited (9 tokens)",
		", 1 left out", "left out: todos", "write &lt;i&gt;docs&lt;/i&gt;")
	has(t, "the timeline", b.session(""), `<span class="state">taken back</span>`)
}
