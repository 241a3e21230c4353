package working

import (
	"bytes"
	"encoding/json"
	"regexp"
	"slices"
	"strings"

	"hookline/events"
)

// Calls of tools: the files they touch, the commands they run, and what of them failed.

// succeeded takes in a call that succeeded: its file or command, and that its target's failure is mended.
func (s State) succeeded(r events.Record, e *events.ToolSucceeded) State {
	about := target(e.ToolName, e.ToolInput)
	s.Open = slices.DeleteFunc(slices.Clone(s.Open), func(f Failure) bool { return f.Target == about })

	if r.AgentID == "" {
		s.Tools = events.Newest(append(slices.Clip(s.Tools), Clip(e.ToolName, maxLine)), lastTools)
		s = s.served(r, e).sawOutput(r, e)
	}

	switch e.ToolName {
	case "Read":
		if r.AgentID != "" {
			return s // the session itself has not seen it
		}
		return s.touched(r, events.MemberText(e.ToolInput, "file_path"), func(f *File) { f.Read++ })
	case "Edit", "MultiEdit":
		return s.wrote(r, events.MemberText(e.ToolInput, "file_path"), false)
	case "NotebookEdit":
		return s.touched(r, events.MemberText(e.ToolInput, "notebook_path"), func(f *File) { f.Edited++ })
	case "Write":
		return s.wrote(r, events.MemberText(e.ToolInput, "file_path"), events.MemberText(e.ToolResponse, "type") == "create")
	case events.ToolPatch:
		for _, p := range events.Patch(e.ToolInput, e.Cwd) {
			s = s.wrote(r, p.Path, p.Kind == "add")
		}
	case "Bash":
		output := events.MemberText(e.ToolResponse, "stdout")
		if output == "" {
			output = events.Text(e.ToolResponse) // Codex gives the text alone
		}
		return s.ran(r, e.ToolInput, true, output)
	case "TodoWrite", "update_plan":
		return s.listed(r, e.ToolInput)
	case "ExitPlanMode":
		if plan := events.MemberText(e.ToolInput, "plan"); plan != "" {
			s = s.saw(r, plan)
			s.Task = noteOf(r, plan, MaxTask)
		}
	}
	return s
}

// wrote takes in that a file was created, or edited.
func (s State) wrote(r events.Record, file string, created bool) State {
	return s.changed(r, file).touched(r, file, func(f *File) {
		if created {
			f.Created = true
		} else {
			f.Edited++
		}
	})
}

// continuation is the id by which the MCP servers pal and zen go on with a conversation, also inside of JSON text.
var continuation = regexp.MustCompile(`continuation_id\\*"\s*:\s*\\*"([A-Za-z0-9-]{8,64})`)

// served takes in what MCP servers keep for the session itself beside its context (S2 tier 1).
func (s State) served(r events.Record, e *events.ToolSucceeded) State {
	server, tool, ok := mcpTool(e.ToolName)
	switch {
	case !ok:
	case server == "serena" && tool == "activate_project":
		if project := Line(events.MemberText(e.ToolInput, "project")); project != "" {
			s.Serena = noteOf(r, project, maxLine)
		}
	case server == "pal" || server == "zen":
		if m := continuation.FindSubmatch(e.ToolResponse); m != nil {
			s.Thread = noteOf(r, string(m[1]), maxLine)
		}
	}
	return s
}

// mcpTool splits the name of an MCP tool into server and tool; of a plugin's server the plugin's part is left out.
func mcpTool(name string) (server, tool string, ok bool) {
	rest, ok := strings.CutPrefix(name, "mcp__")
	if !ok {
		return "", "", false
	}
	server, tool, ok = strings.Cut(rest, "__")
	if plugin, of := strings.CutPrefix(server, "plugin_"); of {
		_, server, _ = strings.Cut(plugin, "_")
	}
	return server, tool, ok
}

// notRun is the client's error for a call that it did not start: one beside it failed, or the client has a rule against the command.
var notRun = regexp.MustCompile(`^(<tool_use_error>)?(Sibling tool call errored|Cancelled: parallel tool call|Blocked: )`)

