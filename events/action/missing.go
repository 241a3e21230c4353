package action

import (
	"path"
	"regexp"
	"slices"
	"strings"

	"hookline/events"
)

// Programs that are not there, as shells say it.

// maxOutput is how many bytes of an output are looked at.
const maxOutput = 64 << 10

// notFound are the forms in which a shell, or a program that starts another one, says that it is not there.
var notFound = []*regexp.Regexp{
	regexp.MustCompile(`(?m)(?:^|: )([\w.+-]+): (?:command )?not found\r?$`),                                                          // bash, sh, sudo
	regexp.MustCompile(`(?m): command not found: ([\w.+-]+)\r?$`),                                                                     // zsh
	regexp.MustCompile(`(?m)^(?:/usr/bin/)?(?:env|timeout|nohup|nice|xargs): .*?[‘']?([\w.+-]+)[’']?: No such file or directory\r?$`), //
}

// Missing returns the programs of a command line that its output says are not there.
func Missing(line string, runs []events.Run, output string) []string {
	output = output[:min(len(output), maxOutput)]
	if !strings.Contains(output, "not found") && !strings.Contains(output, "No such file") {
		return nil
	}

	called := Programs(line, runs)
	var missing []string
	for _, form := range notFound {
		for _, m := range form.FindAllStringSubmatch(output, 20) {
			if slices.Contains(called, m[1]) && !slices.Contains(missing, m[1]) {
				missing = append(missing, m[1])
			}
		}
	}
	return missing
}

// Programs returns the programs that a command line calls, also those that only run another one.
func Programs(line string, runs []events.Run) []string {
	var programs []string
	for _, run := range runs {
		for _, word := range run.Lead {
			isProgram := word != "" && !strings.ContainsAny(word, "=-") && word != "run" && word != "exec"
			if isProgram {
				programs = append(programs, path.Base(word))
			}
		}
		programs = append(programs, run.Words[0])
	}
	if words := strings.Fields(line[:min(len(line), maxText)]); len(runs) == 0 && len(words) > 0 {
		programs = append(programs, path.Base(words[0]))
	}
	return programs
}

// nothingDone are answers of git that are no failure: the state that was wanted is there.
var nothingDone = regexp.MustCompile(`(?m)^(nothing to commit|nothing added to commit|Already (on|up to date))`)

// ofGit are the beginnings of lines with which git says that it failed.
var ofGit = regexp.MustCompile(`(?m)^(fatal: |error: (failed to push|pathspec|Your local changes|The following untracked|could not apply|Your index|cannot)| ! \[|CONFLICT \(|Automatic merge failed|Aborting)`)

// silent are looks that fail without a word.
var silent = strings.Fields("grep egrep fgrep rg test [ [[ diff cmp which type command pgrep")

// Failed returns what failed of a command line: the parts that leave something to mend, of those that may have failed. None are
// left where a look failed, a program is not there, or git had nothing to do.
//
// Of parts that are joined by && nobody can say for sure which one it was. Where git says that it failed, it is one of git's,
// else one of the others.
func Failed(line string, runs []events.Run, output string) []Action {
	output = output[:min(len(output), maxOutput)]
	if len(Missing(line, runs, output)) > 0 {
		return nil
	}

	var parts []Action
	for _, run := range runs {
		if run.Hidden {
			continue
		}
		a := Of(run)
		if a.Kind != Other {
			parts = append(parts, a)
			continue
		}
		if len(runs) > 1 && lookFailed(run, output) {
			return nil
		}
	}
	if strings.Contains(line, "cd ") && strings.Contains(output, ": cd: ") {
		return nil
	}

	return judged(parts, output)
}

// lookFailed reports whether a command that is not to be mended is the one that failed.
func lookFailed(run events.Run, output string) bool {
	program := run.Words[0]
	saysNothing := strings.TrimSpace(output) == "" || strings.Count(output, "\n") == 0 && strings.HasPrefix(output, "Exit code ")
	if saysNothing && slices.Contains(silent, program) {
		return true
	}
	return strings.HasPrefix(output, program+": ") || strings.Contains(output, "\n"+program+": ")
}

// judged returns of the parts that may have failed those of git, or the others.
func judged(parts []Action, output string) []Action {
	isGit := func(a Action) bool { return a.Kind == Git }
	first := slices.IndexFunc(parts, isGit)
	if first < 0 {
		return parts
	}
	says := ofGit.MatchString(output)
	if !says && nothingDone.MatchString(output) && slices.ContainsFunc(parts, Action.IsCommit) {
		return nil
	}

	others := slices.DeleteFunc(slices.Clone(parts), isGit)
	if says || len(others) == 0 {
		return slices.DeleteFunc(parts, func(a Action) bool { return !isGit(a) })
	}
	return others
}
