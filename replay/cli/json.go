package cli

import (
	"embed"
	"strings"

	"hookline/hookctl/backup"
	"hookline/hookctl/cmdline"
	"hookline/hookctl/daemon"
	"hookline/hookctl/export"
	"hookline/hookctl/recovery"
	"hookline/hookctl/repair"
	"hookline/hookctl/shape"
	"hookline/hookctl/verify"
	"hookline/projector"
)

// examples has a file for each verb: a command line, and what the programs printed for it.
// `go test ./conversations -run JSON -update` writes them.
//
//go:embed examples
var examples embed.FS

const needsYes = "It takes `--yes`, unless someone can be asked."

// JSONPage is what every verb of replay prints with --json. A verb without a line fails a test.
func JSONPage() shape.Page {
	return shape.Page{Program: "replay", Rules: cmdline.JSONRules(), Objects: []shape.Object{
		{Name: "difference", Of: shape.Of[projector.Diff](), Told: true, Doc: "One difference between what the log says and what a cell holds"},
		{Name: "verification", Of: shape.Of[verify.Result](), Doc: "What a verification found"},
		{Name: "hole", Of: shape.Of[verify.Hole](), Doc: "Sequences in a row that could not be read"},
	}, Examples: func(verb string) string {
		text, _ := examples.ReadFile("examples/" + strings.ReplaceAll(verb, " ", "-") + ".txt")
		return string(text)
	}, Outputs: []shape.Output{
		{Verb: "verify", Of: shape.Of[verify.Result](), Exit: "1 projections differ, 2 the log is damaged or has a new hole; the object is printed then"},
		{Verb: "rebuild", Of: shape.Of[daemon.Rebuilt]()},
		{Verb: "at", Of: shape.Of[past](), Note: "The states are objects of the sections session, identity, latest, project and gate; `hookctl json NAME` shows one."},
		{Verb: "diff", Of: shape.Of[differenceJSON]()},
		{Verb: "recover", Of: shape.Of[recovery.Result]()},
		{Verb: "repair", Of: shape.Of[repair.Result](), Note: needsYes,
			Exit: "1 also when something or an export could not be had, 2 the log cannot be read; the object is printed then"},
		{Verb: "export", Of: shape.Of[export.Saved](), Note: "Only with `-o FILE`: without it the events themselves go to stdout, and `--json` is refused."},
		{Verb: "import", Of: shape.Of[importedJSON](), Exit: "1 also when a file could not be taken; when others were before it, the object with those is printed then"},
		{Verb: "backup", Of: shape.Of[backup.Written]()},
		{Verb: "restore", Of: shape.Of[backup.Restored](), Exit: "that of verify; the object is printed then"},
		cmdline.VersionOutput(),
		cmdline.JSONOutput(),
		cmdline.ManOutput(),
		{Verb: "completion", Note: "A shell's script, with or without `--json`."},
		{Verb: "help", Note: "Text, with or without `--json`."},
	}}
}
