package working

import (
	"path"
	"regexp"
	"slices"
	"strings"

	"hookline/events"
	"hookline/events/wording"
)

// Command lines: what of one is kept, and what it is for.

// Kinds of commands besides what [events.Call.Check] says of a check.
const (
	kindTask = "task" // a script, a server, or a task of the project
	kindOnce = "once" // anything else that does something, as a commit or a request
	kindLook = "look" // shows something, or does what nobody runs for its own sake
)

// lookers are programs that show something, or that do what nobody runs for its own sake.
var lookers = strings.Fields("ls cat head tail less more which whereis type find fd grep egrep fgrep zgrep rg ag " +
	"awk sed wc tree stat file du df diff cmp sort uniq cut tr jq yq xxd hexdump od strings lsof ps pgrep top " +
	"free uptime env printenv pwd date whoami id uname hostname history man test [ [[ realpath readlink " +
	"dirname basename md5sum sha1sum sha256sum shasum netstat ss nc ping dig nslookup host printf tee touch " +
	"seq read wait command kill pkill killall curl wget http mkdir chmod exit return break continue unset " +
	"hookctl hookd replay")

// lookingVerbs are arguments by which other programs show something.
var lookingVerbs = strings.Fields("blame branch cat-file check-ignore describe diff fetch get grep help history " +
	"info inspect list log logs ls ls-files ls-tree merge-base outdated ps ready reflog remote rev-list " +
	"rev-parse search shortlog show show-ref stats status tree view version whoami why")

// taskRunners are programs that run a script, a server, or a task of the project.
var taskRunners = strings.Fields("bash sh zsh node deno bun tsx ts-node ruby perl php make gmake just task npm pnpm " +
	"yarn nx turbo cargo go mix gradle gradlew mvn mvnw rake rails docker docker-compose podman flutter dart " +
	"dotnet swift terraform kubectl helm uvicorn gunicorn flask manage.py artisan celery vite next serve " +
	"nodemon vercel netlify fly heroku wrangler firebase")

// scripts are the endings of files that are run.
var scripts = strings.Fields(".sh .bash .zsh .py .js .mjs .cjs .ts .rb .pl .php .exs .ps1")

// kindOf returns what a command line is for: that of its commands which says the most.
func kindOf(line string, call events.Call) string {
	if asksProgram.MatchString(line) {
		return kindLook
	}
	if check := call.Check(); check != "" {
		return check
	}
	kind := kindLook
	for _, run := range call.Runs {
		switch kindOfRun(run.Words) {
		case kindTask:
			return kindTask
		case kindOnce:
			kind = kindOnce
		}
	}
	return kind
}

// asksProgram matches a command that asks a program about itself.
var asksProgram = regexp.MustCompile(`(?m) (--version|--help|-h|-V|--list|--status|help|version)( 2>&1)?( *[|>].*)?$`)

// kindOfRun returns the same of one command, which is no check.
func kindOfRun(words []string) string {
	program := words[0]
	if slices.Contains(lookers, program) {
		return kindLook
	}
	isScript := slices.Contains(scripts, path.Ext(program))
	for _, verb := range words[1:min(3, len(words))] {
		if verb == "run" {
			break
		}
		if slices.Contains(lookingVerbs, verb) && !isScript {
			return kindLook
		}
	}
	if isScript || slices.Contains(taskRunners, program) && len(words) > 1 {
		return kindTask
	}
	return kindOnce
}

// piece is a command of a line with the operator behind it.
type piece struct {
	text     string
	operator string // && || ; | & or "" at the line's end
}

// program returns the first word of a command.
func (p piece) program() string {
	word, _, _ := strings.Cut(p.text, " ")
	return word
}

// isLook reports whether a command is a look.
func (p piece) isLook() bool {
	return kindOf(p.text, events.Call{Runs: events.Runs(p.text)}) == kindLook
}

// piecesOf splits a command line at the operators that stand outside of quotes and parentheses; an end of line is one. It
// returns nil where quotes or parentheses are not closed, or the line holds a document or begins a loop.
func piecesOf(line string) []piece {
	var list []piece
	var quote byte
	depth, from := 0, 0
	end := func(at, width int) {
		operator := strings.ReplaceAll(line[at:at+width], "\n", ";")
		if text := strings.TrimSpace(line[from:at]); text != "" {
			list = append(list, piece{text, operator})
		}
		from = at + width
	}

	for i := 0; i < len(line); i++ {
		c := line[i]
		rest := line[i:]
		switch {
		case c == '\\' && quote != '\'':
			i++
		case quote != 0:
			if c == quote {
				quote = 0
			}
		case c == '\'' || c == '"' || c == '`':
			quote = c
		case c == '(' || c == '{':
			depth++
		case c == ')' || c == '}':
			depth--
		case depth > 0:
		case c == '#' && strings.TrimSpace(line[from:i]) == "":
			comment, _, _ := strings.Cut(rest, "\n")
			from = i + len(comment)
			i = from - 1
		case strings.HasPrefix(rest, "<<"):
			return nil
		case strings.HasPrefix(rest, "&&"), strings.HasPrefix(rest, "||"):
			end(i, 2)
			i++
		case c == '&' && (i > 0 && (line[i-1] == '>' || line[i-1] == '<') || strings.HasPrefix(rest, "&>")): // a redirection
		case c == ';' || c == '|' || c == '&' || c == '\n':
			end(i, 1)
		}
	}
	if quote != 0 || depth != 0 {
		return nil
	}
	end(len(line), 0)
	return list
}

