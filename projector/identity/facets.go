package identity

import (
	"bytes"
	"cmp"
	"encoding/json"
	"hash/fnv"
	"path"
	"slices"
	"strings"

	"hookline/events"
	"hookline/events/copies"
	"hookline/events/outcome"
)

// The facets, in the order of events.Facets, with what feeds each.
const (
	meaning          = iota // a prompt was submitted, a turn stopped
	freshness               // a file that was edited in this session is read
	periodicity             // a command line is run again
	ordering                // the plan or the list of things to do is updated
	causality               // a call failed, or a target works for the first time after it failed
	selectivity             // something is searched for
	correctness             // a shell command runs tests, a build, a linter or a type checker
	connectivity            // subagents, tasks, teammates
	robustness              // permission is asked or denied, a gate blocked, or a failed target is tried again
	multimodality           // images, notebooks, the browser
	factuality              // something is looked up
	precision               // an existing file is changed
	keywordPrecision        // an MCP tool, a new file, any other shell command
)

// byTool has the tools whose every call feeds a facet.
var byTool = map[string]int{
	"TodoWrite": ordering, "update_plan": ordering, "EnterPlanMode": ordering, "ExitPlanMode": ordering,
	"TaskCreate": ordering, "TaskUpdate": ordering,
	"Grep": selectivity, "Glob": selectivity, "ToolSearch": selectivity,
	"Agent": connectivity, "Task": connectivity, "TaskOutput": connectivity, "TaskStop": connectivity,
	"SendMessage": connectivity, "TeamCreate": connectivity, "TeamDelete": connectivity,
	"NotebookEdit": multimodality, "NotebookRead": multimodality,
	"Read": factuality, "WebFetch": factuality, "WebSearch": factuality,
	"Edit": precision, "MultiEdit": precision,
}

// pictures are the endings of files that are more than text.
var pictures = []string{".png", ".jpg", ".jpeg", ".gif", ".webp", ".bmp", ".tiff", ".svg", ".ipynb"}

// browsers are words in the names of MCP tools that show pages.
var browsers = []string{"browser", "playwright", "puppeteer", "chrome", "screenshot"}

// evidence has 1 for each facet that the event feeds; an event may feed several. A failed call feeds causality
// alone: what it was meant to do was not done.
func evidence(s *State, a *act) (e Vector) {
	if a.failed {
		e[causality] = 1
		return e
	}
	feed := func(facet int, yes bool) {
		if yes {
			e[facet] = 1
		}
	}
	if facet, ok := byTool[a.tool]; ok {
		e[facet] = 1
	}
	edited := slices.Contains(s.Edited, hash(a.path))
	mcp := strings.HasPrefix(a.tool, "mcp__")
	again := s.isOpen(a.target)

	feed(meaning, a.prompt || a.notified || a.stopped)
	feed(freshness, a.tool == "Read" && edited)
	feed(periodicity, a.command != 0 && slices.Contains(s.Commands, a.command))
	feed(causality, a.succeeded && again)
	feed(correctness, a.checks)
	feed(connectivity, a.team || a.notified)
	feed(robustness, a.asked || a.denied || again)
	feed(multimodality, slices.Contains(pictures, strings.ToLower(path.Ext(a.path))))
	feed(multimodality, mcp && slices.ContainsFunc(browsers, func(word string) bool { return strings.Contains(a.tool, word) }))
	feed(keywordPrecision, mcp)

	switch a.tool {
	case "Bash":
		feed(keywordPrecision, !a.checks)
	case "Write": // the client says whether the file existed; where it does not, a file of this session's edits did
		existed := a.written == "update" || a.written != "create" && edited
		feed(precision, existed)
		feed(keywordPrecision, !existed)
	case events.ToolPatch:
		feed(precision, len(a.changed) > 0)
		feed(keywordPrecision, a.created)
	}
	return e
}

// act is what an event means for the facets: a tool call that came back, a prompt, a question.
type act struct {
	tool      string   // of a call that came back and was not interrupted
	path      string   // the file it was about
	changed   []string // apply_patch: the files that it changes
	created   bool     // apply_patch: one of its files is new
	command   uint32   // shell: the command line, blanks folded; 0 for none
	checks    bool     // shell: tests, build, lint or type check
	written   string   // Write: "create" or "update", as the client says
	target    uint32   // hash of what a later call must hit to be a retry; 0 for none
	succeeded bool
	failed    bool
	unknown   bool // a check of which nobody can say how it went
	asked     bool // permission
	denied    bool // by permission or by a gate
	prompt    bool // of the user
	notified  bool // the prompt by which a background task reports back
	stopped   bool // the turn
	team      bool // a subagent, a task or a teammate
}

