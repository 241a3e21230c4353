package insight

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"maps"
	"path"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"hookline/events"
)

// Tokens are those of one answer of the API, or of several.
type Tokens struct {
	Input        int64 `json:"input" jsonschema_description:"that were not in the cache"`
	Output       int64 `json:"output" jsonschema_description:"that the model wrote"`
	CacheWrite   int64 `json:"cache_write" jsonschema_description:"written to the cache for five minutes"`
	CacheWrite1h int64 `json:"cache_write_1h" jsonschema_description:"written to the cache for an hour"`
	CacheRead    int64 `json:"cache_read" jsonschema_description:"read from the cache"`
}

// kinds gives the five numbers, in the order of the price table.
func (t *Tokens) kinds() [5]*int64 {
	return [5]*int64{&t.Input, &t.Output, &t.CacheWrite, &t.CacheWrite1h, &t.CacheRead}
}

// All is their sum.
func (t Tokens) All() (sum int64) {
	for _, n := range t.kinds() {
		sum += *n
	}
	return sum
}

func (t *Tokens) add(u Tokens) {
	for i, n := range t.kinds() {
		*n += *u.kinds()[i]
	}
}

// share is the i-th of n parts; the parts sum to the whole.
func (t Tokens) share(i, n int) Tokens {
	for _, k := range t.kinds() {
		rest := *k % int64(n)
		*k /= int64(n)
		if int64(i) < rest {
			*k++
		}
	}
	return t
}

// answer is one answer of the API, which a transcript has in several lines: its newest numbers count.
type answer struct {
	Tokens
	session, project, agent, model string
	time                           time.Time
	tools                          []string
}

type prompt struct {
	id, text string
	time     time.Time
}

// Meter adds up what transcripts say of tokens. An answer counts once, however often it was copied: of several transcripts that have
// it, the first one that was taken owns it. The zero value is ready. Used by one goroutine.
type Meter struct {
	answers map[string]*answer  // by message id and request id
	main    map[string]bool     // ids of messages that no subagent got
	prompts map[string][]prompt // by session
}

// line is what matters of one line of a transcript.
type line struct {
	Type    string    `json:"type"`
	ID      string    `json:"uuid"`
	Time    time.Time `json:"timestamp"`
	Agent   string    `json:"agentId"`
	Side    bool      `json:"isSidechain"`
	Meta    bool      `json:"isMeta"`
	Summary bool      `json:"isCompactSummary"`
	Request string    `json:"requestId"`
	Message struct {
		ID      string          `json:"id"`
		Model   string          `json:"model"`
		Content json.RawMessage `json:"content"`
		Usage   *struct {
			Input  int64 `json:"input_tokens"`
			Output int64 `json:"output_tokens"`
			Write  int64 `json:"cache_creation_input_tokens"`
			Read   int64 `json:"cache_read_input_tokens"`
			Kinds  struct {
				Hour int64 `json:"ephemeral_1h_input_tokens"`
			} `json:"cache_creation"`
		} `json:"usage"`
	} `json:"message"`
}

// Take adds one line of a session's transcript, or of one of its subagents. Lines without tokens or a prompt, and what is
// no JSON, count for nothing.
func (m *Meter) Take(session, project string, text []byte) {
	used := bytes.Contains(text, []byte(`"usage"`))
	prompted := bytes.Contains(text, []byte(`"user"`)) && !bytes.Contains(text, []byte(`"tool_result"`))
	if !used && !prompted {
		return // nearly all of the bytes: results of tools
	}

	var l line
	if json.Unmarshal(text, &l) != nil {
		return
	}
	switch {
	case l.Type == "user" && !l.Side && !l.Meta && !l.Summary:
		m.prompted(session, l)
	case l.Type == "assistant" && l.Message.ID != "" && l.Message.Usage != nil && l.Message.Model != "<synthetic>":
		m.answered(session, project, l)
	}
}

var commandName = regexp.MustCompile(`<command-name>([^<]{1,200})</command-name>`)

func (m *Meter) prompted(session string, l line) {
	text := Text(l.Message.Content)
	if found := commandName.FindStringSubmatch(text); found != nil {
		text = found[1]
	}
	text = (&events.PromptSubmitted{Prompt: text}).Headline()
	if text == "" || strings.HasPrefix(text, "<local-command") || strings.HasPrefix(text, "[Request interrupted") || strings.HasPrefix(text, "Caveat: ") {
		return
	}
	if m.prompts == nil {
		m.prompts = map[string][]prompt{}
	}
	m.prompts[session] = append(m.prompts[session], prompt{id: l.ID, text: text, time: l.Time})
}

