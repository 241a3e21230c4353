package insight

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"hookline/expect"
)

const usageForm = `{"type":"assistant","uuid":"u%s","timestamp":"2026-01-01T00:0%d:00Z","agentId":"%s","isSidechain":%t,"requestId":"r%s","message":{"id":"m%s","model":"%s","content":[%s],"usage":{"input_tokens":%d,"output_tokens":%d,"cache_creation_input_tokens":30,"cache_read_input_tokens":1000,"cache_creation":{"ephemeral_1h_input_tokens":10}}}}`

func said(id string, minute, input, output int, model string, tools ...string) string {
	return saidBy("", id, minute, input, output, model, tools...)
}

func saidBy(agent, id string, minute, input, output int, model string, tools ...string) string {
	parts := []string{`{"type":"text","text":"x"}`}
	for _, tool := range tools {
		parts = append(parts, `{"type":"tool_use","name":"`+tool+`"}`)
	}
	return fmt.Sprintf(usageForm, id, minute, agent, agent != "", id, id, model, strings.Join(parts, ","), input, output)
}

func typed(id string, minute int, text string) string {
	return fmt.Sprintf(`{"type":"user","uuid":"%s","timestamp":"2026-01-01T00:0%d:00Z","message":{"role":"user","content":"%s"}}`, id, minute, text)
}

// meter takes two sessions: the second is a fork of the first one, whose lines it copied.
func meter() *Meter {
	m := &Meter{}
	first := []string{
		typed("p1", 0, "<task-notification><summary>build ended</summary></task-notification>"),
		said("1", 1, 5, 1, "claude-opus-4-6"),
		said("1", 1, 5, 7, "claude-opus-4-6", "Bash", "Read"),
		said("2", 1, 2, 3, "mystery", "Bash"),
		`{"type":"progress","data":{"agentId":"a1","message":` + said("3", 2, 1, 1, "claude-haiku-4-5") + `}}`,
		typed("p2", 3, "<command-name>/review</command-name>"),
		said("4", 4, 1, 1, "claude-opus-4-6"),
		`{"type":"assistant","message":{"id":"s","model":"<synthetic>","usage":{"input_tokens":9}}}`,
		`{"type":"user","message":{"content":[{"type":"tool_result","content":"\"usage\""}]}}`,
		`{"type":"assistant","message":{"id":"torn","usage":{"inp`,
	}
	for _, l := range first {
		m.Take("s1", "p", []byte(l))
	}
	m.Take("s1", "p", []byte(saidBy("a1", "3", 2, 1, 9, "claude-haiku-4-5"))) // the subagent's own file
	side := strings.Replace(saidBy("btw", "1", 3, 50, 7, "claude-opus-4-6"), `"requestId":"r1"`, `"requestId":"r9"`, 1)
	m.Take("s1", "p", []byte(side)) // a side question's file repeats what was said before it
	for _, l := range append(first, said("5", 5, 1, 1, "claude-opus-4-6")) {
		m.Take("s2", "q", []byte(l))
	}
	return m
}

func TestBill(t *testing.T) {
	prices := expect.Value(Prices([]string{"claude-haiku-* 1 10 0 0 0"}))(t)
	for by, want := range map[string]string{
		"model":   "claude-opus-4-6 3 7/9/60/30/3000 | claude-haiku-4-5 1 1/9/20/10/1000 | mystery 1 2/3/20/10/1000",
		"session": "s1 4 9/20/80/40/4000 | s2 1 1/1/20/10/1000",
		"project": "p 4 9/20/80/40/4000 | q 1 1/1/20/10/1000",
		"prompt":  "p2 2 2/2/40/20/2000 /review | p1 3 8/19/60/30/3000 notification: build ended", // a fork has its own copy of the prompt, with the same id,
		"agent":   "s1 3 8/11/60/30/3000 | s2 1 1/1/20/10/1000 | a1 1 1/9/20/10/1000 a1",
		"tool":    "(answer) 3 3/11/60/30/3000 | Bash 2 5/7/30/15/1500 | Read 0 2/3/10/5/500",
	} {
		b := meter().Bill(by, nil, time.Time{}, prices)
		var sum Spent
		var got []string
		for _, r := range b.Rows {
			sum.Tokens.add(r.Tokens)
			sum.PicoUSD += r.PicoUSD
			sum.Answers += r.Answers
			x := r.Tokens
			got = append(got, strings.TrimSpace(fmt.Sprintf("%s %d %d/%d/%d/%d/%d %s", r.Name, r.Answers, x.Input, x.Output, x.CacheWrite, x.CacheWrite1h, x.CacheRead, r.Label)))
		}
		if sum.Tokens != b.Total.Tokens || sum.PicoUSD != b.Total.PicoUSD || sum.Answers != b.Total.Answers || b.Total.Answers != 5 {
			t.Errorf("%s: the parts sum to %+v, the whole is %+v", by, sum, b.Total)
		}
		expect.Equal(t, strings.Join(got, " | "), want, by)
		if fmt.Sprint(b.Unpriced) != "[mystery]" || b.Total.Unpriced != 1035 {
			t.Errorf("%s: without a price %q, %d tokens", by, b.Unpriced, b.Total.Unpriced)
		}
	}

	// One answer of opus: 5 input, 7 output, 20 and 10 written, 1000 read at 5, 25, 6.25, 10 and 0.5 dollars a million.
	b := meter().Bill("model", map[string]bool{"s1": true}, time.Date(2026, 1, 1, 0, 4, 0, 0, time.UTC), prices)
	if b.Total.Answers != 1 || b.Total.PicoUSD != 5e6+25e6+20*625e4+10*10e6+1000*5e5 {
		t.Errorf("since the second prompt: %+v", b.Total)
	}
}

