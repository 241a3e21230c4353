package verbs

import (
	"embed"
	"strings"

	"hookline/events"
	"hookline/hookctl/cmdline"
	"hookline/hookctl/config"
	"hookline/hookctl/daemon"
	"hookline/hookctl/requirements"
	"hookline/hookctl/shape"
	"hookline/projector"
	"hookline/projector/gate"
	"hookline/projector/identity"
	"hookline/projector/pointer"
	"hookline/projector/project"
	"hookline/projector/session"
)

// examples has a file for each verb: a command line, and what the programs printed for it.
// `go test ./conversations -run JSON -update` writes them.
//
//go:embed examples
var examples embed.FS

// JSONPage is what every verb of hookctl prints with --json. A verb without a line fails a test.
func JSONPage() shape.Page {
	return shape.Page{Program: "hookctl", First: true, Rules: cmdline.JSONRules(), Objects: JSONObjects(), Examples: func(verb string) string {
		text, _ := examples.ReadFile("examples/" + strings.ReplaceAll(verb, " ", "-") + ".txt")
		return string(text)
	}, Outputs: append(append(recorderOutputs(), stateOutputs()...), reqOutputs()...)}
}

// JSONObjects are the objects with a section of their own: what several verbs print, and the states.
func JSONObjects() []shape.Object {
	return []shape.Object{
		{Name: "event", Of: shape.Of[events.Record](), Doc: "One event of the log"},
		{Name: "difference", Of: shape.Of[projector.Diff](), Doc: "One difference between what the log says and what a cell holds"},
		{Name: "problem", Of: shape.Of[config.Problem](), Doc: "What is wrong with a configuration file of ours"},
		{Name: "gate problem", Of: shape.Of[requirements.Problem](), Doc: "What is wrong with requirements.yaml"},
		{Name: "session", Of: shape.Of[session.State](), Doc: "The state of projection session, keyed by the session's id"},
		{Name: "identity", Of: shape.Of[identity.State](), Doc: "The state of projection identity, keyed by the session's id. Lists with an element for each facet are in the order of `identity show`'s facets: " + strings.Join(events.Facets[:], ", ")},
		{Name: "latest", Of: shape.Of[pointer.State](), Doc: "The state of projection latest: a pointer to a snapshot, keyed `identity.PROJECT`, or `t.MILLISECONDS.SESSION` in the index by time"},
		{Name: "project", Of: shape.Of[project.State](), Doc: "The state of projection project, keyed by the project's id"},
		{Name: "gate", Of: shape.Of[gate.State](), Doc: "The state of projection gate, keyed by project and branch; that of a project's own cell is what holds for all its branches"},
		{Name: "gate entry", Of: shape.Of[gate.Entry](), Doc: "What is known of one requirement, for a session or a branch"},
		{Name: "gate mark", Of: shape.Of[gate.Mark](), Doc: "Who did something to a gate, when, by which event"},
	}
}

// recorderOutputs are those of the recorder, the log and this tool.
func recorderOutputs() []shape.Output {
	return []shape.Output{
		{Verb: "install", Of: shape.Of[installJSON]()},
		{Verb: "uninstall", Of: shape.Of[installJSON](), Note: "To remove the log, too, takes `--yes`, unless someone can be asked."},
		{Verb: "start", Of: shape.Of[lifecycleJSON](), Note: "What of the configuration does not count is told on stderr."},
		{Verb: "stop", Of: shape.Of[lifecycleJSON](), Exit: "0 also when none was running: did is nothing then"},
		{Verb: "restart", Of: shape.Of[lifecycleJSON]()},
		{Verb: "status", Of: shape.Of[daemon.Status](), Exit: "0 also when no daemon runs: pid is null then"},
		{Verb: "doctor", Of: shape.Of[doctorJSON](), Exit: "1 also when a check failed; the object is printed then"},
		{Verb: "doctor --redaction", Of: shape.Of[findingJSON](), Lines: true, Note: "One for each secret that would be replaced in the file, which is no error; the secret itself is not printed."},
		{Verb: "tail", Of: shape.Of[events.Record](), Lines: true, Note: "The same as `-o json` and `-o ndjson`. With `-f` it goes on until it is interrupted.", Exit: "0 also when `-f` is interrupted"},
		{Verb: "tail -o cloudevents", Of: shape.Of[cloudEventJSON](), Lines: true, Note: "Events in the JSON format of CloudEvents 1.0."},
		{Verb: "events list", Of: shape.Of[events.Record](), Lines: true, Note: "As `tail`, `-o` included, without `-f`."},
		{Verb: "events show", Of: shape.Of[events.Record]()},
		{Verb: "events show --raw", Note: "The hook's own JSON, with or without `--json`."},
		{Verb: "events types", Of: shape.Of[typeJSON](), Lines: true, Note: "`--markdown` prints text."},
		{Verb: "events schema", Note: "A JSON Schema (2020-12) on several lines, with or without `--json`."},
		{Verb: "events emit", Of: shape.Of[events.Record](), Note: "The event as it was appended."},
		{Verb: "repair", Of: shape.Of[daemon.Rebuilt]()},
		{Verb: "config show", Of: shape.Of[configJSON](), Exit: "1 also when there is a problem; the object is printed then"},
		{Verb: "config validate", Of: shape.Of[configValidJSON](), Exit: "1 also when something is wrong; the object is printed then"},
		cmdline.VersionOutput(),
		cmdline.JSONOutput(),
		cmdline.ManOutput(),
		{Verb: "completion", Note: "A shell's script, with or without `--json`."},
		{Verb: "help", Note: "Text, with or without `--json`."},
		{Verb: "hook", Note: "What the client reads; `--json` means nothing to it, nor to the other verbs that the client calls."},
		{Verb: "consciousness brief", Note: "As `hook`."},
		{Verb: "consciousness check-identity", Note: "As `hook`."},
		{Verb: "consciousness inject-context", Note: "As `hook`."},
		{Verb: "session restore-identity", Note: "As `hook`."},
		{Verb: "session persist-identity", Note: "As `hook`."},
	}
}

