package working

import (
	"cmp"
	"regexp"
	"slices"
	"strings"
	"unicode/utf8"

	"hookline/events"
	"hookline/events/speech"
	"hookline/events/wording"
)

// What the session is for: its goal, its current task, the newest prompt, and the contract of the task.

func (s *State) goalSet(r events.Record, e *events.GoalSet) {
	s.aim(r, e.Text)
	s.Goal.Event = cmp.Or(e.From, r.ID)
	s.Inherited = e.From != ""
	if e.Task != "" {
		s.Task = requestOf(r, e.Task)
	}
}

// aim sets the goal, with its distinct words in order, at most 10.
func (s *State) aim(r events.Record, text string) {
	s.Goal = requestOf(r, text)
	s.GoalTurn = s.Turns
	s.Keywords = nil
	for _, w := range strings.FieldsFunc(strings.ToLower(text), notInPath) {
		w = strings.Trim(w, "/._-@+")
		if len(w) > 2 && len(s.Keywords) < 10 && !slices.Contains(stopWords, w) && !slices.Contains(s.Keywords, w) {
			s.Keywords = append(s.Keywords, wording.Short(w, maxWord))
		}
	}
}

// prompted takes in a prompt: the user's newest, the goal when there is none yet, the task when it is of substance, constraints. A
// message of another session of a team is an order of its lead.
func (s *State) prompted(r events.Record, e *events.PromptSubmitted) {
	text := e.UserText()
	if text == "" && r.AgentID == "" {
		s.ordered(r, e)
	}
	if text == "" || r.AgentID != "" || slices.Contains(s.Scheduled, wording.Short(text, MaxTask)) {
		return
	}
	request := speech.Request(text)
	s.Reported = ""
	asked := s.Asked
	s.Asked = false
	s.Prompt = &Note{Text: wording.Ends(cmp.Or(request, text), MaxTask), Event: r.ID, Time: r.Time}
	isRequest := speech.Substantial(request) && !speech.Answers(request, asked)
	if isRequest {
		s.Seen = nil
	}
	s.sawNamed(r, "", text)
	if isRequest || speech.Order(request) {
		s.releasePassing()
	}
	isTask := isRequest && !s.onlyAsks(request)
	if isTask {
		s.releaseFormer()
	}
	s.constrained(r, "", request)
	if isTask {
		s.asks(r, "", request)
	}
}

// maxQuestion is how many characters a question has that is asked in between.
const maxQuestion = 160

// onlyAsks reports whether a request is a short question that asks for no change, beside work that is known: it is answered, and
// the work goes on.
func (s *State) onlyAsks(request string) bool {
	isQuestion := strings.HasSuffix(request, "?") || strings.HasSuffix(request, "？")
	isShort := utf8.RuneCountInString(request) <= maxQuestion
	hasWork := s.Goal != nil || s.Done != nil
	return isQuestion && isShort && hasWork && !implements.MatchString(request)
}

// asks takes in a request, by a session of a team or, without a name, by the user: the goal when there is none, and the task.
func (s *State) asks(r events.Record, by, request string) {
	if s.Goal == nil {
		s.aim(r, request)
		s.Goal.By = by
		s.Inherited = false
	}
	s.Task = requestOf(r, request)
	s.Task.By = by
	if by != "" {
		return
	}
	if c := contractOf(request, r.ID, s.Turns); c != nil {
		s.Contract = c
	}
}

// requestOf is a note of what somebody asked for, with both ends of what is too long.
func requestOf(r events.Record, text string) *Note {
	return &Note{Text: wording.Ends(text, maxGoal), Event: r.ID, Time: r.Time}
}

// ordered takes in messages of other sessions of a team. The first session that sends an order before anybody typed one leads this
// one, unless the team's lead sends one: its orders are goal and task, what others report is neither.
func (s *State) ordered(r events.Record, e *events.PromptSubmitted) {
	for _, m := range speech.Teammates(e.Prompt) {
		request := speech.Request(m.Text)
		if !speech.Substantial(request) {
			continue
		}
		untold := s.Goal == nil && s.Prompt == nil
		if s.Lead == "" && (untold || s.Goal == nil && m.IsLead()) {
			s.Lead = wording.Short(m.From, maxWord)
		}
		if s.Lead != wording.Short(m.From, maxWord) {
			continue
		}

		s.constrained(r, s.Lead, request)
		s.asks(r, s.Lead, request)
	}
}

// Contract is what a task promises.
type Contract struct {
	Goal     string   `json:"goal" jsonschema_description:"the prompt that asks for the work, at most 100 characters"`
	Criteria []string `json:"criteria,omitempty" jsonschema_description:"the entries of the prompt's list, at most 8"`
	Evidence []string `json:"evidence_required" jsonschema_description:"test_pass and build_success: either makes it done"`
	Turn     int      `json:"created_turn" jsonschema_description:"turns that had stopped before it"`
	Event    string   `json:"event" jsonschema_description:"id of the prompt"`
}

const (
	maxContract = 100 // characters of its goal
	maxCriteria = 8
	maxStep     = 80 // characters of a next step
	maxSteps    = 5
	lastTools   = 5
)

// implements are words of a prompt that asks for a change of the work.
var implements = regexp.MustCompile(`(?i)\b(add|build|change|convert|create|delete|extend|extract|finish|fix|implement|integrate|make|mend|migrate|move|` +
	`patch|port|refactor|remove|rename|replace|rewrite|split|support|update|upgrade|write)\b`)

var listEntry = regexp.MustCompile(`(?m)^\s*(?:[-*]|\d+[.)])\s+(?:\[ ?\]\s+)?(\S.*)$`)

// contractOf is what a prompt promises, nil for a question and for words that ask for no change.
func contractOf(text, event string, turns int) *Contract {
	asked := wording.Clip(text, maxOutput) // of a megabyte the search would take 30 ms
	if strings.HasSuffix(text, "?") || !implements.MatchString(asked) {
		return nil
	}
	c := &Contract{Goal: wording.Short(text, maxContract), Evidence: []string{"test_pass", "build_success"}, Turn: turns, Event: event}
	for _, m := range listEntry.FindAllStringSubmatch(asked, maxCriteria) {
		c.Criteria = append(c.Criteria, wording.Short(m[1], maxContract))
	}
	return c
}

// stopWords say nothing about a goal.
var stopWords = strings.Fields("about after again also and another any are because been before but can could does for from have here how into its just let like make more must need not now one only other our out over please should some such than that the their them then there these they this use very want was were what when where which while will with would you your")
