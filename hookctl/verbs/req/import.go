package req

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"time"

	"github.com/spf13/cobra"

	"hookline/events"
	"hookline/hookctl/api"
	"hookline/hookctl/cmdline"
	"hookline/hookctl/safeopen"
	"hookline/hookctl/verbs/command"
	"hookline/hookctl/verbs/emit"
	"hookline/hookctl/verbs/env"
	"hookline/hookctl/verbs/show"
)

// importChunk is how many entries one event takes.
const importChunk = 500

func importCommand(e *env.Env) *cobra.Command {
	return command.Plain(e, env.Started, command.Text{
		Use:   "import [FILE…]",
		Short: "Take over the requirements framework's state files",
		Long: "Take over the requirements framework's state: without a name every file of <git dir>/requirements and\n" +
			"~/.claude/sessions.json. Long session ids are migrated, of two satisfactions the newer wins, and importing\n" +
			"twice changes nothing. A file that is malformed is named and left alone: the exit code is 1 then. No file is\n" +
			"changed.",
		Example: "  hookctl req import\n" +
			"  hookctl req import .git/requirements/feature-x.json",
	}, importVerb)
}

func importVerb(ctx context.Context, e *env.Env, args []string) error {
	d, err := deskOfProject(ctx, e)
	if err != nil {
		return err
	}
	files := args
	if len(files) == 0 { // those of the framework that exist
		dir := filepath.Join(d.place.CommonDir, "requirements")
		list, _ := os.ReadDir(dir) // none: nothing to import
		for _, f := range list {
			if filepath.Ext(f.Name()) == ".json" {
				files = append(files, filepath.Join(dir, f.Name()))
			}
		}
		registry := filepath.Join(e.UserHome(), ".claude", "sessions.json")
		if _, err := os.Stat(registry); err == nil {
			files = append(files, registry)
		}
	}

	bad := false
	for _, file := range files {
		out, err := d.importFile(ctx, file)
		if err != nil {
			return err
		}
		if err := tellImported(e, out); err != nil {
			return err
		}
		bad = bad || out.Error != ""
	}
	if bad {
		return cmdline.Silent(1)
	}
	return nil
}

// importedJSON is one file as `req import --json` prints it.
type importedJSON struct {
	File         string `json:"file" jsonschema_description:"as it was named"`
	Branch       string `json:"branch,omitempty" jsonschema_description:"whose state it has"`
	Requirements int    `json:"requirements" jsonschema_description:"that are new"`
	Entries      int    `json:"entries" jsonschema_description:"of them, by session and branch"`
	Sessions     int    `json:"sessions,omitempty" jsonschema_description:"that a registry names; nothing of them is recorded"`
	Event        string `json:"event,omitempty" jsonschema_description:"id of the last event; absent when the file says nothing new"`
	Error        string `json:"error,omitempty" jsonschema_description:"why the file was left alone"`
}

func tellImported(e *env.Env, r importedJSON) error {
	if e.JSON {
		return e.PrintJSON(r)
	}
	file := cmdline.OneLine(r.File)
	switch {
	case r.Error != "":
		say(e, "⚠️  "+r.File+": "+r.Error+"; left alone")
	case r.Sessions > 0:
		e.Printf("ℹ️  %s in %s: each is known here from its next hook on\n", cmdline.Plural(r.Sessions, "session"), file)
	case r.Event == "":
		e.Printf("ℹ️  nothing new in %s\n", file)
	default:
		e.Printf("✅ Imported %d requirement(s) for %s from %s\n", r.Requirements, cmdline.OneLine(r.Branch), file)
	}
	return nil
}