// stateOutputs are those of what is folded from the log.
func stateOutputs() []shape.Output {
	return []shape.Output{
		{Verb: "session list", Of: shape.Of[session.State](), Lines: true, Note: "The last active first, without deleted ones."},
		{Verb: "session show", Of: shape.Of[session.State]()},
		{Verb: "session delete", Of: shape.Of[events.Record](), Note: "The tombstone, an event session.deleted. It takes `--yes`, unless someone can be asked."},
		{Verb: "project list", Of: shape.Of[projectLine](), Lines: true, Note: "The last used first, with those that were joined into others."},
		{Verb: "project show", Of: shape.Of[projectLine]()},
		{Verb: "project rehome", Of: shape.Of[events.Record](), Note: "The event project.rehomed that joined OLD into NEW: a new one, or the one of before when they were joined already."},
		{Verb: "identity show", Of: shape.Of[identityJSON]()},
		{Verb: "identity history", Of: shape.Of[snapshotJSON](), Lines: true, Note: "The newest last."},
		{Verb: "identity reset-kuramoto", Of: shape.Of[events.Record](), Note: "The event identity.phases_reset."},
		{Verb: "identity observe", Of: shape.Of[events.Record](), Note: "The event identity.observed."},
		{Verb: "dream trigger", Of: shape.Of[events.Record](), Note: "The event dream.completed or dream.failed.", Exit: "1 also when the dream failed; the event is printed then"},
		{Verb: "statusline", Of: shape.Of[statuslineJSON](), Exit: "always 0"},
	}
}

// reqOutputs are those of the gates.
func reqOutputs() []shape.Output {
	const recorded = "What was recorded."
	return []shape.Output{
		{Verb: "req status", Of: shape.Of[reqStatusJSON](), Note: "The same for `req` alone, and with `--summary`. That no session is meant is told on stderr and no error."},
		{Verb: "req satisfy", Of: shape.Of[daemon.GateReceipt](), Note: recorded},
		{Verb: "req approve", Of: shape.Of[daemon.GateReceipt](), Note: recorded},
		{Verb: "req clear", Of: shape.Of[daemon.GateReceipt](), Note: recorded},
		{Verb: "req list", Of: shape.Of[trackedJSON](), Lines: true, Note: "By name."},
		{Verb: "req sessions", Of: shape.Of[liveJSON](), Lines: true, Note: "The last active first."},
		{Verb: "req prune", Of: shape.Of[prunedJSON]()},
		{Verb: "req explain", Of: shape.Of[explanation](), Exit: "0 whether the gate is open or closed"},
		{Verb: "req init", Of: shape.Of[initJSON]()},
		{Verb: "req validate", Of: shape.Of[validation](), Exit: "1 also when something is left out; the object is printed then"},
		{Verb: "req import", Of: shape.Of[importedJSON](), Lines: true, Note: "One for each file.", Exit: "1 also when a file could not be read or has a malformed entry; all lines are printed then"},
		{Verb: "req export", Note: "The branch's state in the requirements framework's shape, on several lines, with or without `--json`."},
		{Verb: "req export --dir", Of: shape.Of[writtenJSON]()},
		{Verb: "req schema", Note: "A JSON Schema (2020-12) on several lines, with or without `--json`."},
	}
}
