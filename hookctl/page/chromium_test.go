//go:build unix

package page

import (
	"bufio"
	"bytes"
	"context"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"hookline/events"
	"hookline/expect"
	"hookline/hookctl/api"
	"hookline/projector/identity"
	"hookline/projector/session"
	"hookline/projector/working"
	"hookline/replay/past"
)

// chromium is a headless Chromium that is spoken to over two pipes (--remote-debugging-pipe): no port, no library.
type chromium struct {
	t       testing.TB
	in      *os.File
	out     *bufio.Reader
	n       int
	session string
	log     []string // errors of pages: what a policy refused, exceptions
	loaded  bool
}

// startChromium skips the test where there is none.
func startChromium(t testing.TB) *chromium {
	t.Helper()
	program := ""
	for _, name := range []string{"chromium", "chromium-browser", "google-chrome"} {
		if path, err := exec.LookPath(name); err == nil {
			program = path
			break
		}
	}
	if program == "" {
		t.Skip("skipped: no Chromium on the PATH (Debian: apt-get install chromium); the page was not looked at in a browser")
	}

	toRead, in, err := os.Pipe()
	expect.OK(t, err)
	out, toWrite, err := os.Pipe()
	expect.OK(t, err)
	args := []string{"--headless", "--remote-debugging-pipe", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-background-networking",
		"--disable-component-update", "--disable-sync", "--hide-scrollbars", "--force-color-profile=srgb", "--user-data-dir=" + t.TempDir(), "about:blank"}
	if os.Geteuid() == 0 {
		args = append([]string{"--no-sandbox"}, args...)
	}
	cmd := exec.Command(program, args...)
	cmd.ExtraFiles = []*os.File{toRead, toWrite}
	expect.OK(t, cmd.Start())
	_, _ = toRead.Close(), toWrite.Close()
	stuck := time.AfterFunc(2*time.Minute, func() { _ = cmd.Process.Kill() })
	c := &chromium{t: t, in: in, out: bufio.NewReaderSize(out, 1<<20)}
	t.Cleanup(func() {
		c.send("Browser.close", nil)
		_ = cmd.Wait() // how it ends is no matter of the test
		stuck.Stop()
		_, _ = in.Close(), out.Close()
	})

	target := c.call("Target.createTarget", map[string]any{"url": "about:blank"})["targetId"]
	c.session = c.call("Target.attachToTarget", map[string]any{"targetId": target, "flatten": true})["sessionId"].(string)
	for _, domain := range []string{"Page", "Runtime", "Log"} {
		c.call(domain+".enable", nil)
	}
	return c
}

func (c *chromium) send(method string, params map[string]any) {
	c.n++
	m := map[string]any{"id": c.n, "method": method, "params": params}
	if params == nil {
		delete(m, "params")
	}
	if c.session != "" && !strings.HasPrefix(method, "Browser.") {
		m["sessionId"] = c.session
	}
	b, err := json.Marshal(m)
	if err == nil {
		_, err = c.in.Write(append(b, 0))
	}
	if err != nil {
		c.t.Error("send to Chromium:", err)
	}
}

// next is one message of the browser.
func (c *chromium) next() (id int, result map[string]any) {
	raw, err := c.out.ReadBytes(0)
	if err != nil {
		c.t.Fatal("Chromium ended:", err)
	}
	var m struct {
		ID     int
		Method string
		Params json.RawMessage
		Result map[string]any
		Error  any
	}
	expect.OK(c.t, json.Unmarshal(bytes.TrimSuffix(raw, []byte{0}), &m))
	switch m.Method {
	case "Page.loadEventFired":
		c.loaded = true
	case "Runtime.exceptionThrown", "Page.javascriptDialogOpening":
		c.log = append(c.log, string(m.Params))
	case "Log.entryAdded":
		if strings.Contains(string(m.Params), `"level":"error"`) {
			c.log = append(c.log, string(m.Params))
		}
	}
	if m.Error != nil {
		c.t.Fatal("Chromium:", m.Error)
	}
	return m.ID, m.Result
}

func (c *chromium) call(method string, params map[string]any) map[string]any {
	c.t.Helper()
	c.send(method, params)
	for {
		if id, result := c.next(); id == c.n {
			return result
		}
	}
}

