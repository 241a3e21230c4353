package ledger

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"hookline/events"
	"hookline/events/wording"
	"hookline/hookctl/cmdline"
	"hookline/hookctl/hook"
	"hookline/hookctl/notes"
	"hookline/hookctl/problem"
	"hookline/hookctl/safeopen"
	"hookline/hookctl/verbs/command"
	"hookline/hookctl/verbs/env"
	"hookline/hookctl/verbs/query"
	"hookline/projector/identity"
	"hookline/projector/ledger"
	"hookline/projector/working"
)

// The ledger as files: NOTES.md and beads are written from it, and read back.

// notesFiles are where NOTES.md may be, the first for a new one.
var notesFiles = []string{"NOTES.md", "grimoires/loa/NOTES.md"}

// NotesFile is the notes of a project: the first that is there.
func NotesFile(top string) string {
	for _, name := range notesFiles {
		path := filepath.Join(top, filepath.FromSlash(name))
		if _, err := os.Lstat(path); err == nil {
			return path
		}
	}
	return filepath.Join(top, notesFiles[0])
}

// IsBead reports whether a file is a bead, by its name.
func IsBead(path string) bool {
	ext := strings.ToLower(filepath.Ext(path))
	return ext == ".yaml" || ext == ".yml"
}

// fileOrNotes is the file that was named, or the project's notes.
func fileOrNotes(e *env.Env, args []string) string {
	if len(args) == 0 {
		return NotesFile(e.TopDir())
	}
	return e.Absolute(args[0])
}

// Active is what the project's current session works on, or before its first prompt the one that it follows.
func Active(ctx context.Context, e *env.Env, s ledger.State) notes.Active {
	var now notes.Active
	if steps := s.Open(events.LedgerStep); len(steps) > 0 {
		now.Reasoning = "next: " + steps[len(steps)-1].Text
	}
	id, err := query.Current(ctx, e, "")
	if err != nil {
		return now
	}
	w, _ := query.StateOf[working.State](ctx, e, working.Name, id) // what is not there is empty
	if w.Goal == nil && w.Done == nil {
		_, here, _ := query.Here(ctx, e) // as current had them
		p, _ := query.StateOf[identity.Pointer](ctx, e, identity.PointerName, identity.PointerKey(here))
		w, _ = query.StateOf[working.State](ctx, e, working.Name, p.Session)
	}

	switch {
	case w.Task != nil:
		now.Task = wording.Short(w.Task.Text, working.MaxTask)
	case w.Goal != nil:
		now.Task = wording.Short(w.Goal.Text, working.MaxTask)
	}
	if n := len(w.Checkpoints); n > 0 {
		now.Checkpoint = w.Checkpoints[n-1].Time
	}
	if w.Handoff != nil {
		now.Reasoning = w.Handoff.Text
	}
	return now
}

// renderedJSON is what `ledger render --json` prints.
type renderedJSON struct {
	File    string `json:"file" jsonschema_description:"path"`
	Changed bool   `json:"changed" jsonschema_description:"it was not so before"`
}

func renderCommand(e *env.Env) *cobra.Command {
	return command.Plain(e, env.Store, command.Text{
		Use:   "render [FILE]",
		Short: "Write the ledger into NOTES.md, or into a bead's YAML",
		Long: "Write the ledger into a marked block of NOTES.md at the top of the work tree, or of FILE; a .yaml file is a bead.\n" +
			"What is outside of the block stays byte for byte. A symbolic link and another user's file are refused.",
		Example: "  hookctl ledger render\n" +
			"  hookctl ledger render .beads/beads-x7y8.yaml",
	}, renderVerb, cmdline.Between(0, "FILE"))
}

func renderVerb(ctx context.Context, e *env.Env, args []string) error {
	file := fileOrNotes(e, args)
	changed, err := render(ctx, e, file)
	if err != nil {
		return err
	}
	word := "is up to date"
	if changed {
		word = "is written"
	}
	return e.Result(renderedJSON{File: file, Changed: changed}, "%s %s\n", cmdline.OneLine(file), word)
}

// render writes the ledger into a file; the ledger is read anew for every try.
func render(ctx context.Context, e *env.Env, file string) (bool, error) {
	changed, err := notes.Update(file, func(old []byte) ([]byte, error) {
		s, err := Of(ctx, e)
		if err != nil {
			return nil, err
		}
		if IsBead(file) && old == nil {
			return nil, errors.New("there is no such bead")
		}
		if IsBead(file) {
			return notes.Bead(old, s)
		}
		return notes.Markdown(old, s, Active(ctx, e, s))
	})
	if err != nil {
		return false, problem.Faultf("%s: %w", file, err).Advise("the file is as it was")
	}
	return changed, nil
}

