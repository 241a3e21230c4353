package requirements

import (
	"slices"
	"strings"
)

// scriptOf is the text that a shell runs because of its -c, also as -lc, with its $0, $1, … behind; none without.
// `bash -euo pipefail -c` has a word between that belongs to -o.
func scriptOf(args []arg) []arg {
	_, script := shellOptions(args)
	return script
}

// scriptWithin is the place of the text that the first shell named behind a program runs (docker exec box sh -c TEXT);
// 0 without one.
func scriptWithin(args []arg) int {
	i := slices.IndexFunc(args, func(a arg) bool { return shells[baseName(a.text)] })
	if i < 1 {
		return 0
	}
	script := scriptOf(args[i:])
	if n := len(args) - len(script); len(script) > 0 && slices.Equal(args[n:], script) {
		return n
	}
	return 0
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