// open loads a page and waits until its script is ready.
func (c *chromium) open(link string) {
	c.t.Helper()
	c.loaded = false
	c.call("Page.navigate", map[string]any{"url": link})
	for !c.loaded {
		c.next()
	}
}

// js is the value of an expression.
func (c *chromium) js(format string, args ...any) any {
	c.t.Helper()
	r := c.call("Runtime.evaluate", map[string]any{"expression": fmt.Sprintf(format, args...), "awaitPromise": true, "returnByValue": true})
	if r["exceptionDetails"] != nil {
		c.t.Fatal(format, r["exceptionDetails"])
	}
	return r["result"].(map[string]any)["value"]
}

// ready waits until the page of a session has its scrubber.
func (c *chromium) ready() {
	c.t.Helper()
	for end := time.Now().Add(time.Minute); c.js("document.body.dataset.ready || ''") != "1"; {
		if time.Now().After(end) {
			c.t.Fatal("the page's script did not come to its end:", c.log)
		}
	}
}

// seek drags the slider to an event and waits until its state is shown.
func (c *chromium) seek(i int) (state string) {
	c.t.Helper()
	c.js("(() => { const s = document.getElementById('scrub'); s.value = %d; s.dispatchEvent(new Event('input')); })()", i)
	return c.js("new Promise(r => requestAnimationFrame(() => setTimeout(() => r(document.getElementById('state').textContent))))").(string)
}

func (c *chromium) size(width, height int, scheme string) {
	c.call("Emulation.setDeviceMetricsOverride", map[string]any{"width": width, "height": height, "deviceScaleFactor": 1, "mobile": false})
	c.call("Emulation.setEmulatedMedia", map[string]any{"features": []map[string]string{{"name": "prefers-color-scheme", "value": scheme}}})
}

// fullness is how full the context was, behind events of the recording.
var fullness = map[int]string{
	6: `{"phase":"VERBOSE","used":52000,"window":200000,"source":"transcript"}`, 24: `{"phase":"CONDENSED","used":92000,"window":200000,"source":"transcript"}`,
	52: `{"phase":"SIGNALS","used":146000,"window":200000,"source":"transcript"}`, 74: `{"phase":"CRITICAL","used":171000,"window":200000,"source":"transcript"}`,
	84: `{"phase":"VERBOSE","used":0,"window":200000,"source":"compaction"}`, 94: `{"phase":"VERBOSE","used":61000,"window":200000,"source":"transcript"}`,
}

// recorded is the recording that `make demo` plays.
func recorded(t testing.TB) source {
	t.Helper()
	text := expect.Value(os.ReadFile("../../demo/session.ndjson"))(t)
	byHook := map[string]string{}
	for _, k := range events.Catalog() {
		if k.Hook != "" {
			byHook[k.Hook] = k.Type
		}
	}
	var s source
	calls, agents := map[string]string{}, ""
	for l := range bytes.Lines(bytes.ReplaceAll(text, []byte("@@SECRET@@"), []byte("[REDACTED:github-token]"))) {
		var h struct {
			SessionID string `json:"session_id"`
			Hook      string `json:"hook_event_name"`
			Tool      string `json:"tool_name"`
			Call      string `json:"tool_use_id"`
			Agent     string `json:"agent_id"`
			At        int64  `json:"_at"`
		}
		expect.OK(t, json.Unmarshal(l, &h))
		if h.SessionID != demoID {
			continue
		}
		e := events.Envelope{ID: fmt.Sprintf("E%04d", len(s.log)), Type: byHook[h.Hook], Version: 1, Session: demoID, Project: "p", Worktree: "/home/dev/app",
			Branch: "retries", Hook: h.Hook, Time: time.UnixMilli(h.At).UTC(), AgentID: h.Agent, ToolUseID: h.Call, Data: bytes.TrimSpace(l)}
		switch h.Hook {
		case "PreToolUse":
			calls[h.Call] = e.ID
			if h.Tool == "Agent" {
				agents = e.ID
			}
		case "SubagentStart":
			e.Causation = agents
		default:
			e.Causation = calls[h.Call]
		}
		s.log = append(s.log, events.NewRecord(uint64(len(s.log)+1), e))
		if used := fullness[len(s.log)]; used != "" { // the recording has no transcript that it could be read from
			s.log = append(s.log, events.NewRecord(uint64(len(s.log)+1), events.Envelope{ID: e.ID + "C", Type: events.TypeContextPhaseChanged, Version: 1,
				Session: demoID, Project: "p", Time: e.Time, Data: []byte(used)}))
		}
	}
	return s
}

