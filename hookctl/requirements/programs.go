package requirements

import (
	"slices"
	"strings"
)

func setOf(words string) map[string]bool {
	set := map[string]bool{}
	for _, w := range strings.Fields(words) {
		set[w] = true
	}
	return set
}

// printers do nothing with their arguments but print or describe them.
var printers = setOf(`echo printf print : true false test [ man info apropos whatis which whereis type hash help alias
	unalias history say logger notify-send`)

// masks take words with blanks in them as text: messages, search expressions, file names.
var masks = setOf(`git gh glab hub hg svn jj grep egrep fgrep rg ag ack sed awk gawk mawk jq yq cat bat less more head
	tail ls find fd touch mkdir cp mv rm ln tee wc sort diff code vim nano open cd read export base64 column cut fold nl pbcopy rev tac tr uniq xclip xxd md5sum sha256sum`)

// shells run the text behind -c, or what they read.
var shells = setOf(`sh bash zsh dash ksh mksh ash fish`)

// globals are git's and gh's options before the verb that take the next word.
var globals = map[string][]string{
	"git": {"-C", "-c", "--git-dir", "--work-tree", "--namespace", "--super-prefix", "--config-env", "--attr-source", "--list-cmds"},
	"gh":  {"-R", "--repo", "--hostname"},
}

// wrappers run their arguments as a program. The value lists the options that take the next word; operands is how
// many words of its own stand before the program.
var wrappers = map[string]struct {
	valued   string
	operands int
}{
	"sudo":       {"-u -g -h -p -C -D -R -T -U -r -t --user --group --host --prompt --chdir --chroot --role --type", 0},
	"doas":       {"-u -C", 0},
	"env":        {"-u -C -S --unset --chdir --split-string", 0},
	"xargs":      {"-I -i -n -P -L -s -d -E -a --replace --max-args --max-procs --max-lines --delimiter --arg-file", 0},
	"parallel":   {"-j --jobs -a --arg-file --colsep", 0},
	"nice":       {"-n --adjustment", 0},
	"ionice":     {"-c -n --class --classdata", 0},
	"timeout":    {"-s -k --signal --kill-after", 1},
	"gtimeout":   {"-s -k --signal --kill-after", 1},
	"flock":      {"-w -E --timeout", 1},
	"stdbuf":     {"-i -o -e", 0},
	"chrt":       {"", 1},
	"taskset":    {"", 1},
	"chroot":     {"", 1},
	"nohup":      {"", 0},
	"setsid":     {"", 0},
	"time":       {"-f -o --format --output", 0},
	"gtime":      {"-f -o --format --output", 0},
	"command":    {"", 0},
	"builtin":    {"", 0},
	"exec":       {"-a", 0},
	"caffeinate": {"-t -w", 0},
	"strace":     {"-e -o -p -s -u", 0},
	"unbuffer":   {"", 0},
	"chronic":    {"", 0},
	"noglob":     {"", 0},
	"nocorrect":  {"", 0},
	"-":          {"", 0},
}

// runs looks at what a program runs in turn.
func (s *shellLine) runs(name string, args []arg) {
	if w, ok := wrappers[name]; ok {
		s.command(behind(args, strings.Fields(w.valued), w.operands, name))
		return
	}
	switch {
	case shells[name]:
		if script, ok := scriptOf(args); ok {
			s.parse(script)
		}
	case name == "eval", name == "watch":
		s.parse(joined(behind(args, []string{"-n", "--interval"}, 0, name)))
	case name == "trap" && len(args) > 1:
		s.parse(args[1].text)
	case name == "su":
		s.parse(valueOf(args, "-c", "--command"))
	case name == "find" || name == "fd":
		s.executed(args)
	case name == "git":
		s.gitRuns(args)
	case !printers[name] && !masks[name]:
		s.suffixes(args)
	}
}

// behind are the words from the program that a wrapper runs. `command -v git` runs none.
func behind(args []arg, valued []string, operands int, name string) []arg {
	for i := 1; i < len(args); i++ {
		word := args[i].text
		switch {
		case word == "--":
			return skip(args[i+1:], operands)
		case describes(args):
			return nil
		case name == "env" && (strings.HasPrefix(word, "-S") || strings.HasPrefix(word, "--split-string")):
			text := strings.TrimPrefix(strings.TrimPrefix(joined(args[i:]), "-S"), "--split-string")
			return fieldsOf(strings.TrimPrefix(text, "="))
		case slices.Contains(valued, word):
			i++
		case strings.HasPrefix(word, "-") && word != "-":
		case name == "env" && (word == "-" || isAssign(word)), name == "sudo" && isAssign(word):
		default:
			return skip(args[i:], operands)
		}
	}
	return nil
}

