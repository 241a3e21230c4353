package hook

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"slices"
	"strings"

	"hookline/events"
	"hookline/events/wording"
)

// The composer puts an answer's text together from items, by rank, within the hook's budget.

// Rank is the place of an item in the text (DECISIONS "order in the injection"). Where the budget does not hold all,
// the highest rank gives way first.
type Rank int

// The ranks.
const (
	RankIdentity Rank = iota
	RankGoal          // and phase
	RankHandoff       // and next steps
	RankBlockers
	RankDecisions
	RankFiles // that were changed
	RankRead  // files that were read
	RankCommands
	RankFunctions
	RankSeen // files that outputs named, not opened yet
	RankGates
	RankRest
)

// sections name the ranks for people. A capability that tells something of its own adds a rank above and its name here.
var sections = [...]string{RankIdentity: "identity", RankGoal: "goal and phase", RankHandoff: "handoff and next steps", RankBlockers: "blockers",
	RankDecisions: "decisions", RankFiles: "files changed", RankRead: "files read", RankCommands: "commands", RankFunctions: "functions", RankSeen: "files seen in outputs",
	RankGates: "gates", RankRest: "rest"}

// Item is one thing to tell: in its longest form that fits, or not at all.
type Item struct {
	ID      string // what it is about; told again in the same context only when Same changed
	Rank    Rank
	Text    string
	Shorter []string // other forms, longest first
	Same    string   // what counts as its content; "" = Text
	Paths   []string // files that Text names, below the work tree
	shown   int      // entries of a list that Text has
	form    int      // that is told, 0: Text, n: Shorter[n-1]
	Event   string   // id of the event it comes from

	User  bool // for the user, not for the model; an empty text takes back what was said before
	Bare  bool // for the user, without our name before it
	Warns bool // an identity verb that says it exits with 1
}

// item makes an item for the model that has one form.
func item(id string, rank Rank, text, event string) Item {
	return Item{ID: id, Rank: rank, Text: text, Event: event}
}

// Digest is the item's content as [events.ContextInjected] keeps it.
func (it Item) Digest() string {
	return digestOf(cmp.Or(it.Same, it.Text), 6)
}

// digestOf returns the first bytes of a text's digest in hex.
func digestOf(text string, bytes int) string {
	sum := sha256.Sum256([]byte(text))
	return hex.EncodeToString(sum[:bytes])
}

// Tokens estimates conservatively: bytes / 3.5, rounded up.
func Tokens(s string) int { return (2*len(s) + 6) / 7 }

// maxChars bounds every answer: the client replaces output above 10,000 characters by a preview.
const maxChars = 9500

// share bounds the items up to a rank; those of the share before it do not count.
type share struct {
	upTo   Rank
	tokens int
}

// budget is what may be told at a hook, in tokens (DECISIONS "budget of what we inject").
type budget struct {
	whole  int
	shares []share // in the order of their ranks; what no share bounds is bounded by the whole
}

// budgets by hook, or by hook and source.
var budgets = map[string]budget{
	"SessionStart":         {whole: 1500, shares: []share{{RankSeen, 1000}}},
	"SessionStart compact": {whole: 1500, shares: []share{{RankSeen, 800}}},
	"UserPromptSubmit":     {whole: 120, shares: []share{{RankGoal, 60}, {RankRest, 60}}},
	"PreToolUse":           {whole: 20},
}

// budgetOther is the budget of all other hooks.
const budgetOther = 200

func budgetOf(in Input) budget {
	name := in.Name()
	if e, ok := in.Event.(*events.SessionStarted); ok && e.Source == "compact" {
		name += " compact"
	}
	if b, ok := budgets[name]; ok {
		return b
	}
	return budget{whole: budgetOther}
}

// text returns the item in the form that is told.
func (it Item) text() string {
	if it.form == 0 {
		return wording.Visible(it.Text)
	}
	return wording.Visible(it.Shorter[it.form-1])
}

// fit gives the items for the model that fit the budget, each in the longest form that does, and how many are left out.
// The least valuable is shortened first, and left out when it has no shorter form.
func fit(b budget, items []Item) (told []Item, left int) {
	told = slices.Clone(items)
	slices.SortStableFunc(told, func(a, b Item) int { return int(a.Rank - b.Rank) })

	for len(told) > 0 {
		last := b.over(told, left)
		if last < 0 {
			return told, left
		}

		shortened := false
		for i := last; i >= 0 && !shortened; i-- {
			if told[i].form < len(told[i].Shorter) && told[i].Rank == told[last].Rank {
				told[i].form++
				shortened = true
			}
		}
		if !shortened {
			told = slices.Delete(told, last, last+1)
			left++
		}
	}
	return nil, left
}

// over gives the index of the least valuable item of the first part that is above its bound, -1 when all fits.
func (b budget) over(told []Item, left int) int {
	from := 0
	for _, s := range b.shares {
		to := from
		for to < len(told) && told[to].Rank <= s.upTo {
			to++
		}
		if Tokens(joined(told[from:to], left)) > s.tokens {
			return to - 1
		}
		from = to
	}

	all := joined(told, left)
	if Tokens(all) > b.whole || len(all) > maxChars {
		return len(told) - 1
	}
	return -1
}

func joined(told []Item, left int) string {
	lines := make([]string, 0, len(told)+1)
	for _, c := range told {
		lines = append(lines, c.text())
	}
	if left > 0 && len(told) > 0 {
		lines = append(lines, fmt.Sprintf("(%d more: hookctl context status)", left))
	}
	return strings.Join(lines, "\n")
}

// Compose gives the answer to a frame, and what the model is told with it, nil for nothing. damage is what happened to
// the log, "" when there is nothing to tell.
func Compose(in Input, v Verdict, items []Item, damage string) (Answer, *events.ContextInjected) {
	var model []Item
	var user, warnings []string
	exit := 0
	for _, it := range items {
		switch {
		case !it.User:
			model = append(model, it)
			continue
		case it.Text == "":
			continue
		case it.Warns:
			exit = 1
		}
		warnings = append(warnings, it.Text)
		if it.Bare {
			user = append(user, it.Text)
		} else {
			user = append(user, "hookline: "+it.Text)
		}
	}

	if in.Call.Verb != VerbHook && in.Call.Hook != "" {
		return verbAnswer(in, model, warnings, exit, damage), nil
	}
	message := strings.Join(user, "\n")
	if v.Refuses() {
		return refusal(in.Name(), v, message), nil
	}

	told, left := fit(budgetOf(in), model)
	answer := JSON(in.Name(), joined(told, left), message)
	if damage != "" && in.Starts() {
		answer.Exit, answer.Stderr = 2, []byte(Corrupted(damage)+"\n")
	}
	return answer, injected(in, told, left)
}

// injected is the event of what was told.
func injected(in Input, told []Item, left int) *events.ContextInjected {
	if len(told) == 0 || !takesContext[in.Name()] || in.Session == "" {
		return nil
	}
	out := &events.ContextInjected{Hook: in.Name(), Tokens: Tokens(joined(told, left)), Left: left}
	for _, c := range told {
		out.Items = append(out.Items, events.InjectedItem{ID: c.ID, Event: c.Event, Tokens: Tokens(c.text()), Digest: c.Digest()})
	}
	return out
}
