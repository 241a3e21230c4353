package verbs

import (
	"context"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"hookline/hookctl/cmdline"
)

// Completion of what only the log has. A daemon that runs is asked, none is started; without one, or
// when it takes long, nothing is offered.

// completionTime bounds it: a person waits for the answer at each press of the key.
const completionTime = time.Second

// completes offers words for what was typed; a tab parts a word from what is said of it.
func (a *app) completes(offer func(*app) []string) cobra.CompletionFunc {
	return func(_ *cobra.Command, _ []string, typed string) ([]string, cobra.ShellCompDirective) {
		ctx, cancel := context.WithTimeout(a.ctx, completionTime)
		defer cancel()
		b := a.under(ctx)
		var all []string
		if b.with(needRunning, func() error { all = offer(b); return nil }) != nil {
			return nil, cobra.ShellCompDirectiveNoFileComp
		}
		fit := slices.DeleteFunc(all, func(word string) bool { return !strings.HasPrefix(word, typed) })
		return fit, cobra.ShellCompDirectiveNoFileComp | cobra.ShellCompDirectiveKeepOrder
	}
}

// sessionWords are the sessions, the last active first.
func sessionWords(a *app) []string {
	all, _ := newest(a, shortList) // without an answer none is offered
	words := []string{"last\tthe last active one of this project"}
	for _, s := range all {
		words = append(words, alias(s.ID)+"\t"+join(", ", a.ago(s.LastActive), cmdline.OneLine(s.Title)))
	}
	return words
}

func projectWords(a *app) []string {
	all, _ := allProjects(a) // the same
	var words []string
	for _, p := range all {
		words = append(words, p.ID+"\t"+join(", ", cmdline.OneLine(p.Name), folder(p)))
	}
	return words
}

// gateWords are the requirements that are configured here.
func gateWords(a *app) []string { return a.rulesAt(a.gitPlace()).Order }

// branchWords are the branches that sessions were on.
func branchWords(a *app) []string {
	all, _ := newest(a, shortList) // without an answer nothing is offered
	var words []string
	for _, s := range all {
		if b := cmdline.OneLine(s.Branch); b != "" && !slices.Contains(words, b) {
			words = append(words, b)
		}
	}
	return words
}
