package codes

import (
	"cmp"
	"encoding/json"
	"regexp"
	"slices"
	"strings"

	"hookline/events"
	"hookline/events/wording"
)

// What is read off prompts and calls.

// sentences ends one sentence and begins the next.
var sentences = regexp.MustCompile(`[.!?]+(?:\s+|$)|\n+`)

// signs are words that say that something was decided, or stands in the way (DECISIONS S4), with the beginning of the code.
var signs = []struct {
	code  string
	words *regexp.Regexp
}{
	{"dec:", regexp.MustCompile(`(?i)\b((let['’]s|we['’]ll) use\b|decision:)`)},
	{"block:blocked:", regexp.MustCompile(`(?i)\bblocked\b`)},
	{"block:unclear:", regexp.MustCompile(`(?i)\bunclear\b`)},
	{"block:fails:", regexp.MustCompile(`(?i)\bfails because\b`)},
	{"block:cannot:", regexp.MustCompile(`(?i)\b(can['’]t|cannot)\b`)},
}

// wordsOfBlocker is how many words say something about the work.
const wordsOfBlocker = 4

// prompt reads what the user wrote. A question blocks nothing.
func (c *found) prompt(e *events.PromptSubmitted) {
	text := e.UserText()
	if c.r.AgentID != "" || strings.HasPrefix(text, "/") {
		return
	}
	begin := 0
	for _, end := range append(sentences.FindAllStringIndex(text, -1), []int{len(text), len(text)}) {
		if !strings.Contains(text[end[0]:end[1]], "?") {
			c.sentence(strings.TrimSpace(text[begin:end[0]]))
		}
		begin = end[1]
	}
}

func (c *found) sentence(s string) {
	for _, sign := range signs {
		list := &c.context.Blockers
		if sign.code == "dec:" {
			list = &c.context.Decisions
		} else if len(strings.Fields(s)) < wordsOfBlocker {
			return
		}
		if sign.words.MatchString(s) {
			c.put(list, sign.code+slug(s))
			return
		}
	}
}

// succeeded reads a call: changed files with their functions, lists of things to do, runs of commands.
func (c *found) succeeded(e *events.ToolSucceeded) {
	switch e.ToolName {
	case "Edit", "Write", "MultiEdit", "NotebookEdit":
		c.edited(e.ToolInput)
	case events.ToolPatch:
		for _, p := range events.Patch(e.ToolInput, e.Cwd) {
			c.written(p.Path, p.Added)
		}
	case "TodoWrite":
		if c.r.AgentID == "" {
			c.todos(e.ToolInput)
		}
	case "Bash":
		c.ran(e.ToolInput, true, events.MemberText(e.ToolResponse, "stdout"))
	}
}

// edited reads the input of a call that changes a file.
func (c *found) edited(input json.RawMessage) {
	var in struct {
		File     string `json:"file_path"`
		Notebook string `json:"notebook_path"`
		Content  string `json:"content"`
		New      string `json:"new_string"`
		Source   string `json:"new_source"`
		Edits    []struct {
			New string `json:"new_string"`
		} `json:"edits"`
	}
	_ = json.Unmarshal(input, &in) // a member of another form stays empty, as a large content does
	texts := []string{in.Content, in.New, in.Source}
	for _, edit := range in.Edits {
		texts = append(texts, edit.New)
	}
	c.written(cmp.Or(in.File, in.Notebook), texts...)
}

// written notes a changed file, and the functions in what was written into it.
func (c *found) written(file string, texts ...string) {
	c.file(file)
	for _, t := range texts {
		for _, name := range Functions(file, t) {
			c.put(&c.context.Functions, "impl:"+name)
		}
	}
}

// todos reads the client's whole list: what is open comes next, what is completed is done.
func (c *found) todos(input json.RawMessage) {
	var in struct {
		Todos []struct {
			Content string `json:"content"`
			Status  string `json:"status"`
		} `json:"todos"`
	}
	_ = json.Unmarshal(input, &in) // of another form: no list
	for _, t := range in.Todos {
		if t.Status == "completed" {
			c.done(slug(t.Content))
			continue
		}
		c.put(&c.context.Next, "next:"+slug(t.Content))
	}
}

// numbers are results of a run of tests.
var numbers = regexp.MustCompile(`(?i)^\d+ (?:tests?,? )?(?:passed|failed|failures?|errors?|skipped)\b`)

// ran reads a command: a run of tests with its result, and whether a check stands in the way.
func (c *found) ran(input json.RawMessage, ok bool, output string) {
	runs := events.CallOf("Bash", input).Runs
	at := slices.IndexFunc(runs, func(r events.Run) bool { return r.Check != "" })
	if c.r.AgentID != "" || at < 0 {
		return
	}

	words := runs[at].Words
	target := strings.Join(words[:min(2, len(words))], "-")
	stuck := wording.Chars("block:fails:"+target, maxCode)
	if !ok {
		c.put(&c.context.Blockers, stuck)
	} else if c.drop(&c.context.Blockers, func(code string) bool { return code == stuck }) {
		c.put(&c.context.Done, "done:mended:"+target)
	}
	if runs[at].Check != "test" {
		return
	}

	code := "test:" + words[0] // of which the newest result counts
	c.drop(&c.context.Done, func(old string) bool { return old == code || strings.HasPrefix(old, code+":") })
	result := ":failed"
	if ok {
		result = ":ok"
	}
	for _, n := range wording.LastCounts(wording.Chars(output, 65536), numbers, 2) {
		result += ":" + slug(strings.ToLower(n))
	}
	c.put(&c.context.Done, code+result)
}
