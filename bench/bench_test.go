package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"hookline/events"
)

func TestQuantileIsNearestRank(t *testing.T) {
	values := make([]float64, 100)
	for i := range values {
		values[i] = float64(100 - i) // 100 … 1
	}
	for q, want := range map[float64]float64{0: 1, .5: 50, .9: 90, .99: 99, 1: 100} {
		if got := quantile(values, q); got != want {
			t.Errorf("quantile %v of 1…100 is %v, want %v", q, got, want)
		}
	}
	if got := quantile([]float64{7}, .99); got != 7 {
		t.Errorf("quantile of one value is %v, want 7", got)
	}
	if got := quantile([]float64{}, .5); got != 0 {
		t.Errorf("quantile of nothing is %v, want 0", got)
	}
}

func TestMedian(t *testing.T) {
	for _, c := range []struct {
		in   []time.Duration
		want time.Duration
	}{{nil, 0}, {[]time.Duration{5}, 5}, {[]time.Duration{9, 1, 5}, 5}, {[]time.Duration{4, 1, 2, 3}, 2}, {[]time.Duration{10, 20}, 15}} {
		if got := median(c.in); got != c.want {
			t.Errorf("median of %v is %d, want %d", c.in, got, c.want)
		}
	}
}

func TestTakeRunsInTurnAndDropsTheWarmUp(t *testing.T) {
	var order []string
	step := func(name string, times ...time.Duration) func(int) (time.Duration, error) {
		return func(i int) (time.Duration, error) {
			order = append(order, fmt.Sprint(name, i))
			return times[i], nil
		}
	}
	p, err := take(1, 3, step("a", 900, 30, 20, 80), step("b", 1, 10, 10, 20))
	if err != nil {
		t.Fatal(err)
	}
	if got := strings.Join(order, " "); got != "a0 b0 a1 b1 a2 b2 a3 b3" {
		t.Errorf("order is %s", got)
	}
	if got := fmt.Sprint(p.ratios()); got != "[3 2 4]" {
		t.Errorf("ratios are %s, want [3 2 4]", got)
	}
	if p.ratio() != 3 {
		t.Errorf("ratio is %v, want 3", p.ratio())
	}
	if got := p.note("x", "y"); got != "x 0.000 ms (p90 0.000 ms), y 0.000 ms (p90 0.000 ms), ratio of medians 3.00, 3 pairs" {
		t.Errorf("note is %q", got)
	}
}

func TestTakeStopsAtTheFirstError(t *testing.T) {
	broken := errors.New("broken")
	calls := 0
	_, err := take(0, 5, func(int) (time.Duration, error) { calls++; return 1, nil }, func(int) (time.Duration, error) { return 0, broken })
	if !errors.Is(err, broken) || calls != 1 {
		t.Errorf("error %v after %d calls, want broken after 1", err, calls)
	}
}

func TestGoals(t *testing.T) {
	for _, c := range []struct {
		goal     goal
		value    float64
		text     string
		verdict  string
		measured string
	}{
		{atMost(2, ""), 2, "≤ 2", "OK", "2"},
		{atMost(2, ""), 2.004, "≤ 2", "MISS", "2"},
		{atMost(150, "ms"), 150.2, "≤ 150 ms", "MISS", "150 ms"},
		{atMost(.5, "%"), .5, "≤ 0.5 %", "OK", "0.5 %"},
		{atLeast(.8, ""), .7999, "≥ 0.8", "MISS", "0.8"},
		{atLeast(.8, ""), .81234, "≥ 0.8", "OK", "0.812"},
		{atMost(0, ""), 0, "≤ 0", "OK", "0"},
	} {
		f := figure{goal: c.goal, value: c.value}
		if f.goal.String() != c.text || f.verdict() != c.verdict || f.measured() != c.measured {
			t.Errorf("%v of %v: %q %q %q, want %q %q %q", c.value, c.goal, f.goal, f.verdict(), f.measured(), c.text, c.verdict, c.measured)
		}
	}
}

