package requirements

import (
	"regexp"
	"slices"
	"strings"

	"mvdan.cc/sh/v3/syntax"
)

func setOf(words string) map[string]bool {
	set := map[string]bool{}
	for _, w := range strings.Fields(words) {
		set[w] = true
	}
	return set
}

// printers do nothing with their arguments but print or describe them.
var printers = setOf(`echo printf print : true false test [ man info tldr apropos whatis which whereis type hash help alias
	unalias history say logger notify-send`)

// masks take words with blanks in them as text: messages, search expressions, file names.
var masks = setOf(`git gh glab hub hg svn jj grep egrep fgrep rg ag ack sed awk gawk mawk jq yq cat bat less more head
	tail ls find fd touch mkdir cp mv rm ln stat file du date open xdg-open curl wget tee wc sort diff code vim nano open cd read mapfile readarray export patch shellcheck shfmt base64 column cut fold nl pbcopy rev tac tr uniq xclip xxd md5sum sha256sum`)

// interpreters are masks that can run a program of their script; the value is how such a script says so.
var interpreters = map[string]*regexp.Regexp{
	"awk": regexp.MustCompile(`system\s*\(|\|\s*&?\s*(getline|")|"\s*\|`),
	"sed": regexp.MustCompile(`(^|[\n;{}])\s*(\d+|\$|/[^/]*/)?(,(\d+|\$|/[^/]*/))?!?\s*e\s+\S|` + // 1e git push
		`s.*[/|,#@!:][gpiImM\d]*e[gpiImM\d]*\s*([;}\n]|$)`), // s/x/git push/e
	"vim":  regexp.MustCompile(`^\W*(\w+ +)?!|system\s*\(`),
	"less": regexp.MustCompile(`^\+?!`),
}

// interpreterOf are the names that programs of the same kind go by.
var interpreterOf = map[string]string{"awk": "awk", "gawk": "awk", "mawk": "awk", "nawk": "awk", "sed": "sed", "gsed": "sed", "vim": "vim", "vi": "vim",
	"nvim": "vim", "less": "less"}

// interprets tells whether a program that takes text is told to run some of it: awk 'BEGIN{system("git push")}'.
func interprets(name string, args []arg) bool {
	how := interpreters[interpreterOf[name]]
	return how != nil && slices.ContainsFunc(args[1:], func(a arg) bool { return how.MatchString(a.text) })
}

// shells run the text behind -c, or what they read.
var shells = setOf(`sh bash rbash zsh dash ksh mksh yash ash fish csh tcsh`)

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
	"sudo":        {"-u -g -h -p -C -D -R -T -U -r -t --user --group --host --prompt --chdir --chroot --role --type", 0},
	"doas":        {"-u -C", 0},
	"env":         {"-u -C -S --unset --chdir --split-string", 0},
	"xargs":       {"-I -J -n -P -L -s -d -E -a --max-args --max-procs --max-lines --delimiter --arg-file", 0},
	"parallel":    {"-j --jobs -P -a --arg-file --colsep -C -d --delimiter -n -N -L -S --sshlogin --joblog --results --delay --timeout --retries --halt --tmpdir --workdir", 0},
	"nice":        {"-n --adjustment", 0},
	"ionice":      {"-c -n --class --classdata", 0},
	"timeout":     {"-s -k --signal --kill-after", 1},
	"gtimeout":    {"-s -k --signal --kill-after", 1},
	"flock":       {"-w -E --timeout", 1},
	"stdbuf":      {"-i -o -e", 0},
	"chrt":        {"", 1},
	"taskset":     {"", 1},
	"chroot":      {"", 1},
	"nohup":       {"", 0},
	"setsid":      {"", 0},
	"time":        {"-f -o --format --output", 0},
	"gtime":       {"-f -o --format --output", 0},
	"command":     {"", 0},
	"builtin":     {"", 0},
	"exec":        {"-a", 0},
	"caffeinate":  {"-t -w", 0},
	"strace":      {"-e -o -p -s -u", 0},
	"unbuffer":    {"", 0},
	"chronic":     {"", 0},
	"runuser":     {"-u -g -G -s -w -c --user --group --supp-group --shell --whitelist-environment --command --session-command", 0},
	"pkexec":      {"--user", 0},
	"unshare":     {"-S -G -R -w --setuid --setgid --root --wd --propagation --setgroups", 0},
	"nsenter":     {"-t -S -G --target --setuid --setgid", 0},
	"systemd-run": {"-u -p -M -H -E -t --unit --property --machine --host --setenv --slice --working-directory --uid --gid --nice", 0},
	"setpriv":     {"", 0},
	"prlimit":     {"-p --pid", 0},
	"fakeroot":    {"-l -f -i -s -b --lib --faked", 0},
	"noglob":      {"", 0},
	"nocorrect":   {"", 0},
	"-":           {"", 0},
}