// importFile takes over one file. What is wrong with the file is in the result; an error is the daemon's.
func (d *desk) importFile(ctx context.Context, file string) (importedJSON, error) {
	out := importedJSON{File: file}
	data, err := safeopen.ReadFile(safeopen.Foreign, d.Absolute(file), env.MaxFile)
	var f stateFile
	if err == nil {
		f, err = decodeState(data)
	}
	if err != nil {
		out.Error = err.Error()
		return out, nil
	}

	known := d.on(f.Branch)
	names := map[string]bool{}
	var entries []events.GateImportedEntry
	for _, e := range f.entries() {
		if known.News(e) {
			entries = append(entries, e)
			names[e.Name] = true
		}
	}
	out.Branch, out.Entries, out.Requirements, out.Sessions = f.Branch, len(entries), len(names), len(f.Sessions)
	if len(entries) == 0 {
		return out, nil
	}

	o := api.Order{Branch: f.Branch}
	for part := range slices.Chunk(entries, importChunk) {
		o.Events = append(o.Events, emit.Command(&events.GateImported{File: filepath.Base(file), Gates: part}))
	}
	r, err := d.order(ctx, o)
	if err == nil && len(r.Events) > 0 {
		out.Event = r.Events[len(r.Events)-1]
	}
	return out, err
}

// stateFile is a file of the requirements framework: <git common dir>/requirements/<branch>.json, a branch's gates, or
// ~/.claude/sessions.json, the registry of sessions. Sessions are named by eight characters, in old files by their whole
// ids.
type stateFile struct {
	Version      string                     `json:"version"`
	Branch       string                     `json:"branch"`
	Requirements map[string]stateGate       `json:"requirements"`
	Sessions     map[string]json.RawMessage `json:"sessions"`
}

// stateGate is one requirement, whose own entry holds for the branch.
type stateGate struct {
	stateEntry
	Scope    string                `json:"scope"`
	Sessions map[string]stateEntry `json:"sessions"`
}

// stateEntry is a satisfaction. Times are seconds since 1970.
type stateEntry struct {
	Satisfied   bool           `json:"satisfied"`
	SatisfiedAt float64        `json:"satisfied_at"`
	SatisfiedBy string         `json:"satisfied_by"`
	ExpiresAt   float64        `json:"expires_at"`
	Metadata    map[string]any `json:"metadata"`
}

// decodeState reads a file; the error says why it is none of the framework's.
func decodeState(data []byte) (stateFile, error) {
	var f stateFile
	err := json.Unmarshal(data, &f)
	var misfit *json.UnmarshalTypeError
	switch {
	case errors.As(err, &misfit):
		return f, fmt.Errorf("%s does not fit: %s", cmp.Or(misfit.Field, "the file"), misfit.Value)
	case err != nil:
		return f, fmt.Errorf("not readable: %w", err)
	case f.Version != "1.0":
		return f, fmt.Errorf("version %q is not %q", f.Version, "1.0")
	case f.Branch == "" && f.Sessions == nil:
		return f, errors.New("it names no branch")
	}
	return f, nil
}

// entries returns the satisfactions of a file, ids of sessions cut to eight characters. Of two forms of one id the newer
// satisfaction counts.
func (f stateFile) entries() []events.GateImportedEntry {
	var list []events.GateImportedEntry
	for _, name := range show.SortedKeys(f.Requirements) {
		q := f.Requirements[name]
		newest := map[string]stateEntry{"": q.stateEntry}
		for _, id := range show.SortedKeys(q.Sessions) {
			short, e := events.Alias(id), q.Sessions[id]
			if short != "" && e.SatisfiedAt >= newest[short].SatisfiedAt {
				newest[short] = e
			}
		}
		for _, short := range show.SortedKeys(newest) {
			e := newest[short]
			if !e.Satisfied {
				continue
			}
			in := events.GateImportedEntry{Name: name, Scope: q.Scope, Session: short, SatisfiedAt: moment(e.SatisfiedAt),
				SatisfiedBy: e.SatisfiedBy, ExpiresAt: moment(e.ExpiresAt)}
			if len(e.Metadata) > 0 {
				in.Metadata, _ = json.Marshal(e.Metadata) // it was JSON
			}
			list = append(list, in)
		}
	}
	return list
}

// moment returns seconds since 1970 in RFC 3339; "" for none and for what is out of range.
func moment(seconds float64) string {
	if !(seconds > 0 && seconds < 1e11) {
		return ""
	}
	return show.RFC(time.UnixMilli(int64(seconds * 1000)))
}