func TestPrices(t *testing.T) {
	for _, line := range []string{"", "m", "m 1", "m 1 2 3", "m x 2", "m -1 2", "m NaN 2", "[ 1 2", "m 1 1e99"} {
		if _, err := Prices([]string{line}); err == nil {
			t.Errorf("%q is taken", line)
		}
	}
	ps, _ := Prices([]string{"m 8 2"})
	if p, ok := priceOf(ps, "m", Tokens{}); !ok || p.kinds != [5]int64{8e6, 2e6, 10e6, 16e6, 8e5} {
		t.Errorf("%+v", p)
	}
}

// No line makes the meter panic, or count what is negative.
func FuzzMeter(f *testing.F) {
	f.Add([]byte(said("1", 1, 5, 1, "claude-opus-4-6", "Bash")))
	f.Add([]byte(typed("p", 1, "x")))
	f.Fuzz(func(t *testing.T, line []byte) {
		var m Meter
		m.Take("s", "p", line)
		b := m.Bill("tool", nil, time.Time{}, nil)
		if len(b.Rows) > 0 && b.Total.Answers != 1 {
			t.Errorf("%+v", b)
		}
	})
}

// The list prices of known models; of one that is not known nothing is guessed.
func TestListPrices(t *testing.T) {
	prices := expect.Value(Prices(nil))(t)
	for model, want := range map[string]string{
		"claude-opus-5-5": "4 20 5 8 0.2", "claude-opus-5": "5 25 6.25 10 0.5", "claude-opus-5-20260724": "5 25 6.25 10 0.5", "claude-opus-4-8": "5 25 6.25 10 0.5",
		"claude-opus-4-1-20250805": "15 75 18.75 30 1.5", "claude-sonnet-5-5": "2 10 2.5 4 0.1", "claude-sonnet-5": "2 10 2.5 4 0.2",
		"claude-sonnet-4-5-20250929": "3 15 3.75 6 0.3", "claude-haiku-5-5": "0.1 0.5 0.125 0.2 0.01", "claude-haiku-4-5-20251001": "1 5 1.25 2 0.1",
		"claude-fable-5-1": "10 50 12.5 20 0.25", "claude-fable-5": "10 50 12.5 20 1",
		"claude-opus-5-6": "unpriced", "claude-opus-6": "unpriced", "claude-haiku-5": "unpriced", "gpt-6-sol": "unpriced",
	} {
		expect.Equal(t, listed(prices, model, Tokens{Input: 100_000}), want, model)
	}
	expect.Equal(t, listed(prices, "claude-haiku-5-5", Tokens{Input: 1, CacheRead: 100_000}), "0.5 2.5 0.625 1 0.05", "a long prompt")
	if _, err := Prices([]string{"m>x 1 2"}); err == nil {
		t.Error("m>x is taken")
	}
}

func listed(prices []Price, model string, t Tokens) string {
	p, known := priceOf(prices, model, t)
	if !known {
		return "unpriced"
	}
	words := make([]string, len(p.kinds))
	for i, n := range p.kinds {
		words[i] = fmt.Sprint(float64(n) / 1e6)
	}
	return strings.Join(words, " ")
}
