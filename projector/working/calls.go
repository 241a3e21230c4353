package working

import (
	"cmp"
	"encoding/json"
	"path"
	"regexp"
	"slices"
	"strings"

	"hookline/events"
	"hookline/events/copies"
	"hookline/events/wording"
)

// Calls of tools: the files they touch, the commands they run, and what of them failed.

// target is what a call is about, as far as it can be kept.
func target(c events.Call) string { return wording.Short(c.Target(), maxPath) }

// succeeded takes in a call that succeeded: its file or command, and that its target's failure is mended.
func (s *State) succeeded(r events.Record, e *events.ToolSucceeded) {
	call := events.CallOf(e.ToolName, e.ToolInput)
	about := target(call)
	s.Open, _ = copies.Take(s.Open, func(f Failure) bool { return f.Target == about })
	if r.AgentID == "" {
		s.Tools = copies.Push(s.Tools, wording.Short(e.ToolName, maxLine), lastTools)
		s.served(r, e)
		s.sawOutput(r, e)
	}

	switch e.ToolName {
	case "Read":
		if r.AgentID == "" { // else the session itself has not seen it
			s.touched(r, call.File, reads)
		}
	case "Edit", "MultiEdit", "NotebookEdit":
		s.touched(r, call.File, edits)
	case "Write":
		s.touched(r, call.File, changes[events.MemberText(e.ToolResponse, "type") == "create"])
	case events.ToolPatch:
		for _, p := range events.Patch(e.ToolInput, e.Cwd) {
			s.touched(r, p.Path, changes[p.Kind == "add"])
		}
	case "Bash":
		output := events.MemberText(e.ToolResponse, "stdout")
		if output == "" { // Codex gives the text alone
			output = events.Text(e.ToolResponse)
		}
		s.ran(r, call, true, output)
	case "TodoWrite", "update_plan":
		s.listed(r, e.ToolInput)
	case "ExitPlanMode":
		if plan := call.Input.Plan.Text(); plan != "" {
			s.saw(r, plan)
			s.Task = noteOf(r, plan, MaxTask)
		}
	}
}

// keeping matches the tools of MCP servers, also of a plugin's, that keep something for the session beside its context (S2 tier 1).
var keeping = regexp.MustCompile(`^mcp__(?:plugin_[^_]+_)?(?:serena__activate_project$|(?:pal|zen)__)`)

// continuation is the id by which the MCP servers pal and zen go on with a conversation, also inside of JSON text.
var continuation = regexp.MustCompile(`continuation_id\\*"\s*:\s*\\*"([A-Za-z0-9-]{8,64})`)

// served takes in what MCP servers keep for the session itself.
func (s *State) served(r events.Record, e *events.ToolSucceeded) {
	if !keeping.MatchString(e.ToolName) {
		return
	}
	if m := continuation.FindSubmatch(e.ToolResponse); m != nil {
		s.Thread = noteOf(r, string(m[1]), maxLine)
	} else if project := events.InputOf(e.ToolInput).Project.Text(); project != "" {
		s.Serena = noteOf(r, project, maxLine)
	}
}

// notRun is the client's error for a call that it did not start: one beside it failed, or the client has a rule against the command.
var notRun = regexp.MustCompile(`^(<tool_use_error>)?(Sibling tool call errored|Cancelled: parallel tool call|Blocked: )`)

// framing is what the client puts around an error.
var framing = regexp.MustCompile(`</?tool_use_error>|^Exit code (\d+)`)

// telling matches a line that names an error.
var telling = regexp.MustCompile(`(?i)error|fail|panic`)

// failed takes in a call that failed; one that the user interrupted, or that the client gave up, says nothing of its
// target.
func (s *State) failed(r events.Record, e *events.ToolFailed) {
	if e.IsInterrupt || notRun.MatchString(e.Error) {
		return
	}

	// The most telling line is the first that names an error, else the first.
	text := framing.ReplaceAllString(wording.Clip(e.Error, maxOutput), "")
	said := cmp.Or(Line(text), Line(e.Error))
	for line := range strings.Lines(text) {
		if telling.MatchString(line) {
			said = Line(line)
			break
		}
	}

	call := events.CallOf(e.ToolName, e.ToolInput)
	f := Failure{Target: target(call), Tool: wording.Short(e.ToolName, maxLine), Text: said, Event: r.ID, Time: r.Time}
	open, _ := copies.Take(s.Open, func(o Failure) bool { return o.Target == f.Target })
	s.Open = copies.Push(open, f, maxOpen)
	if e.ToolName == "Bash" {
		s.ran(r, call, false, e.Error)
	}
}

