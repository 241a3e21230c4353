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

// dangers in the order in which they are looked for. A rule looks at the words of one command, or at what a command
// carries for another program.
var dangers = []struct {
	Danger
	words   func(words []string, at folders) bool
	carries func(line *shellLine) bool
}{
	{Danger{"rm_root", "Destructive rm outside of the work tree"}, removesOutside, nil},
	{Danger{"force_push", "Force push without lease protection"}, pushesByForce, nil},
	{Danger{"force_push_short", "Force push (shorthand)"}, pushesByShorthand, nil},
	{Danger{"reset_remote", "Hard reset to remote main"}, resetsToRemote, nil},
	{Danger{"git_clean", "Git clean (removes untracked files)"}, cleans, nil},
	{Danger{"sql_drop", "SQL DROP statement"}, nil, drops.matches},
	{Danger{"sql_truncate", "SQL TRUNCATE statement"}, nil, truncates},
}

// folders are where a command runs: the work tree, and the home that ~ stands for.
type folders struct{ root, home string }

// Dangerous finds the first kind that one of the commands of a Bash line is of, as a shell would read the line:
// `cd x && sudo git push -f` is one, `echo "git push -f"` is none. Other tools have none.
func (r Rules) Dangerous(tool string, input json.RawMessage) (Danger, bool) {
	command, ok := field(input, "command")
	if tool != "Bash" || !ok {
		return Danger{}, false
	}
	line, at := parseLine(command), folders{root: filepath.ToSlash(r.root), home: filepath.ToSlash(r.home)}
	for _, d := range dangers {
		if d.carries != nil && d.carries(line) || d.words != nil && line.has(d.words, at) {
			return d.Danger, true
		}
	}
	return Danger{}, false
}

// maxWords bounds what is looked at behind one word of a text.
const maxWords = 64

// has tells whether one of the line's commands is one that found knows. Of a text that is no shell every word may be
// the program.
func (s *shellLine) has(found func(words []string, at folders) bool, at folders) bool {
	for _, c := range s.commands {
		if c.name != "" {
			if words := c.words(); len(words) > 0 && found(words, at) {
				return true
			}
			continue
		}
		words := strings.FieldsFunc(c.text, func(r rune) bool { return strings.ContainsRune(" \"'`();{}&|", r) })
		for i := range words {
			if found(plainWords(words[i:min(i+maxWords, len(words))]), at) {
				return true
			}
		}
	}
	return false
}

// plainWords are the words of a text without the options between git and its verb.
func plainWords(words []string) []string {
	if words[0] != "git" || len(words) < 2 || words[1][0] != '-' {
		return words
	}
	var plain []string
	for _, a := range withoutGlobals("git", argsOf(words)) {
		plain = append(plain, a.text)
	}
	return plain
}

// removesOutside: rm, or find that removes, of an absolute path that lies neither in the work tree nor in the folder
// for temporary files. The work tree itself is outside.
func removesOutside(words []string, at folders) bool {
	switch words[0] {
	case "rm":
		_, operands := optionsOf(words[1:])
		return slices.ContainsFunc(operands, at.outside)
	case "find":
		i := slices.IndexFunc(words, func(w string) bool { return slices.Contains([]string{"-exec", "-execdir", "-ok", "-okdir"}, w) })
		if slices.Contains(words, "-delete") || i > 0 && i+1 < len(words) && baseName(words[i+1]) == "rm" {
			return slices.ContainsFunc(startsOf(argsOf(words)), func(a arg) bool { return at.outside(a.text) })
		}
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
	return !within(name, "/tmp") && !within(name, "/private/tmp") && (root == "" || name == root || !within(name, root))
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

// pushesByForce: a lease is no force, since it loses nobody's commits unseen.
func pushesByForce(words []string, _ folders) bool {
	options, _ := pushOf(words)
	return slices.Contains(options, "--force") && !dryPush(options)
}

// pushesByShorthand: -f, alone or among other letters, and the plus sign before a refspec, which is the same.
func pushesByShorthand(words []string, _ folders) bool {
	options, operands := pushOf(words)
	return !dryPush(options) && (slices.ContainsFunc(options, func(o string) bool { return strings.Contains(pushLetters(o), "f") }) ||
		slices.ContainsFunc(operands, func(o string) bool { return len(o) > 1 && o[0] == '+' }))
}

// pushOf are the options and operands of a git push, without the values that are words of their own.
func pushOf(words []string) (options, operands []string) {
	if len(words) < 3 || words[0] != "git" || words[1] != "push" {
		return nil, nil
	}
	return optionsOf(withoutValues(words[2:], 'o', "--push-option", "--repo", "--receive-pack", "--exec"))
}

// pushLetters are those of -abc; -o takes the rest as its value.
func pushLetters(option string) string {
	letters, _, _ := strings.Cut(shortLetters(option), "o")
	return letters
}

func dryPush(options []string) bool {
	return abbreviates(options, "--dry-run") || slices.ContainsFunc(options, func(o string) bool { return strings.Contains(pushLetters(o), "n") })
}

// remoteMain is a commit of the remote's main branch, by whichever of git's names, or one counted from there. origin
// alone is the remote's HEAD.
var remoteMain = regexp.MustCompile(`^(?:(?:(?:refs/)?remotes/)?origin(?:/(?:main|master|HEAD))?|(?:main|master)@\{(?i:u|upstream|push)\})(?:[~^@].*)?$`)

func resetsToRemote(words []string, _ folders) bool {
	options, operands := gitVerb(words, "reset")
	return abbreviates(options, "--hard") && slices.ContainsFunc(operands, remoteMain.MatchString)
}

// cleans: a dry run removes nothing.
func cleans(words []string, _ folders) bool {
	if len(words) < 3 || words[0] != "git" || words[1] != "clean" {
		return false
	}
	options, _ := optionsOf(withoutValues(words[2:], 'e', "--exclude"))
	forced := abbreviates(options, "--force")
	for _, o := range options {
		letters, _, _ := strings.Cut(shortLetters(o), "e") // -e takes the rest as its value
		if strings.Contains(letters, "n") {
			return false
		}
		forced = forced || strings.ContainsAny(letters, "dfxX")
	}
	return forced && !abbreviates(options, "--dry-run")
}

// withoutValues drops the words that options take: `git clean -e -n` is no dry run. Behind -- there are no options.
func withoutValues(words []string, letter byte, long ...string) []string {
	var list []string
	for i := 0; i < len(words); i++ {
		w := words[i]
		list = append(list, w)
		switch letters := shortLetters(w); {
		case w == "--":
			return append(list, words[i+1:]...)
		case slices.Contains(long, w), strings.HasPrefix(w, "-") && letters != "" && strings.IndexByte(letters, letter) == len(letters)-1:
			i++
		}
	}
	return list
}

// abbreviates tells whether one of the options is a long one, which git takes cut short as well.
func abbreviates(options []string, long string) bool {
	const shortest = len("--xx")
	return slices.ContainsFunc(options, func(o string) bool { return len(o) >= shortest && strings.HasPrefix(long, o) })
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
