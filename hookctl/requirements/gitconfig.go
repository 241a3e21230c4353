package requirements

import (
	"regexp"
	"strconv"
	"strings"
)

// What a line configures git with: aliases, and programs that git runs.

func aliasOf(key string) (string, bool) {
	if len(key) < len("alias.") || !strings.EqualFold(key[:len("alias.")], "alias.") {
		return "", false
	}
	return key[len("alias."):], true
}

// runsOfGit are the keys of git's configuration whose value is run by a shell.
var runsOfGit = regexp.MustCompile(`(?i)(editor|pager|pager\.\w+|sshcommand|askpass|cmd|command|helper|external|textconv|fsmonitor|gitproxy|filter\..*)$`)

// gitConfig notes the aliases of `git config alias.NAME VALUE`.
func (s *shellLine) gitConfig(plain []arg) {
	if len(plain) < 2 || plain[1].text != "config" {
		return
	}
	for i, a := range plain[2:] {
		if alias, ok := aliasOf(a.text); ok && i+3 < len(plain) {
			s.git[alias] = plain[i+3].text
		}
	}
}

// gitSets looks at what git is configured with for one call, and at the alias that is called.
func (s *shellLine) gitSets(args []arg) {
	s.gitEnvironment()
	for i := 1; i < len(args) && strings.HasPrefix(args[i].text, "-"); i++ {
		switch word, value, inline := strings.Cut(args[i].text, "="); {
		case word == "-c" && i+1 < len(args):
			i++
			s.gitSetting(args[i].text)
		case word == "--config-env" && !inline && i+1 < len(args):
			i++
			s.gitSettingOf(args[i].text)
		case word == "--config-env":
			s.gitSettingOf(value)
		case takeNext[word]:
			i++
		}
	}
	plain := withoutGlobals("git", args)
	if len(plain) < 2 {
		return
	}
	switch text, ok := s.git[plain[1].text]; {
	case !ok || !s.once():
	case strings.HasPrefix(text, "!"):
		s.parse(text[1:] + " " + joined(plain[2:]))
	default:
		s.command(append(append([]arg{{text: "git"}}, wordsOf(text)...), plain[2:]...))
	}
}

// takeNext are those of git's options that take the next word.
var takeNext = setOf(strings.Join(globals["git"], " "))

// gitSetting takes KEY=VALUE.
func (s *shellLine) gitSetting(text string) {
	key, value, _ := strings.Cut(text, "=")
	switch alias, ok := aliasOf(key); {
	case ok:
		s.git[alias] = value
	case !runsOfGit.MatchString(key):
	case s.once():
		s.parse(value)
	default:
		s.lost = true
	}
}

// gitSettingOf takes KEY=VARIABLE.
func (s *shellLine) gitSettingOf(text string) {
	key, name, _ := strings.Cut(text, "=")
	if value, ok := s.variable(name); ok {
		s.gitSetting(key + "=" + value)
	}
}

// gitVariables is what the variables begin with by which git is configured.
const gitVariables = "GIT_CONFIG_"

// maxGitVariables bounds how many of them are looked at.
const maxGitVariables = 64

// gitEnvironment takes the settings in the environment, once each.
func (s *shellLine) gitEnvironment() {
	if text, ok := s.vars[gitVariables+"PARAMETERS"]; ok {
		delete(s.vars, gitVariables+"PARAMETERS")
		for _, a := range wordsOf(text) {
			s.gitSetting(a.text)
		}
	}
	for i := range maxGitVariables {
		n := strconv.Itoa(i)
		key, ok := s.vars[gitVariables+"KEY_"+n]
		if !ok {
			return
		}
		if value, ok := s.vars[gitVariables+"VALUE_"+n]; ok {
			delete(s.vars, gitVariables+"VALUE_"+n)
			s.gitSetting(key + "=" + value)
		}
	}
}
