package action

import (
	"path"
	"regexp"
	"slices"
	"strings"

	"hookline/events"
)

// What failed of a command line, as far as it leaves something to mend.

// Failed returns what failed of a command line that the client calls a failure: the parts that leave something to mend, of those
// that may have failed by their place in the line. None are left where a look failed, a program is not there, nothing was run
// since the call was wrong or the shell could not read it, or git had nothing to do.
//
// Of parts that are joined by && nobody can say for sure which one it was. Where git says that it failed, it is the part of git
// that says so, else one of the others.
func Failed(line string, runs []events.Run, output string) []Action {
	output = output[:min(len(output), maxOutput)]
	if NothingRan(line, runs, output) || shellGaveUp(output) {
		return nil
	}
	if strings.Contains(line, "cd ") && strings.Contains(output, ": cd: ") {
		return nil
	}

	var parts []Action
	for _, run := range runs {
		if run.Hidden {
			continue
		}
		a := Of(run)
		switch {
		case a.IsFile() && isNotThere(a, output):
			return nil
		case a.Kind != Other:
			parts = append(parts, a)
		case len(runs) > 1 && lookFailed(run, output):
			return nil
		}
	}
	return judged(parts, output)
}

// wrongCall are the answers of programs that were called in a wrong way, or in a folder that is none of theirs: they did nothing.
var wrongCall = regexp.MustCompile(`(?im)^\W*((error|err_\w+|npm err!?|npm error|fatal)\W+)*` +
	`(unknown (flag|option|command|argument|shorthand flag)|unrecognized (arguments?|options?|subcommand)|no such (option|command|subcommand)|invalid (option|flag)|` +
	`unexpected argument|script not found|missing script|command "[^"]*" not found|could not determine executable|unknown revision|` +
	`.*no rule to make target|mise error no task|.*\[setup failed\]|cannot find main module|go: cannot find main module|.*does not contain main module|could not find .?Cargo\.toml|` +
	`.*ENOENT: no such file or directory, open '[^']*package\.json'|not a git repository)`)

// maxHead is how many bytes of an output are looked at for that: what did nothing says little else.
const maxHead = 400

// NothingRan reports whether an output says that a program of the line is not there, or begins with the words of a shell that could
// not read the line, or of a program that was called in a wrong way: so nothing was done.
func NothingRan(line string, runs []events.Run, output string) bool {
	head := output[:min(len(output), maxHead)]
	if wrongCall.MatchString(head) || unread.MatchString(firstLine(output)) {
		return true
	}
	return len(Missing(line, runs, output)) > 0 || pathIsMissing(line, runs, output)
}

// unread matches what a shell says of a line that it could not read, or expand: it began none of the command that it names. Other
// shells than these run lines of makefiles and of scripts, not those of a call.
var unread = regexp.MustCompile(`^(?:(?:\S*/)?(?:ba|z)sh: |\(eval\):\d+: |zsh:\d+: )(?:.*[:\s])?` +
	`(?:syntax error near unexpected token|syntax error: unexpected end of file|unexpected EOF while looking for matching|parse error|event not found|` +
	`bad substitution|no matches found: |unmatched ["'])`)

// firstLine returns the first line of an output that is not blank, behind the exit status that the client puts before it.
func firstLine(output string) string {
	for line := range strings.Lines(output[:min(len(output), maxHead)]) {
		line = strings.TrimSpace(line)
		if line != "" && !strings.HasPrefix(line, "Exit code ") {
			return line
		}
	}
	return ""
}

// shellGaveUp reports whether an output ends with the words of a shell that could not expand a command: those before it in the line
// succeeded, and those behind it were not begun.
func shellGaveUp(output string) bool {
	text := strings.TrimSpace(output)
	return unread.MatchString(text[strings.LastIndexByte(text, '\n')+1:])
}

// notThere are the forms in which a script is not there: those of Python, of Node and of shells.
var notThere = []*regexp.Regexp{
	regexp.MustCompile(`(?m)^\S*python[\w.]*: can't open file '?([^':]+)'?: `),
	regexp.MustCompile(`(?m)^Error: Cannot find module '(/[^']+|[A-Za-z]:[^']+)'`),
	regexp.MustCompile(`(?m)^(?:\S*: )?(?:line \d+: )?([^\s:]+): (?:No such file or directory|cannot open)`),
	regexp.MustCompile(`(?m)no such file or directory: (\S+)$`),
}

