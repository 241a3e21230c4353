package verbs

import (
	"github.com/spf13/cobra"

	"hookline/hookctl/cmdline"
	"hookline/hookctl/settings"
	"hookline/hookctl/verbs/command"
	"hookline/hookctl/verbs/env"
)

// The verbs below hookctl itself; those of a noun stand in the noun's file.

func recorderVerbs(e *env.Env) []*cobra.Command {
	install := command.Verb(e, env.Store, "install", "Write the hooks into the client's settings, or add them as its plugin",
		"Write the hooks into the client's settings.json: one entry for each of its events. What else is in the file\n"+
			"stays byte for byte; a second run changes nothing; a backup is kept beside the file.\n"+
			"Profile identity is the five commands that carry identity from session to session, and nothing else.\n"+
			"--plugin adds the hooks as a plugin of the client instead, by `claude plugin`, and takes them out of the\n"+
			"user's settings.json. While the plugin is on, install renews it and edits no settings file.\n"+
			"--client codex writes the hooks of the Codex CLI into its hooks.json; Codex asks you once to trust them.",
		"  hookctl install\n  hookctl install --project --dry-run\n  hookctl install --profile identity\n  hookctl install --plugin\n  hookctl install --client codex",
		&installVerb{scopeFlags: scopeFlags{Client: string(settings.Claude)}, Profile: "full"})
	install.MarkFlagsMutuallyExclusive("user", "project", "local")
	for _, other := range []string{"user", "project", "local", "profile", "dry-run", "statusline"} {
		install.MarkFlagsMutuallyExclusive("plugin", other)
	}
	uninstall := command.Verb(e, env.Started, "uninstall", "Remove the hooks that install wrote; --purge also removes the log",
		"Take the hooks out of the client's settings.json again, or remove the plugin of install --plugin, and\n"+
			"nothing else. The log stays.\n"+
			"--purge removes the log too: it asks, exports it beside the home first, stops the daemon, then removes\n"+
			"what hookline has made there.",
		"  hookctl uninstall\n  hookctl uninstall --client codex\n  hookctl uninstall --project --dry-run",
		&uninstallVerb{scopeFlags: scopeFlags{Client: string(settings.Claude)}})
	uninstall.MarkFlagsMutuallyExclusive("user", "project", "local")

	return []*cobra.Command{install, uninstall,
		command.Plain(e, env.Store, "start", "Start the daemon, and wait until it answers",
			"Start the daemon, and wait until it answers. Seldom needed: a hook starts it too. A daemon that runs\n"+
				"already is left alone.",
			"  hookctl start",
			startVerb),
		command.Plain(e, env.Store, "stop", "Stop the daemon, and wait until it is gone",
			"Stop the daemon, and wait until it is gone. It finishes what it does, writes everything and closes the\n"+
				"store. The next hook starts it again; `hookctl uninstall` ends the hooks.",
			"  hookctl stop",
			stopVerb),
		command.Plain(e, env.Store, "restart", "Stop the daemon and start it again; hooks meanwhile are spooled", "",
			"  hookctl restart",
			restartVerb),
		command.Plain(e, env.Store, "status", "Show the daemon: version, log, projections, spool, hooks",
			"Show the daemon: version, log, projections, spool, and when each kind of hook came last.\nExits 0 also when no daemon runs; --json says so by a pid of null.",
			"  hookctl status\n  hookctl status --json | jq .pid",
			statusVerb),
		command.Verb(e, env.Running, "doctor", "Check everything from the hooks to the log, and say what to do",
			"Check everything from the hooks to the log, and say what to do. At the end a test event is sent through\n"+
				"every stage. --fix starts the daemon, closes the home to others, renews outdated hooks and\n"+
				"drains the spool. Exits 1 when a check failed; warnings do not count.",
			"  hookctl doctor --fix\n  hookctl doctor --gaps\n  hookctl doctor --redaction prompt.txt",
			&doctorVerb{}),
		command.Verb(e, env.Store, "log", "Show the daemon's own log, hookd.log",
			"Show the newest lines of the daemon's own log, hookd.log: what it did and what went wrong. What the client's\n"+
				"hooks told is in `hookctl tail`.",
			"  hookctl log\n  hookctl log -f\n  hookctl log -n all",
			&logVerb{Last: 50}),
	}
}

