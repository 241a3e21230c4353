package working

import (
	"regexp"
	"slices"
	"strings"
	"time"
	"unicode"

	"hookline/events"
	"hookline/events/copies"
	"hookline/events/outcome"
	"hookline/events/speech"
	"hookline/events/wording"
)

// What is done (DECISIONS S2): a task whose session says so and shows it. It is told as done, never as goal or current task.

// Landing is the newest commit, push or merge, by which work is in the repository.
type Landing struct {
	How     string    `json:"how" jsonschema_description:"committed, pushed or merged: how far it came"`
	Hash    string    `json:"hash,omitempty" jsonschema_description:"short hash of the newest commit, as git printed it; absent where git's output is hidden"`
	Subject string    `json:"subject,omitempty" jsonschema_description:"first line of its message, as git printed it"`
	Commits int       `json:"commits,omitempty" jsonschema_description:"commits since the request until then, with this one"`
	Event   string    `json:"event" jsonschema_description:"id of the event"`
	Time    time.Time `json:"time" jsonschema_description:"when the event was captured"`
}

// How far work came.
const (
	committed = "committed"
	pushed    = "pushed"
	merged    = "merged"
)

// Finished is the newest work that the session said and showed to be done.
type Finished struct {
	Task   string `json:"task" jsonschema_description:"what was asked for last, at most 1,000 characters"`
	Goal   string `json:"goal,omitempty" jsonschema_description:"what was asked for first, where it is not the task"`
	How    string `json:"how" jsonschema_description:"committed, pushed or merged; listed: all things to do are completed"`
	Hash   string `json:"hash,omitempty" jsonschema_description:"short hash of the commit"`
	Commit string `json:"commit,omitempty" jsonschema_description:"first line of the commit's message"`

	Commits int       `json:"commits,omitempty" jsonschema_description:"commits since the request"`
	Event   string    `json:"event" jsonschema_description:"id of the turn's end that said it"`
	Time    time.Time `json:"time" jsonschema_description:"when that was captured"`
}

// longTask is how many bytes a task has from which on it is a plan of several parts, or a paste.
const longTask = 300

// Label names the work as it is told: by what was asked for; by the newest commit's subject where that is a paste, or a long plan
// that took several commits, whose newest one is only a part of it.
func (d Finished) Label() string {
	inParts := d.Commits > 1 && len(d.Task) > longTask
	if d.Commit != "" && (inParts || pasted(d.Task)) {
		return d.Commit
	}
	return d.Task
}

// Began returns what the work began with, where its label does not say so; "" for nothing that can be told.
func (d Finished) Began() string {
	began := d.Goal
	if began == "" && d.Label() != d.Task {
		began = d.Task
	}
	if pasted(began) {
		return ""
	}
	return began
}

// pasted reports whether the beginning of a text looks like what a program printed: one in five bytes is a digit or a sign.
func pasted(text string) bool {
	head := wording.Clip(text, longTask)
	signs := 0
	for _, r := range head {
		if r < unicode.MaxASCII && !unicode.IsLetter(r) && !unicode.IsSpace(r) {
			signs++
		}
	}
	return signs*5 > len(head)
}

// listed is how work is done whose things to do are all completed, without a commit.
const listed = "listed"

// Shown says by what the work is known to be done, as it is told: "committed as 1a2b3c4 and pushed".
func (d Finished) Shown() string {
	if d.How == listed {
		return "all things to do are completed"
	}
	text := committed
	switch {
	case d.Hash != "":
		text += " as " + d.Hash
	case d.How != committed:
		return d.How
	}
	if d.How != committed {
		text += " and " + d.How
	}
	return text
}

// commitLine matches what git prints of a commit: the branch, the short hash, the first line of the message.
var commitLine = regexp.MustCompile(`(?m)^\[[^\]\n]{1,200} ([0-9a-f]{7,40})\] ([^\n]*)`)

// pushLine matches what git prints of a branch or a tag that it pushed.
var pushLine = regexp.MustCompile(`(?m)^ *[ +*]? *(?:[0-9a-f]{7,40}\.{2,3}[0-9a-f]{7,40}|\[new (?:branch|tag)\]) +\S+ +-> +\S+`)

// maxLanding is how many bytes of an output are looked at for what git prints, from its end.
const maxLanding = 8 << 10

// landed takes in which commands of a line brought work into the repository: by what git printed, else by their exit status.
func (s *State) landed(r events.Record, call events.Call, result outcome.Result, output string) {
	line := call.Input.Command.Text()
	isDry := strings.Contains(line, "--dry-run") || strings.Contains(line, " -h")
	if isDry || !strings.Contains(line, "git ") && !strings.Contains(line, "gh ") && !strings.Contains(line, "glab ") {
		return
	}
	tail := strings.ToValidUTF8(output[max(0, len(output)-maxLanding):], "")
	for i, run := range call.Runs {
		ran := i < len(result.Runs) && result.Runs[i] == outcome.OK
		switch words := strings.Join(run.Words[:min(3, len(run.Words))], " "); {
		case strings.HasPrefix(words, "git commit"):
			if m := commitLine.FindAllStringSubmatch(tail, -1); m != nil {
				last := m[len(m)-1]
				s.land(r, Landing{How: committed, Hash: last[1][:min(len(last[1]), shortHash)], Subject: Line(last[2])})
			} else if ran {
				s.land(r, Landing{How: committed})
			}
		case strings.HasPrefix(words, "git push"):
			if ran || pushLine.MatchString(tail) {
				s.landFurther(r, pushed)
			}
		case words == "gh pr merge", words == "glab mr merge":
			if ran {
				s.landFurther(r, merged)
			}
		}
	}
}

