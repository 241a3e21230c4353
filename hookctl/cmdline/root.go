package cmdline

import (
	"context"
	"io"
	"os"
	"os/signal"
	"syscall"
	"time"

	"github.com/spf13/cobra"

	"hookline/hookctl/problem"
)

// giveUp is how long a verb may take to end in order after a signal.
const giveUp = 3 * time.Second

// Main runs f until it is done or a signal comes, which ends f's context. A verb that does not return then,
// because it waits for a file or a terminal, is left where it is; a second signal ends the process at once.
func Main(f func(context.Context) int) int {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	done := make(chan int, 1)
	go func() { done <- f(ctx) }()

	select {
	case code := <-done:
		return code
	case <-ctx.Done():
		stop()
	}
	select {
	case code := <-done:
		return code
	case <-time.After(giveUp):
		return ExitInterrupted
	}
}

// Execute runs one command line, without the program's name. What could not be written to stdout (a full disk) is an error, too.
func (c *Console) Execute(ctx context.Context, root *cobra.Command, args []string) error {
	out := &output{to: c.Out}
	c.Out = out
	defer func() { c.Out = out.to }()
	root.SetOut(out)
	root.SetArgs(args)
	err := root.ExecuteContext(ctx)
	if err == nil && out.err != nil {
		err = problem.Because(out.err).Advise("the output is not whole")
	}
	return err
}

// output remembers the first error of stdout, so that printing code need not.
type output struct {
	to  io.Writer
	err error
}

// Write writes through.
func (o *output) Write(p []byte) (int, error) {
	n, err := o.to.Write(p)
	if o.err == nil {
		o.err = err
	}
	return n, err
}

// Root makes a program's first command: the flags that all verbs have, and an answer to words that are
// no verb. Its Use, texts and example are the caller's; settle is called once the flags are known.
func (c *Console) Root(root *cobra.Command, settle func()) *cobra.Command {
	root.SilenceErrors, root.SilenceUsage = true, true
	root.CompletionOptions.DisableDefaultCmd = true
	root.CompletionOptions.SetDefaultShellCompDirective(cobra.ShellCompDirectiveNoFileComp)
	root.Version = c.versionWords()
	root.SetVersionTemplate("{{.Version}}\n")
	root.PersistentPreRun = func(*cobra.Command, []string) { settle() }
	holdsVerbs(root)
	root.SetErr(c.Err)
	root.PersistentFlags().BoolVar(&c.JSON, "json", false, "print JSON, see '"+c.Name+" schema'")
	colors := []string{"auto", "always", "never"}
	root.PersistentFlags().Var(&choice{"color", &c.Color, colors}, "color", "auto, always or never")
	Choices(root, "color", colors...)
	root.SetFlagErrorFunc(flagError)
	root.SetHelpFunc(c.printHelp)
	return root
}

// Noun is a command that only holds verbs: alone it prints its help.
func Noun(use, short, example string, verbs ...*cobra.Command) *cobra.Command {
	c := &cobra.Command{Use: use, Short: short, Example: example}
	holdsVerbs(c)
	c.AddCommand(verbs...)
	return c
}

func holdsVerbs(c *cobra.Command) {
	c.Args = noSuchVerb
	c.RunE = func(cmd *cobra.Command, _ []string) error { return cmd.Help() }
}

// AddHelp adds the verb help, with an example for this verb of root's. Help about a word that is no verb is an error, as the
// word itself is.
func AddHelp(root *cobra.Command, verb string) {
	root.SetHelpCommand(&cobra.Command{
		Use: "help [command]", Short: "Help about any command", Example: "  " + root.Name() + " help " + verb,
		RunE: func(_ *cobra.Command, args []string) error {
			about, rest, err := root.Find(args)
			if err == nil {
				err = noSuchVerb(about, rest)
			}
			if err != nil {
				return err
			}
			about.InitDefaultHelpFlag()
			return about.Help()
		},
	})
}
