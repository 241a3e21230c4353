package main

import (
	"regexp"
	"strings"
	"time"

	"hookline/events"
	"hookline/events/wording"
)

// ran is one call of a session with what became of it.
type ran struct {
	call
	line    string // of a command: all of it, in one line, without the folder of the project
	command string // as it was typed
	agent   bool   // a subagent's
	output  string
	failed  bool // as the client says
	ended   bool
	begun   int // its steps
	end     int
	time    time.Time
}

// history is a session as the rows of truth read it: its calls in their order.
type history struct {
	session *session
	to      int // step, exclusive
	calls   []*ran
}

// historyOf reads a session up to a step, exclusive.
func historyOf(s *session, to int) *history {
	h := &history{session: s, to: to}
	open := map[string]*ran{}
	for i, st := range s.steps[:to] {
		switch e := st.event.(type) {
		case *events.ToolRequested:
			c := &ran{call: callOf(s.root, e.ToolName, e.ToolInput), agent: e.AgentID != "", begun: i, end: i, time: st.time}
			if e.ToolName == "Bash" {
				c.command = events.InputOf(e.ToolInput).Command.Text()
				c.line = flatLine(s.root, c.command)
			}
			h.calls = append(h.calls, c)
			open[e.ToolUseID] = c
		case *events.ToolSucceeded:
			if c := open[e.ToolUseID]; c != nil {
				c.ended, c.end, c.output = true, i, outputOf(e.ToolResponse)
			}
		case *events.ToolFailed:
			if c := open[e.ToolUseID]; c != nil && !notRun.MatchString(e.Error) {
				c.ended, c.end, c.output, c.failed = true, i, e.Error, true
			}
		}
	}
	return h
}

// after returns the part of the history after a step.
func (h *history) after(step int) *history {
	later := &history{session: h.session, to: h.to}
	for _, c := range h.calls {
		if c.begun > step && !c.agent {
			later.calls = append(later.calls, c)
		}
	}
	return later
}

// flatLine is a command in one line, as it is told.
func flatLine(root, command string) string {
	return wording.Flat(strings.ReplaceAll(strings.ReplaceAll(command, root+"/", ""), root, "."))
}

// newest returns the newest ended command that has a text in it, nil for none.
func (h *history) newest(text string) *ran {
	for i := len(h.calls) - 1; i >= 0; i-- {
		if c := h.calls[i]; c.ended && c.has(text) {
			return c
		}
	}
	return nil
}

// has reports whether a command has the parts of a told one, one after the other. What was told may have been cut, and lack
// what only shows an output.
func (c *ran) has(told string) bool {
	told = strings.TrimSpace(told)
	whole := strings.TrimSuffix(told, "…")
	want, have := strings.Split(bare(whole), " && "), strings.Split(bare(c.line), " && ")
	if bare(whole) == "" || c.line == "" {
		return false
	}
	for i := range have {
		if i+len(want) <= len(have) && begins(have[i:], want, whole != told) {
			return true
		}
	}
	return false
}

// begins reports whether parts begin with other ones; of the last of those the end may have been cut.
func begins(have, want []string, cut bool) bool {
	last := len(want) - 1
	for i, part := range want {
		if have[i] != part && !(cut && i == last && strings.HasPrefix(have[i], part)) {
			return false
		}
	}
	return true
}

// plainer takes away what is shown otherwise.
var plainer = strings.NewReplacer("‹", "<", "›", ">", "`", "'")

func plain(text string) string { return plainer.Replace(text) }

// besides matches what stands around the commands of a line: where output goes, what is shown of it, headings, the folder.
var besides = regexp.MustCompile(`\s*(2>&1|[12&]?>\s*/dev/null)|\s*\|\s*(tail|head|cat)\b[^|;&]*|(^|&&|;)\s*(echo|printf) ("[^"]*"|'[^']*'|[^;&|"']*)|` +
	`(^|&&|;)\s*cd [^;&|]+|\btimeout( -\S+)* \S+ `)

// joints matches what joins commands, with what is left where one of them was taken away.
var joints = regexp.MustCompile(`\s*(&&|;)[\s;&]*`)

// bare is a line of commands without what stands around them.
func bare(line string) string {
	line = joints.ReplaceAllString(besides.ReplaceAllString(plain(wording.Flat(line)), ""), " && ")
	line = strings.TrimPrefix(strings.TrimPrefix(strings.TrimSpace(line), "&&"), " ")
	return strings.TrimSpace(strings.TrimSuffix(line, "&&"))
}
