package requirements

import "strings"

// scriptOf is the text that a shell runs because of its -c, also as -lc, with its $0, $1, … behind; none without.
// `bash -euo pipefail -c` has a word between that belongs to -o.
func scriptOf(args []arg) []arg {
	_, script := shellOptions(args)
	return script
}

// shellOptions are a shell's operands: with -c in script, the script first, then its $0, $1, …; else in files.
func shellOptions(args []arg) (files, script []arg) {
	command := false
	for i := 1; i < len(args); i++ {
		word := args[i].text
		switch {
		case word == "--" || word == "-":
			return operandsOf(args[i+1:], command)
		case word == "--command" || word == "-C": // fish
			command = true
		case strings.HasPrefix(word, "--command="):
			return nil, append([]arg{{text: strings.TrimPrefix(word, "--command=")}}, args[i+1:]...)
		case word == "--rcfile" || word == "--init-file":
			i++
		case strings.HasPrefix(word, "--"):
		case len(word) > 1 && (word[0] == '-' || word[0] == '+'):
			command = command || word[0] == '-' && strings.Contains(word, "c")
			i += strings.Count(word, "o") + strings.Count(word, "O")
		default:
			return operandsOf(args[i:], command)
		}
	}
	return nil, nil
}

func operandsOf(args []arg, command bool) (files, script []arg) {
	if command {
		return nil, args
	}
	return args, nil
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
		case name == "sudo" && asks(args, "-s", "-i", "--shell", "--login"), name == "su", name == "at", name == "batch":
			return readsScript
		case (name == "source" || name == ".") && len(args) > 1 && standardInput[args[1].text]:
			return readsScript
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

// asks tells whether a command has one of some options and nothing behind its options: sudo -i, which is a shell.
func asks(args []arg, options ...string) bool {
	found := false
	for _, a := range args[1:] {
		for _, o := range options {
			found = found || a.text == o
		}
	}
	w := wrappers[baseName(args[0].text)]
	return found && len(behind(args, strings.Fields(w.valued), w.operands, "")) == 0
}

// standardInput are the names of a process's input as a file.
var standardInput = setOf(`/dev/stdin /dev/fd/0 /proc/self/fd/0 -`)

// shellReads tells a shell that takes its script from its input from one that has its script in its arguments; what
// that script does with the input nobody knows.
func shellReads(args []arg) reading {
	files, script := shellOptions(args)
	if len(script) > 0 {
		return readsAnything
	}
	for _, a := range args[1:] {
		if a.text == "-s" {
			return readsScript
		}
	}
	if len(files) > 0 && !standardInput[files[0].text] {
		return readsAnything
	}
	return readsScript
}
