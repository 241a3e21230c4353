package codes

import (
	"encoding/json"
	"regexp"
	"slices"
	"strings"

	"hookline/events"
	"hookline/events/outcome"
	"hookline/events/wording"
)

// What is read off prompts and calls.

// decides matches words that say that something was decided (DECISIONS S4).
var decides = regexp.MustCompile(`(?i)\b((let['’]s|we['’]ll) use\b|decision:)`)

// blockers are words that say that something stands in the way (DECISIONS S4), with the beginning of the code.
var blockers = []struct {
	code  string
	words *regexp.Regexp
}{
	{"block:blocked:", regexp.MustCompile(`(?i)\b(am|are|is|was|were|be|been|being|got|gets|still|currently|completely|now) blocked\b|\bblocked (by|on)\b`)},
	{"block:unclear:", regexp.MustCompile(`(?i)\bunclear\b`)},
	{"block:fails:", regexp.MustCompile(`(?i)\bfails because\b`)},
	{"block:cannot:", regexp.MustCompile(`(?i)\b(i|we|you)( (still|really|currently|now|just|also|simply|even))* (can['’]t|cannot)\b`)},
}

// supposes matches words of a sentence that supposes, asks for something or sets a condition: nothing stands in the way by it.
var supposes = regexp.MustCompile(`(?i)\b(i (think|guess|believe|suppose|assume|wonder|want)|maybe|perhaps|probably|possibly|might|not sure|if|unless|in case|so that|verify|check (that|whether)|make sure|ensure|should|must|please)\b`)

// minBlockerWords is the number of words from which on a sentence says something about the work.
const minBlockerWords = 4

// prompt reads what the user wrote. A question blocks nothing, nor does what is quoted or was printed by a program.
func (c *collector) prompt(e *events.PromptSubmitted) {
	text := e.UserText()
	if c.record.AgentID != "" || strings.HasPrefix(text, "/") {
		return
	}

	c.by(ByUser).said(text)
	for _, s := range wording.OwnSentences(wording.Typed(text)) {
		if !s.Question {
			c.sentence(s)
		}
	}
}

// sentence reads one sentence of the user. What it quotes decides and blocks nothing.
func (c *collector) sentence(s wording.Sentence) {
	if decides.MatchString(s.Own) {
		c.says(s.Text).put(&c.context.Decisions, "dec:"+slug(s.Text))
		return
	}
	if len(strings.Fields(s.Own)) < minBlockerWords {
		return
	}
	if supposes.MatchString(s.Own) {
		return
	}
	for _, blocker := range blockers {
		if blocker.words.MatchString(s.Own) {
			c.says(s.Text).put(&c.context.Blockers, blocker.code+slug(s.Text))
			return
		}
	}
}

// succeeded reads a call: changed files with their functions, lists of things to do, runs of commands.
func (c *collector) succeeded(e *events.ToolSucceeded) {
	c.by(ByAgent)
	switch e.ToolName {
	case "Edit", "Write", "MultiEdit", "NotebookEdit":
		c.edited(e.ToolInput)
	case events.ToolPatch:
		for _, p := range events.Patch(e.ToolInput, e.Cwd) {
			c.written(p.Path, p.Added)
		}
	case "TodoWrite":
		if c.record.AgentID == "" {
			c.todos(e.ToolInput)
		}
	case "Bash":
		call := events.CallOf(e.ToolName, e.ToolInput)
		c.ran(call, outcome.OfSucceeded(call, e.ToolResponse), true)
	}
}

// failed reads a command that failed, and not one that never ran.
func (c *collector) failed(e *events.ToolFailed) {
	if e.NotRun() {
		return
	}

	call := events.CallOf(e.ToolName, e.ToolInput)
	c.ran(call, outcome.OfFailed(call, e.Error), false)
}

// edited reads the input of a call that changes a file.
func (c *collector) edited(input json.RawMessage) {
	in := events.InputOf(input)
	texts := []string{in.Content.Text(), in.NewString.Text(), in.NewSource.Text()}
	for _, edit := range in.Replacements("MultiEdit") {
		texts = append(texts, edit.New)
	}
	c.written(in.File(), texts...)
}

// written notes a changed file, and the functions in what was written into it.
func (c *collector) written(file string, texts ...string) {
	c.putFile(file)
	for _, t := range texts {
		for _, name := range Functions(file, t) {
			c.put(&c.context.Functions, "impl:"+name)
		}
	}
}

// todos reads the client's whole list: what is open comes next, what is completed is done.
func (c *collector) todos(input json.RawMessage) {
	var in struct {
		Todos []struct {
			Content string `json:"content"`
			Status  string `json:"status"`
		} `json:"todos"`
	}
	_ = json.Unmarshal(input, &in) // of another form: no list

	if len(in.Todos) > 0 { // what the session has taken off its list comes next no more
		c.forget(&c.context.Next, func(code Code) bool { return code.By == ByAgent && code.Session == c.record.Session })
	}
	for _, t := range in.Todos {
		if t.Status == "completed" {
			c.done(slug(t.Content))
			continue
		}
		c.put(&c.context.Next, "next:"+slug(t.Content))
	}
}

// maxResults is how many of the counts of a test run stand in its code.
const maxResults = 2

// ran reads a command: a run of tests with its result, and whether a check stands in the way. A check whose outcome is not known
// says neither.
func (c *collector) ran(call events.Call, result outcome.Result, ok bool) {
	if c.record.AgentID != "" {
		return
	}
	c.by(ByOutput)
	runs := call.Runs
	if ok && statusIsOfAll(call.Input.Command.Text()) {
		c.ranWell(runs)
	}
	at := slices.IndexFunc(runs, func(r events.Run) bool { return r.Check != "" })
	if at < 0 || result.Runs[at] == outcome.Unknown {
		return
	}
	check := runs[at]
	passed := result.Runs[at] == outcome.OK

	target := strings.Join(check.Words[:min(2, len(check.Words))], "-")
	blocker := wording.Chars("block:fails:"+target, maxCode)
	if !passed {
		c.put(&c.context.Blockers, blocker)
	} else if c.drop(&c.context.Blockers, func(code string) bool { return code == blocker }) {
		c.put(&c.context.Done, "done:mended:"+target)
	}

	if check.Check == "test" {
		c.tested(check.Words[0], result.Counts, passed)
	}
}

// statusIsOfAll reports whether the status of a line is that of all its commands: none is in a pipe, behind another one that
// may fail, or in the background.
func statusIsOfAll(line string) bool {
	return !strings.ContainsAny(strings.ReplaceAll(line, "&&", ""), "|;&\n")
}

// tested adds a run of tests with its result. The newest result of a program counts.
func (c *collector) tested(program, counts string, passed bool) {
	code := "test:" + program
	c.drop(&c.context.Done, func(other string) bool { return other == code || strings.HasPrefix(other, code+":") })

	if passed {
		code += ":ok"
	} else {
		code += ":failed"
	}
	list := strings.Split(counts, ", ")
	for _, count := range list[:min(len(list), maxResults)] {
		if count != "" {
			code += ":" + slug(count)
		}
	}
	c.put(&c.context.Done, code)
}
