// Package settings edits the client's settings.json, and only its own entries.
//
// Claude Code reads three settings files: the user's, the project's (committed) and the
// project's local one. Codex reads hooks.json, the user's and the project's, of the same form but
// for its command lines, which a shell runs. Their "hooks" member maps the name of an event to an array of entries,
// and an entry is a matcher with an array of handlers:
//
//	{"hooks": {"Stop": [{"hooks": [{"type": "command", "command": "/usr/bin/hookctl",
//	                                "args": ["hook", "Stop"], "timeout": 12}]}]}}
//
// Install adds one entry per event of a profile, after whatever is there already. Uninstall
// removes exactly those. Everything else in the file stays byte for byte: order, white space,
// comments, trailing commas, line ends, byte order mark: the file is edited as a syntax tree that
// has all of that.
//
// # What is ours
//
// A command handler is ours if the base name of its command is hookctl or hookd (with or
// without .exe) and its arguments begin with "hook", "consciousness", "session
// restore-identity" or "session persist-identity"; as exec form (command and args) or as
// shell form (one command line). Where it comes from and how it is spelt does not matter, so
// entries of an older version, or typed by a user, are replaced and removed as well.
//
// # The way back
//
// Install saves the file as it was beside it, as settings.json.hookline-backup. Uninstall
// puts those bytes back if installing into them gives exactly the file found; only then is it
// certain that the file was not written since. Otherwise it cuts its entries out of the file
// as it is now, and with them the containers that this leaves empty.
//
// # Writing
//
// A file is replaced through a temporary file in the same folder (write, fsync, rename, fsync
// of the folder), with mode and owner kept; a symbolic link stays one and its target is
// replaced. Just before the rename the file is read again and, if it changed, everything
// is done again on the new content. What remains is the time between that read and the rename,
// microseconds, in which a write by another process would be lost: the client takes no lock
// that could close it. Extended attributes and hard links are not kept.
package settings

import (
	"fmt"
	"path/filepath"

	"hookline/hookctl/problem"
)

// A Scope names one of the client's settings files.
type Scope string

// The three scopes, from the one that holds everywhere to the most particular.
const (
	User    Scope = "user"    // in the user's home: every session
	Project Scope = "project" // in the project, committed: everybody who works on it
	Local   Scope = "local"   // in the project, not committed: this user there
)

// A Profile is a set of hooks installed together.
type Profile string

// The two profiles.
const (
	Full     Profile = "full"     // every event, recorded and answered
	Identity Profile = "identity" // the five commands that carry identity from session to session
)

// A Client is a program whose hooks can be installed.
type Client string

// The clients.
const (
	Claude Client = "claude-code" // Claude Code
	Codex  Client = "codex"       // the Codex CLI, whose hooks lie in a file of their own, hooks.json
)

// Options say which file is edited and what goes into it.
type Options struct {
	Client     Client
	Scope      Scope // Codex has no local one
	Profile    Profile
	Home       string // the user's home; needed in user scope unless ConfigDir is set
	ConfigDir  string // CLAUDE_CONFIG_DIR or CODEX_HOME, which stands for HOME/.claude or HOME/.codex; empty: not set
	ProjectDir string // the directory the client is launched from: it looks nowhere else
	Binary     string // absolute path of hookctl; unused in project scope, see Command
	DryRun     bool   // writes nothing; Result.Diff has what would be written

	beforeRename func() // runs just before the last look at the file, where it is not nil; tests write the file there
}

// Path returns the file that the options name; empty where its folder is not known.
func (o Options) Path() string {
	folder, name, dir := ".claude", "settings.json", o.ProjectDir
	if o.Client == Codex {
		folder, name = ".codex", "hooks.json"
	}
	switch {
	case o.Scope == Local:
		name = "settings.local.json"
	case o.Scope == Project:
	case o.ConfigDir != "":
		return filepath.Join(o.ConfigDir, name)
	default:
		dir = o.Home
	}
	if dir == "" {
		return ""
	}
	return filepath.Join(dir, folder, name)
}

// Command returns what the entries call. A project's settings are committed, and an absolute
// path of one machine is wrong on the next: there it is the bare name, found on PATH.
func (o Options) Command() string {
	if o.Scope == Project {
		return "hookctl"
	}
	return o.Binary
}

// A Result is what Install or Uninstall did, or with DryRun would do.
type Result struct {
	Path    string   `json:"path" jsonschema_description:"the settings file"` // as named by scope; it may be a symbolic link
	Changed bool     `json:"changed" jsonschema_description:"the file differs, or would"`
	Added   int      `json:"added" jsonschema_description:"hooks"`
	Removed int      `json:"removed" jsonschema_description:"hooks that were taken out or replaced"`
	Backup  string   `json:"backup,omitempty" jsonschema_description:"of the file before"` // empty where this call made none
	Foreign []string `json:"foreign" jsonschema_description:"events that hooks of others share; those are kept"`
	Diff    string   `json:"diff,omitempty" jsonschema_description:"unified; only with --dry-run"` // empty if nothing changes
}

// Install makes the file hold exactly one entry of ours per event of the profile. Doing it
// twice changes nothing the second time. The other profile, an older version's entries and
// double ones are replaced. A missing file is made with mode 0600, its folder with 0700. A
// file that is malformed, or cannot be read or replaced, is refused with a [problem.Error] and untouched.
func Install(o Options) (Result, error) {
	command := o.Command()
	if !ourBinary.MatchString(command) || o.Scope != Project && !filepath.IsAbs(command) {
		return Result{}, problem.Faultf("%q is no absolute path of a program named hookctl or hookd", command).
			Advise("the hooks of another name could not be found again: install hookctl and run it by its path")
	}
	want := o.entries(command)

	return o.edit(func(doc *document, cur, saved content) (change, error) {
		ch := change{next: cur, foreign: doc.foreign(want)}
		if doc.holds(want) {
			return ch, nil
		}
		ch.removed, ch.added = len(doc.entries()), len(want)
		ch.save = cur != nil && ch.removed == 0 && !cur.equal(saved)
		if ch.removed > 0 {
			var err error
			if doc, err = parse(doc.path, doc.original(saved)); err != nil {
				return change{}, err
			}
		}

		ch.next = doc.insert(want)
		after, err := parse(doc.path, ch.next)
		if err == nil && !after.holds(want) { // a fault of this package
			err = fmt.Errorf("the edited text of %s does not hold the entries", doc.path)
		}
		return ch, err
	})
}

// Uninstall takes out what Install put in, whatever profile. A file that Install made and
// that holds nothing else is removed, and the backup with it once it has served.
func Uninstall(o Options) (Result, error) {
	return o.edit(func(doc *document, cur, saved content) (change, error) {
		found := doc.entries()
		if len(found) == 0 {
			return change{next: cur}, nil
		}
		foreign := doc.foreign(found)
		next := doc.original(saved)
		left, err := parse(doc.path, next)
		if err == nil && len(left.entries()) != 0 { // a fault of this package
			err = fmt.Errorf("the edited text of %s still holds entries", doc.path)
		}
		return change{next: next, removed: len(found), foreign: foreign, spent: saved != nil && next.equal(saved)}, err
	})
}
