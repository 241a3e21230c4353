package verbs

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"

	"github.com/spf13/cobra"

	"hookline/events"
	"hookline/hookctl/cmdline"
	"hookline/hookctl/daemon"
	"hookline/projector/session"
)

// maxStateFile bounds a file that is imported; real ones have some KiB.
const maxStateFile = 4 << 20

func (a *app) reqImportCmd() *cobra.Command {
	return &cobra.Command{
		Use: "import [FILE…]", Short: "Take over the requirements framework's state files",
		Long: "Take over the requirements framework's state: without a name every file of <git dir>/requirements and\n" +
			"~/.claude/sessions.json. Long session ids are migrated, of two satisfactions the newer wins, and importing\n" +
			"twice changes nothing. A file that cannot be read is named and left alone, an entry that is malformed is\n" +
			"named and left out: the exit code is 1 then. No file is changed.",
		Example: "  hookctl req import\n  hookctl req import .git/requirements/feature-x.json",
		RunE: func(cmd *cobra.Command, args []string) error {
			return a.with(cmd.Context(), needStarted, func(h house) error { return a.importReq(cmd.Context(), h, args) })
		},
	}
}

// importedJSON is one file as `req import --json` prints it.
type importedJSON struct {
	File         string   `json:"file" jsonschema_description:"as it was named"`
	Branch       string   `json:"branch,omitempty" jsonschema_description:"whose state it has"`
	Requirements int      `json:"requirements" jsonschema_description:"that are new"`
	Entries      int      `json:"entries" jsonschema_description:"of them, by session and branch"`
	Sessions     int      `json:"sessions,omitempty" jsonschema_description:"that are new"`
	Ended        []string `json:"ended,omitempty" jsonschema_description:"of the sessions, those whose process is gone"`
	Skipped      []string `json:"skipped,omitempty" jsonschema_description:"what is malformed, as key: why"`
	Event        string   `json:"event,omitempty" jsonschema_description:"id of the last event; absent when the file says nothing new"`
	Error        string   `json:"error,omitempty" jsonschema_description:"why the file was left alone"`
}

func (a *app) importReq(ctx context.Context, h house, args []string) error {
	d, err := a.deskOfProject(ctx, h)
	if err != nil {
		return err
	}
	files := args
	if len(files) == 0 {
		if files, err = a.stateFiles(d.place.CommonDir); err != nil {
			return err
		}
	}
	if len(files) == 0 && !a.JSON {
		a.Printf("nothing to import: neither %s nor %s is there\n", filepath.Join(d.place.CommonDir, "requirements"), a.registryPath())
	}
	bad := 0
	for _, file := range files {
		out, err := d.importFile(ctx, file)
		if err != nil {
			return err
		}
		if out.Error != "" || len(out.Skipped) > 0 {
			bad++
		}
		if err := a.tellImported(out); err != nil {
			return err
		}
	}
	if bad > 0 {
		return cmdline.Silent(1)
	}
	return nil
}

func (a *app) registryPath() string { return filepath.Join(a.userHome(), ".claude", "sessions.json") }

// stateFiles are the framework's files that exist.
func (a *app) stateFiles(commonDir string) ([]string, error) {
	files, err := filepath.Glob(filepath.Join(escapeGlob(commonDir), "requirements", "*.json"))
	if err != nil {
		return nil, err
	}
	slices.Sort(files)
	if _, err := os.Stat(a.registryPath()); err == nil {
		files = append(files, a.registryPath())
	}
	return files, nil
}

// escapeGlob has a folder's own name taken literally.
func escapeGlob(dir string) string {
	out := ""
	for _, r := range dir {
		if r == '*' || r == '?' || r == '[' {
			out += "[" + string(r) + "]"
			continue
		}
		out += string(r)
	}
	return out
}

