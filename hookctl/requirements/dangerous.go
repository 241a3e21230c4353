package requirements

import (
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

// dangers in the order in which they are looked for. A rule looks at the words of one command, or, where the command
// only carries a text for another program, for a text.
var dangers = []struct {
	Danger
	words func(words []string, root string) bool
	text  *pattern
}{
	{Danger{"rm_root", "Destructive rm outside of the work tree"}, removesOutside, nil},
	{Danger{"force_push", "Force push without lease protection"}, pushesByForce, nil},
	{Danger{"force_push_short", "Force push (shorthand)"}, pushesByShorthand, nil},
	{Danger{"reset_remote", "Hard reset to remote main"}, resetsToRemote, nil},
	{Danger{"git_clean", "Git clean (removes untracked files)"}, cleans, nil},
	{Danger{"sql_drop", "SQL DROP statement"}, nil, &pattern{re: regexp.MustCompile(`(?i)\bDROP\s+(?:TABLE|DATABASE)\b`)}},
	{Danger{"sql_truncate", "SQL TRUNCATE statement"}, nil, &pattern{re: regexp.MustCompile(`(?i)\bTRUNCATE\s+TABLE\b`)}},
}

// Dangerous finds the first kind that one of the commands of a Bash line is of, as a shell would read the line:
// `cd x && sudo git push -f` is one, `echo "git push -f"` is none. Other tools have none.
func (r Rules) Dangerous(tool string, input json.RawMessage) (Danger, bool) {
	command, ok := field(input, "command")
	if tool != "Bash" || !ok {
		return Danger{}, false
	}
	line, root := parseLine(command), filepath.ToSlash(r.root)
	for _, d := range dangers {
		if d.text != nil && d.text.matches(line) || d.words != nil && line.has(d.words, root) {
			return d.Danger, true
		}
	}
	return Danger{}, false
}

// has tells whether one of the line's commands is one that found knows. Of a text that is no shell every word may be
// the program.
func (s *shellLine) has(found func(words []string, root string) bool, root string) bool {
	for _, c := range s.commands {
		if c.name != "" {
			if words := c.words(); len(words) > 0 && found(words, root) {
				return true
			}
			continue
		}
		words := strings.FieldsFunc(c.text, func(r rune) bool { return strings.ContainsRune(" \"'`();{}&|", r) })
		for i := range words {
			if found(words[i:], root) {
				return true
			}
		}
	}
	return false
}

// removesOutside: rm of an absolute path that lies neither in the work tree nor in the folder for temporary files.
// The work tree itself is outside.
func removesOutside(words []string, root string) bool {
	if words[0] != "rm" {
		return false
	}
	_, operands := optionsOf(words[1:])
	return slices.ContainsFunc(operands, func(name string) bool {
		if !strings.HasPrefix(name, "/") {
			return false
		}
		name = path.Clean(name)
		return !within(name, "/tmp") && !within(name, "/private/tmp") && (root == "" || name == root || !within(name, root))
	})
}

func within(name, dir string) bool { return name == dir || strings.HasPrefix(name, dir+"/") }

// pushesByForce: a lease is no force, since it loses nobody's commits unseen.
func pushesByForce(words []string, _ string) bool {
	options, _ := gitVerb(words, "push")
	return slices.Contains(options, "--force")
}

// pushesByShorthand: -f, alone or among other letters, and the plus sign before a refspec, which is the same.
func pushesByShorthand(words []string, _ string) bool {
	options, operands := gitVerb(words, "push")
	return slices.ContainsFunc(options, func(o string) bool {
		letters, _, _ := strings.Cut(shortLetters(o), "o") // -o takes the rest as its value
		return strings.Contains(letters, "f")
	}) || slices.ContainsFunc(operands, func(o string) bool { return len(o) > 1 && o[0] == '+' })
}

// remoteMain is a commit of the remote's main branch, or one counted from there.
var remoteMain = regexp.MustCompile(`^origin/(main|master)([~^@].*)?$`)

func resetsToRemote(words []string, _ string) bool {
	options, operands := gitVerb(words, "reset")
	return slices.Contains(options, "--hard") && slices.ContainsFunc(operands, remoteMain.MatchString)
}

// cleans: a dry run removes nothing.
func cleans(words []string, _ string) bool {
	options, _ := gitVerb(words, "clean")
	forced := false
	for _, o := range options {
		letters, _, _ := strings.Cut(shortLetters(o), "e") // -e takes the rest as its value
		if o == "--dry-run" || strings.Contains(letters, "n") {
			return false
		}
		forced = forced || o == "--force" || strings.ContainsAny(letters, "dfxX")
	}
	return forced
}

// gitVerb are the options and operands of a git command; none of another.
func gitVerb(words []string, verb string) (options, operands []string) {
	if len(words) < 2 || words[0] != "git" || words[1] != verb {
		return nil, nil
	}
	return optionsOf(words[2:])
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

// shortLetters are those of -abc; none of --abc.
func shortLetters(option string) string {
	if strings.HasPrefix(option, "--") {
		return ""
	}
	return strings.TrimPrefix(option, "-")
}