// scripted are wrappers that take a line for a shell behind -c, too: flock lock -c 'git push'.
var scripted = setOf(`flock runuser`)

// runs looks at what a program runs in turn.
func (s *shellLine) runs(name string, args []arg) {
	if scripted[name] {
		for _, script := range valuesOf(args, "-c", "--command", "--session-command") {
			s.parse(script)
		}
	}
	if w, ok := wrappers[name]; name == "parallel" {
		s.lists(behind(args, strings.Fields(w.valued), w.operands, name))
		return
	} else if ok {
		s.command(behind(args, strings.Fields(w.valued), w.operands, name))
		return
	}
	switch {
	case shells[name]:
		if script := scriptOf(args); len(script) > 0 {
			s.with(script[1:], func() { s.parse(script[0].text) })
		}
	case name == "busybox" || name == "toybox":
		s.command(args[1:])
	case name == "ssh":
		s.parse(joined(behindHost(args)))
		s.suffixes(args)
	case name == "eval", name == "watch":
		s.parse(joined(behind(args, []string{"-n", "--interval"}, 0, name)))
	case name == "trap":
		if list := behind(args, nil, 0, name); len(list) > 0 {
			s.parse(list[0].text)
		}
	case name == "su" || name == "script" || name == "capsh":
		for _, script := range valuesOf(args, "-c", "--command", "--session-command") {
			s.parse(script)
		}
		s.suffixes(args)
	case name == "find" || name == "fd":
		s.executed(args)
	case name == "git":
		s.gitRuns(args)
	case interprets(name, args), !printers[name] && !masks[name]:
		for _, line := range linesOf(name, args) {
			s.parse(line)
		}
		s.suffixes(args)
	}
}

// behindHost are the words that ssh hands to a shell on the host.
func behindHost(args []arg) []arg {
	const valued = "-B -b -c -D -E -e -F -I -i -J -L -l -m -O -o -P -p -Q -R -S -W -w"
	return behind(args, strings.Fields(valued), 1, "ssh")
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
		case name == "env" && splits(word):
			return behind(append([]arg{{text: name}}, splitString(args[i:])...), valued, operands, name)
		case slices.Contains(valued, word) || takesNext(word, valued):
			i++
		case strings.HasPrefix(word, "-") && word != "-":
		case name == "env" && (word == "-" || isAssign(word)), name == "sudo" && isAssign(word):
		default:
			return skip(args[i:], operands)
		}
	}
	return nil
}

// takesNext tells whether the last of several letters takes the next word: -iu.
func takesNext(word string, valued []string) bool {
	if strings.HasPrefix(word, "--") || len(word) < 3 || word[0] != '-' {
		return false
	}
	for i := 1; i < len(word); i++ {
		if slices.Contains(valued, "-"+word[i:i+1]) {
			return i == len(word)-1
		}
	}
	return false
}

func skip(args []arg, n int) []arg { return args[min(n, len(args)):] }

func fieldsOf(text string) []arg { return argsOf(strings.Fields(text)) }

