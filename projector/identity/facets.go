package identity

import (
	"path"
	"slices"
	"strings"

	"hookline/events"
)

// evidence asks one question per facet, in the order of events.Facets: does this event feed it? Each
// yes is evidence of weight 1, and an event may feed several. A failed call feeds causality alone: what it
// was meant to do was not done.
func evidence(s *State, a *act) (e Vector) {
	if a.failed {
		e[4] = 1
		return e
	}
	feeds := [events.Dim]bool{
		meaning(s, a), freshness(s, a), periodicity(s, a), ordering(s, a), causality(s, a), selectivity(s, a), correctness(s, a),
		connectivity(s, a), robustness(s, a), multimodality(s, a), factuality(s, a), precision(s, a), keywordPrecision(s, a),
	}
	for i, yes := range feeds {
		if yes {
			e[i] = 1
		}
	}
	return e
}

// meaning: a prompt was submitted, a turn stopped.
func meaning(_ *State, a *act) bool {
	_, stopped := a.event.(*events.TurnStopped)
	return a.prompt || a.notified || stopped
}

// freshness: a file that was edited in this session is read.
func freshness(s *State, a *act) bool {
	return a.tool == "Read" && slices.Contains(s.Edited, hash(a.path))
}

// periodicity: a command line is run again.
func periodicity(s *State, a *act) bool {
	return a.command != 0 && slices.Contains(s.Commands, a.command)
}

// ordering: the plan or the list of things to do is updated.
func ordering(_ *State, a *act) bool {
	switch a.tool {
	case "TodoWrite", "update_plan", "EnterPlanMode", "ExitPlanMode", "TaskCreate", "TaskUpdate":
		return true
	}
	return false
}

// causality: a target works for the first time after it failed.
func causality(s *State, a *act) bool { return a.succeeded && retried(s, a) }

// selectivity: something is searched for.
func selectivity(_ *State, a *act) bool {
	return a.tool == "Grep" || a.tool == "Glob" || a.tool == "ToolSearch"
}

// correctness: a shell command runs tests, a build, a linter or a type checker.
func correctness(_ *State, a *act) bool { return a.checks }

// connectivity: subagents, tasks, teammates. The subagent of a compaction has no type and is the
// client's own affair.
func connectivity(_ *State, a *act) bool {
	switch e := a.event.(type) {
	case *events.SubagentStopped:
		return e.AgentType != ""
	case *events.SubagentStarted, *events.TeammateIdled, *events.TaskCreated, *events.TaskCompleted:
		return true
	}
	switch a.tool {
	case "Agent", "Task", "TaskOutput", "TaskStop", "SendMessage", "TeamCreate", "TeamDelete":
		return true
	}
	return a.notified
}

// robustness: permission is asked or denied, a gate blocked, or a failed target is tried again.
func robustness(s *State, a *act) bool { return a.asked || a.denied || retried(s, a) }

// multimodality: images, notebooks, the browser.
func multimodality(_ *State, a *act) bool {
	switch strings.ToLower(path.Ext(a.path)) {
	case ".png", ".jpg", ".jpeg", ".gif", ".webp", ".bmp", ".tiff", ".svg", ".ipynb":
		return true
	}
	if a.tool == "NotebookEdit" || a.tool == "NotebookRead" {
		return true
	}
	if !strings.HasPrefix(a.tool, "mcp__") {
		return false
	}
	for _, word := range []string{"browser", "playwright", "puppeteer", "chrome", "screenshot"} {
		if strings.Contains(a.tool, word) {
			return true
		}
	}
	return false
}

// factuality: something is looked up.
func factuality(_ *State, a *act) bool {
	return a.tool == "Read" || a.tool == "WebFetch" || a.tool == "WebSearch"
}

// precision: an existing file is changed.
func precision(s *State, a *act) bool {
	return a.tool == "Edit" || a.tool == "MultiEdit" || a.tool == events.ToolPatch && len(a.changed) > 0 || a.tool == "Write" && existed(s, a)
}

// keywordPrecision: an MCP tool, a new file, any other shell command.
func keywordPrecision(s *State, a *act) bool {
	switch {
	case a.tool == "Bash":
		return !a.checks
	case a.tool == "Write":
		return !existed(s, a)
	case a.tool == events.ToolPatch:
		return a.created
	}
	return strings.HasPrefix(a.tool, "mcp__")
}

// existed tells whether a Write replaced a file. The client says so in its answer; where there is
// none, a file of this session's edits existed.
func existed(s *State, a *act) bool {
	switch a.written {
	case "update":
		return true
	case "create":
		return false
	}
	return slices.Contains(s.Edited, hash(a.path))
}

// retried tells whether the call's target failed when it was last tried.
func retried(s *State, a *act) bool { return a.target != 0 && s.isOpen(a.target) }

func (s *State) isOpen(target uint32) bool {
	return slices.ContainsFunc(s.Open, func(o Open) bool { return o.Target == target })
}

// settle opens, closes and gives up failures by the outcome of a call, and reports whether one was closed. A target
// that failed again goes to the end of the list.
func (s *State) settle(a *act) bool {
	if !a.succeeded && !a.failed && !a.denied {
		return false
	}
	s.CallCount++
	closed := a.succeeded && retried(s, a)
	var open []Open
	for _, o := range s.Open {
		if o.Target != a.target && s.CallCount-o.Call < givenUp {
			open = append(open, o)
		}
	}
	s.Open = open
	if !a.succeeded && a.target != 0 {
		s.Open = push(s.Open, Open{a.target, s.CallCount}, maxOpen)
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
	return push(set, v, limit)
}

// hash is FNV-1a of 32 bits over all parts, never 0. Among a session's few hundred names a collision has odds of
// about 1 in 100,000, and costs one misplaced unit of evidence.
func hash(parts ...string) uint32 {
	h := fnv(offsetFNV)
	for _, p := range parts {
		h = h.with(p)
	}
	return max(uint32(h), 1)
}

// hashLine is the hash of a line with its blanks folded into single ones, 0 where it has nothing else.
func hashLine(line string) uint32 {
	h := fnv(offsetFNV)
	first := true
	for word := range strings.FieldsSeq(line) {
		if !first {
			h = h.with(" ")
		}
		h, first = h.with(word), false
	}
	if first {
		return 0
	}
	return max(uint32(h), 1)
}

// fnv is a hash under way.
type fnv uint32

const offsetFNV = 2166136261

func (h fnv) with(s string) fnv {
	for i := 0; i < len(s); i++ {
		h = (h ^ fnv(s[i])) * 16777619
	}
	return h
}
