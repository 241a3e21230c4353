package verbs

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"hookline/events"
	"hookline/hookctl/client"
	"hookline/hookctl/cmdline"
	"hookline/hookctl/facts"
	"hookline/hookctl/safeopen"
	"hookline/projector/gate"
	"hookline/projector/session"
)

// maxStateFile bounds a file that is imported; real ones have some KiB.
const maxStateFile = 4 << 20

type reqImportVerb struct{}

func (reqImportVerb) run(a *app, args []string) error {
	d, err := a.deskOfProject()
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
		out, err := d.importFile(file)
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

func (a *app) registryPath() string { return filepath.Join(a.userHome(), ".claude", "sessions.json") }

// stateFiles are the framework's files that exist.
func (a *app) stateFiles(commonDir string) ([]string, error) {
	files, err := filepath.Glob(filepath.Join(noGlob.Replace(commonDir), "requirements", "*.json"))
	if err != nil {
		return nil, err
	}
	slices.Sort(files)
	if _, err := os.Stat(a.registryPath()); err == nil {
		files = append(files, a.registryPath())
	}
	return files, nil
}

// noGlob has a folder's name mean itself in a pattern of [filepath.Glob].
var noGlob = strings.NewReplacer("*", "[*]", "?", "[?]", "[", "[[]")

func (a *app) tellImported(r importedJSON) error {
	if a.JSON {
		return a.PrintJSON(r)
	}
	for _, s := range r.Skipped {
		a.say("⚠️  " + r.File + ": " + s + "; left out")
	}
	switch {
	case r.Error != "":
		a.say("⚠️  " + r.File + ": " + r.Error + "; left alone")
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
func (d *desk) importFile(file string) (importedJSON, error) {
	out := importedJSON{File: file}
	data, err := safeopen.ReadFile(safeopen.Foreign, d.absolute(file), maxStateFile)
	if err != nil {
		out.Error = err.Error()
		return out, nil
	}
	f := &stateFile{full: d.full}
	switch list, err := f.decode(data, filepath.Base(file) == "sessions.json"); {
	case err != nil:
		out.Error = err.Error()
	case list != nil:
		out.Skipped = f.skipped
		return d.importRegistry(out, list)
	}
	out.Skipped = f.skipped
	if out.Error != "" {
		return out, nil
	}

	known := d.on(f.branch)
	entries := slices.DeleteFunc(f.entries, func(e events.GateImportedEntry) bool { return !known.News(e) })
	names := map[string]bool{}
	for _, e := range entries {
		names[e.Name] = true
	}
	out.Branch, out.Entries, out.Requirements = f.branch, len(entries), len(names)
	o := client.GateOrder{Branch: f.branch}
	for part := range slices.Chunk(entries, importChunk) {
		o.Events = append(o.Events, command(&events.GateImported{File: filepath.Base(file), Gates: part}))
	}
	return d.send(out, o)
}

// importRegistry takes over the sessions of which nothing or something else is known.
func (d *desk) importRegistry(out importedJSON, list []events.GateImportedSession) (importedJSON, error) {
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
	o := client.GateOrder{Branch: d.branch}
	for part := range slices.Chunk(list, importChunk) {
		o.Events = append(o.Events, command(&events.GateImported{File: "sessions.json", Sessions: part}))
	}
	return d.send(out, o)
}

// importChunk is how many entries one event takes.
const importChunk = 500

// send has the daemon record what is new in a file, if anything is.
func (d *desk) send(out importedJSON, o client.GateOrder) (importedJSON, error) {
	if len(o.Events) == 0 {
		return out, nil
	}
	r, err := d.order(o)
	if err == nil && len(r.Events) > 0 {
		out.Event = r.Events[len(r.Events)-1]
	}
	return out, err
}

// full is the whole id behind an alias, when exactly one session of the project has it.
func (d *desk) full(short string) string {
	if d.know(short) != nil {
		return ""
	}
	found := ""
	for _, s := range d.sessions {
		if s.Project != d.project || s.Status == session.Deleted || events.Alias(s.ID) != short {
			continue
		}
		if found != "" {
			return ""
		}
		found = s.ID
	}
	return found
}

// stateFile reads the files of the requirements framework: <git common dir>/requirements/<branch>.json, a branch's
// gates, and ~/.claude/sessions.json, the registry. Times are seconds since 1970; sessions are named by eight
// characters, in old files by their whole ids. What is malformed is named by its key and left out alone.
type stateFile struct {
	full    func(short string) string // the whole id behind eight characters, "" where it is not known
	branch  string
	entries []events.GateImportedEntry
	skipped []string
}

type stateEntry struct {
	Scope       string         `json:"scope"`
	Triggered   bool           `json:"triggered"`
	TriggeredAt float64        `json:"triggered_at"`
	Satisfied   bool           `json:"satisfied"`
	SatisfiedAt float64        `json:"satisfied_at"`
	SatisfiedBy string         `json:"satisfied_by"`
	ExpiresAt   float64        `json:"expires_at"`
	Metadata    map[string]any `json:"metadata"`
}

type registryEntry struct {
	PPID       int     `json:"ppid"`
	ProjectDir string  `json:"project_dir"`
	Branch     string  `json:"branch"`
	StartedAt  float64 `json:"started_at"`
	LastActive float64 `json:"last_active"`
}

type members = map[string]json.RawMessage

// fits decodes a value of the file, and names it where it does not fit.
func (f *stateFile) fits(key string, data []byte, into any) bool {
	err := fitting(data, into)
	if err != nil {
		f.skipped = append(f.skipped, key+": "+err.Error())
	}
	return err == nil
}

// fitting says in a person's words why a value does not fit.
func fitting(data []byte, into any) error {
	err := json.Unmarshal(data, into)
	var syntax *json.SyntaxError
	var misfit *json.UnmarshalTypeError
	switch {
	case errors.As(err, &syntax):
		return fmt.Errorf("not readable: line %d: %w", 1+strings.Count(string(data[:min(int(syntax.Offset), len(data))]), "\n"), err)
	case errors.As(err, &misfit) && misfit.Field != "":
		return fmt.Errorf("%s does not fit: %s", misfit.Field, misfit.Value)
	case errors.As(err, &misfit):
		return fmt.Errorf("must be an object, got: %s", misfit.Value)
	}
	return err
}

// decode reads a file: a registry's sessions, or a branch's entries. The error says why it is none.
func (f *stateFile) decode(data []byte, registry bool) ([]events.GateImportedSession, error) {
	var file struct {
		Version      string  `json:"version"`
		Branch       string  `json:"branch"`
		Requirements members `json:"requirements"`
		Sessions     members `json:"sessions"`
	}
	err := fitting(data, &file)
	switch {
	case err != nil:
		return nil, err
	case file.Version != "1.0":
		return nil, fmt.Errorf("version %q is not %q", file.Version, "1.0")
	case registry:
		return f.registry(file.Sessions), nil
	case file.Branch == "":
		return nil, errors.New("it names no branch")
	}
	f.branch = file.Branch
	for _, name := range sortedKeys(file.Requirements) {
		f.gate(name, file.Requirements[name])
	}
	return nil, nil
}

// gate takes what a file says of one requirement. Of two ids of one session the newer satisfaction counts.
func (f *stateFile) gate(name string, data []byte) {
	key := "requirements." + name
	var own stateEntry
	var below struct {
		Sessions members `json:"sessions"`
	}
	if !f.fits(key, data, &own) {
		return
	}
	if scopes := []string{"", events.GateScopeSession, events.GateScopeBranch, events.GateScopePermanent, events.GateScopeSingleUse}; !slices.Contains(scopes, own.Scope) {
		f.skipped = append(f.skipped, fmt.Sprintf("%s: scope %q is none of session, branch, permanent, single_use", key, own.Scope))
		return
	}
	f.add(own.imported(name, own.Scope, ""))
	if !f.fits(key, data, &below) {
		return
	}

	byID := map[string]stateEntry{}
	for _, id := range sortedKeys(below.Sessions) { // eight characters stand before the whole id that begins with them
		var e stateEntry
		if !f.fits(key+".sessions."+id, below.Sessions[id], &e) {
			continue
		}
		short := events.Alias(id)
		whole := cmp.Or(f.full(short), id)
		if old, ok := byID[short]; ok && len(id) > len(short) {
			delete(byID, short)
			e = newerOf(old, e)
		} else if old, ok := byID[whole]; ok {
			e = newerOf(old, e)
		}
		byID[whole] = e
	}
	for _, id := range sortedKeys(byID) {
		f.add(byID[id].imported(name, own.Scope, id))
	}
}

func (f *stateFile) add(e events.GateImportedEntry) {
	if e.SatisfiedAt != "" || e.TriggeredAt != "" {
		f.entries = append(f.entries, e)
	}
}

func newerOf(a, b stateEntry) stateEntry {
	if b.SatisfiedAt > a.SatisfiedAt {
		a, b = b, a
	}
	if !a.Triggered && b.Triggered {
		a.Triggered, a.TriggeredAt = true, b.TriggeredAt
	}
	return a
}

// imported is an entry as an event says it; without times where it says nothing.
func (e stateEntry) imported(name, scope, session string) events.GateImportedEntry {
	out := events.GateImportedEntry{Name: name, Scope: scope, Session: session}
	if e.Satisfied {
		out.SatisfiedAt, out.SatisfiedBy, out.ExpiresAt = rfc(dateOf(e.SatisfiedAt)), cmp.Or(e.SatisfiedBy, "import"), rfc(moment(e.ExpiresAt))
		if len(e.Metadata) > 0 {
			out.Metadata, _ = json.Marshal(e.Metadata) // it was JSON
		}
	}
	if e.Triggered {
		out.TriggeredAt = rfc(dateOf(e.TriggeredAt))
	}
	return out
}

// moment is a time in seconds since 1970; none and what is out of range is the zero time.
func moment(seconds float64) time.Time {
	if !(seconds > 0 && seconds < 1e11) {
		return time.Time{}
	}
	return time.UnixMilli(int64(seconds * 1000)).UTC()
}

// dateOf is a moment that a file may leave out.
func dateOf(seconds float64) time.Time {
	if t := moment(seconds); !t.IsZero() {
		return t
	}
	return gate.Unknown
}

// registry are the sessions of a registry file, long ids cut to eight characters; of two forms of one session the
// last active counts.
func (f *stateFile) registry(sessions members) []events.GateImportedSession {
	byID := map[string]registryEntry{}
	for _, id := range sortedKeys(sessions) {
		var e registryEntry
		if !f.fits("sessions."+id, sessions[id], &e) {
			continue
		}
		short := events.Alias(id)
		if old, ok := byID[short]; !ok || e.LastActive > old.LastActive {
			byID[short] = e
		}
	}
	list := []events.GateImportedSession{}
	for _, id := range sortedKeys(byID) {
		e := byID[id]
		in := events.GateImportedSession{Session: id, PID: e.PPID, ProjectDir: e.ProjectDir, Branch: e.Branch,
			StartedAt: rfc(moment(e.StartedAt)), LastActive: rfc(moment(e.LastActive))}
		if p := facts.Probe(e.PPID); p.Alive {
			in.PIDStart = p.Start
		}
		list = append(list, in)
	}
	return list
}
