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
	regexp.MustCompile(`(?m)(?:: command|^Command) not found: ([\w.+-]+)\r?$`),                                                        // zsh, poetry
	regexp.MustCompile(`(?m)\bCommand "([\w.+-]+)" not found\.?\r?$`),                                                                 // pnpm, yarn
	regexp.MustCompile("(?m)^error: Failed to spawn: `([\\w.+-]+)`\r?$"),                                                              // uv
	regexp.MustCompile(`(?m)^(?:/usr/bin/)?(?:env|timeout|nohup|nice|xargs): .*?[‘']?([\w.+-]+)[’']?: No such file or directory\r?$`), //
}

// noSuchProgram is the same of a program that is called by its path.
var noSuchProgram = regexp.MustCompile(`(?m)^(?:[\w/]*/)?(?:bash|sh|zsh|dash|ash): (?:line \d+: )?(?:/\S+)?/s?bin/([\w.+-]+): No such file or directory\r?$`)

// notFoundHere is that in any language, where the exit status says that the program was not found.
var notFoundHere = regexp.MustCompile(`(?m)^(?:[\w/]*/)?(?:bash|sh|zsh|dash|ash): (?:[^:\n]{1,20}[:：] ?)?([\w.+-]+)[:：] .+$`)

// Missing returns the programs of a command line that its output says are not there.
func Missing(line string, runs []events.Run, output string) []string {
	output = output[:min(len(output), maxOutput)]
	forms := append(slices.Clone(notFound), noSuchProgram)
	if strings.HasPrefix(output, "Exit code 127\n") || hasShellMessage(output) {
		forms = append(forms, notFoundHere)
	} else if !strings.Contains(output, "not found") && !strings.Contains(output, "No such file") {
		return nil
	}

	called := Programs(line, runs)
	var missing []string
	for _, form := range forms {
		for _, m := range form.FindAllStringSubmatch(output, 20) {
			if slices.Contains(called, m[1]) && !slices.Contains(missing, m[1]) {
				missing = append(missing, m[1])
			}
		}
	}
	return missing
}

// noSuchPath are the forms in which a shell says that nothing is at the path by which a program is called.
var noSuchPath = []*regexp.Regexp{
	regexp.MustCompile(`(?m)^(?:\S*/)?(?:bash|sh|zsh|dash|ash): (?:line \d+: |\d+: )?(\S*/[\w.+-]+): (?:No such file or directory|not found)\r?$`),
	regexp.MustCompile(`(?m)^(?:\(eval\):\d+|zsh:\d+|(?:\S*/)?zsh): no such file or directory: (\S*/[\w.+-]+)\r?$`),
}

// pathIsMissing reports whether an output says that a program of a line is not at the path by which the line calls it. It may be at
// another one, so the machine does not lack it.
func pathIsMissing(line string, runs []events.Run, output string) bool {
	output = output[:min(len(output), maxOutput)]
	if !strings.Contains(output, "o such file or directory") && !strings.Contains(output, ": not found") {
		return false
	}

	called := Programs(line, runs)
	for _, form := range noSuchPath {
		for _, m := range form.FindAllStringSubmatch(output, 20) {
			isCalled := slices.Contains(called, path.Base(m[1])) && strings.Contains(line, m[1])
			if isCalled {
				return true
			}
		}
	}
	return false
}

// untranslated are the words for "command not found" of some languages.
var untranslated = strings.Fields("未找到命令 找不到命令 コマンドが見つかりません introuvable gefunden encontrado encontrada найдена")

// hasShellMessage reports whether an output has the words in which a shell of another language says it.
func hasShellMessage(output string) bool {
	return slices.ContainsFunc(untranslated, func(words string) bool { return strings.Contains(output, words) })
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
		if slices.Contains(javaScript, run.Words[0]) && len(run.Words) > 1 { // a program of the project: pnpm biome
			programs = append(programs, run.Words[1])
		}
	}
	if words := strings.Fields(line[:min(len(line), maxText)]); len(runs) == 0 && len(words) > 0 {
		programs = append(programs, path.Base(words[0]))
	}
	return programs
}