// What the page shows at random events is what `replay at` says at their sequences.
func TestScrubberIsWhatReplaySays(t *testing.T) {
	c := startChromium(t)
	from := recorded(t)
	base := serveTo(t, c, from)
	c.open(base + "/session/" + demoID)
	c.ready()
	v := past.View{Log: from, Last: uint64(len(from.log)), Now: time.Now}
	for range 100 {
		i := rand.IntN(len(from.log))
		shown := c.seek(i)
		for _, want := range wordsAt(t, v, from.log[i].Seq) {
			if !strings.Contains(shown, want) {
				t.Fatalf("at sequence %d the page lacks %q: %s", i+1, want, shown)
			}
		}
	}
	c.quiet()
}

// serveTo runs the page, opens its link in the browser, and returns the address that its paths follow.
func serveTo(t *testing.T, c *chromium, from api.Caller) string {
	t.Helper()
	link := serve(t, from, Options{})
	c.size(1280, 900, "light")
	c.open(link)
	base, _, _ := strings.Cut(link, "/open")
	return base
}

// wordsAt are what of the states at a sequence has to be shown.
func wordsAt(t *testing.T, v past.View, seq uint64) []string {
	t.Helper()
	words := []string{fmt.Sprintf("replay at %d", seq)}
	v.Session = func(_ context.Context, id string) (string, error) { return id, nil }
	at := func(table string, out any) {
		s := expect.Value(v.At(t.Context(), past.Question{Point: past.Point(fmt.Sprint(seq)), Projection: table, Key: demoID}))(t)
		for _, cell := range s.Cells {
			expect.OK(t, json.Unmarshal(cell.State, out))
		}
	}

	var w working.State
	var i identity.State
	var s session.State
	at(working.Name, &w)
	at(identity.Name, &i)
	at(session.Name, &s)
	if w.Goal != nil {
		words = append(words, "Goal"+w.Goal.Text)
	}
	words = append(words, fmt.Sprintf("Open failures (%d)", len(w.Open)), fmt.Sprintf("%d failed call", s.Failures), s.Standing().Words)
	for _, f := range w.Open {
		words = append(words, f.Target+": "+f.Text)
	}
	for _, f := range w.Files {
		words = append(words, strings.TrimPrefix(f.Path, "/home/dev/app/"))
	}
	for _, cmd := range w.Commands {
		words = append(words, cmd.Line)
	}
	if i.Born {
		words = append(words, fmt.Sprintf("%s: continuity %.2f (%s), coherence %.2f", identity.ConsciousnessOf(i.Consciousness).LongName(), i.LastIC, identity.Classify(i.LastIC), i.Integration))
	}
	return words
}

// quiet fails where a page threw, or its policy refused something.
func (c *chromium) quiet() {
	c.t.Helper()
	for _, l := range slices.Compact(c.log) {
		c.t.Errorf("the browser says %.400s", l)
	}
}

