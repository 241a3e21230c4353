package hook

import (
	"fmt"
	"slices"
	"strings"

	"hookline/events"
)

// The composer puts an answer's text together from items, by rank, within the hook's budget.

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