func TestReport(t *testing.T) {
	r := &report{machine: "2 CPUs", command: "go run ./bench -quick", hooks: "none", date: time.Date(2026, 11, 21, 0, 0, 0, 0, time.UTC),
		took: 81 * time.Second, fsync: 250 * time.Microsecond,
		figures: []figure{{9, "memory", atMost(64, "MiB"), 65.04, "after 10 s"}, {1, "brief", atMost(2, ""), 1.53, "60 pairs"}}}
	r.sort()
	var text bytes.Buffer
	if err := r.print(&text); err != nil {
		t.Fatal(err)
	}
	want := `date: 2026-11-21, 1m21s
command: go run ./bench -quick
machine: 2 CPUs
disk: 2 KiB written and synced in 0.250 ms (median)
hooks: none

#  measure  goal      measured        details
1  brief    ≤ 2       1.53      OK    60 pairs
9  memory   ≤ 64 MiB  65 MiB    MISS  after 10 s
`
	if text.String() != want {
		t.Errorf("printed\n%s\nwant\n%s", text.String(), want)
	}
	for _, line := range []string{
		"- machine: 2 CPUs\n",
		"| # | measure | goal | measured | | details |\n|---|---|---|---|---|---|\n| 1 | brief | ≤ 2 | 1.53 | OK | 60 pairs |\n",
		"| 9 | memory | ≤ 64 MiB | 65 MiB | MISS | after 10 s |\n",
	} {
		if !strings.Contains(string(r.markdown()), line) {
			t.Errorf("the document lacks %q:\n%s", line, r.markdown())
		}
	}
	if err := r.verdict(false); err != nil {
		t.Errorf("a missed goal is %v without -check", err)
	}
	if err := r.verdict(true); err == nil || err.Error() != "1 of 2 goals missed" {
		t.Errorf("with -check the error is %v", err)
	}
	r.failed = []error{errors.New("measure 8: no daemon")}
	if err := r.verdict(false); err == nil || err.Error() != "measure 8: no daemon" {
		t.Errorf("a measure that failed is %v", err)
	}
}

func TestParseHookIsCompactAndKeepsTheOrder(t *testing.T) {
	c, err := parseHook([]byte(`{"session_id": "a", "_ts": "2026-02-11T20:31:53Z", "hook_event_name": "Stop", "b": {"z": 1, "a": [1, 2]}, "empty": null}`))
	if err != nil {
		t.Fatal(err)
	}
	if want := `{"session_id":"a","hook_event_name":"Stop","b":{"z":1,"a":[1,2]},"empty":null}`; string(c.body) != want || c.event != "Stop" {
		t.Errorf("%s %s, want %s", c.event, c.body, want)
	}
	for _, bad := range []string{"", "[]", "7", `{"a":1}`, `{"hook_event_name":3}`, `{"hook_event_name":"Stop"`} {
		if c, err := parseHook([]byte(bad)); err == nil {
			t.Errorf("%q gives %q", bad, c.body)
		}
	}
}

func TestLoadHooksReadsFilesInOrder(t *testing.T) {
	dir := t.TempDir()
	for name, text := range map[string]string{"2.ndjson": `{"hook_event_name":"Stop"}` + "\n", "1.ndjson": `{"hook_event_name":"SessionStart"}` + "\n"} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	calls, source, err := loadHooks(filepath.Join(dir, "*.ndjson"))
	if err != nil {
		t.Fatal(err)
	}
	if len(calls) != 2 || calls[0].event != "SessionStart" || calls[1].event != "Stop" {
		t.Errorf("calls are %v", calls)
	}
	if source != "2 recorded sessions, 2 hooks, 0.00 MB of compact JSON" {
		t.Errorf("source is %q", source)
	}
	if _, _, err := loadHooks(filepath.Join(dir, "*.json")); err == nil || err.Error() != "-hooks: no file matches" {
		t.Errorf("a glob without files is %v", err)
	}
}