// Keys move, rows unfold, words are found, and nothing is wider than a telephone.
func TestPageInBrowser(t *testing.T) {
	c := startChromium(t)
	from := recorded(t)
	base := serveTo(t, c, from)
	c.call("Page.setBypassCSP", map[string]any{"enabled": true}) // for axe; the other tests keep the policy
	c.axe("the list")
	if got := c.js("document.querySelector('.card').textContent"); !strings.Contains(fmt.Sprint(got), "Add retries with backoff") {
		t.Errorf("the list shows %q", got)
	}
	c.open(base + "/session/" + demoID)
	c.ready()

	now := func() string { return fmt.Sprint(c.js("document.getElementById('now').textContent")) }
	for _, step := range []struct{ key, want string }{{"Home", "1 of 106 "}, {"ArrowRight", "2 of 106 "}, {"]", "prompt.submitted"}, {"f", "tool.failed"}, {"End", "106 of 106 "}} {
		c.js("document.body.dispatchEvent(new KeyboardEvent('keydown', {key: %q, bubbles: true}))", step.key)
		if !strings.Contains(now(), step.want) {
			t.Errorf("after %s: %q, want %q", step.key, now(), step.want)
		}
	}

	requested := slices.IndexFunc(from.log, func(r events.Record) bool {
		e, ok := r.Event.(*events.ToolRequested)
		return ok && e.ToolName == "Bash"
	})
	if shown := c.seek(requested); !strings.Contains(shown, "Running (1)›Bash go test") {
		t.Errorf("what runs is %q", shown)
	}
	c.js("document.querySelector('.row.bad details').open = true")
	waitJS(c, "document.querySelector('.row.bad .body').textContent.includes('tool.requested')")
	c.js("(() => { const f = document.getElementById('find'); f.value = 'UNDEFINED: io'; f.dispatchEvent(new Event('input')); })()")
	waitJS(c, "document.querySelectorAll('.row:not([hidden])').length === 1 && document.querySelector('.row:not([hidden])').textContent.includes('go test -race')")
	c.js("(() => { const f = document.getElementById('find'); f.value = ''; f.dispatchEvent(new Event('input')); })()")
	waitJS(c, "document.querySelectorAll('.row[hidden]').length === 0")

	c.axe("a session")
	c.size(400, 800, "dark")
	c.axe("a session, dark, at 400 pixels")
	if w := c.js("document.scrollingElement.scrollWidth"); w != 400.0 {
		t.Errorf("at 400 pixels the page is %v wide", w)
	}
	c.quiet()
}

// growing is a source whose log grows while it is looked at.
type growing struct {
	mu    sync.Mutex
	now   source
	grown chan struct{} // closed with the next event
}

func (g *growing) read() (source, chan struct{}) {
	g.mu.Lock()
	defer g.mu.Unlock()
	return g.now, g.grown
}

func (g *growing) add(records ...events.Record) {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.now.log = append(slices.Clone(g.now.log), records...)
	close(g.grown)
	g.grown = make(chan struct{})
}

// Send implements [api.Caller].
func (g *growing) Send(r *http.Request) (*http.Response, error) {
	now, _ := g.read()
	server := now.states()
	api.Events.Serve(server, g.giveEvents)
	return sendTo(server, r)
}

// giveEvents sends the newest event, and each that is the newest later.
func (g *growing) giveEvents(ctx context.Context, _ api.EventsRequest, out api.Lines[events.Record]) error {
	for {
		s, grown := g.read()
		if err := out.Send(s.log[len(s.log)-1]); err != nil {
			return err
		}
		select {
		case <-ctx.Done():
			return nil
		case <-grown:
		}
	}
}

// A session that lives is followed: the last of a burst is shown, and what the reader does in the page is left alone.
func TestPageFollows(t *testing.T) {
	c := startChromium(t)
	all := recorded(t).log
	from := &growing{now: source{all[:24]}, grown: make(chan struct{})}
	base := serveTo(t, c, from)
	failures := func(n int) int { return source{all[:n]}.state().Failures }
	waitJS(c, "document.readyState === 'complete'")
	for _, n := range []int{30, 60} { // the second comes while the first is read
		from.add(all[len(from.now.log):n]...)
		c.js("new Promise(r => setTimeout(r, 30))")
	}
	waitJS(c, fmt.Sprintf("document.querySelector('.card').textContent.includes('%d failed call')", failures(60)))

	c.open(base + "/session/" + demoID + "#e10")
	c.ready()
	c.seek(20)
	c.js(`(() => {
		const rows = document.querySelectorAll('.row'), what = rows[3].querySelector('.what'), range = document.createRange();
		rows[2].querySelector('details').open = true;
		rows[5].querySelector('summary').focus();
		range.selectNodeContents(what);
		getSelection().addRange(range);
	})()`)
	waitJS(c, "document.querySelectorAll('.row')[2].querySelector('.body').textContent.includes('tool.')")
	now := "document.getElementById('now').textContent + document.activeElement.textContent + getSelection() + document.querySelectorAll('.row')[2].textContent"
	before := fmt.Sprint(c.js("%s", now))
	from.add(all[60:]...)
	waitJS(c, fmt.Sprintf("document.getElementById('now').textContent.includes('of %d ')", len(all)))
	waitJS(c, fmt.Sprintf("document.getElementById('%s') !== null", fmt.Sprintf("r%d", all[len(all)-1].Seq)))
	if after := fmt.Sprint(c.js("%s", now)); after != strings.Replace(before, "of 60 ", fmt.Sprintf("of %d ", len(all)), 1) {
		t.Errorf("before:\n%s\nafter:\n%s", before, after)
	}
	c.quiet()
}