// errorTags stand around what the client itself says of a call.
var errorTags = strings.NewReplacer("<tool_use_error>", "", "</tool_use_error>", "")

// failed takes in a call that failed; one that the user interrupted, or that the client gave up, says nothing of its
// target.
func (s State) failed(r events.Record, e *events.ToolFailed) State {
	if e.IsInterrupt || notRun.MatchString(e.Error) {
		return s
	}

	f := Failure{Target: target(e.ToolName, e.ToolInput), Tool: Clip(e.ToolName, maxLine), Text: telling(errorTags.Replace(e.Error)), Event: r.ID, Time: r.Time}
	open := slices.DeleteFunc(slices.Clone(s.Open), func(o Failure) bool { return o.Target == f.Target })
	s.Open = events.Newest(append(open, f), maxOpen)

	if e.ToolName == "Bash" {
		return s.ran(r, e.ToolInput, false, e.Error)
	}
	return s
}

// touched takes in that a file was read or changed. Without room the file that was only read, longest ago, goes first.
func (s State) touched(r events.Record, file string, change func(*File)) State {
	if file == "" || len(file) > maxPath || strings.ContainsAny(file, "\n\r\x00") {
		return s
	}

	files, f := take(s.Files, func(f File) bool { return f.Path == file })
	f.Path = file
	change(&f)
	f.Event = r.ID
	f.Time = r.Time
	f.Known = false
	f.Stamp = ""
	if r.Facts != nil {
		f.Stamp = Clip(r.Facts.Seen, maxLine)
	}

	if len(files) >= maxFiles {
		i := slices.IndexFunc(files, func(f File) bool { return f.Edited == 0 && !f.Created })
		files = slices.Delete(files, max(i, 0), max(i, 0)+1)
	}
	s.Files = append(files, f)
	return s
}

// ran takes in that the session's own shell ran a command. Without room the one goes that is the least probably run again.
func (s State) ran(r events.Record, input json.RawMessage, ok bool, output string) State {
	line := s.bare(commandLine(input))
	if line == "" || r.AgentID != "" {
		return s
	}
	runs := events.CallOf("Bash", input).Runs

	commands, c := take(s.Commands, func(c Command) bool { return c.Line == line })
	c.Line = line
	c.OK = ok
	check := checkOf(runs)
	c.Result = result(ok, check != "", output)
	c.Runs++
	c.Event = r.ID
	c.Time = r.Time
	s.Commands = append(commands, c)
	if len(s.Commands) > maxCommands {
		rarest := 0
		for i := range s.Commands {
			if s.rarity(i) > s.rarity(rarest) {
				rarest = i
			}
		}
		s.Commands = slices.Delete(s.Commands, rarest, rarest+1)
	}

	if check != "" {
		evidence := slices.DeleteFunc(slices.Clone(s.Evidence), func(p Proof) bool { return p.Kind == check })
		s.Evidence = append(evidence, Proof{Kind: check, OK: ok, Event: r.ID})
		if ok && check != "lint" {
			s.Unproved = nil
		}
	}
	if ok {
		s = s.tracked(r, runs)
	}
	return s
}

// heads are the lines before what is run: comments, a change to another folder, headings for the
// output, options of the shell, variables.
var heads = regexp.MustCompile(`^(\s*(#.*|cd [^\n;&|]*|echo ("[^"\n]*"|'[^'\n]*')|set -[^\n;&|]*|\w+=\S*)?\n)+`)

// commandLine is the first line of a shell's input that says what is run.
func commandLine(input json.RawMessage) string {
	return Line(heads.ReplaceAllString(strings.TrimSpace(events.MemberText(input, "command")), ""))
}

