// Package command makes the commands of the tree: a verb with its help, its flags, what it connects to, and the words that a
// shell offers.
package command

import (
	"context"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"hookline/hookctl/cmdline"
	"hookline/hookctl/problem"
	"hookline/hookctl/verbs/env"
	"hookline/hookctl/verbs/query"
	"hookline/hookctl/wire"
)

// Text is what the help of a command says.
type Text struct {
	Use     string // the command's name and its arguments
	Short   string // one line, without a full stop
	Long    string // paragraphs; "" is Short
	Example string // each line begins with two blanks
}

// command returns a command with these texts that does nothing yet.
func (t Text) command() *cobra.Command {
	return &cobra.Command{Use: t.Use, Short: t.Short, Long: t.Long, Example: t.Example}
}

// Run does what a command without flags is for.
type Run = func(ctx context.Context, e *env.Env, args []string) error

// runner is a verb with flags: its fields are its flags, as of [cmdline.Flags], and hold their defaults.
type runner interface {
	Run(ctx context.Context, e *env.Env, args []string) error
}

// Verb is a command that runs v; its first request connects as n says. Without args a command that is one word takes none.
func Verb(e *env.Env, n env.Need, text Text, v runner, args ...cobra.PositionalArgs) *cobra.Command {
	cmd := Plain(e, n, text, v.Run, args...)
	cmdline.Flags(cmd, v, map[string]cobra.CompletionFunc{
		"Session": Completes(e, SessionWords), "Project": Completes(e, ProjectWords), "Branch": Completes(e, branchWords),
		"Types": cobra.FixedCompletions(query.TypeNames(), cobra.ShellCompDirectiveNoFileComp)})
	return cmd
}

// Plain is a verb without flags.
func Plain(e *env.Env, n env.Need, text Text, run Run, args ...cobra.PositionalArgs) *cobra.Command {
	cmd := text.command()
	if len(args) > 0 {
		cmd.Args = args[0]
	}
	return cmdline.Verb(cmd, nil, func(ctx context.Context, args []string) error {
		if n == env.Hookfind && e.OpenIndex == nil {
			return becomeHookfind(e)
		}
		e.Ask(n)
		defer e.Release()
		return run(ctx, e, args)
	})
}

// Offering has the shell complete the arguments of a command.
func Offering(words cobra.CompletionFunc, cmd *cobra.Command) *cobra.Command {
	cmd.ValidArgsFunction = words
	return cmd
}

// Client is a command that the client calls. It stands in the tree for its help: the call itself is the thin client's, which
// seldom comes by here. Its flags are not parsed: whatever the client sends must not become a usage error.
func Client(e *env.Env, text Text) *cobra.Command {
	cmd := text.command()
	cmd.DisableFlagParsing = true
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		if slices.Contains(args, "--help") || slices.Contains(args, "-h") {
			return cmd.Help()
		}
		path := strings.Fields(cmd.CommandPath())[1:]
		code := wire.Hook(append(path, args...), e.Self)
		if code == 0 {
			return nil
		}
		return cmdline.Silent(code)
	}
	return cmd
}

// becomeHookfind runs the command line in hookfind.
func becomeHookfind(e *env.Env) error {
	program := filepath.Join(filepath.Dir(e.Self), "hookfind"+filepath.Ext(e.Self))
	if _, err := os.Stat(program); err != nil {
		return problem.FaultBy(err, "hookfind was not found beside %s", e.Self).Advise("install all programs into one folder (make install)")
	}
	return cmdline.Silent(wire.Become(program, e.Args))
}