// axe has axe-core judge the page that is open. `make browser` puts it where this looks; without it nothing is judged.
func (c *chromium) axe(what string) {
	c.t.Helper()
	code, err := os.ReadFile("../../.cache/axe/node_modules/axe-core/axe.min.js")
	if err != nil {
		c.t.Log("axe-core is not there: accessibility is not judged (make browser)")
		return
	}
	c.js("%s", code)
	found := c.js("axe.run({resultTypes: ['violations']}).then(r => r.violations.map(v => v.impact + ' ' + v.id + ': ' + v.nodes[0].html.slice(0, 200)).join('\\n'))")
	if found != "" {
		c.t.Errorf("%s: %s", what, found)
	}
}

// waitJS waits until an expression holds.
func waitJS(c *chromium, test string) {
	c.t.Helper()
	for end := time.Now().Add(30 * time.Second); c.js("%s", test) != true; {
		if time.Now().After(end) {
			c.t.Fatalf("never: %s", test)
		}
	}
}

// What others write is shown and does nothing, in the page and in the file.
func TestHostileContentInBrowser(t *testing.T) {
	c := startChromium(t)
	bad := expect.Value(json.Marshal("</pre></script><script>window.pwned=1</script><img src=x onerror='window.pwned=1'><svg onload=alert(1)> \u202egnp"))(t)
	b := string(bad)
	from := logOf(
		[2]string{events.TypePromptSubmitted, `{"prompt":` + b + `}`},
		[2]string{events.TypeToolRequested, `{"tool_name":"Bash","tool_use_id":"t1","tool_input":{"command":` + b + `}}`},
		[2]string{events.TypeToolFailed, `{"tool_name":"Bash","tool_use_id":"t1","tool_input":{"command":` + b + `},"error":` + b + `}`})
	base := serveTo(t, c, from)
	for _, link := range []string{base + "/session/" + demoID, exportedFile(t, from)} {
		c.open(link)
		c.ready()
		c.js("document.querySelectorAll('details').forEach(d => d.open = true)")
		waitJS(c, "document.querySelector('#r2 .body').textContent.includes('onerror=')")
		if got := c.js("String(window.pwned) + document.querySelectorAll('img,svg[onload]').length"); got != "undefined0" {
			t.Errorf("%s: %v", link, got)
		}
		if shown := c.seek(2); !strings.Contains(shown, "<img src=x") {
			t.Errorf("%s: the state shows %q", link, shown)
		}
	}
	c.quiet()
}

// exportedFile writes a session's file and returns its link.
func exportedFile(t *testing.T, from source) string {
	t.Helper()
	file := filepath.Join(t.TempDir(), "session.html")
	page, _ := exported(t, from)
	expect.OK(t, os.WriteFile(file, []byte(page), 0o600))
	return "file://" + file
}

// The file opens without the program, and finds that its events are the ones that were written.
func TestExportInBrowser(t *testing.T) {
	c := startChromium(t)
	c.open(exportedFile(t, recorded(t)))
	c.ready()
	c.js("document.getElementById('check').click()")
	waitJS(c, "document.getElementById('checked').textContent === '✓ they are what the digest says'")
	c.quiet()
}