// compound matches a line that is a part of a loop or a condition, or that has a text of several lines.
var compound = regexp.MustCompile(`^(for|while|until|if|case|select|function|do|then|else|done|fi|esac)\b|\n`)

// silenced is the end of a command that sends its output away.
var silenced = regexp.MustCompile(`\s*(&>>?|[12]?>>?)\s*(&[12]|/dev/null|/tmp/\S+)$`)

// timed is a limit of time before a command.
var timed = regexp.MustCompile(`^g?timeout( -\S+| \d\S*)+ `)

// filters are programs that show a part of what another command prints.
var filters = strings.Fields("head tail grep egrep fgrep rg wc cat sort uniq cut tr less more tee sed awk column")

// fillers are commands that do nothing for those beside them.
var fillers = strings.Fields("echo printf true : sleep exit wait pwd date set clear")

// maxRunnable is how many bytes of a command line are looked at: none that is longer is run twice.
const maxRunnable = 2000

// runnable returns what of a command line is run for its own sake, as one line that can be run from the work tree; "" where
// it is none. Limits of time, headings, what shows a part of the output, and looks behind it are left out. cwd is the folder
// that the shell was in.
func (s *State) runnable(command, cwd string) string {
	if len(command) > maxRunnable {
		return ""
	}
	list := piecesOf(strings.ReplaceAll(command, "\\\n", " "))
	if slices.ContainsFunc(list, func(p piece) bool { return compound.MatchString(p.text) }) {
		return ""
	}

	list, changes, folder := withoutBeginning(list, cwd)
	line := joined(withoutEnd(withoutFilters(list)))
	line = strings.ReplaceAll(line, "git -C "+s.Worktree+" ", "git ")
	atRoot := folder == s.Worktree || folder == "" && changes == ""
	switch {
	case line == "" || s.Worktree == "":
		return changes + line
	case atRoot:
		return strings.ReplaceAll(line, s.Worktree+"/", "")
	case folder == "":
		return changes + line
	}
	return "cd " + wording.Below(s.Worktree, folder) + " && " + line
}

// withoutBeginning returns the commands of a line without changes of the folder and headings before them; the changes as they
// stood there, and the folder that they lead to from the one that the shell was in, "" where that cannot be known.
func withoutBeginning(list []piece, cwd string) (rest []piece, changes, folder string) {
	folder = cwd
	for len(list) > 1 && (list[0].operator == "&&" || list[0].operator == ";") {
		p := list[0]
		isChange := p.program() == "cd"
		isLook := p.operator == ";" && p.isLook()
		if !isChange && !isLook && !slices.Contains(fillers, p.program()) {
			break
		}
		if isChange {
			changes += p.text + " && "
			folder = events.Folder(p.text+" && ", folder)
		}
		list = list[1:]
	}
	return list, changes, folder
}

// withoutFilters returns commands without what stands around them and shows a part of their output or bounds their time.
func withoutFilters(list []piece) []piece {
	var rest []piece
	for _, p := range list {
		last := len(rest) - 1
		if last >= 0 && rest[last].operator == "|" && slices.Contains(filters, p.program()) {
			rest[last].operator = p.operator
			continue
		}
		for silenced.MatchString(p.text) {
			p.text = silenced.ReplaceAllString(p.text, "")
		}
		p.text = timed.ReplaceAllString(p.text, "")
		rest = append(rest, p)
	}
	return rest
}

// withoutEnd returns commands without the looks and headings behind them.
func withoutEnd(list []piece) []piece {
	for len(list) > 1 {
		last := list[len(list)-1]
		isPiped := list[len(list)-2].operator == "|"
		if isPiped || !last.isLook() && !slices.Contains(fillers, last.program()) {
			break
		}
		list = list[:len(list)-1]
	}
	return list
}

// joined returns commands as one line. An operator behind the last one counts only where it leaves that in the background.
func joined(list []piece) string {
	var line strings.Builder
	for i, p := range list {
		isLast := i == len(list)-1
		line.WriteString(p.text)
		switch {
		case p.operator == "&" && isLast:
			line.WriteString(" &")
		case isLast:
		case p.operator == ";":
			line.WriteString("; ")
		default:
			line.WriteString(" " + p.operator + " ")
		}
	}
	return line.String()
}
