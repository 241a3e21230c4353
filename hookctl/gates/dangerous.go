package gates

import (
	"cmp"
	"encoding/json"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
)

// Danger is a kind of command that is not left to a permission dialog, where one key lets it pass. The kinds and
// their words are the framework's.
type Danger struct {
	Rule   string // as events have it
	Reason string // for people
}

// dangers in the order in which they are looked for. Each looks at the words of one command.
var dangers = []struct {
	Danger
	is func(words []string, at folders) bool
}{
	{Danger{"rm_root", "Destructive rm outside of the work tree"}, removesOutside},
	{Danger{"force_push", "Force push without lease protection"}, pushesByForce},
	{Danger{"force_push_short", "Force push (shorthand)"}, pushesByShorthand},
	{Danger{"reset_remote", "Hard reset to remote main"}, resetsToRemote},
	{Danger{"git_clean", "Git clean (removes untracked files)"}, cleans},
}

// In a line that names a client of a database, the words decide: a statement may be an argument or come by a pipe.
var (
	sqlDrop     = Danger{"sql_drop", "SQL DROP statement"}
	sqlTruncate = Danger{"sql_truncate", "SQL TRUNCATE statement"}
	drops       = regexp.MustCompile(`(?i)\bDROP(?:\s|/\*.*?\*/)+(?:TABLE|DATABASE|SCHEMA)\b`)
	truncates   = regexp.MustCompile(`(?i)\bTRUNCATE(?:\s|/\*.*?\*/)+[\w"\x60\[]`)
	clients     = setOf(`psql pgcli mysql mariadb mycli mysqlsh sqlite3 usql sqlcmd duckdb clickhouse clickhouse-client cockroach sqlplus snowsql bq trino`)
)

// folders are where a command runs: the work tree, and the home that ~ stands for.
type folders struct{ root, home string }

// Dangerous finds the first kind that one of the commands of a Bash line is of, as a shell would read the line:
// `cd x && sudo git push -f` is one, `echo "git push -f"` is none. Other tools have none.
func (r Rules) Dangerous(tool string, input json.RawMessage) (Danger, bool) {
	typed, ok := field(input, "command")
	if tool != "Bash" || !ok {
		return Danger{}, false
	}
	line, at := parseLine(typed), folders{root: filepath.ToSlash(r.root), home: filepath.ToSlash(r.home)}
	for _, d := range dangers {
		if slices.ContainsFunc(line.commands, func(c command) bool { return len(c.words) > 0 && d.is(c.words, at) }) {
			return d.Danger, true
		}
	}
	if !slices.ContainsFunc(line.commands, command.asksDatabase) {
		return Danger{}, false
	}
	switch {
	case drops.MatchString(typed):
		return sqlDrop, true
	case truncates.MatchString(typed):
		return sqlTruncate, true
	}
	return Danger{}, false
}

// asksDatabase tells whether a client is named by one of the words: docker exec db psql.
func (c command) asksDatabase() bool {
	return !c.prints && slices.ContainsFunc(c.words, func(w string) bool { return clients[baseName(w)] })
}

// removesOutside: rm, or find that removes, of an absolute path that lies neither in the work tree nor in the folder
// for temporary files. The work tree itself is outside.
func removesOutside(words []string, at folders) bool {
	switch words[0] {
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
	root := at.root
	if drive.MatchString(root) {
		root, name = drivePath(root), drivePath(name)
	}
	if !strings.HasPrefix(name, "/") {
		return false
	}
	name = path.Clean(name)
	temp := strings.TrimPrefix(name, "/private") // of macOS, as /var/folders is, where its mktemp makes files
	return !within(temp, "/tmp") && !within(temp, "/var/folders") && (root == "" || name == root || !within(name, root))
}

// drive is a letter of Windows at a path's beginning.
var drive = regexp.MustCompile(`^[A-Za-z]:[/\\]`)

// drivePath is a path as Git Bash writes it, in lower case: C:\x and C:/x are /c/x.
func drivePath(name string) string {
	name = strings.ToLower(name)
	if drive.MatchString(name) {
		name = "/" + name[:1] + strings.ReplaceAll(name[2:], `\`, "/")
	}
	return name
}

func within(name, dir string) bool { return name == dir || strings.HasPrefix(name, dir+"/") }

// pushesByForce: a lease is no force, since it overwrites no commit that was not seen.
func pushesByForce(words []string, _ folders) bool {
	options, _ := verbOf(words, "push", "o")
	return slices.Contains(options, "--force") && !dry(options)
}

// pushesByShorthand: -f, alone or among other letters, and the plus sign before a refspec, which is the same.
func pushesByShorthand(words []string, _ folders) bool {
	options, operands := verbOf(words, "push", "o")
	plus := slices.ContainsFunc(operands, func(o string) bool { return len(o) > 1 && o[0] == '+' })
	return (plus || slices.ContainsFunc(options, func(o string) bool { return strings.Contains(letters(o), "f") })) && !dry(options)
}

// remoteMain is a commit of the remote's main branch, by whichever of git's names, or one counted from there. origin
// alone is the remote's HEAD.
var remoteMain = regexp.MustCompile(`^(?:(?:(?:refs/)?remotes/)?origin(?:/(?:main|master|HEAD))?|(?:main|master)@\{(?i:u|upstream|push)\})(?:[~^@].*)?$`)

func resetsToRemote(words []string, _ folders) bool {
	options, operands := verbOf(words, "reset", "")
	return slices.Contains(options, "--hard") && slices.ContainsFunc(operands, remoteMain.MatchString)
}

// cleans: a dry run removes nothing.
func cleans(words []string, _ folders) bool {
	options, _ := verbOf(words, "clean", "e")
	return !dry(options) && slices.ContainsFunc(options, func(o string) bool { return o == "--force" || strings.ContainsAny(letters(o), "dfxX") })
}

// dry tells of a run that changes nothing.
func dry(options []string) bool {
	return slices.ContainsFunc(options, func(o string) bool { return o == "--dry-run" || strings.Contains(letters(o), "n") })
}

// verbOf are the options and operands of a git command; none of another. The short option named valued takes the next
// word, or what is behind it in its own.
func verbOf(words []string, verb, valued string) (options, operands []string) {
	if len(words) < 2 || words[0] != "git" || words[1] != verb {
		return nil, nil
	}
	var rest []string
	for i := 2; i < len(words); i++ {
		before, value, takes := strings.Cut(letters(words[i]), cmp.Or(valued, "\x00"))
		if words[i] == "--" {
			rest = append(rest, words[i:]...)
			break
		}
		if !takes {
			rest = append(rest, words[i])
			continue
		}
		rest = append(rest, "-"+before)
		if value == "" {
			i++
		}
	}
	return optionsOf(rest)
}

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

// letters are those of -abc; none of --abc and of an operand.
func letters(option string) string {
	if len(option) < 2 || option[0] != '-' || option[1] == '-' {
		return ""
	}
	return option[1:]
}
