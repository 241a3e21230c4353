package action

import (
	"path"
	"regexp"
	"slices"
	"strings"
)

// Which success mends which failure.

// Mends reports whether the success of a mends a failure of b. A narrower run never mends a wider one.
//
//	check, build, deploy  the same, or one that contains it
//	git                   the state that it wanted, see [Action.settles]; a push and a merge also by a merged request
//	install               any install by the same manager of packages
func (a Action) Mends(b Action) bool {
	switch b.Kind {
	case Check, Build, Deploy:
		return a.contains(b)
	case Git:
		if a.mergesRequest() && (b.Verb == "push" || b.Verb == "merge") { // the changes are where they were to go
			return true
		}
		return a.Kind == Git && a.Program == b.Program && a.settles(b)
	case Install:
		return a.Kind == Install && managerOf(a.Program) == managerOf(b.Program)
	}
	return false
}

// MayMend reports whether the success of a could mend a failure of a command with some text. It reads no words and so is quick: of
// many open failures most have nothing to do with a success.
func (a Action) MayMend(text string) bool {
	if a.Kind == Other {
		return false
	}
	if a.isWhole() {
		return true
	}

	names := []string{a.Program}
	if a.mergesRequest() {
		names = append(names, "git")
	}
	switch managerOf(a.Program) {
	case "npm":
		names = javaScript
	case "pip":
		names = managers
	}
	mentioned := func(name string) bool { return strings.Contains(text, name) }
	if slices.ContainsFunc(names, mentioned) {
		return true
	}
	for alias, program := range aliases {
		if program == a.Program && mentioned(alias) {
			return true
		}
	}
	return false
}

// mergesRequest reports whether an action merges a request on the server.
func (a Action) mergesRequest() bool {
	return a.Kind == Git && a.Program == "gh" && a.Verb == "pr merge" && !a.has("--auto")
}

// IsCommit reports whether an action stores changes in the repository.
func (a Action) IsCommit() bool { return a.Kind == Git && a.Program == "git" && a.Verb == "commit" }

// managerOf returns the name that managers of packages for the same packages share.
func managerOf(program string) string {
	switch {
	case slices.Contains(javaScript, program):
		return "npm"
	case slices.Contains(managers, program):
		return "pip"
	}
	return program
}

// looksOfGit are the first operands with which a subcommand of git only lists something.
var looksOfGit = map[string]string{
	"stash":     "list show",
	"worktree":  "list",
	"submodule": "status summary foreach",
}

// gitKind returns the kind of a command of git, by its options: one that only lists or checks is [Other].
func (a *Action) gitKind() Kind {
	if len(a.Scope) > 0 && slices.Contains(strings.Fields(looksOfGit[a.Verb]), a.Scope[0]) {
		return Other
	}
	looks := a.Verb == "tag" && (len(a.Scope) == 0 || a.has("-l", "-n")) || a.Verb == "apply" && a.has("--check", "--stat")
	if looks {
		return Other
	}
	if a.Verb == "checkout" && a.has("--") { // of files
		a.Verb = "restore"
	}
	return Git
}

// has reports whether one of some options was given.
func (a Action) has(options ...string) bool {
	return slices.ContainsFunc(options, func(option string) bool { return slices.Contains(a.Flags, option) })
}

// EndsMerge reports whether an action goes on with, or gives up, what git stopped in for conflicts.
func (a Action) EndsMerge() bool {
	return a.Kind == Git && (a.has("--continue", "--abort", "--skip", "--quit") || a.Verb == "reset" && a.has("--hard"))
}

// settles reports whether the success of a brings about what b wanted of git: a branch that is checked out, changes that are
// merged or given up, stored or pushed.
func (a Action) settles(b Action) bool {
	switch b.Verb {
	case "checkout", "switch":
		changes := a.Verb == "checkout" || a.Verb == "switch"
		return changes && len(a.Scope) > 0 && len(b.Scope) > 0 && a.Scope[0] == b.Scope[0]
	case "merge", "rebase", "cherry-pick", "revert", "am", "pull":
		return a.EndsMerge() || a.Verb == b.Verb && a.wants(b) || a.IsCommit() && b.Verb != "rebase"
	case "add", "rm", "mv", "restore", "apply", "stash", "reset":
		return a.IsCommit() || a.Verb == b.Verb && a.wants(b)
	}
	return a.Verb == b.Verb
}

// wants reports whether a is about all that b is about; what names nothing is about the same branch or the same files.
func (a Action) wants(b Action) bool {
	all := func(name string) bool { return name == "." }
	if len(a.Scope) == 0 || len(b.Scope) == 0 || slices.ContainsFunc(a.Scope, all) || a.has("-A", "--all") {
		return true
	}
	return !slices.ContainsFunc(b.Scope, func(name string) bool { return !slices.Contains(a.Scope, name) })
}

// ReadsBelow reports whether a command reads all that lies below the folder that it runs in. A script of a project belongs to its
// folder alone.
func (a Action) ReadsBelow() bool { return !a.byScript() }

// IsFile reports whether an action is a script that is named by its file: it is the same from whatever folder.
func (a Action) IsFile() bool { return isScript(a.Program) || isScript(a.Verb) }

// NamesPackage reports whether an action names the package of a workspace that it is for, and so is the same from whatever folder.
func (a Action) NamesPackage() bool {
	return slices.ContainsFunc(a.Select, func(option string) bool {
		return strings.HasPrefix(option, "--filter=") || strings.HasPrefix(option, "--workspace=") || strings.HasPrefix(option, "--package=")
	})
}

// IsAbout reports whether an action runs a file, or is about that alone.
func (a Action) IsAbout(file string) bool {
	base := path.Base(file)
	if a.Program == base || a.Verb == base {
		return true
	}
	return len(a.Scope) == 1 && !strings.Contains(a.Scope[0], ":") && (a.Scope[0] == file || strings.HasSuffix(file, "/"+a.Scope[0]))
}

// failing matches the beginning of a line by which git, a manager of packages or a deployment says that it failed.
var failing = regexp.MustCompile(`(?im)^\s*(fatal: |error\b|npm err|err_|! \[|conflict \(|automatic merge failed|failed|failure)`)

// SaysFailed reports whether an output says that something failed.
func SaysFailed(output string) bool {
	return failing.MatchString(output[:min(len(output), maxOutput)])
}