// splits tells whether a word of env's is the option whose value is split into words: -S, also among other letters,
// and --split-string, also abbreviated.
func splits(word string) bool {
	name, _, _ := strings.Cut(word, "=")
	if strings.HasPrefix(word, "--") {
		return len(name) > len("--s") && strings.HasPrefix("--split-string", name)
	}
	letters, _, found := strings.Cut(word, "S")
	return found && strings.HasPrefix(letters, "-") && strings.Trim(letters[1:], "iv0") == ""
}

// splitString is the value of env -S and the words behind it. The value has a shell's quotes; \_ is a blank.
func splitString(args []arg) []arg {
	word, rest := args[0].text, args[1:]
	_, text, found := strings.Cut(word, "S")
	if strings.HasPrefix(word, "--") {
		_, text, found = strings.Cut(word, "=")
	}
	if (!found || text == "") && len(rest) > 0 {
		text, rest = rest[0].text, rest[1:]
	}
	return append(wordsOf(strings.ReplaceAll(text, `\_`, " ")), rest...)
}

// wordsOf parts a text at its blanks, as a shell would where it is one command.
func wordsOf(text string) []arg {
	if words, ok := oneCommand(text); ok {
		return words
	}
	return fieldsOf(text)
}

// oneCommand are the words of a text that is one command and nothing else.
func oneCommand(text string) ([]arg, bool) {
	file, err := syntax.NewParser().Parse(strings.NewReader(text), "")
	if err == nil && len(file.Stmts) == 1 {
		if call, ok := file.Stmts[0].Cmd.(*syntax.CallExpr); ok && len(call.Assigns) == 0 {
			return (&shellLine{}).args(call.Args), true
		}
	}
	return nil, false
}

func isAssign(word string) bool {
	name, _, ok := strings.Cut(word, "=")
	return ok && name != "" && !strings.ContainsAny(name, "-/. ")
}

// valuesOf are the values of an option that may stand more than once: -c V, -cV, -qc V, --command V, --command=V. The
// first name is the short one.
func valuesOf(args []arg, short string, long ...string) []string {
	var values []string
	for i, a := range args {
		if i == 0 {
			continue
		}
		letters, value, _ := strings.Cut(a.text, short[1:])
		cluster := !strings.HasPrefix(a.text, "--") && strings.HasPrefix(letters, "-") && len(letters) < len(a.text) && !strings.Contains(letters, "=")
		switch name, inline, ok := strings.Cut(a.text, "="); {
		case slices.Contains(long, name) && ok:
			values = append(values, inline)
		case cluster && value != "":
			values = append(values, value)
		case (cluster || slices.Contains(long, name)) && i+1 < len(args):
			values = append(values, args[i+1].text)
		}
	}
	return values
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
	s.gitSets(args)
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
		for _, script := range valuesOf(plain[1:], "-x", "--exec") {
			s.parse(script)
		}
	case "filter-branch":
		for i, a := range rest {
			if strings.HasSuffix(a.text, "-filter") && i+1 < len(rest) {
				s.parse(rest[i+1].text)
			}
		}
	case "difftool":
		for _, script := range valuesOf(plain[1:], "-x", "--extcmd") {
			s.parse(script)
		}
	case "grep":
		for _, script := range valuesOf(plain[1:], "-O", "--open-files-in-pager") {
			s.parse(script)
		}
	case "fetch", "pull", "clone", "ls-remote":
		for _, script := range valuesOf(plain[1:], "-u", "--upload-pack") {
			s.parse(script)
		}
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
	found, runs := 0, runners[baseName(args[0].text)]
	first, end := handsOn(baseName(args[0].text), args)
	for i, a := range args {
		if i > 0 && (i < first || i >= end) && strings.ContainsAny(a.text, " \t\n\"'") {
			s.loose(a.text)
		}
	}
	for i := 1; i < len(args) && found < limit; i++ {
		if name := baseName(args[i].text); globals[name] != nil || shells[name] || name == "eval" || runs && ran[name] {
			found++
			s.command(args[i:])
		}
	}
}
