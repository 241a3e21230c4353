package command

import (
	"context"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"hookline/hookctl/cmdline"
	"hookline/hookctl/verbs/env"
	"hookline/hookctl/verbs/query"
	"hookline/hookctl/verbs/show"
)

// Completion of what only the log has. A daemon that runs is asked, none is started; without one, or
// when it takes long, nothing is offered.

// completionTime bounds it: a person waits for the answer at each press of the key.
const completionTime = time.Second

// Completes offers words for what was typed; a tab parts a word from what is said of it.
func Completes(e *env.Env, offer func(context.Context, *env.Env) []string) cobra.CompletionFunc {
	return func(cmd *cobra.Command, _ []string, typed string) ([]string, cobra.ShellCompDirective) {
		ctx, cancel := context.WithTimeout(cmd.Context(), completionTime)
		defer cancel()
		beside := e.Fork()
		var all []string
		ask := func() error {
			all = offer(ctx, beside)
			return nil
		}
		if beside.With(ctx, env.Running, ask) != nil {
			return nil, cobra.ShellCompDirectiveNoFileComp
		}
		fit := slices.DeleteFunc(all, func(word string) bool { return !strings.HasPrefix(word, typed) })
		return fit, cobra.ShellCompDirectiveNoFileComp | cobra.ShellCompDirectiveKeepOrder
	}
}

// SessionWords are the sessions, the last active first.
func SessionWords(ctx context.Context, e *env.Env) []string {
	all, _ := query.Newest(ctx, e, query.ShortList) // without an answer none is offered
	words := []string{"last\tthe last active one of this project"}
	for _, s := range all {
		words = append(words, show.Alias(s.ID)+"\t"+show.Join(", ", show.Ago(e, s.LastActive), cmdline.OneLine(s.Title)))
	}
	return words
}

// ProjectWords are the known projects, with their names and folders.
func ProjectWords(ctx context.Context, e *env.Env) []string {
	all, _ := query.Projects(ctx, e) // the same
	var words []string
	for _, p := range all {
		words = append(words, p.ID+"\t"+show.Join(", ", cmdline.OneLine(p.Name), query.Folder(p)))
	}
	return words
}

// branchWords are the branches that sessions were on.
func branchWords(ctx context.Context, e *env.Env) []string {
	all, _ := query.Newest(ctx, e, query.ShortList) // without an answer nothing is offered
	var words []string
	for _, s := range all {
		if b := cmdline.OneLine(s.Branch); b != "" && !slices.Contains(words, b) {
			words = append(words, b)
		}
	}
	return words
}