func skip(args []arg, n int) []arg { return args[min(n, len(args)):] }

func fieldsOf(text string) []arg {
	var list []arg
	for _, f := range strings.Fields(text) {
		list = append(list, arg{text: f})
	}
	return list
}

func isAssign(word string) bool {
	name, _, ok := strings.Cut(word, "=")
	return ok && name != "" && !strings.ContainsAny(name, "-/. ")
}

// scriptOf is the text behind a shell's -c, also as -lc.
func scriptOf(args []arg) (string, bool) {
	for i, a := range args[1:] {
		word := a.text
		if !strings.HasPrefix(word, "-") && !strings.HasPrefix(word, "+") {
			return "", false
		}
		short := !strings.HasPrefix(word, "--") && strings.Contains(word, "c")
		if (short || word == "--command") && i+2 < len(args) {
			rest := args[i+2:]
			for len(rest) > 1 && strings.HasPrefix(rest[0].text, "-") {
				rest = rest[1:]
			}
			return rest[0].text, true
		}
	}
	return "", false
}

// reading is what a program does with its input.
type reading int

const (
	readsText     reading = iota // it is data: cat, grep, git commit -F -
	readsScript                  // a shell runs it
	readsAnything                // nobody knows: psql, python, ssh, xargs
)

// readerOf says what a command, perhaps behind wrappers, does with its input.
func readerOf(args []arg) reading {
	for range maxNested {
		if len(args) == 0 {
			return readsText
		}
		name := baseName(args[0].text)
		w, ok := wrappers[name]
		switch {
		case name == "xargs" || name == "parallel":
			return readsAnything
		case printers[name] || masks[name]:
			return readsText
		case shells[name]:
			return shellReads(args)
		case !ok:
			return readsAnything
		}
		args = behind(args, strings.Fields(w.valued), w.operands, name)
	}
	return readsAnything
}

// shellReads tells a shell that takes its script from its input from one that has its script in its arguments; what
// that script does with the input nobody knows.
func shellReads(args []arg) reading {
	for _, a := range args[1:] {
		switch {
		case a.text == "-s" || a.text == "-":
			return readsScript
		case !strings.HasPrefix(a.text, "-") || !strings.HasPrefix(a.text, "--") && strings.Contains(a.text, "c"):
			return readsAnything
		}
	}
	return readsScript
}

func valueOf(args []arg, names ...string) string {
	for i, a := range args {
		if slices.Contains(names, a.text) && i+1 < len(args) {
			return args[i+1].text
		}
		for _, name := range names {
			if value, ok := strings.CutPrefix(a.text, name+"="); ok && strings.HasPrefix(name, "--") {
				return value
			}
		}
	}
	return ""
}

// executed takes the commands behind find's -exec and fd's -x.
func (s *shellLine) executed(args []arg) {
	flags := []string{"-exec", "-execdir", "-ok", "-okdir", "-x", "-X", "--exec", "--exec-batch"}
	for i := 1; i < len(args); i++ {
		if !slices.Contains(flags, args[i].text) {
			continue
		}
		end := i + 1
		for end < len(args) && args[end].text != ";" && args[end].text != "+" {
			end++
		}
		s.command(args[i+1 : end])
		i = end
	}
}

// gitRuns takes what git itself hands to a shell.
func (s *shellLine) gitRuns(args []arg) {
	plain := withoutGlobals("git", args)
	if len(plain) < 3 {
		return
	}
	switch rest := plain[2:]; plain[1].text {
	case "submodule":
		if i := slices.IndexFunc(rest, func(a arg) bool { return a.text == "foreach" }); i >= 0 {
			s.parse(joined(behind(append([]arg{{}}, rest[i+1:]...), nil, 0, "")))
		}
	case "rebase":
		s.parse(valueOf(rest, "-x", "--exec"))
	case "bisect":
		if rest[0].text == "run" {
			s.command(rest[1:])
		}
	}
}

// suffixes looks for git, gh and shells among the words of a program that nothing is known about: it may run them
// (`mise exec -- git -C dir push`, `docker exec box sh -c '…'`).
func (s *shellLine) suffixes(args []arg) {
	const limit = 4
	found := 0
	for i := 1; i < len(args) && found < limit; i++ {
		if name := baseName(args[i].text); globals[name] != nil || shells[name] || name == "eval" {
			found++
			s.command(args[i:])
		}
	}
}