func logVerbs(e *env.Env, s Searcher) []*cobra.Command {
	repair := command.Verb(e, env.Started, "repair", "Rebuild derived state from the log",
		"Rebuild derived state from the log. Nothing of the log is touched; new cells are made beside the old\n"+
			"ones, then take their place. The same as `replay rebuild --projection NAME`.",
		"  hookctl repair --cf session_identity\n  hookctl repair --bucket latest --dry-run",
		&repairVerb{})
	repair.MarkFlagsMutuallyExclusive("cf", "bucket")
	repair.MarkFlagsOneRequired("cf", "bucket")

	return []*cobra.Command{
		command.Verb(e, env.Hookfind, "find [WORDS…]", "Search prompts, answers, commands, outputs, errors and paths",
			"Search prompts, the agent's words, commands, outputs, errors and paths of all sessions. An event is found that has\n"+
				"all words; words in quotes stand side by side, and a * behind a word stands for its end. Hits in prompts, answers and\n"+
				"errors come first, then those in commands and paths, then those in outputs; newer ones before older ones.\n"+
				"Of long texts the beginning is searched, of outputs the end too.\n\n"+
				"With --error each hit is followed by what was run after it, when the error did not come back in its session.\n\n"+cmdline.PointForms,
			"  hookctl find retry backoff\n  hookctl find '\"exit code 1\"' --tool Bash --since 1w\n  hookctl find --error 'no such module' --project hookline\n  hookctl find 'Conf*' --file parser.go --json | jq -r .session",
			&findFlags{Last: 20}),
		command.Plain(e, env.Hookfind, "blame FILE[:LINE]", "Show which session, prompt and call wrote the lines of a file",
			"Show which session, prompt and call wrote the lines of a file, from the edits in the log. FILE:12 and FILE:12-20 tell\n"+
				"more of single lines. A line that no recorded edit wrote is said to have come from outside (a person, a command, a\n"+
				"formatter), with the recorded edits before and behind it, or to have been there before the first one; where a\n"+
				"record lacks the file around an edit, the line is found by the edit's own words, which is said too.",
			"  hookctl blame parser.go\n  hookctl blame parser.go:120-140\n  hookctl blame parser.go --json | jq -r 'select(.how == \"edit\") | .session' | sort | uniq -c",
			blameVerb, cmdline.Exactly("a file, and perhaps a line: parser.go:12")),
		command.Plain(e, env.Hookfind, "mcp", "Serve agents what happened, by the Model Context Protocol on stdin and stdout",
			"Serve agents what happened, by the Model Context Protocol on stdin and stdout: six tools that only read (find, session,\n"+
				"event, state_at, why, decisions), and this project's sessions as resources. Answers are bounded and redacted once more.",
			"  claude mcp add hookline -- hookctl mcp\n  npx @modelcontextprotocol/inspector hookctl mcp",
			mcpVerb(s.Serve)),
		command.Plain(e, env.Hookfind, "otel", "Send traces of OpenTelemetry to the receiver of the configuration",
			"Send traces to the OTLP receiver that `otel` in the user's configuration names: one for each prompt from now on, with its\n"+
				"calls and subagents, their times and outcomes, and no text of the session. It runs until Ctrl-C or until the daemon ends.\n"+
				"The daemon starts it by itself where `otel` is set.",
			"  hookctl config set otel http://127.0.0.1:4318\n  hookctl otel",
			otelVerb(s.Trace)),
		repair, eventsCmd(e),
		cmdline.Noun("import", "Take past sessions into the log", "  hookctl import transcripts",
			command.Verb(e, env.Store, "transcripts [PATH…]", "Take what the client's transcripts have and the log has not",
				"Take what the client's transcripts have and the log has not: prompts, tool calls with their outcome, turns,\n"+
					"subagents and compactions become the events that their hooks would have made, with their own times. Without\n"+
					"a path it takes the client's own folder; a path is a file or a folder. What hooks recorded is left as it is,\n"+
					"importing twice changes nothing, and deleted sessions stay deleted. No transcript is changed. A file that\n"+
					"cannot be read is named: the exit code is 1 then.",
				"  hookctl import transcripts\n  hookctl import transcripts --dry-run ~/backup/projects",
				&importTranscriptsVerb{})),
		command.Verb(e, env.Store, "tail", "Show the newest events, and with -f those to come",
			"Show the newest events, one a line: time, session, type, and a one-line summary.\n"+
				"-f goes on until it is interrupted, also over a restart of the daemon.",
			"  hookctl tail -f\n  hookctl tail --since yesterday --until today --grep '(?i)timeout'\n  hookctl tail --session last --file parser.go --tool Edit\n  hookctl tail --session c68c8a51 --type 'tool.*' --since 10m -n all\n  hookctl tail -o json | jq .type",
			&tailVerb{filter: filter{Last: 20, Output: "pretty"}}),
		command.Verb(e, env.Store, "why TEXT|ID", "Show the events behind a line that the agent is told",
			"Show the events behind a line that the agent is told: the lines that have the text, the entries of the session's state and of its\n"+
				"project's ledger that they are made of, each with its event, and when they were told. `hookctl retract` takes an event back.",
			"  hookctl why proxy.go\n  hookctl why 1201 --session last",
			&whyVerb{}, cmdline.Exactly("TEXT|ID")),
		command.Verb(e, env.Store, "retract ID", "Take an event back: every view is as if it had not come",
			"Take an event back, by its id or its sequence. From then on every projection is as if the event had not come, also after an\n"+
				"export and an import. The log keeps it: `replay at` a time before the retraction still shows what followed from it.",
			"  hookctl retract 1201 --reason 'the wrong session was meant'\n  hookctl why proxy.go",
			&retractVerb{}, cmdline.Exactly("ID")),
	}
}