// actOf leaves a hook without a tool or a prompt, which an identity verb without input stands for, with no
// meaning: asking for the continuity does not change it.
func actOf(r events.Record) act {
	var a act
	switch e := r.Event.(type) {
	case *events.TurnStopped:
		a.stopped = true
	case *events.SubagentStarted, *events.TeammateIdled, *events.TaskCreated, *events.TaskCompleted:
		a.team = true
	case *events.SubagentStopped:
		a.team = e.AgentType != "" // the subagent of a compaction has no type and is the client's own affair
	case *events.PromptSubmitted:
		a.notified = strings.HasPrefix(strings.TrimSpace(e.Prompt), "<task-notification>")
		a.prompt = !a.notified && e.Prompt != ""
	case *events.PermissionRequested:
		a.asked = true
	case *events.PermissionDenied:
		a.denied = true
		a.call(e.ToolName, e.ToolInput)
		a.tool, a.command, a.checks = "", 0, false // it did not run
	case *events.GateBlocked:
		a.denied = true
		if e.Target != "" {
			a.target = hash(e.Target)
		}
	case *events.ToolSucceeded:
		if e.ToolName == "" || e.ToolName == "Bash" && bytes.Equal(events.Member(e.ToolResponse, "interrupted"), []byte("true")) {
			break
		}
		a.succeeded = true
		call := a.call(e.ToolName, e.ToolInput)
		if a.checks {
			a.judged(outcome.OfSucceeded(call, e.ToolResponse).Status)
		}
		if e.ToolName == "Write" {
			a.written = events.MemberText(e.ToolResponse, "type")
		}
	case *events.ToolFailed:
		if e.ToolName == "" || e.IsInterrupt {
			break
		}
		a.failed = true
		call := a.call(e.ToolName, e.ToolInput)
		if a.checks {
			a.judged(outcome.OfFailed(call, e.Error).Status)
		}
	}
	return a
}

// TargetOf names what a call is about with what that is: "file PATH", "$ PROGRAM WORD", else "tool NAME".
func TargetOf(tool string, input json.RawMessage) string { return targetOf(events.CallOf(tool, input)) }

func targetOf(c events.Call) string {
	kind := "tool "
	switch {
	case len(c.Runs) > 0:
		kind = "$ "
	case c.File != "":
		kind = "file "
	}
	return kind + c.Target()
}

// call takes from a tool's input what the facets ask for. A patch is about the first of its files.
func (a *act) call(tool string, input json.RawMessage) events.Call {
	c := events.CallOf(tool, input)
	a.tool = tool
	a.checks = c.Check() != ""
	if tool == "Bash" {
		a.command = hashLine(c.Input.Command.Text())
	}
	if tool == events.ToolPatch {
		for _, p := range events.Patch(input, "") {
			c.File = cmp.Or(c.File, p.Path)
			if p.Kind == "add" {
				a.created = true
			} else {
				a.changed = append(a.changed, p.Path)
			}
		}
	}
	a.path = c.File
	a.target = hash(targetOf(c))
	return c
}

// judged takes in how a check went by what it printed.
func (a *act) judged(status outcome.Status) {
	a.succeeded = status == outcome.OK
	a.failed = status == outcome.Failed
	a.unknown = status == outcome.Unknown
}

// isOpen tells whether the target failed when it was last tried.
func (s *State) isOpen(target uint32) bool {
	return slices.ContainsFunc(s.Open, func(o Open) bool { return o.Target == target })
}

// settle opens, closes and gives up failures by the outcome of a call, and reports whether one was closed. A target
// that failed again goes to the end of the list.
func (s *State) settle(a *act) bool {
	if !a.succeeded && !a.failed && !a.denied && !a.unknown {
		return false
	}
	s.CallCount++
	closed := a.succeeded && s.isOpen(a.target)
	var open []Open
	for _, o := range s.Open {
		settled := o.Target == a.target && !a.unknown
		if !settled && s.CallCount-o.Call < givenUp {
			open = append(open, o)
		}
	}
	s.Open = open
	if (a.failed || a.denied) && a.target != 0 {
		s.Open = copies.Push(s.Open, Open{a.target, s.CallCount}, maxOpen)
	}
	return closed
}

// remember keeps what later events are asked against.
func (s *State) remember(a *act) {
	if a.command != 0 {
		s.Commands = include(s.Commands, a.command, maxCommands)
	}
	switch a.tool {
	case events.ToolPatch:
		for _, file := range a.changed {
			if a.succeeded {
				s.Edited = include(s.Edited, hash(file), maxFiles)
			}
		}
	case "Edit", "MultiEdit", "Write", "NotebookEdit":
		if a.succeeded && a.path != "" {
			s.Edited = include(s.Edited, hash(a.path), maxFiles)
		}
	}
}

// include adds to a set kept in order of arrival; the oldest member goes when it is full.
func include(set []uint32, v uint32, limit int) []uint32 {
	if slices.Contains(set, v) {
		return set
	}
	return copies.Push(set, v, limit)
}

// hash is FNV-1a of 32 bits, never 0. Among a session's few hundred names a collision has odds of about 1 in
// 100,000, and costs one misplaced unit of evidence.
func hash(name string) uint32 {
	h := fnv.New32a()
	h.Write([]byte(name))
	return max(h.Sum32(), 1)
}

// hashLine is the hash of a line with its blanks folded into single ones, 0 where it has nothing else.
func hashLine(line string) uint32 {
	words := strings.Fields(line)
	if len(words) == 0 {
		return 0
	}
	return hash(strings.Join(words, " "))
}