// shortHash is how many characters of a hash are kept.
const shortHash = 12

// land takes in a landing: what was changed before it is in the repository.
func (s *State) land(r events.Record, l Landing) {
	if s.Landed != nil && !s.Landed.Time.Before(s.since()) {
		l.Commits = s.Landed.Commits
	}
	if l.How == committed {
		l.Commits++
	}
	l.Event = r.ID
	l.Time = r.Time
	s.Landed = &l
	s.Unlanded = ""
}

// since returns when the newest work was asked for, or was done where nothing was asked for since.
func (s *State) since() time.Time {
	switch {
	case s.Task != nil:
		return s.Task.Time
	case s.Goal != nil:
		return s.Goal.Time
	case s.Done != nil:
		return s.Done.Time
	}
	return time.Time{}
}

// landFurther takes in that the newest commit was pushed or merged.
func (s *State) landFurther(r events.Record, how string) {
	l := Landing{How: how}
	if s.Landed != nil {
		l.Hash, l.Subject = s.Landed.Hash, s.Landed.Subject
	}
	s.land(r, l)
}

// changedFile takes in that a file was changed: until the next landing it is not in the repository. A file outside of the work
// tree never is.
func (s *State) changedFile(r events.Record, file string) {
	isOutside := s.Worktree != "" && wording.Below(s.Worktree, file) == file && strings.HasPrefix(file, "/")
	if !isOutside {
		s.Unlanded = r.ID
	}
}

// finished takes in that the work is done, where a turn's last words say so and a landing after the newest change or a completed
// list shows it, and nothing that has to be mended is open.
func (s *State) finished(r events.Record, e *events.TurnStopped) {
	task := s.Task
	if task == nil {
		task = s.Goal
	}
	if task == nil && r.AgentID == "" {
		s.wentOn(r)
	}
	isOpen := len(s.Pending()) > 0 || len(s.Open) > 0 || len(e.BackgroundTasks) > 0
	if task == nil || r.AgentID != "" || isOpen || !speech.SaysDone(e.LastAssistantMessage) {
		return
	}

	done := Finished{Task: task.Text, Event: r.ID, Time: r.Time}
	if s.Goal != nil && s.Goal.Event != task.Event {
		done.Goal = s.Goal.Text
	}
	hasLanded := s.Landed != nil && s.Unlanded == "" && !s.Landed.Time.Before(task.Time)
	hasListed := slices.ContainsFunc(s.Todos, func(t Todo) bool { return t.Event > task.Event })
	switch {
	case hasLanded:
		done.How, done.Hash, done.Commit = s.Landed.How, s.Landed.Hash, s.Landed.Subject
		done.Commits = s.Landed.Commits
	case hasListed:
		done.How = listed
	default:
		s.Reported = r.ID
		return
	}

	s.Done = &done
	s.closeConstraints(r)
	s.Goal, s.Task, s.Keywords, s.Contract = nil, nil, nil, nil
}

// wentOn takes in at a turn's end what landed behind the work that was done, where nothing was asked for since but to go on: the newest
// commit is the newest work, known by its subject. A push of the same commit brings that work further, and so does the first commit of
// work that a list showed to be done.
func (s *State) wentOn(r events.Record) {
	hasLanded := s.Done != nil && s.Landed != nil && s.Landed.Time.After(s.Done.Time) && s.Unlanded == ""
	if !hasLanded {
		return
	}

	l := *s.Landed
	done := *s.Done
	switch {
	case l.Hash == done.Hash, done.How == listed:
		done.How, done.Hash, done.Commit = l.How, l.Hash, l.Subject
	case l.Subject != "":
		done = Finished{Task: l.Subject, How: l.How, Hash: l.Hash, Commit: l.Subject, Commits: l.Commits, Event: r.ID, Time: r.Time}
	}
	s.Done = &done
}

// closeConstraints drops the constraints of a goal that is done, but for those that hold beyond it in this conversation. Where the
// goal was that of the session before, what that one handed over is closed.
func (s *State) closeConstraints(r events.Record) {
	s.Constraints, _ = copies.Take(s.Constraints, func(n Note) bool { return !speech.Standing(n.Text) })
	if s.Taken == nil || s.Goal == nil || !s.Inherited {
		return
	}
	s.closeCarried(r, func(i events.OpenItem) bool {
		return i.Kind == events.OpenConstraint && i.Session == s.Taken.From
	})
}
