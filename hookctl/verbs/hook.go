package verbs

import (
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"hookline/hookctl/cmdline"
	"hookline/hookctl/wire"
)

// Verbs that the client calls. They stand in the tree for their help; the call itself is the thin
// client's, which seldom comes by here.

// clientVerb is one of them. Its flags are not parsed here: whatever the client sends must not become
// a usage error.
func (a *app) clientVerb(use, short, long, example string) *cobra.Command {
	return &cobra.Command{Use: use, Short: short, Long: long, Example: example, DisableFlagParsing: true,
		RunE: func(cmd *cobra.Command, args []string) error {
			if slices.Contains(args, "--help") || slices.Contains(args, "-h") {
				return cmd.Help()
			}
			path := strings.Fields(cmd.CommandPath())[1:]
			code := wire.Hook(append(path, args...), a.self)
			if code == 0 {
				return nil
			}
			return cmdline.Silent(code)
		}}
}

// clientVerbs are those of hookctl itself; two stand below session.
func (a *app) clientVerbs() []*cobra.Command {
	hook := a.clientVerb("hook [EVENT]", "Record a hook of the client and answer it",
		"Record a hook of the client and answer it. Reads the hook's JSON from stdin, whose hook_event_name wins over\n"+
			"EVENT. What is printed is for the agent. Our own trouble never blocks it: exit 0, and the hook is spooled.",
		"  hookctl hook PreToolUse < hook.json")
	return []*cobra.Command{hook, cmdline.Noun("consciousness", "Print the identity to the agent", "  hookctl consciousness brief",
		a.clientVerb("brief [--hook]", "Print the one-line brief, as [C:EMG r=1.00 IC=0.85]",
			"Print the one-line brief from the daemon's memory; [C:? r=? IC=?] when nothing is known. Always exits 0.\n--hook wraps it as the JSON that PreToolUse gives to the model.",
			"  hookctl consciousness brief"),
		a.clientVerb("check-identity [--auto-dream]", "Record a tool's outcome and warn of a low continuity",
			"Record a tool's outcome and warn of a low continuity. Always exits 0. With --auto-dream a crisis starts a dream.",
			"  hookctl consciousness check-identity --auto-dream < hook.json"),
		a.clientVerb("inject-context", "Print the four lines that go with a prompt",
			"Record a prompt and print the four lines of state that go with it.",
			"  hookctl consciousness inject-context < hook.json"))}
}