// BenchmarkTenThousand has the bars of a session of 10,000 events: first paint 2 s, served and as a file, a seek 100 ms, the file
// 10 MB.
func BenchmarkTenThousand(b *testing.B) {
	from := manyEvents(b, 10_000)
	c := startChromium(b)
	c.size(1280, 900, "light")
	dir := b.TempDir()
	link := serve(b, from, Options{})
	c.open(link)
	base, _, _ := strings.Cut(link, "/open")
	for n := 0; b.Loop(); n++ {
		var page bytes.Buffer
		begun := time.Now()
		expect.Value(Export(b.Context(), &page, ExportOptions{From: from, Session: demoID, Zone: time.UTC, Now: time.Unix(0, 0), Build: "0.1.0"}))(b)
		b.ReportMetric(float64(time.Since(begun).Milliseconds()), "export-ms")
		b.ReportMetric(float64(page.Len())/1e6, "file-MB")
		file := filepath.Join(dir, fmt.Sprintf("%d.html", n))
		expect.OK(b, os.WriteFile(file, page.Bytes(), 0o600))

		for _, way := range [][2]string{{"served-", base + "/session/" + demoID}, {"", "file://" + file}} {
			c.open(way[1])
			c.ready()
			b.ReportMetric(c.js("performance.getEntriesByName('first-contentful-paint')[0].startTime").(float64), way[0]+"paint-ms")
			b.ReportMetric(c.js("performance.now()").(float64), way[0]+"ready-ms")
		}
		var seeks []float64
		for range 100 {
			begun := time.Now()
			c.seek(rand.IntN(len(from.log)))
			seeks = append(seeks, float64(time.Since(begun).Microseconds())/1000)
		}
		slices.Sort(seeks)
		b.ReportMetric(seeks[50], "seek-median-ms")
		b.ReportMetric(seeks[95], "seek-p95-ms")
	}
	b.ReportMetric(0, "ns/op")
}

// manyEvents is the recording again and again, with other files and outputs of 2 KB.
func manyEvents(t testing.TB, n int) source {
	t.Helper()
	from := recorded(t)
	var s source
	for round := 0; len(s.log) < n; round++ {
		for _, r := range from.log[:len(from.log)-1] {
			var words strings.Builder
			for range 100 {
				fmt.Fprintf(&words, "%x ", rand.Uint64())
			}
			data := strings.NewReplacer("fetch/", fmt.Sprintf("fetch%d/", round%20), "toolu_", fmt.Sprintf("toolu_%d_", round),
				`"stdout":"`, `"stdout":"`+words.String()).Replace(string(r.Data))
			e := r.Envelope
			e.ID, e.Data = fmt.Sprintf("%s-%d", e.ID, round), []byte(data)
			if e.Causation != "" {
				e.Causation = fmt.Sprintf("%s-%d", e.Causation, round)
			}
			e.Time = e.Time.Add(time.Duration(round) * time.Hour)
			s.log = append(s.log, events.NewRecord(uint64(len(s.log)+1), e))
		}
	}
	s.log = s.log[:n]
	return s
}

// TestPictures writes the pictures of the documentation: `make pictures`.
func TestPictures(t *testing.T) {
	dir := os.Getenv("HOOKLINE_PICTURES")
	if dir == "" {
		t.Skip("skipped: `make pictures` writes the pictures")
	}
	c := startChromium(t)
	from := recorded(t)
	edit := slices.IndexFunc(from.log, func(r events.Record) bool { // the first change behind the first failure that was mended
		e, ok := r.Event.(*events.ToolSucceeded)
		return ok && e.ToolName == "Edit" && r.Seq > 30
	})
	base := serveTo(t, c, from)
	for _, p := range []struct {
		name, scheme  string
		width, height int
	}{{"page", "light", 1280, 860}, {"page-dark", "dark", 1280, 860}, {"page-narrow", "light", 400, 860}} {
		c.size(p.width, p.height, p.scheme)
		c.open(base + "/session/" + demoID)
		c.ready()
		c.seek(edit)
		c.js("document.querySelector('.here details').open = true")
		waitJS(c, "document.querySelector('.here .body').textContent.includes('tool.')")
		if p.width == 400 {
			c.js("scrollTo(0, 0)")
		}
		c.js("new Promise(r => setTimeout(r, 300))") // the cursor arrives
		png := expect.Value(base64.StdEncoding.DecodeString(c.call("Page.captureScreenshot", map[string]any{"format": "png"})["data"].(string)))(t)
		expect.OK(t, os.WriteFile(filepath.Join(dir, p.name+".png"), png, 0o644))
	}
	c.quiet()
}