func (a *app) tellImported(r importedJSON) error {
	if a.JSON {
		return a.PrintJSON(r)
	}
	for _, s := range r.Skipped {
		a.say(printable("⚠️  " + r.File + ": " + s + "; left out"))
	}
	switch {
	case r.Error != "":
		a.say(printable("⚠️  " + r.File + ": " + r.Error + "; left alone"))
	case r.Event == "":
		a.Printf("ℹ️  nothing new in %s\n", cmdline.OneLine(r.File))
	case r.Sessions > 0:
		a.Printf("✅ Imported %s from %s\n", cmdline.Plural(r.Sessions, "session"), cmdline.OneLine(r.File))
		for _, id := range r.Ended {
			a.Printf("   - %s has ended: its process is gone\n", cmdline.OneLine(id))
		}
	default:
		a.Printf("✅ Imported %d requirement(s) for %s from %s\n", r.Requirements, cmdline.OneLine(r.Branch), cmdline.OneLine(r.File))
	}
	return nil
}

// importFile takes over one file. What is wrong with the file is in the result; an error is the daemon's.
func (d *desk) importFile(ctx context.Context, file string) (importedJSON, error) {
	out := importedJSON{File: file}
	if !filepath.IsAbs(file) {
		file = filepath.Join(d.a.Cwd, file)
	}
	data, err := readBounded(file)
	if err != nil {
		out.Error = err.Error()
		return out, nil
	}
	r := &fileReader{}
	if filepath.Base(file) == "sessions.json" {
		list, err := r.registry(data)
		if out.Skipped = r.skipped; err != nil {
			out.Error = err.Error()
			return out, nil
		}
		return d.importRegistry(ctx, out, list)
	}
	s, err := r.state(data)
	if out.Skipped = r.skipped; err != nil {
		out.Error = err.Error()
		return out, nil
	}
	known := d.on(s.Branch)
	entries := slices.DeleteFunc(s.entries(d.full), func(e events.GateImportedEntry) bool { return !known.News(e) })
	names := map[string]bool{}
	for _, e := range entries {
		names[e.Name] = true
	}
	out.Branch, out.Entries, out.Requirements = s.Branch, len(entries), len(names)
	var parts []events.GateImported
	for part := range slices.Chunk(entries, importChunk) {
		parts = append(parts, events.GateImported{File: filepath.Base(file), Gates: part})
	}
	return d.send(ctx, out, s.Branch, parts)
}

// importRegistry takes over the sessions of which nothing or something else is known.
func (d *desk) importRegistry(ctx context.Context, out importedJSON, list []events.GateImportedSession) (importedJSON, error) {
	list = slices.DeleteFunc(list, func(in events.GateImportedSession) bool {
		for _, c := range d.cells {
			if f, ok := c.Imported[in.Session]; ok && f.Same(in) {
				return true
			}
		}
		return false
	})
	out.Sessions = len(list)
	for _, in := range list {
		if in.PIDStart == 0 {
			out.Ended = append(out.Ended, in.Session)
		}
	}
	var parts []events.GateImported
	for part := range slices.Chunk(list, importChunk) {
		parts = append(parts, events.GateImported{File: "sessions.json", Sessions: part})
	}
	return d.send(ctx, out, d.branch, parts)
}

// importChunk is how many entries one event takes.
const importChunk = 500

func (d *desk) send(ctx context.Context, out importedJSON, branch string, list []events.GateImported) (importedJSON, error) {
	o := daemon.GateOrder{Branch: branch}
	for i := range list {
		o.Events = append(o.Events, command(&list[i]))
	}
	if len(o.Events) == 0 {
		return out, nil
	}
	r, err := d.order(ctx, o)
	if err == nil && len(r.Events) > 0 {
		out.Event = r.Events[len(r.Events)-1]
	}
	return out, err
}

// full is the whole id behind an alias, when exactly one session of the project has it.
func (d *desk) full(short string) string {
	found := ""
	for _, c := range d.sessions {
		if c.State.Project != d.project || c.State.Status == session.Deleted || events.Alias(c.State.ID) != short {
			continue
		}
		if found != "" {
			return ""
		}
		found = c.State.ID
	}
	return found
}

func readBounded(file string) ([]byte, error) {
	f, err := os.Open(file)
	if err != nil {
		var at *fs.PathError
		if errors.As(err, &at) {
			return nil, at.Err
		}
		return nil, err
	}
	defer f.Close() // opened for reading, nothing to lose
	data, err := io.ReadAll(io.LimitReader(f, maxStateFile+1))
	if err == nil && len(data) > maxStateFile {
		err = fmt.Errorf("larger than %d bytes", maxStateFile)
	}
	return data, err
}
