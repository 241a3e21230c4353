package gates

import (
	"slices"
	"strings"

	"hookline/events/wording"
)

// command is a simple command in one of the forms in which a pattern may know it: as typed, or by the program's base
// name and without the options between that and its verb.
type command struct {
	words  []string // of the plain form; nil for the one as typed
	text   string   // the words, joined by blanks
	masked string   // the same with NUL for each blank inside of a word: a message is one word
	head   int      // end of the program's name in text
	prints bool     // its arguments are no command: only a match that begins in its name counts
}

// printers do nothing with their arguments but print, search or describe them.
var printers = setOf(`echo printf print : true false test [ man info tldr apropos whatis which whereis type hash help alias
	unalias history say logger notify-send grep egrep fgrep rg ag ack pgrep cat ls cd touch mkdir`)

// shells run the text after -c, or what they read.
var shells = setOf(`sh bash rbash zsh dash ksh ash fish`)

// globals are the options before the verb that take the next word, of programs whose verb decides.
var globals = map[string]map[string]bool{
	"git":       setOf("-C -c --git-dir --work-tree --namespace --super-prefix --config-env --attr-source"),
	"gh":        setOf("-R --repo --hostname"),
	"kubectl":   setOf("-n --namespace --context --cluster --kubeconfig --user -s --server --as --token --request-timeout"),
	"npm":       setOf("-w --workspace --prefix -C --registry --loglevel"),
	"docker":    setOf("-H --host -c --context --config -l --log-level"),
	"terraform": setOf("-chdir"),
}

// wrappers run their arguments as a program: the letters of the options that take the next word, and how many words of
// their own stand before the program.
var wrappers = map[string]struct {
	valued   string
	operands int
}{
	"sudo": {"ugpChrtTUDR", 0}, "doas": {"uC", 0}, "pkexec": {}, "env": {"uC", 0}, "timeout": {"ks", 1}, "xargs": {"InPLdEsa", 0},
	"nohup": {}, "setsid": {}, "time": {"fo", 0}, "nice": {"n", 0}, "ionice": {"cnp", 0}, "stdbuf": {"ioe", 0}, "command": {}, "builtin": {},
	"exec": {"a", 0}, "chronic": {}, "unbuffer": {}, "caffeinate": {"tw", 0},
}

func setOf(words string) map[string]bool {
	set := map[string]bool{}
	for _, w := range strings.Fields(words) {
		set[w] = true
	}
	return set
}

// keep adds a form of a command.
func (l *shellLine) keep(words []string) *command {
	var text, masked []string
	for _, w := range words {
		w = wording.Flat(strings.ToValidUTF8(w, "\uFFFD"))
		text = append(text, w)
		masked = append(masked, strings.ReplaceAll(w, " ", "\x00"))
	}
	c := command{text: strings.Join(text, " "), masked: strings.Join(masked, " "), head: len(text[0]), prints: printers[baseName(words[0])]}
	l.size += len(c.text)
	l.commands = append(l.commands, c)
	return &l.commands[len(l.commands)-1]
}

// run takes the words of a simple command, and what they run in turn. input is what it reads from the line itself.
func (l *shellLine) run(words []string, input string) {
	if len(words) == 0 || words[0] == "" || len(l.commands) >= maxCommands || l.size > maxSize {
		return
	}
	name := baseName(words[0])
	plain := append([]string{name}, words[1:]...)
	verb := withoutGlobals(plain)
	if globals[name] != nil && slices.Contains(verb, "--help") {
		return
	}
	if name != words[0] || len(verb) != len(plain) {
		l.keep(words)
	}
	own := l.keep(verb)
	own.words = verb
	tells := name == "command" && len(plain) > 1 && (plain[1] == "-v" || plain[1] == "-V") // where a program is
	if own.prints || tells {
		own.prints = true
		return
	}
	if rest := behindWrapper(plain); len(rest) > 0 {
		own.prints = true // what it runs is looked at by itself
		l.run(rest, input)
		return
	}
	l.within(name, plain, input)
}

// within takes what a program other than a wrapper runs: a shell its script, another program the git, gh, … or shell
// that stands among its words (find -exec git, docker exec box sh -c).
func (l *shellLine) within(name string, words []string, input string) {
	switch {
	case shells[name]:
		l.read(scriptOf(words, input))
		return
	case name == "eval":
		l.read(strings.Join(words[1:], " "))
		return
	}
	for i := 1; i < len(words); i++ {
		if inner := baseName(words[i]); globals[inner] != nil && name != inner || shells[inner] {
			l.run(words[i:], input)
			return
		}
	}
}

// scriptOf is what a shell runs: the text after its -c, also as -lc, or its input; "" for a file.
func scriptOf(words []string, input string) string {
	for i := 1; i < len(words); i++ {
		w := words[i]
		letters := strings.TrimLeft(w, "+-")
		switch {
		case w == letters:
			return ""
		case strings.HasPrefix(w, "--"):
		case strings.Contains(letters, "c") && i+1 < len(words):
			return words[i+1]
		case letters == "s" || letters == "":
			return input
		case strings.HasSuffix(strings.ToLower(letters), "o"): // -o pipefail
			i++
		}
	}
	return input
}

// behindWrapper is what a wrapper runs; nil for another program.
func behindWrapper(words []string) []string {
	w, ok := wrappers[words[0]]
	if !ok {
		return nil
	}
	operands := w.operands
	for i := 1; i < len(words); i++ {
		switch word := words[i]; {
		case word == "--":
			return words[i+1:]
		case strings.HasPrefix(word, "--"):
		case len(word) > 1 && word[0] == '-':
			if strings.Contains(w.valued, word[len(word)-1:]) {
				i++
			}
		case strings.Contains(word, "=") && (words[0] == "env" || words[0] == "sudo"):
		case operands > 0:
			operands--
		default:
			return words[i:]
		}
	}
	return nil
}

// withoutGlobals drops the options that stand before the verb.
func withoutGlobals(words []string) []string {
	valued := globals[words[0]]
	if valued == nil {
		return words
	}
	verbs := 1
	if words[0] == "gh" {
		verbs = 2 // gh pr -R o/r create
	}
	plain := words[:1:1]
	for i := 1; i < len(words); i++ {
		word := words[i]
		switch {
		case verbs == 0 || word == "--" || word == "--help":
			return append(plain, words[i:]...)
		case !strings.HasPrefix(word, "-"):
			verbs--
			plain = append(plain, word)
		case valued[word]:
			i++
		}
	}
	return plain
}

// baseName is the program without its folder and .exe, in lower case as patterns are.
func baseName(program string) string {
	program = program[strings.LastIndexAny(program, `/\`)+1:]
	return strings.TrimSuffix(strings.ToLower(program), ".exe")
}