func TestGeneratedSession(t *testing.T) {
	calls := generate()
	count, ids, sizes := map[string]int{}, map[string]string{}, []float64{}
	for i, c := range calls {
		var p payload
		if err := json.Unmarshal(c.body, &p); err != nil {
			t.Fatalf("hook %d: %v", i, err)
		}
		if kind := events.OfHook(c.event); kind.Type == events.TypeHookUnrecognized || p.HookEventName != c.event {
			t.Errorf("hook %d is %s (%s)", i, c.event, p.HookEventName)
		}
		if p.ToolUseID != "" {
			key := p.ToolUseID + " " + c.event
			if ids[key] != "" {
				t.Errorf("%s twice", key)
			}
			if ids[key] = c.event; c.event != "PreToolUse" && ids[p.ToolUseID+" PreToolUse"] == "" {
				t.Errorf("%s before its PreToolUse", key)
			}
		}
		count[c.event]++
		sizes = append(sizes, float64(len(c.body)))
	}
	want := "map[PostToolUse:156 PostToolUseFailure:5 PreCompact:1 PreToolUse:161 SessionEnd:1 SessionStart:2 Stop:6 SubagentStart:1 SubagentStop:1 UserPromptSubmit:6]"
	if got := fmt.Sprint(count); got != want {
		t.Errorf("hooks are %s, want %s", got, want)
	}
	if m := median(sizes); m < 400 || m > 1600 {
		t.Errorf("the median hook has %v bytes, want about 800 as in recordings", m)
	}
	if first, last := calls[0].event, calls[len(calls)-1].event; first != "SessionStart" || last != "SessionEnd" {
		t.Errorf("the session goes from %s to %s", first, last)
	}
}

func TestPayloads(t *testing.T) {
	h := &home{session: newSession(), project: "/home/dev/app"}
	if n := len(h.testRun(3)); n < 1900 || n > 2300 {
		t.Errorf("the test run has %d bytes, want 2 KiB", n)
	}
	if bytes.Equal(h.testRun(3), h.testRun(4)) {
		t.Error("two test runs are equal")
	}
	if n := len(h.write(1, 3_000_000)); n < 6_000_000 || n > 7_000_000 {
		t.Errorf("the large write has %d bytes, want 6 MB", n)
	}
	var p struct {
		ToolInput    struct{ Content string } `json:"tool_input"`
		ToolResponse struct{ Content string } `json:"tool_response"`
	}
	if err := json.Unmarshal(h.write(1, 100_000), &p); err != nil || len(p.ToolInput.Content) != 100_000 || p.ToolInput.Content != p.ToolResponse.Content {
		t.Errorf("the content has %d and %d bytes (%v), want 100000 twice", len(p.ToolInput.Content), len(p.ToolResponse.Content), err)
	}
	if got := string(marshal(t, object{"b", 1, "a", object{"x", "<"}})); got != `{"b":1,"a":{"x":"<"}}` {
		t.Errorf("object is %s", got)
	}
}

func marshal(t *testing.T, v any) []byte {
	t.Helper()
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(v); err != nil {
		t.Fatal(err)
	}
	return bytes.TrimSpace(b.Bytes())
}