func (m *Meter) answered(session, project string, l line) {
	if m.answers == nil {
		m.answers, m.main = map[string]*answer{}, map[string]bool{}
	}
	key := l.Message.ID + " " + l.Request
	a := m.answers[key]
	if !l.Side {
		m.main[l.Message.ID] = true
	} else if a == nil && m.main[l.Message.ID] {
		return // a side question (/btw) repeats the conversation before it under its own request id
	}
	if a == nil {
		a = &answer{session: session, project: project, agent: l.Agent, model: l.Message.Model, time: l.Time}
		m.answers[key] = a
	}
	if a.session != session {
		return // a copy: by a fork, or by a client that began a new file at a resume
	}

	u := l.Message.Usage
	a.Tokens = Tokens{Input: max(0, u.Input), Output: max(0, u.Output), CacheWrite: max(0, u.Write-u.Kinds.Hour), CacheWrite1h: max(0, u.Kinds.Hour),
		CacheRead: max(0, u.Read)}
	var parts []struct{ Type, Name string }
	if json.Unmarshal(l.Message.Content, &parts) != nil {
		return
	}
	for _, p := range parts {
		if p.Type == "tool_use" {
			a.tools = append(a.tools, p.Name)
		}
	}
}

// Price is what a million tokens of some models cost, in millionths of a US dollar by kind of token.
type Price struct {
	Model string // a glob
	above int64  // only of answers to more tokens than that
	kinds [5]int64
}

// builtIn are Anthropic's list prices of 2026-10-24, newest models first. A model that is not there is named, not guessed: the
// patterns fit the names of known models, with a date.
var builtIn = []string{
	"claude-fable-5-1* 10 50 12.5 20 .25", "claude-mythos-5-1* 10 50 12.5 20 .25",
	"claude-fable-5 10 50", "claude-fable-5-20* 10 50", "claude-mythos-5 10 50", "claude-mythos-5-20* 10 50",
	"claude-opus-5-5* 4 20 5 8 .2", "claude-opus-5 5 25", "claude-opus-5-20* 5 25", "claude-opus-4-[5-8]* 5 25", "claude-opus-4-* 15 75",
	"claude-sonnet-5-5* 2 10 2.5 4 .1", "claude-sonnet-5 2 10", "claude-sonnet-5-20* 2 10", "claude-sonnet-4-* 3 15",
	"claude-haiku-5-5*>100000 .5 2.5", "claude-haiku-5-5* .1 .5", "claude-haiku-4-5* 1 5",
}

// Prices reads lines of "MODEL INPUT OUTPUT [CACHE_WRITE CACHE_WRITE_1H CACHE_READ]", in US dollars a million tokens; what is
// left out is 1.25, 2 and 0.1 times the input's. The first line whose glob fits a model counts; built-in ones come last. MODEL>N is
// for answers to more than N tokens, those of the cache included.
func Prices(lines []string) ([]Price, error) {
	var out []Price
	for _, text := range append(slices.Clone(lines), builtIn...) {
		f := strings.Fields(text)
		if len(f) != 3 && len(f) != 6 {
			return nil, fmt.Errorf("price %q: MODEL INPUT OUTPUT [CACHE_WRITE CACHE_WRITE_1H CACHE_READ] is wanted", text)
		}
		p := Price{Model: f[0]}
		if model, above, ok := strings.Cut(f[0], ">"); ok {
			n, err := strconv.ParseInt(above, 10, 64)
			if err != nil || n < 0 {
				return nil, fmt.Errorf("price %q: %q is no number of tokens", text, above)
			}
			p.Model = model
			p.above = n
		}
		if _, err := path.Match(p.Model, "x"); err != nil {
			return nil, fmt.Errorf("price %q: %w", text, err)
		}
		for i, word := range f[1:] {
			dollars, err := strconv.ParseFloat(word, 64)
			if err != nil || !(dollars >= 0 && dollars <= 10_000) {
				return nil, fmt.Errorf("price %q: %q is no number of dollars", text, word)
			}
			p.kinds[i] = int64(dollars*1e6 + .5)
		}
		if len(f) == 3 {
			p.kinds[2], p.kinds[3], p.kinds[4] = p.kinds[0]*5/4, p.kinds[0]*2, p.kinds[0]/10
		}
		out = append(out, p)
	}
	return out, nil
}

