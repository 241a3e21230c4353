package hook

import (
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

	late, model, start := overdueOf(model)
	all := []telling{fit(budgetOf(in), model, in.Starts())}
	if start.Event != "" {
		all = []telling{fit(budgetOf(startAgain(in, start)), late, true), all[0]}
	}
	answer := JSON(in.Name(), textOf(all), message)
	if damage != "" && in.Starts() {
		answer.Exit, answer.Stderr = 2, []byte(Corrupted(damage)+"\n")
	}
	return answer, injected(in, start.Event, all)
}

// textOf returns what several tellings tell, one below the other.
func textOf(all []telling) string {
	var texts []string
	for _, t := range all {
		if text := t.text(); text != "" {
			texts = append(texts, text)
		}
	}
	return strings.Join(texts, "\n")
}

// injected is the event of what was told; start is the id of the start of which it tells what came too late, "" for none. A
// start that has nothing to say has the event, too: it is not asked again.
func injected(in Input, start string, all []telling) *events.ContextInjected {
	out := &events.ContextInjected{Hook: in.Name(), Items: []events.InjectedItem{}, Tokens: Tokens(textOf(all)), Start: start}
	for _, t := range all {
		out.Left += t.left()
		out.LeftOut = append(out.LeftOut, t.recordedRest()...)
		for _, it := range t.told() {
			text := it.text()
			out.Items = append(out.Items, events.InjectedItem{
				ID:     it.ID,
				Event:  it.Event,
				Events: it.otherEvents(),
				Tokens: Tokens(text),
				Digest: it.Digest(),
				Text:   text,
			})
		}
	}

	nothing := len(out.Items) == 0 && start == "" && !in.Starts()
	if nothing || !takesContext[in.Name()] || in.Session == "" {
		return nil
	}
	return out
}