// isNotThere reports whether an output says that the file of a script is not there.
func isNotThere(a Action, output string) bool {
	name := a.Program
	if !isScript(name) {
		name = path.Base(a.Verb)
	}
	head := output[:min(len(output), maxHead)]
	return slices.ContainsFunc(notThere, func(form *regexp.Regexp) bool {
		m := form.FindStringSubmatch(head)
		return m != nil && path.Base(strings.ReplaceAll(m[1], `\`, "/")) == name
	})
}

// silent are looks that fail without a word.
var silent = strings.Fields("grep egrep fgrep rg test [ [[ diff cmp which type command pgrep")

// lookFailed reports whether a command that is not to be mended is the one that failed.
func lookFailed(run events.Run, output string) bool {
	program := run.Words[0]
	saysNothing := strings.TrimSpace(output) == "" || strings.Count(output, "\n") == 0 && strings.HasPrefix(output, "Exit code ")
	if saysNothing && slices.Contains(silent, program) {
		return true
	}
	return strings.HasPrefix(output, program+": ") || strings.Contains(output, "\n"+program+": ")
}

// nothingDone are answers of git that are no failure: the state that was wanted is there.
var nothingDone = regexp.MustCompile(`(?m)^(nothing to commit|nothing added to commit|Already (on|up to date))`)

// nothingToDo are answers of git to an operation on what is not there, or on what is there already.
var nothingToDo = regexp.MustCompile(`(?m)^(?:(?:fatal|error): pathspec '.*' did not match|(?:fatal|error): (?:a branch named|A branch named|tag) '[^']*' already exists|` +
	`nothing to commit|nothing added to commit|no changes added to commit)`)

// ofGit are the beginnings of lines with which git says that it failed.
var ofGit = regexp.MustCompile(`(?m)^(fatal: |error: (failed to push|Your local changes|The following untracked|could not apply|Your index|cannot|unable to)| ! \[|CONFLICT \(|Automatic merge failed|Aborting)`)

// refused are those of them with which git says that it could not do what it was to do.
var refused = regexp.MustCompile(`(?m)^(error: (failed to push|Your local changes|The following untracked|could not apply)| ! \[|CONFLICT \(|Automatic merge failed|Aborting)`)

// says are what git says of single subcommands that failed.
var says = []struct {
	verbs string
	form  *regexp.Regexp
}{
	{"push", regexp.MustCompile(`failed to push|\[(remote )?rejected\]|has no upstream branch`)},
	{"pull", regexp.MustCompile(`cannot pull|divergent branches|no tracking information`)},
	{"rebase cherry-pick revert am pull", regexp.MustCompile(`could not apply|previous cherry-pick is now empty`)},
	{"merge pull stash cherry-pick rebase revert", regexp.MustCompile(`Automatic merge failed|CONFLICT \(|would be overwritten by merge`)},
	{"checkout switch", regexp.MustCompile(`would be overwritten by checkout`)},
	{"add", regexp.MustCompile(`paths are ignored by one of your`)},
}

// switched and committed are what git says of subcommands that succeeded.
var (
	switched  = regexp.MustCompile(`(?m)^(?:Switched to (?:a new )?branch|Already on) '(.+)'`)
	committed = regexp.MustCompile(`(?m)^\[\S+( \([^)]*\))? [0-9a-f]{7,}\] `)
)

// judged returns of the parts that may have failed those of git that its words name, or those of others.
func judged(parts []Action, output string) []Action {
	isGit := func(a Action) bool { return a.Kind == Git && a.Program == "git" }
	gits := slices.DeleteFunc(slices.Clone(parts), func(a Action) bool { return !isGit(a) })
	others := slices.DeleteFunc(parts, isGit)
	if len(gits) == 0 {
		return others
	}

	if nothingToDo.MatchString(output) && !refused.MatchString(output) {
		return nil
	}
	gitSays := ofGit.MatchString(output)
	if !gitSays && len(others) > 0 {
		return others
	}
	if !gitSays && nothingDone.MatchString(output) {
		return nil
	}
	if !gitSays {
		gits = withoutTalkative(gits)
	}
	return judgedGit(gits, output)
}

// talkative are subcommands of git that no hook can stop: where they fail, git says why.
var talkative = strings.Fields("add rm mv restore stash checkout switch reset tag")

// withoutTalkative returns commands of git that failed without a word of git: those that a hook can stop, all where none is.
func withoutTalkative(gits []Action) []Action {
	var others []Action
	for _, a := range gits {
		if !slices.Contains(talkative, a.Verb) {
			others = append(others, a)
		}
	}
	if others == nil {
		return gits
	}
	return others
}

// judgedGit returns of several commands of git those that failed by what git says of them.
func judgedGit(gits []Action, output string) []Action {
	if len(gits) == 1 {
		return gits
	}
	for _, s := range says {
		named := slices.DeleteFunc(slices.Clone(gits), func(a Action) bool { return !slices.Contains(strings.Fields(s.verbs), a.Verb) })
		if len(named) > 0 && s.form.MatchString(output) {
			return named
		}
	}

	branches := switched.FindAllStringSubmatch(output, 10)
	hasCommitted := committed.MatchString(output)
	return slices.DeleteFunc(gits, func(a Action) bool {
		isThere := func(m []string) bool { return len(a.Scope) > 0 && a.Scope[0] == m[1] }
		onBranch := (a.Verb == "checkout" || a.Verb == "switch") && slices.ContainsFunc(branches, isThere)
		return onBranch || hasCommitted && (a.Verb == "commit" || a.Verb == "add")
	})
}