func priceOf(prices []Price, model string, t Tokens) (Price, bool) {
	read := t.All() - t.Output
	for _, p := range prices {
		if ok, _ := path.Match(p.Model, model); ok && (p.above == 0 || read > p.above) {
			return p, true
		}
	}
	return Price{}, false
}

// Spent is one row of a [Bill].
type Spent struct {
	Name    string `json:"name" jsonschema_description:"model, prompt, agent, tool, project or session; absent of the total"`
	Label   string `json:"label,omitempty" jsonschema_description:"the name for people"`
	Session string `json:"session,omitempty" jsonschema_description:"of a prompt or agent"`
	Answers int    `json:"answers" jsonschema_description:"of the API"`
	Tokens  Tokens `json:"tokens" jsonschema_description:"by kind"`
	// PicoUSD are millionths of millionths of a dollar: whole numbers, so that parts sum to the whole.
	PicoUSD  int64   `json:"pico_usd" jsonschema_description:"price in 10^-12 US dollars, of what has one"`
	USD      float64 `json:"usd" jsonschema_description:"the same in dollars, rounded"`
	Unpriced int64   `json:"unpriced,omitempty" jsonschema_description:"tokens without a price"`
}

// Bill is what a choice of answers cost.
type Bill struct {
	By       string   `json:"by" jsonschema_description:"what the rows are: model, prompt, agent, tool, project or session"`
	Rows     []Spent  `json:"rows" jsonschema_description:"the dearest first"`
	Total    Spent    `json:"total" jsonschema_description:"sum of the rows"`
	Unpriced []string `json:"unpriced_models,omitempty" jsonschema_description:"models without a price"`
}

// Bill sums the answers from a time on up, one row a name. A prompt's rows include its subagents. sessions may be nil: all.
func (m *Meter) Bill(by string, sessions map[string]bool, since time.Time, prices []Price) Bill {
	rows := map[string]*Spent{}
	unpriced := map[string]bool{}
	b := Bill{By: by, Rows: []Spent{}}
	for _, key := range slices.Sorted(maps.Keys(m.answers)) {
		a := m.answers[key]
		if sessions != nil && !sessions[a.session] || a.time.Before(since) {
			continue
		}
		price, known := priceOf(prices, a.model, a.Tokens)
		if !known {
			unpriced[a.model] = true
		}
		names := m.rowsOf(by, a)
		for i, row := range names {
			s := rows[row.Name]
			if s == nil {
				s = &row
				rows[row.Name] = s
			}
			s.add(a.share(i, len(names)), price, known)
			if i == 0 {
				s.Answers++
			}
		}
		b.Total.add(a.Tokens, price, known)
		b.Total.Answers++
	}

	for _, s := range rows {
		s.USD = float64(s.PicoUSD) / 1e12
		b.Rows = append(b.Rows, *s)
	}
	b.Total.USD = float64(b.Total.PicoUSD) / 1e12
	slices.SortFunc(b.Rows, func(x, y Spent) int {
		return cmp.Or(cmp.Compare(y.PicoUSD, x.PicoUSD), cmp.Compare(y.Tokens.All(), x.Tokens.All()), cmp.Compare(x.Name, y.Name))
	})
	b.Unpriced = slices.Sorted(maps.Keys(unpriced))
	return b
}

func (s *Spent) add(t Tokens, p Price, known bool) {
	s.Tokens.add(t)
	if !known {
		s.Unpriced += t.All()
		return
	}
	for i, n := range t.kinds() {
		s.PicoUSD += *n * p.kinds[i]
	}
}

// rowsOf are the rows that an answer belongs to: one, or with tools one a call, among which it is shared equally.
func (m *Meter) rowsOf(by string, a *answer) []Spent {
	switch by {
	case "session":
		return []Spent{{Name: a.session}}
	case "project":
		return []Spent{{Name: a.project}}
	case "agent":
		return []Spent{{Name: cmp.Or(a.agent, a.session), Label: a.agent, Session: a.session}}
	case "prompt":
		p := prompt{text: "(before the first prompt)"}
		for _, next := range m.prompts[a.session] {
			if next.time.After(a.time) {
				break
			}
			p = next
		}
		return []Spent{{Name: cmp.Or(p.id, a.session), Label: p.text, Session: a.session}}
	case "tool":
		if len(a.tools) == 0 {
			return []Spent{{Name: "(answer)"}}
		}
		rows := make([]Spent, 0, len(a.tools))
		for _, tool := range a.tools {
			rows = append(rows, Spent{Name: tool})
		}
		return rows
	}
	return []Spent{{Name: a.model}}
}
