package gates

import (
	"encoding/json"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"hookline/events"
)

// Danger is a kind of command that is not left to a permission dialog, where one key lets it pass. The kinds and
// their words are the framework's.
type Danger struct {
	Rule   string // as events have it
	Reason string // for people
}

// In a line that names a client of a database, the words decide: a statement may be an argument or come by a pipe.
var (
	drops     = regexp.MustCompile(`(?i)\bDROP(?:\s|/\*.*?\*/)+(?:TABLE|DATABASE|SCHEMA)\b`)
	truncates = regexp.MustCompile(`(?i)\bTRUNCATE(?:\s|/\*.*?\*/)+[\w"\x60\[]`)
	clients   = setOf(`psql pgcli mysql mariadb mycli mysqlsh sqlite3 usql sqlcmd duckdb clickhouse clickhouse-client cockroach sqlplus snowsql bq trino`)
)

// folders are where a command runs: the work tree, and the home that ~ stands for.
type folders struct{ root, home string }

// Dangerous returns the kind that one of the commands of a Bash line is of, as a shell would read the line, the zero value
// for none: `cd x && sudo git push -f` is of one, `echo "git push -f"` is not. Other tools have none.
func (r Rules) Dangerous(tool string, input json.RawMessage) Danger {
	if tool != "Bash" {
		return Danger{}
	}
	typed := events.InputOf(input).Command.Text()
	line, at := parseLine(typed), folders{root: filepath.ToSlash(r.root), home: filepath.ToSlash(r.home)}
	for _, c := range line.commands {
		if len(c.words) == 0 {
			continue
		}
		if d := c.danger(at); d.Rule != "" {
			return d
		}
	}
	asksDatabase := slices.ContainsFunc(line.commands, func(c command) bool { // also docker exec db psql
		return !c.prints && slices.ContainsFunc(c.words, func(w string) bool { return clients[baseName(w)] })
	})
	switch {
	case !asksDatabase:
	case drops.MatchString(typed):
		return Danger{"sql_drop", "SQL DROP statement"}
	case truncates.MatchString(typed):
		return Danger{"sql_truncate", "SQL TRUNCATE statement"}
	}
	return Danger{}
}

// danger returns the kind that a command is of by itself; a dry run is of none.
func (c command) danger(at folders) Danger {
	if c.removesOutside(at) {
		return Danger{"rm_root", "Destructive rm outside of the work tree"}
	}
	if c.words[0] != "git" || len(c.words) < 2 {
		return Danger{}
	}

	options, operands := optionsOf(c.words[2:])
	short := func(letters string) bool {
		return slices.ContainsFunc(options, func(o string) bool { return o[1] != '-' && strings.ContainsAny(o, letters) })
	}
	if slices.Contains(options, "--dry-run") || short("n") {
		return Danger{}
	}
	force := slices.Contains(options, "--force")
	switch verb := c.words[1]; {
	case verb == "push" && force: // a lease is no force, since it overwrites no commit that was not seen
		return Danger{"force_push", "Force push without lease protection"}
	case verb == "push" && (short("f") || slices.ContainsFunc(operands, func(o string) bool { return strings.HasPrefix(o, "+") })):
		return Danger{"force_push_short", "Force push (shorthand)"}
	case verb == "reset" && slices.Contains(options, "--hard") && slices.ContainsFunc(operands, remoteMain.MatchString):
		return Danger{"reset_remote", "Hard reset to remote main"}
	case verb == "clean" && (force || short("dfxX")):
		return Danger{"git_clean", "Git clean (removes untracked files)"}
	}
	return Danger{}
}

// removesOutside reports whether a command is an rm, or a find that removes, of an absolute path that lies neither in the
// work tree nor in the folder for temporary files. The work tree itself is outside.
func (c command) removesOutside(at folders) bool {
	switch words := c.words; words[0] {
	case "rm":
		_, operands := optionsOf(words[1:])
		return slices.ContainsFunc(operands, at.outside)
	case "find":
		i := slices.IndexFunc(words, func(w string) bool { return strings.HasPrefix(w, "-exec") || strings.HasPrefix(w, "-ok") })
		removes := i > 0 && i+1 < len(words) && baseName(words[i+1]) == "rm"
		return (removes || slices.Contains(words, "-delete")) && slices.ContainsFunc(words[1:], at.outside)
	}
	return false
}

func (at folders) outside(name string) bool {
	for _, home := range []string{"~", "$HOME"} {
		if rest, ok := strings.CutPrefix(name, home); ok && at.home != "" && (rest == "" || rest[0] == '/') {
			name = at.home + rest
		}
	}
	if !strings.HasPrefix(name, "/") || at.root != "" && !strings.HasPrefix(at.root, "/") { // on Windows a root has a drive
		return false
	}
	name = path.Clean(name)
	temp := strings.TrimPrefix(name, "/private") // of macOS, as /var/folders is, where its mktemp makes files
	return !within(temp, "/tmp") && !within(temp, "/var/folders") && (at.root == "" || name == at.root || !within(name, at.root))
}

func within(name, dir string) bool { return name == dir || strings.HasPrefix(name, dir+"/") }

// remoteMain is a commit of the remote's main branch, by whichever of git's names, or one counted from there. origin
// alone is the remote's HEAD.
var remoteMain = regexp.MustCompile(`^(?:(?:(?:refs/)?remotes/)?origin(?:/(?:main|master|HEAD))?|(?:main|master)@\{(?i:u|upstream|push)\})(?:[~^@].*)?$`)

// optionsOf parts options from operands. Which options take the next word is not known: it counts as an operand.
func optionsOf(words []string) (options, operands []string) {
	for i, w := range words {
		switch {
		case w == "--":
			return options, append(operands, words[i+1:]...)
		case len(w) > 1 && w[0] == '-':
			options = append(options, w)
		default:
			operands = append(operands, w)
		}
	}
	return options, operands
}