func stateVerbs(e *env.Env, s Searcher) []*cobra.Command {
	return []*cobra.Command{sessionCmd(e), projectCmd(e), identityCmd(e), reqCmd(e), goalCmd(e), handoffCmd(e), checkpointCmd(e),
		ledgerCmd(e), codesCmd(e), contextCmd(e),
		cmdline.Noun("dream", "Consolidate an identity over the log", "  hookctl dream trigger --phase full",
			command.Verb(e, env.Store, "trigger", "Start a dream in the daemon, and wait for its outcome",
				"Start a dream in the daemon, and wait for its outcome. nrem replays the newest trajectory entries and draws\n"+
					"vector and phases together; rem looks for facets unused for three sessions; full does both. By hand there is\n"+
					"no cool-down.",
				"  hookctl dream trigger --phase full\n  hookctl dream trigger --phase rem --session c68c8a51 --json",
				&dreamTriggerVerb{Phase: "full"})),
		command.Plain(e, env.Store, "top", "Show sessions in the terminal: live, their events, and the state at each",
			"Show the live sessions and those active last in the terminal: those that wait for you or are stuck first. Enter opens a session's events, where the\n"+
				"arrow keys go through them with the session's state at each below, and then one event; Esc goes back,\n"+
				"/ shows only lines with a text, ? shows all keys.",
			"  hookctl top",
			topVerb),
		command.Verb(e, env.Store, "cost", "Show what sessions cost in tokens and dollars",
			"Show what sessions cost in tokens and dollars, from the client's transcripts. Each answer of the API counts once, also\n"+
				"where a fork or a resume copied it; the parts sum to the whole. An answer that called several tools is shared\n"+
				"among them equally. Prices come from `prices` in the user's configuration, then from a built-in table; a model\n"+
				"without a price is named.",
			"  hookctl cost\n  hookctl cost --session last --by prompt\n  hookctl cost --all --since 1w --by project",
			&costQuery{By: "model"}),
		command.Plain(e, env.Store, "statusline", "Print one line for the client's status line",
			"Print one line for the client's status line: whether the recorder is alive, the identity, how the session\n"+
				"stands, how full its context is, and the gates that are open. It reads the client's JSON from stdin, and has the exact use\n"+
				"of the context recorded where that came into another phase. It costs no tokens and always exits 0: the client\n"+
				"blanks the line on any other code.",
			"  {\"statusLine\": {\"type\": \"command\",\n                  \"command\": \"hookctl statusline\"}}   in settings.json",
			statuslineVerb),
		command.Verb(e, env.Hookfind, "page", "Show sessions in a browser: a timeline with a scrubber",
			"Show sessions in a browser: a list of them, and each as a timeline by prompt with calls, changes, outputs,\n"+
				"permissions, gates and compactions. The scrubber shows the state at any event: goal, files, failures, identity.\n\n"+
				"The page is served by this command, on this machine only, at a port of the system's choice, until Ctrl-C. The link\n"+
				"that it prints opens the page once, in one browser.",
			"  hookctl page\n  hookctl page --session last",
			&pageVerb{serve: s.Page}),
	}
}

// Verbs that the client calls. They stand in the tree for their help; the call itself is the thin
// client's, which seldom comes by here.

// clientVerbs are those of hookctl itself; two stand below session.
func clientVerbs(e *env.Env) []*cobra.Command {
	hook := command.Client(e, "hook [EVENT]", "Record a hook of the client and answer it",
		"Record a hook of the client and answer it. Reads the hook's JSON from stdin, whose hook_event_name wins over\n"+
			"EVENT. What is printed is for the agent. Our own trouble never blocks it: exit 0, and the hook is spooled.",
		"  hookctl hook PreToolUse < hook.json")
	return []*cobra.Command{hook, cmdline.Noun("consciousness", "Print the identity to the agent", "  hookctl consciousness brief",
		command.Client(e, "brief [--hook]", "Print the one-line brief, as [C:EMG r=1.00 IC=0.85]",
			"Print the one-line brief from the daemon's memory; [C:? r=? IC=?] when nothing is known. Always exits 0.\n--hook wraps it as the JSON that PreToolUse gives to the model.",
			"  hookctl consciousness brief"),
		command.Client(e, "check-identity [--auto-dream]", "Record a tool's outcome and warn of a low continuity",
			"Record a tool's outcome and warn of a low continuity. Always exits 0. With --auto-dream a crisis starts a dream.",
			"  hookctl consciousness check-identity --auto-dream < hook.json"),
		command.Client(e, "inject-context", "Print the four lines that go with a prompt",
			"Record a prompt and print the four lines of state that go with it.",
			"  hookctl consciousness inject-context < hook.json"))}
}
