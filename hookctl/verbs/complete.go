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
func completes(e *Env, offer func(context.Context, *Env) []string) cobra.CompletionFunc {
	return func(cmd *cobra.Command, _ []string, typed string) ([]string, cobra.ShellCompDirective) {
		ctx, cancel := context.WithTimeout(cmd.Context(), completionTime)
		defer cancel()
		beside := e.fork()
		var all []string
		ask := func() error {
			all = offer(ctx, beside)
			return nil
		}
		if beside.With(ctx, needRunning, ask) != nil {
			return nil, cobra.ShellCompDirectiveNoFileComp
		}
		fit := slices.DeleteFunc(all, func(word string) bool { return !strings.HasPrefix(word, typed) })
		return fit, cobra.ShellCompDirectiveNoFileComp | cobra.ShellCompDirectiveKeepOrder
	}
}

// sessionWords are the sessions, the last active first.
func sessionWords(ctx context.Context, e *Env) []string {
	all, _ := newest(ctx, e, shortList) // without an answer none is offered
	words := []string{"last\tthe last active one of this project"}
	for _, s := range all {
		words = append(words, alias(s.ID)+"\t"+join(", ", ago(e, s.LastActive), cmdline.OneLine(s.Title)))
	}
	return words
}

func projectWords(ctx context.Context, e *Env) []string {
	all, _ := allProjects(ctx, e) // the same
	var words []string
	for _, p := range all {
		words = append(words, p.ID+"\t"+join(", ", cmdline.OneLine(p.Name), folder(p)))
	}
	return words
}

// gateWords are the requirements that are configured here.
func gateWords(_ context.Context, e *Env) []string { return rulesAt(e, gitPlace(e)).Order }

// branchWords are the branches that sessions were on.
func branchWords(ctx context.Context, e *Env) []string {
	all, _ := newest(ctx, e, shortList) // without an answer nothing is offered
	var words []string
	for _, s := range all {
		if b := cmdline.OneLine(s.Branch); b != "" && !slices.Contains(words, b) {
			words = append(words, b)
		}
	}
	return words
}