// listed takes in a whole list of things to do: the client's, or the plan of Codex.
func (s State) listed(r events.Record, input json.RawMessage) State {
	type entry struct {
		ID      string `json:"id"`
		Content string `json:"content"`
		Step    string `json:"step"`
		Status  string `json:"status"`
	}
	var in struct {
		Todos []entry `json:"todos"`
		Plan  []entry `json:"plan"`
	}
	if json.Unmarshal(input, &in) != nil {
		return s
	}

	todos := make([]Todo, 0, len(in.Todos))
	for _, t := range append(in.Todos, in.Plan...) {
		if text := Line(t.Content + t.Step); text != "" {
			todos = append(todos, Todo{ID: Clip(t.ID, maxLine), Text: text, Status: Clip(t.Status, maxLine), Event: r.ID})
		}
	}
	s.Todos = events.Newest(todos, maxTodos)
	return s
}

// target is what a call is about, as far as it can be kept.
func target(tool string, input json.RawMessage) string {
	return Clip(events.CallOf(tool, input).Target(), maxPath)
}

// checkOf is what a command line checks, test before lint before build; "" for nothing.
func checkOf(runs []events.Run) string {
	for _, check := range []string{"test", "lint", "build"} {
		if slices.ContainsFunc(runs, func(r events.Run) bool { return r.Check == check }) {
			return check
		}
	}
	return ""
}

var (
	exitStatus = regexp.MustCompile(`^Exit code (\d+)`)
	counts     = regexp.MustCompile(`(?i)^\d+ (passed|failed|passing|failing|errors?|skipped|tests?)\b`)
	goFail     = regexp.MustCompile(`(?m)^--- FAIL: (\S+)`)
)

// result says how a run ended: the exit status of a failure, and the counts that a check printed.
func result(ok, check bool, output string) string {
	var parts []string
	if m := exitStatus.FindStringSubmatch(output); m != nil && !ok {
		parts = append(parts, "exit "+m[1])
	}
	found := []string(nil)
	if check {
		found = events.LastCounts(output, counts, 3)
	}
	if found != nil {
		parts = append(parts, strings.Join(slices.Compact(found), ", "))
	} else if strings.Contains(output, "--- FAIL: ") { // nearly no output has it
		if m := goFail.FindStringSubmatch(output); m != nil {
			parts = append(parts, "FAIL "+m[1])
		}
	}
	return Clip(strings.Join(parts, ", "), maxLine)
}

// telling is the most telling line of an error: the first that names an error, else the first after the exit status.
func telling(text string) string {
	first := ""
	for line := range strings.Lines(text) {
		line = Line(line)
		if line == "" || exitStatus.MatchString(line) {
			continue
		}
		low := strings.ToLower(line)
		if strings.Contains(low, "error") || strings.Contains(low, "fail") || strings.Contains(low, "panic") {
			return line
		}
		if first == "" {
			first = line
		}
	}
	if first == "" {
		return Line(text)
	}
	return first
}

// refusal gives the user's words of a call that was refused, "" for a call that was not, or without words.
func refusal(response json.RawMessage) string {
	if !bytes.Contains(response, []byte("want to proceed with this tool use")) {
		return "" // nearly all
	}
	text := said(response)
	_, words, _ := strings.Cut(text, "the user said:")
	if !strings.HasPrefix(text, "The user doesn't want to proceed with this tool use") {
		return ""
	}
	words, _, _ = strings.Cut(words, clientsNote)
	return Clip(words, maxLine)
}

// clientsNote begins what the client (2.1.331) writes behind the user's words.
const clientsNote = "\n\nNote: The user's next message may contain a correction"

// said is the text of a JSON string, or of a list of blocks.
func said(raw json.RawMessage) string {
	var blocks []struct {
		Text string `json:"text"`
	}
	if json.Unmarshal(raw, &blocks) != nil {
		return events.Text(raw)
	}
	text := ""
	for _, b := range blocks {
		text += b.Text + "\n"
	}
	return text
}

// Below is a path below a folder, or as it is where it lies elsewhere.
func Below(root, file string) string {
	if root == "" {
		return file
	}
	return strings.TrimPrefix(file, strings.TrimSuffix(root, "/")+"/")
}