// importJSON is what `ledger import --json` prints.
type importJSON struct {
	File     string         `json:"file" jsonschema_description:"path"`
	Added    int            `json:"added" jsonschema_description:"entries that are new"`
	Known    int            `json:"known" jsonschema_description:"entries that the ledger has"`
	Closed   int            `json:"closed" jsonschema_description:"entries that the file ticks off"`
	Forks    []hook.Ordered `json:"forks" jsonschema_description:"decisions that the ledger has otherwise"`
	Problems []string       `json:"problems" jsonschema_description:"what could not be read"`
}

func importCommand(e *env.Env) *cobra.Command {
	return command.Verb(e, env.Started, command.Text{
		Use:   "import [FILE]",
		Short: "Take over what NOTES.md or a bead says",
		Long: "Take over decisions, test scenarios, next steps and questions from NOTES.md, or from FILE; a .yaml file is a bead.\n" +
			"What the ledger has is not added again, and a box that is ticked closes its entry. What is missing in the file stays\n" +
			"in the ledger. A decision that the ledger has otherwise is a fork, and the exit code is 1, as for what cannot be read.",
		Example: "  hookctl ledger import --dry-run\n" +
			"  hookctl ledger import .beads/beads-x7y8.yaml",
	}, &importVerb{}, cmdline.Between(0, "FILE"))
}

type importVerb struct {
	Dry bool `flag:"dry-run" help:"only say what would be taken over"`
}

func (f *importVerb) Run(ctx context.Context, e *env.Env, args []string) error {
	if f.Dry {
		e.Ask(env.Store)
	}
	return importFile(ctx, e, fileOrNotes(e, args), f.Dry)
}

func importFile(ctx context.Context, e *env.Env, file string, dry bool) error {
	var found notes.Found
	data, err := safeopen.ReadFile(safeopen.Foreign, file, env.MaxFile)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		err = errors.New("there is no such file")
	case err == nil && IsBead(file):
		found, err = notes.ReadBead(data)
	case err == nil:
		found = notes.ReadMarkdown(data)
	}
	if err != nil {
		return problem.Faultf("%s: %w", file, err).Advise("NOTES.md or a bead's .yaml is wanted")
	}
	s, err := Of(ctx, e)
	if err != nil {
		return err
	}

	source := file
	if rel, err := filepath.Rel(e.TopDir(), file); err == nil {
		source = filepath.ToSlash(rel)
	}
	var asked []events.Event
	for i := range found.Entries {
		event := &found.Entries[i]
		event.By, event.Source = e.Caller(), source
		asked = append(asked, event)
	}
	for i := range found.Done {
		if open, _ := s.Judge(&found.Done[i]); open != nil {
			asked = append(asked, &events.LedgerEntryClosed{Entry: open.ID, Reason: "ticked off in " + source})
		}
	}

	out := importJSON{File: file, Forks: []hook.Ordered{}, Problems: append([]string{}, found.Problems...)}
	what, err := orderAll(ctx, e, s, asked, dry)
	if err != nil {
		return err
	}
	for i, r := range what {
		switch r.Outcome {
		case "added":
			out.Added++
		case "closed":
			out.Closed++
		case "fork":
			out.Forks = append(out.Forks, r)
			if event, ok := asked[i].(*events.LedgerEntryAdded); ok && !e.JSON {
				e.Complain("fork: the ledger has %s [ledger %d], the file %s\n", cmdline.OneLine(r.Entry.Text), r.Entry.Seq, cmdline.OneLine(event.Text))
			}
		default:
			out.Known++
		}
	}
	return e.Verdict(out, len(out.Forks)+len(out.Problems) == 0, func() {
		for _, p := range out.Problems {
			e.Complain("%s\n", cmdline.OneLine(p))
		}
		e.Printf("%d added, %d known, %d closed, %s\n", out.Added, out.Known, out.Closed, cmdline.Plural(len(out.Forks), "fork"))
	})
}

// mostOrdered is how many events one order has at most.
const mostOrdered = 500

// orderAll asks for any number of events, or only says what would become of them.
func orderAll(ctx context.Context, e *env.Env, s ledger.State, asked []events.Event, dry bool) ([]hook.Ordered, error) {
	if dry {
		_, what := hook.OrderLedger(s, asked)
		return what, nil
	}
	var what []hook.Ordered
	for part := range slices.Chunk(asked, mostOrdered) {
		r, err := order(ctx, e, part...)
		if err != nil {
			return what, err
		}
		what = append(what, r.Results...)
	}
	return what, nil
}