func TestApparentBytesCountsLinksOnce(t *testing.T) {
	root := t.TempDir()
	for name, size := range map[string]int{
		"jetstream/$G/streams/EVENTS/msgs/1.blk": 700, "blobs/ab/abcd.zst": 200, "jetstream/$G/streams/KV_latest/msgs/1.blk": 60, "clean.json": 40,
	} {
		path := filepath.Join(root, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, make([]byte, size), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.MkdirAll(filepath.Join(root, "archive"), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.Link(filepath.Join(root, "jetstream/$G/streams/EVENTS/msgs/1.blk"), filepath.Join(root, "archive", "1.blk")); err != nil {
		t.Skip("no hard links here:", err)
	}
	n, parts, err := apparentBytes(root)
	if err != nil || n != 1000 || parts != "log 70.0 %, blobs 20.0 %, buckets 6.0 %, rest 4.0 %" {
		t.Errorf("%d bytes: %s (%v)", n, parts, err)
	}
}

func TestParseUsage(t *testing.T) {
	u, err := parseUsage("Name:\thookd\nVmPeak:\t  900 kB\nVmRSS:\t   65536 kB\nRssFile:\t   2048 kB\n",
		"42 (a b) c) S 1 42 42 0 -1 4194560 7 0 0 0 123 45 0 0 20 0 9 0")
	if err != nil || u.rss != 64 || u.file != 2 || u.cpu != 1680*time.Millisecond {
		t.Errorf("%+v %v, want 64 MiB, 2 MiB, 1.68 s", u, err)
	}
	if _, err := parseUsage("", "42 (a) S"); err == nil {
		t.Error("numbers out of nothing")
	}
}

func TestResembleKeepsReferences(t *testing.T) {
	at := time.Date(2026, 11, 21, 8, 0, 0, 0, time.UTC)
	session := []events.Envelope{
		{ID: "A", Time: at, Session: "old", Correlation: "old", Data: []byte(`{"session_id":"old"}`)},
		{ID: "B", Time: at, Session: "old", Correlation: "old", Causation: "A", Data: []byte(`{}`)},
		{ID: "C", Time: at, Causation: "elsewhere", Data: []byte(`{"n":1}`)},
	}
	got := resemble(session, time.Hour)
	id := got[0].Session
	if id == "old" || id == "" || got[1].Session != id || got[2].Session != "" {
		t.Errorf("sessions are %q %q %q", id, got[1].Session, got[2].Session)
	}
	if string(got[0].Data) != `{"session_id":"`+id+`"}` || string(session[0].Data) != `{"session_id":"old"}` {
		t.Errorf("data is %s, was %s", got[0].Data, session[0].Data)
	}
	if got[1].Causation != got[0].ID || got[0].ID == "A" || got[2].Causation != "elsewhere" {
		t.Errorf("ids %q %q, causations %q %q", got[0].ID, got[1].ID, got[1].Causation, got[2].Causation)
	}
	if !got[0].Time.Equal(at.Add(-time.Hour)) {
		t.Errorf("time is %v", got[0].Time)
	}
}

func TestProgramRun(t *testing.T) {
	p := program{path: os.Args[0], env: []string{"HOOKLINE_BENCH_CHILD=echo"}, stdin: bytes.Repeat([]byte("x"), 100_000)}
	o, err := p.run(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if o.exit != 3 || string(o.stdout) != "100000" || string(o.stderr) != "words" || o.wall <= 0 {
		t.Errorf("exit %d, stdout %q, stderr %q, wall %s", o.exit, o.stdout, o.stderr, o.wall)
	}
	if o.ok() == nil {
		t.Error("exit 3 is taken for success")
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := (program{path: os.Args[0], env: []string{"HOOKLINE_BENCH_CHILD=sleep"}}).run(ctx); !errors.Is(err, context.Canceled) {
		t.Errorf("a cancelled run is %v", err)
	}
}

func TestOptions(t *testing.T) {
	var words bytes.Buffer
	o, err := parse([]string{"-quick", "-only", "1, 13", "-hooks", "x*"}, &words)
	if err != nil {
		t.Fatal(err)
	}
	n, err := o.numbers()
	if err != nil || len(n) != 2 || !n[1] || !n[13] {
		t.Errorf("numbers are %v (%v)", n, err)
	}
	if got := commandLine(o); got != "go run ./bench -quick -hooks FILES -only 1, 13" {
		t.Errorf("command line is %q", got)
	}
	for _, bad := range []string{"0", "19", "x", "1,"} {
		if _, err := (options{only: bad}).numbers(); err == nil {
			t.Errorf("-only %s is taken", bad)
		}
	}
	if _, err := parse([]string{"more"}, &words); err == nil || err.Error() != `unexpected argument "more"` {
		t.Errorf("an argument is %v", err)
	}
}

// A million events take ten minutes: they are measured only when somebody asks for them.
func TestMillionIsAskedFor(t *testing.T) {
	for _, c := range []struct {
		o    options
		want bool
	}{{options{}, false}, {options{million: true}, true}, {options{only: "1"}, false}, {options{only: "16"}, true}} {
		n, err := c.o.numbers()
		if err != nil || n[millionMeasure] != c.want || c.o.only == "" && !n[1] {
			t.Errorf("%+v: %v %v", c.o, n, err)
		}
	}
}
