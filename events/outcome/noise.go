package outcome

import (
	"regexp"
	"strings"
)

// What a shell's own start prints before and between the output of a command.

// startFile matches a line that a file says which a shell reads when it starts: those of a user, of the machine, and of managers
// of versions. Where a shell reads such a file, the line stands in the output of all its commands, also of those that succeed.
var startFile = regexp.MustCompile(`(?m)^(?:\S*/)?(?:(?:\.?(?:bash_?(?:rc|_profile|_aliases|_login)|zshrc|zshenv|zprofile|zlogin|profile)|bash\.bashrc|conda\.sh|nvm\.sh)|profile\.d/\S+):` +
	`(?:\S+:)? ?(?:line )?\d+: .*\n?`)

// locale matches the warning of a shell that starts with a locale which is not there.
var locale = regexp.MustCompile(`(?m)^(?:\S*/)?(?:ba|z|da)?sh: warning: (?:setlocale|shell level).*\n?`)

// Shown returns what of an output is looked at, without what the shell's start printed: all of a short one, else its first and its
// last 32 KiB.
func Shown(output string) string { return window(output) }

// withoutStart returns a text without the lines that the shell's start printed.
func withoutStart(text string) string {
	mentioned := func(name string) bool { return strings.Contains(text, name) }
	if mentioned("rc:") || mentioned("profile") || mentioned(".sh:") || mentioned(".zshenv:") || mentioned(".zlogin:") || mentioned(".bash_") {
		text = startFile.ReplaceAllString(text, "")
	}
	if mentioned("sh: warning: ") {
		text = locale.ReplaceAllString(text, "")
	}
	return text
}