// What a call does to a file.
const (
	reads = iota
	edits
	creates
)

// changes are what a call does that changes a file, by whether that is new.
var changes = map[bool]int{false: edits, true: creates}

// prose are the endings of files that no test or build is about.
var prose = strings.Fields(".md .markdown .txt .rst .adoc .log .csv")

// touched takes in that a file was read or changed; what passed before says nothing of changed code.
func (s *State) touched(r events.Record, file string, how int) {
	if file == "" || len(file) > maxPath || strings.ContainsAny(file, "\n\r\x00") {
		return
	}

	files, f := copies.Take(s.Files, func(f File) bool { return f.Path == file })
	switch how {
	case reads:
		f.Read++
	case edits:
		f.Edited++
	case creates:
		f.Created = true
	}
	f.Path, f.Event, f.Time, f.Known, f.Stamp = file, r.ID, r.Time, false, ""
	if r.Facts != nil {
		f.Stamp = wording.Short(r.Facts.Seen, maxLine)
	}
	if len(files) >= maxFiles { // a file that was only read goes first
		i := max(0, slices.IndexFunc(files, func(f File) bool { return !f.Changed() }))
		files = slices.Delete(files, i, i+1)
	}
	s.Files = append(files, f)

	if how != reads && !slices.Contains(prose, strings.ToLower(path.Ext(file))) {
		s.Unproved = noteOf(r, file, maxPath)
		s.Evidence = nil
	}
}

// counts are what test runners print.
var counts = regexp.MustCompile(`(?i)^\d+ (passed|failed|passing|failing|errors?|skipped|tests?)\b`)

// ran takes in that the session's own shell ran a command. Without room the one goes that is the least probably run again.
func (s *State) ran(r events.Record, call events.Call, ok bool, output string) {
	line := s.bare(call.Input.Command.Text())
	if line == "" || r.AgentID != "" {
		return
	}
	check := call.Check()

	var result []string
	if strings.HasPrefix(output, "Exit code ") { // else the expression would search all of it
		if m := framing.FindStringSubmatch(output); m != nil && m[1] != "" {
			result = append(result, "exit "+m[1])
		}
	}
	if check != "" {
		result = append(result, slices.Compact(wording.LastCounts(output, counts, 3))...)
	}

	commands, c := copies.Take(s.Commands, func(c Command) bool { return c.Line == line })
	c = Command{Line: line, OK: ok, Result: wording.Short(strings.Join(result, ", "), maxLine), Runs: c.Runs + 1, Event: r.ID, Time: r.Time}
	s.Commands = append(commands, c)
	if len(s.Commands) > maxCommands {
		ranked := s.ranked()
		rarest := ranked[len(ranked)-1]
		s.Commands = slices.Delete(s.Commands, rarest, rarest+1)
	}

	if check != "" {
		evidence, _ := copies.Take(s.Evidence, func(p Proof) bool { return p.Kind == check })
		s.Evidence = append(evidence, Proof{Kind: check, OK: ok, Event: r.ID})
		if ok && check != "lint" {
			s.Unproved = nil
		}
	}
	if ok {
		s.tracked(r, call.Runs)
	}
}

// tracked takes in commands that succeeded, as far as they are of the issue trackers bd and br: those that change an issue,
// and those that store that.
func (s *State) tracked(r events.Record, runs []events.Run) {
	for _, run := range runs {
		if len(run.Words) < 2 || run.Words[0] != "bd" && run.Words[0] != "br" {
			continue
		}
		switch run.Words[1] {
		case "create", "new", "update", "close", "done", "reopen", "edit", "dep", "comment", "comments", "label":
			s.Unsynced = noteOf(r, strings.Join(run.Words, " "), maxLine)
		case "sync", "flush", "export":
			s.Unsynced = nil
		}
	}
}

// listed takes in a whole list of things to do: the client's, or the plan of Codex.
func (s *State) listed(r events.Record, input json.RawMessage) {
	var in struct {
		Todos, Plan []struct{ Content, Step, Status string }
	}
	if json.Unmarshal(input, &in) != nil {
		return
	}

	s.Todos = nil
	for _, t := range append(in.Todos, in.Plan...) {
		if text := Line(t.Content + t.Step); text != "" {
			s.Todos = append(s.Todos, Todo{Text: text, Status: wording.Short(t.Status, maxWord), Event: r.ID})
		}
	}
	s.Todos = copies.Newest(s.Todos, maxTodos)
}
